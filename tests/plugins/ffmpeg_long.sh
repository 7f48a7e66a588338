#!/bin/bash
# FFmpeg with the encoder libh264intra: plugins/ffmpeg/build.sh builds it from the distribution's
# source, and the streams it writes are compared with those of gpuintra. For `make check-long`;
# skipped where the source cannot be got.
#   FFMPEG_SOURCE   source tree of FFmpeg to use instead
#   FFMPEG_BUILD    its build folder; default: tests/plugins/ffmpeg_build.tmp, used again
#                   by later runs
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
media=$top/media
gpuintra=$TEST_BUILDDIR/gpuintra
build=${FFMPEG_BUILD:-$TEST_BUILDDIR/tests/plugins/ffmpeg_build.tmp}
work=$TEST_BUILDDIR/tests/plugins/ffmpeg_long.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
need pkg-config make ffprobe
[[ ${CFLAGS-} != *-fsanitize=* ]] ||
	skip "FFmpeg's configure does not link a library with a sanitizer"

# h264intra.pc of the build folder, with its static libraries.
mkdir -p "$build/pc" && build=$(cd "$build" && pwd) || exit 1
cat >"$build/pc/h264intra.pc" <<END
Name: h264intra
Description: the encoder in this build folder
Version: 0.2.0
Cflags: -I$(cd "$top" && pwd)/h264intra/include
Libs: -L$TEST_BUILDDIR/h264intra -lh264intra -L$TEST_BUILDDIR/libsched -lsched $(sed -n \
	's|^Libs.private: *||p' "$TEST_BUILDDIR/libsched/libsched.pc") -lpthread -lm
END
options=(--minimal --build "$build" --jobs 2)
[ -z "${FFMPEG_SOURCE-}" ] || options+=(--source "$FFMPEG_SOURCE")
# FFmpeg 6 and later need headers that Debian 12 does not have.
cuda_frames=0 headers=11.1.5
[ -z "${FFMPEG_SOURCE-}" ] || headers=12.1.14
pkg-config --atleast-version=$headers ffnvcodec && cuda_frames=1 &&
	options+=(-- --enable-ffnvcodec --enable-filter=hwupload_cuda)
# FFmpeg's configure would add CFLAGS to its own.
PKG_CONFIG_PATH=$build/pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} CFLAGS='' \
	"$top/plugins/ffmpeg/build.sh" "${options[@]}" >build.out 2>&1
rc=$?
cat build.out
[ $rc -ne 3 ] || skip "FFmpeg's source is not available: $(tail -n 1 build.out)"
check "build.sh ended with $rc" [ $rc -eq 0 ]
[ $rc -eq 0 ] || finish
ffmpeg=$build/source/ffmpeg

# wrapper ARGUMENTS...: the FFmpeg under test.
wrapper() { "$ffmpeg" -nostdin -v warning -y "$@" 2>&1; }

# like_gpuintra NAME CLIP FFMPEG_OPTIONS GPUINTRA_OPTIONS: the streams are the same bytes. The
# options are lists of words.
like_gpuintra() {
	# shellcheck disable=SC2086
	if wrapper -i "$2" $3 -c:v libh264intra ffmpeg.264 &&
		"$gpuintra" -i "$2" $4 --quiet --overwrite -o gpuintra.264 &&
		[ -s gpuintra.264 ] && cmp ffmpeg.264 gpuintra.264; then
		ok
	else
		bad "$1: the stream of ffmpeg $3 is not that of gpuintra $4"
	fi
}

# refused TEXT ARGUMENTS...: ffmpeg fails, is not killed by a signal, and prints TEXT.
refused() {
	local text=$1 rc=0
	shift
	wrapper "$@" >log || rc=$?
	if [ $rc -eq 0 ] || [ $rc -gt 128 ] && [ $rc -lt 160 ]; then
		bad "exit code $rc of ffmpeg $*"
	elif ! grep -qE -- "$text" log; then
		bad "no '$text' from ffmpeg $*: $(tail -n 3 log)"
	else
		ok
	fi
}

# decoded FILE: an MD5 sum for each picture, by the FFmpeg of the system where there is one.
decoded() {
	local program=$ffmpeg
	command -v ffmpeg >/dev/null && program=ffmpeg
	"$program" -nostdin -v error -i "$1" -map 0:v -f framemd5 - | sed -n 's/^0,.*, //p'
}

# --- the same bytes as gpuintra ---------------------------------------------------------------
# clip NAME SOURCE [FILTERS]: five uncompressed pictures. Versions of FFmpeg differ in what they say
# of colours that the input does not state, so the clip states them; and gpuintra signals a fixed
# rate for elementary streams.
colour=setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709
clip() { wrapper -i "$2" -an -frames:v 5 -vf "${3-null},$colour" -c:v rawvideo "$1.mkv"; }
clip foreman "$media/foreman_cif.mkv"
clip bbb "$media/bbb_720p.mp4"
clip face "$media/face_1080x720.mp4"
clip flower "$media/flower_720p.264"
clip street "$media/street_1080p.264"
like_gpuintra "defaults" foreman.mkv '' ''
like_gpuintra "slices" foreman.mkv '-qp 30 -slices 4' '--qp 30 --slices 4'
like_gpuintra "low_delay" foreman.mkv '-threads 1 -flags low_delay' ''
like_gpuintra "the smallest quantiser" face.mkv '-frames:v 3 -qp 0' '--frames 3 --qp 0'
like_gpuintra "-q:v" bbb.mkv '-q:v 40' '--qp 40'
like_gpuintra "deblock, sched, level" flower.mkv \
	'-deblock 0 -sched static -level 5.1 -threads 2' \
	'--deblock off --sched static --level 5.1 --threads 2'
like_gpuintra "sync, one frame in flight" street.mkv \
	'-sched sync -frames_in_flight 1 -backend cpu -qp 51' \
	'--sched sync --frames-in-flight 1 --backend cpu --qp 51'
like_gpuintra "Main" foreman.mkv '-profile:v main' '--profile main'
like_gpuintra "High" foreman.mkv '-profile:v high -slices 2' '--profile high --slices 2'
like_gpuintra "High, CAVLC" foreman.mkv '-profile:v 100 -coder vlc' '--profile high --cabac off'
like_gpuintra "High, 8x8" foreman.mkv '-profile:v high -8x8dct 1 -backend cpu' \
	'--profile high --8x8dct on --backend cpu'
like_gpuintra "coder selects Main" foreman.mkv '-qp 10 -coder cabac' \
	'--qp 10 --profile main --cabac on'
like_gpuintra "8x8dct selects High" foreman.mkv '-8x8dct 1 -coder 0 -backend cpu' \
	'--profile high --8x8dct on --cabac off --backend cpu'
like_gpuintra "preset" foreman.mkv '-preset medium' '--preset medium'
like_gpuintra "tune" foreman.mkv '-preset medium -tune grain -aq-strength 0.8' \
	'--preset medium --tune grain --aq-strength 0.8'
like_gpuintra "scaling matrices, offsets" foreman.mkv \
	'-cqm jvt -chromaoffset -3 -deblock_alpha 2 -deblock_beta -1' \
	'--profile high --cqm jvt --chroma-qp-offset -3 --deblock 2:-1'
like_gpuintra "two chroma offsets select High" foreman.mkv '-chromaoffset 2 -cr_qp_offset -4' \
	'--profile high --chroma-qp-offset 2:-4'
like_gpuintra "4:0:0" foreman.mkv '-gray 1 -pix_fmt gray -vf extractplanes=y -color_range tv' \
	'--profile high --output-csp i400'
like_gpuintra "preset, trellis, rd" foreman.mkv '-preset slow -trellis 0 -rd 1 -profile:v main' \
	'--preset slow --trellis 0 --rd 1 --profile main'
like_gpuintra "crf, aq" foreman.mkv '-crf 22.5 -aq-mode 1 -aq-strength 0.8' \
	'--crf 22.5 --aq-mode 1 --aq-strength 0.8'
like_gpuintra "bit rate and buffer" foreman.mkv \
	'-b:v 3M -maxrate 4M -bufsize 1M -rate_delay 5 -nal-hrd vbr' \
	"--bitrate 3000 --vbv-maxrate 4000 --vbv-bufsize 1000 --rate-delay 5 --nal-hrd vbr \
	--vbv-init 0.75" # FFmpeg's default
like_gpuintra "a quantiser beside a bit rate" foreman.mkv '-qp 25 -b:v 1M' '--qp 25'
like_gpuintra "largest picture" foreman.mkv '-qp 20 -frame_size_max 12288' \
	'--qp 20 --frame-size-max 12K'
like_gpuintra "disable_modes" foreman.mkv '-disable_modes i4:3,i16:plane,chroma:1' \
	'--disable-modes i4:3,i16:plane,chroma:1'
like_gpuintra "all modes of a preset" foreman.mkv '-preset ultrafast -disable_modes none' \
	'--preset ultrafast --disable-modes none'
like_gpuintra "baseline" foreman.mkv '-profile:v baseline -coder cavlc -8x8dct 0' ''
like_gpuintra "sm_limit, stream_priority" foreman.mkv \
	'-sm_limit 8 -stream_priority -5 -gpu_workers 64' ''
like_gpuintra "level as a number" flower.mkv '-frames:v 1 -level 42' '--frames 1 --level 4.2'
# Two passes: the logs are those of gpuintra, and a third pass reads what the second has written.
two_passes() {
	wrapper -i foreman.mkv $1 -c:v libh264intra -pass "$2" -passlogfile two two.264 &&
		"$gpuintra" -i foreman.mkv $3 --quiet -y -o two_want.264 --pass "$2" \
			--pass-log two.log
	# The first pass of gpuintra writes the log alone.
	[ "$2" -ne 1 ] || "$gpuintra" -i foreman.mkv $3 --quiet -y -o two_want.264
	check "-pass $2 $1: the stream is not that of gpuintra $3" cmp two.264 two_want.264
	check "-pass $2 $1: the log is not that of gpuintra $3" cmp two-0.log two.log
}
two_passes '-qp 30' 1 '--qp 30'
two_passes '-b:v 4M' 2 '--bitrate 4000'
two_passes '-b:v 4M -bufsize 1M -preset fast' 2 \
	'--bitrate 4000 --vbv-bufsize 1000 --vbv-init 0.75 --preset fast'
cp two-0.log first.log
two_passes '-b:v 4M -flags low_delay' 3 '--bitrate 4000'
check "-pass 3 leaves the log as it was" sh -c '! cmp -s two-0.log first.log'
two_passes '-b:v 4M' 3 '--bitrate 4000'
# Colour, range, aspect ratio and rate in the VUI.
wrapper -f lavfi -i testsrc2=s=320x180:r=30000/1001 -frames:v 3 \
	-vf "setsar=4/3,format=yuvj420p,${colour/tv/pc}" -c:v libh264intra colour.mp4
ffprobe -v error -show_entries stream=codec_name,profile,width,height,color_range,color_space \
	-show_entries stream=color_transfer,color_primaries,sample_aspect_ratio,r_frame_rate \
	-of default=nw=1 colour.mp4 >probe
for line in codec_name=h264 'profile=Constrained Baseline' width=320 color_range=pc \
	color_space=bt709 color_transfer=bt709 color_primaries=bt709 sample_aspect_ratio=4:3 \
	r_frame_rate=30000/1001; do
	check "ffprobe does not print $line: $(tr '\n' ' ' <probe)" grep -qFx "$line" probe
done
# RGB is converted by the encoder, which says how; FFmpeg reads the colours back.
wrapper -f lavfi -i testsrc2=s=320x180:r=25 -frames:v 3 -pix_fmt rgb24 -c:v libh264intra -qp 12 \
	rgb.mp4
ffprobe -v error -show_entries stream=color_range,color_space,pix_fmt -of default=nw=1 \
	rgb.mp4 >probe
for line in pix_fmt=yuv420p color_range=tv color_space=bt709; do
	check "ffprobe does not print $line: $(tr '\n' ' ' <probe)" grep -qFx "$line" probe
done
if command -v ffmpeg >/dev/null; then
	ffmpeg -nostdin -v info -f lavfi -i testsrc2=s=320x180:r=25 -i rgb.mp4 -lavfi \
		"[0]format=rgb24,format=gbrp,split[a][b];[b]nullsink;
		[1]scale=in_color_matrix=bt709:in_range=tv,format=gbrp[c];[a][c]psnr" \
		-frames:v 3 -f null - >psnr.log 2>&1
	psnr=$(sed -n 's/.*PSNR.* average:\([0-9]*\).*/\1/p' psnr.log)
	# 4:2:0 of saturated edges has 26 dB; read by another matrix or range it is below 22.
	check "RGB has $psnr dB: $(tail -n 1 psnr.log)" [ "${psnr:-0}" -ge 25 ]
fi
# profile NAME OPTIONS...: the MP4 file has this profile.
profile() {
	local want=$1
	shift
	wrapper -i foreman.mkv -frames:v 2 "$@" -c:v libh264intra profile.mp4
	check "$*: not the profile $want" grep -qFx "profile=$want" \
		<(ffprobe -v error -show_entries stream=profile -of default=nw=1 profile.mp4)
	check "$*: two pictures" [ "$(decoded profile.mp4 | wc -l)" -eq 2 ]
}
profile 'Constrained Baseline' -profile:v constrained_baseline
profile Main -profile:v main -coder cavlc
profile High -profile:v high
profile High -8x8dct 1 -backend cpu
like_gpuintra "full range" colour.mp4 '' ''
# Rows stored upwards.
clip flipped "$media/foreman_cif.mkv" vflip
like_gpuintra "rows downwards" flipped.mkv '' ''
wrapper -i foreman.mkv -vf vflip -c:v libh264intra vflip.264
check "vflip" cmp vflip.264 gpuintra.264
foreman=$media/foreman_cif.mkv
# FFmpeg's conversion to NV12 and back does not change samples.
wrapper -i "$foreman" -frames:v 9 -vf format=nv12 -c:v libh264intra nv12.264
wrapper -i "$foreman" -frames:v 9 -vf format=nv12,format=yuv420p -c:v libh264intra i420.264
check "nv12" cmp nv12.264 i420.264

# --- containers -------------------------------------------------------------------------------
wrapper -i "$foreman" -frames:v 12 -slices 2 -c:v libh264intra plain.264
decoded plain.264 >plain.md5
check "12 pictures" [ "$(wc -l <plain.md5)" -eq 12 ]
for type in mp4 mov mkv ts; do
	wrapper -i "$foreman" -frames:v 12 -slices 2 -c:v libh264intra plain.$type
	decoded plain.$type | check "$type: pictures" cmp - plain.md5
	ffprobe -v error -show_entries packet=pts,dts,flags,duration -of csv=p=0 plain.$type |
		sed 's/,$//; /^$/d' >packets
	check "$type: 12 packets" [ "$(wc -l <packets)" -eq 12 ]
	check "$type: key frames with dts = pts and a duration: $(head -n 1 packets)" [ \
		"$(awk -F, '$1 == $2 && $3 > 0 && $4 ~ /^K/' packets | wc -l)" -eq 12 ]
done
# copied FILE: the parameter sets and the packets of a file, without the times.
copied() {
	wrapper -i "$1" -map 0:v -c copy -f framemd5 - |
		sed -n 's/^#extradata.*, *//p; s/^0,.*,\(.*,\)/\1/p'
}
for type in mp4 mkv; do
	wrapper -i street.mkv -slices 2 -c:v libh264intra ffmpeg.$type
	"$gpuintra" -i street.mkv --slices 2 --quiet --overwrite -o gpuintra.$type
	copied gpuintra.$type >packets
	check "$type: five packets and their header" [ "$(wc -l <packets)" -eq 6 ]
	copied ffmpeg.$type | check "$type: the packets of gpuintra" cmp - packets
done
wrapper -i "$foreman" -frames:v 12 -slices 2 -c:v libh264intra -f mp4 \
	-movflags frag_keyframe+empty_moov pipe:1 >fragments.mp4
decoded fragments.mp4 | check "fragments" cmp - plain.md5

# --- number of frames -------------------------------------------------------------------------
wrapper -i "$foreman" -frames:v 1 -c:v libh264intra one.mp4
check "-frames:v 1" [ "$(decoded one.mp4 | wc -l)" -eq 1 ]
"$ffmpeg" -nostdin -v error -y -i "$foreman" -vf trim=end_frame=0 -c:v libh264intra none.264 \
	>log 2>&1
check "no frame: exit code $?: $(cat log)" [ $? -lt 128 ]
check "no frame: no bytes" [ ! -s none.264 ]
wrapper -i "$foreman" -c:v libh264intra -qp 40 all.mkv
check "all frames" [ "$(decoded all.mkv | wc -l)" -eq "$(decoded "$foreman" | wc -l)" ]

# --- CUDA frames ------------------------------------------------------------------------------
cuda_usable=0
"$gpuintra" -i "$foreman" --frames 1 --backend cuda --quiet --overwrite -o cuda.264 2>log &&
	cuda_usable=1
"$gpuintra" -i foreman.mkv --backend cpu --quiet --overwrite -o gpuintra.264
# upload CONTEXT FORMAT OPTIONS...: encodes frames on the device, in FFmpeg's context (0) or in the
# device's primary context (1).
upload() {
	local context=$1 format=$2
	shift 2
	wrapper -init_hw_device cuda=gpu:0,primary_ctx="$context" -filter_hw_device gpu \
		-i foreman.mkv -vf format="$format",hwupload_cuda -c:v libh264intra "$@" cuda.264
}
if [ $cuda_frames -eq 0 ]; then
	without "CUDA frames: pkg-config does not find ffnvcodec $headers or later"
elif [ $cuda_usable -eq 0 ]; then
	without "CUDA frames: $(tail -n 1 log)"
else
	for context in 0 1; do
		for format in yuv420p nv12; do
			upload $context $format
			check "CUDA frames, $format, primary_ctx=$context" cmp cuda.264 gpuintra.264
		done
	done
	check "CUDA frames, one in flight" upload 0 nv12 -flags low_delay
	check "the same bytes" cmp cuda.264 gpuintra.264
	upload 0 nv12 -backend cpu >log
	check "backend=cpu reads no CUDA frames" grep -q 'backend=cpu cannot read' log
fi

# --- SEI and delimiters -----------------------------------------------------------------------
# FFmpeg's bit stream filter writes a UUID and a text into a stream.
uuid=086f3693-b7b3-4f2c-9653-21492feee5b8
wrapper -i plain.264 -c copy \
	-bsf:v "h264_metadata=sei_user_data=$uuid+gputasks_text" sei.264
wrapper -i sei.264 -c:v libh264intra -udu_sei 1 sei_on.264
wrapper -i sei.264 -c:v libh264intra sei_off.264
check "-udu_sei 1" grep -qa gputasks_text sei_on.264
check "-udu_sei 0" sh -c '! grep -qa gputasks_text sei_off.264'
wrapper -i "$foreman" -frames:v 2 -c:v libh264intra -aud 1 aud.264
check "-aud 1" [ "$(head -c 5 aud.264 | od -An -tx1 | tr -d ' \n')" = 0000000109 ]
"$gpuintra" -i aud.264 --quiet --overwrite -o aud_read.264
check "pictures behind delimiters" [ "$(decoded aud.264 | wc -l)" -eq 2 ]

# Odd sizes are padded, as by gpuintra; gray input is 4:2:0.
for size in 351x288 352x287; do
	wrapper -i "$foreman" -frames:v 2 -vf "scale=${size/x/:},format=yuv420p" -c:v libh264intra \
		odd.264
	check "$size is $(ffprobe -v error -show_entries stream=width,height -of csv=p=0 odd.264)" \
		[ "$(ffprobe -v error -show_entries stream=width,height -of csv=p=0 odd.264)" = \
		352,288 ]
done
wrapper -i "$foreman" -frames:v 2 -pix_fmt gray -c:v libh264intra gray.264
check "gray.264 is $(ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 gray.264)" \
	[ "$(ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 gray.264)" != gray ]

# --- errors -----------------------------------------------------------------------------------
out=(-frames:v 2 -c:v libh264intra error.264)
refused '14x14|at least 16' -i "$foreman" -vf scale=14:14 "${out[@]}"
refused '[Vv]alue 60.* out of range' -i "$foreman" -qp 60 "${out[@]}"
refused 'slices' -i "$foreman" -slices 19 "${out[@]}"
refused 'level' -i "$foreman" -level 14 "${out[@]}"
refused 'coder on needs -profile main or high' -i "$foreman" -profile:v baseline \
	-coder cabac "${out[@]}"
refused '8x8dct on needs -profile high' -i "$foreman" -profile:v main -8x8dct 1 "${out[@]}"
refused 'profile 110 is not supported' -i "$foreman" -profile:v 110 "${out[@]}"
refused "Unable to parse|Undefined constant" -i "$foreman" -profile:v high10 "${out[@]}"
refused "preset: 'placebo' is not one of none, ultrafast" -i "$foreman" -preset placebo "${out[@]}"
refused "disable_modes: 'i4:2' is not" -i "$foreman" -disable_modes i4:1,i4:2 "${out[@]}"
refused 'out of range' -i "$foreman" -sm_limit -1 "${out[@]}"
refused 'out of range' -i "$foreman" -stream_priority 1 "${out[@]}"
refused "Unable to parse|Undefined constant" -i "$foreman" -sched fast "${out[@]}"
refused 'out of range' -i "$foreman" -frames_in_flight 1025 "${out[@]}"
refused 'out of range' -i "$foreman" -frames_in_flight -1 "${out[@]}"
refused 'bufsize needs -b:v, or -crf with -maxrate' -i "$foreman" -bufsize 1M "${out[@]}"
refused "crf: '-0.500000' is not 0..51" -i "$foreman" -crf -0.5 "${out[@]}"
refused "aq-strength: '-0.100000' is not 0..3 or auto" -i "$foreman" -aq-mode 1 \
	-aq-strength -0.1 "${out[@]}"
refused "level: 'number 4' is not one of auto, 1" -i "$foreman" -level 4.5 "${out[@]}"
refused 'above 4 Gbit/s' -i "$foreman" -b:v 5G "${out[@]}"
pass=(-pass 2 -passlogfile two)
refused 'pass 2 needs -b:v' -i foreman.mkv "${pass[@]}" "${out[@]}"
refused 'pass 2 needs -b:v' -i foreman.mkv "${pass[@]}" -b:v 1M -crf 20 "${out[@]}"
refused 'more pictures than in the log' -i "$foreman" "${pass[@]}" -b:v 1M -frames:v 9 \
	-c:v libh264intra error.264
refused "not with 'gpuintra pass 1, 320x" -i "$foreman" -vf scale=320:240 "${pass[@]}" -b:v 1M \
	"${out[@]}"
head -n 3 first.log >two-0.log
refused 'line 4 is wrong or missing' -i foreman.mkv "${pass[@]}" -b:v 1M "${out[@]}"
wrapper -i "$foreman" -g 250 "${out[@]}" >log
check "-g is ignored with a warning" grep -q 'every picture is a key frame' log
wrapper -i "$foreman" -b:v 1M -maxrate 2M "${out[@]}" >log
check "-maxrate alone gives a warning" grep -q 'no effect without -bufsize' log
wrapper -i "$foreman" -backend cpu -device 0 -gpu_workers 8 -sm_limit 16 -stream_priority -1 \
	"${out[@]}" >log
for option in device gpu_workers sm_limit stream_priority; do
	check "-$option without a GPU gives a warning" \
		grep -q -e "-$option has no effect with -backend cpu" log
done
[ $cuda_usable -eq 1 ] || refused 'CUDA|cuda' -i "$foreman" -backend cuda "${out[@]}"
# FFmpeg scales frames that change their size (ffmpeg_calls.c: without that).
wrapper -f lavfi -i testsrc2=s=320x192 -frames:v 2 -c:v libh264intra large.264
cat plain.264 large.264 >change.264
wrapper -i change.264 -c:v libh264intra scaled.264 >/dev/null
check "frames that change their size are scaled" [ "$(decoded scaled.264 | wc -l)" -eq 14 ]

# --- calls --------------------------------------------------------------------------------------
source=$build/source
libraries=$(sed -n 's/^EXTRALIBS-\(avcodec\|swresample\|avutil\)=//p' "$source/ffbuild/config.mak")
# shellcheck disable=SC2086
check "ffmpeg_calls.c compiles" ${CC:-cc} -g -I"$source" -o calls \
	"$TEST_SRCDIR/plugins/ffmpeg_calls.c" "$source/libavcodec/libavcodec.a" \
	"$source/libswresample/libswresample.a" "$source/libavutil/libavutil.a" $libraries
check "ffmpeg_calls" ./calls

# --- build.sh and patch.sh ----------------------------------------------------------------------
mkdir -p none/libavcodec other
sh "$top/plugins/ffmpeg/patch.sh" none >log 2>&1
check "patch.sh without a source tree" [ $? -eq 1 ]
for file in configure libavcodec/Makefile libavcodec/allcodecs.c libavcodec/codec_internal.h; do
	echo "unlike FFmpeg" >"none/$file"
done
cp -R none/. other
sh "$top/plugins/ffmpeg/patch.sh" none >log 2>&1
check "patch.sh on an unknown version" [ $? -eq 1 ]
check "patch.sh names the line: $(cat log)" grep -q 'not supported, nothing was changed' log
check "patch.sh changes nothing then" diff -r none other
"$top/plugins/ffmpeg/build.sh" --help >log
check "build.sh --help" grep -q -- --minimal log
"$top/plugins/ffmpeg/build.sh" --jobs x >log 2>&1
check "build.sh --jobs x" [ $? -eq 2 ]
finish
