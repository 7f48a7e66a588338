#!/bin/bash
# Builds FFmpeg with the encoder libh264intra and tests it.
#
#   build.sh [OPTIONS] [-- CONFIGURE_OPTIONS]
#
#   --source DIR     use FFmpeg's source tree DIR (a copy is changed); default: the source package
#                    of this distribution, by apt-get and a deb-src list in the build folder
#   --build DIR      build in DIR, which is kept for the next run; default: ffmpeg-build
#   --prefix DIR     install there after the test; default: no installation
#   --shared         build shared libraries, as PyAV and torchcodec need them
#   --minimal        build the encoder, three decoders (H.264, FFV1, raw video), mp4, mov, mkv, ts
#                    and raw files, few filters: 70 s on 2 cores, 4 MB
#   --jobs N         run N jobs of make at the same time; default: number of processors
#
# pkg-config finds libh264intra; set PKG_CONFIG_PATH if it is not installed in a standard folder.
# The configuration is LGPL: neither --enable-gpl nor --enable-nonfree. CONFIGURE_OPTIONS are
# FFmpeg's.
# Exit code: 0 done, 1 failed, 2 usage, 3 the source package cannot be got here.
set -u
# Variables of a make that calls this script are not FFmpeg's.
unset CDPATH MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd) || exit 1
source='' build=ffmpeg-build prefix='' shared=0 minimal=0 jobs=$(nproc 2>/dev/null || echo 1)

fail() {
	local code=$1
	shift
	echo "build.sh: error: $*" >&2
	exit "$code"
}
while [ $# -gt 0 ]; do
	case $1 in
	--source | --build | --prefix | --jobs)
		[ $# -ge 2 ] || fail 2 "$1 needs a value"
		printf -v "${1#--}" '%s' "$2"
		shift
		;;
	--shared) shared=1 ;;
	--minimal) minimal=1 ;;
	--help)
		sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
		exit 0
		;;
	--)
		shift
		break
		;;
	*) fail 2 "unknown option \"$1\"; see build.sh --help" ;;
	esac
	shift
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail 2 "--jobs: \"$jobs\" is no number from 1"
command -v pkg-config >/dev/null || fail 1 "pkg-config is missing; install it"
pkg-config --exists h264intra || fail 1 "pkg-config does not find h264intra; install" \
	"libh264intra (make install) or set PKG_CONFIG_PATH to the folder of h264intra.pc"
mkdir -p "$build" && build=$(cd -- "$build" && pwd) || exit 1
[ -z "$prefix" ] || { mkdir -p "$prefix" && prefix=$(cd -- "$prefix" && pwd); } || exit 1

# source_list FILE: writes deb-src lines for the package lists of this distribution.
source_list() {
	local uri release component origin id='' key=''
	# shellcheck source=/dev/null
	id=$(. /etc/os-release 2>/dev/null && echo "$ID")
	[ -f "/usr/share/keyrings/$id-archive-keyring.gpg" ] &&
		key="[signed-by=/usr/share/keyrings/$id-archive-keyring.gpg] "
	# shellcheck disable=SC2016
	apt-get indextargets 'Created-By: Packages' \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' |
		while read -r uri release component origin; do
			[ "${origin,,}" = "$id" ] &&
				echo "deb-src $key$uri $release $component"
		done | sort -u >"$1"
	[ -s "$1" ]
}

# get_source: unpacks the distribution's source package in $build/apt; prints the folder.
get_source() {
	local apt=$build/apt tool options
	for tool in apt-get dpkg-source; do
		command -v $tool >/dev/null || fail 3 "$tool is missing (Debian: apt, dpkg-dev);" \
			"give a source tree of FFmpeg by --source"
	done
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	source_list "$apt/sources.list" || fail 3 "apt-get lists no package sources of this" \
		"distribution; run apt-get update, or give a source tree of FFmpeg by --source"
	options=(-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=-
		-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache"
		-o APT::Sandbox::User= -o Acquire::Retries=1)
	cd "$apt" || exit 1
	{ apt-get "${options[@]}" update && rm -rf ffmpeg-* &&
		apt-get "${options[@]}" source ffmpeg; } >"$build/apt.log" 2>&1 || {
		tail -n 5 "$build/apt.log" >&2
		fail 3 "apt-get source ffmpeg failed; give a source tree of FFmpeg by --source"
	}
	for tool in "$apt"/ffmpeg-*/; do echo "${tool%/}"; done
}

# copy_source FROM: copies a source tree to $build/source, so that the user's remains as it is. The
# copy of an earlier run is used again: make then compiles what has changed.
copy_source() {
	local key
	[ -f "$1/libavcodec/allcodecs.c" ] || fail 1 "$1 is no source tree of FFmpeg"
	key="$1 $(cat "$1/RELEASE") $(head -n 1 "$1/debian/changelog" 2>/dev/null)"
	if [ ! -f "$build/copied" ] || [ "$(cat "$build/copied")" != "$key" ]; then
		rm -rf "$build/source" "$build/configured" "$build/copied"
		cp -Rp "$1" "$build/source" && echo "$key" >"$build/copied" || exit 1
	fi
	"$here/patch.sh" "$build/source" || exit 1
}

options=(--disable-doc --enable-libh264intra)
[ -z "$prefix" ] || options+=("--prefix=$prefix")
[ $shared -eq 0 ] || options+=(--enable-shared --disable-static)
# A static libh264intra needs the libraries of Libs.private and Requires.private.
[ -f "$(pkg-config --variable=libdir h264intra)/libh264intra.so" ] ||
	options+=(--pkg-config-flags=--static)
[ $minimal -eq 0 ] || options+=(--disable-everything --disable-autodetect --disable-network
	--enable-encoder=libh264intra,rawvideo,wrapped_avframe
	--enable-decoder=ffv1,h264,rawvideo,wrapped_avframe --enable-parser=h264
	--enable-demuxer=h264,matroska,mov,mpegts,rawvideo,yuv4mpegpipe
	--enable-muxer=framemd5,h264,matroska,mov,mp4,mpegts,null,rawvideo
	--enable-protocol=file,pipe --enable-indev=lavfi --enable-bsf=h264_metadata,h264_mp4toannexb
	--enable-filter=crop,extractplanes,format,null,scale,setparams,setsar,testsrc2,trim,vflip)
# Without an assembler the small build is slower; configure refuses any other.
[ $minimal -eq 0 ] || command -v nasm >/dev/null || command -v yasm >/dev/null ||
	options+=(--disable-x86asm)
options+=("$@")

# Configures when the options or the source changed since the last run.
configure() {
	local key
	key=$(printf '%s\n' "${PKG_CONFIG_PATH-}" "${options[@]}")
	[ -f "$build/configured" ] && [ "$(cat "$build/configured")" = "$key" ] && return
	rm -f "$build/configured"
	cd "$build/source" || exit 1
	./configure "${options[@]}" >"$build/configure.log" 2>&1 || {
		tail -n 12 "$build/configure.log" >&2
		fail 1 "FFmpeg's configure failed: $build/configure.log, ffbuild/config.log"
	}
	printf '%s\n' "$key" >"$build/configured"
}

compile() {
	cd "$build/source" || exit 1
	rm -f ffmpeg_g # make does not compare it with libh264intra.a
	nice make -j"$jobs" ffmpeg >"$build/make.log" 2>&1 || {
		grep -E 'error|undefined' "$build/make.log" | head -n 20 >&2
		fail 1 "make failed: $build/make.log"
	}
}

# smoke_test: ten frames to MP4 and back.
smoke_test() {
	local lib log=$build/test.log out=$build/test.mp4 frames
	for lib in libav* libsw* libpost*; do
		[ -d "$lib" ] && LD_LIBRARY_PATH=$PWD/$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	done
	export LD_LIBRARY_PATH
	./ffmpeg -nostdin -v warning -y -f lavfi -i testsrc2=s=320x240 -frames:v 10 \
		-pix_fmt yuv420p -c:v libh264intra -qp 24 "$out" >"$log" 2>&1 || {
		cat "$log" >&2
		fail 1 "the FFmpeg in $build/source cannot encode"
	}
	frames=$(./ffmpeg -nostdin -v error -i "$out" -map 0:v -f framemd5 - 2>>"$log" |
		grep -c '^0,')
	[ "$frames" -eq 10 ] || fail 1 "$frames frames instead of 10 in $out; see $log"
}

[ -n "$source" ] || source=$(get_source) || exit
copy_source "$source"
configure
compile
smoke_test
if [ -n "$prefix" ]; then
	nice make install >"$build/install.log" 2>&1 ||
		fail 1 "make install failed: $build/install.log"
fi
echo "FFmpeg $(cat "$build/source/RELEASE") with libh264intra:" \
	"${prefix:+$prefix/bin/ffmpeg, }$build/source/ffmpeg"
