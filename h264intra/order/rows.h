/* The rule of order/wavefront.h with one more task per macroblock row, for the CPU backend: that
 * task deblocks the row and measures its error.
 *
 * Row tasks follow all other tasks: mbrule_tasks() + frame * mb_height + row, if row_tasks is 1.
 * Row y follows the row's last macroblock (the others of the row precede that one) and row task y -
 * 1. */
#ifndef H264INTRA_ORDER_ROWS_H
#define H264INTRA_ORDER_ROWS_H

#include "h264intra/order/wavefront.h"

LSCHED_FN uint32_t rowrule_tasks(const h264i_wave_ctx *c)
{
	return mbrule_tasks(c) + (c->row_tasks ? c->frames * c->geom.mb_height : 0);
}

/* Number of a row task among the row tasks; LSCHED_NONE for other tasks. */
LSCHED_FN uint32_t rowrule_row(const h264i_wave_ctx *c, uint32_t task)
{
	uint32_t others;

	if (!c->row_tasks)
		return LSCHED_NONE;
	others = mbrule_tasks(c);
	return task < others ? LSCHED_NONE : task - others;
}

LSCHED_FN uint32_t rowrule_pred_count(const h264i_wave_ctx *c, uint32_t task)
{
	uint32_t row = rowrule_row(c, task);

	if (row == LSCHED_NONE)
		return mbrule_pred_count(c, task);
	return row % c->geom.mb_height ? 2 : 1;
}

LSCHED_FN uint32_t rowrule_pred(const h264i_wave_ctx *c, uint32_t task, uint32_t k)
{
	uint32_t row = rowrule_row(c, task);

	if (row == LSCHED_NONE)
		return mbrule_pred(c, task, k);
	/* The row tasks are numbered as the macroblock rows of all frames. */
	return k == 0 ? row * c->geom.mb_width + c->geom.mb_width - 1 : task - 1;
}

/* 1 if the task is a macroblock that a row task follows. */
LSCHED_FN uint32_t rowrule_ends_row(const h264i_wave_ctx *c, uint32_t task)
{
	return c->row_tasks && task < c->frames * mbrule_mbs(c) &&
	       (task + 1) % c->geom.mb_width == 0;
}

LSCHED_FN uint32_t rowrule_succ_count(const h264i_wave_ctx *c, uint32_t task)
{
	uint32_t row = rowrule_row(c, task);

	if (row != LSCHED_NONE)
		return (row + 1) % c->geom.mb_height ? 1 : 0;
	return mbrule_succ_count(c, task) + rowrule_ends_row(c, task);
}

LSCHED_FN uint32_t rowrule_succ(const h264i_wave_ctx *c, uint32_t task, uint32_t k)
{
	if (rowrule_row(c, task) != LSCHED_NONE)
		return task + 1;
	if (rowrule_ends_row(c, task) && k == mbrule_succ_count(c, task))
		return mbrule_tasks(c) + task / c->geom.mb_width;
	return mbrule_succ(c, task, k);
}

LSCHED_FN uint32_t rowrule_root_count(const h264i_wave_ctx *c)
{
	return mbrule_root_count(c);
}

LSCHED_FN uint32_t rowrule_root(const h264i_wave_ctx *c, uint32_t i)
{
	return mbrule_root(c, i);
}

/* static: the row tasks of a frame are a chain, after all chains of mbrule. */
LSCHED_FN uint32_t rowrule_chain_count(const h264i_wave_ctx *c)
{
	return mbrule_chain_count(c) + (c->row_tasks ? c->frames : 0);
}

LSCHED_FN uint32_t rowrule_chain_head(const h264i_wave_ctx *c, uint32_t ticket)
{
	uint32_t others = mbrule_chain_count(c);

	return ticket < others ? mbrule_chain_head(c, ticket)
			       : mbrule_tasks(c) + (ticket - others) * c->geom.mb_height;
}

LSCHED_FN uint32_t rowrule_chain_next(const h264i_wave_ctx *c, uint32_t task)
{
	uint32_t row = rowrule_row(c, task);

	if (row == LSCHED_NONE)
		return mbrule_chain_next(c, task);
	return (row + 1) % c->geom.mb_height ? task + 1 : LSCHED_NONE;
}

/* sync: one wave per row of all frames, after all waves of mbrule. */
LSCHED_FN uint32_t rowrule_wave_count(const h264i_wave_ctx *c)
{
	return mbrule_wave_count(c) + (c->row_tasks ? c->geom.mb_height : 0);
}

LSCHED_FN uint32_t rowrule_wave_size(const h264i_wave_ctx *c, uint32_t d)
{
	return d < mbrule_wave_count(c) ? mbrule_wave_size(c, d) : c->frames;
}

LSCHED_FN uint32_t rowrule_wave_task(const h264i_wave_ctx *c, uint32_t d, uint32_t i)
{
	uint32_t others = mbrule_wave_count(c);

	if (d < others)
		return mbrule_wave_task(c, d, i);
	return mbrule_tasks(c) + i * c->geom.mb_height + (d - others);
}

#endif
