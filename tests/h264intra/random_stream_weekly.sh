#!/bin/sh
# random_stream_test.sh at full size. For `make check-weekly`.
: "${TEST_SRCDIR:?}"
TEST_FULL=1 exec sh "$TEST_SRCDIR/h264intra/random_stream_test.sh"
