#!/usr/bin/env bash
# gpuintra --range: parts that processes encode, joined, are the bytes of one run. FFMPEG selects
# another program; without it the formats that it makes are left out.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
ffmpeg=${FFMPEG:-ffmpeg}
media=$TEST_SRCDIR/../media
work=$TEST_BUILDDIR/tests/gpuintra_range_test.tmp
in_frames=13
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gpuintra.sh
. "$TEST_SRCDIR/apps/gpuintra.sh"

ff() { "$ffmpeg" -nostdin -v error -y "$@"; }
# parts N OPTION...: encodes all parts, each by a process, at the same time. Returns 1 if the exit
# codes are not zero, except for that of the last part, which is in last_rc.
last_rc=0
parts() {
	local n=$1 i pids=() rc=0
	shift
	rm -f part*.264
	for i in $(seq "$n"); do
		cpu "$@" --range "$i/$n" -t 1 -o "$(printf 'part%03d.264' "$i")" --quiet 2>"err$i" &
		pids+=($!)
	done
	for i in $(seq $((n - 1))); do
		wait "${pids[i - 1]}" || rc=1
	done
	last_rc=0
	wait "${pids[n - 1]}" || last_rc=$?
	return $rc
}
# same RC N... -- OPTION...: N parts joined are the whole; the last one, as a run of the whole, has
# exit code RC.
same() {
	local want=$1 counts=() n rc=0
	shift
	while [ "$1" != -- ]; do
		counts+=("$1")
		shift
	done
	shift
	rm -f whole.264
	cpu "$@" -o whole.264 --quiet 2>stderr || rc=$?
	check "$*: exit code $rc instead of $want: $(cat stderr)" [ $rc -eq "$want" ]
	for n in "${counts[@]}"; do
		check "$*: one of $n parts fails: $(cat err* 2>/dev/null)" parts "$n" "$@"
		check "$*: the last of $n parts has exit code $last_rc" [ $last_rc -eq "$want" ]
		check "$*: $n parts joined differ from the whole" \
			cmp -s whole.264 <(cat part*.264)
	done
}
pieces() { find . -name 'part*.264' -size +0 | wc -l; }

same 0 1 2 3 5 13 -- -i in.y4m
check "13 parts of 13 frames are $(pieces) files" [ "$(pieces)" -eq 13 ]
same 0 20 -- -i in.y4m
check "20 parts of 13 frames are $(pieces) files" [ "$(pieces)" -eq 13 ]
run 0 'part 1 of 20 has no frames; none.264 is not written' cpu -i in.y4m --range 1/20 -o none.264
check "a part without frames has a file" [ ! -e none.264 ]
"$picgen" noise 16x16 13 >small.y4m
small_header=$(head -n 1 small.y4m | wc -c)
# samples I: frame I of small.y4m without its line.
samples() { tail -c +$((small_header + $1 * 390 + 7)) small.y4m | head -c 384; }
for i in $(seq 0 12); do samples "$i"; done >small.yuv
same 0 3 4 -- -i small.yuv --size 16x16
same 0 4 -- -i in.y4m --slices 3
same 0 3 -- -i "$media/foreman_cif.mkv"
# FRAME lines with parameters: the size of the file suggests more frames than there are.
{ head -n 1 small.y4m && for i in $(seq 0 12); do
	printf 'FRAME X%080d\n' 0
	samples "$i"
done; } >long_lines.y4m
same 0 4 -- -i long_lines.y4m
cpu -i in.y4m -o in.264 --quiet
same 0 3 -- -i in.264
# A truncated input: only the part with the end fails.
head -c $((header_bytes + 9 * frame_bytes - 100)) in.y4m >short.y4m
same 1 3 -- -i short.y4m

if ff -i in.y4m -c:v libx264 -bf 3 -g 6 b.mp4 2>/dev/null; then
	ff -i b.mp4 -c copy b.mkv
	ff -i b.mp4 -c copy b.ts
	ff -ss 0.2 -i b.mp4 -c copy edit.mp4 # frames that are decoded, but not shown
	ff -f lavfi -i testsrc=s=64x48:d=0.5 -vf interlace -c:v libx264 \
		-x264opts interlaced=1 fields.ts
	for from in b.mp4 b.mkv b.ts edit.mp4; do
		same 0 3 -- -i $from
	done
	same 0 3 -- -i fields.ts --interlaced-as-frames
else
	without "video with B frames, for want of libx264 in ffmpeg"
fi
if command -v "$ffmpeg" >/dev/null; then
	# Each picture by itself: the ones before the part are not decoded. mpeg2video: inter-coded.
	ff -i in.y4m -c:v mjpeg m.avi
	ff -i in.y4m -c:v ffv1 f.mkv
	ff -i in.y4m -c:v mpeg2video -bf 2 p.ts
	ff -i in.y4m -c:v png png%03d.png
	for from in m.avi f.mkv p.ts png%03d.png; do
		same 0 2 7 -- -i $from
	done
else
	without "other codecs, for want of ffmpeg"
fi

# The scripts of docs/cluster.md, with the variables that Slurm sets; slurm_long.sh has Slurm.
for name in encode.slurm join.slurm; do job_script cluster.md $name >$name; done
mkdir bin
printf '#!/bin/sh\nexec "%s" --backend cpu "$@"\n' "$gpuintra" >bin/gpuintra
chmod +x bin/gpuintra
for i in 3 1 4 2; do
	run 0 '' env PATH="$PWD/bin:$PATH" SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=4 \
		bash encode.slurm in.y4m out
done
cpu -i in.y4m -o all.264 --quiet
run 0 '' bash join.slurm out 4
check "the job script's parts differ from the whole" cmp -s all.264 out.264
mv out.264 older.264
mv out.00003.264 missing
rc=0
bash join.slurm out 4 2>stderr || rc=$?
check "a join of three of four parts: exit code $rc, $(cat stderr)" \
	[ "$rc $(cat stderr)" = '1 out: 3 of 4 parts' ]
check "a join of three of four parts makes a file" [ ! -e out.264 ]

# --- a part that ends early -------------------------------------------------------------------

# The reader of --recon takes one byte, and the rest after the signal: the 30 frames of the part are
# more than the pipe and the program hold.
"$picgen" noise 320x240 60 >large.y4m
cpu -i large.y4m -o large.264 --quiet
for signal in TERM:143 INT:130; do
	rm -f recon
	mkfifo recon
	launch "$gpuintra" --backend cpu -i large.y4m --range 1/2 -o early1.264 --recon recon \
		--frames-in-flight 1 -t 1 -y
	exec 8<recon
	IFS= read -r -n 1 -u 8 byte
	check "$signal: nothing was encoded" [ "$byte" = Y ]
	kill -s "${signal%:*}" $pid
	cat <&8 >/dev/null
	rc=0
	wait $pid || rc=$?
	exec 8<&-
	check "$signal: exit code $rc: $(cat stderr)" [ $rc -eq "${signal#*:}" ]
	check "$signal: a part without its last frames has its name" [ ! -e early1.264 ]
	check "$signal: no early1.264.part that plays" [ "$(frames early1.264.part)" -ge 1 ]
	check "$signal: $(cat stderr)" grep -q 'part 1 of 2 is incomplete; early1.264.part' stderr
done
run 1 'early1.264.part: exists already' cpu -i large.y4m --range 1/2 -o early1.264
for i in 1 2; do run 0 '' cpu -y -i large.y4m --range $i/2 -o early$i.264; done
check "parts of which one was stopped and encoded again differ from the whole" \
	cmp -s large.264 <(cat early[12].264)
run 1 'No space left' cpu -i in.y4m --range 1/2 -o full.264 --recon /dev/full
check "a part whose --recon fails has its name" [ ! -e full.264 ]
check "a part whose --recon fails is lost" [ -s full.264.part ]

# --- errors -----------------------------------------------------------------------------------

for bad in 0/3 4/3 1 1/ /3 1/3x a/b -1/3 99999999999/3 1/99999999999; do
	run 2 "--range: '$bad' is not I/N with I from 1 to N, such as 2/3" \
		cpu -i in.y4m "--range=$bad" -o bad.264
done
for type in mp4 mkv mov ts; do
	run 2 "--range: parts can be joined as .264 or .h264 only; 'bad.$type' is another type" \
		cpu -i in.y4m --range 1/3 -o bad.$type
done
run 2 '--range cannot be combined with --frames' cpu -i in.y4m --range 1/3 --frames 2 -o bad.264
run 2 '--range cannot be combined with --loop' cpu -i in.y4m --range 1/3 --loop 2 -o bad.264
run 2 '--range: standard input cannot be read twice' cpu -i - --range 1/3 -o bad.264
mkfifo pipe
cat in.y4m >pipe &
run 2 'pipe: a part of the input needs a regular file' cpu -i pipe --range 1/3 -o bad.264
wait
run 1 'nowhere.mkv: No such file' cpu -i nowhere.mkv --range 1/3 -o bad.264
check "an error left an output" [ ! -e bad.264 ]

finish
