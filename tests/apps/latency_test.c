/* The latencies of gpuintra: quantiles against a sorted list, in memory that does not grow. */
#include "apps/gpuintra/latency.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES = 20000 };

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void expect_near(double got_ms, int64_t want_ns)
{
	double want_ms = (double)want_ns * 1e-6, error = got_ms - want_ms;

	if (error < 0)
		error = -error;
	CU_ASSERT(error <= want_ms / (2 * LATENCY_STEPS) + 1e-9);
}

static void test_quantiles(void)
{
	static int64_t v[VALUES];
	static latency l;

	/* From 1 ns to 2^40 ns, every power of two equally often. */
	for (int i = 0; i < VALUES; i++) {
		uint64_t bits = (uint64_t)rng() << 32 | rng();

		v[i] = (int64_t)(bits & ((UINT64_C(2) << rng_below(40)) - 1));
		latency_add(&l, v[i]);
	}
	qsort(v, VALUES, sizeof(v[0]), by_value);
	for (uint32_t p = 0; p < 100; p++)
		expect_near(latency_percentile_ms(&l, p), v[VALUES * p / 100]);
	CU_ASSERT_DOUBLE_EQUAL(latency_max_ms(&l), (double)v[VALUES - 1] * 1e-6, 1e-9);
	expect_near(latency_percentile_ms(&l, 100), v[VALUES - 1]);
}

static void test_edges(void)
{
	static latency l;

	CU_ASSERT_EQUAL(latency_percentile_ms(&l, 50), 0);
	latency_add(&l, -1);
	CU_ASSERT_EQUAL(latency_percentile_ms(&l, 50), 0);
	CU_ASSERT_EQUAL(latency_max_ms(&l), 0);
	latency_add(&l, INT64_MAX);
	CU_ASSERT_EQUAL(latency_max_ms(&l), (double)INT64_MAX * 1e-6);
	CU_ASSERT(latency_percentile_ms(&l, 99) <= latency_max_ms(&l));
	memset(&l, 0, sizeof(l));
	latency_add(&l, 5000000);
	CU_ASSERT(latency_percentile_ms(&l, 50) <= latency_max_ms(&l));
	expect_near(latency_percentile_ms(&l, 50), 5000000);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "quantiles are those of the sorted values within a step", test_quantiles },
		{ "quantiles of no values, negative values and the largest value", test_edges },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("latency", tests);
}
