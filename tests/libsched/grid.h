/* A grid of tasks under every scheme, above all for epoch: tasks have one, two or three
 * predecessors, and their numbers may be mixed, so that a chain's tasks lie anywhere. The same text
 * for the CPU and the GPU suite. The file that includes this one defines GRID_PROGRAMS first to
 * generate it. */
#ifndef TESTS_LIBSCHED_GRID_H
#define TESTS_LIBSCHED_GRID_H

#include <libsched/task.h>

typedef struct grid_ctx {
	uint32_t w, h;
	uint32_t mul, inv; /* place p has the number p * mul mod w * h, and p = number * inv */
	uint32_t *value;   /* [task] */
} grid_ctx;

LSCHED_FN uint32_t grid_mixed(const grid_ctx *c, uint32_t v, uint32_t by)
{
	return (uint32_t)((uint64_t)v * by % (c->w * c->h));
}

LSCHED_FN uint32_t grid_task(const grid_ctx *c, uint32_t x, uint32_t y)
{
	return grid_mixed(c, y * c->w + x, c->mul);
}

LSCHED_FN uint32_t grid_x(const grid_ctx *c, uint32_t task)
{
	return grid_mixed(c, task, c->inv) % c->w;
}

LSCHED_FN uint32_t grid_y(const grid_ctx *c, uint32_t task)
{
	return grid_mixed(c, task, c->inv) / c->w;
}

/* Rows 2, 5, 8 ... wait for the place up and right, too. */
LSCHED_FN uint32_t gridrule_pred_count(const grid_ctx *c, uint32_t task)
{
	const uint32_t x = grid_x(c, task), y = grid_y(c, task);

	return (x > 0) + (y > 0) + (y % 3 == 2 && x + 1 < c->w);
}

LSCHED_FN uint32_t gridrule_pred(const grid_ctx *c, uint32_t task, uint32_t k)
{
	const uint32_t x = grid_x(c, task), y = grid_y(c, task);

	if (x > 0 && k-- == 0)
		return grid_task(c, x - 1, y);
	return grid_task(c, x + k, y - 1);
}

LSCHED_FN uint32_t gridrule_succ_count(const grid_ctx *c, uint32_t task)
{
	const uint32_t x = grid_x(c, task), y = grid_y(c, task);

	return (x + 1 < c->w) + (y + 1 < c->h ? 1 + (y % 3 == 1 && x > 0) : 0);
}

LSCHED_FN uint32_t gridrule_succ(const grid_ctx *c, uint32_t task, uint32_t k)
{
	const uint32_t x = grid_x(c, task), y = grid_y(c, task);

	if (x + 1 < c->w && k-- == 0)
		return grid_task(c, x + 1, y);
	return grid_task(c, x - k, y + 1);
}

LSCHED_FN uint32_t gridrule_root_count(const grid_ctx *c)
{
	(void)c;
	return 1;
}

LSCHED_FN uint32_t gridrule_root(const grid_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

LSCHED_FN uint32_t gridrule_chain_count(const grid_ctx *c)
{
	return c->h;
}

LSCHED_FN uint32_t gridrule_chain_head(const grid_ctx *c, uint32_t i)
{
	return grid_task(c, 0, i);
}

LSCHED_FN uint32_t gridrule_chain_next(const grid_ctx *c, uint32_t task)
{
	const uint32_t x = grid_x(c, task);

	return x + 1 < c->w ? grid_task(c, x + 1, grid_y(c, task)) : LSCHED_NONE;
}

/* A wavefront is a place: they come in the order of the chains. */
LSCHED_FN uint32_t gridrule_wave_count(const grid_ctx *c)
{
	return c->w * c->h;
}

LSCHED_FN uint32_t gridrule_wave_size(const grid_ctx *c, uint32_t wave)
{
	(void)c;
	(void)wave;
	return 1;
}

LSCHED_FN uint32_t gridrule_wave_task(const grid_ctx *c, uint32_t wave, uint32_t i)
{
	return grid_mixed(c, wave + i, c->mul);
}

/* The value of a task: a hash of its predecessors' values, in their order. */
LSCHED_FN uint32_t grid_next(uint32_t sum, uint32_t word)
{
	return (sum ^ word) * 0x9e3779b1u + 1;
}

LSCHED_TASK_FN lsched_result grid_word_body(
	lsched_worker *w, const grid_ctx *c, lsched_no_local *l, uint32_t task, uint32_t *word)
{
	const uint32_t n = gridrule_pred_count(c, task);
	uint32_t sum = task;

	(void)l;
	for (uint32_t k = 0; k < n; k++)
		sum = grid_next(sum, lsched_word(w, k));
	*word = sum;
	if (lsched_lane() == 0)
		lsched_st(&c->value[task], sum, rlx, dev);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result grid_body(
	lsched_worker *w, const grid_ctx *c, lsched_no_local *l, uint32_t task)
{
	const uint32_t n = gridrule_pred_count(c, task);
	uint32_t sum = task;

	(void)w;
	(void)l;
	for (uint32_t k = 0; k < n; k++)
		sum = grid_next(sum, lsched_ld(&c->value[gridrule_pred(c, task, k)], rlx, dev));
	if (lsched_lane() == 0)
		lsched_st(&c->value[task], sum, rlx, dev);
	return LSCHED_DONE;
}

#endif

#ifdef GRID_PROGRAMS
#define LSCHED_NAME                 grid
#define LSCHED_CTX                  grid_ctx
#define LSCHED_BODY                 grid_body
#define LSCHED_RULE                 gridrule
#define LSCHED_WORD_BODY            grid_word_body
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate.h>
#endif
