#!/bin/sh
# FFmpeg decodes what gpuintra writes to exactly the --recon file: some streams with CABAC, and the
# short set of bench/conformance.sh, under a sanitizer without its large pictures. FFMPEG=PATH
# selects another ffmpeg program. With the argument `long`: artificial pictures up to 4K and all
# clips of media/, at QPs from 0 to 51, 1 to 8 slices, all schemes. bench/conformance.sh without
# options goes further still.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
if ! command -v "${FFMPEG:-ffmpeg}" >/dev/null; then
	echo "SKIP: no ffmpeg program"
	exit 77
fi
GPUINTRA=$TEST_BUILDDIR/gpuintra PICGEN=$TEST_BUILDDIR/tests/h264intra/picgen
export GPUINTRA PICGEN
# shellcheck source=tests/common/effort.sh
. "$TEST_SRCDIR/common/effort.sh"
conformance=$TEST_SRCDIR/../bench/conformance.sh clip=$TEST_SRCDIR/../media/foreman_cif.mkv
[ "${1-}" != long ] || exec bash "$conformance" --frames 2 --qp "0 22 37 51" --slices "1 4 8" \
	--jobs 2 "$TEST_SRCDIR"/../media/*_*
qp=$(effort "0 10 22 51" "0 22" "0 22") schemes=$(effort "dynamic static sync" dynamic dynamic)
for options in "--profile main" "--profile high" "--preset medium" \
	"--preset veryslow --cabac off"; do
	bash "$conformance" --artificial "noise:16x16 extreme:18x18 dots:176x144 noise:176x144" \
		--slices "1 9" --qp "$qp" --schemes "$schemes" --frames 2 --jobs 2 \
		--options "$options" "$clip" || exit 1
done
# shellcheck disable=SC2046
exec bash "$conformance" --quick $(effort "" "" --no-large) --jobs 2 "$clip"
