/* State of one macroblock while the CPU encodes it: source and neighbouring samples are loaded from
 * the picture before, records and samples are stored to it after. */
#ifndef H264INTRA_CPU_MB_WORK_H
#define H264INTRA_CPU_MB_WORK_H

#include "h264intra/core/source.h"
#include "h264intra/cpu/dsp.h"
#include "h264intra/decide/macroblock.h"
#include "h264intra/order/wavefront.h"
#include "h264intra/predict/edge4x4.h"

#include <string.h>

#define MB_FN static inline

/* The luma part of a macroblock that was coded in one type: the best so far, while another type is
 * tried in its place. The record has type, modes, totals and pattern. */
typedef struct mb_candidate {
	uint32_t cost; /* UINT32_MAX: there is none */
	int exceeds;
	h264i_mb mb;
	int16_t luma[16][16], luma_dc[16];
	h264i_px rec[16][16];
} mb_candidate;

/* Samples are stored block by block where they are transformed, and as a picture with borders where
 * neighbouring blocks read them. */
typedef struct mb_work {
	const h264i_wave_ctx *c;
	const h264i_dsp *dsp;
	const h264i_rates *rates;     /* of the macroblock's QP; NULL: decisions by SATD alone */
	const h264i_scan_rates *scan; /* [H264I_CATS], likewise */
	const h264i_qparams *q;       /* of the macroblock's QP */
	const h264i_picture *p;
	uint32_t x, y;             /* of the macroblock in p */
	int avail;                 /* H264I_LEFT ... of the macroblock */
	int exceeds;               /* 1: a value inside the inverse transform exceeds its bound */
	const h264i_mb *left, *up; /* NULL: not available */
	h264i_levels *lev;
	/* Luma blocks 0..15, then Cb and Cr. */
	h264i_px src[16 + 2 * H264I_CHROMA_BLOCKS][16];
	h264i_px rec_y[17 * H264I_REC_PITCH]; /* row 0 is the row above */
	h264i_chroma_edge edge_c;
	h264i_px pred16[16][16]; /* [block][sample] */
	h264i_px pred_c[2 * H264I_CHROMA_BLOCKS][16];
	h264i_mb mb;
	h264i_px rec_c[2 * H264I_CHROMA_BLOCKS][16];
	uint32_t cost[3];  /* of luma in each h264i_type, where it has been computed */
	mb_candidate best; /* of the types but the last one that was coded */
} mb_work;

typedef mb_work mb_job; /* of decide/drive_mb.h */

#define PX(w, x, y) ((w)->rec_y[((y) + 1) * H264I_REC_PITCH + H264I_REC_X0 + (x)])

/* Begins a luma part of this type. */
MB_FN void begin_luma(mb_work *w, int type, int flags)
{
	w->exceeds = 0;
	w->mb.type = (uint8_t)type;
	w->mb.flags = (uint8_t)flags;
	w->mb.i16_mode = 0;
	w->mb.cbp = 0;
}

/* Loads the samples of a plane's blocks of a macroblock at the edge of the picture. block: those of
 * luma in the standard's order. */
MB_FN void load_plane(h264i_px (*block)[16], const h264i_src *s, uint32_t mx, uint32_t my)
{
	for (uint32_t y = 0; y < s->mb_height; y++) {
		const h264i_px *row = h264i_src_row(s, my * s->mb_height + y);

		for (uint32_t x = 0; x < s->mb_width; x++)
			block[h264i_blk_at((int)x >> 2, (int)y >> 2)][4 * (y & 3) + (x & 3)] =
				h264i_src_sample(s, row, mx * s->mb_width + x);
	}
}

MB_FN void load_source(mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	const h264i_geom *g = &w->c->geom;
	size_t at = (size_t)my * 16 * p->src_pitch[0] + mx * 16;
	size_t column = mx * H264I_CHROMA_W * p->chroma_step;
	size_t at_cb = (size_t)my * H264I_CHROMA_H * p->src_pitch[1] + column;
	size_t at_cr = (size_t)my * H264I_CHROMA_H * p->src_pitch[2] + column;

	if (!h264i_src_holds(g, mx, my)) {
		for (uint32_t pl = 0; pl < 3; pl++) {
			h264i_src s = h264i_src_of(g, p, pl);

			load_plane(w->src + (pl ? 16 + (pl - 1) * H264I_CHROMA_BLOCKS : 0), &s, mx,
				my);
		}
		return;
	}
	w->dsp->load16(w->src, p->src[0] + at, p->src_pitch[0]);
	if (p->chroma_step == 2) {
		w->dsp->load_pairs(w->src + 16, p->src[1] + at_cb, p->src_pitch[1]);
	} else {
		w->dsp->load8(w->src + 16, p->src[1] + at_cb, p->src_pitch[1]);
		w->dsp->load8(w->src + 20, p->src[2] + at_cr, p->src_pitch[2]);
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
		memcpy(w->edge_c.left, e->right_c, sizeof(w->edge_c.left));
	}
	if (w->avail & H264I_UP) {
		memcpy(&PX(w, 0, -1), p->edge[at - mbw].bottom_y, 16 * sizeof(h264i_px));
		memcpy(w->edge_c.top[0] + 8, p->edge[at - mbw].bottom_c[0], 8 * sizeof(h264i_px));
		memcpy(w->edge_c.top[1] + 8, p->edge[at - mbw].bottom_c[1], 8 * sizeof(h264i_px));
	}
	if (w->avail & H264I_UPRIGHT)
		memcpy(&PX(w, 16, -1), p->edge[at - mbw + 1].bottom_y, 8 * sizeof(h264i_px));
	if (w->avail & H264I_UPLEFT) {
		PX(w, -1, -1) = p->edge[at - mbw - 1].bottom_y[15];
		w->edge_c.top[0][7] = p->edge[at - mbw - 1].bottom_c[0][7];
		w->edge_c.top[1][7] = p->edge[at - mbw - 1].bottom_c[1][7];
	}
}

MB_FN void store_luma(mb_work *w, int b, const h264i_px rec[16])
{
	int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b);

	for (int i = 0; i < 4; i++)
		memcpy(&PX(w, x, y + i), rec + 4 * i, 4 * sizeof(*rec));
}

/* Keeps the luma part just coded, and brings it back after another one failed. */
MB_FN void keep_luma(const mb_work *w, mb_candidate *best)
{
	best->mb = w->mb;
	memcpy(best->luma, w->lev->luma, sizeof(best->luma));
	memcpy(best->luma_dc, w->lev->luma_dc, sizeof(best->luma_dc));
	best->exceeds = w->exceeds;
	for (int i = 0; i < 16; i++)
		memcpy(best->rec[i], &PX(w, 0, i), 16 * sizeof(h264i_px));
}

MB_FN void restore_luma(mb_work *w, const mb_candidate *best)
{
	w->mb = best->mb;
	memcpy(w->lev->luma, best->luma, sizeof(best->luma));
	memcpy(w->lev->luma_dc, best->luma_dc, sizeof(best->luma_dc));
	w->exceeds = best->exceeds;
	for (int i = 0; i < 16; i++)
		memcpy(&PX(w, 0, i), best->rec[i], sizeof(best->rec[i]));
}

/* Stores the records, the edge and, where kept, the reconstruction. */
MB_FN void store_results(const mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	uint32_t at = my * w->c->geom.mb_width + mx;
	h264i_edge *e = &p->edge[at];

	p->mb[at] = w->mb;
	memcpy(e->bottom_y, &PX(w, 0, 15), sizeof(e->bottom_y));
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
			&PX(w, 0, i), 16 * sizeof(h264i_px));
	for (int b = 0; b < 8; b++) {
		int pl = 1 + (b >> 2);
		uint32_t x = mx * 8 + 4 * (b & 1), y = my * 8 + 4 * (b >> 1 & 1);

		for (uint32_t i = 0; i < 4; i++)
			memcpy(p->recon[pl] + (size_t)(y + i) * p->recon_pitch[pl] + x,
				w->rec_c[b] + 4 * i, 4 * sizeof(h264i_px));
	}
}

#endif
