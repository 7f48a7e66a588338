#!/usr/bin/env bash
# gqueens from the command line, on the CPU: options, counts, boards, standard output. The
# checkpoints are tested by gqueens_checkpoint_test.sh.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/gqueens_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gqueens.sh
. "$TEST_SRCDIR/apps/gqueens.sh"

known=(0 1 0 0 2 10 4 40 92 352 724 2680 14200 73712 365596 2279184 14772512)

# --- the command line -------------------------------------------------------------------------

cpu 0 '' --help
check "--help does not fit 80 columns" [ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
cpu 0 '' --version
check "--version does not name the checkpoints" grep -q '^checkpoints: version 1$' stdout
documented "$gqueens" "$TEST_SRCDIR/../apps/gqueens"
cpu 0 '' --list
for queue in ring prio; do check "--list lacks $queue" grep -q " $queue" stdout; done

for n in 0 -3 1.5 33 abc '' 99999999999999999999 3- -8-9 9-8 1,,2 1-33 0x8 ' 8' 8x; do
	cpu 2 "'$n' is not " "$n"
	check "'$n' counts" [ ! -s stdout ]
done
cpu 2 'number of queens missing' --quiet
cpu 2 "unknown option '--uniqe'; the closest option is --unique" 8 --uniqe
cpu 2 "'magic' is not one of auto, tasks" 8 --method magic
cpu 2 "'heap' is not one of auto, ring" 8 --queue heap
cpu 2 "'1x' is not all or a number" 8 --backend auto --device 1x
cpu 2 'cannot be combined with --backend cpu' 8 --device 0
cpu 2 'join counts 4 to' 29 --method join
cpu 2 'cannot be combined with --backend cpu' 12 --memory-limit 4
# units of large joins: parts with given queens
cpu 0 '6 parts of units with given queens verified by backtracking' 23 --method join \
	--range 1/40000 --verify-sample 6
cpu 2 'join counts' 8 --method join --given 0:0
cpu 2 'tasks without --toroidal' 8 --method tasks --toroidal
cpu 2 'is not row:column' 8 --given 0:1,
cpu 2 'is not row:column' 8 --given 0-1
cpu 2 '0:8 is not on a board of 8' 8 --given 1:1,0:8
cpu 2 'is not I/N' 8 --range 0/3
cpu 2 'is not I/N' 8 --range 4/3
cpu 2 'is not I/N' 8 --range 1/3x
cpu 2 'unique cannot be combined' 8 --range 1/3 --unique
cpu 2 'exclude each other' 8 --print --first
cpu 2 'unique cannot be combined with --first' 8 --first --unique
cpu 2 'need exactly one N' 8 9 --checkpoint c
cpu 2 'needs a file' 8 --resume
cpu 2 'needs at least one checkpoint file' --merge
cpu 2 "'0' is not 1" 8 --print=0
cpu 2 "'-1' is not" 8 --time-limit -1
cpu 2 'boards of at most' 101 --first --svg a.svg
check "bad options leave files" [ "$(find . -type f | sort | tr '\n' ' ')" = './stderr ./stdout ' ]

# --- counts -----------------------------------------------------------------------------------

says 92 8
check "a remark is missing" grep -q '8 queens: as published' stderr
says 92 8 --quiet
check "--quiet remarks" [ ! -s stderr ]
says 14772512 16
says 12 8 -u
says 28 --toroidal 7
cpu 0 '' 1-14 --unique
check "the table compares: $(cat stdout)" [ "$(grep -c ' as published$' stdout)" -eq 14 ]
check "the table counts" [ "$(awk '$1 == 13 { print $2, $3 }' stdout)" = '73712 9233' ]
cpu 0 '' 4-14 --method join --json
check "join: $(field solutions stdout)" [ "$(field solutions stdout)" = "${known[*]:4:11} " ]
cpu 0 '' 1-14 --method backtrack --json=counts.json
check "--json with a file takes the count away" [ "$(wc -l <stdout)" -eq 15 ]
check "backtrack: $(field solutions counts.json)" \
	[ "$(field solutions counts.json)" = "${known[*]:1:14} " ]
check "backtrack: $(field agrees counts.json)" \
	[ "$(field agrees counts.json | tr ' ' '\n' | grep -c true)" -eq 14 ]
for queue in $("$gqueens" --list | awk '/^Queues/ { on = 1; next } on { print; exit }'); do
	cpu 0 '' 1-11 --method tasks --queue "$queue" --threads 3 --json
	check "tasks, $queue: $(field solutions stdout)" \
		[ "$(field solutions stdout)" = "${known[*]:1:11} " ]
	check "tasks, $queue: queues $(field queue stdout)" \
		[ "$(field queue stdout | tr ' ' '\n' | grep -cx "\"$queue\"")" -eq 11 ]
done
# ten million tasks last too long under a sanitizer
if grep -qaE '__[at]san_init' "$gqueens"; then
	without "15 queens by tasks, under a sanitizer"
else
	says 2279184 15 --method tasks -c boards --checkpoint-interval 0.1
fi
cpu 0 '' 8,9 10-11 12 --json q.json
check "lists of N: $(field n q.json)" [ "$(field n q.json)" = '8 9 10 11 12 ' ]
cpu 0 '' 12 --given 0:3,5:2 --json
check "given in JSON" grep -q '"given": \[\[0, 3\], \[5, 2\]\]' stdout
cpu 0 '' 18 20 --method backtrack --estimate --json
check "estimate: $(field nodes stdout)" awk -v s="$(field solutions stdout)" \
	'BEGIN { split(s, v)
		exit !(v[1] > 5.6e8 && v[1] < 7.8e8 && v[2] > 3.2e10 && v[2] < 4.6e10) }'
cpu 0 '' 16 --estimate
check "estimate by join" grep -q ' time ' stdout
cpu 0 '' 16 --method join --estimate --time-limit 1
check "no published count beside the estimate" grep -q 'published: 14772512, ' stdout
cpu 0 '' 16 --method join --estimate --time-limit 1 --json
check "estimate of solutions by join: $(field solutions stdout)" awk \
	-v s="$(field solutions stdout)" 'BEGIN { exit !(s > 1.2e7 && s < 1.8e7) }'
if command -v python3 >/dev/null; then
	"$gqueens" 1-5 --json >table.json 2>/dev/null
	"$gqueens" 5 --print --json >boards.json 2>/dev/null
	"$gqueens" 5 --estimate --json >estimate.json 2>/dev/null
	"$gqueens" --list --json >list.json 2>/dev/null
	for file in table boards estimate list counts; do
		check "$file.json is no JSON" python3 -m json.tool $file.json stdout
	done
else
	without "reading JSON, for want of python3"
fi

# --- boards -----------------------------------------------------------------------------------

cpu 0 '' 8 --print --json=eight.json
check "92 boards of 8: $(grep -c '^\. \|^Q ' stdout)" [ "$(grep -c '^[.Q] ' stdout)" -eq 736 ]
# every set of up to three queens, against the 92 boards
sed -n 's/.*"columns": \[\(.*\)\] .*/\1/p' eight.json | tr -d ' ' >eight
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	queens=$((RANDOM % 3 + 1)) given=
	for _ in $(seq $queens); do given+=,$((RANDOM % 8)):$((RANDOM % 8)); done
	right=$(awk -F, -v given="${given#,}" 'BEGIN { k = split(given, g, "[,:]") }
		{ for (i = 1; i < k; i += 2) if ($(g[i] + 1) != g[i + 1]) next; n++ }
		END { print n + 0 }' eight)
	says "$right" 8 --given "${given#,}"
	cpu 0 '' 8 --given "${given#,}" --print
	check "--print --given $given" [ "$(grep -c '^[.Q] ' stdout)" -eq $((8 * right)) ]
done
check "8 queens as awk sees them" [ "$(awk -F, '{ for (i = 1; i <= 8; i++) for (j = 1; j < i; j++)
	if ($i == $j || $i - $j == i - j || $j - $i == i - j) bad = 1 } END { print NR, bad + 0 }' \
		eight)" = '92 0' ]
says '. Q . .
. . . Q
Q . . .
. . Q .' 4 --print 1
cpu 0 '' --print 4
check "--print 4 is of 4 queens" [ "$(wc -l <stdout)" -eq 9 ]
says '1 3 0 2' --first 4
cpu 1 'no such board' --first 3
cpu 1 'no such board' --first 8 --toroidal
cpu 0 'no such board' --print 3
says '0 2 4 1 3' --first 5 --toroidal
cpu 0 '' --first 8 --given 0:2
check "--first --given: $(cat stdout)" grep -q "^$(tr ' ' ',' <stdout)$" eight
cpu 0 '' --first 1000001
check "--first: a row or column twice" \
	[ "$(tr ' ' '\n' <stdout | sort -n | uniq | wc -l)" -eq 1000001 ]
check "--first: a diagonal twice" [ "$(tr ' ' '\n' <stdout |
	awk '{ if (up[NR - $1]++ || down[NR + $1]++) bad = 1 }
	END { print NR, bad + 0 }')" = '1000001 0' ]
cpu 0 '' 8 --svg eight.svg
check "the picture has 12 boards" [ "$(grep -c '<use ' eight.svg)" -eq 96 ]
cpu 0 '' 40 --first --svg forty.svg
[ -z "$(command -v python3)" ] || for file in eight forty; do
	check "$file.svg is no XML" \
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' $file.svg
done

# --- standard output --------------------------------------------------------------------------

if [ -c /dev/full ]; then
	rc=0
	"$gqueens" 12 >/dev/full 2>stderr || rc=$?
	check "full standard output: exit code $rc" [ $rc -eq 1 ]
	check "full standard output: $(cat stderr)" grep -q 'unwritten output: 14200' stderr
	for what in --help --version --list '8 --print' '1-5' '8 --json' '5000 --first' \
		'8 --estimate'; do
		rc=0
		# shellcheck disable=SC2086
		"$gqueens" $what >/dev/full 2>stderr || rc=$?
		check "$what to a full standard output: exit code $rc" [ $rc -eq 1 ]
	done
fi
rc=0
"$gqueens" 12 >&- 2>stderr || rc=$?
check "no standard output: exit code $rc: $(cat stderr)" [ $rc -eq 1 ]
for what in 12 '12 --print' '12 --first' --list; do
	rc=0
	# shellcheck disable=SC2086
	"$gqueens" $what <&- >&- 2>stderr || rc=$?
	check "$what, no standard input nor output: exit code $rc: $(cat stderr)" [ $rc -eq 1 ]
done
rc=0
"$gqueens" 12 --json=closed.json <&- >&- 2>stderr || rc=$?
check "a file instead of standard output: exit code $rc: $(cat stderr)" [ $rc -eq 1 ]
check "a file has what is for standard output" grep -q '^{' closed.json
rc=0
"$gqueens" 12 --print 2>stderr | head -n 1 >stdout
rc=${PIPESTATUS[0]}
check "a pipe that ends: exit code $rc" [ "$rc" -eq 1 ]
cpu 1 'nowhere/out.json' 8 --json=nowhere/out.json
run 1 'CUDA.*; use --backend cpu to count without CUDA$' "$gqueens" 8 --device 1023
run 1 '; use --backend cpu to count without CUDA; continue with gqueens --resume way$' \
	"$gqueens" 8 --device 1023 -c way
for locale in $(locale -a 2>/dev/null | grep -iE '^(de|fr|tr)_.*utf' | head -n 2); do
	LC_ALL=$locale "$gqueens" 9 --json --time-limit 5.5 >stdout 2>stderr
	check "$locale: $(cat stdout stderr)" grep -q '"seconds": 0\.' stdout
done
if command -v script >/dev/null; then
	script -qec "$gqueens 20 --backend cpu --time-limit 0.7" /dev/null </dev/null >stdout 2>&1
	check "no progress on a terminal" grep -q '20 queens: [0-9.]* %, .* units' stdout
else
	without "progress on a terminal, for want of script"
fi
check "progress without a terminal" \
	[ "$("$gqueens" 20 --time-limit 0.5 2>&1 | grep -c ' %, ')" -eq 0 ]

# classes: all of them, the first ones, and with given queens, which keep only some symmetries
run 0 '' "$gqueens" --backend cpu 8 --unique --print
check "not the 12 classes of 8 queens" [ "$(grep -c '^Q' stdout)" -gt 0 -a \
	"$(grep -c . stdout)" -eq 96 ]
run 0 '' "$gqueens" --backend cpu 7-8 --unique --print 2
check "not two classes of each" [ "$(grep -c . stdout)" -eq 30 ]
for given in 0:3 0:1 3:3 0:2,2:7,7:5,5:0 0:3,7:4; do
	"$gqueens" --backend cpu 8 --unique --print --given $given >stdout 2>stderr
	says $(($(grep -c . stdout) / 8)) 8 --unique --given $given
done
run 0 '' "$gqueens" --backend cpu 8 --given 0:3 -c classes
says 18 --resume classes
says 18 --resume classes --unique

# several processes without MPI
for name in OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS; do
	run 0 "warning: $name is 2, but each of these processes counts everything" \
		env OMPI_COMM_WORLD_SIZE=1 $name=2 "$gqueens" --backend cpu 8
	env $name=2 "$gqueens" --backend cpu 8 --range 1/2 >stdout 2>stderr
	check "a part is warned of: $(cat stderr)" [ "$(grep -c warning stderr)" -eq 0 ]
done

finish
