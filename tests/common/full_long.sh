#!/bin/sh
# The suites that `make check` runs with smaller loads, at full size. For `make check-long`; those
# that take minutes each have a script of their own, or are in full_weekly.sh.
# FULL_SUITES: other suites.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
TEST_FULL=1
export TEST_FULL
failed=0
for suite in ${FULL_SUITES:-collide/lanes_test h264intra/cavlc_lanes_test \
	h264intra/random_gpu_test h264intra/substream_test libsched/bad_use_test \
	libsched/csr_test libsched/items_test libsched/lanes_test nqueens/join_estimate_test \
	nqueens/sieve_test reyes/bucket_test reyes/fly_test reyes/hide_test workloads/bvh_test \
	workloads/obb_test workloads/octree_test h264intra/conformance.sh \
	h264intra/openh264_test.sh h264intra/pairwise_test.sh h264intra/product_gpu_test.sh \
	workloads/run_test.sh}; do
	case $suite in
	*.sh) "$TEST_SRCDIR/$suite" ;;
	*) "$TEST_BUILDDIR/tests/$suite" ;;
	esac
	case $? in 0 | 77) ;; *) failed=1 ;; esac
done
exit $failed
