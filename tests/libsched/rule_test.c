/* The rule of a grid of <libsched/stencil.h> under every scheme, and rules with the functions of
 * one scheme only. */
#include <string.h>
#include <libsched/stencil.h>
#include "tests/common/sched_setup.h"
#include "tests/common/testmain.h"

enum { TASKS_MOST = 400, BAD_ORDER = 5, CHAIN = 50 };

/* ---- a grid: the body checks that all neighbours of the comment have run ---- */

typedef struct grid_ctx {
	uint32_t w, h, right;
	uint32_t *runs; /* of each task */
} grid_ctx;
LSCHED_STENCIL_RULE(left_rule, grid_ctx, w, h, 0)
LSCHED_STENCIL_RULE(right_rule, grid_ctx, w, h, 1)

static uint32_t missing(const grid_ctx *c, uint32_t x, uint32_t y)
{
	return x < c->w && y < c->h && !lsched_ld(&c->runs[y * c->w + x], acq, dev);
}

static lsched_result grid_body(
	lsched_worker *w, const grid_ctx *c, lsched_no_local *local, uint32_t task)
{
	const uint32_t x = task % c->w, y = task / c->w;

	(void)local;
	if (missing(c, x - 1, y) || missing(c, x, y - 1) || missing(c, x - 1, y - 1) ||
		(c->right && missing(c, x + 1, y - 1)))
		return lsched_fail(w, BAD_ORDER);
	(void)lsched_add(&c->runs[task], 1u, ar, dev);
	return LSCHED_DONE;
}

#define LSCHED_NAME left
#define LSCHED_CTX  grid_ctx
#define LSCHED_BODY grid_body
#define LSCHED_RULE left_rule
#include <libsched/generate.h>

#define LSCHED_NAME right
#define LSCHED_CTX  grid_ctx
#define LSCHED_BODY grid_body
#define LSCHED_RULE right_rule
#include <libsched/generate.h>

/* ---- a chain of tasks, by the functions of one scheme ---- */

typedef struct chain_ctx {
	uint32_t *sum; /* [CHAIN] */
} chain_ctx;

static lsched_result chain_body(
	lsched_worker *w, const chain_ctx *c, lsched_no_local *local, uint32_t task)
{
	(void)w, (void)local;
	c->sum[task] = task + (task ? c->sum[task - 1] : 0);
	return LSCHED_DONE;
}

LSCHED_FN uint32_t dyn_pred_count(const chain_ctx *c, uint32_t task)
{
	(void)c;
	return task > 0;
}

LSCHED_FN uint32_t dyn_succ_count(const chain_ctx *c, uint32_t task)
{
	(void)c;
	return task + 1 < CHAIN;
}

LSCHED_FN uint32_t dyn_succ(const chain_ctx *c, uint32_t task, uint32_t k)
{
	(void)c, (void)k;
	return task + 1;
}

LSCHED_FN uint32_t dyn_root_count(const chain_ctx *c)
{
	(void)c;
	return 1;
}

LSCHED_FN uint32_t dyn_root(const chain_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

#define LSCHED_NAME        onlydyn
#define LSCHED_CTX         chain_ctx
#define LSCHED_BODY        chain_body
#define LSCHED_RULE        dyn
#define LSCHED_ONLY_SCHEME dynamic
#include <libsched/generate.h>

LSCHED_FN uint32_t sta_pred_count(const chain_ctx *c, uint32_t task)
{
	return dyn_pred_count(c, task);
}

LSCHED_FN uint32_t sta_pred(const chain_ctx *c, uint32_t task, uint32_t k)
{
	(void)c, (void)k;
	return task - 1;
}

LSCHED_FN uint32_t sta_chain_count(const chain_ctx *c)
{
	(void)c;
	return 1;
}

LSCHED_FN uint32_t sta_chain_head(const chain_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

LSCHED_FN uint32_t sta_chain_next(const chain_ctx *c, uint32_t task)
{
	(void)c;
	return task + 1 < CHAIN ? task + 1 : LSCHED_NONE;
}

#define LSCHED_NAME        onlysta
#define LSCHED_CTX         chain_ctx
#define LSCHED_BODY        chain_body
#define LSCHED_RULE        sta
#define LSCHED_ONLY_SCHEME static
#include <libsched/generate.h>

LSCHED_FN uint32_t syn_wave_count(const chain_ctx *c)
{
	(void)c;
	return CHAIN;
}

LSCHED_FN uint32_t syn_wave_size(const chain_ctx *c, uint32_t wave)
{
	(void)c, (void)wave;
	return 1;
}

LSCHED_FN uint32_t syn_wave_task(const chain_ctx *c, uint32_t wave, uint32_t i)
{
	(void)c;
	return wave + i;
}

#define LSCHED_NAME        onlysyn
#define LSCHED_CTX         chain_ctx
#define LSCHED_BODY        chain_body
#define LSCHED_RULE        syn
#define LSCHED_ONLY_SCHEME sync
#include <libsched/generate.h>

static lsched_ctx *ctx;

static void check_grid(const lsched_program *p, lsched_scheme scheme, grid_ctx c)
{
	static uint32_t runs[TASKS_MOST];
	const uint32_t n = c.w * c.h;
	lsched_run_options o = RUN_OPTIONS(.scheme = scheme, .max_tasks = n ? n : 1);
	lsched_run *run;

	memset(runs, 0, sizeof(runs));
	c.runs = runs;
	CREATE(&run, ctx, p, &o);
	CHECK(lsched_run_start(run, &c, n, NULL) == LSCHED_OK &&
			lsched_run_finish(run, NULL) == LSCHED_OK,
		"%u x %u, right %u, %s: %s", c.w, c.h, c.right, lsched_scheme_name(scheme),
		lsched_run_error(run));
	for (uint32_t k = 0; k < n; k++)
		CHECK(runs[k] == 1, "task %u ran %u times", k, runs[k]);
	lsched_run_destroy(&run);
}

static void a_grid_runs_under_every_scheme(void)
{
	static const uint32_t size[][2] = { { 1, 1 }, { 1, 7 }, { 7, 1 }, { 2, 9 }, { 9, 2 },
		{ 5, 5 }, { 20, 20 }, { 0, 0 } };

	for (size_t k = 0; k < sizeof(size) / sizeof(size[0]); k++)
		for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme <= LSCHED_SCHEME_SYNC; scheme++)
			for (uint32_t right = 0; right < 2; right++) {
				const grid_ctx c = { size[k][0], size[k][1], right, NULL };

				check_grid(right ? &right_cpu_program : &left_cpu_program,
					(lsched_scheme)scheme, c);
			}
}

static void check_only(const lsched_program *p, lsched_scheme scheme)
{
	static uint32_t sum[CHAIN];
	const chain_ctx c = { sum };

	for (int s = LSCHED_SCHEME_DYNAMIC; s <= LSCHED_SCHEME_EPOCH; s++) {
		lsched_run_options o = RUN_OPTIONS(.scheme = (lsched_scheme)s, .max_tasks = CHAIN);
		lsched_run *run;

		if (s != (int)scheme) {
			CHECK(lsched_run_create(&run, ctx, p, &o) == LSCHED_ERR_UNSUPPORTED &&
					strstr(lsched_last_error(ctx), "LSCHED_ONLY_SCHEME"),
				"%s", lsched_last_error(ctx));
			continue;
		}
		memset(sum, 0, sizeof(sum));
		CREATE(&run, ctx, p, &o);
		CHECK(lsched_run_start(run, &c, CHAIN, NULL) == LSCHED_OK &&
				lsched_run_finish(run, NULL) == LSCHED_OK,
			"%s", lsched_run_error(run));
		CHECK(sum[CHAIN - 1] == CHAIN * (CHAIN - 1) / 2, "sum %u", sum[CHAIN - 1]);
		lsched_run_destroy(&run);
	}
}

static void a_rule_for_one_scheme_needs_its_functions_only(void)
{
	check_only(&onlydyn_cpu_program, LSCHED_SCHEME_DYNAMIC);
	check_only(&onlysta_cpu_program, LSCHED_SCHEME_STATIC);
	check_only(&onlysyn_cpu_program, LSCHED_SCHEME_SYNC);
}

static CU_TestInfo tests[] = { { "a grid runs under every scheme", a_grid_runs_under_every_scheme },
	{ "a rule for one scheme needs its functions only",
		a_rule_for_one_scheme_needs_its_functions_only },
	CU_TEST_INFO_NULL };

int main(void)
{
	int rc = test_open(&ctx, LSCHED_BACKEND_CPU, 4);

	if (rc)
		return rc;
	rc = test_run_one("rules", tests);
	lsched_close(&ctx);
	return rc;
}
