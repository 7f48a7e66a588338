#!/bin/sh
# queens counts right, ranges sums right, and first_program finds the area on CPU threads and, where
# there is one, on a GPU, under three queues.
prog=$TEST_BUILDDIR/examples/first_program
queues="ring steal prio"
on="the CPU"

fail()
{
	echo "FAIL: $1"
	exit 1
}

# A000170(12)
"$TEST_BUILDDIR/examples/queens" | grep '^14200 ways' || fail "queens"
# n (n - 1) / 2 for n = 10^7
"$TEST_BUILDDIR/examples/ranges" | grep '^sum 49999995000000,' || fail "ranges"
if [ -x "$TEST_BUILDDIR/examples/queens_cuda" ]; then
	if said=$("$TEST_BUILDDIR/examples/queens_cuda" 2>&1); then
		echo "$said" | grep '^14200 ways' || fail "queens_cuda: $said"
	elif [ "${SCHED_REQUIRE_GPU:-0}" = 1 ]; then
		fail "queens_cuda: $said"
	else
		echo "$said" | grep -q 'CUDA' || fail "queens_cuda does not say why: $said"
	fi
fi
for queue in $queues; do
	"$prog" cpu "$queue" || fail "cpu, queue $queue: exit code $?"
done
"$prog" cuda
case $? in
0)
	on="$on and the GPU"
	for queue in $queues; do
		"$prog" cuda "$queue" || fail "cuda, queue $queue: exit code $?"
	done
	;;
2) # no device, which is said
	[ "${SCHED_REQUIRE_GPU:-0}" != 1 ] || fail "not run on the GPU (SCHED_REQUIRE_GPU)"
	;;
*) fail "a run on the GPU" ;;
esac
# A queue that the program is not compiled for.
said=$("$prog" cpu compact 2>&1)
[ $? -eq 1 ] || fail "the queue compact is not refused"
echo "$said" | grep -q 'without the queue compact.*LSCHED_PROGRAM_QUEUES' || fail "compact: $said"
for wrong in "cpu nosuchqueue" abacus; do
	# shellcheck disable=SC2086
	"$prog" $wrong 2>/dev/null
	[ $? -eq 2 ] || fail "$wrong is not refused"
done
echo "queues $queues on $on"
