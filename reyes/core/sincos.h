/* Sine and cosine that give the same bits on both backends, which libm and CUDA do not. */
#ifndef REYES_CORE_SINCOS_H
#define REYES_CORE_SINCOS_H

#include <libsched/fn.h>

/* Writes sin x and cos x for |x| up to about 10^4; the error is below 2^-22. Reduces x by multiples
 * of pi / 2 in three parts (Cody and Waite), then evaluates Taylor polynomials. Their next terms
 * are below 2^-26 on [-pi/4, pi/4]. */
LSCHED_FN void reyes_i_sincos(float x, float *sine, float *cosine)
{
	const float scaled = x * 0.636619772f;
	const int quadrant = (int)(scaled < 0 ? scaled - 0.5f : scaled + 0.5f);
	const float k = (float)quadrant;
	const float r = ((x - k * 1.5703125f) - k * 4.837512969970703e-4f) - k * 7.549790126e-8f;
	const float q = r * r;
	const float s =
		r + r * q *
			    (-1.6666667e-1f +
				    q * (8.3333333e-3f + q * (-1.9841270e-4f + q * 2.7557319e-6f)));
	const float c = 1.0f - 0.5f * q +
			q * q * (4.1666667e-2f + q * (-1.3888889e-3f + q * 2.4801587e-5f));

	switch (quadrant & 3) {
	case 0:
		*sine = s;
		*cosine = c;
		break;
	case 1:
		*sine = c;
		*cosine = -s;
		break;
	case 2:
		*sine = -s;
		*cosine = -c;
		break;
	default:
		*sine = -c;
		*cosine = s;
		break;
	}
}

#endif
