#!/usr/bin/env bash
# A test that never ends is stopped and named: by its suite, where CUnit runs it, and else by
# tests/common/limit.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
work=$TEST_BUILDDIR/tests/time_limit_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

rc=0
TEST_TIME_LIMIT_S=1 "$TEST_BUILDDIR/tests/common/hang" >stdout 2>stderr || rc=$?
check "exit code $rc of a suite that hangs" test $rc -eq 1
check "the test is not named: $(cat stderr)" \
	grep -q "^time limit: test 'this test never ends' of suite 'hangs on purpose' did not end \
within 1 s" stderr
check "the test before it has ended: $(cat stdout)" grep -q 'this test ends ...passed' stdout

if command -v timeout >/dev/null; then
	rc=0
	TEST_PROGRAM_LIMIT_S=1 "$TEST_SRCDIR/common/limit" tail -f /dev/null >stdout 2>stderr ||
		rc=$?
	check "exit code $rc of a program that hangs" test $rc -eq 124
	check "the program is not named: $(cat stdout)" \
		grep -q '^time limit: tail -f /dev/null did not end within 1 s' stdout
else
	without "programs without CUnit: no timeout program"
fi
for want in 0 1 77; do
	rc=0
	"$TEST_SRCDIR/common/limit" sh -c "exit $want" || rc=$?
	check "exit code $rc instead of $want" test $rc -eq $want
done
finish
