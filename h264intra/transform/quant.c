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

void h264i_i_qparams_init(h264i_qparams *q, int qp, uint32_t disable_modes)
{
	q->qp = qp;
	q->lambda = lambda16[qp];
	q->disable = disable_modes;
	q->pcm_margin = 0;
	quant_init(&q->luma, qp);
	quant_init(&q->chroma, h264i_chroma_qp(qp));
}
