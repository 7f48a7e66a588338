#!/bin/sh
# The suites that `make check` runs with smaller loads, at full size. For `make check-long`; those
# that take minutes each have a script of their own.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
TEST_FULL=1
export TEST_FULL
failed=0
for suite in collide/lanes_test h264intra/cavlc_lanes_test h264intra/random_gpu_test \
	libsched/bad_use_test libsched/csr_test libsched/items_lanes_test libsched/items_test \
	libsched/lanes_test nqueens/join_estimate_test nqueens/sieve_test reyes/bucket_test \
	reyes/crack_test reyes/fly_test reyes/hide_test workloads/bvh_test workloads/lanes_test \
	workloads/obb_test workloads/octree_test workloads/sort_test; do
	"$TEST_BUILDDIR/tests/$suite"
	case $? in 0 | 77) ;; *) failed=1 ;; esac
done
for suite in h264intra/conformance h264intra/openh264_test h264intra/pairwise_test \
	h264intra/product_gpu_test workloads/run_test; do
	"$TEST_SRCDIR/$suite.sh"
	case $? in 0 | 77) ;; *) failed=1 ;; esac
done
exit $failed
