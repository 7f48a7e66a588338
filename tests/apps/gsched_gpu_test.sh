#!/usr/bin/env bash
# gsched on a CUDA device: every load runs there and its result is the one that the host computes.
# Skipped without a device; SCHED_REQUIRE_GPU=1 makes that a failure.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
gsched=$TEST_BUILDDIR/gsched
work=$TEST_BUILDDIR/tests/gsched_gpu_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

why=$("$gsched" fib 5 --backend cuda --queue ring 2>&1) || skip_gpu "$(tail -n 1 <<<"$why")"

# cuda COMMAND...: exit code 0, at least one line is checked and none is wrong.
cuda() {
	local rc=0
	"$gsched" "$@" --backend cuda >out 2>&1 </dev/null || rc=$?
	if [ $rc -eq 0 ] && grep -q checked out && ! grep -q 'NOT\|FAILED' out; then
		ok
	else
		bad "$*: exit code $rc: $(tail -n 3 out)"
	fi
}
cuda wavefront --size 40x30 --slices 2
cuda wavefront --size 40x30 --sched static,sync,epoch
cuda wavefront --size 120x68 --frames 3 --slices 4 --sched epoch
cuda spawn -p 0.3 -m 2 --queue ring,steal,abp,donate,relaunch,compact,balance,prio
cuda spawn -p 0.3 -m 2 --grain lane --queue ring,abp
cuda spawn -p 0.3 -m 2 --grain warp --queue ring,abp
cuda recurse -t 3 -w 10 -p 0.3 --seed 7 --queue ring,abp,balance
cuda queue --lanes 1 --workers 4,132 --queue ring,steal,abp
cuda queue --lanes 32 --workers 4,132 --queue ring,steal,abp
cuda fib 20 --queue ring,abp,compact
cuda priority -n 2000 -w 200
cuda run lod -n 20000 --queue all
cuda run lod -n 20000 --scene field --distance 0.3 --front 5 --queue ring,relaunch
cuda run lod -n 20000 --level 1 --queue ring
cuda run hull --size 200x150 --method full --queue all -r 4
cuda run hull --size 300x200 --cameras 16 --silhouette 256 --limit 200 --queue ring,steal
cuda run hull --scene ball --speed 5 --size 99x77 --method threshold --queue ring,balance
cuda run x3d -n 300K --queue all
cuda run x3d -n 3M --upload --queue ring,relaunch
run 0 '' "$gsched" run fourrow --backend cuda --solve - --board 7x4 -r 1
check "the board 7x4: $(tail -n 3 stdout)" grep -q '^value (1 win, -1 loss): 0$' stdout
# the papers' figures, with the renderer's
run 0 '' "$gsched" reproduce --backend cuda --scale tiny --quiet -o page.html
check "reproduce: no figure of the renderer" grep -q 'generated layers' page.html
finish
