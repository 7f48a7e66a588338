#!/usr/bin/env bash
# Checkpoints of gqueens, on the CPU: parts, files kept and not touched, kill and resume, signals.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
forge=$TEST_BUILDDIR/tests/apps/queens_forge
work=$TEST_BUILDDIR/tests/gqueens_checkpoint_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gqueens.sh
. "$TEST_SRCDIR/apps/gqueens.sh"

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
# read-only there
cp "$TEST_SRCDIR/../bench/results/queens-24.ledger" total24
chmod u+w total24
says 227514171973736 --merge total24
check "24 queens: $(cat stderr)" grep -q 'as published' stderr
# as of a version with other units
"$forge" total24 old24 foreign || bad "queens_forge fails"
cpu 1 'whose work units differ' --merge old24
cpu 1 'whose work units differ' --resume old24
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
file=$(ls -i full)
says 73712 --resume full
says 73712 13 --method backtrack -c full --resume
check "a finished checkpoint is written again" [ "$(ls -i full)" = "$file" ]
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
"$forge" full foreign foreign || bad "queens_forge fails"
cpu 1 'foreign was written by another version of gqueens, whose work units differ' --resume foreign
cpu 1 'foreign was written by another version of gqueens' --merge foreign
cpu 1 'belongs to another plan' --merge full foreign
# 28 queens had 8 parts of each set of rows in earlier versions
cpu 1 'time limit reached' 28 --method join --time-limit 0.001 -c new28
"$forge" new28 old28 foreign || bad "queens_forge fails"
cpu 1 'old28 was written by another version of gqueens' --resume old28
cpu 1 'old28 was written by another version of gqueens' 28 --method join -c old28 --resume
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

# no file is named twice, also under another name
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

# a disk becomes full while counting: the earlier checkpoint is kept
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
	unshare -rm bash -c 'mkdir small && mount -t tmpfs -o size=12k none small &&
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

# a second process is refused while the first counts; what a killed one leaves behind is no obstacle
# shellcheck disable=SC2016
launch bash -c 'exec "$@" >/dev/null 2>&1' busy "$gqueens" 24 --backend cpu --workers 1 -c busy
await [ -s busy ]
for arguments in '24 -c busy --resume' '--resume busy' '24 -c busy -y' '--merge wide -c busy -y'; do
	# shellcheck disable=SC2086
	cpu 1 "busy is in use by process $pid on $(uname -n)" $arguments
done
cpu 1 'units are missing' --merge busy
kill -KILL $pid
wait $pid 2>/dev/null
check "a killed process left no lock" [ -s .busy.lock ]
cpu 1 'time limit reached after .* continue with gqueens --resume busy' --resume busy \
	--time-limit 0.05
check "the lock is left" [ ! -e .busy.lock ]

# Ctrl-C and the time limit keep the finished units
for signal in INT:130 TERM:143; do
	launch "$gqueens" 20 --backend cpu --time-limit 30 -c signal.${signal#*:} --workers 1 \
		--json=${signal%:*}.json
	# it counts when its first checkpoint and its threads exist
	await [ -e signal.${signal#*:} ]
	await has_threads 2
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

# a search without solutions, which would last years, is ended. ThreadSanitizer delivers a signal
# when the program next calls the C library, which a search does not
if grep -qa __tsan_init "$gqueens"; then
	without "Ctrl-C in a search, under ThreadSanitizer"
else
	# shellcheck disable=SC2016
	launch bash -c 'ulimit -t 20; exec "$0" 30 --toroidal --print --svg none.svg' "$gqueens"
	await catches_int gqueens
	kill -s INT $pid
	rc=0
	wait $pid || rc=$?
	check "Ctrl-C in a search: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
fi
check "a picture of no search is kept" [ ! -e none.svg ]
cpu 1 'there is no such board' 3 --first --svg none.svg
check "a picture of no board is kept" [ ! -e none.svg ]

finish
