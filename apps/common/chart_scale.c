#include "apps/common/chart_scale.h"

#include <math.h>

/* Limit of values, so that differences and powers of values do not overflow. */
#define LARGEST 1e150

int chart_in_domain(chart_scale kind, double value)
{
	return fabs(value) <= LARGEST && (kind == CHART_LINEAR || value >= 1 / LARGEST);
}

static void add_tick(chart_mapping *r, double value)
{
	if (r->tick_count < CHART_TICKS_MAX)
		r->ticks[r->tick_count++] = value;
}

/* Returns the smallest 1, 2, 2.5 or 5 times a power of ten that is at least `least`. */
static double round_step(double least)
{
	static const double steps[] = { 1, 2, 2.5, 5, 10 };
	const double ten = pow(10, floor(log10(least)));
	size_t i = 0;

	while (i < 4 && steps[i] * ten < least * (1 - 1e-9))
		i++;
	return steps[i] * ten;
}

static void linear_ticks(chart_mapping *r, int round, double count)
{
	const double step = round_step((r->max - r->min) / count);

	if (round) {
		r->min = floor(r->min / step + 1e-9) * step;
		r->max = ceil(r->max / step - 1e-9) * step;
	}
	for (double k = ceil(r->min / step - 1e-9); k * step <= r->max + 1e-9 * step; k++) {
		if (r->tick_count == CHART_TICKS_MAX)
			break;
		add_tick(r, k * step + 0.0); /* + 0.0 changes -0 to 0 */
	}
}

/* Return the nearest 1, 2 or 5 times a power of ten that is at most, or at least, the value. */
static double round_down(double value)
{
	const double ten = pow(10, floor(log10(value) + 1e-9));

	return 5 * ten <= value * (1 + 1e-9)   ? 5 * ten
	       : 2 * ten <= value * (1 + 1e-9) ? 2 * ten
					       : ten;
}

static double round_up(double value)
{
	const double ten = pow(10, floor(log10(value) + 1e-9)), least = value * (1 - 1e-9);

	return ten >= least       ? ten
	       : 2 * ten >= least ? 2 * ten
	       : 5 * ten >= least ? 5 * ten
				  : 10 * ten;
}

/* Sets ticks at powers of the base, and at 2 and 5 times powers of ten if there is space. */
static void log_ticks(chart_mapping *r, int round, double count)
{
	static const double finer[] = { 1, 2, 5 };
	const double base = r->kind == CHART_LOG2 ? 2 : 10, one = log(base);
	const double first = floor(log(r->min) / one + 1e-9), last = ceil(log(r->max) / one - 1e-9);
	const size_t fine = base == 10 && 3 * log(r->max / r->min) / one <= count ? 3 : 1;
	double stride = ceil((last - first) / count);

	if (stride < 1)
		stride = 1;
	if (round) {
		r->min = fine == 3 ? round_down(r->min) : pow(base, first);
		r->max = fine == 3 ? round_up(r->max) : pow(base, last);
	}
	for (double k = first; k <= last; k += stride)
		for (size_t i = 0; i < fine; i++) {
			const double value = finer[i] * pow(base, k);

			if (value >= r->min * (1 - 1e-9) && value <= r->max * (1 + 1e-9))
				add_tick(r, value);
		}
}

void chart_mapping_fit(chart_mapping *r, const chart_axis *axis, double lo, double hi, int round,
	int from_zero, double width_px, double tick_px)
{
	const int given = axis->min < axis->max && chart_in_domain(axis->scale, axis->min) &&
			  chart_in_domain(axis->scale, axis->max);
	double count = floor(width_px / tick_px);

	r->kind = axis->scale;
	r->tick_count = 0;
	if (given) {
		lo = axis->min;
		hi = axis->max;
	} else if (lo > hi) {
		lo = r->kind == CHART_LINEAR ? 0 : 1;
		hi = r->kind == CHART_LINEAR ? 1 : 10;
	} else if (r->kind == CHART_LINEAR && from_zero) {
		lo = lo > 0 ? 0 : lo;
		hi = hi < 0 ? 0 : hi;
	}
	/* Extend the range of a single value, or of nearly equal values. */
	if (!(hi - lo > fmax(fabs(lo), fabs(hi)) * 1e-9 && hi - lo > 1 / LARGEST)) {
		const double value = hi;

		if (r->kind == CHART_LINEAR) {
			lo = value - (fabs(value) < 1 / LARGEST ? 0 : fabs(value) / 2);
			hi = value + (fabs(value) < 1 / LARGEST ? 1 : fabs(value) / 2);
		} else {
			lo = value / 2;
			hi = value * 2;
		}
	}
	r->min = lo;
	r->max = hi;
	if (count < 2)
		count = 2;
	if (count > CHART_TICKS_MAX - 2)
		count = CHART_TICKS_MAX - 2;
	if (axis->ticks) {
		for (size_t i = 0; i < axis->tick_count; i++)
			if (axis->ticks[i] >= lo && axis->ticks[i] <= hi)
				add_tick(r, axis->ticks[i]);
	} else if (r->kind == CHART_LINEAR) {
		linear_ticks(r, round && !given, count);
	} else {
		log_ticks(r, round && !given, count);
	}
}

double chart_px(const chart_mapping *r, double value)
{
	const double part = r->kind == CHART_LINEAR ? (value - r->min) / (r->max - r->min)
						    : log(value / r->min) / log(r->max / r->min);

	return r->from_px + part * (r->to_px - r->from_px);
}
