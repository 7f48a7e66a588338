#!/bin/sh
# The long form of conformance.sh. For `make check-weekly`.
: "${TEST_SRCDIR:?}"
exec sh "$TEST_SRCDIR/h264intra/conformance.sh" long
