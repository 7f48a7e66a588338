/* From values to pixels: the range of an axis, its marks, its mapping. */
#ifndef APPS_COMMON_CHART_SCALE_H
#define APPS_COMMON_CHART_SCALE_H

#include "apps/common/chart.h"

enum { CHART_TICKS_MAX = 32 };

typedef struct chart_mapping {
	chart_scale kind;
	double min, max;       /* min < max; on log scales 0 < min */
	double from_px, to_px; /* where min and max stand */
	double ticks[CHART_TICKS_MAX];
	size_t tick_count;
} chart_mapping;

/* 1: the value has a place on such an axis. */
int chart_in_domain(chart_scale kind, double value);

/* The range of lo .. hi (lo > hi: no values at all) and its marks, at least tick_px apart over room_px.
 * `round` widens the range to the next marks; `from_zero` takes 0 in on a linear scale. */
void chart_mapping_fit(chart_mapping *r, const chart_axis *axis, double lo, double hi, int round,
	int from_zero, double room_px, double tick_px);

/* The pixel of a value that has a place; values beyond the ends lie beyond the pixels. */
double chart_px(const chart_mapping *r, double value);
#endif
