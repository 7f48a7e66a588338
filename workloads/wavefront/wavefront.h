/* The workload `wavefront`: tasks with the dependencies of the macroblocks of H.264 intra
 * prediction (Tzeng, Lloyd, Owens 2012, section 7), in the order of the encoder, with work of a
 * given length instead of encoding. Compiled for CPU and GPU. */
#ifndef WORKLOADS_WAVEFRONT_WAVEFRONT_H
#define WORKLOADS_WAVEFRONT_WAVEFRONT_H

#include "workloads/common/work.h"
#include "h264intra/order/wavefront.h"

typedef struct gswave_ctx {
	h264i_wave_ctx order; /* only its numbers are used, not its pointers */
	wl_length length;
	uint32_t check; /* nonzero: the mark that each task of this execution stores and checks */
	uint32_t *mark; /* [task] */
	float *sink;
} gswave_ctx;

/* Codes of tasks that fail. */
enum { GSWAVE_PRED_MISSING = 1, GSWAVE_TWICE = 2 };

/* The rule is that of macroblocks. */
#define gsrule_pred_count(c, task)   mbrule_pred_count(&(c)->order, task)
#define gsrule_pred(c, task, k)      mbrule_pred(&(c)->order, task, k)
#define gsrule_succ_count(c, task)   mbrule_succ_count(&(c)->order, task)
#define gsrule_succ(c, task, k)      mbrule_succ(&(c)->order, task, k)
#define gsrule_root_count(c)         mbrule_root_count(&(c)->order)
#define gsrule_root(c, i)            mbrule_root(&(c)->order, i)
#define gsrule_chain_count(c)        mbrule_chain_count(&(c)->order)
#define gsrule_chain_head(c, i)      mbrule_chain_head(&(c)->order, i)
#define gsrule_chain_next(c, task)   mbrule_chain_next(&(c)->order, task)
#define gsrule_wave_count(c)         mbrule_wave_count(&(c)->order)
#define gsrule_wave_size(c, wave)    mbrule_wave_size(&(c)->order, wave)
#define gsrule_wave_task(c, wave, i) mbrule_wave_task(&(c)->order, wave, i)

/* Returns 0 if all predecessors of the task have run in this execution and the task has not; else
 * the code of the failure. Called by lane 0. */
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
	wl_run_steps(wl_steps(&c->length, task), c->sink);
	if (c->check && lsched_lane() == 0)
		c->mark[task] = c->check;
	return LSCHED_DONE;
}

/* Returns the word that a task passes to its successors under scheme epoch, different in each
 * task. */
LSCHED_FN uint32_t gswave_word(uint32_t task)
{
	return task * 0x9e3779b1u + 1u;
}

/* The same load for the scheme epoch, which passes only words from task to task: the body checks
 * the words of its predecessors, and in memory only its own mark. */
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
	wl_run_steps(wl_steps(&c->length, task), c->sink);
	if (c->check && lsched_lane() == 0)
		c->mark[task] = c->check;
	*word = gswave_word(task);
	return LSCHED_DONE;
}

#endif

#ifdef WL_WAVEFRONT_PROGRAM
#undef WL_WAVEFRONT_PROGRAM
#define LSCHED_NAME           gswave
#define LSCHED_CTX            gswave_ctx
#define LSCHED_BODY           gswave_body
#define LSCHED_RULE           gsrule
#define LSCHED_WORD_BODY      gswave_word_body
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
