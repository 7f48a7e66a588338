/* Tasks of the CPU backend: a macroblock, the bits of a macroblock row, and with options.sse a row
 * to deblock and measure. */
#include "h264intra/cpu/group.h"
#include "h264intra/entropy/qp_delta.h"
#include "h264intra/filter/deblock.h"
#include "h264intra/filter/sse.h"
#include "h264intra/order/rows.h"

/* Codes the bits of row `row` of frame `f`; all rows above it in the slice are coded. */
static int code_row(const h264i_wave_ctx *c, const cpu_group *cg, uint32_t f, uint32_t row)
{
	const h264i_geom *g = &c->geom;
	const cpu_frame *fr = &cg->frame[f];
	uint32_t slice = h264i_slice_of_row(g, row);

	if (row == h264i_slice_first_row(g, slice))
		h264i_i_slice_begin(&fr->slice[slice], &cg->enc->geom, &cg->pic[f],
			&cg->enc->params, slice, fr->idr_pic_id, fr->rbsp, fr->rbsp_bytes);
	return h264i_i_slice_row(&fr->slice[slice], row);
}

/* Sets the QP of macroblocks without mb_qp_delta in a row; that of the row above is set. */
static void inherit_qps(const h264i_geom *g, const h264i_picture *p, uint32_t row)
{
	uint32_t first = h264i_slice_first_row(g, h264i_slice_of_row(g, row));
	h264i_mb *mb = p->mb + (size_t)row * g->mb_width;
	uint8_t before = row == first ? (uint8_t)p->qp : mb[-1].qp;

	for (uint32_t x = 0; x < g->mb_width; x++, mb++) {
		if (!h264i_has_qp_delta(mb))
			mb->qp = before;
		before = mb->qp;
	}
}

/* Deblocks macroblock row `row` of frame `f`, with options.deblock, and adds the squared errors of
 * the sample rows that are final then: deblocking the next row still changes the last three rows of
 * luma and the last one of chroma. The row above is finished. */
static void finish_row(const h264i_wave_ctx *c, const cpu_group *cg, uint32_t f, uint32_t row)
{
	const h264i_geom *g = &c->geom;
	const h264i_picture *p = &cg->pic[f];
	uint64_t *sse = cg->frame[f].sse;

	if (cg->enc->params.filter.on) {
		size_t pitch[3] = { p->recon_pitch[0], p->recon_pitch[1], p->recon_pitch[2] };

		if (p->mb_qp)
			inherit_qps(g, p, row);
		h264i_i_deblock_rows(
			p->recon, pitch, g->mb_width, row, row + 1, p->mb, &cg->strengths);
	}
	for (int k = 0; k < 3; k++) {
		uint32_t size = k ? H264I_CHROMA_H : 16, pending = k ? 1 : 3;
		uint32_t width = k ? h264i_chroma_width(g->width) : g->width;
		uint32_t height = k ? h264i_chroma_height(g->height) : g->height;
		uint32_t end = row + 1 < g->mb_height ? (row + 1) * size - pending : height;
		h264i_samples a = { p->src[k], p->src_pitch[k], k ? p->chroma_step : 1 };
		h264i_samples b = { p->recon[k], p->recon_pitch[k], 1 };

		if (row == 0)
			sse[k] = 0;
		sse[k] += h264i_i_sse_rows(&a, &b, width, row ? row * size - pending : 0, end);
	}
}

typedef struct mbcpu_local {
	int unused;
} mbcpu_local;

static lsched_result mbcpu_body(
	lsched_worker *w, const h264i_wave_ctx *c, mbcpu_local *l, uint32_t task)
{
	const cpu_group *cg = c->backend;
	rowrule_at r = rowrule_place(c, task);
	uint32_t frame = r.row / c->geom.mb_height, row = r.row % c->geom.mb_height;
	mbrule_at a;

	(void)l;
	if (lsched_cancelled(w))
		return LSCHED_DONE; /* the run fails */
	if (r.kind == ROWRULE_FINISH) {
		finish_row(c, cg, frame, row);
		return LSCHED_DONE;
	}
	if (r.kind == ROWRULE_BITS)
		return code_row(c, cg, frame, row) ? LSCHED_FAIL : LSCHED_DONE;
	a = mbrule_place(c, task);
	h264i_i_encode_mb(cg->dsp, c, cg->enc->be, &c->pic[a.frame], a.x, a.y);
	return LSCHED_DONE;
}

#define LSCHED_NAME                 mbcpu
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mbcpu_local
#define LSCHED_BODY                 mbcpu_body
#define LSCHED_RULE                 rowrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate.h>
