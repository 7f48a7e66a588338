/* The rule of order/wavefront.h with more tasks per macroblock row, for the CPU backend: with
 * entropy_tasks one that codes the bits of the row, with row_tasks one that deblocks the row and
 * measures its error.
 *
 * Both kinds follow all macroblocks: mbrule_tasks() + frame * mb_height + row, first those that
 * code bits. The tasks of a row follow its last macroblock, which all others of the row precede.
 * Coding the bits of a row follows the row above in the slice, finishing it that in the frame. */
#ifndef H264INTRA_ORDER_ROWS_H
#define H264INTRA_ORDER_ROWS_H

#include "h264intra/order/wavefront.h"

/* Rows of all frames. */
LSCHED_FN uint32_t rowrule_rows(const h264i_wave_ctx *c)
{
	return c->frames * c->geom.mb_height;
}

/* First task of the kinds: bits, and the others. */
#define rowrule_first_bits(c) mbrule_tasks(c)

LSCHED_FN uint32_t rowrule_first_finish(const h264i_wave_ctx *c)
{
	return mbrule_tasks(c) + (c->entropy_tasks ? rowrule_rows(c) : 0);
}

LSCHED_FN uint32_t rowrule_tasks(const h264i_wave_ctx *c)
{
	return rowrule_first_finish(c) + (c->row_tasks ? rowrule_rows(c) : 0);
}

enum { ROWRULE_MB, ROWRULE_BITS, ROWRULE_FINISH };

typedef struct rowrule_at {
	int kind;
	uint32_t row; /* frame * mb_height + row, of a row's task */
} rowrule_at;

LSCHED_FN rowrule_at rowrule_place(const h264i_wave_ctx *c, uint32_t task)
{
	rowrule_at a = { ROWRULE_MB, 0 };

	if (task >= rowrule_first_finish(c)) {
		a.kind = ROWRULE_FINISH;
		a.row = task - rowrule_first_finish(c);
	} else if (task >= rowrule_first_bits(c)) {
		a.kind = ROWRULE_BITS;
		a.row = task - rowrule_first_bits(c);
	}
	return a;
}

/* 1 if the task of the row above precedes that of this one. */
LSCHED_FN int rowrule_has_up(const h264i_wave_ctx *c, rowrule_at a)
{
	uint32_t row = a.row % c->geom.mb_height;

	return a.kind == ROWRULE_BITS ? mbrule_has_up(c, row) : row > 0;
}

LSCHED_FN int rowrule_has_down(const h264i_wave_ctx *c, rowrule_at a)
{
	uint32_t row = a.row % c->geom.mb_height;

	return a.kind == ROWRULE_BITS ? mbrule_has_down(c, row) : row + 1 < c->geom.mb_height;
}

LSCHED_FN uint32_t rowrule_pred_count(const h264i_wave_ctx *c, uint32_t task)
{
	rowrule_at a = rowrule_place(c, task);

	if (a.kind == ROWRULE_MB)
		return mbrule_pred_count(c, task);
	return rowrule_has_up(c, a) ? 2 : 1;
}

LSCHED_FN uint32_t rowrule_pred(const h264i_wave_ctx *c, uint32_t task, uint32_t k)
{
	rowrule_at a = rowrule_place(c, task);

	if (a.kind == ROWRULE_MB)
		return mbrule_pred(c, task, k);
	/* The rows are numbered as those of the macroblocks of all frames. */
	return k == 0 ? a.row * c->geom.mb_width + c->geom.mb_width - 1 : task - 1;
}

/* The tasks of a row that follow a macroblock: none, unless it is the row's last one. */
LSCHED_FN uint32_t rowrule_row_succs(const h264i_wave_ctx *c, uint32_t task)
{
	if (mbrule_place(c, task).x + 1 < c->geom.mb_width)
		return 0;
	return (c->entropy_tasks != 0) + (c->row_tasks != 0);
}

LSCHED_FN uint32_t rowrule_succ_count(const h264i_wave_ctx *c, uint32_t task)
{
	rowrule_at a = rowrule_place(c, task);

	if (a.kind != ROWRULE_MB)
		return rowrule_has_down(c, a) ? 1 : 0;
	return mbrule_succ_count(c, task) + rowrule_row_succs(c, task);
}

LSCHED_FN uint32_t rowrule_succ(const h264i_wave_ctx *c, uint32_t task, uint32_t k)
{
	uint32_t own;

	if (rowrule_place(c, task).kind != ROWRULE_MB)
		return task + 1;
	own = mbrule_succ_count(c, task);
	if (k < own)
		return mbrule_succ(c, task, k);
	return (c->entropy_tasks && k == own ? rowrule_first_bits(c) : rowrule_first_finish(c)) +
	       task / c->geom.mb_width;
}

#define rowrule_root_count(c) mbrule_root_count(c)
#define rowrule_root(c, i)    mbrule_root(c, i)

/* static: the tasks that code the bits of a slice are a chain, those that finish a frame too; they
 * come after all chains of mbrule. */
LSCHED_FN uint32_t rowrule_bits_chains(const h264i_wave_ctx *c)
{
	return c->entropy_tasks ? c->frames * c->geom.slices : 0;
}

LSCHED_FN uint32_t rowrule_chain_count(const h264i_wave_ctx *c)
{
	return mbrule_chain_count(c) + rowrule_bits_chains(c) + (c->row_tasks ? c->frames : 0);
}

LSCHED_FN uint32_t rowrule_chain_head(const h264i_wave_ctx *c, uint32_t ticket)
{
	uint32_t others = mbrule_chain_count(c), slices = c->geom.slices;

	if (ticket < others)
		return mbrule_chain_head(c, ticket);
	ticket -= others;
	if (ticket < rowrule_bits_chains(c))
		return rowrule_first_bits(c) + ticket / slices * c->geom.mb_height +
		       h264i_slice_first_row(&c->geom, ticket % slices);
	return rowrule_first_finish(c) + (ticket - rowrule_bits_chains(c)) * c->geom.mb_height;
}

LSCHED_FN uint32_t rowrule_chain_next(const h264i_wave_ctx *c, uint32_t task)
{
	rowrule_at a = rowrule_place(c, task);

	if (a.kind == ROWRULE_MB)
		return mbrule_chain_next(c, task);
	return rowrule_has_down(c, a) ? task + 1 : LSCHED_NONE;
}

/* sync: after all waves of mbrule one per row of a slice, then one per row of a frame. */
LSCHED_FN uint32_t rowrule_bits_waves(const h264i_wave_ctx *c)
{
	return c->entropy_tasks ? (c->geom.mb_height + c->geom.slices - 1) / c->geom.slices : 0;
}

/* Slices of a frame that have row `row` of them; the taller ones are the first ones. */
LSCHED_FN uint32_t rowrule_slices_with(const h264i_wave_ctx *c, uint32_t row)
{
	uint32_t slices = c->geom.slices;

	return row < c->geom.mb_height / slices ? slices : c->geom.mb_height % slices;
}

LSCHED_FN uint32_t rowrule_wave_count(const h264i_wave_ctx *c)
{
	return mbrule_wave_count(c) + rowrule_bits_waves(c) +
	       (c->row_tasks ? c->geom.mb_height : 0);
}

LSCHED_FN uint32_t rowrule_wave_size(const h264i_wave_ctx *c, uint32_t d)
{
	uint32_t others = mbrule_wave_count(c);

	if (d < others)
		return mbrule_wave_size(c, d);
	d -= others;
	return c->frames * (d < rowrule_bits_waves(c) ? rowrule_slices_with(c, d) : 1);
}

LSCHED_FN uint32_t rowrule_wave_task(const h264i_wave_ctx *c, uint32_t d, uint32_t i)
{
	uint32_t others = mbrule_wave_count(c), n;

	if (d < others)
		return mbrule_wave_task(c, d, i);
	d -= others;
	if (d >= rowrule_bits_waves(c))
		return rowrule_first_finish(c) + i * c->geom.mb_height + d - rowrule_bits_waves(c);
	n = rowrule_slices_with(c, d);
	return rowrule_first_bits(c) + i / n * c->geom.mb_height +
	       h264i_slice_first_row(&c->geom, i % n) + d;
}

#endif
