#!/usr/bin/env bash
# gqueens in the ranks of mpirun: the counts of one process, printed once. Skipped without an MPI
# build.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
gqueens=$TEST_BUILDDIR/gqueens
work=$TEST_BUILDDIR/tests/gqueens_mpi_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

"$gqueens" --version | grep -q '^MPI: not built in' && skip "gqueens was built without --with-mpi"
need mpirun

# Open MPI refuses to run as root, or more ranks than processors, without these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# ranks COUNT RC TEXT ARGUMENTS...: exit code, and all of standard output
ranks() {
	local count=$1 want=$2 text=$3 rc=0
	shift 3
	timeout 120 mpirun -np "$count" "$gqueens" --backend cpu "$@" </dev/null >stdout \
		2>stderr || rc=$?
	check "$count ranks, $*: exit code $rc: $(cat stdout stderr)" \
		[ "$rc,$(cat stdout)" = "$want,$text" ]
}

ranks 2 0 73712 13
ranks 3 0 365596 14 --method join
ranks 2 0 2680 11 --method tasks -c kept
ranks 2 0 2680 --method tasks -c kept --resume 11
"$gqueens" --merge kept.1-of-2 kept.2-of-2 >stdout 2>stderr
check "the ranks' checkpoints: $(cat stderr)" [ "$(cat stdout)" = 2680 ]
ranks 2 2 '' 33
ranks 2 2 '' 12 --range 1/2
ranks 2 1 '' 20 --time-limit 0.1
echo letter >taken.2-of-2
ranks 2 1 '' 12 -c taken
timeout 120 mpirun -np 2 "$gqueens" --backend cpu 1-10 --unique --verify-sample 3 >stdout 2>stderr
check "the table of two ranks: $(cat stdout stderr)" [ "$(grep -c ' as published$' stdout)" -eq 10 ]
finish
