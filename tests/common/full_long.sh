#!/bin/sh
# The suites that `make check` runs with smaller loads, at full size. For `make check-long`; those
# that take minutes each have a script of their own.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
TEST_FULL=1
export TEST_FULL
failed=0
"$TEST_BUILDDIR/tests/reyes/crack_test" || failed=1
"$TEST_BUILDDIR/tests/libsched/bad_use_test" || failed=1
"$TEST_BUILDDIR/tests/libsched/items_test" || failed=1
"$TEST_BUILDDIR/tests/libsched/items_lanes_test" || failed=1
"$TEST_BUILDDIR/tests/workloads/lanes_test" || failed=1
"$TEST_BUILDDIR/tests/workloads/octree_test" || failed=1
"$TEST_SRCDIR/h264intra/openh264_test.sh"
case $? in 0 | 77) ;; *) failed=1 ;; esac
"$TEST_SRCDIR/h264intra/product_gpu_test.sh"
case $? in 0 | 77) ;; *) failed=1 ;; esac
"$TEST_BUILDDIR/tests/h264intra/random_gpu_test"
case $? in 0 | 77) ;; *) failed=1 ;; esac
exit $failed
