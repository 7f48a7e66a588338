#!/bin/sh
# The programs of one file print what is known to be right, and first_program finds the area, on CPU
# threads and, where there is one, on a GPU, first_program under three queues.
prog=$TEST_BUILDDIR/examples/first_program
queues="ring steal prio"
on="the CPU"

fail()
{
	echo "FAIL: $1"
	exit 1
}

# prints NAME PATTERN: the program prints such a line; so does its build for a GPU, or the reason.
prints()
{
	"$TEST_BUILDDIR/examples/$1" | grep "$2" || fail "$1"
	[ -x "$TEST_BUILDDIR/examples/$1_cuda" ] || return 0
	if said=$("$TEST_BUILDDIR/examples/$1_cuda" 2>&1); then
		echo "$said" | grep "$2" || fail "$1_cuda: $said"
	elif [ "${SCHED_REQUIRE_GPU:-0}" = 1 ]; then
		fail "$1_cuda: $said"
	else
		echo "$said" | grep -q 'CUDA' || fail "$1_cuda does not say why: $said"
	fi
}

# A000170(12)
prints queens '^14200 ways'
# n (n - 1) / 2 for n = 10^7
prints ranges '^sum 49999995000000,'
# by the tables of the textbook algorithms
prints wavefront '^edit distance 548 of 768 letters'
prints knapsack '^value 6802,'
prints jobs '^13 queens: 73712 ways; 200 requests meanwhile, 0 wrong'
# it checks its result
prints cholesky '^120 tasks'
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
