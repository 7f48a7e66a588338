/* Charts as SVG: lines and grouped bars over one or two axes, alone or as a grid of small multiples,
 * like the figures of Tzeng, Patney, Owens 2010 (6: bars of work with a line of idle time; 7 and 8:
 * curves) and Tzeng, Lloyd, Owens 2012 (4: curves).
 *
 * The picture is one <svg> element without XML declaration, ids or scripts, so that it is a file of its
 * own and may also stand in HTML, many to a page. It brings its light background with it. Nothing
 * depends on colour alone: series differ by marker and, from the ninth on, by dashes.
 *
 *	const double workers[] = { 1, 2, 4, 8 }, ring[] = { 9e6, 12e6, 14e6, 14e6 };
 *	const chart_series s[] = { { .name = "ring", .x = workers, .y = ring, .count = 4 } };
 *	const chart c = { .title = "Empty tasks", .x = { .label = "workers", .scale = CHART_LOG2 },
 *		.y = { .label = "tasks/s" }, .series = s, .series_count = 1 };
 *	chart_write(&c, write, opaque);
 */
#ifndef APPS_COMMON_CHART_H
#define APPS_COMMON_CHART_H

#include <stddef.h>
#include <stdint.h>
#include "apps/common/xml.h"

typedef enum chart_scale { CHART_LINEAR, CHART_LOG10, CHART_LOG2 } chart_scale;

typedef struct chart_axis {
	const char *label; /* with its unit, "idle time (ms)"; NULL: none */
	chart_scale scale;
	double min, max; /* min == max: from the data; linear y axes then begin at 0 if they can */
	int reversed;    /* the largest value comes first */
	const double *ticks; /* where the marks stand; NULL: at round values */
	size_t tick_count;
} chart_axis;

typedef enum chart_mark { CHART_LINE, CHART_BAR } chart_mark;

/* One row of values. A NaN, an infinite value (beyond 1e150), and zero or less on a log axis is
 * not measured: a gap in a line, no bar. */
typedef struct chart_series {
	const char *name;
	const double *x; /* NULL: 0, 1, 2, ...; with categories: the number of the category */
	const double *y;
	size_t count;
	chart_mark mark;
	int right;      /* belongs to the right axis */
	int no_markers; /* a line without markers, for many points */
	int dashed;     /* a reference, such as a figure of a peer or a paper */
	int muted;      /* grey, behind the others: bars under a line */
} chart_series;

typedef struct chart {
	const char *title;    /* NULL: none */
	const char *subtitle; /* device, parameters; NULL: none */
	const char *note;     /* under the picture; NULL: none */
	chart_axis x, y, right;
	const char *const *categories; /* names along x instead of numbers; NULL: numbers */
	size_t category_count;
	const chart_series *series;
	size_t series_count;
	int end_labels; /* names stand at the ends of the lines instead of in a legend above; not if there
		     * is a right axis */
	int value_labels;       /* the value stands above each bar, where there is room */
	uint32_t width, height; /* px; 0: 720 x 420 */
} chart;

/* 0; -1 without memory, when `write` refused, or when there is nothing to draw at all (no series). A
 * chart whose series hold no finite value is drawn empty and says so. */
int chart_write(const chart *c, xml_write_fn write, void *opaque);

/* Several charts in one picture, `columns` side by side, each width x height of the first, under a
 * common title and above a common note (each may be NULL). */
int chart_write_grid(const chart *charts, size_t count, size_t columns, const char *title,
	const char *note, xml_write_fn write, void *opaque);
#endif
