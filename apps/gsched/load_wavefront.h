/* The load of `gsched wavefront`: tasks that wait for each other like the macroblocks of H.264 intra
 * prediction (Tzeng, Lloyd, Owens 2012, section 7), in the order that the encoder uses, with work of a
 * chosen length instead of encoding. The same text for the CPU and the GPU. */
#ifndef APPS_GSCHED_LOAD_WAVEFRONT_H
#define APPS_GSCHED_LOAD_WAVEFRONT_H

#include "apps/gsched/load_work.h"
#include "h264intra/order/wavefront.h"

typedef struct gswave_ctx {
	h264i_wave_ctx order; /* only the numbers in it are used */
	load_length length;
	uint32_t check; /* nonzero: the mark that every task of this start leaves and looks for */
	uint32_t *mark; /* [task] */
	float *sink;
} gswave_ctx;

/* Codes of tasks that fail. */
enum { GSWAVE_PRED_MISSING = 1, GSWAVE_TWICE = 2 };

LSCHED_FN uint32_t gsrule_pred_count(const gswave_ctx *c, uint32_t task)
{
	return mbrule_pred_count(&c->order, task);
}

LSCHED_FN uint32_t gsrule_pred(const gswave_ctx *c, uint32_t task, uint32_t k)
{
	return mbrule_pred(&c->order, task, k);
}

LSCHED_FN uint32_t gsrule_succ_count(const gswave_ctx *c, uint32_t task)
{
	return mbrule_succ_count(&c->order, task);
}

LSCHED_FN uint32_t gsrule_succ(const gswave_ctx *c, uint32_t task, uint32_t k)
{
	return mbrule_succ(&c->order, task, k);
}

LSCHED_FN uint32_t gsrule_root_count(const gswave_ctx *c)
{
	return mbrule_root_count(&c->order);
}

LSCHED_FN uint32_t gsrule_root(const gswave_ctx *c, uint32_t i)
{
	return mbrule_root(&c->order, i);
}

LSCHED_FN uint32_t gsrule_chain_count(const gswave_ctx *c)
{
	return mbrule_chain_count(&c->order);
}

LSCHED_FN uint32_t gsrule_chain_head(const gswave_ctx *c, uint32_t i)
{
	return mbrule_chain_head(&c->order, i);
}

LSCHED_FN uint32_t gsrule_chain_next(const gswave_ctx *c, uint32_t task)
{
	return mbrule_chain_next(&c->order, task);
}

LSCHED_FN uint32_t gsrule_wave_count(const gswave_ctx *c)
{
	return mbrule_wave_count(&c->order);
}

LSCHED_FN uint32_t gsrule_wave_size(const gswave_ctx *c, uint32_t wave)
{
	return mbrule_wave_size(&c->order, wave);
}

LSCHED_FN uint32_t gsrule_wave_task(const gswave_ctx *c, uint32_t wave, uint32_t i)
{
	return mbrule_wave_task(&c->order, wave, i);
}

/* Lane 0: were all that this task waits for done in this start, and it not? */
LSCHED_TASK_FN int gswave_violation(const gswave_ctx *c, uint32_t task)
{
	const uint32_t n = gsrule_pred_count(c, task);

	for (uint32_t k = 0; k < n; k++)
		if (c->mark[gsrule_pred(c, task, k)] != c->check)
			return GSWAVE_PRED_MISSING;
	return c->mark[task] == c->check ? GSWAVE_TWICE : 0;
}

LSCHED_TASK_FN lsched_result gswave_body(
	lsched_worker *w, const gswave_ctx *c, lsched_no_local *l, uint32_t task)
{
	int violation = 0;

	(void)l;
	if (c->check && lsched_lane() == 0)
		violation = gswave_violation(c, task);
	if (violation)
		return lsched_fail(w, violation);
	load_run(load_steps(&c->length, task), c->sink);
	if (c->check && lsched_lane() == 0)
		c->mark[task] = c->check;
	return LSCHED_DONE;
}

/* What a task hands on under the scheme epoch: another word in each. */
LSCHED_FN uint32_t gswave_word(uint32_t task)
{
	return task * 0x9e3779b1u + 1u;
}

/* The same load. Nothing but words passes from task to task here, so it looks at those of its
 * predecessors, and in memory at its own mark only. */
LSCHED_TASK_FN lsched_result gswave_word_body(
	lsched_worker *w, const gswave_ctx *c, lsched_no_local *l, uint32_t task, uint32_t *word)
{
	const uint32_t n = c->check ? gsrule_pred_count(c, task) : 0;

	(void)l;
	for (uint32_t k = 0; k < n; k++)
		if (lsched_word(w, k) != gswave_word(gsrule_pred(c, task, k)))
			return lsched_fail(w, GSWAVE_PRED_MISSING);
	if (c->check && lsched_lane() == 0 && c->mark[task] == c->check)
		return lsched_fail(w, GSWAVE_TWICE);
	load_run(load_steps(&c->length, task), c->sink);
	if (c->check && lsched_lane() == 0)
		c->mark[task] = c->check;
	*word = gswave_word(task);
	return LSCHED_DONE;
}

#endif

#ifdef LOAD_WAVEFRONT_PROGRAM
#undef LOAD_WAVEFRONT_PROGRAM
#define LSCHED_NAME           gswave
#define LSCHED_CTX            gswave_ctx
#define LSCHED_BODY           gswave_body
#define LSCHED_RULE           gsrule
#define LSCHED_WORD_BODY      gswave_word_body
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
