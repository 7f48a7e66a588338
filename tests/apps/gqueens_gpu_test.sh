#!/usr/bin/env bash
# gqueens on a CUDA device: the published counts by every method, checkpoints that go from device to
# CPU and back, killed and resumed. Skipped without a device; SCHED_REQUIRE_GPU=1 makes that a
# failure.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
gqueens=$TEST_BUILDDIR/gqueens
work=$TEST_BUILDDIR/tests/gqueens_gpu_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gqueens.sh
. "$TEST_SRCDIR/apps/gqueens.sh"
"$gqueens" --list | grep -A 1 '^CUDA devices' | grep -q ' none' &&
	skip_gpu "no CUDA device, or a build without CUDA"
# shellcheck disable=SC2034
prefix='timeout 60'

cuda() {
	local want=$1 pattern=$2
	shift 2
	run "$want" "$pattern" timeout 60 "$gqueens" --backend cuda "$@"
}
# all_agree COUNT WHAT: COUNT rows in the JSON are as published, and boards with units were counted
# on a device (the smallest boards have none).
all_agree() {
	check "$2: $(grep -c '"agrees": true' stdout) rows agree" \
		[ "$(grep -c '"agrees": true' stdout)" -eq "$1" ]
	check "$2: not on a device" [ "$(grep -c '"backend": "cpu"' stdout)" -eq 0 ]
	check "$2: nothing on a device" [ "$(grep -c '"backend": "cuda"' stdout)" -gt 0 ]
}

cuda 0 '' 1-16 --method backtrack --json
all_agree 16 backtrack
cuda 0 '' 4-16 --method join --json
all_agree 13 join
for queue in $("$gqueens" --list | awk '/^Queues/ { on = 1; next } on { print; exit }'); do
	cuda 0 '' 1-11 --method tasks --queue "$queue" --json
	all_agree 11 "tasks, $queue"
	cuda 0 '' 12-15 --method backtrack --queue "$queue" --json
	all_agree 4 "backtrack, $queue"
done
cuda 0 '' 5 7 11 13 --toroidal --json
all_agree 4 torus
for given in 0:3,5:2 11:11 4:0,0:1,2:2; do
	right=$("$gqueens" --backend cpu 12 --given $given 2>stderr)
	prints "$right" --backend cuda 12 --given $given
done
for method in backtrack join; do
	prints 666090624 --backend cuda 18 --method $method --device 0
	prints 95815104 --backend cuda 17 --method $method --verify-sample 40 --device all
	prints 14772512 --backend cuda 16 --method $method --workers 7
done
run 1 'CUDA device' "$gqueens" 12 --device 999

# parts counted by different backends
for method in tasks backtrack join; do
	sum=0
	for part in 1:cuda 2:cpu 3:cuda; do
		run 0 '' "$gqueens" --backend "${part#*:}" 11 --method $method \
			--range "${part%:*}/3" -c "$method.${part%:*}"
		sum=$((sum + $(cat stdout)))
	done
	check "parts of $method: $sum" [ $sum -eq 2680 ]
	prints 2680 --backend cpu --merge $method.1 $method.2 $method.3 --verify-sample 20
done

# killed at a random time, resumed by either backend
for round in 1 2 3 4; do
	method='backtrack'
	[ $((round % 2)) -eq 0 ] || method='join'
	for delay in 0.$((RANDOM % 5 + 2)) 0.$((RANDOM % 50 + 20)) 0.$((RANDOM % 50 + 20)); do
		kill_and_merge killed.$round $delay 18 --backend cuda --method $method
	done
	prints 666090624 --backend cuda 18 --method $method -c killed.$round --resume
	prints 666090624 --backend cpu --merge killed.$round
done
for pair in cuda:cpu cpu:cuda; do
	run 1 'time limit reached' "$gqueens" --backend ${pair%:*} 20 -m backtrack -c first.$pair \
		--time-limit 0.05
	"$gqueens" --backend ${pair#*:} --resume first.$pair --time-limit 1.5 >stdout 2>stderr
	check "$pair: $(cat stderr)" grep -qE 'time limit reached|as published' stderr
done

# the time limit and Ctrl-C end a run in time, and keep the finished units
SECONDS=0
cuda 1 'time limit reached' 24 --method backtrack --time-limit 1 -c limit
check "the time limit took $SECONDS s" [ $SECONDS -le 10 ]
launch "$gqueens" 24 --backend cuda --time-limit 30 -c signal
await [ -e signal ]
kill -s INT $pid
rc=0
wait $pid || rc=$?
check "Ctrl-C: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
check "Ctrl-C: $(cat stderr)" \
	grep -q 'cancelled after .* continue with gqueens --resume signal' stderr
run 1 'units are missing' "$gqueens" --merge signal
cuda 0 '' 22 --method backtrack --estimate --json
check "estimate: no time of the device" grep -q '"gpu_seconds": [0-9]' stdout
cuda 0 '' 22 --method backtrack --estimate
check "estimate: no time of the device: $(cat stdout)" grep -q '^  GPU time ' stdout
finish
