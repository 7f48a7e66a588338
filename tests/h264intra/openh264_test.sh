#!/bin/sh
# libopenh264 decodes what gpuintra writes to exactly the --recon file: artificial pictures from
# 16x16, with cropping, PCM macroblocks and a slice a macroblock row, and the clips of media/, at
# the automatic level. TEST_FULL=1: 1080p and 4K at more numbers of slices and QPs; under a
# sanitizer: small pictures. FFMPEG=PATH selects another ffmpeg program, which converts the clips.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
OPENH264=$TEST_BUILDDIR/tests/h264intra/openh264_decode
if [ ! -x "$OPENH264" ]; then
	echo "SKIP: configured without libopenh264 (Debian: libopenh264-dev)"
	exit 77
fi
if ! command -v "${FFMPEG:-ffmpeg}" >/dev/null; then
	echo "SKIP: no ffmpeg program"
	exit 77
fi
GPUINTRA=$TEST_BUILDDIR/gpuintra PICGEN=$TEST_BUILDDIR/tests/h264intra/picgen
export GPUINTRA PICGEN OPENH264
# shellcheck source=tests/common/effort.sh
. "$TEST_SRCDIR/common/effort.sh"
conformance=$TEST_SRCDIR/../bench/conformance.sh
media=$TEST_SRCDIR/../media
check() { bash "$conformance" --decoder openh264 --schemes dynamic --jobs 2 "$@" || exit 1; }

qp=$(effort "0 10 27 51" "0 27" "0 27")
check --artificial "noise:16x16 extreme:18x18 flat4:18x18 noise:176x144 dots:174x142 black:176x144
	extreme:176x144" --slices "1 2 9" --qp "$qp"
for profile in main high; do
	check --artificial "noise:16x16 flat4:18x18 dots:174x142 noise:176x144" --slices "1 9" \
		--qp "$qp" --options "--profile $profile" --frames 2 "$media/foreman_cif.mkv"
done
check --artificial "dots:174x142 noise:176x144" --slices "1 9" --qp "14 27 51" \
	--options "--profile high --chroma-qp-offset 9:-12" --frames 2 "$media/foreman_cif.mkv"
check --artificial "" --slices "1 8" --qp "10 27 45" --frames "$(effort 2 2 1)" \
	"$media/foreman_cif.mkv"
case $(effort full normal sanitized) in
sanitized) exit 0 ;;
normal)
	check --artificial "noise:1920x1080" --slices 8 --qp 0
	check --artificial "ramp:3840x2160" --slices 68 --qp 37
	;;
full) check --artificial "noise:1920x1080 ramp:3840x2160" --slices "8 68" --qp "0 37" ;;
esac
check --artificial "ramp:638x358 flat16:1080x720" --slices "1 9 45" --qp "0 27 51"
check --artificial "" --slices "1 8" --qp "$(effort "10 27 45" 27 27)" --frames 2 \
	"$media/face_1080x720.mp4"
check --artificial "" --slices 4 --qp "12 27" --frames 1 "$media/bbb_720p.mp4" \
	"$media/flower_720p.264" "$media/street_1080p.264"
