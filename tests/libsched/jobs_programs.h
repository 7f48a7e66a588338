/* Programs with LSCHED_JOBS, the same text for the CPU and the GPU suite. Their arguments select
 * what the roots of a job do. The file that includes this one defines JOBS_PROGRAMS first to
 * generate them; JOBS_NO_JOINS: without joins. */
#ifndef TESTS_LIBSCHED_JOBS_PROGRAMS_H
#define TESTS_LIBSCHED_JOBS_PROGRAMS_H

#include <libsched/jobs.h>
#include "tests/libsched/items_grain.h"

typedef struct work_ctx {
	uint32_t *runs;         /* of each number: roots of JOB_TREE and JOB_STEPS */
	uint32_t *log, *logged; /* JOB_LOG: numbers in the order of execution; their count */
} work_ctx;

enum {
	JOB_TREE,  /* a binary tree of `depth`; the job's value is the number of leaves */
	JOB_LOG,   /* appends `base` to the log */
	JOB_GATE,  /* runs until the job is cancelled */
	JOB_STEPS, /* `depth` turns of the root */
	JOB_FAIL,  /* lsched_job_fail() of root `depth` */
	JOB_SPIN,  /* as JOB_GATE, in long bodies that call lsched_should_yield() */
	JOB_CLOCK, /* progress: lsched_host_ns() of lsched_job_left_ns() */
	JOB_SEND,  /* each root sends `depth` messages: its number, and values that count up */
	/* Counts itself, logs its number plus one, then resumes job `id`. Returns bit 0: what that
	 * returns; from bit 1 on: what the job with the next number has logged. */
	JOB_RESUME,
	/* begins job `id` with 3 roots from 5 on of a JOB_TREE, `base` and `depth`; returns as
	 * above */
	JOB_BEGIN,
	JOB_HANG, /* does not return for `depth` ms */
	JOB_BREAK /* LSCHED_FAIL */
};

typedef struct work_args {
	uint32_t what, base, depth, check;
	uint32_t id[2]; /* low, high */
} work_args;

typedef struct work_node {
	uint32_t what, depth, join;
} work_node;

typedef struct work_step {
	uint32_t what, left, number;
} work_step;

#define WORK(Y, P)                                                     \
	Y(P, node, lane, work_node, work_run_node, LSCHED_TO(node, 2)) \
	Y(P, step, warp, work_step, work_run_step, 0)
LSCHED_DECLARE_PROCEDURES(work, WORK);

/* Counts a run of the root; begins its work. Wrong arguments break the execution. */
LSCHED_TASK_FN void work_root(work *x, const work_ctx *c, uint32_t i)
{
	const work_args *args = (const work_args *)lsched_job_args(x);
	const work_node node = { args->what, args->depth, LSCHED_JOIN_ROOT };
	work_step step = { args->what, args->depth, args->base + i };

	if (args->check != ~args->base)
		step.what = JOB_BREAK;
	if (args->what == JOB_TREE && args->check == ~args->base) {
		(void)lsched_add(&c->runs[args->base + i], 1u, rlx, dev);
		lsched_emit_to(x, node, &node);
	} else {
		if (args->what == JOB_FAIL)
			step.left = args->depth == i;
		if (args->what == JOB_LOG)
			step.number = args->base;
		lsched_emit_to(x, step, &step);
	}
}

LSCHED_TASK_FN lsched_result work_run_node(
	work *x, const work_ctx *c, lsched_no_local *l, work_node it)
{
	work_node child = it;

	(void)c, (void)l;
	if (it.depth == 0) {
		lsched_job_advance(x, 1, 0);
		lsched_return(x, it.join, 1);
		return LSCHED_DONE;
	}
	if (it.depth > 8 && lsched_job_cancelled(x)) { /* a large tree ends soon */
		lsched_return(x, it.join, 0);
		return LSCHED_DONE;
	}
	child.depth = it.depth - 1;
#ifndef JOBS_NO_JOINS /* the leaves return to the root then, which adds the same */
	child.join = lsched_fork(x, 2, it.join);
#endif
	lsched_emit_to(x, node, &child);
	lsched_emit_to(x, node, &child);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result work_run_step(
	work *x, const work_ctx *c, lsched_no_local *l, work_step it)
{
	(void)l;
	switch (it.what) {
	case JOB_LOG:
		if (lsched_thread(x) == 0)
			c->log[lsched_add(c->logged, 1u, rlx, dev)] = it.number;
		return LSCHED_DONE;
	case JOB_GATE:
		if (lsched_thread(x) == 0 && it.left == 0)
			lsched_job_advance(x, 1, 1);
		it.left = 1;
		if (lsched_thread(x) == 0 && !lsched_job_cancelled(x))
			lsched_continue(x, step, &it);
		return LSCHED_DONE;
	case JOB_SPIN:
		if (lsched_thread(x) != 0)
			return LSCHED_DONE;
		lsched_job_advance(x, it.left == 0, 0);
		it.left = 1;
		for (uint32_t k = 0; k < 200000 && !lsched_should_yield(x); k++)
			;
		if (!lsched_job_cancelled(x))
			lsched_continue(x, step, &it);
		return LSCHED_DONE;
	case JOB_CLOCK:
		if (lsched_thread(x) == 0) {
			const uint64_t now = lsched_host_ns(x);

			lsched_job_advance(x, now, (uint64_t)lsched_job_left_ns(x));
		}
		return LSCHED_DONE;
	case JOB_SEND:
		if (lsched_thread(x) != 0 || lsched_job_cancelled(x))
			return LSCHED_DONE;
		while (it.left && lsched_job_send(x, it.number, UINT64_MAX - it.left))
			it.left--;
		if (it.left)
			lsched_continue(x, step, &it);
		return LSCHED_DONE;
	case JOB_RESUME: {
		const uint32_t *id = ((const work_args *)lsched_job_args(x))->id;
		uint32_t logged;

		if (lsched_thread(x) != 0)
			return LSCHED_DONE;
		(void)lsched_add(&c->runs[it.number], 1u, rlx, dev);
		logged = c->log[it.number + 1];
		c->log[it.number] = it.number + 1;
		lsched_return(x, LSCHED_JOIN_ROOT,
			(uint64_t)lsched_job_resume(x, id[0] | (uint64_t)id[1] << 32) |
				(uint64_t)logged << 1);
		return LSCHED_DONE;
	}
	case JOB_BEGIN: {
		const work_args *args = (const work_args *)lsched_job_args(x);
		const work_args tree = { JOB_TREE, args->base, args->depth, args->check, { 0, 0 } };

		if (lsched_thread(x) == 0)
			lsched_return(x, LSCHED_JOIN_ROOT,
				(uint64_t)lsched_job_begin(x,
					args->id[0] | (uint64_t)args->id[1] << 32, 5, 3, &tree,
					sizeof(tree)));
		return LSCHED_DONE;
	}
	case JOB_HANG: {
		const uint64_t begin = lsched_now_ns();

		while (lsched_thread(x) == 0 &&
			lsched_now_ns() - begin < it.left * UINT64_C(1000000))
			;
		return LSCHED_DONE;
	}
	case JOB_STEPS:
		if (it.left && !lsched_job_cancelled(x)) {
			it.left--;
			if (lsched_thread(x) == 0)
				lsched_continue(x, step, &it);
			return LSCHED_DONE;
		}
		if (lsched_thread(x) == 0)
			(void)lsched_add(&c->runs[it.number], 1u, rlx, dev);
		return LSCHED_DONE;
	case JOB_FAIL:
		return it.left && lsched_thread(x) == 0 ? lsched_job_fail(x, 7) : LSCHED_DONE;
	default:
		return lsched_items_fail(x, 3);
	}
}

/* Block items, `depth` of each root one after the other, 0: one to three. Each thread returns one,
 * so a job's value is the number of threads of its items. They ignore a cancel. */
typedef struct crew_item {
	uint32_t left;
} crew_item;

#define CREW(Y, P)                                                     \
	Y(P, seed, lane, crew_item, crew_run_seed, LSCHED_TO(crew, 1)) \
	Y(P, crew, ITEMS_BLOCK, crew_item, crew_run, LSCHED_TO(crew, 1))
LSCHED_DECLARE_PROCEDURES(crew, CREW);

LSCHED_TASK_FN void crew_root(crew *x, const work_ctx *c, uint32_t i)
{
	const work_args *args = (const work_args *)lsched_job_args(x);
	const crew_item it = { args->depth ? args->depth : 1 + i % 3 };

	(void)c;
	lsched_job_advance(x, 1, 0);
	lsched_emit_to(x, seed, &it);
}

LSCHED_TASK_FN lsched_result crew_run_seed(
	crew *x, const work_ctx *c, lsched_no_local *l, crew_item it)
{
	(void)c, (void)l;
	lsched_emit_to(x, crew, &it);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result crew_run(crew *x, const work_ctx *c, lsched_no_local *l, crew_item it)
{
	const crew_item less = { it.left - 1 };

	(void)c, (void)l;
	lsched_return(x, LSCHED_JOIN_ROOT, 1);
	if (less.left && lsched_thread(x) == 0)
		lsched_emit_to(x, crew, &less);
	return LSCHED_DONE;
}
#endif

#ifdef JOBS_PROGRAMS
#define LSCHED_NAME       jobwork
#define LSCHED_CTX        work_ctx
#define LSCHED_ITEMS      work
#define LSCHED_ROOT       work_root
#define LSCHED_PROCEDURES WORK
#ifndef JOBS_NO_JOINS
#define LSCHED_JOINS
#endif
#define LSCHED_CPU_LANES 4
#define LSCHED_JOBS
#include <libsched/generate_items.h>

#define LSCHED_NAME        jobcrew
#define LSCHED_CTX         work_ctx
#define LSCHED_ITEMS       crew
#define LSCHED_ROOT        crew_root
#define LSCHED_PROCEDURES  CREW
#define LSCHED_GROUP_WARPS ITEMS_GROUP_WARPS
#define LSCHED_CPU_LANES   4
#define LSCHED_MIN_BATCH   8
#define LSCHED_JOBS
#define LSCHED_JOB_DISCARD
#include <libsched/generate_items.h>
#endif
