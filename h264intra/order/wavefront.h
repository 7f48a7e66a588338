/* Dependencies of macroblocks as a rule over task numbers for libsched, without tables.
 *
 * Intra prediction reads LEFT, UP-LEFT, UP and UP-RIGHT inside the slice. Transitively reduced,
 * macroblock (x, y) waits for LEFT and UP-RIGHT only: LEFT waited for (x, y-1) itself, and in the
 * last column LEFT waited for UP. A picture one macroblock wide waits for UP.
 *
 * Tasks: frame * macroblocks + y * mb_width + x. */
#ifndef H264INTRA_ORDER_WAVEFRONT_H
#define H264INTRA_ORDER_WAVEFRONT_H

#include "h264intra/core/work.h"
#include <libsched/task.h>

#include <string.h>

static inline h264i_wave_ctx h264i_wave_ctx_make(const h264i_geom *g, const h264i_qparams *by_qp)
{
	uint32_t rows = g->mb_height / g->slices, more = g->mb_height % g->slices;
	h264i_wave_ctx c;

	memset(&c, 0, sizeof(c));
	c.geom = *g;
	c.by_mbs = lsched_div_make(g->mb_width * g->mb_height);
	c.by_width = lsched_div_make(g->mb_width);
	c.by_tall = lsched_div_make(rows + 1);
	c.by_short = lsched_div_make(rows);
	c.tall_rows = more * (rows + 1);
	c.by_qp = by_qp;
	return c;
}

LSCHED_FN uint32_t mbrule_mbs(const h264i_wave_ctx *c)
{
	return c->by_mbs.d;
}

/* Frame and position of a macroblock task. */
typedef struct mbrule_at {
	uint32_t frame, mb, x, y;
} mbrule_at;

LSCHED_FN mbrule_at mbrule_place(const h264i_wave_ctx *c, uint32_t task)
{
	mbrule_at a;

	a.frame = lsched_div_by(&c->by_mbs, task);
	a.mb = task - a.frame * c->by_mbs.d;
	a.y = lsched_div_by(&c->by_width, a.mb);
	a.x = a.mb - a.y * c->by_width.d;
	return a;
}

LSCHED_FN uint32_t mbrule_tasks(const h264i_wave_ctx *c)
{
	return c->frames * mbrule_mbs(c);
}

/* 1 if the row above row y is in the same slice. */
LSCHED_FN int mbrule_has_up(const h264i_wave_ctx *c, uint32_t y)
{
	const lsched_div *by = &c->by_tall;

	if (y >= c->tall_rows) {
		y -= c->tall_rows;
		by = &c->by_short;
	}
	return y != lsched_div_by(by, y) * by->d;
}

LSCHED_FN int mbrule_has_down(const h264i_wave_ctx *c, uint32_t y)
{
	return y + 1 < c->geom.mb_height && mbrule_has_up(c, y + 1);
}

LSCHED_FN uint32_t mbrule_pred_count(const h264i_wave_ctx *c, uint32_t task)
{
	uint32_t w = c->geom.mb_width;
	mbrule_at a = mbrule_place(c, task);

	return (a.x > 0) + ((a.x + 1 < w || w == 1) && mbrule_has_up(c, a.y));
}

LSCHED_FN uint32_t mbrule_pred(const h264i_wave_ctx *c, uint32_t task, uint32_t k)
{
	uint32_t w = c->geom.mb_width;

	if (k == 0 && mbrule_place(c, task).x > 0)
		return task - 1;
	return w == 1 ? task - 1 : task - w + 1;
}

LSCHED_FN uint32_t mbrule_succ_count(const h264i_wave_ctx *c, uint32_t task)
{
	mbrule_at a = mbrule_place(c, task);

	if (a.x + 1 < c->geom.mb_width)
		return 1 + (a.x > 0 && mbrule_has_down(c, a.y));
	return mbrule_has_down(c, a.y) ? 1 : 0;
}

/* RIGHT first: a worker that keeps it still has the left edge in fast memory. */
LSCHED_FN uint32_t mbrule_succ(const h264i_wave_ctx *c, uint32_t task, uint32_t k)
{
	uint32_t w = c->geom.mb_width;
	mbrule_at a = mbrule_place(c, task);

	if (a.x + 1 < w && k == 0)
		return task + 1;
	return w == 1 ? task + 1 : task + w - 1;
}

LSCHED_FN uint32_t mbrule_root_count(const h264i_wave_ctx *c)
{
	return c->frames * c->geom.slices;
}

LSCHED_FN uint32_t mbrule_root(const h264i_wave_ctx *c, uint32_t i)
{
	uint32_t frame = i / c->geom.slices, slice = i % c->geom.slices;

	return frame * mbrule_mbs(c) + h264i_slice_first_row(&c->geom, slice) * c->geom.mb_width;
}

/* static: a chain is a row; the first rows of all slices and frames come first, then all second
 * rows. A row waits for the row above, which has a smaller ticket. */
LSCHED_FN uint32_t mbrule_chain_count(const h264i_wave_ctx *c)
{
	return c->frames * c->geom.mb_height;
}

LSCHED_FN uint32_t mbrule_chain_head(const h264i_wave_ctx *c, uint32_t ticket)
{
	uint32_t row, slice, frame;

	row = ticket / (c->frames * c->geom.slices);
	slice = ticket / c->frames % c->geom.slices;
	frame = ticket % c->frames;
	return frame * mbrule_mbs(c) +
	       (h264i_slice_first_row(&c->geom, slice) + row) * c->geom.mb_width;
}

LSCHED_FN uint32_t mbrule_chain_next(const h264i_wave_ctx *c, uint32_t task)
{
	if (mbrule_place(c, task).x + 1 == c->geom.mb_width)
		return LSCHED_NONE;
	return task + 1;
}

/* sync: wave d holds the macroblocks with x + 2 * (y - first row of the slice) = d. */
typedef struct mbrule_wave {
	uint32_t first_row, rows_tall, rows_short; /* rows of a slice in this wave */
} mbrule_wave;

LSCHED_FN mbrule_wave mbrule_wave_of(const h264i_wave_ctx *c, uint32_t d)
{
	uint32_t w = c->geom.mb_width, base = c->geom.mb_height / c->geom.slices;
	uint32_t first = d < w ? 0 : (d - w + 2) / 2, end = d / 2 + 1;
	uint32_t tall = end < base + 1 ? end : base + 1, flat = end < base ? end : base;
	mbrule_wave r;

	r.first_row = first;
	r.rows_tall = tall > first ? tall - first : 0;
	r.rows_short = flat > first ? flat - first : 0;
	return r;
}

LSCHED_FN uint32_t mbrule_wave_count(const h264i_wave_ctx *c)
{
	uint32_t rows = (c->geom.mb_height + c->geom.slices - 1) / c->geom.slices;

	return c->geom.mb_width + 2 * (rows - 1);
}

LSCHED_FN uint32_t mbrule_wave_size(const h264i_wave_ctx *c, uint32_t d)
{
	uint32_t tall = c->geom.mb_height % c->geom.slices;
	mbrule_wave r = mbrule_wave_of(c, d);

	return c->frames * (tall * r.rows_tall + (c->geom.slices - tall) * r.rows_short);
}

LSCHED_FN uint32_t mbrule_wave_task(const h264i_wave_ctx *c, uint32_t d, uint32_t i)
{
	uint32_t tall = c->geom.mb_height % c->geom.slices, per_frame, frame, slice, row;
	mbrule_wave r;

	r = mbrule_wave_of(c, d);
	per_frame = tall * r.rows_tall + (c->geom.slices - tall) * r.rows_short;
	frame = i / per_frame;
	i %= per_frame;
	if (i < tall * r.rows_tall) {
		slice = i / r.rows_tall;
		row = r.first_row + i % r.rows_tall;
	} else {
		i -= tall * r.rows_tall;
		slice = tall + i / r.rows_short;
		row = r.first_row + i % r.rows_short;
	}
	return frame * mbrule_mbs(c) +
	       (h264i_slice_first_row(&c->geom, slice) + row) * c->geom.mb_width + d - 2 * row;
}

#endif
