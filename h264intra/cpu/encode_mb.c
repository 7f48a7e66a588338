/* The order of work follows the decoder: every 4x4 block of Intra4x4 is predicted from what was just
 * reconstructed, so decision, transform and reconstruction go block by block. Intra16x16 is judged
 * first; Intra4x4 stops as soon as its cost passes that. */
#include "h264intra/cpu/encode_mb.h"

#include "h264intra/cpu/satd.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/order/wavefront.h"
#include "h264intra/predict/intra16x16.h"

enum { REC_PITCH = 32, REC_X0 = 8 };

static const uint8_t zigzag[16] = H264I_ZIGZAG_INIT;
static const uint8_t e4_table[I4_MODES][16] = H264I_E4_TABLE_INIT;

/* Everything a macroblock needs while it is worked on. Pixels are block by block where they are
 * transformed; the reconstruction has its borders around it. */
typedef struct mb_work {
	const h264i_wave_ctx *c;
	int avail;                         /* H264I_LEFT ... of the macroblock */
	const h264i_mb *left, *up;         /* NULL: not available */
	uint8_t src[24][16];               /* luma blocks 0..15, Cb 16..19, Cr 20..23 */
	uint8_t rec_y[17 * REC_PITCH];     /* row 0 is the row above */
	uint8_t top_c[2][9], left_c[2][8]; /* top_c[0] is the corner */
	uint8_t pred16[I16_MODES][16][16]; /* [mode][block][pixel] */
	uint8_t pred_c[IC_MODES][8][16];
	h264i_v16 vsrc[24];
	h264i_mb mb;
	h264i_levels lev;
	uint8_t rec_c[8][16];
	uint32_t coded_blocks, nonzero, abs_sum, abs_max; /* for the bound of the bits */
	int32_t peak;                                     /* inside the inverse transform */
} mb_work;

#define PX(w, x, y) ((w)->rec_y[((y) + 1) * REC_PITCH + REC_X0 + (x)])

H264I_INLINE uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

H264I_INLINE void clear_sums(mb_work *w)
{
	w->coded_blocks = w->nonzero = w->abs_sum = w->abs_max = 0;
	w->peak = 0;
}

/* Source samples, the picture's last column and row repeated beyond its size. */
H264I_INLINE void load_source(mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
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
				(size_t)min_u32(y + i, g->height / 2 - 1) * p->src_pitch[pl];

			for (uint32_t j = 0; j < 4; j++)
				w->src[b][4 * i + j] =
					row[(size_t)min_u32(x + j, g->width / 2 - 1) *
						p->chroma_step];
		}
	}
	for (int b = 0; b < 24; b++)
		h264i_v16_load(&w->vsrc[b], w->src[b]);
}

H264I_INLINE void load_neighbours(mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
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
		memcpy(&PX(w, 16, -1), p->edge[at - mbw + 1].bottom_y, 4);
	if (w->avail & H264I_UPLEFT) {
		PX(w, -1, -1) = p->edge[at - mbw - 1].bottom_y[15];
		w->top_c[0][0] = p->edge[at - mbw - 1].bottom_c[0][7];
		w->top_c[1][0] = p->edge[at - mbw - 1].bottom_c[1][7];
	}
}

/* Residual of one block through transform and quantiser; with skip_dc the DC's level is left out
 * (it travels apart) and its coefficient returned. Counts for the bound. */
H264I_INLINE int32_t quantise_block(mb_work *w, const h264i_quant *q, const uint8_t *src,
	const uint8_t *pred, int skip_dc, int16_t level[16], uint8_t *total)
{
	int32_t d[16], dc;
	int n = 0;

	for (int i = 0; i < 16; i++)
		d[i] = src[i] - pred[i];
	h264i_fdct4x4(d);
	dc = d[0];
	if (skip_dc)
		d[0] = 0;
	for (int i = 0; i < 16; i++)
		d[i] = h264i_quantise(
			d[i], q->mf[h264i_pos_class(i >> 2, i & 3)], q->bias, q->qbits);
	for (int i = 0; i < 16; i++) {
		int32_t v = d[zigzag[i]];

		level[i] = (int16_t)v;
		n += v != 0;
	}
	*total = (uint8_t)n;
	if (n) {
		for (int i = 0; i < 16; i++) {
			uint32_t a = (uint32_t)(d[i] < 0 ? -d[i] : d[i]);

			w->abs_sum += a;
			w->abs_max = a > w->abs_max ? a : w->abs_max;
		}
		w->nonzero += (uint32_t)n;
		w->coded_blocks++;
	}
	return dc;
}

/* A DC block's levels, already in d, into coding order and into the bound. */
H264I_INLINE int count_dc(mb_work *w, const int32_t *d, int n)
{
	uint32_t nz = 0;

	for (int i = 0; i < n; i++) {
		uint32_t a = (uint32_t)(d[i] < 0 ? -d[i] : d[i]);

		w->abs_sum += a;
		w->abs_max = a > w->abs_max ? a : w->abs_max;
		nz += a != 0;
	}
	w->nonzero += nz;
	w->coded_blocks += nz != 0;
	return nz != 0;
}

/* Prediction plus the decoded residual. dc: the DC's dequantised value, where it travelled apart. */
H264I_INLINE void reconstruct(mb_work *w, const h264i_quant *q, const int16_t level[16], int total,
	int has_dc, int32_t dc, const uint8_t pred[16], uint8_t rec[16])
{
	int32_t r[16], r_peak;

	if (!total && !(has_dc && dc)) {
		memcpy(rec, pred, 16);
		return;
	}
	for (int i = 0; i < 16; i++) {
		int z = zigzag[i];

		r[z] = level[i] * q->v[h264i_pos_class(z >> 2, z & 3)];
	}
	if (has_dc)
		r[0] = dc;
	r_peak = h264i_idct4x4(r);
	w->peak = r_peak > w->peak ? r_peak : w->peak;
	for (int i = 0; i < 16; i++)
		rec[i] = h264i_clip_u8(pred[i] + r[i]);
}

H264I_INLINE void store_luma(mb_work *w, int b, const uint8_t rec[16])
{
	int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b);

	for (int i = 0; i < 4; i++)
		memcpy(&PX(w, x, y + i), rec + 4 * i, 4);
}

/* The string of neighbours and its filtered forms (predict/edge4x4.h). */
H264I_INLINE void edge_string(const mb_work *w, int b, int avail, uint8_t s[E4_BYTES])
{
	int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b), sum = 0;
	uint8_t e[15]; /* the string with its ends repeated */

	memset(e, 128, sizeof(e));
	if (avail & H264I_LEFT)
		for (int i = 0; i < 4; i++)
			e[4 - i] = PX(w, x - 1, y + i);
	if (avail & H264I_UPLEFT)
		e[5] = PX(w, x - 1, y - 1);
	if (avail & H264I_UP) {
		memcpy(e + 6, &PX(w, x, y - 1), 4);
		if (avail & H264I_UPRIGHT)
			memcpy(e + 10, &PX(w, x + 4, y - 1), 4);
		else
			memset(e + 10, e[9], 4);
	}
	e[0] = e[1];
	e[14] = e[13];
	memcpy(s + E4_P, e + 1, 13);
	for (int i = 0; i < 12; i++)
		s[E4_F2 + i] = (uint8_t)((e[i + 1] + e[i + 2] + 1) >> 1);
	for (int i = 0; i < 13; i++)
		s[E4_F3 + i] = (uint8_t)((e[i] + 2 * e[i + 1] + e[i + 2] + 2) >> 2);
	if (avail & H264I_LEFT)
		sum += e[1] + e[2] + e[3] + e[4];
	if (avail & H264I_UP)
		sum += e[6] + e[7] + e[8] + e[9];
	if ((avail & H264I_LEFT) && (avail & H264I_UP))
		s[E4_DC] = (uint8_t)((sum + 4) >> 3);
	else
		s[E4_DC] = (avail & (H264I_LEFT | H264I_UP)) ? (uint8_t)((sum + 2) >> 2) : 128;
}

/* All sixteen blocks; 0 when the cost passed `limit` (the macroblock is then left half done). */
H264I_INLINE int try_intra4x4(mb_work *w, uint32_t limit)
{
	const h264i_qparams *q = &w->c->q;
	uint32_t cost = h264i_cost(0, q->lambda, H264I_I4_BASE_BITS);

	w->mb.cbp = 0;
	for (int b = 0; b < 16; b++) {
		int avail = h264i_i4_avail(b, w->avail), mode;
		int pm = h264i_predicted_mode(&w->mb, w->left, w->up, b);
		uint32_t allowed = h264i_i4_allowed(avail) & h264i_i4_mask(q->disable);
		uint32_t best = UINT32_MAX;
		uint8_t s[E4_BYTES], pred[I4_MODES][16], rec[16];
		uint8_t *total = &w->mb.total[b];

		edge_string(w, b, avail, s);
		for (int m = 0; m < I4_MODES; m++) {
			h264i_v16 vp;
			uint32_t key;

			if (!(allowed >> m & 1))
				continue;
			for (int i = 0; i < 16; i++)
				pred[m][i] = s[e4_table[m][i]];
			h264i_v16_load(&vp, pred[m]);
			key = h264i_cost(h264i_v16_satd(&w->vsrc[b], &vp), q->lambda,
				      h264i_i4_mode_bits(m, pm))
				      << 4 |
			      (uint32_t)m;
			best = key < best ? key : best;
		}
		mode = (int)(best & 15);
		cost += best >> 4;
		if (cost >= limit)
			return 0;
		w->mb.i4_mode[b] = (uint8_t)mode;
		quantise_block(w, &q->luma, w->src[b], pred[mode], 0, w->lev.luma[b], total);
		w->mb.cbp |= (uint8_t)((*total != 0) << (b >> 2));
		reconstruct(w, &q->luma, w->lev.luma[b], *total, 0, 0, pred[mode], rec);
		store_luma(w, b, rec);
	}
	w->mb.type = H264I_MB_I4X4;
	memset(w->lev.luma_dc, 0, sizeof(w->lev.luma_dc));
	return 1;
}

/* Predicts all allowed Intra16x16 modes; returns the best key (cost << 4 | mode). */
H264I_INLINE uint32_t judge_intra16x16(mb_work *w)
{
	const h264i_qparams *q = &w->c->q;
	uint32_t allowed = h264i_i16_allowed(w->avail, q->disable), best = UINT32_MAX;
	int top = 0, left = 0, h = 0, v = 0, dc;
	h264i_plane pl;

	for (int i = 0; i < 16; i++) {
		top += w->avail & H264I_UP ? PX(w, i, -1) : 0;
		left += w->avail & H264I_LEFT ? PX(w, -1, i) : 0;
	}
	dc = h264i_dc16(w->avail, top, left);
	if (allowed >> I16_PLANE & 1)
		for (int i = 1; i <= 8; i++) {
			h += i * (PX(w, 7 + i, -1) - PX(w, 7 - i, -1));
			v += i * (PX(w, -1, 7 + i) - PX(w, -1, 7 - i));
		}
	pl = h264i_plane16(h, v, PX(w, -1, 15), PX(w, 15, -1));
	for (int m = 0; m < I16_MODES; m++) {
		uint32_t satd = 0, key;

		if (!(allowed >> m & 1))
			continue;
		for (int b = 0; b < 16; b++) {
			int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b);
			uint8_t *pr = w->pred16[m][b];
			h264i_v16 vp;

			for (int i = 0; i < 4; i++) {
				if (m == I16_V)
					memcpy(pr + 4 * i, &PX(w, x, -1), 4);
				else if (m == I16_H)
					memset(pr + 4 * i, PX(w, -1, y + i), 4);
				else if (m == I16_DC)
					memset(pr + 4 * i, dc, 4);
				else
					for (int j = 0; j < 4; j++)
						pr[4 * i + j] =
							h264i_plane_at(&pl, x + j, y + i, 7);
			}
			h264i_v16_load(&vp, pr);
			satd += h264i_v16_satd(&w->vsrc[b], &vp);
		}
		key = h264i_cost(satd, q->lambda, h264i_i16_mode_bits(m)) << 4 | (uint32_t)m;
		best = key < best ? key : best;
	}
	return best;
}

H264I_INLINE void do_intra16x16(mb_work *w, int mode)
{
	const h264i_quant *q = &w->c->q.luma;
	int32_t dc[16], f[16];
	int ac = 0;

	w->mb.type = H264I_MB_I16X16;
	w->mb.i16_mode = (uint8_t)mode;
	memset(w->mb.i4_mode, I4_DC, sizeof(w->mb.i4_mode));
	for (int b = 0; b < 16; b++) {
		dc[4 * h264i_blk_y(b) + h264i_blk_x(b)] = quantise_block(
			w, q, w->src[b], w->pred16[mode][b], 1, w->lev.luma[b], &w->mb.total[b]);
		ac |= w->mb.total[b];
	}
	h264i_hadamard4x4(dc);
	for (int i = 0; i < 16; i++)
		dc[i] = h264i_quantise_dc((dc[i] + 1) >> 1, q);
	count_dc(w, dc, 16);
	for (int i = 0; i < 16; i++)
		w->lev.luma_dc[i] = (int16_t)dc[zigzag[i]];
	memcpy(f, dc, sizeof(f));
	h264i_hadamard4x4(f);
	for (int b = 0; b < 16; b++) {
		int at = 4 * h264i_blk_y(b) + h264i_blk_x(b);
		uint8_t rec[16];

		reconstruct(w, q, w->lev.luma[b], w->mb.total[b], 1,
			h264i_dequant_luma_dc(f[at], q), w->pred16[mode][b], rec);
		store_luma(w, b, rec);
	}
	w->mb.cbp = ac ? 15 : 0;
}

H264I_INLINE void predict_chroma(mb_work *w, uint32_t allowed)
{
	for (int b = 0; b < 8; b++) {
		int pl = b >> 2, x = 4 * (b & 1), y = 4 * (b >> 1 & 1), top = 0, left = 0, dc;
		const uint8_t *t = w->top_c[pl] + 1, *l = w->left_c[pl];

		for (int i = 0; i < 4; i++) {
			top += w->avail & H264I_UP ? t[x + i] : 0;
			left += w->avail & H264I_LEFT ? l[y + i] : 0;
		}
		dc = h264i_dc_chroma(w->avail, b & 3, top, left);
		memset(w->pred_c[IC_DC][b], dc, 16);
		for (int i = 0; i < 4; i++) {
			if (allowed >> IC_H & 1)
				memset(w->pred_c[IC_H][b] + 4 * i, l[y + i], 4);
			if (allowed >> IC_V & 1)
				memcpy(w->pred_c[IC_V][b] + 4 * i, t + x, 4);
		}
		if (allowed >> IC_PLANE & 1) {
			int h = 0, v = 0;
			h264i_plane p;

			for (int i = 1; i <= 4; i++) {
				h += i * (t[3 + i] - t[3 - i]);
				v += i * (l[3 + i] - (i == 4 ? t[-1] : l[3 - i]));
			}
			p = h264i_plane8(h, v, l[7], t[7]);
			for (int i = 0; i < 16; i++)
				w->pred_c[IC_PLANE][b][i] =
					h264i_plane_at(&p, x + (i & 3), y + (i >> 2), 3);
		}
	}
}

H264I_INLINE void do_chroma(mb_work *w)
{
	const h264i_qparams *q = &w->c->q;
	uint32_t allowed = h264i_chroma_allowed(w->avail, q->disable), best = UINT32_MAX;
	int any_ac = 0, any_dc = 0, mode;

	predict_chroma(w, allowed);
	for (int m = 0; m < IC_MODES; m++) {
		uint32_t satd = 0, key;

		if (!(allowed >> m & 1))
			continue;
		for (int b = 0; b < 8; b++) {
			h264i_v16 vp;

			h264i_v16_load(&vp, w->pred_c[m][b]);
			satd += h264i_v16_satd(&w->vsrc[16 + b], &vp);
		}
		key = h264i_cost(satd, q->lambda, h264i_chroma_mode_bits(m)) << 4 | (uint32_t)m;
		best = key < best ? key : best;
	}
	mode = (int)(best & 15);
	w->mb.chroma_mode = (uint8_t)mode;
	for (int pl = 0; pl < 2; pl++) {
		int32_t dc[4], f[4];

		for (int k = 0; k < 4; k++) {
			uint8_t *total = &w->mb.total[16 + 4 * pl + k];

			dc[k] = quantise_block(w, &q->chroma, w->src[16 + 4 * pl + k],
				w->pred_c[mode][4 * pl + k], 1, w->lev.chroma_ac[pl][k], total);
			any_ac |= *total;
		}
		h264i_hadamard2x2(dc);
		for (int k = 0; k < 4; k++) {
			dc[k] = h264i_quantise_dc(dc[k], &q->chroma);
			w->lev.chroma_dc[pl][k] = (int16_t)dc[k];
		}
		any_dc |= count_dc(w, dc, 4);
		memcpy(f, dc, sizeof(f));
		h264i_hadamard2x2(f);
		for (int k = 0; k < 4; k++)
			reconstruct(w, &q->chroma, w->lev.chroma_ac[pl][k],
				w->mb.total[16 + 4 * pl + k], 1,
				h264i_dequant_chroma_dc(f[k], &q->chroma),
				w->pred_c[mode][4 * pl + k], w->rec_c[4 * pl + k]);
	}
	w->mb.cbp |= (uint8_t)((any_ac ? 2 : any_dc ? 1 : 0) << 4);
}

/* The source itself; 0 is not a legal pcm_sample in Baseline, 1 stands for it. */
H264I_INLINE void do_pcm(mb_work *w)
{
	w->mb.type = H264I_MB_PCM;
	w->mb.cbp = 0x2f;
	w->mb.chroma_mode = 0;
	memset(w->mb.i4_mode, I4_DC, sizeof(w->mb.i4_mode));
	memset(w->mb.total, 16, sizeof(w->mb.total));
	for (int b = 0; b < 24; b++) {
		uint8_t rec[16];

		for (int i = 0; i < 16; i++)
			rec[i] = w->src[b][i] ? w->src[b][i] : 1;
		if (b < 16)
			store_luma(w, b, rec);
		else
			memcpy(w->rec_c[b - 16], rec, 16);
	}
}

/* A macroblock that breaks a bound of the standard, or costs more than its samples, becomes I_PCM. */
H264I_INLINE int must_be_pcm(const mb_work *w)
{
	int bits;

	if (w->peak > H264I_IDCT_PEAK)
		return 1;
	if (h264i_bits_bound(w->coded_blocks, w->nonzero, w->abs_sum) <= H264I_PCM_BITS &&
		w->abs_max <= H264I_LEVEL_SAFE)
		return 0;
	bits = h264i_mb_bits(&h264i_cavlc, &w->mb, &w->lev, w->left, w->up);
	return bits < 0 || bits > H264I_PCM_BITS;
}

H264I_INLINE void store_results(const mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
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

H264I_INLINE void encode_mb(
	const h264i_wave_ctx *c, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	mb_work work, *w = &work;
	uint32_t key, limit;

	w->c = c;
	memset(&w->mb, 0, sizeof(w->mb));
	clear_sums(w);
	load_source(w, p, mx, my);
	load_neighbours(w, p, mx, my);
	key = judge_intra16x16(w);
	limit = c->q.disable >> 18 & 1 ? UINT32_MAX : key >> 4;
	if ((c->q.disable >> 17 & 1) || !try_intra4x4(w, limit)) {
		clear_sums(w);
		do_intra16x16(w, (int)(key & 15));
	}
	do_chroma(w);
	if (must_be_pcm(w))
		do_pcm(w);
	store_results(w, p, mx, my);
}

void h264i_encode_mb_base(const h264i_wave_ctx *c, const h264i_picture *p, uint32_t x, uint32_t y)
{
	encode_mb(c, p, x, y);
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))) void h264i_encode_mb_avx2(
	const h264i_wave_ctx *c, const h264i_picture *p, uint32_t x, uint32_t y)
{
	encode_mb(c, p, x, y);
}

h264i_encode_mb_fn h264i_encode_mb_best(void)
{
	return __builtin_cpu_supports("avx2") ? h264i_encode_mb_avx2 : h264i_encode_mb_base;
}
#else
h264i_encode_mb_fn h264i_encode_mb_best(void)
{
	return h264i_encode_mb_base;
}
#endif
