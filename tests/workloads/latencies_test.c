/* latency: ranks of the samples, a full table, figures of CPU threads, a stopped measurement. */
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "workloads/latency/latency.h"

enum { MOST = 300 };

/* Adds samples 1 .. n in a random order. */
static void add_shuffled(lat_table *t, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t other = rng_below(k + 1);

		t->sample[k] = t->sample[other];
		t->sample[other] = k + 1;
	}
	lat_add(t, "shuffled", "numbers", "us", n);
}

/* The pth percentile by the nearest rank is the least sample that p % of all do not exceed. */
static void test_ranks(void)
{
	double sample[MOST] = { 0 };
	lat_table t = { .sample = sample };

	for (uint32_t n = 1; n <= MOST; n++) {
		const lat_figure *f = &t.row[0];

		t.count = 0;
		add_shuffled(&t, n);
		CU_ASSERT_EQUAL_FATAL(t.count, 1);
		CU_ASSERT_EQUAL(f->samples, n);
		CU_ASSERT_EQUAL(f->least, 1);
		CU_ASSERT_EQUAL(f->median, n / 2 + 1);
		CU_ASSERT(f->p99 * 100 >= n * 99 && (f->p99 - 1) * 100 < n * 99);
		CU_ASSERT(f->least <= f->median && f->median <= f->p99);
	}
}

static void test_full_table(void)
{
	static const char *const names[] = { "a", "b" };
	double sample[1] = { 1 };
	lat_table t = { .sample = sample };

	CU_ASSERT_PTR_NULL(lat_find(&t, "a"));
	for (int k = 0; k < LAT_MAX_FIGURES + 3; k++)
		lat_add(&t, names[k > 0], "number", "us", 1);
	CU_ASSERT_EQUAL(t.count, LAT_MAX_FIGURES);
	CU_ASSERT_PTR_EQUAL(lat_find(&t, "a"), &t.row[0]);
	CU_ASSERT_PTR_EQUAL(lat_find(&t, "b"), &t.row[1]);
	CU_ASSERT_PTR_NULL(lat_find(&t, "c"));
}

/* Measures on one CPU thread; `stop` as in wl_device. Returns what lat_measure() returns. */
static int measure_cpu(const volatile int *stop, uint32_t samples, lat_table *t)
{
	char msg[600] = "";
	wl_device d = { .backend = LSCHED_BACKEND_CPU, .max_workers = 1, .stop = stop };
	lsched_options o;
	int result;

	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = 1;
	CU_ASSERT_EQUAL_FATAL(lsched_open(&d.ctx, &o, msg, sizeof(msg)), LSCHED_OK);
	result = lat_measure(&d, samples, t, msg, sizeof(msg));
	lsched_close(&d.ctx);
	CU_ASSERT(result < 0 || !msg[0]);
	return result;
}

static void test_cpu(void)
{
	static const char *const names[] = { "round-trip", "round-trip-sleep", "store-ordered",
		"launch", "run" };
	lat_table t;

	CU_ASSERT_EQUAL_FATAL(measure_cpu(NULL, 50, &t), 0);
	CU_ASSERT_EQUAL(t.count, sizeof(names) / sizeof(names[0]));
	CU_ASSERT_PTR_NULL(t.sample);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const lat_figure *f = lat_find(&t, names[i]);

		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT(f->least >= 0 && f->least <= f->median && f->median <= f->p99);
		CU_ASSERT_EQUAL(f->samples, 50);
	}
}

static void test_stopped(void)
{
	const volatile int stop = 1;
	lat_table t;

	CU_ASSERT_EQUAL(measure_cpu(&stop, 50, &t), WL_STOPPED);
	CU_ASSERT_EQUAL(t.count, 0);
	CU_ASSERT_PTR_NULL(t.sample);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "median and 99 % are samples of the nearest rank", test_ranks },
		{ "a full table drops figures", test_full_table },
		{ "the figures of CPU threads are in order", test_cpu },
		{ "a stopped measurement has no figures", test_stopped },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("latencies", tests);
}
