/* State of one macroblock while the CPU encodes it: source and neighbouring samples are loaded from
 * the picture before, records and samples are stored to it after. */
#ifndef H264INTRA_CPU_MB_WORK_H
#define H264INTRA_CPU_MB_WORK_H

#include "h264intra/core/work.h"
#include "h264intra/order/wavefront.h"
#include "h264intra/predict/edge4x4.h"

#include <string.h>

/* Inlined into each build of the encoder, so that it is compiled for that build's processor. */
#define MB_FN static inline __attribute__((always_inline))

enum { REC_PITCH = 32, REC_X0 = 8 };

/* Sums of the bound of a macroblock's bits, and the bound of the inverse transform. */
typedef struct mb_sums {
	uint32_t coded_blocks, nonzero, abs_sum, abs_max;
	int32_t peak; /* largest magnitude inside the inverse transform */
} mb_sums;

/* The luma part of a macroblock that was coded in one type: the best so far, while another type is
 * tried in its place. The record has type, modes, totals and pattern. */
typedef struct mb_candidate {
	uint32_t cost; /* h264i_cost; UINT32_MAX: there is none */
	h264i_mb mb;
	int16_t luma[16][16], luma_dc[16];
	mb_sums sums;
	uint8_t rec[16][16];
} mb_candidate;

/* Samples are stored block by block where they are transformed, and as a picture with borders where
 * neighbouring blocks read them. */
typedef struct mb_work {
	const h264i_wave_ctx *c;
	const h264i_qparams *q;            /* of the macroblock's QP */
	int avail;                         /* H264I_LEFT ... of the macroblock */
	const h264i_mb *left, *up;         /* NULL: not available */
	uint8_t src[24][16];               /* luma blocks 0..15, Cb 16..19, Cr 20..23 */
	uint8_t rec_y[17 * REC_PITCH];     /* row 0 is the row above */
	uint8_t top_c[2][9], left_c[2][8]; /* top_c[0] is the corner */
	uint8_t pred16[I16_MODES][16][16]; /* [mode][block][pixel] */
	uint8_t pred_c[IC_MODES][8][16];
	h264i_mb mb;
	h264i_levels lev;
	uint8_t rec_c[8][16];
	mb_sums sums;
} mb_work;

#define PX(w, x, y) ((w)->rec_y[((y) + 1) * REC_PITCH + REC_X0 + (x)])

MB_FN uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Begins a luma part of this type. */
MB_FN void begin_luma(mb_work *w, int type, int flags)
{
	memset(&w->sums, 0, sizeof(w->sums));
	w->mb.type = (uint8_t)type;
	w->mb.flags = (uint8_t)flags;
	w->mb.i16_mode = 0;
	w->mb.cbp = 0;
}

/* Loads the source samples. Beyond the picture's size its last column and row are repeated. */
MB_FN void load_source(mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	const h264i_geom *g = &w->c->geom;
	int whole = (mx + 1) * 16 <= g->width && (my + 1) * 16 <= g->height;

	for (int b = 0; b < 16; b++) {
		uint32_t x = mx * 16 + 4 * (uint32_t)h264i_blk_x(b);
		uint32_t y = my * 16 + 4 * (uint32_t)h264i_blk_y(b);

		for (uint32_t i = 0; i < 4; i++) {
			const uint8_t *row =
				p->src[0] + (size_t)min_u32(y + i, g->height - 1) * p->src_pitch[0];

			if (whole)
				memcpy(&w->src[b][4 * i], row + x, 4);
			else
				for (uint32_t j = 0; j < 4; j++)
					w->src[b][4 * i + j] = row[min_u32(x + j, g->width - 1)];
		}
	}
	for (int b = 16; b < 24; b++) {
		int pl = b < 20 ? 1 : 2;
		uint32_t x = mx * 8 + 4 * (b & 1), y = my * 8 + 4 * (b >> 1 & 1);

		for (uint32_t i = 0; i < 4; i++) {
			const uint8_t *row =
				p->src[pl] +
				(size_t)min_u32(y + i, h264i_chroma_size(g->height) - 1) *
					p->src_pitch[pl];

			for (uint32_t j = 0; j < 4; j++)
				w->src[b][4 * i + j] =
					row[(size_t)min_u32(
						    x + j, h264i_chroma_size(g->width) - 1) *
						p->chroma_step];
		}
	}
}

/* Loads the reconstructed samples around the macroblock and sets avail, left and up. */
MB_FN void load_neighbours(mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	uint32_t mbw = w->c->geom.mb_width, at = my * mbw + mx;
	int up = mbrule_has_up(w->c, my);

	w->avail = (mx > 0 ? H264I_LEFT : 0) | (up ? H264I_UP : 0) |
		   (up && mx + 1 < mbw ? H264I_UPRIGHT : 0) | (up && mx > 0 ? H264I_UPLEFT : 0);
	w->left = mx > 0 ? &p->mb[at - 1] : NULL;
	w->up = up ? &p->mb[at - mbw] : NULL;
	if (w->avail & H264I_LEFT) {
		const h264i_edge *e = &p->edge[at - 1];

		for (int i = 0; i < 16; i++)
			PX(w, -1, i) = e->right_y[i];
		memcpy(w->left_c, e->right_c, sizeof(w->left_c));
	}
	if (w->avail & H264I_UP) {
		memcpy(&PX(w, 0, -1), p->edge[at - mbw].bottom_y, 16);
		memcpy(&w->top_c[0][1], p->edge[at - mbw].bottom_c[0], 8);
		memcpy(&w->top_c[1][1], p->edge[at - mbw].bottom_c[1], 8);
	}
	if (w->avail & H264I_UPRIGHT)
		memcpy(&PX(w, 16, -1), p->edge[at - mbw + 1].bottom_y, 8);
	if (w->avail & H264I_UPLEFT) {
		PX(w, -1, -1) = p->edge[at - mbw - 1].bottom_y[15];
		w->top_c[0][0] = p->edge[at - mbw - 1].bottom_c[0][7];
		w->top_c[1][0] = p->edge[at - mbw - 1].bottom_c[1][7];
	}
}

MB_FN void store_luma(mb_work *w, int b, const uint8_t rec[16])
{
	int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b);

	for (int i = 0; i < 4; i++)
		memcpy(&PX(w, x, y + i), rec + 4 * i, 4);
}

/* Keeps the luma part just coded, and brings it back after another one failed. */
MB_FN void keep_luma(const mb_work *w, mb_candidate *best)
{
	best->mb = w->mb;
	memcpy(best->luma, w->lev.luma, sizeof(best->luma));
	memcpy(best->luma_dc, w->lev.luma_dc, sizeof(best->luma_dc));
	best->sums = w->sums;
	for (int i = 0; i < 16; i++)
		memcpy(best->rec[i], &PX(w, 0, i), 16);
}

MB_FN void restore_luma(mb_work *w, const mb_candidate *best)
{
	w->mb = best->mb;
	memcpy(w->lev.luma, best->luma, sizeof(best->luma));
	memcpy(w->lev.luma_dc, best->luma_dc, sizeof(best->luma_dc));
	w->sums = best->sums;
	for (int i = 0; i < 16; i++)
		memcpy(&PX(w, 0, i), best->rec[i], 16);
}

/* Stores the records, the edge and, where kept, the reconstruction. */
MB_FN void store_results(const mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	uint32_t at = my * w->c->geom.mb_width + mx;
	h264i_edge *e = &p->edge[at];

	p->mb[at] = w->mb;
	if (w->mb.type != H264I_MB_PCM)
		p->levels[at] = w->lev;
	memcpy(e->bottom_y, &PX(w, 0, 15), 16);
	for (int i = 0; i < 16; i++)
		e->right_y[i] = PX(w, 15, i);
	for (int pl = 0; pl < 2; pl++)
		for (int i = 0; i < 8; i++) {
			e->bottom_c[pl][i] = w->rec_c[4 * pl + 2 + (i >> 2)][12 + (i & 3)];
			e->right_c[pl][i] = w->rec_c[4 * pl + 1 + (i >> 2 << 1)][4 * (i & 3) + 3];
		}
	if (!p->recon[0])
		return;
	for (uint32_t i = 0; i < 16; i++)
		memcpy(p->recon[0] + (size_t)(my * 16 + i) * p->recon_pitch[0] + mx * 16,
			&PX(w, 0, i), 16);
	for (int b = 0; b < 8; b++) {
		int pl = 1 + (b >> 2);
		uint32_t x = mx * 8 + 4 * (b & 1), y = my * 8 + 4 * (b >> 1 & 1);

		for (uint32_t i = 0; i < 4; i++)
			memcpy(p->recon[pl] + (size_t)(y + i) * p->recon_pitch[pl] + x,
				w->rec_c[b] + 4 * i, 4);
	}
}

#endif
