#!/bin/sh
# endurance_test at full size: a day of video. For `make check-weekly`.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
TEST_FULL=1 TEST_TIME_LIMIT_S=1800 exec "$TEST_BUILDDIR/tests/h264intra/endurance_test"
