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

/* What the forward core transform multiplies a coefficient by beyond norm, times 4. */
static const int32_t gain[3] = { 16, 25, 20 };

/* Lambda of SATD in 1/16: 16 * 2^((qp - 12) / 6) * 0.85, rounded; the factor is the best of a sweep
 * over the clips of media/ (ARCHITECTURE.md, "Tuned constants"). */
static const int32_t lambda16[52] = { 
	4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13, 14, 16, 18, 20, 23, 25, 29, 32, 36, 41, 46, 52, 58, 65,
	73, 81, 91, 103, 115, 129, 145, 163, 183, 205, 230, 259, 290, 326, 366, 411, 461, 517, 580,
	652, 731, 821, 921, 1034, 1161, 1303
};

static void quant_init(h264i_quant *q, int qp)
{
	q->shift = qp / 6;
	q->qbits = 15 + q->shift;
	for (int k = 0; k < 3; k++) {
		int32_t den = norm[qp % 6][k] * gain[k];

		q->mf[k] = ((1 << 21) + den / 2) / den; /* 13107, 5243, 8066, ... */
		q->v[k] = norm[qp % 6][k] << q->shift;
	}
	q->bias = (1 << q->qbits) / 3;
}

void h264i_qparams_init(h264i_qparams *q, int qp, uint32_t disable_modes)
{
	q->qp = qp;
	q->lambda = lambda16[qp];
	q->disable = disable_modes;
	quant_init(&q->luma, qp);
	quant_init(&q->chroma, h264i_chroma_qp(qp));
}
