/* Loads of sched_figures: tasks that do almost nothing, so that the time measured is that of the
 * scheduler. A file that defines FIGURES_PROGRAMS before it includes this one generates them. */
#ifndef BENCH_FIGURES_LOADS_H
#define BENCH_FIGURES_LOADS_H

#include <libsched/task.h>
#include <libsched/items.h>
#include <libsched/div.h>
#include "workloads/fib/fib.h"

/* ---- pairs: each root enqueues and dequeues on the run's queue, `lanes` items at a time ---- */

typedef struct pairs_ctx {
	uint32_t times, lanes;
	/* [0]: sum of all dequeued items minus that of all enqueued ones, 0 at the end; [1]: number
	 * of finished bodies */
	uint32_t *check;
	uint32_t bodies;
} pairs_ctx;

LSCHED_TASK_FN lsched_result pairs_body(
	lsched_worker *w, const pairs_ctx *c, lsched_no_local *l, uint32_t task)
{
	uint32_t sum = 0;

	(void)l;
	for (uint32_t k = 0; k < c->times; k++) {
		uint32_t left = c->lanes, item = task * 32u + lsched_lane();
		lsched_i_batch b;

		lsched_i_batch_clear(&b);
#ifdef __CUDACC__
		lsched_i_batch_add(&b, item, lsched_lane() < c->lanes);
#else
		for (uint32_t j = 0; j < c->lanes; j++)
			lsched_i_batch_add(&b, item + j, 1);
#endif
		LSCHED_I_EACH_ITEM(&b, i)
		{
			sum -= LSCHED_I_ITEM(&b, i);
		}
		if (lsched_i_queue_push_n(w, &b) != c->lanes)
			return lsched_fail(w, 1);
		while (left && !lsched_cancelled(w)) {
			const uint32_t got = lsched_i_queue_pop_n(w, &b, left);

			LSCHED_I_EACH_ITEM(&b, i)
			{
				sum += LSCHED_I_ITEM(&b, i);
			}
			left -= got;
		}
	}
	/* wait for all bodies: a worker whose body has returned looks for tasks in the queue, and
	 * would dequeue the items of the others */
	(void)lsched_add(c->check, sum, rlx, dev);
	if (lsched_lane() == 0)
		(void)lsched_add(&c->check[1], 1u, rlx, dev);
	lsched_sync_worker();
	for (uint32_t spins = 0;
		lsched_ld(&c->check[1], rlx, dev) % c->bodies && !lsched_cancelled(w); spins++)
		lsched_i_relax(spins, c->bodies);
	return LSCHED_DONE;
}

/* ---- a complete binary tree of depth c->n: as warp tasks, as warp items, as lane items ---- */

#define SPAWNED 0x80000000u

typedef struct depth_ctx {
	uint32_t n;
} depth_ctx;

LSCHED_TASK_FN lsched_result task_tree_body(
	lsched_worker *w, const depth_ctx *c, lsched_no_local *l, uint32_t task)
{
	/* the number of a spawned task is its depth, that of a root an index */
	const uint32_t depth = task & SPAWNED ? task & ~SPAWNED : 0;

	(void)l;
	if (depth < c->n)
		lsched_spawn_lanes(w, SPAWNED | (depth + 1), lsched_lane() < 2);
#ifndef __CUDACC__
	if (depth < c->n)
		lsched_spawn(w, SPAWNED | (depth + 1));
#endif
	return LSCHED_DONE;
}

typedef struct depth_item {
	uint32_t depth;
} depth_item;
LSCHED_DECLARE_ITEMS(depth_items, depth_item);

LSCHED_FN uint32_t depth_root(const depth_ctx *c, uint32_t i, depth_item *it)
{
	(void)c;
	(void)i;
	it->depth = 0;
	return 0;
}

LSCHED_TASK_FN lsched_result item_tree_body(
	depth_items *x, const depth_ctx *c, lsched_no_local *l, uint32_t proc, depth_item it)
{
	(void)l;
	(void)proc;
	if (it.depth < c->n && lsched_thread(x) == 0) {
		it.depth++;
		lsched_emit(x, 0, &it);
		lsched_emit(x, 0, &it);
	}
	return LSCHED_DONE;
}

/* ---- wave: the wavefront of the macroblocks of a frame, with tasks that do nothing ---- */

typedef struct wave_ctx {
	uint32_t w, h;
	lsched_div by_w;
} wave_ctx;

LSCHED_FN uint32_t wave_x(const wave_ctx *c, uint32_t t)
{
	return t - lsched_div_by(&c->by_w, t) * c->w;
}

LSCHED_FN uint32_t wave_pred_count(const wave_ctx *c, uint32_t t)
{
	return (wave_x(c, t) > 0) + (t >= c->w);
}

LSCHED_FN uint32_t wave_pred(const wave_ctx *c, uint32_t t, uint32_t k)
{
	const uint32_t x = wave_x(c, t);

	if (x > 0 && k-- == 0)
		return t - 1;
	return t - c->w + (x + 1 < c->w);
}

LSCHED_FN uint32_t wave_succ_count(const wave_ctx *c, uint32_t t)
{
	const uint32_t x = wave_x(c, t);

	return (x + 1 < c->w) + (t + c->w < c->w * c->h ? (x > 0) + (x + 1 == c->w) : 0);
}

LSCHED_FN uint32_t wave_succ(const wave_ctx *c, uint32_t t, uint32_t k)
{
	const uint32_t x = wave_x(c, t);

	if (x + 1 < c->w && k-- == 0)
		return t + 1;
	return x > 0 && k == 0 ? t + c->w - 1 : t + c->w;
}

LSCHED_FN uint32_t wave_root_count(const wave_ctx *c)
{
	(void)c;
	return 1;
}

LSCHED_FN uint32_t wave_root(const wave_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

LSCHED_FN uint32_t wave_chain_count(const wave_ctx *c)
{
	return c->h;
}

LSCHED_FN uint32_t wave_chain_head(const wave_ctx *c, uint32_t i)
{
	return i * c->w;
}

LSCHED_FN uint32_t wave_chain_next(const wave_ctx *c, uint32_t t)
{
	return wave_x(c, t) + 1 < c->w ? t + 1 : LSCHED_NONE;
}

LSCHED_FN uint32_t wave_wave_count(const wave_ctx *c)
{
	return c->w + 2 * (c->h - 1);
}

LSCHED_FN uint32_t wave_first_row(const wave_ctx *c, uint32_t wave)
{
	return wave < c->w ? 0 : (wave - c->w + 2) / 2;
}

LSCHED_FN uint32_t wave_wave_size(const wave_ctx *c, uint32_t wave)
{
	const uint32_t first = wave_first_row(c, wave),
		       end = wave / 2 + 1 < c->h ? wave / 2 + 1 : c->h;

	return end > first ? end - first : 0;
}

LSCHED_FN uint32_t wave_wave_task(const wave_ctx *c, uint32_t wave, uint32_t i)
{
	const uint32_t row = wave_first_row(c, wave) + i;

	return row * c->w + wave - 2 * row;
}

LSCHED_TASK_FN lsched_result wave_body(
	lsched_worker *w, const wave_ctx *c, lsched_no_local *l, uint32_t task)
{
	(void)w;
	(void)c;
	(void)l;
	(void)task;
	return LSCHED_DONE;
}
/* Publishes the number of the task's wavefront: one more than the largest predecessor's. */

LSCHED_TASK_FN lsched_result wave_word_body(
	lsched_worker *w, const wave_ctx *c, lsched_no_local *l, uint32_t task, uint32_t *word)
{
	const uint32_t a = lsched_word(w, 0), b = lsched_word(w, 1);

	(void)c;
	(void)l;
	(void)task;
	*word = (a > b ? a : b) + 1;
	return LSCHED_DONE;
}
#endif

#ifdef FIGURES_PROGRAMS
#define LSCHED_NAME pairs
#define LSCHED_CTX  pairs_ctx
#define LSCHED_BODY pairs_body
#define LSCHED_POPS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>

#define LSCHED_NAME           task_tree
#define LSCHED_CTX            depth_ctx
#define LSCHED_BODY           task_tree_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>

#define LSCHED_NAME           warp_tree
#define LSCHED_CTX            depth_ctx
#define LSCHED_ITEMS          depth_items
#define LSCHED_ROOT           depth_root
#define LSCHED_BODY           item_tree_body
#define LSCHED_GRAIN          warp
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#define LSCHED_MIN_BLOCKS     8
#include <libsched/generate_items.h>

#define LSCHED_NAME           lane_tree
#define LSCHED_CTX            depth_ctx
#define LSCHED_ITEMS          depth_items
#define LSCHED_ROOT           depth_root
#define LSCHED_BODY           item_tree_body
#define LSCHED_CPU_LANES      32
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#define LSCHED_MIN_BLOCKS     8
#include <libsched/generate_items.h>

#define LSCHED_NAME  fib
#define LSCHED_CTX   gsfib_ctx
#define LSCHED_ITEMS gsfib_items
#define LSCHED_ROOT  gsfib_root
#define LSCHED_BODY  gsfib_body
#define LSCHED_JOINS
#define LSCHED_CPU_LANES      32
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#define LSCHED_MIN_BLOCKS     8
#include <libsched/generate_items.h>

#define LSCHED_NAME           wave
#define LSCHED_CTX            wave_ctx
#define LSCHED_BODY           wave_body
#define LSCHED_RULE           wave
#define LSCHED_WORD_BODY      wave_word_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
