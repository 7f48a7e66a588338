#!/bin/sh
# libopenh264 decodes what gpuintra writes to exactly the --recon file: artificial pictures from
# 16x16, with cropping, PCM macroblocks and a slice a macroblock row, and the clips of media/, at
# the automatic level. FFMPEG=PATH selects another ffmpeg program, which converts the clips.
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
conformance=$TEST_SRCDIR/../bench/conformance.sh
check() { bash "$conformance" --decoder openh264 --schemes dynamic --jobs 2 "$@" || exit 1; }

check --artificial "noise:16x16 extreme:18x18 flat4:18x18 noise:176x144 dots:174x142 black:176x144
	extreme:176x144 ramp:638x358 flat16:1080x720" --slices "1 2 9 45" --qp "0 10 27 51"
check --artificial "noise:1920x1080 ramp:3840x2160" --slices "8 68" --qp "0 37"
check --artificial "" --slices "1 8" --qp "10 27 45" --frames 2 \
	"$TEST_SRCDIR/../media/foreman_cif.mkv" \
	"$TEST_SRCDIR/../media/face_1080x720.mp4"
check --artificial "" --slices 4 --qp "12 27" --frames 1 "$TEST_SRCDIR/../media/bbb_720p.mp4" \
	"$TEST_SRCDIR/../media/flower_720p.264" "$TEST_SRCDIR/../media/street_1080p.264"
