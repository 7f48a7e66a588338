#!/bin/sh
# The queue that docs/extending.md adds as an example: a libsched with it builds and runs a program
# through it on the CPU; its CUDA half compiles, where there is nvcc. CC, NVCC: the compilers.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
work=$TEST_BUILDDIR/tests/new_queue_test.tmp

fail()
{
	echo "FAIL: $1"
	exit 1
}

rm -rf "$work"
mkdir -p "$work/examples" || exit 1
cp -R "$top/libsched" "$work/" && chmod -R u+w "$work" || exit 1
cp "$top"/examples/first_program.[ch] "$work/examples/" || exit 1

# Steps 1 to 3 of the text.
awk '$0 == "<!-- libsched/queue/stack.h -->" { found = 1; next }
	found == 1 && /^```/ { found = 2; next }
	found == 2 && /^```/ { exit }
	found == 2' "$top/docs/extending.md" >"$work/libsched/queue/stack.h"
[ "$(wc -l <"$work/libsched/queue/stack.h")" -gt 30 ] || fail "no header in docs/extending.md"
line=$(sed -n 's/^ *\(Y(X, STACK, .*)\)$/\1/p' "$top/docs/extending.md")
[ -n "$line" ] || fail "no table line in docs/extending.md"
awk -v line="$line" '/^#define LSCHED_QUEUES\(/ { table = 1 }
	table && !/\\$/ { print $0 " \\"; print "\t" line; table = 0; next }
	{ print }' "$top/libsched/include/libsched/sched.h" \
		>"$work/libsched/include/libsched/sched.h"
awk '{ print }
	/^#include "libsched\/queue\/ring.h"/ { print "#include \"libsched/queue/stack.h\"" }' \
	"$top/libsched/queue/queue.h" >"$work/libsched/queue/queue.h"

cd "$work" || exit 1
# shellcheck disable=SC2086
${CC:-cc} -std=gnu11 -O1 -Wall -Wextra -Werror -I. -Ilibsched/include \
	-DLSCHED_PROGRAM_QUEUES=LSCHED_QUEUES -o first_program \
	examples/first_program.c libsched/core/*.c libsched/cpu/*.c libsched/cuda/none.c \
	-lpthread ||
	fail "it does not compile"
for k in 1 2 3; do
	./first_program cpu stack || fail "start $k: exit code $?"
done
if ${NVCC:-false} --version >/dev/null 2>&1; then
	# one queue is enough, and quick
	printf '#define LSCHED_PROGRAM_QUEUES(Y, X) %s\n#include "first_program.h"\n' "$line" \
		>examples/one.cu
	$NVCC -Werror all-warnings -I. -Ilibsched/include -ptx -o one.ptx examples/one.cu ||
		fail "nvcc does not compile it"
	grep -q items_stack_kernel one.ptx || fail "no kernel of it"
fi
cd .. && rm -rf "$work"
