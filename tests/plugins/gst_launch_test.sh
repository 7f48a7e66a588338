#!/usr/bin/env bash
# gpuintrah264enc in pipelines of gst-launch-1.0: its byte stream against gpuintra's, its files and
# what a peer receives by HLS, RTP and SRT against FFmpeg, and the pipelines of README.md and
# docs/gstreamer.md.
set -u
work=${TEST_BUILDDIR:?}/tests/plugins/gst_launch_test.tmp
# shellcheck source=tests/common/shell.sh
. "${TEST_SRCDIR:?}/common/shell.sh"
[[ ${CFLAGS-} != *-fsanitize=* ]] || skip "gst-launch-1.0 is not built with sanitizers"
need gst-launch-1.0 gst-inspect-1.0 ffmpeg ffprobe
export GST_PLUGIN_PATH=$TEST_BUILDDIR/plugins/gstreamer
export GST_REGISTRY=$work/registry GST_REGISTRY_FORK=no G_DEBUG=fatal-criticals
gpuintra=$TEST_BUILDDIR/gpuintra
docs=("$TEST_SRCDIR/../README.md" "$TEST_SRCDIR/../docs/gstreamer.md")

has() { gst-inspect-1.0 --exists "$1" >/dev/null 2>&1; }
# gst-launch-1.0 of 1.22 may not end after an error.
launch() { timeout 60 gst-launch-1.0 -q "$@" >launch.log 2>&1 </dev/null; }

check "gst-inspect-1.0 --exists does not accept the plugin's version" has gpuintrah264enc

# The documents list the element's properties.
gst-inspect-1.0 gpuintrah264enc >inspect 2>/dev/null
properties=$(sed -n 's/^  \([a-z][a-z-]*\)  *: .*/\1/p' inspect |
	grep -vxE 'name|parent|qos|min-force-key-unit-interval')
check "gst-inspect-1.0 lists no property qp" grep -qx qp <<<"$properties"
for property in $properties; do
	check "docs/gstreamer.md and options.md lack $property" grep -qE "^\| \`$property\` \|" \
		"$TEST_SRCDIR/../docs/gstreamer.md" "$TEST_SRCDIR/../docs/options.md"
done

# The same frames, with the same description, as a file of FFmpeg and as raw video.
frames=12
ffmpeg -v error -f lavfi -i "testsrc2=s=328x182:r=25" -frames:v $frames -pix_fmt yuv420p \
	-vf setsar=4/3 -f rawvideo in.yuv || exit 1
ffmpeg -v error -f rawvideo -s 328x182 -r 25 -pix_fmt yuv420p -i in.yuv -vf setsar=4/3 -c:v ffv1 \
	-color_range tv -color_primaries bt709 -color_trc bt709 -colorspace bt709 \
	-chroma_sample_location left in.mkv || exit 1
caps='video/x-raw,colorimetry=bt709,chroma-site=mpeg2,pixel-aspect-ratio=4/3'
source=(filesrc location=in.yuv ! rawvideoparse width=328 height=182 format=i420 framerate=25/1 !
	capssetter "caps=$caps")

# same WHAT OPTIONS PROPERTIES FORMAT: the streams are equal. OPTIONS and PROPERTIES are words.
same() {
	local options=$2 properties=$3 format=$4
	# shellcheck disable=SC2086
	"$gpuintra" --backend cpu -i in.mkv -o want.264 -y --quiet $options || bad "gpuintra"
	# shellcheck disable=SC2086
	launch "${source[@]}" ! videoconvert ! "video/x-raw,format=$format" ! \
		gpuintrah264enc backend=cpu aud=false $properties ! filesink location=got.264 ||
		bad "pipeline: $(tail -n 3 launch.log)"
	check "$1: the bytes differ from gpuintra's" cmp -s want.264 got.264
}
if has rawvideoparse && has capssetter && [ -x "$gpuintra" ]; then
	same "defaults, I420" "" "" I420
	same "defaults, NV12" "" "" NV12
	same "options" "--qp 20 --slices 3 --deblock off --sched static" \
		"qp=20 slices=3 deblock=false sched=static frames-in-flight=1" NV12
	# same_high OPTIONS PROPERTIES: as same, in the profile High.
	same_high() {
		# shellcheck disable=SC2086
		"$gpuintra" --backend cpu -i in.mkv -o want.264 -y --quiet --profile high $1 ||
			bad "gpuintra"
		# shellcheck disable=SC2086
		launch "${source[@]}" ! gpuintrah264enc backend=cpu aud=false $2 ! \
			video/x-h264,profile=high ! filesink location=got.264 ||
			bad "pipeline: $(tail -n 3 launch.log)"
		check "High, $2: the bytes differ from gpuintra's" cmp -s want.264 got.264
	}
	same_high "" ""
	same_high "--cabac off --8x8dct on" "cabac=false dct8x8=true"
	same_high "--preset slow --trellis 0" "preset=slow trellis=0"
	same_high "--preset medium --tune ssim" "preset=medium tune=ssim"
	same_high "--chroma-qp-offset 3:-5" "chroma-qp-offset=3 cr-qp-offset=-5"
	same_high "--cqm jvt --chroma-qp-offset -4 --deblock 2:-3 --preset medium" \
		"cqm=jvt chroma-qp-offset=-4 deblock-alpha=2 deblock-beta=-3 preset=medium"
	# GRAY8 is 4:2:0 with neutral chroma, and 4:0:0 on request, as with gpuintra.
	ffmpeg -v error -i in.mkv -vf extractplanes=y -f rawvideo -y in.y </dev/null
	"$gpuintra" --backend cpu -i in.mkv -o want.264 -y --quiet --preset fast --output-csp i400
	launch filesrc location=in.y ! rawvideoparse width=328 height=182 format=gray8 \
		framerate=25/1 ! capssetter "caps=$caps" ! gpuintrah264enc backend=cpu aud=false \
		preset=fast gray=true ! filesink location=got.264 ||
		bad "GRAY8: $(tail -n 3 launch.log)"
	check "GRAY8: the bytes differ from gpuintra's" cmp -s want.264 got.264
	launch "${source[@]}" ! gpuintrah264enc backend=cpu ! video/x-h264,profile=baseline ! \
		filesink location=got.264 || bad "baseline: $(tail -n 3 launch.log)"
	printf 'INTRA4X4_LUMA = %s\n' "$(seq -s , 4 19)" >matrices.cfg
	same_high "--cqm matrices.cfg --tune film" "cqm=matrices.cfg tune=film"
	same_high "--crf 22.5 --aq-mode 1 --aq-strength 0.7" \
		"crf=22.5 aq-mode=1 aq-strength=0.7"
	# A value that is also the default takes precedence over the tune's.
	same_high "--tune animation --aq-strength 1" "tune=animation aq-strength=1"
	same_high "--tune ssim --aq-mode 0" "tune=ssim aq-mode=0"
	same_high "--bitrate 800 --vbv-maxrate 900 --vbv-bufsize 300 --frame-size-max 9000" \
		"bitrate=800 vbv-maxrate=900 vbv-bufsize=300 frame-size-max=9000"
	same_high "--bitrate 800 --vbv-bufsize 300 --vbv-init 0.4 --nal-hrd vbr" \
		"bitrate=800 vbv-bufsize=300 vbv-init=0.4 nal-hrd=1"
	# Passes write and read the same log as gpuintra's, whose file is that of both.
	both() {
		cp want.log got.log 2>/dev/null
		same_high "$1 -y --pass-log want.log" "$2 pass-log=got.log"
		check "pass-log of $2 is not that of gpuintra" cmp want.log got.log
	}
	# The first pass of gpuintra writes the log alone.
	"$gpuintra" --backend cpu -i in.mkv --quiet --profile high --qp 30 --pass 1 \
		--pass-log want.log || bad "gpuintra --pass 1"
	same_high "--qp 30" "qp=30 pass=1 pass-log=got.log"
	check "pass-log of pass=1 is not that of gpuintra" cmp want.log got.log
	both "--bitrate 700 --pass 2" "bitrate=700 pass=2"
	both "--bitrate 700 --vbv-bufsize 200 --pass 2" "bitrate=700 vbv-bufsize=200 pass=2"
	cp want.log first.log
	both "--bitrate 700 --pass 3" "bitrate=700 pass=3 frames-in-flight=1"
	check "pass=3 leaves its log as it was" sh -c '! cmp -s first.log got.log'
	# A link stays one, and a pipe gets the log.
	mkfifo pipe.log
	ln -s linked.log link.log
	cat pipe.log >piped.log &
	for log in link.log pipe.log; do
		check "pass-log=$log fails" launch videotestsrc num-buffers=3 ! \
			video/x-raw,width=64,height=48,framerate=10/1 ! \
			gpuintrah264enc backend=cpu qp=30 pass=1 pass-log=$log ! fakesink
	done
	wait $!
	check "pass-log replaces a pipe or a link" sh -c '[ -p pipe.log ] && [ -L link.log ]'
	check "a log through a pipe is another one" cmp linked.log piped.log
	ln -s /dev/full full.log
	launch videotestsrc num-buffers=3 ! gpuintrah264enc backend=cpu pass=1 pass-log=full.log ! \
		fakesink
	check "no message names a full device: $(cat launch.log)" \
		grep -q 'pass-log: /dev/full: No space' launch.log
	same_high "--disable-modes i4:3,i16:plane,i4:upright --8x8dct off" \
		"disable-modes=i4:3,i16:plane,i4:upright dct8x8=false"
	same_high "--preset ultrafast --profile high --8x8dct off --disable-modes none" \
		"preset=ultrafast dct8x8=false disable-modes=none"
	same_high "--bitrate 800 --rate-delay 3" "bitrate=800 rate-delay=3"
else
	without "comparison with gpuintra: no rawvideoparse, capssetter or gpuintra"
fi

hashes() { ffmpeg -v error -i "$1" -map 0:v -f framehash -hash md5 - </dev/null |
	sed -n '/^[^#]/s/.*, //p'; }
# Files of the muxers: the decoded pictures are those of the byte stream, times rise by 40 ms.
video=(videotestsrc num-buffers=30 pattern=ball !
	"video/x-raw,format=NV12,width=320,height=240,framerate=25/1")
launch "${video[@]}" ! gpuintrah264enc backend=cpu ! filesink location=o.264
hashes o.264 >want
check "FFmpeg does not decode 30 pictures of the byte stream" test "$(wc -l <want)" -eq 30
check "FFmpeg decodes equal pictures" test "$(sort -u want | wc -l)" -gt 20
times() {
	ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 "$1" |
		awk -F, '$1 == "" { next }
			n++ { d = $1 - last; if (d < 0.0389 || d > 0.0411) bad++ }
			{ last = $1 }
			END { exit bad || n != 30 }'
}
for pair in mp4mux:mp4 qtmux:mov matroskamux:mkv mpegtsmux:ts; do
	muxer=${pair%:*} file=o.${pair#*:}
	has "$muxer" || { without "$muxer is not installed"; continue; }
	launch "${video[@]}" ! gpuintrah264enc backend=cpu ! "$muxer" ! filesink "location=$file" ||
		bad "$muxer: $(tail -n 3 launch.log)"
	hashes "$file" >got
	check "$file has other pictures than the byte stream" cmp -s want got
	check "$file has other times than its frames" times "$file"
	check "$file is not Constrained Baseline" grep -q "Constrained Baseline" \
		<(ffprobe -v error -show_entries stream=profile "$file")
done
if has mp4mux; then
	launch "${video[@]}" ! gpuintrah264enc backend=cpu dct8x8=true ! mp4mux ! \
		filesink location=high.mp4 || bad "High in mp4mux: $(tail -n 3 launch.log)"
	check "high.mp4 is not High" grep -q "profile=High$" \
		<(ffprobe -v error -show_entries stream=profile high.mp4)
	check "high.mp4 has no 30 pictures" test "$(hashes high.mp4 | wc -l)" -eq 30
	check "avcC has no members of High" grep -qE '61766343016400.{40,200}fdf8f800' \
		<(od -An -v -tx1 high.mp4 | tr -d ' \n')
fi

# Live, with real peers on this machine. What they receive has the pictures of the byte stream.
caps_rtp="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264"
live=("${video[0]}" is-live=true "${video[@]:1}")
port=$((20000 + $$ % 20000))
# pictures FILE N: the file has at least N pictures.
pictures() { test "$(hashes "$1" 2>/dev/null | wc -l)" -ge "$2"; }
# background ELEMENT...: runs a pipeline, which SIGINT ends.
background() {
	timeout 60 "${default[@]}" gst-launch-1.0 -e "$@" >background.log 2>&1 </dev/null &
	pid=$!
}
# receive FILE N ELEMENT... -- ELEMENT...: a receiver, and then a sender, until the receiver has N
# pictures in its file, which are those of the sender's encoder.
receive() {
	local file=$1 n=$2 receiver=()
	shift 2
	for (( ; $# > 0 ; )); do
		[ "$1" != -- ] || break
		receiver+=("$1")
		shift
	done
	background "${receiver[@]}" ! filesink "location=$file" buffer-mode=unbuffered
	await grep -q PLAYING background.log
	launch "${@:2}" || bad "sender of $file: $(tail -n 3 launch.log)"
	await pictures "$file" "$n"
	kill -INT "$pid" 2>/dev/null
	wait "$pid"
	hashes "$file" >got
	check "$file has $(wc -l <got) of $n pictures: $(tail -n 3 background.log)" \
		pictures "$file" "$n"
	check "$file has other pictures than the byte stream" \
		cmp -s got <(head -n "$(wc -l <got)" sent)
}
if has hlssink2; then
	# It requests a key unit for each segment. gst-launch-1.0 of 1.22 may not end afterwards.
	background "${video[@]}" ! gpuintrah264enc backend=cpu ! h264parse ! hlssink2 \
		target-duration=1 max-files=0 playlist-length=0 location=part%d.ts \
		playlist-location=list.m3u8
	await grep -q ENDLIST list.m3u8
	kill "$pid" 2>/dev/null
	wait "$pid"
	hashes list.m3u8 >got
	check "HLS has other pictures than the byte stream" cmp -s want got
	check "HLS: the first segment is not of 25 pictures" \
		test "$(hashes part0.ts | wc -l)" -eq 25
else
	without "hlssink2 is not installed"
fi
if has rtph264pay && has udpsrc && has rtpjitterbuffer && has h264parse; then
	# The parser holds the last picture until the end.
	launch "${video[@]}" ! gpuintrah264enc backend=cpu slices=4 ! filesink location=sent.264
	hashes sent.264 >sent
	receive rtp.264 29 udpsrc address=127.0.0.1 port=$port buffer-size=4000000 \
		caps="$caps_rtp" ! rtpjitterbuffer latency=100 ! rtph264depay ! h264parse ! \
		video/x-h264,stream-format=byte-stream,alignment=au -- \
		"${live[@]}" ! gpuintrah264enc backend=cpu slices=4 ! \
		rtph264pay config-interval=1 ! udpsink host=127.0.0.1 port=$port
	check "RTP loses the last picture" pictures rtp.264 30
else
	without "RTP: no rtph264pay, udpsrc, rtpjitterbuffer or h264parse"
fi
if has srtsink && has mpegtsmux; then
	cp want sent
	# srtsink closes the connection at the end, with what is on its way.
	receive srt.ts 20 srtsrc "uri=srt://127.0.0.1:$port?mode=listener" latency=60 -- \
		"${live[@]}" ! gpuintrah264enc backend=cpu ! mpegtsmux ! \
		srtsink "uri=srt://127.0.0.1:$port?mode=caller" latency=60
else
	without "SRT: no srtsink or mpegtsmux"
fi

# The pipelines of the documents; those of elements that are not installed are left out.
# missing LINE: prints the first element that is not installed.
missing() {
	grep -oE '! [a-z0-9_]+' <<<"$1" | cut -c 3- | while read -r element; do
		[ "$element" = video ] || has "$element" || { echo "$element"; break; }
	done
}
[ ! -x "$gpuintra" ] || "$gpuintra" --backend cpu -i in.mkv -o in.mp4 -y --quiet
count=0
while IFS= read -r line; do
	element=$(missing "$line")
	if [ -n "$element" ]; then
		without "$element is not installed: $line"
		continue
	fi
	count=$((count + 1))
	# shellcheck disable=SC2086
	check "a pipeline of the documents fails: $line" timeout 120 $line </dev/null
done < <(sed -n '/^    gst-launch-1.0 /{:a;/\\$/{N;s/\\\n *//;ba};s/^ *//;p}' "${docs[@]}")
check "no pipeline of the documents ran" test $count -gt 0
finish
