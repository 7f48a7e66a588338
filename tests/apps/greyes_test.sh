#!/usr/bin/env bash
# greyes from the command line, on the CPU and without a window: options, errors in scenes, frames,
# figures, progress. The files are tested by greyes_files_test.sh, the window by
# greyes_window_test.sh.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/greyes_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/greyes.sh
. "$TEST_SRCDIR/apps/greyes.sh"
halves halves.rib

# --- the command line -------------------------------------------------------------------------

cpu 0 '' --help
check "--help does not fit 80 columns" [ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
check "--help gives a letter to two options" \
	[ -z "$(sed -n 's/^  \(-[A-Za-z0-9]\), .*/\1/p' stdout | sort | uniq -d)" ]
cpu 0 '' --version
check "--version does not list OpenEXR" grep -qE '^OpenEXR: (not )?built in$' stdout
documented "$greyes" "$TEST_SRCDIR/../apps/greyes"

cpu 2 'the scene is missing' --quiet
cpu 2 'the value is empty' ''
cpu 2 "unexpected argument 'b.rib'" a.rib b.rib
cpu 2 "unknown option '--crops'; the closest option is --crop" halves.rib --crops 0,1,0,1
for value in 0 0x0 64x0 0x48 1000000x1000000 65537x1 64 64x 64x48x2 -1x4 axb ''; do
	cpu 2 "res" halves.rib --res "$value"
done
for value in 0,1,0 0,1,0,1,0 0.5,0.5,0,1 0,1,1,0 -0.1,1,0,1 0,1.5,0,1 nan,1,0,1 0,1,0,x; do
	cpu 2 "'$value' is not X0,X1,Y0,Y1" halves.rib --crop="$value"
done
for value in 0 65 4x0 4x65 x4 4x 4x4x4 -2 99999999999 1.5; do
	cpu 2 "'$value' is not N or NxM" halves.rib --samples="$value"
done
for value in 3-2 -1 a 1- 1-2-3 99999999999; do
	cpu 2 "'$value' is not a number A or a range" halves.rib --frames="$value"
done
cpu 2 'the factor 0 is not above 0' halves.rib --shadingrate 0
cpu 2 "'-1' is not" halves.rib --shadingrate -1
cpu 2 "'heap' is not one of auto, ring" halves.rib --queue heap
cpu 2 "'4X' is not" halves.rib --memory 4X
cpu 1 'the limit of memory is 100.0 KB' halves.rib --memory 100K
cpu 1 'picture need [0-9.]* KB, and the limit of memory is 1.0 KB' halves.rib --memory 1K
cpu 1 'the limit of memory is 1000 bytes' halves.rib --memory 1000
cpu 1 'make the picture or PixelSamples smaller' halves.rib --res 4000x4000 --memory 300M
cpu 2 "'90000' is not one of auto, r90000" halves.rib --progress 90000
cpu 2 'watch needs a file' - --watch
run 2 'threads cannot be combined with --backend cuda' "$greyes" halves.rib --backend cuda -t 2
run 2 'device cannot be combined with --backend cpu' "$greyes" halves.rib --backend cpu --device 1
cpu 2 'does not end in .png' halves.rib -o picture
cpu 2 'does not end in .png' halves.rib -o picture.jpg
cpu 2 'both' halves.rib -o out.png --stats=out.png
cpu 2 '' ./halves.rib --stats=halves.rib
check "bad options leave files" \
	[ "$(find . -type f | sort | tr '\n' ' ')" = './halves.rib ./stderr ./stdout ' ]
has CUDA || run 1 '' "$greyes" halves.rib --backend cuda

# --- pictures ---------------------------------------------------------------------------------

cpu 0 'frame 1: 64x48, .*, halves.png$' halves.rib
check "size $(size halves.png)" [ "$(size halves.png)" = 64x48 ]
check "left half: $(colors halves.png crop=32:48:0:0)" \
	[ "$(colors halves.png crop=32:48:0:0)" = 'ff0000 ' ]
# The edge is between two pixels; a sample next to it may be on either side.
check "right half: $(colors halves.png crop=31:48:33:0)" \
	[ "$(colors halves.png crop=31:48:33:0)" = '000000 ' ]
cpu 0 '' halves.rib -o quiet.png --quiet
check "--quiet prints" [ ! -s stderr ]
cpu 0 '' halves.rib -o wide.png --res 80x30 --samples 3x2
check "--res: $(size wide.png)" [ "$(size wide.png)" = 80x30 ]
check "--res: left half" [ "$(colors wide.png crop=40:30:0:0)" = 'ff0000 ' ]
cpu 0 '' "$first" -o full.png --res 160x120 --samples 2
for queue in donate ring steal; do
	cpu 0 '' "$first" -o "$queue.png" --res 160x120 --samples 2 --queue $queue --threads 3
	check "$queue draws another picture" cmp -s full.png "$queue.png"
done
cpu 0 '' "$first" -o part.png --res 160x120 --samples 2 --crop 0.25,0.75,0.5,1
check "--crop: $(size part.png)" [ "$(size part.png)" = 80x60 ]
pixels full.png crop=80:60:40:60 >full.rgb
pixels part.png >part.rgb
check "--crop draws another part" cmp -s full.rgb part.rgb
cpu 0 '' "$first" -o fine.png --res 160x120 --shadingrate 0.25 --stats
fine=$(grep -o 'micropolygons [0-9]*' stdout | tr -dc 0-9)
cpu 0 '' "$first" -o coarse.png --res 160x120 --stats
coarse=$(grep -o 'micropolygons [0-9]*' stdout | tr -dc 0-9)
check "--shadingrate: $coarse and $fine micropolygons" \
	[ "$fine" -gt $((2 * coarse)) -a "$coarse" -gt 1000 ]
"$greyes" --backend cpu - -o pipe.png <halves.rib >stdout 2>stderr
check "from a pipe: $(cat stderr)" cmp -s halves.png pipe.png
if has 'compressed RIB'; then
	gzip -c halves.rib | "$greyes" --backend cpu - -o packed.png >stdout 2>stderr
	check "from a compressed pipe: $(cat stderr)" cmp -s halves.png packed.png
	gzip -c "$first" | head -c 600 >short.rib
	"$greyes" --backend cpu short.rib -o short.png >stdout 2>stderr
	check "a truncated gzip file: exit code $?" [ $? -eq 1 ]
	check "a truncated gzip file: $(cat stderr)" grep -q 'the input ends early' stderr
	check "a truncated gzip file gives a picture" [ ! -e short.png ]
fi

# --- scenes with errors -----------------------------------------------------------------------

cpu 1 'missing.rib.* cannot be opened: No such file' missing.rib
cpu 1 'cannot be opened: Is a directory' .
: >empty.rib
cpu 1 'empty.rib has no frame' empty.rib
run 1 'standard input has no frame' "$greyes" --backend cpu -
sed 's/^Color/Colour/' halves.rib >typo.rib
run 0 'typo.rib:7:1: .*Colour' "$greyes" --backend cpu typo.rib -o typo.png
check "an error in the scene ends the frame" [ -e typo.png ]
printf 'WorldBegin WorldBegin AttributeBegin WorldEnd Format 8 8 1 WorldEnd' >nested.rib
run 0 'AttributeBegin is open; it ends here' "$greyes" --backend cpu nested.rib
check "nested blocks: $(cat stderr)" [ "$(grep -c 'frame 1: ' stderr)" -eq 1 ]
{ echo WorldBegin; yes AttributeBegin | head -200000; echo WorldEnd; } >many.rib
run 0 'and 199995 more like "WorldEnd: a block of AttributeBegin' "$greyes" --backend cpu many.rib \
	-o many.png
check "200000 open blocks: $(wc -l <stderr) lines" [ "$(wc -l <stderr)" -le 10 ]
echo 'WorldBegin Disk 1 1 360' >open.rib
"$greyes" --backend cpu open.rib >stdout 2>stderr
check "an open world block: exit code" [ $? -eq 1 ]
check "an open world block: $(cat stderr)" \
	grep -q 'open.rib: a block of WorldBegin is open at the end' stderr
"$greyes" --backend cpu typo.rib -o strict.png --strict >stdout 2>stderr
check "--strict: exit code" [ $? -eq 1 ]
check "--strict draws" [ ! -e strict.png ]
check "--strict: $(cat stderr)" [ "$(cat stderr)" = \
	'greyes: error: typo.rib:7:1: Colour: this request is unknown' ]
{ echo 'ErrorHandler "abort"'; cat halves.rib; echo 'Illuminate "none" 1'; } >abort.rib
cpu 1 'abort.rib:12:1: Illuminate: there is no light "none"$' abort.rib --no-window
check "abort: $(cat stderr)" [ "$(grep -c error stderr)" -eq 1 ]
{ echo 'ErrorHandler "ignore"'; cat typo.rib; } >ignore.rib
cpu 1 'ignore.rib:8:1: Colour: this request is unknown$' ignore.rib --strict
head -c 300 /dev/urandom >noise.rib
"$greyes" --backend cpu noise.rib >stdout 2>stderr
check "random bytes: exit code" [ $? -eq 1 ]
cat >program.rib <<-'END'
	WorldBegin
	Procedural "RunProgram" ["sh -c touch\ ran" ""] [-1 1 -1 1 -1 1]
	WorldEnd
END
run 0 'allow them with --allow-programs' "$greyes" --backend cpu program.rib -o program.png
printf '#!/bin/sh\nexit 3\n' >gen.sh
chmod +x gen.sh
sed 's/"sh .*ran"/"gen.sh"/' program.rib >gen.rib
run 0 'gen.rib:2:1: Procedural: the program "gen.sh" has failed with exit status 3$' \
	"$greyes" --backend cpu gen.rib --allow-programs -o gen.png
cpu 1 'exit status 3$' gen.rib --allow-programs --strict -o gen2.png
printf '#!/bin/sh\necho Sphere 1 -1 1 360\n' >gen.sh
run 0 'gen.rib:2:1: .*"gen.sh" may be incomplete' \
	"$greyes" --backend cpu gen.rib --allow-programs -o gen2.png
mkdir -p archives
sed -n '/^Color/,/^Polygon/p' halves.rib >archives/shape.rib
sed -e '/^Color/,/^Surface/d' -e 's/^Polygon.*/ReadArchive "shape.rib"/' halves.rib >reads.rib
cpu 0 '' reads.rib -o reads.png --search-path archives
check "--search-path" cmp -s halves.png reads.png

# --- buckets, a limit of memory, timelines -------------------------------------------------------

cpu 0 '' "$first" -o whole.png --res 100x80
cpu 0 '' "$first" -o buckets.png --res 100x80 --bucket 24
check "--bucket changes the picture" cmp -s whole.png buckets.png
cpu 0 '' "$first" -o limit.png --res 100x80 --memory 3M --stats
check "--memory changes the picture" cmp -s whole.png limit.png
check "--memory 3M does not divide the picture" grep -q 'buckets [2-9]' stdout
cpu 1 'raise the limit' "$first" -o none.png --memory 100K
check "a file of a frame that failed" [ ! -e none.png ]
cpu 0 '' "$first" -o t.png --res 100x80 --trace trace.json
if command -v python3 >/dev/null; then
	check "--trace is no JSON" python3 -m json.tool trace.json /dev/null
fi
cpu 0 '' "$first" -o t.png -y --res 100x80 --trace trace.svg
check "--trace: no picture" grep -q '<svg' trace.svg
cpu 1 'trace.svg: exists already; -y' "$first" -o u.png --trace trace.svg
cpu 2 "both" "$first" -o u.png --trace u.png

# --- figures and progress ---------------------------------------------------------------------

frames three.rib 3
cpu 0 '' three.rib --stats=stats.json -o j.png --no-window
check "--stats: frames" [ "$(grep -c '"frame": ' stats.json)" -eq 3 ]
cpu 1 'stats.json: exists already; -y' three.rib --stats stats.json -o k.png
for dash in '--stats -' --stats=-; do
	# shellcheck disable=SC2086
	cpu 0 '' three.rib -y -o j.png $dash
	check "$dash: no JSON on standard output" [ "$(grep -c '"frame": ' stdout)" -eq 3 ]
done
cpu 0 '' --stats - three.rib -y -o j.png
check "--stats - before the scene" [ "$(grep -c '"frame": ' stdout)" -eq 3 ]
"$greyes" --backend cpu -y -o pipe.png --stats - <halves.rib >stdout 2>stderr
check "a scene from a pipe behind --stats: $(cat stderr)" grep -q 'micropolygons [0-9]' stdout
if command -v python3 >/dev/null; then
	check "--stats is no JSON" python3 -m json.tool stats.json /dev/null
else
	without "reading JSON, for want of python3"
fi

rc=0
"$greyes" --backend cpu halves.rib -o /dev/null --stats >/dev/full 2>stderr || rc=$?
check "-o /dev/null: exit code $rc" [ $rc -eq 2 ]
rc=0
"$greyes" --backend cpu halves.rib -y -o s.png --stats >/dev/full 2>stderr || rc=$?
check "full standard output: exit code $rc" [ $rc -eq 1 ]
cpu 0 '^R90000   0%$' three.rib --progress r90000 -y -o j.png
check "R90000: $(grep -c 'R90000 100%' stderr) ends" [ "$(grep -c '^R90000 100%$' stderr)" -eq 3 ]
check "R90000 decreases in a frame" awk '/^R90000/ { v = $2 + 0
	if (v && v < last) bad = 1; last = v } END { exit bad }' stderr
cpu 0 '' three.rib -y -o j.png
check "progress without a terminal" [ "$(grep -c '%' stderr)" -eq 0 ]
if command -v script >/dev/null; then
	script -qec "$greyes --backend cpu $first -y -o t.png --res 800x600" /dev/null \
		</dev/null >stdout 2>&1
	check "no progress on a terminal" grep -q 'frame 1: [0-9]* %' stdout
else
	without "progress on a terminal, for want of script"
fi

finish
