/* Intra prediction, mode decision and coding of one macroblock, in scalar C. The includer defines
 * mb_satd(src, pred) and mb_satd8(src, pred), the SATD of two 4x4 and of two 8x8 blocks; nothing
 * else differs between the builds. */
#ifndef H264INTRA_CPU_MB_INTRA_H
#define H264INTRA_CPU_MB_INTRA_H

#include "h264intra/cpu/mb_intra8x8.h"
#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/predict/intra16x16.h"

static const uint8_t e4_table[I4_MODES][16] = H264I_E4_TABLE_INIT;

/* Writes the neighbouring samples of luma block b and their filtered forms (predict/edge4x4.h). */
MB_FN void edge_string(const mb_work *w, int b, int avail, uint8_t s[E4_BYTES])
{
	int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b), sum = 0;
	uint8_t e[15]; /* P with its first and last sample repeated */

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

/* Predicts luma block b in all allowed modes. Returns the lowest key (cost << 4 | mode). */
MB_FN uint32_t choose_intra4x4(const mb_work *w, int b, uint8_t pred[I4_MODES][16])
{
	const h264i_qparams *q = &w->c->q;
	int avail = h264i_i4_avail(b, w->avail);
	int predicted = h264i_predicted_mode(&w->mb, w->left, w->up, b);
	uint32_t allowed = h264i_i4_allowed(avail) & h264i_i4_mask(q->disable);
	uint32_t best = UINT32_MAX;
	uint8_t s[E4_BYTES];

	edge_string(w, b, avail, s);
	for (int m = 0; m < I4_MODES; m++) {
		uint32_t key;

		if (!(allowed >> m & 1))
			continue;
		for (int i = 0; i < 16; i++)
			pred[m][i] = s[e4_table[m][i]];
		key = h264i_cost(mb_satd(w->src[b], pred[m]), q->lambda,
			      h264i_i4_mode_bits(m, predicted))
			      << 4 |
		      (uint32_t)m;
		best = key < best ? key : best;
	}
	return best;
}

/* Codes the luma blocks as Intra4x4, each predicted from the reconstruction of those before it.
 * Returns 0 when the cost reaches `limit`; levels and reconstruction are then incomplete. */
MB_FN int try_intra4x4(mb_work *w, uint32_t limit)
{
	const h264i_qparams *q = &w->c->q;
	uint32_t cost = h264i_cost(0, q->lambda, H264I_I4_BASE_BITS);

	begin_luma(w, H264I_MB_I4X4, 0);
	for (int b = 0; b < 16; b++) {
		uint8_t pred[I4_MODES][16], rec[16], *total = &w->mb.total[b];
		uint32_t best = choose_intra4x4(w, b, pred);
		int mode = (int)(best & 15);

		cost += best >> 4;
		if (cost >= limit)
			return 0;
		w->mb.i4_mode[b] = (uint8_t)mode;
		quantise_block(w, &q->luma, w->src[b], pred[mode], 0, w->lev.luma[b], total);
		w->mb.cbp |= (uint8_t)((*total != 0) << (b >> 2));
		reconstruct(w, &q->luma, w->lev.luma[b], *total, 0, 0, pred[mode], rec);
		store_luma(w, b, rec);
	}
	memset(w->lev.luma_dc, 0, sizeof(w->lev.luma_dc));
	return 1;
}

/* Predicts luma block b in Intra16x16 mode m. */
MB_FN void predict_block16(mb_work *w, int m, int b, int dc, const h264i_plane *plane)
{
	int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b);
	uint8_t *pred = w->pred16[m][b];

	for (int i = 0; i < 4; i++) {
		if (m == I16_V)
			memcpy(pred + 4 * i, &PX(w, x, -1), 4);
		else if (m == I16_H)
			memset(pred + 4 * i, PX(w, -1, y + i), 4);
		else if (m == I16_DC)
			memset(pred + 4 * i, dc, 4);
		else
			for (int j = 0; j < 4; j++)
				pred[4 * i + j] = h264i_plane_at(plane, x + j, y + i, 7);
	}
}

/* Predicts all allowed Intra16x16 modes. Returns the lowest key (cost << 4 | mode). */
MB_FN uint32_t judge_intra16x16(mb_work *w)
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
			predict_block16(w, m, b, dc, &pl);
			satd += mb_satd(w->src[b], w->pred16[m][b]);
		}
		key = h264i_cost(satd, q->lambda, h264i_i16_mode_bits(m)) << 4 | (uint32_t)m;
		best = key < best ? key : best;
	}
	return best;
}

/* Codes the luma blocks as Intra16x16 in `mode`, which judge_intra16x16 has predicted. */
MB_FN void do_intra16x16(mb_work *w, int mode)
{
	const h264i_quant *q = &w->c->q.luma;
	int32_t dc[16], f[16];
	int ac = 0;

	begin_luma(w, H264I_MB_I16X16, 0);
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
	if (count_dc(w, dc, 16))
		w->mb.flags |= H264I_MB_DC_Y;
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

/* Predicts the eight chroma blocks in all allowed modes. */
MB_FN void predict_chroma(mb_work *w, uint32_t allowed)
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

/* Predicts all allowed chroma modes. Returns the mode of the lowest cost. */
MB_FN int choose_chroma(mb_work *w)
{
	const h264i_qparams *q = &w->c->q;
	uint32_t allowed = h264i_chroma_allowed(w->avail, q->disable), best = UINT32_MAX;

	predict_chroma(w, allowed);
	for (int m = 0; m < IC_MODES; m++) {
		uint32_t satd = 0, key;

		if (!(allowed >> m & 1))
			continue;
		for (int b = 0; b < 8; b++)
			satd += mb_satd(w->src[16 + b], w->pred_c[m][b]);
		key = h264i_cost(satd, q->lambda, h264i_chroma_mode_bits(m)) << 4 | (uint32_t)m;
		best = key < best ? key : best;
	}
	return (int)(best & 15);
}

/* Codes both chroma planes and adds their coded block pattern. */
MB_FN void do_chroma(mb_work *w)
{
	const h264i_quant *q = &w->c->q.chroma;
	int any_ac = 0, mode = choose_chroma(w);

	w->mb.chroma_mode = (uint8_t)mode;
	for (int pl = 0; pl < 2; pl++) {
		int32_t dc[4], f[4];

		for (int k = 0; k < 4; k++) {
			uint8_t *total = &w->mb.total[16 + 4 * pl + k];

			dc[k] = quantise_block(w, q, w->src[16 + 4 * pl + k],
				w->pred_c[mode][4 * pl + k], 1, w->lev.chroma_ac[pl][k], total);
			any_ac |= *total;
		}
		h264i_hadamard2x2(dc);
		for (int k = 0; k < 4; k++) {
			dc[k] = h264i_quantise_dc(dc[k], q);
			w->lev.chroma_dc[pl][k] = (int16_t)dc[k];
		}
		if (count_dc(w, dc, 4))
			w->mb.flags |= pl ? H264I_MB_DC_CR : H264I_MB_DC_CB;
		memcpy(f, dc, sizeof(f));
		h264i_hadamard2x2(f);
		for (int k = 0; k < 4; k++)
			reconstruct(w, q, w->lev.chroma_ac[pl][k], w->mb.total[16 + 4 * pl + k], 1,
				h264i_dequant_chroma_dc(f[k], q), w->pred_c[mode][4 * pl + k],
				w->rec_c[4 * pl + k]);
	}
	if (any_ac)
		w->mb.cbp |= 2 << 4;
	else if (w->mb.flags & (H264I_MB_DC_CB | H264I_MB_DC_CR))
		w->mb.cbp |= 1 << 4;
}

/* Codes the macroblock as I_PCM. A pcm_sample of 0 is not legal in Baseline; 1 replaces it. */
MB_FN void do_pcm(mb_work *w)
{
	w->mb.type = H264I_MB_PCM;
	w->mb.cbp = 0x2f;
	w->mb.flags = H264I_MB_DC_ALL;
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

/* 1: the macroblock exceeds a bound of the standard, or has more bits than I_PCM, or with CABAC
 * possibly more than the standard allows. */
MB_FN int must_be_pcm(const mb_work *w)
{
	const mb_sums *s = &w->sums;
	int bits, most = H264I_PCM_BITS - w->c->q.pcm_margin;

	if (s->peak > H264I_IDCT_PEAK)
		return 1;
	if (h264i_bits_bound(s->coded_blocks, s->nonzero, s->abs_sum) <= (uint32_t)most &&
		s->abs_max <= H264I_LEVEL_SAFE)
		return 0;
	bits = h264i_mb_bits(&h264i_i_cavlc, &w->mb, &w->lev, w->left, w->up, w->c->q.transform8x8);
	return bits < 0 || bits > most;
}

/* Codes the luma blocks in the type of the lowest cost; of equal ones Intra16x16 comes before
 * Intra8x8 and that before Intra4x4. Intra16x16 is judged first, which needs no coding; the others
 * stop when their cost reaches that of the best so far. */
MB_FN void do_luma(mb_work *w)
{
	uint32_t disable = w->c->q.disable, key = judge_intra16x16(w);
	uint32_t limit = disable >> 18 & 1 ? UINT32_MAX : key >> 4;
	mb_candidate best = { .cost = UINT32_MAX };

	if (w->c->q.transform8x8)
		best.cost = try_intra8x8(w, limit);
	if (best.cost != UINT32_MAX) {
		limit = best.cost;
		keep_luma(w, &best);
	}
	if (!(disable >> 17 & 1) && try_intra4x4(w, limit))
		return;
	if (best.cost != UINT32_MAX)
		restore_luma(w, &best);
	else
		do_intra16x16(w, (int)(key & 15));
}

/* Encodes macroblock (mx, my). The order follows the decoder: Intra4x4 predicts each block from
 * reconstructed samples, so it decides, transforms and reconstructs block by block. */
MB_FN void encode_mb(const h264i_wave_ctx *c, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	mb_work work, *w = &work;

	w->c = c;
	memset(&w->mb, 0, sizeof(w->mb));
	w->mb.qp = (uint8_t)c->q.qp;
	load_source(w, p, mx, my);
	load_neighbours(w, p, mx, my);
	do_luma(w);
	do_chroma(w);
	if (must_be_pcm(w))
		do_pcm(w);
	store_results(w, p, mx, my);
}

#endif
