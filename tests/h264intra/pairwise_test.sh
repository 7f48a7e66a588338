#!/bin/sh
# Options in pairs: FFmpeg and libopenh264 decode exactly the --recon file (bench/pairwise.py);
# all cases with TEST_FULL=1. FFMPEG=PATH selects another ffmpeg program.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
for program in "${FFMPEG:-ffmpeg}" python3; do
	if ! command -v "$program" >/dev/null; then
		echo "SKIP: no $program program"
		exit 77
	fi
done
# shellcheck source=tests/common/effort.sh
. "$TEST_SRCDIR/common/effort.sh"
GPUINTRA=$TEST_BUILDDIR/gpuintra PICGEN=$TEST_BUILDDIR/tests/h264intra/picgen
OPENH264=$TEST_BUILDDIR/tests/h264intra/openh264_decode
[ -x "$OPENH264" ] || OPENH264=
export GPUINTRA PICGEN OPENH264
pairwise=$TEST_SRCDIR/../bench/pairwise.py
python3 "$pairwise" --cases "$(effort 0 36 20)" || exit 1
# A decoder that prints something else must be noticed, by the cases that it decodes.
found=$(OPENH264=/bin/cat python3 "$pairwise" --cases 8 2>&1) && {
	echo "FAIL: a wrong decoder passes"
	exit 1
}
case $found in
*"libopenh264 decodes other pictures"*) ;;
*) echo "FAIL: of a wrong decoder pairwise.py says: $found"; exit 1 ;;
esac
