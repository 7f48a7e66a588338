#!/usr/bin/env bash
# gsched service on the CPU: options, figures, text, picture, signals.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
backend=cpu work=$TEST_BUILDDIR/tests/gsched_service_test.tmp
# shellcheck source=tests/apps/gsched_service.sh
. "$TEST_SRCDIR/apps/gsched_service.sh"

run 0 '' service --help
check "--help does not name the default" grep -q 'requests.*1000' stdout
run 2 "'0' is not 1..1000000" service -n 0
run 2 "'1000001' is not 1..1000000" service --requests 1000001
run 2 "'-1' is not 0..1000000" service --rate -1
run 2 "'nan'" service --rate nan
run 2 "'10000001' is not 0..10000000" service -w 10000001
run 2 "unknown option '--queue'" service --queue ring
run 2 'unexpected argument' service 10
# shellcheck disable=SC2016
run 1 'standard output: No space left on device' \
	sh -c 'exec "$0" service --backend cpu -n 2 --beside 0 >/dev/full' "$gsched"
run 1 'folder/x.svg' service -n 1 --svg folder/x.svg
check_figures
check_text
check_jobs
check_progress
check_signal
finish
