#!/bin/sh
# docs/h264intra.md: its program compiles, with the variables and the caller's functions declared
# around it, and the fields in its tables are fields of the frame. CC: the compiler.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
work=$TEST_BUILDDIR/tests/h264intra_doc_test.tmp

fail()
{
	echo "FAIL: $1"
	exit 1
}

rm -rf "$work"
mkdir -p "$work" || exit 1
{
	cat <<'C'
#include <h264intra/h264intra.h>
#include <h264intra/mp4.h>
int print_error(const char *);
int next_frame(h264i_frame *);
void write_bytes(const uint8_t *, size_t);
int encode(const uint8_t *tensor, uint32_t width, uint32_t height);
int encode(const uint8_t *tensor, uint32_t width, uint32_t height)
{
	h264i_options o;
	h264i_frame frame;
	h264i_packet packet;
	h264i_encoder *enc;
	h264i_mp4_options m;
	h264i_mp4_track track;
	const int16_t *samples = NULL;
	size_t samples_bytes = 0;
	h264i_mp4 *mp4;
	h264i_status s;
	char message[256];
C
	sed -n '/^```c$/,/^```$/{/^```/!p;}' "$top/docs/h264intra.md" >"$work/text"
	[ "$(wc -l <"$work/text")" -gt 15 ] || fail "no program in docs/h264intra.md"
	cat "$work/text"
	echo 'return s == H264I_END ? 0 : print_error(h264i_last_error(enc)); }'
	echo 'const void *fields(const h264i_frame *f);'
	echo 'const void *fields(const h264i_frame *f) { const void *p = f;'
	sed -n 's/^| `\([a-z_`, ]*\)` |.*/\1/p' "$top/docs/h264intra.md" | tr -d '`,' |
		tr ' ' '\n' | sed 's/.*/p = \&f->&;/'
	echo 'return p; }'
} >"$work/program.c"
[ "$(grep -c '^p = ' "$work/program.c")" -ge 4 ] || fail "no fields in docs/h264intra.md"
${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I"$top/h264intra/include" \
	-I"$top/libsched/include" -I"$TEST_BUILDDIR/libsched/include" "$work/program.c" ||
	fail "it does not compile"
rm -rf "$work"
echo "the program of docs/h264intra.md compiles"
