#!/usr/bin/env bash
# gsched reproduce with loads large enough for verdicts, for `make check-weekly`: minutes on the
# CPU. The report of `make check` has loads too small for any.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/reproduce_weekly.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
gsched=$TEST_BUILDDIR/gsched

# verdicts: those of claims whose loads a CPU can measure
run 0 'claims hold here' "$gsched" reproduce --backend cpu --scale small -o page.html --json r.json
for verdict in holds 'does not hold' 'not measured'; do
	n=$(grep -c "^$verdict " stdout)
	check "small loads: '$verdict' $n times" [ "$n" -ge 10 ]
	check "not all of '$verdict' in the page" \
		[ "$(grep -o ">$verdict<" page.html | wc -l)" -ge "$n" ]
done
run 0 '' "$gsched" reproduce --compare r.json,r.json -o both.html
finish
