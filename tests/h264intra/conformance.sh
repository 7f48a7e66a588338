#!/bin/sh
# FFmpeg decodes what gpuintra writes to exactly the --recon file: the short set of
# bench/conformance.sh, under a sanitizer without its large pictures. FFMPEG=PATH selects another
# ffmpeg program.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
if ! command -v "${FFMPEG:-ffmpeg}" >/dev/null; then
	echo "SKIP: no ffmpeg program"
	exit 77
fi
GPUINTRA=$TEST_BUILDDIR/gpuintra PICGEN=$TEST_BUILDDIR/tests/h264intra/picgen
export GPUINTRA PICGEN
# shellcheck source=tests/common/effort.sh
. "$TEST_SRCDIR/common/effort.sh"
# shellcheck disable=SC2046
exec bash "$TEST_SRCDIR/../bench/conformance.sh" --quick $(effort "" "" --no-large) --jobs 2 \
	"$TEST_SRCDIR/../media/foreman_cif.mkv"
