# The suites whose subject is time: limits, watchdogs, pauses, timelines, signals. clock_long.sh and
# busy_weekly.sh source this file.
# shellcheck shell=bash
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
clock_suites='apps/latency_test apps/live_pipe_test apps/stop_test apps/timeline_test
	apps/gqueens_checkpoint_test.sh apps/gqueens_mpi_test.sh apps/gqueens_test.sh
	apps/gsched_latency_test.sh apps/gsched_test.sh apps/pipes_test.sh collide/pairs_test
	h264intra/encode_calls_test h264intra/encode_fail_test h264intra/encode_live_test
	libsched/bad_use_test libsched/group_test libsched/lost_test libsched/process_test
	libsched/sched_test
	nqueens/api_test nqueens/join_lists_test nqueens/run_test
	reyes/rib_program_test'

# run_clock_suites WHAT COMMAND...: runs each suite that was built by the command; prints the output
# of one that fails. Needs a current folder that it may write to.
run_clock_suites() {
	local what=$1 suite program rc
	shift
	for suite in $clock_suites; do
		case $suite in
		*.sh) program=$TEST_SRCDIR/$suite ;;
		*) program=$TEST_BUILDDIR/tests/$suite ;;
		esac
		[ -x "$program" ] || continue
		rc=0
		"$@" "$program" >suite.log 2>&1 </dev/null || rc=$?
		case $rc in
		0) ok ;;
		77) without "$what: $suite" ;;
		*) bad "$what: $suite: $(cat suite.log)" ;;
		esac
	done
}
