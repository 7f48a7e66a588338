#!/bin/sh
# The long form of conformance.sh, for `make check-weekly`: artificial pictures up to 4K and all
# clips of media/, at QPs from 0 to 51, 1 to 8 slices, all schemes. bench/conformance.sh without
# options goes further still.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
if ! command -v "${FFMPEG:-ffmpeg}" >/dev/null; then
	echo "SKIP: no ffmpeg program"
	exit 77
fi
GPUINTRA=$TEST_BUILDDIR/gpuintra PICGEN=$TEST_BUILDDIR/tests/h264intra/picgen
export GPUINTRA PICGEN
exec bash "$TEST_SRCDIR/../bench/conformance.sh" --frames 2 --qp "0 22 37 51" --slices "1 4 8" \
	--jobs 2 \
	"$TEST_SRCDIR"/../media/*_*
