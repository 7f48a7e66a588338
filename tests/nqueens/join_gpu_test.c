/* The quadrant join on a CUDA device, compared with the CPU's unit by unit and with published
 * counts. Skipped without a device; SCHED_REQUIRE_GPU=1 makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

#ifdef HAVE_CUDA
#include <stdio.h>

typedef struct job {
	nq_plan *plan;
	nq_ledger *ledger;
	nq_run_options o;
	nq_result r;
} job;

static int job_open(job *j, uint32_t n)
{
	nq_plan_options po;

	j->plan = NULL;
	j->ledger = NULL;
	po = PLAN_OPTIONS(.n = n, .method = NQ_METHOD_JOIN, .backend = NQ_BACKEND_CUDA);
	nq_result_init(&j->r);
	j->o = COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA);
	return nq_plan_create(&j->plan, &po) == NQ_OK &&
	       nq_ledger_create(&j->ledger, j->plan) == NQ_OK;
}

static nq_status job_run(job *j)
{
	return nq_run(j->plan, j->ledger, &j->o, &j->r);
}

static void job_close(job *j)
{
	nq_ledger_destroy(&j->ledger);
	nq_plan_destroy(&j->plan);
}

/* Returns the number of units that the CPU counts differently; every step-th from `first` on. */
static size_t wrong_units(const job *j, size_t first, size_t step)
{
	const size_t units = nq_plan_units(j->plan, NULL);
	size_t wrong = 0;

	for (size_t i = first; i < units; i += step) {
		uint64_t count;

		wrong += nq_run_unit(j->plan, i, NQ_SIMD_AUTO, &count, NULL) != NQ_OK ||
			 !nq_ledger_done(j->ledger, i) ||
			 count != nq_ledger_unit_count(j->ledger, i);
	}
	return wrong;
}

static void each_unit_has_the_count_of_the_cpu(void)
{
	for (uint32_t n = 4; n <= 16; n++) {
		size_t wrong;
		nq_status st;
		int right;
		job j;

		CHECK(job_open(&j, n), "n %u: memory", n);
		st = job_run(&j);
		wrong = wrong_units(&j, 0, 1);
		right = total_is_published(j.plan, j.ledger);
		job_close(&j);
		CHECK(st == NQ_OK, "n %u: %s, %s", n, nq_strstatus(st), j.r.message);
		CHECK(wrong == 0, "n %u: %zu units are wrong", n, wrong);
		CHECK(right, "n %u: another total", n);
	}
}

static void totals_are_the_published_ones(void)
{
	for (uint32_t n = 17; n <= 20; n++) {
		size_t wrong;
		nq_status st;
		int right;
		job j;

		CHECK(job_open(&j, n), "n %u: memory", n);
		st = job_run(&j);
		right = total_is_published(j.plan, j.ledger);
		/* a prime step selects all sizes of sets and many crosses */
		wrong = n == 17 ? wrong_units(&j, 1, 61) : n == 18 ? wrong_units(&j, 3, 101) : 0;
		printf(" n %u: %.2f ms in kernels;", n, j.r.kernel_ns / 1e6);
		job_close(&j);
		CHECK(st == NQ_OK, "n %u: %s, %s", n, nq_strstatus(st), j.r.message);
		CHECK(wrong == 0, "n %u: %zu units are wrong", n, wrong);
		CHECK(right, "n %u: another total", n);
		CHECK(j.r.backend == NQ_BACKEND_CUDA && j.r.devices == 1 && j.r.kernel_ns > 0,
			"n %u: the result does not name the backend", n);
	}
}

static void parts_of_a_run_add_up(void)
{
	nq_status st = NQ_OK;
	size_t done = 0, units;
	int right;
	job j;

	CHECK(job_open(&j, 13), "memory");
	units = nq_plan_units(j.plan, NULL);
	j.o.parts = 5;
	for (j.o.part = 1; j.o.part <= 5 && st == NQ_OK; j.o.part++) {
		st = job_run(&j);
		done += j.r.units_done;
	}
	right = total_is_published(j.plan, j.ledger);
	job_close(&j);
	CHECK(st == NQ_OK, "%s", nq_strstatus(st));
	CHECK(done == units && right, "%zu of %zu units", done, units);
}

/* Cancels when a quarter of the work is done. */
static int enough(void *opaque, const nq_progress *p)
{
	(void)opaque;
	return p->work_done > p->work / 4;
}

static void a_cancelled_run_resumes_from_its_finished_units(void)
{
	size_t before;
	nq_status st;
	int right;
	job j;

	CHECK(job_open(&j, 20), "memory");
	j.o.progress = enough;
	j.o.progress_ms = 1;
	st = job_run(&j);
	before = nq_ledger_done_count(j.ledger);
	CHECK(st == NQ_CANCELLED || st == NQ_OK, "%s", nq_strstatus(st));
	CHECK(before > 0, "nothing was entered");
	CHECK(st == NQ_OK || before < nq_plan_units(j.plan, NULL), "all was counted");
	j.o.progress = NULL;
	st = job_run(&j);
	right = total_is_published(j.plan, j.ledger);
	job_close(&j);
	CHECK(st == NQ_OK && right, "%s", nq_strstatus(st));
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "each unit has the count of the CPU", each_unit_has_the_count_of_the_cpu },
		{ "totals are the published ones", totals_are_the_published_ones },
		{ "parts of a run add up", parts_of_a_run_add_up },
		{ "a cancelled run resumes from its finished units",
			a_cancelled_run_resumes_from_its_finished_units },
		CU_TEST_INFO_NULL,
	};

	if (lsched_device_count() < 1)
		return test_skip_gpu("no usable CUDA device");
	return test_run_one("the join on the device", tests);
}

#else
TEST_WITHOUT_CUDA
#endif
