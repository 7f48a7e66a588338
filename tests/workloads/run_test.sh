#!/usr/bin/env bash
# Every workload of the table under every queue, with up to 16 CPU threads, on the inputs that
# its table of cases names: each row is checked by the workload, and all rows have one result.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/run_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/common/effort.sh
. "$TEST_SRCDIR/common/effort.sh"
gsched=$TEST_BUILDDIR/gsched
# a short run has these in turn
IFS=' ' read -r -a workers <<<"$(effort 1,2,3,16 "1 16 3" 3)"
turn=0
# the queues have suites of their own under sanitizers
queues=$(effort all all ring,dist)

"$TEST_BUILDDIR/tests/workloads/cases" >cases || exit 1
check "no cases" [ -s cases ]
"$gsched" run --names >names
check "a workload has no case" [ "$(cut -d' ' -f1 cases | uniq)" = "$(cat names)" ]
while read -r name arguments; do
	# shellcheck disable=SC2086
	run 0 '' "$gsched" run "$name" $arguments --backend cpu --queue "$queues" \
		--workers "${workers[$((turn++ % ${#workers[@]}))]}" -r 1 --csv - </dev/null
	wrong=$(awk -F, 'NR > 1 && $0 !~ /,checked,/' stdout | grep -v ',left out,' | head -n 2)
	check "$name $arguments: $wrong" [ -z "$wrong" ]
	check "$name $arguments has no rows" [ "$(wc -l <stdout)" -gt "$(effort 4 4 2)" ]
done <cases

run 2 'a workload is missing' "$gsched" run
run 2 "unknown workload 'sorr'" "$gsched" run sorr
run 2 "unknown option '--size'" "$gsched" run fib --size 3

# too little memory (a sanitizer needs more than there is to limit)
[ "$(effort 1 1 0)" = 0 ] ||
	run 1 '(cannot allocate|out of memory).* MB .*; a smaller input takes less' \
		bash -c 'ulimit -v 600000; exec "$0" run sort --backend cpu -t 1 -n 200M' "$gsched"

[ "$(effort 1 1 0)" = 0 ] ||
	run 1 'out of memory: [0-9]+ bytes for the run; smaller capacities' \
		bash -c 'ulimit -v 600000
		exec "$0" run fib 5 --backend cpu -t 1 --queue ring --capacity 500000000' "$gsched"

# meshes from files: coordinates that are no floats, names that are none
printf 'v 0 0 0\nv 1e39 0 0\nv 0 1 0\nf 1 2 3\n' >huge.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >small.obj
for name in bvh collide hull lod trace; do
	run 1 'coordinate x is 1e\+39; it must be a finite float' \
		"$gsched" run $name --backend cpu -i huge.obj
	run 1 'input.* standard input' "$gsched" run $name --backend cpu -i -
	run 0 '' "$gsched" run $name --backend cpu -i small.obj -r 1
	run 0 '' "$gsched" run $name --backend cpu -i <(cat small.obj) -r 1
done
run 1 'huge.obj: vertex 1: coordinate x' \
	"$gsched" run collide --backend cpu -i small.obj,huge.obj
for name in ',' 'small.obj,' ',small.obj'; do
	run 1 'input: the name of a file is empty' "$gsched" run collide --backend cpu -i $name
done
# a point through the notch of a concave polygon touches nothing; a report names the file, and no
# generated mesh
notch='v 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1.6 1.2 %s\nv 5 5 5\nv 6 5 5\n'
faces='f 1 2 3 4 5 6\nf 7 8 9\nf 1 2\n'
# shellcheck disable=SC2059
printf "$notch$faces" 1 >above.obj
# shellcheck disable=SC2059
printf "$notch$faces" -1 >below.obj
run 0 'warning: .*below.obj: faces of fewer than 3 corners are skipped: 1;' "$gsched" run collide \
	--backend cpu -i above.obj,below.obj --phase contacts --pairs vertex-face -r 1 --json -
check "a concave polygon is covered" grep -q '"contacts": 0 ' stdout
check "the report does not name the input: $(cat stdout)" \
	grep -q '"input": "above.obj,below.obj", "pairs"' stdout
# two triangles that shrink to a point along a diagonal: without a limit of cells a contact takes
# minutes, and no time limit ends it, because each cell is progress
c=3.39999995
cat >wide.obj <<-END
	v $c 1.85809548 $c
	v $c $c $c
	v 3.4005711 $c $c
	v 3.18732347 $c $c
	v $c $c $c
	v $c $c $c
	f 1 2 3
	f 4 5 6
END
sed "/^v/s/.*/v -$c -$c -$c/; 1s/$c/3.39996872/" wide.obj >point.obj
run 0 '' timeout 60 "$gsched" run collide --backend cpu -i wide.obj,point.obj --phase contacts \
	--pairs vertex-face -r 1 --timeout 5000 --json -
check "contacts of triangles that shrink: $(grep contacts stdout)" grep -q '"contacts": 5 ' stdout

# scenes from files: what is wrong where, and a file in a pipe
printf '<X3D>\n<Scene></X3D>\n' >crossed.x3d
printf '<X3D>\n<Shape DEF="a"/></X3D>\n' >scene.x3d
run 1 'crossed.x3d: byte 13, line 2: an end tag that does not fit' \
	"$gsched" run x3d --backend cpu -i crossed.x3d
run 1 "input 'none.x3d': No such file" "$gsched" run x3d --backend cpu -i none.x3d
: >empty.x3d
run 1 'empty.x3d: the file is empty' "$gsched" run x3d --backend cpu -i empty.x3d
run 1 'input.* standard input' "$gsched" run x3d --backend cpu -i -
run 0 '' "$gsched" run x3d --backend cpu -r 1 -i <(cat scene.x3d)
check "elements of a scene: $(grep elements stdout)" grep -q '^elements: 2$' stdout
run 0 'warning: .*--upload has no effect' "$gsched" run x3d --backend cpu -i scene.x3d --upload -r 1

# a solver solves once, unless timing is asked for
run 0 '' "$gsched" run fourrow --backend cpu --solve 444444333333222222 --json -
check "the solver ran more than once" grep -q '"repeat": 1,' stdout
run 0 '' "$gsched" run fourrow --backend cpu --solve 444444333333222222 -r 2 --json -
check "the solver did not run twice" grep -q '"repeat": 2,' stdout
run 0 '' "$gsched" run fourrow --backend cpu -n 1 --json -
check "the tree was not measured five times" grep -q '"repeat": 5,' stdout
# one worker searches a leaf for longer than the timeout
run 0 '' "$gsched" run fourrow --backend cpu --board 5x7 --solve - -t 1 --timeout 200
check "the value of 5x7: $(cat stdout)" grep -q "^value .*: 0$" stdout
# and shows on a terminal for how long
if command -v script >/dev/null; then
	launch script -qefc "echo \$\$ >solver; exec $gsched run fourrow --backend cpu \
		--board 5x7 --solve - --table 1M -t 1" /dev/null </dev/null
	await grep -q outstanding stdout
	kill -s TERM "$(cat solver)" 2>/dev/null
	wait $pid 2>/dev/null
	check "no progress on a terminal: $(cat stdout stderr)" \
		grep -q '0/1 runs, .*, [0-9]* s in this run, [0-9]* tasks outstanding' stdout
else
	without "progress on a terminal, for want of script"
fi

# no input is no work, though a task runs; without operations of its own a workload counts tasks
for case in 'sort -n 0' 'octree -n 0' 'bvh -n 0' 'lod -n 0' 'collide --scene random -n 0' \
	'collide --scene random -n 0 --pairs edges --phase contacts'; do
	# shellcheck disable=SC2086
	run 0 '' "$gsched" run $case --backend cpu -r 1 --json zero.json -y --svg zero.svg
	check "$case does not show 0" awk '$1 == "dynamic" { found = $5 == "0" && $6 == "0" }
		END { exit !found }' stdout
	check "$case: JSON has no 0 operations" grep -q '"operations": 0' zero.json
	check "$case: no picture" grep -q '</svg>' zero.svg
done
run 0 '' "$gsched" run fib 5 --queue ring --backend cpu -r 1 --json tasks.json
check "fib has operations" [ "$(grep -c operations tasks.json)" -eq 0 ]
check "fib does not count its items" grep -q '^dynamic .* 15  ' stdout

# options without use are refused, their defaults are not
clash() {
	local pattern=$1
	shift
	run 2 "$pattern" "$gsched" run "$@" --backend cpu -r 1 --quiet
}
for options in '--shape sphere' '-n 3' '--seed 2'; do
	# shellcheck disable=SC2086
	clash '--input cannot be combined with --(shape|triangles|seed);' bvh -i small.obj $options
done
clash '--input cannot be combined with --spheres;' trace -i small.obj -n 3
clash '--order even and variance have no --input' trace -i small.obj --order even
for options in '--scene tori' '-n 3' '--seed 2'; do
	# shellcheck disable=SC2086
	clash '--input cannot be combined with --(scene|triangles|seed);' \
		collide -i small.obj $options
done
for options in '--scene field' '-n 3' '--seed 2'; do
	# shellcheck disable=SC2086
	clash '--input cannot be combined with --(scene|triangles|seed);' lod -i small.obj $options
done
for options in '--scene ball' '-n 3' '--seed 2'; do
	# shellcheck disable=SC2086
	clash '--input cannot be combined with --(scene|triangles|seed);' hull -i small.obj $options
done
clash "--cameras: '0' is not 1" hull --cameras 0
clash "--size: '0x9' is not" hull --size 0x9
clash "--limit: '0' is not 1" hull --limit 0
clash "--image 'hull.gif': the name must end in" hull --image hull.gif
for options in '--pixels 3' '--distance 1' '--direction 1,0,0'; do
	# shellcheck disable=SC2086
	clash '--level cannot be combined with --(pixels|distance|direction);' \
		lod --level 3 $options
done
for direction in 0,0,0 1,2 1,2,3, 1,nan,0; do
	clash "--direction '$direction': it must be three numbers" lod --direction "$direction"
done
clash '--lengths zipf needs several lists' sort --lengths zipf
clash '--law zipf needs several lists' sort --law zipf
clash '--front needs --phase pairs' collide --phase contacts --pairs edges --front 3
clash '--tolerance needs --phase contacts' collide --tolerance 1e-3
clash '--tolerance needs --phase contacts' collide --tolerance 1e-3 --phase pairs
clash '--solve cannot be combined with --plies;' fourrow --solve - --plies 3
clash '--solve cannot be combined with --serial;' fourrow --solve - --serial 3
clash '--solve cannot be combined with --bounds;' fourrow --solve - --bounds
clash '--table needs --solve' fourrow --plies 3 --table 5
clash '--budget needs --solve' fourrow --plies 3 --budget 7
for arguments in 'bvh -i small.obj --shape cloth -n 100K --seed 1' \
	'collide -i small.obj --scene cloth -n 100000 --seed 1 --tolerance 1e-6' \
	'collide -n 10 --pairs edges --phase contacts --tolerance 0.001' \
	'lod -i small.obj --scene sphere -n 200000 --seed 1' \
	'lod --level 2 -n 10 --distance 2 --direction 0,0,1 --pixels 4.0' \
	'fourrow --solve 121212 --plies 7 --serial 0' 'fourrow -n 2 --table 0 --budget 0'; do
	# shellcheck disable=SC2086
	run 0 '' "$gsched" run $arguments --backend cpu -r 1 --quiet
done

clash '--input cannot be combined with --bytes;' x3d -i scene.x3d -n 5
clash '--input cannot be combined with --seed;' x3d -i scene.x3d --seed 2
clash '--turn needs --regroup turns or lanes' trace --regroup none --turn 3
clash '--turn needs --order paths' trace --order even --turn 3
clash '--regroup needs --order paths' trace --order even --regroup lanes
clash '--visit needs --order even or variance' trace --visit 3
clash '--density needs --order even or variance' trace --density paths.png
clash "--image 'room.gif': the name must end in" trace --image room.gif
clash "--density 'room': the name must end in" trace --order even --density room
clash 'a side is more than 16 times the other' trace --size 2x33
clash "--image 'one.png' and --density 'one.png' both write to one file" \
	trace --order even --image one.png --density one.png
clash "--svg 'one.png' and --image 'one.png' both write" trace --svg one.png --image one.png
clash "--image 'small.obj' would replace the input, --input" trace -i small.obj --image small.obj
clash 'are more than 16G paths' trace --size 4096x4096 --samples 1025

# a picture replaces pictures of its format only
if "$gsched" run trace --backend cpu -r 1 --quiet --size 9x9 --image room.png 2>stderr; then
	check "no PNG file" [ "$(head -c 4 room.png | tail -c 3)" = PNG ]
	cp small.obj other.png
	for file in room.png other.png; do # before the work
		run 1 "$file: exists already" \
			"$gsched" run trace --backend cpu -r 100000 --image $file
	done
	check "a file was replaced" cmp -s small.obj other.png
	run 0 '' "$gsched" run trace --backend cpu -r 1 --quiet --size 9x9 --image other.png -y
	why=$(ulimit -f 1 && "$gsched" run trace --backend cpu -r 1 --quiet -y \
		--image other.png 2>&1)
	check "a full disk: $why" grep -q '^gsched: error: other.png: File too large' <<<"$why"
else
	check "the picture: $(cat stderr)" grep -q 'this build cannot write the format' stderr
fi

# the checks of fine silhouettes know what an error of depths moves
run 0 '' "$gsched" run hull --backend cpu --scene ball -n 600 --silhouette 2048 --frames 2 \
	--size 300x300 --cameras 16 -r 2 --method full --quiet

for name in trace hull; do # a wrong name is an error before the work
	run 1 'nowhere/a.png: No such file' \
		"$gsched" run $name --backend cpu -r 100000 --image nowhere/a.png
done

# nothing is measured in part, and no input is replaced
clash '--workers has 65 values; at most 64' fib 5 --workers "1$(printf ',1%.0s' {1..64})"
clash '--queue has [0-9]* values; at most 64' fib 5 --queue all,all,all,all,all,all,all
for name in bvh collide hull lod; do
	clash "--json 'small.obj' would replace the input, --input" \
		$name -i small.obj --json small.obj -y
	clash "--trace '[.]/small.obj' would replace the input, --input" \
		$name -i small.obj --trace ./small.obj -y -t 1
done
clash "--csv 'end.obj' would replace the input, --input 'end.obj'" \
	collide -i small.obj,end.obj --csv end.obj -y
check "an input was replaced" grep -q '^f 1 2 3' small.obj

# a game that is over has no best column
run 0 '' "$gsched" run fourrow --backend cpu -r 1 --solve 1212121
check "a finished game has a best column" [ "$(grep -c 'best columns' stdout)" -eq 0 ]
check "a finished game has no value" grep -q '^value .*: -1$' stdout
run 0 '' "$gsched" run fourrow --backend cpu -r 1 --solve 121212
check "the best column is not 1" grep -q '^best columns: 1$' stdout

run 0 '' "$gsched" run --help
for name in $(cat names); do
	check "gsched run --help lacks $name" grep -q "^  $name " stdout
done
run 0 '' "$gsched" list
for name in $(cat names); do
	check "gsched list lacks $name" grep -q "^  $name " stdout
done
for name in $(cat names); do
	run 0 '' "$gsched" run "$name" --help
	check "$name --help does not fit 80 columns" \
		[ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
done
finish
