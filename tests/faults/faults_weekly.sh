#!/usr/bin/env bash
# A fault of each call of the programs (faults.sh). FAULTS_CASES: these cases only; FAULTS_EVERY=N:
# each N-th call.
work=$TEST_BUILDDIR/tests/faults_weekly.tmp
# shellcheck source=../common/shell.sh
source "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=faults.sh
source "$TEST_SRCDIR/faults/faults.sh"
cases=${FAULTS_CASES:-$cases}
faults "${FAULTS_EVERY:-1}"
