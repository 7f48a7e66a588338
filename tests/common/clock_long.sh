#!/usr/bin/env bash
# Suites whose subject is time, with a monotonic clock that has just started and with one that has
# run for 126 years, in time namespaces of Linux (unshare).
work=$TEST_BUILDDIR/tests/clock_long.tmp
# shellcheck source=shell.sh
source "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=clock.sh
source "$TEST_SRCDIR/common/clock.sh"

space=()
enter() { unshare "${space[@]}" --time --fork --monotonic "$@"; }
enter 1 true 2>/dev/null || space=(--user --map-root-user)
enter 1 true 2>refused || skip "no time namespace: $(head -n 1 refused)"
read -r uptime _ </proc/uptime
run_clock_suites "a clock at zero" enter "-${uptime%.*}"
run_clock_suites "a clock at 4 * 10^9 s" enter 4000000000
finish
