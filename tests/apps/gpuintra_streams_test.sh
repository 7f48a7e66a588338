#!/usr/bin/env bash
# Streams besides the video, which gpuintra copies: bytes, times, properties, what containers cannot
# store, .ts files, HDR metadata. FFmpeg's programs make the inputs and read the outputs; FFMPEG and
# FFPROBE select others.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
ffmpeg=${FFMPEG:-ffmpeg} ffprobe=${FFPROBE:-ffprobe}
work=$TEST_BUILDDIR/tests/gpuintra_streams_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
need "$ffmpeg" "$ffprobe"
# shellcheck source=tests/apps/gpuintra.sh
. "$TEST_SRCDIR/apps/gpuintra.sh"

ff() { "$ffmpeg" -nostdin -v error -y "$@"; }
# show ENTRIES FILE [OPTION...]: what ffprobe prints about a file, one line each.
show() {
	local entries=$1 file=$2
	shift 2
	"$ffprobe" -v error "$@" -show_entries "$entries" -of compact=p=0:nk=1 "$file" |
		sed -n 's/|.*//; /./p'
}
# known FILE WHAT STREAM: prints what the function WHAT prints about the file, which is run once for
# each state of the file.
known() {
	local at=known/${1//\//_}.$2.${3/:/_}
	mkdir -p known
	[ "$at" -nt "$1" ] || "$2" "$1" "$3" >"$at"
	cat "$at"
}
# hashes FILE STREAM: the hash of each packet's bytes.
hashes() { ff -i "$1" -map "0:$2" -c copy -f framemd5 - | awk -F', *' '!/^#/ { print $6 }'; }
same_packets() {
	[ -n "$(known "$1" hashes "$3")" ] &&
		cmp -s <(known "$1" hashes "$3") <(known "$2" hashes "$3")
}
times() { show packet=pts_time "$1" -select_streams "$2"; }
# same_times FILE FILE STREAM: the packets' times differ by less than 1.5 ms.
same_times() {
	paste <(known "$1" times "$3") <(known "$2" times "$3") | awk '
		{ d = $1 - $2; if (NF != 2 || d > 0.0015 || d < -0.0015) bad = 1 }
		END { exit bad || NR == 0 }'
}
kinds() { show stream=codec_type "$1" | tr '\n' ' '; }
count() { show stream=nb_read_packets "$1" -count_packets -select_streams "$2" | head -n 1; }

cat >sub.srt <<'SRT'
1
00:00:00,200 --> 00:00:00,900
One

2
00:00:01,000 --> 00:00:01,500
Two
SRT
printf ';FFMETADATA1\ntitle=Film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\n' >meta.txt
printf 'title=A\n' >>meta.txt
printf '[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=B\n' >>meta.txt
# The second sound is longer than the video.
ff -f lavfi -i testsrc=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -f lavfi -i sine=f=880:d=2.5 \
	-i sub.srt -i meta.txt -map_metadata 4 -map 0 -map 1 -map 2 -map 3 -c:v mpeg4 -c:a:0 aac \
	-c:a:1 ac3 -c:s srt -metadata:s:a:1 language=deu -metadata:s:a:1 title=Ton \
	-disposition:a:1 comment in.mkv &&
	ff -i in.mkv -map 0:v -map 0:a -map 0:s -c copy -c:s mov_text -timecode 01:00:00:00 \
		in.mp4 &&
	ff -i in.mp4 -map 0:v -map 0:a -c copy -timecode 01:00:00:00 in.mov ||
	skip "this ffmpeg cannot make the inputs"

# --- containers -------------------------------------------------------------------------------

for from in in.mkv in.mp4 in.mov; do
	for out in mp4 mkv mov; do
		o=${from#in.}_$out.$out
		run 0 '50 frames' cpu -i $from -o "$o"
		for s in a:0 a:1; do
			check "$from to $o: other bytes in $s" same_packets $from "$o" $s
			check "$from to $o: other times of $s" same_times $from "$o" $s
		done
		check "$from to $o: other times of the video" same_times $from "$o" v:0
		check "$from to $o: the video has no 50 packets" [ "$(count "$o" v)" = 50 ]
		check "$from to $o: chapters" \
			[ "$(show chapter_tags=title "$o" | tr '\n' ' ')" = "A B " ]
	done
done
for o in mkv_mp4.mp4 mkv_mkv.mkv mp4_mkv.mkv; do
	check "$o: language of the second sound" \
		[ "$(show stream_tags=language $o -select_streams a:1)" = deu ]
	check "$o: disposition of the second sound" \
		[ "$(show stream_disposition=comment $o -select_streams a:1)" = 1 ]
	check "$o: title of the file" [ "$(show format_tags=title $o)" = Film ]
done
check "the title of a sound in .mkv" \
	[ "$(show stream_tags=title mkv_mkv.mkv -select_streams a:1)" = Ton ]
check "subtitles from .mkv to .mkv" same_packets in.mkv mkv_mkv.mkv s:0
check "times of subtitles" same_times in.mkv mkv_mkv.mkv s:0
check "subtitles from .mp4 to .mp4" same_packets in.mp4 mp4_mp4.mp4 s:0
for o in mp4_mp4.mp4 mp4_mov.mov mov_mp4.mp4; do
	check "$o has no timecode track" \
		[ "$(show stream=codec_tag_string $o | grep -c tmcd)" -eq 1 ]
	check "$o has another timecode" \
		[ "$(show stream_tags=timecode $o -select_streams v:0)" = 01:00:00:00 ]
done
check "the timecode from .mov to .mkv" \
	[ "$(show stream_tags=timecode mov_mkv.mkv -select_streams v:0)" = 01:00:00:00 ]

# How pictures are viewed: two in one.
ff -i in.mkv -map 0:v -c copy -metadata:s:v stereo_mode=left_right stereo.mkv &&
	ff -i stereo.mkv -c copy -strict unofficial stereo.mp4
cpu -i stereo.mp4 -o stereo_out.mkv --quiet
check "stereo.mp4 has no view" grep -q 'Stereo 3D' <("$ffprobe" -v error -show_streams stereo.mp4)
check "stereo_out.mkv has no view" \
	grep -q 'Stereo 3D' <("$ffprobe" -v error -show_streams stereo_out.mkv)
# A sphere: a box of Google's Spherical Video V1, which FFmpeg reads and does not write.
if command -v python3 >/dev/null; then
	ff -i in.mkv -map 0:v -c copy -frames:v 5 plain.mp4
	python3 - <<'PY'
data = bytearray(open("plain.mp4", "rb").read())
tags = dict(Spherical="true", Stitched="true", StitchingSoftware="none",
    ProjectionType="equirectangular")
text = "".join(f"<GSpherical:{t}>{v}</GSpherical:{t}>" for t, v in tags.items()).encode()
box = b"uuid" + bytes.fromhex("ffcc8263f8554a938814587a02521fdd") + text
box = (len(box) + 4).to_bytes(4, "big") + box
moov = data.rindex(b"moov")  # behind the pictures
for name in b"moov", b"trak":
    at = data.index(name, moov) - 4
    data[at : at + 4] = (int.from_bytes(data[at : at + 4], "big") + len(box)).to_bytes(4, "big")
data[at + 8 : at + 8] = box
open("sphere.mp4", "wb").write(data)
PY
	run 0 '5 frames' cpu -i sphere.mp4 -o sphere.mkv
	for o in sphere.mp4 sphere.mkv; do
		check "$o is not spherical" grep -qx projection=equirectangular \
			<("$ffprobe" -v error -show_streams $o)
	done
else
	without "a sphere, for want of python3"
fi

# --- what a container cannot store -----------------------------------------------------------

run 0 'warning: in.mkv: stream 3 \(subtitle, subrip\) is left out of the mp4 file' \
	cpu -y -i in.mkv -o out.mp4
check "out.mp4 has a subtitle" [ "$(kinds out.mp4 | grep -c subtitle)" -eq 0 ]
run 0 'stream 3 \(subtitle, mov_text, und\) is left out of the matroska file' \
	cpu -y -i in.mp4 -o out.mkv
ff -f lavfi -i testsrc=s=32x32:d=0.04 -frames:v 1 cover.jpg
ff -i in.mp4 -i cover.jpg -map 0:v -map 0:a -map 1 -c copy -disposition:v:1 attached_pic cover.mp4
ff -i in.mkv -map 0:v -map 0:a -c copy -attach sub.srt -metadata:s:t mimetype=text/plain attach.mkv
for o in mp4 mkv; do
	run 0 '50 frames' cpu -y -i cover.mp4 -o cover_out.$o
	check "the cover picture in .$o" same_packets cover.mp4 cover_out.$o v:1
done
run 0 'stream [0-9] \(cover picture, mjpeg\) is left out of the mov file' \
	cpu -y -i cover.mp4 -o cover_out.mov
check "cover_out.mov has another video" [ "$(kinds cover_out.mov | grep -o video | wc -l)" -eq 1 ]
run 0 '50 frames' cpu -y -i attach.mkv -o attach_out.mkv
check "the attached file" cmp -s sub.srt \
	<(ff -dump_attachment:t:0 /dev/stdout -i attach_out.mkv -t 0 -f null - 2>/dev/null)
run 0 'stream 3 \(attachment, [a-z]*\) is left out of the mp4 file' \
	cpu -y -i attach.mkv -o attach_out.mp4
# Matroska stores the sound of .wmv and .avi by its tag.
ff -i in.mkv -map 0:v -map 0:a:0 -map 0:a:1 -c:v copy -c:a:0 wmav2 -c:a:1 adpcm_ms tags.avi
run 0 '50 frames' cpu -y -i tags.avi -o tags_out.mkv
for stream in a:0 a:1; do
	check "WMA or ADPCM in .mkv: $stream" same_packets tags.avi tags_out.mkv $stream
done
run 0 'stream 1 \(audio, wmav2\) is left out of the mp4 file' cpu -y -i tags.avi -o tags_out.mp4
ff -i in.mkv -i in.mp4 -map 0:v -map 1:v -map 0:a:0 -c copy two.mkv
run 0 'stream [01] \(video, mpeg4\) is left out, because the output has one video' \
	cpu -y -i two.mkv -o two_out.mkv
check "two_out.mkv: $(kinds two_out.mkv)" [ "$(kinds two_out.mkv)" = "video audio " ]

# --- .ts ----------------------------------------------------------------------------------------

run 0 'stream 3 \(subtitle, subrip\) is left out of the mpegts file' cpu -i in.mkv -o out.ts
run 0 'the timecode is left out' cpu -y -i in.mov -o timecode.ts
check "out.ts: $(show stream=codec_name out.ts | sort -u | tr '\n' ' ')" \
	[ "$(show stream=codec_name out.ts | sort -u | tr '\n' ' ')" = "aac ac3 h264 " ]
check "the AC-3 sound of out.ts" same_packets in.mkv out.ts a:1
ff -i out.ts -map 0:a -c copy back.mkv
check "the AAC sound of out.ts" same_packets in.mkv back.mkv a:0
check "the language in out.ts" [ "$(show stream_tags=language out.ts -select_streams a:1 |
	sort -u)" = deu ]
check "the sound of out.ts is not where it was" [ "$(paste <(times in.mkv v) <(times out.ts v) \
	<(times in.mkv a:1) <(times out.ts a:1) |
	awk 'NF == 4 { d = $2 - $1 - $4 + $3; if (d > 0.0015 || d < -0.0015) n++ }
		END { print n + 0 }')" -eq 0 ]
# One delimiter, SPS and PPS before each picture; ffmpeg first shows its own copy of SPS and PPS.
cpu -i in.mkv -o out.264 --quiet
ff -i out.ts -map 0:v -c copy ts.264
units() { ff -i "$1" -c copy -bsf:v trace_headers -f null - -v info 2>&1 |
	grep -oE 'nal_unit_type +[01]+ = [0-9]+' | grep -oE '[0-9]+$' | tr '\n' ' '; }
check "units of out.ts: $(units out.ts | cut -c1-40)" \
	[ "$(units out.ts)" = "7 8 $(for _ in $(seq 50); do printf '9 7 8 5 '; done)" ]
check "the pictures of out.ts differ from those of the byte stream" \
	cmp -s <(ff -i out.264 -f framemd5 - | sed 's/.*, //') <(ff -i ts.264 -f framemd5 - |
		sed 's/.*, //')

# --- --frames, --no-audio, --loop, pipes --------------------------------------------------------

for i in 1 2 3; do
	cpu -y -i in.mkv --frames 20 -o few$i.mkv --quiet
	check "few$i.mkv differs from few1.mkv" cmp -s few1.mkv few$i.mkv
done
# 20 frames from 0.023 s on end at 0.823 s: the last packets begin before that, the next ones not.
for s in a:0 a:1; do
	n=$(times in.mkv $s | awk '$1 < 0.823 { n++ } END { print n }')
	check "few1.mkv has $(count few1.mkv $s) packets of $s instead of $n" \
		[ "$(count few1.mkv $s)" = "$n" ]
done
# Chapters end with the pictures, which are exactly known at the end only.
ends() { show chapter=end_time "$1" | tr '\n' ' '; }
for o in mp4 mov mkv; do
	run 0 '20 frames' cpu -y -i "$TEST_SRCDIR/data/video/ch.mp4" --frames 20 -o ch.$o
	check "chapters of ch.$o: $(ends ch.$o)" [ "$(ends ch.$o)" = "0.800000 " ]
	run 0 '40 frames' cpu -y -i "$TEST_SRCDIR/data/video/ch.mp4" --frames 40 -o ch.$o
	check "chapters of ch.$o: $(ends ch.$o)" [ "$(ends ch.$o)" = "1.000000 1.600000 " ]
done
# --seek: sound, subtitles and chapters begin with the first frame that is read, at 0.8 s.
for o in mp4 mkv; do
	run 0 '30 frames' cpu -y -i in.mkv --seek 20 -o seek.$o
	run 0 '20 frames' cpu -y -i "$TEST_SRCDIR/data/video/ch.mp4" --seek 30 -o ch.$o
	check "chapters of ch.$o: $(ends ch.$o)" [ "$(ends ch.$o)" = "0.800000 " ]
	for s in a:0 a:1; do
		times in.mkv $s | awk -v start="$(times in.mkv v:0 | sed -n 21p)" \
			'$1 >= start { printf "%.3f\n", $1 - start }' >want
		times seek.$o $s | awk '{ printf "%.3f\n", $1 }' >got
		check "times of $s in seek.$o" awk '{ d = $1 - $2; bad += d * d > 4e-6 }
			END { exit bad > 0 }' <(paste want got)
		check "packets of $s in seek.$o: $(wc -l <got) instead of $(wc -l <want)" \
			[ "$(wc -l <got)" -eq "$(wc -l <want)" ]
	done
	check "seek.$o starts at $(times seek.$o v:0 | head -n 1)" \
		awk '{ exit !($1 < 0.001 && $1 > -0.001) }' <(times seek.$o v:0 | head -n 1)
done
run 0 '3 other streams .* left out' cpu -y -i in.mkv --no-audio -o out.mp4
check "--no-audio: $(kinds out.mp4)" [ "$(kinds out.mp4)" = "video " ]
run 0 '3 other streams .* left out' cpu -y -i in.mkv --loop 2 -o out.mkv
check "--loop 2: $(kinds out.mkv)" [ "$(kinds out.mkv)" = "video " ]
run 0 '3 other streams .* left out' cpu -y -i in.mkv -o out.264
run 0 '5 frames' cpu -y -i in.y4m -o out.mp4
check "a .y4m becomes $(kinds out.mp4)" [ "$(kinds out.mp4)" = "video " ]
cpu -i - -o pipe.mkv --quiet <in.mkv
# shellcheck disable=SC2002
cat in.mkv | cpu -y -i - -o pipe2.mkv --quiet
check "sound through a pipe" same_packets in.mkv pipe.mkv a:1
check "a pipe makes another file" cmp -s pipe.mkv pipe2.mkv

# --- hostile inputs -----------------------------------------------------------------------------

# 24 MB of sound before the first picture: more than is kept in memory.
ff -itsoffset 4 -f lavfi -i testsrc=s=64x48:d=0.2 -f lavfi \
	-i "sine=r=192000:d=4.2,pan=7.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0|c6=c0|c7=c0" \
	-c:v mpeg4 -c:a pcm_s32le -fps_mode passthrough early.mkv
# shellcheck disable=SC2002
cat early.mkv | cpu -i - -o early_out.mkv --quiet
check "sound before the video" same_packets early.mkv early_out.mkv a:0
check "times of the sound before the video" same_times early.mkv early_out.mkv a:0
rm -f early.mkv early_out.mkv
# shellcheck disable=SC2046
ff -i in.mkv $(for _ in $(seq 30); do echo -map 0:a:0; done) -map 0:v -c copy many.mkv
run 0 '50 frames' cpu -i many.mkv -o many.mp4
check "many.mp4 has not 30 sounds" [ "$(kinds many.mp4 | grep -o audio | wc -l)" -eq 30 ]
check "the thirtieth sound" same_packets many.mkv many.mp4 a:29
head -c 60000 in.mkv >short.mkv
run 1 'short.mkv: truncated or damaged after frame' cpu -i short.mkv -o short.mp4
check "short.mp4 has no sound" [ "$(count short.mp4 a:1)" -gt 10 ]
# Times that jump back by two seconds.
cat out.ts out.ts >twice.ts
run 1 'twice.ts: stream [12]: the time of a packet is not later .* raised' \
	cpu -i twice.ts -o twice.mp4
check "packets are lost where times jump" [ "$(count twice.mp4 a:0)" -ge 170 ]
ff -i in.mkv -map 0:v -map 0:a:0 -c:v mpeg4 -c:a mp2 in.avi
run 0 'frames' cpu -i in.avi -o avi.mp4
check "the sound of an .avi" same_packets in.avi avi.mp4 a:0
# shellcheck disable=SC2016
run 1 'full.mkv: File too large; what was written is in full.mkv.part' \
	bash -c 'ulimit -f 40; "$0" --backend cpu -i in.mkv -o full.mkv' "$gpuintra"
check "full.mkv.part has no frames" [ "$(count full.mkv.part v)" -gt 1 ]
# Ctrl-C: the sound ends with the video. The input stalls after half of it.
ff -f lavfi -i testsrc=s=320x240:d=4 -f lavfi -i sine=d=4 -c:v mpeg4 -q:v 2 -c:a aac long.mkv
mkfifo slow
launch "$gpuintra" --backend cpu --frames-in-flight 1 -i slow -o stopped.mp4 --quiet
exec 7>slow
head -c $(($(stat -c %s long.mkv) / 2)) long.mkv >&7
await [ -s stopped.mp4.part ]
rc=0
kill -INT $pid
wait $pid || rc=$?
exec 7>&-
check "Ctrl-C gives $rc instead of 130: $(cat stderr)" [ $rc -eq 130 ]
check "stopped.mp4 has no sound" [ "$(count stopped.mp4 a)" -ge 1 ]
check "the sound of stopped.mp4 is longer than the video" [ "$(show stream=duration stopped.mp4 |
	sort -n | paste -sd' ' | awk '{ print $NF - $1 < 0.1 }')" -eq 1 ]

# --- colours ---------------------------------------------------------------------------------

ff -f lavfi -i testsrc=s=64x48:d=0.2 -c:v ffv1 -pix_fmt bgr0 rgb.mkv
run 0 '5 frames' cpu -i rgb.mkv -o rgb.mp4
check "colours of RGB: $("$ffprobe" -v error -show_streams rgb.mp4 | grep ^color)" \
	[ "$("$ffprobe" -v error -show_streams rgb.mp4 | grep -E '^color_(sp|tr|pr)' |
		sed 's/.*=//' | tr '\n' ' ')" = "smpte170m bt709 bt709 " ]

# --- HDR ----------------------------------------------------------------------------------------

hdr="G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
if ff -f lavfi -i testsrc=s=64x48:d=0.2 -c:v libx265 -pix_fmt yuv420p10le -x265-params \
	"log-level=error:master-display=$hdr:max-cll=1000,400" hdr.mp4 2>/dev/null; then
	# metadata FILE: the metadata in the stream's header, as decimal numbers.
	metadata() { "$ffprobe" -v error -show_streams "$1" |
		sed -nE 's/^((red|green|blue|white|min|max)_[a-z_]*)=/\1 /p' | sort |
		awk '{ split($2, q, "/"); printf "%s %.5f\n", $1, q[2] ? q[1] / q[2] : $2 }'; }
	for o in mp4 mkv mov; do
		run 0 '5 frames' cpu -i hdr.mp4 -o hdr_out.$o
		check "hdr_out.$o has not the luminance" \
			grep -qx 'max_luminance 1000.00000' <(metadata hdr_out.$o)
		check "hdr_out.$o has not the primaries" \
			grep -qx 'green_y 0.69000' <(metadata hdr_out.$o)
		check "hdr_out.$o has not the content light level" \
			grep -qx 'max_average 400.00000' <(metadata hdr_out.$o)
	done
else
	without "HDR metadata, for want of libx265 in ffmpeg"
fi

finish
