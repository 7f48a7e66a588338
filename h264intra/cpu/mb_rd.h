/* Rate-distortion decisions of a macroblock, in scalar C: prediction modes and types are compared
 * by the squared error after coding and the estimated bits (decide/rates.h), and levels are chosen
 * by both (decide/rdoq.h). Here: what the types share. */
#ifndef H264INTRA_CPU_MB_RD_H
#define H264INTRA_CPU_MB_RD_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/rd.h"

/* A block that was coded in one mode. */
typedef struct rd_block {
	uint32_t cost, rate; /* rate: without the mode */
	int mode, count;     /* of levels that are not 0 */
	int32_t peak;        /* of the inverse transform */
	int16_t level[64];   /* in scan order */
	uint8_t rec[64];
} rd_block;

MB_FN const h264i_rates *rates_of(const mb_work *w)
{
	return &w->c->rates[w->q->qp];
}

MB_FN uint32_t squared_error(const uint8_t *a, const uint8_t *b, int n)
{
	uint32_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += (uint32_t)((a[i] - b[i]) * (a[i] - b[i]));
	return sum;
}

/* Chooses the levels of the coefficients coef[] in scan order and sets count and rate. */
MB_FN void rd_levels(const mb_work *w, const h264i_block_rates *r, const int32_t coef[],
	const uint32_t real[], const uint16_t flag[2], int32_t weight, rd_block *out)
{
	int level[64];

	for (int i = 0; i < r->coefficients; i++)
		level[i] = h264i_plain_level(real[i]);
	for (int pass = 0; pass < w->c->trellis; pass++)
		h264i_quantise_pass(r, real, level, flag, weight);
	out->count = 0;
	for (int i = 0; i < r->coefficients; i++) {
		out->level[i] = (int16_t)(coef[i] < 0 ? -level[i] : level[i]);
		out->count += level[i] != 0;
	}
	out->rate = out->count ? flag[1] + h264i_rate_block(r, level) : flag[0];
}

/* Transforms a 4x4 residual and chooses its levels. Of a kind with 15 coefficients the DC is coded
 * elsewhere: level[0] is 0 then. Returns the DC coefficient. */
MB_FN int32_t rd_levels4(const mb_work *w, const h264i_quant *q, const uint8_t src[16],
	const uint8_t pred[16], int cat, const uint16_t flag[2], int32_t weight, rd_block *out)
{
	h264i_block_rates r = h264i_block_rates_of(rates_of(w), cat);
	int skip = r.coefficients == 15;
	int32_t d[16], coef[16];
	uint32_t real[16];

	for (int i = 0; i < 16; i++)
		d[i] = src[i] - pred[i];
	h264i_fdct4x4(d);
	for (int i = 0; i < r.coefficients; i++) {
		int z = zigzag[i + skip];

		coef[i] = d[z];
		real[i] = h264i_real_level((uint32_t)(d[z] < 0 ? -d[z] : d[z]),
			q->mf[h264i_pos_class(z >> 2, z & 3)], q->qbits);
	}
	rd_levels(w, &r, coef, real, flag, weight, out);
	if (skip) {
		memmove(out->level + 1, out->level, 15 * sizeof(out->level[0]));
		out->level[0] = 0;
	}
	return d[0];
}

/* Chooses the levels of a block of DCs, which are transformed already: n is 16 or 4. */
MB_FN void rd_levels_dc(const mb_work *w, const h264i_quant *q, const int32_t dc[], int cat,
	const uint16_t flag[2], int32_t weight, rd_block *out)
{
	h264i_block_rates r = h264i_block_rates_of(rates_of(w), cat);
	int32_t coef[16];
	uint32_t real[16];

	for (int i = 0; i < r.coefficients; i++) {
		coef[i] = dc[r.coefficients == 16 ? zigzag[i] : i];
		real[i] = h264i_real_level(
			(uint32_t)(coef[i] < 0 ? -coef[i] : coef[i]), q->mf[0], q->qbits + 1);
	}
	rd_levels(w, &r, coef, real, flag, weight, out);
}

/* The decoded block; dc: see reconstruct() of cpu/mb_residual.h. */
MB_FN void rd_reconstruct4(
	const h264i_quant *q, const uint8_t pred[16], int has_dc, int32_t dc, rd_block *out)
{
	int32_t r[16];

	out->peak = 0;
	if (!out->count && !(has_dc && dc)) {
		memcpy(out->rec, pred, 16);
		return;
	}
	for (int i = 0; i < 16; i++) {
		int z = zigzag[i];

		r[z] = out->level[i] * q->v[h264i_pos_class(z >> 2, z & 3)];
	}
	if (has_dc)
		r[0] = dc;
	out->peak = h264i_idct4x4(r);
	for (int i = 0; i < 16; i++)
		out->rec[i] = h264i_clip_u8(pred[i] + r[i]);
}

/* Rate of mb_type and what follows it to the modes, and of mb_qp_delta. */
MB_FN uint32_t rd_type_rate(const mb_work *w)
{
	return h264i_rate_type(rates_of(w), &w->mb, w->left, w->up, w->q->transform8x8);
}

/* Takes the lowest key, (cost << 4 | mode), out of the list. Returns its mode, or -1. */
MB_FN int take_lowest(uint32_t key[], int modes)
{
	uint32_t best = UINT32_MAX;

	for (int m = 0; m < modes; m++)
		best = key[m] < best ? key[m] : best;
	if (best == UINT32_MAX)
		return -1;
	key[best & 15] = UINT32_MAX;
	return (int)(best & 15);
}

/* Adds the levels of a block to the sums of the bound. */
MB_FN void count_levels(mb_sums *s, const int16_t level[], int n)
{
	uint32_t nonzero = 0;

	for (int i = 0; i < n; i++) {
		uint32_t a = (uint32_t)(level[i] < 0 ? -level[i] : level[i]);

		s->abs_sum += a;
		s->abs_max = a > s->abs_max ? a : s->abs_max;
		nonzero += a != 0;
	}
	s->nonzero += nonzero;
	s->coded_blocks += nonzero != 0;
}

/* Sets the sums to those of the luma levels; the peak stays. */
MB_FN void count_luma(mb_work *w)
{
	int32_t peak = w->sums.peak;

	memset(&w->sums, 0, sizeof(w->sums));
	w->sums.peak = peak;
	for (int b = 0; b < 16; b++)
		count_levels(&w->sums, w->lev.luma[b], 16);
	count_levels(&w->sums, w->lev.luma_dc, 16);
}

MB_FN void raise_peak(mb_work *w, int32_t peak)
{
	w->sums.peak = peak > w->sums.peak ? peak : w->sums.peak;
}

#endif
