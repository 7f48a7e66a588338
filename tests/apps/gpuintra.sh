# Helpers of the shell tests of gpuintra, which source this file after common/shell.sh. Makes in.y4m
# with five frames, or in_frames of them.
# shellcheck shell=bash
# FFmpeg is not built with ThreadSanitizer, which therefore does not see the synchronisation of its
# decoder threads.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 ${TSAN_OPTIONS-}"
gpuintra=$TEST_BUILDDIR/gpuintra
picgen=$TEST_BUILDDIR/tests/h264intra/picgen

cpu() { "$gpuintra" --backend cpu "$@"; }
# frames FILE: prints the number of frames that can be decoded, also of a truncated file.
frames() { cpu -i "$1" -o /dev/null --quiet --stats - 2>/dev/null |
	sed -n 's/^ "frames": \([0-9]*\),.*/\1/p'; }
has_frames() { [ "$(frames "$2")" = "$1" ]; }

"$picgen" noise 64x48 "${in_frames:-5}" >in.y4m || exit 1
# Sizes at which the tests truncate in.y4m.
# shellcheck disable=SC2034
frame_bytes=$((6 + 64 * 48 * 3 / 2))
# shellcheck disable=SC2034
header_bytes=$(($(head -n 1 in.y4m | wc -c)))
