#!/usr/bin/env bash
# About a hundred faults of all calls of the programs (faults.sh).
work=$TEST_BUILDDIR/tests/faults_long.tmp
# shellcheck source=../common/shell.sh
source "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=faults.sh
source "$TEST_SRCDIR/faults/faults.sh"
faults 0
