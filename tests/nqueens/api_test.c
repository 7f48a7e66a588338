/* The interface of libnqueens: structs that carry their size, error messages, nq_solve. */
#include <nqueens/checkpoint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

/* PLAN_OPTIONS() and COUNT_OPTIONS() of the suites do not call the library. */
static void the_librarys_defaults_are_those_that_the_suites_assume(void)
{
	nq_plan_options po, p;
	nq_run_options ro, r;

	memset(&p, 0, sizeof(p));
	memset(&r, 0, sizeof(r));
	p.struct_bytes = sizeof(p);
	r.struct_bytes = sizeof(r);
	r.device = NQ_CURRENT_DEVICE;
	nq_plan_options_init(&po);
	nq_run_options_init(&ro);
	CU_ASSERT_EQUAL(memcmp(&po, &p, sizeof(po)), 0);
	CU_ASSERT_EQUAL(memcmp(&ro, &r, sizeof(ro)), 0);
}

/* An older program: its structs end before the last member. */
static void members_behind_a_shorter_struct_have_their_defaults(void)
{
	union {
		nq_run_options o;
		unsigned char bytes[sizeof(nq_run_options)];
	} u;
	nq_count total;

	memset(&u, 0x5a, sizeof(u));
	nq_run_options_init_sized(&u.o, sizeof(nq_run_options) - sizeof(uint32_t) * 2);
	CU_ASSERT_EQUAL(u.o.struct_bytes, sizeof(nq_run_options) - sizeof(uint32_t) * 2);
	CU_ASSERT_EQUAL(u.o.device, NQ_CURRENT_DEVICE);
	CU_ASSERT_EQUAL(u.bytes[sizeof(u) - 1], 0x5a); /* nothing is written behind its end */
	/* below the first version's size */
	u.o.struct_bytes = sizeof(size_t);
	CU_ASSERT_EQUAL(nq_solve(5, &u.o, &total, NULL), NQ_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "nq_run_options"));
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "init"));
}

static void longer_structs_must_end_in_zeros(void)
{
	struct {
		nq_run_options o;
		uint64_t later[2];
	} newer;
	nq_count total;

	memset(&newer, 0, sizeof(newer));
	nq_run_options_init(&newer.o);
	newer.o.struct_bytes = sizeof(newer);
	CU_ASSERT_EQUAL(nq_solve(6, &newer.o, &total, NULL), NQ_OK);
	CU_ASSERT_EQUAL(total.lo, 4);
	newer.later[1] = 1;
	CU_ASSERT_EQUAL(nq_solve(6, &newer.o, &total, NULL), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(total.lo, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "does not have"));
}

static void a_result_that_was_not_initialised_is_refused(void)
{
	nq_plan_options po;
	nq_plan *plan = NULL;
	nq_count total;
	nq_result r;
	nq_estimate e;

	memset(&r, 0, sizeof(r));
	CU_ASSERT_EQUAL(nq_solve(6, NULL, &total, &r), NQ_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "nq_result"));
	nq_result_init(&r);
	CU_ASSERT_EQUAL(nq_solve(6, NULL, &total, &r), NQ_OK);
	CU_ASSERT_EQUAL(r.struct_bytes, sizeof(r));
	CU_ASSERT_TRUE(r.units > 0 && r.units_done == r.units);
	po = PLAN_OPTIONS(.n = 8, .method = NQ_METHOD_BACKTRACK);
	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &po), NQ_OK);
	memset(&e, 0, sizeof(e));
	CU_ASSERT_EQUAL(nq_estimate_nodes(plan, 10, 1, &e), NQ_ERR_ARG);
	nq_estimate_init(&e);
	CU_ASSERT_EQUAL(nq_estimate_nodes(plan, 10, 1, &e), NQ_OK);
	CU_ASSERT_TRUE(e.nodes > 0);
	nq_plan_destroy(&plan);
}

static int append(void *opaque, const char *text, size_t bytes)
{
	strncat(opaque, text, bytes);
	return 0;
}

/* The options of the plan are the last member of the head, and so may grow. */
static void a_checkpoint_is_read_into_a_shorter_head(void)
{
	static char text[4096];
	static nq_checkpoint head;
	const nq_square given = { 0, 2 };
	nq_plan_options po;
	nq_plan *plan = NULL;
	nq_ledger *ledger = NULL;

	po = PLAN_OPTIONS(.n = 7, .given = &given, .given_count = 1);
	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &po), NQ_OK);
	CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&ledger, plan), NQ_OK);
	CU_ASSERT_EQUAL(nq_checkpoint_write(plan, &po, ledger, 0, 0, append, text), NQ_OK);
	memset(&head, 0, sizeof(head));
	CU_ASSERT_EQUAL(nq_checkpoint_read(text, strlen(text), &head, NULL, 0), NQ_ERR_ARG);
	nq_checkpoint_init(&head);
	CU_ASSERT_EQUAL(nq_checkpoint_read(text, strlen(text), &head, NULL, 0), NQ_OK);
	CU_ASSERT_EQUAL(head.plan.n, 7);
	CU_ASSERT_EQUAL(head.plan.struct_bytes, sizeof(po));
	CU_ASSERT_TRUE(head.plan.given == head.given && head.given[0].col == 2);
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
}

static void every_refusal_has_a_message(void)
{
	static const nq_square outside = { 9, 0 };
	nq_plan_options po;
	nq_run_options ro;
	nq_plan *plan = NULL;
	nq_count total = { 7, 7 };

	po = PLAN_OPTIONS(.n = 33);
	CU_ASSERT_EQUAL(nq_plan_create(&plan, &po), NQ_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "33"));
	po.n = 8;
	po.given = &outside;
	po.given_count = 1;
	CU_ASSERT_EQUAL(nq_plan_create(&plan, &po), NQ_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "row 9"));
	ro = COUNT_OPTIONS(.queue = "rnig");
	CU_ASSERT_EQUAL(nq_solve(8, &ro, &total, NULL), NQ_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "\"rnig\""));
	CU_ASSERT_TRUE(total.lo == 0 && total.hi == 0);
	ro.queue = NULL;
	ro.part = ro.parts = 1;
	CU_ASSERT_EQUAL(nq_solve(8, &ro, &total, NULL), NQ_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(nq_last_error(), "nq_run"));
}

/* The result has no values of an earlier run, and the message. */
static int refused(nq_status st, const nq_result *r)
{
	return st < 0 && r->units == 0 && r->workers == 0 && r->elapsed_ns == 0 &&
	       strcmp(r->message, nq_last_error()) == 0;
}

static void a_refused_call_clears_an_old_result(void)
{
	nq_run_options ro;
	nq_result done, r;
	nq_count total;

	ro = COUNT_OPTIONS();
	nq_result_init(&done);
	ro.backend = NQ_BACKEND_CPU;
	CU_ASSERT_EQUAL_FATAL(nq_solve(8, &ro, &total, &done), NQ_OK);
	CU_ASSERT_TRUE(done.units > 0 && done.workers > 0);
	r = done;
	CU_ASSERT_TRUE(refused(nq_solve(NQ_MAX_N + 1, &ro, &total, &r), &r));
	r = done;
	CU_ASSERT_TRUE(refused(nq_solve(8, &ro, NULL, &r), &r));
	r = done;
	CU_ASSERT_TRUE(refused(nq_run(NULL, NULL, &ro, &r), &r));
	r = done;
	CU_ASSERT_TRUE(refused(nq_run(NULL, NULL, NULL, &r), &r));
	ro.queue = "rnig";
	r = done;
	CU_ASSERT_TRUE(refused(nq_solve(8, &ro, &total, &r), &r));
	ro.queue = NULL;
	ro.part = ro.parts = 1;
	r = done;
	CU_ASSERT_TRUE(refused(nq_solve(8, &ro, &total, &r), &r));
}

static int at_once(void *opaque, const nq_progress *p)
{
	*(size_t *)opaque = p->struct_bytes;
	return 1;
}

static void solve_applies_its_options(void)
{
	size_t seen = 0;
	nq_run_options ro;
	nq_result r;
	nq_count total;

	ro = COUNT_OPTIONS();
	nq_result_init(&r);
	ro.backend = NQ_BACKEND_CPU;
	ro.queue = "steal";
	for (ro.workers = 1; ro.workers <= 3;
		ro.workers += 2) { /* one of them is not the default */
		CU_ASSERT_EQUAL(nq_solve(10, &ro, &total, &r), NQ_OK);
		CU_ASSERT_EQUAL(total.lo, 724);
		CU_ASSERT_TRUE(r.workers == ro.workers && r.backend == NQ_BACKEND_CPU);
	}
	ro.progress = at_once;
	ro.progress_opaque = &seen;
	CU_ASSERT_EQUAL(nq_solve(16, &ro, &total, &r), NQ_CANCELLED);
	CU_ASSERT_TRUE(NQ_CANCELLED > 0); /* no error, so the last message is kept */
	CU_ASSERT_EQUAL(total.lo, 0);
	CU_ASSERT_EQUAL(seen, sizeof(nq_progress));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the library's defaults are those that the suites assume",
			the_librarys_defaults_are_those_that_the_suites_assume },
		{ "members behind a shorter struct have their defaults",
			members_behind_a_shorter_struct_have_their_defaults },
		{ "longer structs must end in zeros", longer_structs_must_end_in_zeros },
		{ "a result that was not initialised is refused",
			a_result_that_was_not_initialised_is_refused },
		{ "a checkpoint is read into a shorter head",
			a_checkpoint_is_read_into_a_shorter_head },
		{ "every refusal has a message", every_refusal_has_a_message },
		{ "a refused call clears an old result", a_refused_call_clears_an_old_result },
		{ "nq_solve applies its options", solve_applies_its_options },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		TEST_SUITE("the interface of libnqueens", tests),
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
