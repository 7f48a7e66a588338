/* Residual coding of 4x4 blocks: transform, quantisation and reconstruction, in scalar C. */
#ifndef H264INTRA_CPU_MB_RESIDUAL_H
#define H264INTRA_CPU_MB_RESIDUAL_H

#include "h264intra/cpu/mb_work.h"
#include "h264intra/transform/dct.h"
#include "h264intra/transform/quant.h"

static const uint8_t zigzag[16] = H264I_ZIGZAG_INIT;

MB_FN void add_levels(mb_sums *s, const int32_t *d, int n)
{
	for (int i = 0; i < n; i++) {
		uint32_t a = (uint32_t)(d[i] < 0 ? -d[i] : d[i]);

		s->abs_sum += a;
		s->abs_max = a > s->abs_max ? a : s->abs_max;
	}
}

/* Transforms and quantises the residual of one block and adds its levels to the sums of the bound.
 * Returns the DC coefficient; with skip_dc it is coded in a block of DCs, and its level here is
 * 0. */
MB_FN int32_t quantise_block(mb_work *w, const h264i_quant *q, const uint8_t *src,
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
		add_levels(&w->sums, d, 16);
		w->sums.nonzero += (uint32_t)n;
		w->sums.coded_blocks++;
	}
	return dc;
}

/* Adds the n levels of a block of DCs to the sums of the bound. Returns 1 if any of them is not
 * 0. */
MB_FN int count_dc(mb_work *w, const int32_t *d, int n)
{
	uint32_t nz = 0;

	add_levels(&w->sums, d, n);
	for (int i = 0; i < n; i++)
		nz += d[i] != 0;
	w->sums.nonzero += nz;
	w->sums.coded_blocks += nz != 0;
	return nz != 0;
}

/* Adds the decoded residual to the prediction. `dc` replaces the DC coefficient if has_dc is 1: it
 * was coded in a block of DCs and is dequantised already. */
MB_FN void reconstruct(mb_work *w, const h264i_quant *q, const int16_t level[16], int total,
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
	w->sums.peak = r_peak > w->sums.peak ? r_peak : w->sums.peak;
	for (int i = 0; i < 16; i++)
		rec[i] = h264i_clip_u8(pred[i] + r[i]);
}

#endif
