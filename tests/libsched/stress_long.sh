#!/bin/sh
# The largest loads of the device's suites, SCHED_STRESS times (20): millions of items through each
# queue, random graphs by every scheme. For `make check-long`.
: "${TEST_BUILDDIR:?}"
SCHED_STRESS=${SCHED_STRESS:-20}
export SCHED_STRESS
failed=0 skipped=0 n=0
for suite in items_gpu_test csr_gpu_test; do
	"$TEST_BUILDDIR/tests/libsched/$suite"
	case $? in
	0) ;;
	77) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	n=$((n + 1))
done
[ $failed -eq 0 ] || exit 1
[ $skipped -lt $n ] || exit 77
