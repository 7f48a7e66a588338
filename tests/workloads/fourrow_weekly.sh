#!/usr/bin/env bash
# fourrow at length: larger boards with published values and the tree of ten moves. For `make
# check-weekly`; minutes on the CPU, and 7 x 6 from the first move where there is a device.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/fourrow_weekly.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
gsched=$TEST_BUILDDIR/gsched

# solve BACKEND BOARD VALUE: the board's value for the first player is VALUE.
solve() {
	run 0 '' "$gsched" run fourrow --backend "$1" --solve - --board "$2" -r 1 --timeout 600000
	check "$2 on $1 is not $3" grep -q "^value (1 win, -1 loss): $3\$" stdout
}

run 0 '' "$gsched" run fourrow --backend cpu --plies 10 -r 1
check "ten moves" grep -q '^sequences of all moves: 268031646$' stdout
solve cpu 7x4 0
solve cpu 7x5 0
solve cpu 6x6 -1
solve cpu 8x4 -1
if "$gsched" run fib --backend cuda -n 5 >cuda.out 2>&1; then
	solve cuda 6x6 -1
	solve cuda 7x5 0
	solve cuda 7x6 1
	check "7x6 ends on another move" grep -q '^moves to the end: 41$' stdout
	check "7x6 has other first moves" grep -q '^best columns: 4$' stdout
fi
finish
