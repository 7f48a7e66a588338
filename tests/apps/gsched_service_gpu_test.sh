#!/usr/bin/env bash
# gsched service on a CUDA device. Skipped without a device; SCHED_REQUIRE_GPU=1 makes that a
# failure.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
backend=cuda work=$TEST_BUILDDIR/tests/gsched_service_gpu_test.tmp
# shellcheck source=tests/apps/gsched_service.sh
. "$TEST_SRCDIR/apps/gsched_service.sh"

why=$("$gsched" fib 5 --backend cuda --queue ring 2>&1) || skip_gpu "$(tail -n 1 <<<"$why")"
check_figures
check_text
check_jobs
check_progress
check_signal
finish
