/* Conversion of splines to Bezier segments, one parametric direction at a time. */
#include <math.h>
#include <string.h>
#include "reyes/geom/bezier_rows.h"

/* Allocates segments with `tables` tables of weights; segment i has table i modulo their number. */
static int allocate(reyes_i_lowering *l, reyes_i_rows *rows, size_t segments, size_t tables)
{
	/* Four rows also for a lower order: reyes_i_elevate. */
	size_t points = rows->points > 4 ? rows->points : 4, i;
	double(*weight)[REYES_I_ORDER_MAX];

	weight = reyes_i_scratch(l, tables * points, sizeof(*weight));
	rows->list = reyes_i_scratch(l, segments, sizeof(*rows->list));
	rows->segments = segments;
	if (!weight || !rows->list)
		return 0;
	for (i = 0; i < segments; i++)
		rows->list[i].weight = weight + i % tables * points;
	return 1;
}

static void set_range(reyes_i_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->segments; i++) {
		reyes_i_segment *s = &rows->list[i];

		s->span = i;
		s->range[0] = (double)i / (double)rows->segments;
		s->range[1] = (double)(i + 1) / (double)rows->segments;
		s->inside[1] = 1;
	}
	rows->spans = rows->segments;
}

int reyes_i_linear_rows(reyes_i_lowering *l, size_t count, int periodic, reyes_i_rows *rows)
{
	size_t i;

	memset(rows, 0, sizeof(*rows));
	if (count < 2)
		return reyes_i_drop(l, "%zu points in a direction, at least 2 are needed", count);
	rows->count = count;
	rows->points = rows->width = 2;
	if (!allocate(l, rows, periodic ? count : count - 1, 1))
		return 0;
	rows->list[0].weight[0][0] = rows->list[0].weight[1][1] = 1;
	for (i = 0; i < rows->segments; i++)
		rows->list[i].first = i;
	set_range(rows);
	return 1;
}

/* Makes the first point of a segment equal to the last point of the segment before it, if it is
 * that up to rounding. The windows of both differ by `shift` control points. */
static void share(const double before[REYES_I_ORDER_MAX], double after[REYES_I_ORDER_MAX],
	size_t shift, uint32_t width, double tolerance)
{
	size_t a;

	if (shift >= width)
		return;
	for (a = 0; a < shift; a++)
		if (fabs(before[a]) > tolerance || fabs(after[width - 1 - a]) > tolerance)
			return;
	for (a = 0; a + shift < width; a++)
		if (fabs(before[a + shift] - after[a]) > tolerance)
			return;
	memset(after, 0, width * sizeof(*after));
	memcpy(after, before + shift, (width - shift) * sizeof(*after));
}

/* Writes the weights of the four Bezier points from those of the power basis. */
static void basis_weights(const float basis[4][4], uint32_t step, double w[][REYES_I_ORDER_MAX])
{
	int a;

	for (a = 0; a < 4; a++) {
		double c3 = basis[0][a], c2 = basis[1][a], c1 = basis[2][a], c0 = basis[3][a];

		w[0][a] = c0;
		w[1][a] = c0 + c1 / 3;
		w[2][a] = c0 + 2 * c1 / 3 + c2 / 3;
		w[3][a] = c0 + c1 + c2 + c3;
	}
	/* Rounding of the basis to float leaves weights such as 1e-8 instead of 0. */
	for (a = 0; a < 4; a++) {
		if (fabs(w[0][a]) < 1e-6)
			w[0][a] = 0;
		if (fabs(w[3][a]) < 1e-6)
			w[3][a] = 0;
	}
	share(w[3], w[0], step, 4, 1e-6);
}

int reyes_i_basis_rows(reyes_i_lowering *l, const char *what, size_t count, int periodic,
	const float basis[4][4], uint32_t step, reyes_i_rows *rows)
{
	size_t i, segments;
	int a, b;

	memset(rows, 0, sizeof(*rows));
	if (step < 1)
		return reyes_i_drop(
			l, "the step of the basis is 0 in %s, it must be positive", what);
	for (a = 0; a < 4; a++)
		for (b = 0; b < 4; b++)
			if (!(fabsf(basis[a][b]) <= (float)REYES_I_HUGE))
				return reyes_i_drop(l, "the basis has the value %g in %s",
					(double)basis[a][b], what);
	if (periodic ? count < step : count < 4)
		return reyes_i_drop(l, "%zu points in %s, at least %u are needed", count, what,
			periodic ? (unsigned)step : 4u);
	if ((periodic ? count : count - 4) % step != 0)
		reyes_i_defect(l, REYES_LEVEL_WARN,
			"%zu points in %s do not fit the step %u of the basis; the last ones are "
			"not used",
			count, what, (unsigned)step);
	segments = periodic ? count / step : (count - 4) / step + 1;
	rows->count = count;
	rows->points = rows->width = 4;
	if (!allocate(l, rows, segments, 1))
		return 0;
	basis_weights(basis, step, rows->list[0].weight);
	for (i = 0; i < segments; i++)
		rows->list[i].first = i * step;
	set_range(rows);
	return 1;
}

/* Writes the weights of one Bezier point of the segment [a, b] in the knot interval that begins at
 * knot i: the blossom with `ends` arguments b and the others a, by de Boor's algorithm. */
static void blossom(const float *knots, size_t i, uint32_t order, double a, double b, uint32_t ends,
	double out[REYES_I_ORDER_MAX])
{
	double d[REYES_I_ORDER_MAX][REYES_I_ORDER_MAX];
	uint32_t p = order - 1, r, k, c;

	memset(d, 0, sizeof(d));
	for (k = 0; k < order; k++)
		d[k][k] = 1;
	for (r = 1; r <= p; r++) {
		double t = r <= p - ends ? a : b;

		for (k = p; k >= r; k--) {
			double lo = knots[i - p + k], hi = knots[i + k + 1 - r];
			double alpha = (t - lo) / (hi - lo);

			for (c = 0; c < order; c++)
				d[k][c] = (1 - alpha) * d[k - 1][c] + alpha * d[k][c];
		}
	}
	memcpy(out, d[p], order * sizeof(*out));
}

static int check_knots(
	reyes_i_lowering *l, const char *what, size_t count, uint32_t order, const float *knots)
{
	size_t i;

	if (order < 2 || order > REYES_I_ORDER_MAX)
		return reyes_i_drop(
			l, "the order in %s is %u, 2 to 16 are possible", what, (unsigned)order);
	if (count < order)
		return reyes_i_drop(l, "%zu points in %s, the order %u needs at least %u", count,
			what, (unsigned)order, (unsigned)order);
	for (i = 0; i < count + order; i++) {
		if (!(fabsf(knots[i]) <= (float)REYES_I_HUGE))
			return reyes_i_drop(l, "knot %zu in %s is %g", i, what, (double)knots[i]);
		if (i && knots[i] < knots[i - 1])
			return reyes_i_drop(l,
				"knot %zu in %s is %g, less than the knot before it, %g", i, what,
				(double)knots[i], (double)knots[i - 1]);
	}
	if (!(knots[order - 1] < knots[count]))
		return reyes_i_drop(l, "the knots in %s span no interval", what);
	return 1;
}

/* Limits a domain to the knots' range; 0: it is empty. */
static int clamp_domain(
	reyes_i_lowering *l, const char *what, const float range[2], float *min, float *max)
{
	if (!(*min < *max))
		return reyes_i_drop(l, "%smin %g is not less than %smax %g", what, (double)*min,
			what, (double)*max);
	if (*min < range[0] || *max > range[1]) {
		reyes_i_defect(l, REYES_LEVEL_WARN,
			"the domain %g to %g in %s exceeds that of the knots, %g to %g",
			(double)*min, (double)*max, what, (double)range[0], (double)range[1]);
		*min = *min > range[0] ? *min : range[0];
		*max = *max < range[1] ? *max : range[1];
	}
	if (!(*min < *max))
		return reyes_i_drop(l, "the domain in %s is empty", what);
	return 1;
}

int reyes_i_knot_rows(reyes_i_lowering *l, const char *what, size_t count, uint32_t order,
	const float *knots, float min, float max, reyes_i_rows *rows)
{
	size_t i, n = 0;
	double length;

	memset(rows, 0, sizeof(*rows));
	if (!check_knots(l, what, count, order, knots))
		return 0;
	if (!clamp_domain(l, what, (float[2]){ knots[order - 1], knots[count] }, &min, &max))
		return 0;
	rows->count = count;
	rows->points = rows->width = order;
	if (!allocate(l, rows, count - order + 1, count - order + 1))
		return 0;
	length = (double)max - min;
	for (i = order - 1; i < count; i++) {
		double a = fmax(knots[i], min), b = fmin(knots[i + 1], max);
		double lo = knots[i], hi = knots[i + 1];
		reyes_i_segment *s = &rows->list[n];
		uint32_t j;

		if (!(a < b))
			continue;
		s->first = s->span = i + 1 - order;
		s->range[0] = (a - min) / length;
		s->range[1] = (b - min) / length;
		s->inside[0] = (a - lo) / (hi - lo);
		s->inside[1] = (b - lo) / (hi - lo);
		for (j = 0; j < order; j++)
			blossom(knots, i, order, a, b, j, s->weight[j]);
		if (n)
			share(s[-1].weight[order - 1], s->weight[0], s->first - s[-1].first, order,
				1e-9);
		n++;
	}
	rows->segments = n;
	rows->spans = count - order + 1;
	return 1;
}

void reyes_i_elevate(reyes_i_rows *rows)
{
	size_t i;
	uint32_t a;

	if (rows->points >= 4)
		return;
	for (i = 0; i < rows->segments; i++) {
		double(*w)[REYES_I_ORDER_MAX] = rows->list[i].weight;

		if (i && w == rows->list[i - 1].weight)
			continue;
		for (a = 0; a < rows->width; a++) {
			double p0 = w[0][a], p1 = w[1][a], p2 = w[2][a];

			if (rows->points == 2) {
				w[1][a] = (2 * p0 + p1) / 3;
				w[2][a] = (p0 + 2 * p1) / 3;
				w[3][a] = p1;
			} else {
				w[1][a] = (p0 + 2 * p1) / 3;
				w[2][a] = (2 * p1 + p2) / 3;
				w[3][a] = p2;
			}
		}
	}
	rows->points = 4;
}
