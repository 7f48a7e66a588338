#!/usr/bin/env bash
# Suites whose subject is time, five times beside four busy processes for each processor.
work=$TEST_BUILDDIR/tests/busy_weekly.tmp
# shellcheck source=shell.sh
source "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=clock.sh
source "$TEST_SRCDIR/common/clock.sh"

busy=()
for ((i = 0; i < 4 * $(nproc); i++)); do
	while :; do :; done &
	busy+=($!)
done
trap 'kill "${busy[@]}"; rm -rf "$work"' EXIT
for turn in 1 2 3 4 5; do
	run_clock_suites "turn $turn beside busy processes" env
done
finish
