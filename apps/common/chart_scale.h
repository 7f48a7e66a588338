/* Axes: the range of values, the ticks, and the mapping of values to pixels. */
#ifndef APPS_COMMON_CHART_SCALE_H
#define APPS_COMMON_CHART_SCALE_H

#include "apps/common/chart.h"

enum { CHART_TICKS_MAX = 32 };

typedef struct chart_mapping {
	chart_scale kind;
	double min, max;       /* min < max; on log scales 0 < min */
	double from_px, to_px; /* positions of min and max */
	double ticks[CHART_TICKS_MAX];
	size_t tick_count;
} chart_mapping;

/* Returns 1 if an axis with this scale can show the value. */
int chart_in_domain(chart_scale kind, double value);

/* Sets range and ticks for values in lo..hi (lo > hi: no values). Ticks are at least tick_px apart
 * in width_px. `round` extends the range to the next ticks; `from_zero` includes 0 on a linear
 * scale. */
void chart_mapping_fit(chart_mapping *r, const chart_axis *axis, double lo, double hi, int round,
	int from_zero, double width_px, double tick_px);

/* Returns the position of a value in the domain; values outside of min..max are outside of the
 * plot. */
double chart_px(const chart_mapping *r, double value);
#endif
