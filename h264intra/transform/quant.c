#include "h264intra/transform/quant.h"

#include "h264intra/core/qp.h"
#include "h264intra/transform/dct8x8.h"
#include "h264intra/transform/quant8x8.h"

#include <string.h>

/* normAdjust4x4 (clause 8.5.9, equation 8-315) by qp % 6 and position class. */
static const int32_t norm[6][3] = {
	{ 10, 16, 13 },
	{ 11, 18, 14 },
	{ 13, 20, 16 },
	{ 14, 23, 18 },
	{ 16, 25, 20 },
	{ 18, 29, 23 },
};

/* Gain of the forward core transform beyond norm, times 4. */
static const int32_t gain[3] = { 16, 25, 20 };

/* normAdjust8x8 (equation 8-318) by qp % 6 and position class. */
static const int32_t norm8[6][6] = {
	{ 20, 18, 32, 19, 25, 24 },
	{ 22, 19, 35, 21, 28, 26 },
	{ 26, 23, 42, 24, 33, 31 },
	{ 28, 25, 45, 26, 35, 33 },
	{ 32, 28, 51, 30, 40, 38 },
	{ 36, 32, 58, 34, 46, 43 },
};

/* A level is 256 * coefficient / (gain * norm << qp/6). The gain of a row of h264i_fdct8() is the
 * sum of its squares over its scale: 8 / 1, 20 / 2 or 578 / 8; that of a position is the product of
 * those of its row and column. 256 / gain by class: */
static const struct {
	int32_t num, den;
} scale8[6] = {
	{ 4, 1 },        /* 8 * 8 */
	{ 4096, 83521 }, /* 289/4 * 289/4 */
	{ 64, 25 },      /* 10 * 10 */
	{ 128, 289 },    /* 8 * 289/4 */
	{ 16, 5 },       /* 8 * 10 */
	{ 512, 1445 },   /* 10 * 289/4 */
};

/* Lambda of SATD in 1/16: 16 * 1.15 * 2^((qp - 12) / 6). The factor, the rounding offset below and
 * H264I_I4_BASE_BITS are the best of a sweep with bench/bdrate.py over seven clips: a factor of 0.7
 * needs 0.5 % more bits, 1.6 0.2 % more. The last 12 are for 10 bits. */
static const int32_t lambda16[64] = { 5, 5, 6, 7, 7, 8, 9, 10, 12, 13, 15, 16, 18, 21, 23, 26, 29,
	33, 37, 41, 46, 52, 58, 66, 74, 83, 93, 104, 117, 131, 147, 165, 185, 208, 234, 262, 294,
	330, 371, 416, 467, 525, 589, 661, 742, 833, 935, 1049, 1178, 1322, 1484, 1665, 1869, 2098,
	2355, 2644, 2967, 3331, 3739, 4196, 4710, 5287, 5935, 6662 };

/* By how many bits multipliers are shortened for the smallest of these weights. */
static int lost_bits(const uint8_t *weight, int n)
{
	int least = H264I_WEIGHT_FLAT, bits = 0;

	for (int k = 0; k < n; k++)
		least = weight[k] < least ? weight[k] : least;
	while (least << bits < H264I_WEIGHT_FLAT)
		bits++;
	return bits;
}

/* num / den to the nearest. */
static int32_t quotient(int64_t num, int64_t den)
{
	return (int32_t)((num + den / 2) / den);
}

static void quant_init(h264i_quant *q, int qp, const uint8_t weight[16])
{
	int lost = lost_bits(weight, 16);

	q->shift = qp / 6;
	q->qbits = 15 + q->shift - lost;
	for (int k = 0; k < 3; k++) {
		q->mf[k] =
			quotient(1 << 21, norm[qp % 6][k] * gain[k]); /* 13107, 5243, 8066, ... */
		q->v[k] = norm[qp % 6][k] << q->shift;
	}
	for (int k = 0; k < 16; k++) {
		int class = h264i_pos_class(k >> 2, k & 3);

		q->mul[k] = quotient((int64_t)1 << (25 - lost),
			(int64_t)norm[qp % 6][class] * gain[class] * weight[k]);
		q->step[k] = weight[k] * q->v[class];
	}
	/* 3/8. The usual 1/3 needs 0.5 % more bits at the same PSNR, 0.3 1.3 % more. */
	q->bias = 3 << (q->qbits - 3);
}

static void quant8_init(h264i_quant8 *q, int qp, const uint8_t weight[64])
{
	int lost = lost_bits(weight, 64);

	q->qbits = H264I_QUANT8_BITS + qp / 6 - lost;
	for (int k = 0; k < 6; k++) {
		q->mf[k] = quotient((int64_t)scale8[k].num << H264I_QUANT8_BITS,
			(int64_t)norm8[qp % 6][k] * scale8[k].den);
		q->v[k] = norm8[qp % 6][k] << qp / 6;
	}
	for (int k = 0; k < 64; k++) {
		int class = h264i_pos_class8(k >> 3, k & 7);

		q->mul[k] = quotient((int64_t)scale8[class].num << (H264I_QUANT8_BITS + 4 - lost),
			(int64_t)norm8[qp % 6][class] * scale8[class].den * weight[k]);
		q->step[k] = weight[k] * q->v[class];
	}
	q->bias = 3 << (q->qbits - 3);
}

void h264i_i_qparams_init(h264i_qparams *q, int qp, uint32_t disable_modes)
{
	q->qp = qp;
	q->lambda = lambda16[qp];
	q->disable = disable_modes;
	q->pcm_margin = 0;
	q->syntax = 0;
	h264i_i_qparams_set(q, NULL, NULL);
}

void h264i_i_qparams_set(h264i_qparams *q, const h264i_weights *w, const int chroma_qp_offset[2])
{
	h264i_weights flat;

	memset(&flat, H264I_WEIGHT_FLAT, sizeof(flat));
	w = w ? w : &flat;
	quant_init(&q->luma, q->qp, w->luma4);
	for (int c = 0; c < 2; c++)
		quant_init(&q->chroma[c],
			h264i_chroma_qp(q->qp, chroma_qp_offset ? chroma_qp_offset[c] : 0),
			w->chroma4);
	q->cr = chroma_qp_offset && chroma_qp_offset[0] != chroma_qp_offset[1];
	quant8_init(&q->luma8, q->qp, w->luma8);
}

/* Default_4x4_Intra and Default_8x8_Intra, in scan order. */
static const uint8_t default4[16] = { 6, 13, 13, 20, 20, 20, 28, 28, 28, 28, 32, 32, 32, 37, 37,
	42 };
static const uint8_t default8[64] = { 6, 10, 10, 13, 11, 13, 16, 16, 16, 16, 18, 18, 18, 18, 18, 23,
	23, 23, 23, 23, 23, 25, 25, 25, 25, 25, 25, 25, 27, 27, 27, 27, 27, 27, 27, 27, 29, 29, 29,
	29, 29, 29, 29, 31, 31, 31, 31, 31, 31, 33, 33, 33, 33, 33, 36, 36, 36, 36, 38, 38, 38, 40,
	40, 42 };

void h264i_i_weights_default(h264i_weights *w)
{
	static const uint8_t zigzag[16] = H264I_ZIGZAG_INIT, zigzag8[64] = H264I_ZIGZAG8_INIT;

	for (int k = 0; k < 16; k++)
		w->luma4[zigzag[k]] = w->chroma4[zigzag[k]] = default4[k];
	for (int k = 0; k < 64; k++)
		w->luma8[zigzag8[k]] = default8[k];
}
