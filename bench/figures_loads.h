/* Loads of sched_figures: as little work a task as there can be, so that what is measured is the
 * scheduler. The file that includes this one defines FIGURES_PROGRAMS first to generate them. */
#ifndef BENCH_FIGURES_LOADS_H
#define BENCH_FIGURES_LOADS_H

#include <libsched/task.h>
#include <libsched/items.h>
#include <libsched/div.h>
#include "apps/gsched/load_fib.h"

/* ---- pairs: every root pushes and pops on the run's queue, `lanes` items at a time ---- */

typedef struct pairs_ctx {
	uint32_t times, lanes;
	uint32_t *
		check; /* [0]: sum of all items popped less those pushed, 0 in the end; [1]: bodies over */
	uint32_t bodies;
} pairs_ctx;

SCHED_TASK_FN sched_result pairs_body(
	sched_worker *w, const pairs_ctx *c, sched_no_local *l, uint32_t task)
{
	uint32_t sum = 0;

	(void)l;
	for (uint32_t k = 0; k < c->times; k++) {
		uint32_t left = c->lanes, item = task * 32u + sched_lane();
		sched__batch b;

		sched__batch_clear(&b);
#ifdef __CUDACC__
		sched__batch_add(&b, item, sched_lane() < c->lanes);
#else
		for (uint32_t j = 0; j < c->lanes; j++)
			sched__batch_add(&b, item + j, 1);
#endif
		SCHED__EACH_ITEM(&b, i)
		{
			sum -= SCHED__ITEM(&b, i);
		}
		if (sched__queue_push_n(w, &b) != c->lanes)
			return sched_fail(w, 1);
		while (left && !sched_cancelled(w)) {
			const uint32_t got = sched__queue_pop_n(w, &b, left);

			SCHED__EACH_ITEM(&b, i)
			{
				sum += SCHED__ITEM(&b, i);
			}
			left -= got;
		}
	}
	/* who left now would look for tasks in the queue and find the others' items */
	(void)sched_add(c->check, sum, rlx, dev);
	if (sched_lane() == 0)
		(void)sched_add(&c->check[1], 1u, rlx, dev);
	sched_sync_worker();
	for (uint32_t spins = 0;
		sched_ld(&c->check[1], rlx, dev) % c->bodies && !sched_cancelled(w); spins++)
		sched__relax(spins, c->bodies);
	return SCHED_DONE;
}

/* ---- a complete binary tree of depth c->n: as warp tasks, as warp items, as lane items ---- */

#define SPAWNED 0x80000000u

typedef struct depth_ctx {
	uint32_t n;
} depth_ctx;

SCHED_TASK_FN sched_result task_tree_body(
	sched_worker *w, const depth_ctx *c, sched_no_local *l, uint32_t task)
{
	/* spawned ones carry their depth, roots a number */
	const uint32_t depth = task & SPAWNED ? task & ~SPAWNED : 0;

	(void)l;
	if (depth < c->n)
		sched_spawn_lanes(w, SPAWNED | (depth + 1), sched_lane() < 2);
#ifndef __CUDACC__
	if (depth < c->n)
		sched_spawn(w, SPAWNED | (depth + 1));
#endif
	return SCHED_DONE;
}

typedef struct depth_item {
	uint32_t depth;
} depth_item;

SCHED_FN uint32_t depth_root(const depth_ctx *c, uint32_t i, depth_item *it)
{
	(void)c;
	(void)i;
	it->depth = 0;
	return 0;
}

SCHED_TASK_FN sched_result item_tree_body(
	sched_items *x, const depth_ctx *c, sched_no_local *l, uint32_t proc, depth_item it)
{
	(void)l;
	(void)proc;
	if (it.depth < c->n && sched_thread(x) == 0) {
		it.depth++;
		sched_emit(x, 0, &it);
		sched_emit(x, 0, &it);
	}
	return SCHED_DONE;
}

/* ---- the wavefront of macroblocks with tasks that do nothing ---- */

typedef struct wave_ctx {
	uint32_t w, h;
	sched_div by_w;
} wave_ctx;

SCHED_FN uint32_t wave_x(const wave_ctx *c, uint32_t t)
{
	return t - sched_div_by(&c->by_w, t) * c->w;
}

SCHED_FN uint32_t wave_pred_count(const wave_ctx *c, uint32_t t)
{
	return (wave_x(c, t) > 0) + (t >= c->w);
}

SCHED_FN uint32_t wave_pred(const wave_ctx *c, uint32_t t, uint32_t k)
{
	const uint32_t x = wave_x(c, t);

	if (x > 0 && k-- == 0)
		return t - 1;
	return t - c->w + (x + 1 < c->w);
}

SCHED_FN uint32_t wave_succ_count(const wave_ctx *c, uint32_t t)
{
	const uint32_t x = wave_x(c, t);

	return (x + 1 < c->w) + (t + c->w < c->w * c->h ? (x > 0) + (x + 1 == c->w) : 0);
}

SCHED_FN uint32_t wave_succ(const wave_ctx *c, uint32_t t, uint32_t k)
{
	const uint32_t x = wave_x(c, t);

	if (x + 1 < c->w && k-- == 0)
		return t + 1;
	return x > 0 && k == 0 ? t + c->w - 1 : t + c->w;
}

SCHED_FN uint32_t wave_root_count(const wave_ctx *c)
{
	(void)c;
	return 1;
}

SCHED_FN uint32_t wave_root(const wave_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

SCHED_FN uint32_t wave_chain_count(const wave_ctx *c)
{
	return c->h;
}

SCHED_FN uint32_t wave_chain_head(const wave_ctx *c, uint32_t i)
{
	return i * c->w;
}

SCHED_FN uint32_t wave_chain_next(const wave_ctx *c, uint32_t t)
{
	return wave_x(c, t) + 1 < c->w ? t + 1 : SCHED_NONE;
}

SCHED_FN uint32_t wave_wave_count(const wave_ctx *c)
{
	return c->w + 2 * (c->h - 1);
}

SCHED_FN uint32_t wave_first_row(const wave_ctx *c, uint32_t wave)
{
	return wave < c->w ? 0 : (wave - c->w + 2) / 2;
}

SCHED_FN uint32_t wave_wave_size(const wave_ctx *c, uint32_t wave)
{
	const uint32_t first = wave_first_row(c, wave),
		       end = wave / 2 + 1 < c->h ? wave / 2 + 1 : c->h;

	return end > first ? end - first : 0;
}

SCHED_FN uint32_t wave_wave_task(const wave_ctx *c, uint32_t wave, uint32_t i)
{
	const uint32_t row = wave_first_row(c, wave) + i;

	return row * c->w + wave - 2 * row;
}

SCHED_TASK_FN sched_result wave_body(
	sched_worker *w, const wave_ctx *c, sched_no_local *l, uint32_t task)
{
	(void)w;
	(void)c;
	(void)l;
	(void)task;
	return SCHED_DONE;
}
/* Its wavefront's number: one more than the largest of the predecessors'. */
SCHED_TASK_FN sched_result wave_word_body(
	sched_worker *w, const wave_ctx *c, sched_no_local *l, uint32_t task, uint32_t *word)
{
	const uint32_t a = sched_word(w, 0), b = sched_word(w, 1);

	(void)c;
	(void)l;
	(void)task;
	*word = (a > b ? a : b) + 1;
	return SCHED_DONE;
}
#endif

#ifdef FIGURES_PROGRAMS
#define SCHED_NAME pairs
#define SCHED_CTX  pairs_ctx
#define SCHED_BODY pairs_body
#define SCHED_POPS
#include <libsched/generate.h>

#define SCHED_NAME task_tree
#define SCHED_CTX  depth_ctx
#define SCHED_BODY task_tree_body
#include <libsched/generate.h>

#define SCHED_NAME  warp_tree
#define SCHED_CTX   depth_ctx
#define SCHED_ITEM  depth_item
#define SCHED_ROOT  depth_root
#define SCHED_BODY  item_tree_body
#define SCHED_GRAIN warp
#include <libsched/generate_items.h>

#define SCHED_NAME      lane_tree
#define SCHED_CTX       depth_ctx
#define SCHED_ITEM      depth_item
#define SCHED_ROOT      depth_root
#define SCHED_BODY      item_tree_body
#define SCHED_CPU_LANES 32
#include <libsched/generate_items.h>

#define SCHED_NAME fib
#define SCHED_CTX  gsfib_ctx
#define SCHED_ITEM gsfib_item
#define SCHED_ROOT gsfib_root
#define SCHED_BODY gsfib_body
#define SCHED_JOINS
#define SCHED_CPU_LANES 32
#include <libsched/generate_items.h>

#define SCHED_NAME      wave
#define SCHED_CTX       wave_ctx
#define SCHED_BODY      wave_body
#define SCHED_RULE      wave
#define SCHED_WORD_BODY wave_word_body
#include <libsched/generate.h>
#endif
