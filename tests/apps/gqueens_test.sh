#!/usr/bin/env bash
# gqueens from the command line, on the CPU: counts, exit codes, files kept and not touched, kill
# and resume.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
gqueens=$TEST_BUILDDIR/gqueens
forge=$TEST_BUILDDIR/tests/apps/queens_forge
work=$TEST_BUILDDIR/tests/gqueens_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
RANDOM=${GQUEENS_TEST_SEED:-1}

cpu() {
	local want=$1 pattern=$2
	shift 2
	run "$want" "$pattern" "$gqueens" --backend cpu "$@"
}
# says TEXT ARGUMENTS...: gqueens succeeds, and its standard output is TEXT.
says() {
	local want=$1
	shift
	cpu 0 '' "$@"
	check "'$(head -c 100 stdout)' instead of '$want' from $*" [ "$(cat stdout)" = "$want" ]
}
# field NAME FILE: prints its values in the JSON, in one line.
field() { grep -o "\"$1\": [^,}]*" "$2" | sed 's/.*: //' | tr '\n' ' '; }

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
cpu 2 'join counts 4 to' 23 --method join
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
cpu 2 'unique cannot be combined with --print' 8 --print --unique
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
# a hundred million tasks take too long under a sanitizer
if grep -qaE '__[at]san_init' "$gqueens"; then
	without "16 queens by tasks, under a sanitizer"
else
	says 14772512 16 --method tasks -c boards --checkpoint-interval 0.1
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

# --- parts ------------------------------------------------------------------------------------

for parts in 1 3 7; do
	for method in tasks backtrack join; do
		files=() sum=0
		for part in $(seq $parts); do
			cpu 0 '' 11 --method $method --range "$part/$parts" \
				-c "$method.$part.$parts"
			sum=$((sum + $(cat stdout)))
			files+=("$method.$part.$parts")
		done
		check "$parts parts of $method: $sum" [ $sum -eq 2680 ]
		says 2680 --merge "${files[@]}"
	done
done
says 341 --merge tasks.1.3 backtrack.2.3 tasks.3.3 --unique
says 2680 --merge join.1.7 join.2.7 join.3.7 join.4.7 join.5.7 join.6.7 join.7.7 -c whole
says 2680 --merge whole --verify-sample 1000
check "all units are verified" grep -q 'units verified' stderr
cpu 1 'units are missing: part 2/3 is not among' --merge join.1.3 join.3.3
cpu 1 'time limit reached' 20 --range 1/2 -c half.1 --time-limit 0.001
cpu 1 'time limit reached' 20 --range 2/2 -c half.2 --time-limit 0.001
cpu 1 'the first is 0: a part is not finished' --merge half.1 half.2
cpu 1 'in join.1.3 and in join.1.3' --merge join.1.3 join.2.3 join.1.3 join.3.3
cpu 1 'in join.2.3 and in join.1.7' --merge join.2.3 join.1.7
cpu 1 'belongs to another plan' --merge join.1.3 backtrack.2.3 join.3.3
cpu 0 '' 12 --method join --range 1/3 -c twelve
cpu 1 'belongs to another plan' --merge join.1.3 twelve
cpu 1 'No such file' --merge join.1.3 nowhere
says 2680 --merge join.1.3 join.2.3 join.3.3 --quiet --json=merged.json
check "merged: $(field solutions merged.json)" [ "$(field solutions merged.json)" = '2680 ' ]

# --- checkpoints ------------------------------------------------------------------------------

says 73712 13 -c full
cp full before
cpu 1 'continue it with --resume' 13 -c full
cpu 1 'continue it with --resume' 12 -c full
check "a checkpoint is written over" cmp -s full before
says 73712 --resume full
says 73712 13 --method backtrack -c full --resume
says 73712 13 --method tasks -c full --resume
says 9233 13 --resume full --unique
says 73712 13 --verify-sample 5 --resume full
cpu 2 'is a checkpoint of 13 queens, not 12' 12 --resume full
cpu 2 'whose units differ from those of join' 13 --method join --resume full
cpu 2 'is a checkpoint of other boards' 13 --given 0:0 --resume full
cpu 2 'is a checkpoint of part 0/0, not 1/2' 13 --range 1/2 --resume full
cpu 2 'is a checkpoint of part 1/3, not 2/3' 11 --method join --range 2/3 --resume join.1.3
says "$("$gqueens" 11 --method join --range 1/3 2>/dev/null)" --resume join.1.3
cpu 1 'nowhere: No such file' --resume nowhere
says 92 8 -c fresh --resume
says 92 8 -c fresh --resume fresh
: >empty
says 92 8 -c empty
echo 'a letter to a friend' >letter
cpu 1 'letter is no checkpoint; the file is unchanged' 8 -c letter
cpu 1 'letter is no checkpoint' 8 --resume letter
cpu 1 'letter is no checkpoint' 8 -c letter --resume
cpu 1 'letter is no checkpoint' --merge letter
check "the letter is lost" [ "$(cat letter)" = 'a letter to a friend' ]
says 92 8 -c letter --overwrite
says 92 --merge letter
sed '1s/1$/2/' full >version
cpu 1 'version is of another version' --resume version
head -c 500 full >short
cpu 1 'short is truncated' --resume short
sed 's/^at 16: [0-9]*/at 16: 987/' full >damaged
cpu 1 'damaged is damaged' --resume damaged
tr '\n' '\r' <full >returns
cpu 1 'returns is ' --resume returns
cpu 1 '. is no regular file' 8 -c .
cpu 1 'nowhere/c' 8 -c nowhere/c
cpu 1 'is no regular file' 8 -c /dev/full --overwrite
"$forge" full lie || bad "queens_forge fails"
cpu 1 'the published count is 73712' --merge lie
check "a wrong count is on standard output" [ ! -s stdout ]
cpu 1 'was counted as' --merge lie --verify-sample 100000
cpu 1 'cannot be the count of all boards' --merge lie --unique
check "a count that cannot be is on standard output: $(cat stdout)" [ ! -s stdout ]
cpu 1 'cannot be the count of all boards' --merge lie --unique --json
check "a count that cannot be is in JSON: $(cat stdout)" grep -q '"complete": true,' stdout
check "a count that cannot be is in JSON: $(cat stdout)" [ "$(grep -c '"unique"' stdout)" -eq 0 ]
cpu 1 'was counted as' --merge lie --unique --verify-sample 100000
cpu 1 'the published count is' --resume lie
ln -s linked link
says 92 8 -c link
says 92 --merge linked
check "the link is no link any more" [ -L link ]
says 2 8 --given 0:3,5:2 -c given
says 2 --resume given
says 2 8 --given 5:2,0:3 --resume given
cpu 2 'is a checkpoint of other boards' 8 --given 0:3 --resume given
cpu 2 'is a checkpoint of other boards' 8 --given 0:3,5:3 --resume given
says 28 7 --toroidal -c torus
says 28 --resume torus
check "something is left beside the checkpoints: $(echo ./*.part)" [ ! -e "$(echo ./*.part)" ]

# no file twice, also by another name
cp given two
cpu 2 "--json './two' and --checkpoint 'two' both write to one file" 8 --json=./two -c two -y
cpu 2 "--json 'two' would replace the input, --resume 'two'" --resume two --json=two -y -c three
cpu 2 "--json './two' would replace the input, --merge 'two'" --merge two --json=./two -y
cpu 2 "--checkpoint 'two' is first written as NAME.part, which is --json 'two.part'" 8 -c two \
	--json=two.part -y
cpu 2 "--json 'b.svg' and --svg './b.svg' both write to one file" 8 --json=b.svg --svg ./b.svg
check "a refused command replaced a checkpoint" cmp -s given two
# another file with the name under which a checkpoint is first written
echo precious >three.part
cpu 1 'three.part exists already' 8 -c three
check "a file that is no checkpoint was replaced" [ "$(cat three.part)" = precious ]
says 92 8 -c three -y

# a disk that fills up while counting: the checkpoint before it stays
cpu 1 'time limit reached' 20 -c disk --time-limit 0.001
before=$(wc -c <disk)
rc=0
(ulimit -f 1 && exec "$gqueens" 15 --method backtrack -c wide --checkpoint-interval 0) >stdout \
	2>stderr || rc=$?
check "full disk: exit code $rc" [ $rc -eq 1 ]
check "full disk: the count is lost" [ "$(cat stdout)" = 2279184 ]
check "full disk: $(cat stderr)" grep -q 'error: .*wide: File too large' stderr
check "full disk: disk has $before bytes" [ "$before" -gt 0 ]
says 2279184 --resume wide
if unshare -rm mount -t tmpfs none . 2>/dev/null; then
	rc=0
	# shellcheck disable=SC2016
	unshare -rm bash -c 'mkdir small && mount -t tmpfs -o size=8k none small &&
		"$1" 15 --backend cpu --method backtrack -c small/c --checkpoint-interval 0 \
			>stdout 2>stderr
		rc=$?; cp small/c saved; ls small >left; exit $rc' - "$gqueens" || rc=$?
	check "full file system: exit code $rc: $(cat stderr)" [ $rc -eq 1 ]
	check "full file system: $(cat stderr)" \
		grep -q 'error: .*small/c: No space left on device' stderr
	check "full file system: left beside it: $(cat left)" [ "$(cat left)" = c ]
	says 2279184 --resume saved
else
	without "a small file system, for want of rights to mount one"
fi

# killed at a random time, and resumed until it is complete
for round in 1 2 3 4; do
	method='backtrack'
	[ $((round % 2)) -eq 0 ] || method='join'
	for delay in 0.01 0.02 0.0$((RANDOM % 90 + 10)) 0.0$((RANDOM % 90 + 10)) \
		0.0$((RANDOM % 90 + 10)); do
		"$gqueens" 15 --backend cpu --method $method -c killed.$round \
			--resume --checkpoint-interval 0 \
			--workers $((RANDOM % 3 + 1)) >/dev/null 2>&1 &
		pid=$!
		sleep $delay
		kill -KILL $pid 2>/dev/null
		wait $pid 2>/dev/null
		[ -e killed.$round ] || continue
		"$gqueens" --merge killed.$round >stdout 2>stderr
		check "after SIGKILL: $(cat stderr)" \
			grep -qE 'units are missing|as published' stderr
	done
	says 2279184 15 --method $method -c killed.$round --resume
	says 2279184 --merge killed.$round
done

# Ctrl-C and the time limit keep what is counted
default=(env --default-signal=INT,TERM)
"${default[@]}" true 2>/dev/null || default=()
for signal in INT:130 TERM:143; do
	set -m
	"${default[@]}" "$gqueens" 20 --backend cpu --time-limit 30 -c signal.${signal#*:} \
		--workers 1 --json=${signal%:*}.json >stdout 2>stderr &
	pid=$!
	set +m
	# it runs when its first checkpoint and its threads exist
	while [ -e /proc/$pid/task ] && { [ ! -e signal.${signal#*:} ] ||
		[ "$(find /proc/$pid/task -maxdepth 1 2>/dev/null | wc -l)" -lt 3 ]; }; do :; done
	kill -s "${signal%:*}" $pid
	rc=0
	wait $pid || rc=$?
	check "$signal: exit code $rc: $(cat stderr)" [ $rc -eq "${signal#*:}" ]
	check "$signal: $(cat stderr)" \
		grep -q "cancelled after .* gqueens --resume signal.${signal#*:}" stderr
	check "$signal: it counts" [ ! -s stdout ]
	check "$signal: JSON says it is complete" grep -q '"complete": false' ${signal%:*}.json
	cpu 1 'units are missing' --merge signal.${signal#*:}
done
cpu 1 'time limit reached after .* continue with gqueens --resume signal.130' \
	--resume signal.130 --time-limit 0.05

# a search without solutions, which would take years, ends too. ThreadSanitizer delivers a signal
# when the program next calls the C library, which a search does not
if grep -qa __tsan_init "$gqueens"; then
	without "Ctrl-C in a search, under ThreadSanitizer"
else
	set -m
	(
		ulimit -t 20
		exec "${default[@]}" "$gqueens" 30 --toroidal --print --svg none.svg
	) >stdout 2>stderr &
	pid=$!
	set +m
	until [ ! -e /proc/$pid ] || { grep -q '^Name:.gqueens' /proc/$pid/status &&
		grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status; } 2>/dev/null; do :; done
	kill -s INT $pid
	rc=0
	wait $pid || rc=$?
	check "Ctrl-C in a search: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
fi
check "a picture of no search is kept" [ ! -e none.svg ]
cpu 1 'there is no such board' 3 --first --svg none.svg
check "a picture of no board is kept" [ ! -e none.svg ]

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

finish
