#!/bin/sh
# Adds the encoder libh264intra to a source tree of FFmpeg, 5.1 to 9.0.
#
#   patch.sh FOLDER      FOLDER: FFmpeg's source tree
#
# Copies libh264intra.c and its headers to libavcodec, adds lines to configure and to the Makefile
# and the list of codecs of libavcodec. Every line is added after a line that has to occur exactly
# once; otherwise no file is changed. A tree that has the lines gets new copies of the files only.
# Exit code: 0 done, 1 failed, 2 usage.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
tree=${1-}
usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; }
if [ "$tree" = --help ]; then
	usage
	exit 0
elif [ $# -ne 1 ]; then
	usage >&2
	exit 2
fi
fail() {
	echo "patch.sh: error: $*" >&2
	exit 1
}
for file in configure libavcodec/Makefile libavcodec/allcodecs.c libavcodec/codec_internal.h; do
	[ -f "$tree/$file" ] || fail "$tree/$file does not exist; $tree is no source tree of" \
		"FFmpeg 5.1 or later"
done

new=$(mktemp -d) || exit 1
trap 'rm -rf "$new"' EXIT

# add FILE ANCHOR TEXT: adds TEXT to the copy of FILE, after the only line that begins with ANCHOR.
add() {
	part=$new/$(basename "$1")
	[ -f "$part" ] || cp "$tree/$1" "$part" || exit 1
	count=$(awk -v anchor="$2" 'index($0, anchor) == 1 { n++ } END { print n + 0 }' "$part")
	[ "$count" -eq 1 ] || fail "$tree/$1 has $count lines that begin with \"$2\" instead of" \
		"one; this version of FFmpeg is not supported, nothing was changed"
	awk -v anchor="$2" -v text="$3" '{ print } index($0, anchor) == 1 { print text }' \
		"$part" >"$part.new" && mv "$part.new" "$part" || exit 1
}

has=0
for file in configure libavcodec/Makefile libavcodec/allcodecs.c; do
	grep -q libh264intra "$tree/$file" && has=$((has + 1))
done
case $has in
0)
	add configure '  --enable-libgsm ' \
		'  --enable-libh264intra    enable H.264 all-intra encoding via libh264intra [no]'
	add configure '    libgsm' '    libh264intra'
	add configure 'libgsm_ms_encoder_deps=' 'libh264intra_encoder_deps="libh264intra"
libh264intra_encoder_select="atsc_a53"'
	require='enabled libh264intra      && require_pkg_config libh264intra'
	add configure 'enabled libfribidi ' \
		"$require \"h264intra >= 0.2\" h264intra/h264intra.h h264i_pass_read"
	add libavcodec/Makefile 'OBJS-$(CONFIG_LIBGSM_MS_ENCODER) ' \
		'OBJS-$(CONFIG_LIBH264INTRA_ENCODER)       += libh264intra.o'
	# The first H.264 encoder of the list is FFmpeg's default; an encoder of key frames alone
	# comes after libx264, libopenh264 and the hardware encoders.
	add libavcodec/allcodecs.c 'extern const FFCodec ff_h264_videotoolbox_encoder;' \
		'extern const FFCodec ff_libh264intra_encoder;'
	;;
3) ;;
*) fail "$tree has some of the lines of libh264intra; unpack the source again" ;;
esac
cp "$here"/libh264intra*.[ch] "$tree/libavcodec/" || exit 1
[ $has -eq 3 ] && exit 0
# cat keeps the mode of configure.
cat "$new/configure" >"$tree/configure" && cat "$new/Makefile" >"$tree/libavcodec/Makefile" &&
	cat "$new/allcodecs.c" >"$tree/libavcodec/allcodecs.c"
