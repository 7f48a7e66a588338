/* The ratio of two sums and its standard error. */
#ifndef NQUEENS_RUN_RATIO_H
#define NQUEENS_RUN_RATIO_H

#include <math.h>

/* Sums over pairs (t, w), of which sum of t / sum of w is wanted. */
typedef struct nq_i_ratio {
	double n, t, w, tt, tw, ww;
} nq_i_ratio;

static inline void nq_i_ratio_add(nq_i_ratio *r, double t, double w)
{
	r->n++;
	r->t += t;
	r->w += w;
	r->tt += t * t;
	r->tw += t * w;
	r->ww += w * w;
}

/* The standard error by the deviations t - ratio * w of the pairs (ratio estimator: Cochran,
 * Sampling Techniques, chapter 6); 0: fewer than two pairs. */
static inline double nq_i_ratio_error(const nq_i_ratio *r)
{
	const double q = r->t / r->w, squares = r->tt - 2 * q * r->tw + q * q * r->ww;

	return r->n > 1 && squares > 0 ? sqrt(squares * r->n / (r->n - 1)) / r->w : 0;
}

#endif
