#include "h264intra/transform/quant.h"

#include "h264intra/core/qp.h"

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
 * needs 0.5 % more bits, 1.6 0.2 % more. */
static const int32_t lambda16[52] = { 5, 5, 6, 7, 7, 8, 9, 10, 12, 13, 15, 16, 18, 21, 23, 26, 29,
	33, 37, 41, 46, 52, 58, 66, 74, 83, 93, 104, 117, 131, 147, 165, 185, 208, 234, 262, 294,
	330, 371, 416, 467, 525, 589, 661, 742, 833, 935, 1049, 1178, 1322, 1484, 1665 };

static void quant_init(h264i_quant *q, int qp)
{
	q->shift = qp / 6;
	q->qbits = 15 + q->shift;
	for (int k = 0; k < 3; k++) {
		int32_t den = norm[qp % 6][k] * gain[k];

		q->mf[k] = ((1 << 21) + den / 2) / den; /* 13107, 5243, 8066, ... */
		q->v[k] = norm[qp % 6][k] << q->shift;
	}
	/* 3/8. The usual 1/3 needs 0.5 % more bits at the same PSNR, 0.3 1.3 % more. */
	q->bias = 3 << (q->qbits - 3);
}

static void quant8_init(h264i_quant8 *q, int qp)
{
	q->qbits = 20 + qp / 6;
	for (int k = 0; k < 6; k++) {
		int64_t den = (int64_t)norm8[qp % 6][k] * scale8[k].den;

		q->mf[k] = (int32_t)((((int64_t)scale8[k].num << 20) + den / 2) / den);
		q->v[k] = norm8[qp % 6][k] << qp / 6;
	}
	q->bias = 3 << (q->qbits - 3);
}

void h264i_i_qparams_init(h264i_qparams *q, int qp, uint32_t disable_modes)
{
	q->qp = qp;
	q->lambda = lambda16[qp];
	q->disable = disable_modes;
	q->pcm_margin = 0;
	q->transform8x8 = 0;
	quant_init(&q->luma, qp);
	quant_init(&q->chroma, h264i_chroma_qp(qp));
	quant8_init(&q->luma8, qp);
}
