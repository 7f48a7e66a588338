#!/bin/sh
# The suites whose full size takes a minute and more each; `make check` runs samples of them.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
FULL_SUITES="libsched/items_lanes_test reyes/crack_test workloads/lanes_test workloads/sort_test"
export FULL_SUITES
exec "$TEST_SRCDIR/common/full_long.sh"
