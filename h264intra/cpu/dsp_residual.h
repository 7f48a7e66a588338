/* Residual coding in scalar C: text of the tables of cpu/dsp.h. */
#ifndef H264INTRA_CPU_DSP_RESIDUAL_H
#define H264INTRA_CPU_DSP_RESIDUAL_H

#include "h264intra/cpu/dsp.h"
#include "h264intra/decide/rdoq.h"
#include "h264intra/transform/dct8x8.h"
#include "h264intra/transform/quant8x8.h"

#include <string.h>

static const uint8_t zigzag[16] = H264I_ZIGZAG_INIT;
static const uint8_t zigzag8[64] = H264I_ZIGZAG8_INIT;

static int quantise4(const h264i_px src[16], const h264i_px pred[16], const h264i_quant *q,
	int dc_apart, int16_t level[16], int32_t *dc)
{
	int32_t d[16];
	int n = 0;

	for (int i = 0; i < 16; i++)
		d[i] = src[i] - pred[i];
	h264i_fdct4x4(d);
	*dc = d[0];
	if (dc_apart)
		d[0] = 0;
	for (int i = 0; i < 16; i++) {
		int z = zigzag[i];

		level[i] = (int16_t)h264i_quantise(d[z], q->mul[z], q->bias, q->qbits);
		n += level[i] != 0;
	}
	return n;
}

static int reconstruct4(const int16_t level[16], const h264i_quant *q, int dc_apart, int32_t dc,
	const h264i_px pred[16], h264i_px rec[16])
{
	int32_t r[16], peak;

	for (int i = 0; i < 16; i++) {
		int z = zigzag[i];

		r[z] = h264i_dequant(level[i], q->step[z]);
	}
	if (dc_apart)
		r[0] = dc;
	peak = h264i_idct4x4(r);
	for (int i = 0; i < 16; i++)
		rec[i] = h264i_clip_px(pred[i] + r[i]);
	return peak > H264I_IDCT_PEAK;
}

static int code4(const h264i_px src[16], const h264i_px pred[16], const h264i_quant *q,
	int16_t level[16], h264i_px rec[16], int *exceeds)
{
	int32_t dc;
	int total = quantise4(src, pred, q, 0, level, &dc);

	*exceeds |= reconstruct4(level, q, 0, 0, pred, rec);
	return total;
}

static int quantise8(
	const h264i_px src[64], const h264i_px pred[64], const h264i_quant8 *q, int16_t level[64])
{
	int32_t d[64];
	int n = 0;

	for (int i = 0; i < 64; i++)
		d[i] = src[i] - pred[i];
	h264i_fdct8x8(d);
	for (int i = 0; i < 64; i++) {
		int z = zigzag8[i];

		level[i] = (int16_t)h264i_quantise8(d[z], z, q);
		n += level[i] != 0;
	}
	return n;
}

static int reconstruct8(
	const int16_t level[64], const h264i_quant8 *q, const h264i_px pred[64], h264i_px rec[64])
{
	int32_t r[64], peak;

	for (int i = 0; i < 64; i++) {
		int z = zigzag8[i];

		r[z] = h264i_dequant8(level[i], q->step[z]);
	}
	peak = h264i_idct8x8(r);
	for (int i = 0; i < 64; i++)
		rec[i] = h264i_clip_px(pred[i] + r[i]);
	return peak > H264I_IDCT_PEAK;
}

static void divide8(const int16_t level[64], int16_t part[4][16], uint8_t total[4])
{
	memset(total, 0, 4);
	for (int i = 0; i < 64; i++) {
		part[i & 3][i >> 2] = level[i];
		total[i & 3] += level[i] != 0;
	}
}

static inline int32_t real_of(int32_t c, int32_t mf, int32_t qbits)
{
	int32_t a = (int32_t)h264i_real_level((uint32_t)(c < 0 ? -c : c), mf, qbits);

	return c < 0 ? -a : a;
}

static void real4(const h264i_px src[16], const h264i_px pred[16], const h264i_quant *q,
	int32_t real[16], int32_t *dc)
{
	int32_t d[16];

	for (int i = 0; i < 16; i++)
		d[i] = src[i] - pred[i];
	h264i_fdct4x4(d);
	*dc = d[0];
	for (int i = 0; i < 16; i++) {
		int z = zigzag[i];

		real[i] = real_of(d[z], q->mul[z], q->qbits);
	}
}

static void real8(
	const h264i_px src[64], const h264i_px pred[64], const h264i_quant8 *q, int32_t real[64])
{
	int32_t d[64];

	for (int i = 0; i < 64; i++)
		d[i] = src[i] - pred[i];
	h264i_fdct8x8(d);
	for (int i = 0; i < 64; i++) {
		int z = zigzag8[i];

		real[i] = real_of(d[z], q->mul[z], q->qbits);
	}
}

static int choose(const h264i_scan_rates *r, const int32_t real[], const uint16_t flag[2],
	int32_t weight, int passes, int16_t out[], uint32_t *rate)
{
	const h264i_block_rates *b = &r->block;
	int n = b->coefficients, first = n == 15, level[64], count = 0;
	uint32_t a[64];

	memset(out, 0, (size_t)(n < 16 ? 16 : n) * sizeof(*out));
	real += first;
	out += first;
	for (int i = 0; i < n; i++) {
		a[i] = (uint32_t)(real[i] < 0 ? -real[i] : real[i]);
		level[i] = h264i_plain_level(a[i]);
	}
	for (int pass = 0; pass < passes; pass++)
		h264i_quantise_pass(b, a, level, flag, weight);
	for (int i = 0; i < n; i++) {
		out[i] = (int16_t)(real[i] < 0 ? -level[i] : level[i]);
		count += level[i] != 0;
	}
	*rate = count ? flag[1] + h264i_rate_block(b, level) : flag[0];
	return count;
}

static int choose_cavlc(const h264i_cavlc_kind *k, const int32_t real[16], int32_t weight,
	int passes, int16_t out[16], uint32_t *rate)
{
	h264i_cavlc_levels b;
	uint32_t a[16];

	for (int i = 0; i < 16; i++)
		a[i] = (uint32_t)(real[i] < 0 ? -real[i] : real[i]);
	h264i_cavlc_quantise(k, a, &b, weight, passes);
	for (int i = 0; i < 16; i++)
		out[i] = (int16_t)(real[i] < 0 ? -b.level[i] : b.level[i]);
	*rate = H264I_CAVLC_BIT * b.bits;
	return (int)lsched_popcount(b.any);
}

static uint32_t squared_error(const h264i_px *a, const h264i_px *b, int n)
{
	uint32_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += (uint32_t)((a[i] - b[i]) * (a[i] - b[i]));
	return sum;
}

static void detail(const h264i_px *src, size_t pitch, int has_left, int has_up,
	uint32_t count[4][H264I_DETAIL_COUNTS])
{
	for (uint32_t n = 0; n < H264I_DETAIL_BLOCKS; n++) {
		uint32_t x = h264i_detail_x(n);
		int r[16];

		h264i_detail_residual(
			r, src + 4 * n * pitch + x, (uint32_t)pitch, has_left || x, has_up || n);
		for (int i = 0; i < 4; i++)
			h264i_detail_core(r + 4 * i, 1);
		for (int i = 0; i < 4; i++)
			h264i_detail_core(r + i, 4);
		for (int k = 0; k < 16; k++) {
			uint32_t c = (uint32_t)(r[k] < 0 ? -r[k] : r[k]);

			count[0][h264i_detail_qps(c, h264i_pos_class(k & 3, k >> 2))]++;
		}
	}
}

static void sum_levels(const int16_t *level, int blocks, h264i_level_sums *s)
{
	for (; blocks; blocks--, level += 16) {
		uint32_t nonzero = 0;

		for (int i = 0; i < 16; i++) {
			uint32_t a = (uint32_t)(level[i] < 0 ? -level[i] : level[i]);

			s->abs_sum += a;
			s->abs_max = a > s->abs_max ? a : s->abs_max;
			nonzero += a != 0;
		}
		s->nonzero += nonzero;
		s->coded_blocks += nonzero != 0;
	}
}

#endif
