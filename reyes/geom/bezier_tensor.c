/* Bezier points of the patches of a mesh, values of a patch. */
#include <math.h>
#include <string.h>
#include "reyes/geom/bezier_rows.h"

/* Both sums run over ascending control points, and weights of zero add nothing: neighbouring
 * patches form the points of a shared edge by the same additions. */
void reyes_i_tensor(const reyes_i_rows *u, size_t i, const reyes_i_rows *v, size_t j,
	const double *net, uint32_t channels, double *out)
{
	const reyes_i_segment *su = &u->list[i], *sv = &v->list[j];
	uint32_t a, b, pu, pv, c;

	memset(out, 0, (size_t)u->points * v->points * channels * sizeof(*out));
	for (b = 0; b < v->width; b++) {
		const double *line = net + (sv->first + b) % v->count * u->count * channels;

		for (pu = 0; pu < u->points; pu++) {
			for (c = 0; c < channels; c++) {
				double sum = 0;

				for (a = 0; a < u->width; a++)
					sum += su->weight[pu][a] *
					       line[(su->first + a) % u->count * channels + c];
				for (pv = 0; pv < v->points; pv++)
					out[((size_t)pv * u->points + pu) * channels + c] +=
						sv->weight[pv][b] * sum;
			}
		}
	}
}

/* Returns the sum of the weights of a Bezier point; the additions' rounding is removed. */
static double sum_of_weights(const reyes_i_rows *rows, size_t segment, uint32_t point)
{
	double sum = 0;
	uint32_t a;

	for (a = 0; a < rows->width; a++)
		sum += rows->list[segment].weight[point][a];
	return fabs(sum - 1) < 1e-6 ? 1 : sum;
}

void reyes_i_correct_origin(const reyes_i_lowering *l, const reyes_i_rows *u, size_t i,
	const reyes_i_rows *v, size_t j, double *out)
{
	uint32_t pu, pv, k, c;

	for (pv = 0; pv < v->points && l->dimension == 3; pv++)
		for (pu = 0; pu < u->points; pu++) {
			const double missing =
				1 - sum_of_weights(u, i, pu) * sum_of_weights(v, j, pv);
			double *point = out + ((size_t)pv * u->points + pu) * l->channels;

			for (k = 0; k < l->key_count && missing != 0; k++)
				for (c = 0; c < 3; c++)
					point[3 * k + c] += missing * l->matrix[k][12 + c];
		}
}

/* Writes the value of a Bezier curve by its Bernstein polynomials; n is at most
 * REYES_I_ORDER_MAX. */
static void bernstein(uint32_t n, double t, double b[REYES_I_ORDER_MAX])
{
	uint32_t i, k;

	b[0] = 1;
	for (k = 1; k < n; k++) {
		b[k] = t * b[k - 1];
		for (i = k - 1; i > 0; i--)
			b[i] = (1 - t) * b[i] + t * b[i - 1];
		b[0] *= 1 - t;
	}
}

void reyes_i_bezier_value(const double *points, uint32_t nu, uint32_t nv, uint32_t channels,
	double u, double v, double *out)
{
	double bu[REYES_I_ORDER_MAX], bv[REYES_I_ORDER_MAX];
	uint32_t i, j, c;

	bernstein(nu, u, bu);
	bernstein(nv, v, bv);
	for (c = 0; c < channels; c++)
		out[c] = 0;
	for (j = 0; j < nv; j++)
		for (i = 0; i < nu; i++)
			for (c = 0; c < channels; c++)
				out[c] +=
					bu[i] * bv[j] * points[((size_t)j * nu + i) * channels + c];
}

/* Solves for the inner Bezier points of the cubic through 4 values at 0, 1/4, 3/4, 1. */
static void fit_cubic(double *f0, double *f1, double *f2, double *f3)
{
	double g1 = 64 * *f1 - 27 * *f0 - *f3, g2 = 64 * *f2 - *f0 - 27 * *f3;

	*f1 = (3 * g1 - g2) / 72;
	*f2 = (3 * g2 - g1) / 72;
}

void reyes_i_fit_bicubic(double *values, uint32_t channels)
{
	const size_t n = channels;
	size_t i, c;

	for (c = 0; c < n; c++) {
		double *v = values + c;

		for (i = 0; i < 4; i++, v += 4 * n)
			fit_cubic(v, v + n, v + 2 * n, v + 3 * n);
		for (i = 0, v = values + c; i < 4; i++, v += n)
			fit_cubic(v, v + 4 * n, v + 8 * n, v + 12 * n);
	}
}
