#!/usr/bin/env bash
# Output files of gpuintra: no file is named twice, NAME.part becomes NAME at the end, and an older
# file survives all failures before. FFMPEG selects another program; without it its checks are left
# out.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
ffmpeg=${FFMPEG:-ffmpeg}
work=$TEST_BUILDDIR/tests/outfile_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
in_frames=40
# shellcheck source=tests/apps/gpuintra.sh
. "$TEST_SRCDIR/apps/gpuintra.sh"

is_old() { [ "$(cat "$1")" = precious ]; }

head -c $((header_bytes + 3 * frame_bytes - 100)) in.y4m >short.y4m
mkdir sub
cpu -i in.y4m -o want.264 --quiet

# --- no file twice ----------------------------------------------------------------------------

echo precious >hard.264
ln hard.264 hard.json
ln -s nothing.264 dangling.json
ln -s . here
for option in --recon --stats --trace; do
	for files in 'x.264 x.264' 'x.264 ./x.264' "x.264 $PWD/x.264" 'x.264 sub/../x.264' \
		'x.264 here/here/x.264' \
		'nothing.264 dangling.json' 'x.264 x.264.part' 'x.264 here/x.264.part' \
		'hard.264 hard.json'; do
		run 2 "--output '.*' .*$option '.*'" \
			cpu -i in.y4m -o "${files% *}" $option "${files#* }" -y
	done
	run 2 "--output 'in.y4m.264' .*$option" cpu -i in.y4m -o in.y4m.264 $option ./in.y4m.264
	run 2 "$option 'here/in.y4m' would replace the input, --input 'in.y4m'" \
		cpu -i in.y4m -o x.264 $option here/in.y4m -y
	run 2 "--output '-' and $option '-' both write to one file" cpu -i in.y4m -o - $option -
done
run 2 "--stats 'a' and --trace './a' both write to one file" \
	cpu -i in.y4m -o x.264 --stats a --trace ./a
run 2 'NAME.part, which is --stats' cpu -i in.y4m -o x.264 --stats ./s.json.part --trace s.json
run 2 'NAME.part, which is --recon' cpu -i in.y4m -o x.264 --recon ./s.json.part --trace s.json
run 2 'NAME.part, which is --input' cpu -i x.264.part -o x.264 -y
cp want.264 self.264
rc=0
cpu -i - -o self.264 -y <self.264 2>stderr || rc=$?
check "standard input is replaced: exit code $rc" [ $rc -eq 2 ]
rc=0
cpu -i in.y4m -o x.264 --stats - -y >>x.264 2>stderr || rc=$?
check "standard output is the stream's file: exit code $rc" [ $rc -eq 2 ]
rm x.264
check "a refused command left something: $(ls)" \
	[ -z "$(find . -name 'x.*' -o -name '*.part' -o -name nothing.264)" ]
check "a refused command changed a file" is_old hard.264
run 0 '' cpu -i in.y4m -o /dev/null --recon /dev/null --stats /dev/null --quiet

# --- a clean end ------------------------------------------------------------------------------

echo precious >old.264
chmod 606 old.264 # more than the umask allows
ln old.264 other.264
ln -s old.264 link.264
rc=0
(umask 027 && cpu -i in.y4m -o link.264 -y) >stdout 2>stderr || rc=$?
check "through a link: exit code $rc: $(cat stderr)" [ $rc -eq 0 ]
check "the last line does not name the link: $(cat stderr)" grep -q -e '-> link.264' stderr
check "the link is no link any more" [ -L link.264 ]
check "what the link leads to is not replaced" cmp -s old.264 want.264
check "the mode: $(stat -c %a old.264)" [ "$(stat -c %a old.264)" = 606 ]
check "another hard link lost its contents" is_old other.264
(umask 027 && cpu -i in.y4m -o masked.264 --quiet)
check "the umask: $(stat -c %a masked.264)" [ "$(stat -c %a masked.264)" = 640 ]
ln -s sub/through.264 through.264
run 0 '' cpu -i in.y4m -o through.264
mkdir sticky && chmod 1777 sticky && ln -s ../sub/foreign.264 sticky/foreign.264
if chown -h 4321 sticky/foreign.264 2>/dev/null; then
	run 1 'foreign.264: Permission denied' cpu -i in.y4m -o sticky/foreign.264
	check "a link of another user was followed" [ ! -e sub/foreign.264 ]
else
	without "a link of another user, for only root makes one"
fi
check "a link to a file to be made" cmp -s sub/through.264 want.264
: >empty.264.part
run 0 '' cpu -i in.y4m -o empty.264
check "a NAME.part is left" [ -z "$(find . -name '*.part')" ]

# --- failures ---------------------------------------------------------------------------------

# A disk that is full after 8 KiB.
# shellcheck disable=SC2016
full() { bash -c 'ulimit -f 8; exec "$0" --backend cpu -i in.y4m -q 4 "$@"' "$gpuintra" "$@"; }
for type in 264 mkv mp4 mov; do
	echo precious >full.$type
	run 1 "full.$type: File too large; what was written is in .*full.$type.part" full \
		-o full.$type -y
	check "a full disk: the older .$type is lost" is_old full.$type
	check "a full disk: full.$type.part does not play" [ "$(frames full.$type.part)" -ge 1 ]
	run 1 "new.$type: File too large; what was written is in" full -o new.$type
	check "a full disk: new.$type has the name of a complete file" [ ! -e new.$type ]
	check "a full disk: new.$type.part does not play" [ "$(frames new.$type.part)" -ge 1 ]
done
for type in mp4 mov; do # five frames, so that there is no fragment
	echo precious >full.$type
	run 1 "full.$type: File too large; nothing is left of the new file" \
		full --frames 5 -o full.$type -y
	check "a full disk: the older .$type is lost" is_old full.$type
	check "a full disk: a .$type that does not play is left" [ ! -e full.$type.part ]
done
# One of two outputs fails; the other one is complete so far, beside its older version.
for file in both.264 both.mp4 both.json; do echo precious >$file; done
# shellcheck disable=SC2016
run 1 'both.y4m: File too large; what was written is in' \
	bash -c 'ulimit -f 12; exec "$0" --backend cpu -i in.y4m \
	-q 51 -y -o both.mp4 --recon both.y4m --stats both.json' "$gpuintra"
check "--recon fails: no warning about both.mp4.part" \
	grep -q 'both.mp4 is unchanged.*the new file is .*both.mp4.part' stderr
check "--recon fails: a warning about both.y4m besides its error" \
	[ "$(grep -c "both.y4m is" stderr)" -eq 0 ]
check "--recon fails: the older stream is lost" is_old both.mp4
check "--recon fails: the new stream does not play" [ "$(frames both.mp4.part)" -ge 1 ]
check "--recon fails: the older report is lost" is_old both.json
# The input ends too early: the new files are complete as far as they go, and replace nothing.
for file in short.mp4 short.json short.trace; do echo precious >$file; done
run 1 'short.mp4 is unchanged' cpu -i short.y4m -y -o short.mp4 --stats short.json \
	--trace short.trace
for file in short.mp4 short.json short.trace; do
	check "damaged input: the older $file is lost" is_old $file
	check "damaged input: no $file.part" [ -s $file.part ]
	check "damaged input: no message about $file.part" grep -q "new file is .*$file.part" stderr
done
check "damaged input: short.mp4.part has not 2 frames" has_frames 2 short.mp4.part
run 1 '-> fresh.mp4' cpu -i short.y4m -y -o fresh.mp4
check "damaged input: fresh.mp4 has not 2 frames" has_frames 2 fresh.mp4
check "damaged input: fresh.mp4.part is left" [ ! -e fresh.mp4.part ]

# --- a NAME.part from before ------------------------------------------------------------------

run 1 'new.264.part: exists already.*rename or remove it; -y overwrites it' cpu -i in.y4m -o new.264
cp new.264.part before.264
for option in --stats --recon --trace; do
	run 1 'new.264.part: exists already' cpu -i in.y4m -o x.264 $option new.264
done
check "an older NAME.part is lost without -y" cmp -s before.264 new.264.part
run 0 '' cpu -i in.y4m -o new.264 -y
check "an older NAME.part is not replaced with -y" cmp -s new.264 want.264
check "new.264.part is left" [ ! -e new.264.part ]
mkdir folder.264.part
run 1 'folder.264.part: is no regular file' cpu -i in.y4m -o folder.264 -y
if [ "$(id -u)" -ne 0 ]; then
	mkdir closed && echo precious >closed/x.264 && chmod 555 closed
	run 1 'closed/x.264: cannot be replaced, because no file can be created in its folder' \
		cpu -i in.y4m -o closed/x.264 -y
	check "a file in a closed folder is lost" is_old closed/x.264
	chmod 755 closed
else
	without "a folder that may not be written to, for root may"
fi

# --- while it is being written ----------------------------------------------------------------

# reaches FILE BYTES: the file has so many bytes.
reaches() { [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ]; }
# begin FEED BYTES FILE OPTION...: encodes what FEED writes, and returns when FILE.part has BYTES;
# the input goes on through descriptor 7.
begin() {
	local feed=$1 bytes=$2
	shift 2
	rm -f pipe
	mkfifo pipe
	launch bash -c 'exec "$@" 2>begun' begin "$gpuintra" --backend cpu -i pipe -q 0 \
		--frames-in-flight 1 -o "$@"
	exec 7>pipe
	$feed >&7
	await reaches "$1.part" "$bytes"
	check "$1: no .part of $bytes bytes: $(cat begun)" reaches "$1.part" "$bytes"
}
# end RC WHAT: the input ends, and the exit code is RC.
end() {
	local rc=0
	exec 7>&-
	wait $pid || rc=$?
	check "$2: exit code $rc: $(cat begun)" [ $rc -eq "$1" ]
}
three() { head -c $((header_bytes + 3 * frame_bytes)) in.y4m; }
many() { "$picgen" noise 320x240 60; }
# Bytes of the file and frames that it has at least; fragments of an .mp4 or .mov have 13 frames,
# the first four together 15.
for moment in 264:4000000:30 mkv:4000000:30 mp4:1600000:15 mp4:4000000:28 \
	mov:4000000:28; do
	type=${moment%%:*} least=${moment##*:}
	echo precious >killed.$type
	begin many "$(cut -d : -f 2 <<<"$moment")" killed.$type -y
	{ kill -KILL $pid && wait $pid; } 2>/dev/null
	exec 7>&-
	check "SIGKILL: the older .$type is lost" is_old killed.$type
	check "SIGKILL: killed.$type.part has $(frames killed.$type.part) frames" \
		[ "$(frames killed.$type.part)" -ge "$least" ]
	if command -v "$ffmpeg" >/dev/null; then
		check "SIGKILL: FFmpeg does not play killed.$type.part" \
			[ "$("$ffmpeg" -v quiet -nostdin \
			-i killed.$type.part -f framemd5 - | grep -vc '^#')" -ge "$least" ]
	else
		without "killed.$type.part in FFmpeg, for want of it"
	fi
done

echo precious >busy.264
begin three 1 busy.264 -y
run 1 'busy.264.part: another process is writing it' cpu -i in.y4m -o busy.264 -y
end 0 'a file that two processes write'
check "a file that two processes write has not 3 frames" has_frames 3 busy.264

begin three 1 late.264
echo precious >late.264
end 1 'a file that appears'
check "a file that appears: $(cat begun)" \
	grep -q 'late.264: appeared during the run; the new file is in .*late.264.part' begun
check "a file that appears is replaced" is_old late.264
check "a file that appears: the new one has not 3 frames" has_frames 3 late.264.part

begin three 1 moved.264
mv moved.264.part elsewhere.264
end 1 'a moved NAME.part'
check "a moved NAME.part: $(cat begun)" \
	grep -q 'moved.264.part: moved or removed during the run' begun
check "a moved NAME.part has not 3 frames" has_frames 3 elsewhere.264

for signal in INT:130 TERM:143; do
	echo precious >stopped.mp4
	rm -f recon
	mkfifo recon
	rm -f pipe
	mkfifo pipe
	launch bash -c 'exec "$@" 2>begun' stopped "$gpuintra" --backend cpu -i pipe \
		-o stopped.mp4 -y --recon recon --frames-in-flight 1
	exec 7>pipe
	three >&7
	exec 8<recon
	IFS= read -r -n 1 -u 8 byte
	check "$signal: nothing was encoded" [ "$byte" = Y ]
	kill -s "${signal%:*}" $pid
	cat <&8 >/dev/null
	end "${signal#*:}" "$signal"
	exec 8<&-
	check "$signal: the older file is not replaced" [ "$(frames stopped.mp4)" -ge 1 ]
	check "$signal: stopped.mp4.part is left" [ ! -e stopped.mp4.part ]
done

finish
