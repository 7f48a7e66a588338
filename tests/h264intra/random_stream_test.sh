#!/bin/sh
# Streams of random decisions (random_stream.c) are decoded to exactly the pictures that they stand
# for, by FFmpeg and libopenh264, of all profiles and both entropy coders. TEST_FULL=1: more seeds.
# FFMPEG=PATH selects another ffmpeg program.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
if ! command -v "${FFMPEG:-ffmpeg}" >/dev/null; then
	echo "SKIP: no ffmpeg program"
	exit 77
fi
# shellcheck source=tests/common/effort.sh
. "$TEST_SRCDIR/common/effort.sh"
program=$TEST_BUILDDIR/tests/h264intra/random_stream
openh264=$TEST_BUILDDIR/tests/h264intra/openh264_decode
[ -x "$openh264" ] || openh264=
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
streams=0

fail() {
	echo "FAIL: random_stream $*"
	exit 1
}

# decode STREAM [OPTION...]: by FFmpeg to got.yuv; a message is an error.
decode() {
	stream=$1
	shift
	"${FFMPEG:-ffmpeg}" -v error -xerror -r 25 -i "$stream" "$@" -fps_mode passthrough \
		-f rawvideo -y "$work/got.yuv" >"$work/log" 2>&1 </dev/null && [ ! -s "$work/log" ]
}

# check WIDTH HEIGHT FRAMES SLICES PROFILE CABAC DEBLOCK EXTRAS GRAY SEED
check() {
	"$program" "$@" "$work/s.264" "$work/want.yuv" || fail "$@"
	# Some versions of FFmpeg decode 4:0:0 to 4:2:0.
	if [ "$9" = 1 ]; then
		decode "$work/s.264" -vf extractplanes=y
	else
		decode "$work/s.264"
	fi || fail "$*: $(cat "$work/log")"
	cmp "$work/want.yuv" "$work/got.yuv" || fail "$* decoded by FFmpeg"
	streams=$((streams + 1))
	[ -n "$openh264" ] && [ "$8" != 2 ] && [ "$9" != 1 ] || return 0
	"$openh264" "$work/s.264" >"$work/s.y4m" || fail "$* decoded by libopenh264"
	decode "$work/s.y4m" || fail "$*: $(cat "$work/log")"
	cmp "$work/want.yuv" "$work/got.yuv" || fail "$* decoded by libopenh264"
}

seed=1
while [ "$seed" -le "$(effort 28 2 1)" ]; do
	for coder in "66 0" "77 0" "77 1" "100 0" "100 1"; do
		# shellcheck disable=SC2086
		check 160 96 "$(effort 6 3 2)" $((1 + seed % 3)) $coder $((seed % 2)) 0 0 "$seed"
		# shellcheck disable=SC2086
		check 16 16 2 1 $coder 1 1 0 "$seed"
		# shellcheck disable=SC2086
		check 64 128 2 8 $coder $(((seed + 1) % 2)) 1 0 "$seed"
		# shellcheck disable=SC2086
		check 96 80 2 1 $coder $((seed / 2 % 2)) 2 0 "$seed"
	done
	check 112 48 3 $((1 + seed % 2)) 100 0 $((seed % 2)) 2 1 "$seed"
	check 112 48 3 $((1 + seed % 2)) 100 1 $((seed % 2)) 2 1 "$seed"
	check 656 416 1 1 77 $((seed % 2)) 1 0 0 "$seed"
	check 656 416 1 1 100 $((seed % 2)) 1 0 0 "$seed"
	seed=$((seed + 1))
done
echo "$streams streams"

# Other pictures must be noticed.
"$program" 32 32 1 1 100 1 0 0 0 7 "$work/s.264" "$work/want.yuv" || exit 1
decode "$work/s.264" || fail "seed 7"
"$program" 32 32 1 1 100 1 0 0 0 8 "$work/s.264" "$work/want.yuv" || exit 1
cmp -s "$work/want.yuv" "$work/got.yuv" && fail "wrong pictures pass"
exit 0
