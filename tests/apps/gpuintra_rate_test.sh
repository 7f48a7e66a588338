#!/usr/bin/env bash
# gpuintra's rate control: bit rates, buffers and limits of real video, measured on the files by a
# buffer model in awk.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
media=$TEST_SRCDIR/../media
work=$TEST_BUILDDIR/tests/gpuintra_rate_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gpuintra.sh
. "$TEST_SRCDIR/apps/gpuintra.sh"

# sizes FILE: bytes of each picture of a stream; each begins with a sequence parameter set.
sizes() {
	LC_ALL=C grep -obUaP '\x00\x00\x00\x01\x67' "$1" |
		LC_ALL=C awk -F: -v end="$(stat -c %s "$1")" \
			'NR > 1 { print $1 - at } { at = $1 } END { print end - at }'
}
# buffer FILE FPS KBIT_PER_S KBIT START: fails if a picture is not in the buffer as a whole when it
# is removed, or if none takes half of it.
buffer() {
	sizes "$1" | awk -v fps="$2" -v rate="$3" -v size="$4" -v start="$5" '
		BEGIN { level = start * size * 1000; low = level }
		{ level -= 8 * $1; low = level < low ? level : low; level += rate * 1000 / fps
		  level = level < size * 1000 ? level : size * 1000 }
		END { exit !(NR > 20 && low >= 0 && low < size * 750) }'
}
# mean FILE FPS LOW HIGH: fails if the mean kbit/s is not in a range.
mean() {
	sizes "$1" | awk -v fps="$2" -v low="$3" -v high="$4" '{ n += 8 * $1 }
		END { rate = n / NR * fps / 1000; exit !(rate >= low && rate <= high) }'
}
not_mean() { ! mean "$@"; }
differ() { ! cmp -s "$1" "$2"; }
largest() { sizes "$1" | sort -n | tail -n 1; }
# value NAME: of s.json.
value() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" s.json; }

clip=$media/foreman_cif.mkv
fps=29.97

# --- bit rate ---------------------------------------------------------------------------------

for tools in "" "--preset fast" "--preset medium --aq-mode 1"; do
	# shellcheck disable=SC2086
	run 0 '' cpu -i "$clip" -o out.264 --overwrite --quiet --loop 4 --bitrate 2500 $tools
	check "bitrate 2500 $tools" mean out.264 $fps 2300 2700
done
run 0 'QP [0-9.]*, ' cpu -i "$clip" -o one.264 --loop 2 --bitrate 1500 --frames-in-flight 1 -t 1
run 0 '' cpu -i "$clip" -o many.264 --quiet --loop 2 --bitrate 1500 --frames-in-flight 9
check "a stream depends on the frames in flight" cmp one.264 many.264
if command -v ffmpeg >/dev/null; then
	# The detail of its pictures does not predict their sizes; the QP is far below 51.
	check "testsrc2" ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x240:r=25:d=2 \
		-pix_fmt yuv420p testsrc2.y4m
	run 0 '' cpu -i testsrc2.y4m -o out.264 -y --quiet --bitrate 1000 --stats s.json
	check "1,000 kbit/s of testsrc2" mean out.264 25 900 1100
	check "mean QP of testsrc2: $(value mean_qp)" [ "$(value mean_qp | cut -d. -f1)" -lt 45 ]
else
	without "a bit rate of testsrc2: no ffmpeg"
fi

# --- buffer -----------------------------------------------------------------------------------

for kbit in 250 1000 4000; do
	run 0 '' cpu -i "$clip" -o out.264 --overwrite --quiet --loop 3 --bitrate 3000 \
		--vbv-bufsize $kbit --vbv-init 0.5
	check "buffer of $kbit kbit" buffer out.264 $fps 3000 $kbit 0.5
done
run 0 '' cpu -i "$clip" -o out.264 --overwrite --quiet --crf 9 --vbv-maxrate 4000 \
	--vbv-bufsize 2000 --preset ultrafast
check "buffer with constant quality" buffer out.264 $fps 4000 2000 0.9
run 0 'pictures are larger than --frame-size-max or the buffer' cpu -i "$clip" -o out.264 \
	--overwrite --bitrate 60 --vbv-bufsize 60

# --- HRD --------------------------------------------------------------------------------------

# field NAME: the values of a syntax element in trace.
field() { sed -nE "s/.* $1(\[0\])? +[01]+ = ([0-9]+)\$/\2/p" trace; }
# arrives FILE FPS RATE SIZE: by clause C.1.2 each picture of a stream has arrived, at RATE bits/s,
# when its SEI has it removed, and does not begin to arrive before there is room for it.
arrives() {
	paste <(sizes "$1") <(field initial_cpb_removal_delay) \
		<(field initial_cpb_removal_delay_offset) <(field cpb_removal_delay) |
		awk -v fps="$2" -v rate="$3" -v size="$4" '
		{ removed = NR == 1 ? $2 / 90000 : removed + $4 / 2 / fps
		  begins = removed - $2 / 90000; begins = begins > ends ? begins : ends
		  ends = begins + 8 * $1 / rate
		  late += ends > removed + 1 / 90000
		  bad += ($2 + $3 > size / rate * 90000) + ($2 < 1) + ($4 != 2 && NR > 1) }
		END { exit !(NR == 60 && !late && !bad) }'
}
if command -v ffmpeg >/dev/null && ffmpeg -v error -bsfs 2>/dev/null | grep -q trace_headers; then
	for kbit in 301 1000; do
		run 0 '' cpu -i "$clip" -o out.264 --overwrite --quiet --loop 2 --bitrate 2501 \
			--vbv-bufsize $kbit --nal-hrd vbr --profile main
		ffmpeg -nostdin -v verbose -i out.264 -c copy -bsf:v trace_headers -f null - 2>&1 |
			sed '1,/Sequence Parameter Set/d' >trace
		first() { field "$1" | head -n 1; }
		rate=$((($(first bit_rate_value_minus1) + 1) << (6 + $(first bit_rate_scale))))
		size=$((($(first cpb_size_value_minus1) + 1) << (4 + $(first cpb_size_scale))))
		check "rate $rate" [ $rate -le 2501000 ]
		check "rate $rate" [ $rate -gt 2500930 ]
		check "size $size" [ $size -le ${kbit}000 ]
		check "size $size" [ $size -gt $((kbit * 1000 - 16)) ]
		check "HRD of $kbit kbit" arrives out.264 29.97002997 "$rate" "$size"
		check "FFmpeg's message" \
			[ -z "$(ffmpeg -nostdin -v warning -i out.264 -f null - 2>&1)" ]
	done
else
	without "HRD: no ffmpeg with trace_headers"
fi
run 2 '--nal-hrd vbr needs' cpu -i in.y4m -o bad.264 --bitrate 100 --nal-hrd vbr
run 2 'in more than 180 seconds' cpu -i in.y4m -o bad.264 --bitrate 10 --vbv-bufsize 2000 \
	--nal-hrd vbr

# --- variable rate ----------------------------------------------------------------------------

# seconds FILE: time and bytes of each packet
seconds() { ffprobe -v error -show_entries packet=pts_time,size -of csv=p=0 "$1" | tr , ' '; }
# by_time FILE KBIT_PER_S KBIT: fails if by the times of a file a picture is not in the buffer as a
# whole when it is removed.
by_time() {
	seconds "$1" | awk -v rate="$2" -v size="$3" '
		BEGIN { rate *= 1000; size *= 1000; level = 0.9 * size }
		NR > 1 { level += ($1 - at) * rate; level = level < size ? level : size }
		{ at = $1; level -= 8 * $2; late += level < 0 }
		END { exit !(NR > 20 && !late) }'
}
# mean_by_time FILE LAST LOW HIGH: fails if the mean kbit/s is not in a range; LAST: seconds of the
# last picture.
mean_by_time() {
	seconds "$1" | awk -v last="$2" -v low="$3" -v high="$4" '{ n += 8 * $2; t = $1 }
		END { rate = n / (t + last) / 1000; exit !(rate >= low && rate <= high) }'
}
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
	# 2 frames/s in a file that states 25; a burst of 60 after pictures of a second; 2,000
	vary() {
		ffmpeg -nostdin -v error -y -stream_loop 3 -i "$clip" -frames:v "$1" \
			-vf "settb=1/1000,setpts='$2'" -vsync passthrough -enc_time_base 1/1000 \
			-c:v mpeg4 -q:v 3 -g 1 "$3"
	}
	vary 40 N*500 slow.mkv
	vary 90 'if(lt(N,12),N*1000,round(12000+(N-12)*1000/60+5*sin(N*37)))' burst.mkv
	ffmpeg -nostdin -v error -y -r 2000 -stream_loop 3 -i "$clip" -frames:v 120 \
		-vf scale=128:96 -c:v mpeg4 -q:v 3 -g 1 -r 2000 fast.mp4
	run 0 '' cpu -i slow.mkv -o out.mkv --quiet --bitrate 200
	check "200 kbit/s of 2 frames/s" mean_by_time out.mkv 0.016 180 220
	run 0 '' cpu -i slow.mkv -o /dev/null --quiet --bitrate 200 --pass 1 --pass-log slow.log
	run 0 '' cpu -i slow.mkv -o out.mkv -y --quiet --bitrate 200 --pass 2 --pass-log slow.log
	check "two passes of 2 frames/s" mean_by_time out.mkv 0.016 180 220
	run 0 '' cpu -i burst.mkv -o out.mkv -y --quiet --bitrate 1000 --vbv-maxrate 1000 \
		--vbv-bufsize 1000 --nal-hrd vbr
	check "a burst breaks the buffer" by_time out.mkv 1000 1000
	run 0 '' cpu -i fast.mp4 -o out.mp4 --quiet --bitrate 40000
	check "40,000 kbit/s of 2,000 frames/s" mean_by_time out.mp4 0.0005 36000 44000
	check "the rate of the SPS" grep -q 'avg_frame_rate=2000/1' <(ffprobe -v error \
		-show_entries stream=avg_frame_rate out.mp4)
else
	without "variable rates: no ffmpeg"
fi

# --- largest picture, constant quality --------------------------------------------------------

run 0 '' cpu -i "$clip" -o out.264 --overwrite --quiet --qp 20 --frame-size-max 12K --stats s.json
check "a picture of $(largest out.264) bytes" [ "$(largest out.264)" -le 12288 ]
check "mean QP: $(value mean_qp)" [ "$(value mean_qp | cut -d. -f1)" -gt 20 ]
run 0 '' cpu -i "$clip" -o out.264 --overwrite --quiet --crf 23.5 --stats s.json
check "mean QP of crf 23.5: $(value mean_qp)" [ "$(value mean_qp | cut -d. -f1)" -ge 30 ]
check "mean QP of crf 23.5: $(value mean_qp)" [ "$(value mean_qp | cut -d. -f1)" -le 33 ]
for part in 1 2 3; do
	run 0 '' cpu -i "$clip" -o part$part.264 --quiet --crf 23.5 --range $part/3
done
check "parts of constant quality" cmp out.264 <(cat part[123].264)
# The scale of --crf is x264's: without a preset these streams have 1.0 to 1.3 times its bytes.
if command -v ffmpeg >/dev/null && ffmpeg -v error -encoders 2>/dev/null | grep -q ' libx264 '; then
	for n in foreman_cif.mkv:30 bbb_720p.mp4:5 face_1080x720.mp4:5; do
		file=${n%:*} frames=${n#*:}
		run 0 '' cpu -i "$media/$file" -o out.264 -y --quiet --crf 23 --frames "$frames"
		rm -f x264.264
		check "libx264 of $file" ffmpeg -nostdin -v error -i "$media/$file" \
			-frames:v "$frames" -an -c:v libx264 -g 1 -crf 23 x264.264
		[ -s x264.264 ] && [ -s out.264 ] || continue
		percent=$(($(stat -c %s out.264) * 100 / $(stat -c %s x264.264)))
		check "--crf 23 of $file: $percent % of x264's bytes" [ $percent -ge 75 ]
		check "--crf 23 of $file: $percent % of x264's bytes" [ $percent -le 150 ]
	done
else
	without "the scale of --crf: no ffmpeg with libx264"
fi

# --- two passes -------------------------------------------------------------------------------

run 0 '' cpu -i "$clip" -o /dev/null --quiet --loop 2 --pass 1 --bitrate 3000
check "the log has 60 pictures" grep -q '^end 60$' gpuintra_2pass.log
run 0 '' cpu -i "$clip" -o out.264 --overwrite --quiet --loop 2 --pass 2 --bitrate 3000
check "two passes" mean out.264 $fps 2940 3060
run 0 '' cpu -i "$clip" -o out.264 --overwrite --quiet --loop 2 --pass 2 --bitrate 2000 \
	--preset fast --vbv-bufsize 700 --vbv-init 0.6
check "two passes with a buffer" buffer out.264 $fps 2000 700 0.6
run 0 '' cpu -i "$clip" -o /dev/null --quiet --pass 1 --pass-log a.log --qp 30
run 0 '' cpu -i "$clip" -o whole.264 --quiet --pass 2 --pass-log a.log --bitrate 2000
for part in 1 2; do
	run 0 '' cpu -i "$clip" -o half$part.264 --quiet --pass 2 --pass-log a.log \
		--bitrate 2000 --range $part/2
done
check "parts of a second pass" cmp whole.264 <(cat half[12].264)
# From far-off QPs the second pass misses the rate; a third one from its own sizes does not.
run 0 '' cpu -i "$clip" -o /dev/null --quiet --pass 1 --pass-log far.log --qp 35
cp far.log old.log
run 0 '' cpu -i "$clip" -o second.264 --quiet --pass 3 --pass-log far.log --bitrate 4000
check "--pass 3 leaves its log as it was" differ far.log old.log
check "its log has not 30 pictures" grep -q '^end 30$' far.log
cp far.log old.log
run 0 '' cpu -i "$clip" -o third.264 --quiet --pass 3 --pass-log far.log --bitrate 4000
check "the second pass has the rate" not_mean second.264 $fps 3800 4200
check "the third pass misses the rate" mean third.264 $fps 3800 4200
run 0 '' cpu -i "$clip" -o again.264 --quiet --pass 2 --pass-log old.log --bitrate 4000
check "--pass 3 makes another stream than --pass 2" cmp third.264 again.264
cp a.log b.log
echo text >text.log
run 1 'text.log: exists already' cpu -i "$clip" -o bad.264 --pass 1 --pass-log text.log
cp whole.264 same.264
run 0 ' -> b.log' cpu -i "$clip" -o same.264 --frames 3 --pass 1 --pass-log b.log
check "--pass 1 leaves --output alone" cmp whole.264 same.264
check "--pass 1 replaces its log" grep -q '^end 3$' b.log
run 1 'more pictures than the log' cpu -i "$clip" -o bad.264 --quiet --loop 2 --pass 2 \
	--pass-log a.log --bitrate 2000
rm -f bad.264
run 0 'a.log: the log has 30 pictures, of which the input has 7 only' cpu -i "$clip" -y \
	-o whole.264 --frames 7 --pass 2 --pass-log a.log --bitrate 2000
run 1 "begins with 'gpuintra pass 1, 352x288', not with 'gpuintra pass 1, 64x48': .* --pass 1" \
	cpu -i in.y4m -o bad.264 --pass 2 --pass-log a.log --bitrate 2000
head -n 12 a.log >cut.log
run 1 'cut.log: line 13 is wrong or missing' cpu -i "$clip" -o bad.264 --pass 2 \
	--pass-log cut.log --bitrate 2000
sed '5s/ / -/' a.log >minus.log
run 1 'minus.log: line 5 is wrong' cpu -i "$clip" -o bad.264 --pass 2 --pass-log minus.log \
	--bitrate 2000
run 1 'none.log: No such file' cpu -i "$clip" -o bad.264 --pass 2 --pass-log none.log \
	--bitrate 2000
: >empty.log
run 1 'the log is empty' cpu -i "$clip" -o bad.264 --pass 2 --pass-log empty.log --bitrate 2000
run 1 '/dev/zero: the log is empty' cpu -i "$clip" -o bad.264 --pass 2 --pass-log /dev/zero \
	--bitrate 2000
run 2 '--pass 2 needs --bitrate' cpu -i "$clip" -o bad.264 --pass 2
run 2 '--pass 1 and 3 need the whole' cpu -i "$clip" -o bad.264 --pass 1 --range 1/2
run 2 '--pass' cpu -i "$clip" -o bad.264 --pass 4
run 2 '--pass 3 needs --bitrate' cpu -i "$clip" -o bad.264 --pass 3
run 2 '--pass 1 and 3 need the whole' cpu -i "$clip" -o bad.264 --pass 3 --bitrate 9 --range 1/2

# --- all devices ------------------------------------------------------------------------------

# The stream of one CPU thread: from all devices, or without one from CPU threads.
backend=auto
"$gpuintra" --backend cuda -i in.y4m -o /dev/null --quiet 2>/dev/null && backend=cuda
# all_devices OPTIONS...: with both
all_devices() {
	run 0 '' cpu -i "$clip" -o one.264 -y --quiet -t 1 "$@"
	run 0 '' "$gpuintra" -i "$clip" -o all.264 -y --quiet --backend $backend --device all "$@"
	check "--device all changes the stream of $*" cmp one.264 all.264
}
all_devices --bitrate 1500
all_devices --bitrate 1500 --vbv-bufsize 400 --preset fast
all_devices --crf 25 --vbv-maxrate 2000 --vbv-bufsize 500 --nal-hrd vbr
all_devices --qp 20 --frame-size-max 12K
all_devices --pass 2 --pass-log a.log --bitrate 2000
all_devices --pass 2 --pass-log a.log --bitrate 2000 --vbv-bufsize 500
run 0 '' cpu -i "$clip" -o /dev/null --quiet --pass 1 --pass-log one.log --qp 30
run 0 '' "$gpuintra" -i "$clip" -o /dev/null --quiet --backend $backend --device all \
	--pass 1 --pass-log all.log --qp 30
check "--device all changes the log of --pass 1" cmp one.log all.log

# --- options ----------------------------------------------------------------------------------

run 2 '--crf and --bitrate exclude each other' cpu -i in.y4m -o bad.264 --crf 20 --bitrate 100
run 2 '--qp and --crf exclude each other' cpu -i in.y4m -o bad.264 --crf 20 --qp 20
run 2 "--crf: '51.5'" cpu -i in.y4m -o bad.264 --crf 51.5
run 2 "--crf: 'x'" cpu -i in.y4m -o bad.264 --crf x
run 2 '--vbv-maxrate needs --vbv-bufsize' cpu -i in.y4m -o bad.264 --bitrate 9 --vbv-maxrate 10
run 2 '--vbv-bufsize needs' cpu -i in.y4m -o bad.264 --vbv-bufsize 100
run 2 '--crf with --vbv-maxrate' cpu -i in.y4m -o bad.264 --crf 20 --vbv-bufsize 100
run 2 'below --bitrate' cpu -i in.y4m -o bad.264 --bitrate 9 --vbv-maxrate 8 --vbv-bufsize 100
run 2 '--range needs' cpu -i in.y4m -o bad.264 --bitrate 100 --range 1/2
# The default of an option, if it is given, is an option that is given.
run 2 '--qp and --crf exclude each other' cpu -i in.y4m -o bad.264 --crf 20 --qp 27
run 2 '--qp and --bitrate exclude each other' cpu -i in.y4m -o bad.264 --bitrate 100 -q 27
run 2 '--vbv-init needs --vbv-bufsize' cpu -i in.y4m -o bad.264 --bitrate 100 --vbv-init 0.9
run 2 '--rate-delay needs --bitrate or' cpu -i in.y4m -o bad.264 --qp 20 --rate-delay 5
run 2 '--rate-delay needs --bitrate or' cpu -i in.y4m -o bad.264 --crf 20 --rate-delay 5
run 2 '--rate-delay in a second pass needs' cpu -i in.y4m -o bad.264 --bitrate 100 --pass 2 \
	--rate-delay 5
run 0 '' cpu -i in.y4m -o delay.264 --quiet --crf 20 --vbv-maxrate 9000 --vbv-bufsize 9000 \
	--rate-delay 5 --vbv-init 0.9
run 2 '--pass-log needs --pass' cpu -i in.y4m -o bad.264 --pass-log gpuintra_2pass.log
head -c 60000 /dev/zero >raw.yuv
run 1 'less than a byte per picture' cpu -i raw.yuv --size 64x48 -o bad.264 --bitrate 1 --rate 1000
check "an error left an output" [ ! -e bad.264 ]

finish
