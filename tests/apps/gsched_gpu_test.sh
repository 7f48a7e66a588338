#!/usr/bin/env bash
# gsched on a CUDA device: every load runs there and its result is the one that the host computes.
# Skipped without a device; SCHED_REQUIRE_GPU=1 makes that a failure.
: "${TEST_BUILDDIR:?}"
set -u
export LC_ALL=C
gsched=$TEST_BUILDDIR/gsched
passed=0 failed=0

if ! why=$("$gsched" fib 5 --backend cuda --queue ring 2>&1); then
	echo "SKIP: gsched: $(tail -n 1 <<<"$why")"
	[ "${SCHED_REQUIRE_GPU:-0}" = 1 ] && exit 1
	exit 77
fi

# run COMMAND...: exit code 0, at least one line is checked and none is wrong.
run() {
	local out rc=0
	out=$("$gsched" "$@" --backend cuda 2>&1 </dev/null) || rc=$?
	if [ $rc -eq 0 ] && grep -q checked <<<"$out" && ! grep -q 'NOT\|FAILED' <<<"$out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $*: exit code $rc: $(tail -n 3 <<<"$out")"
	fi
}
run wavefront --size 40x30 --slices 2
run wavefront --size 40x30 --sched static,sync,epoch
run wavefront --size 120x68 --frames 3 --slices 4 --sched epoch
run spawn -p 0.3 -m 2 --queue ring,steal,abp,donate,relaunch,compact,balance,prio
run spawn -p 0.3 -m 2 --grain lane --queue ring,abp
run spawn -p 0.3 -m 2 --grain warp --queue ring,abp
run recurse -t 3 -w 10 -p 0.3 --seed 7 --queue ring,abp,balance
run queue --lanes 1 --workers 4,132 --queue ring,steal,abp
run queue --lanes 32 --workers 4,132 --queue ring,steal,abp
run fib 20 --queue ring,abp,compact
run priority -n 2000 -w 200
if out=$("$gsched" run fourrow --backend cuda --solve - --board 7x4 -r 1 2>&1) &&
	grep -q '^value (1 win, -1 loss): 0$' <<<"$out"; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL: the board 7x4: $(tail -n 3 <<<"$out")"
fi
# the papers' figures, with the renderer's
page=$TEST_BUILDDIR/tests/gsched_gpu_test.html
if out=$("$gsched" reproduce --backend cuda --scale tiny --overwrite --quiet -o "$page" 2>&1) &&
	grep -q 'generated layers' "$page"; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL: reproduce: $(tail -n 3 <<<"$out")"
fi
rm -f "$page"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
