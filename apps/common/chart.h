/* Charts as SVG: lines and grouped bars over one or two y axes, single or as a grid of charts, as
 * in the figures of Tzeng, Patney, Owens 2010 (6: bars of work with a line of idle time; 7 and 8:
 * curves) and Tzeng, Lloyd, Owens 2012 (4: curves).
 *
 * The picture is one <svg> element without XML declaration, ids or scripts, so that it can be a
 * file or a part of an HTML page with several pictures. It has its own light background. Series
 * differ in colour and in marker, from the ninth on also in dashes.
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
	double min, max;     /* min == max: from the data; a linear y axis then includes 0 */
	int reversed;        /* the largest value is first */
	const double *ticks; /* positions of ticks; NULL: round values */
	size_t tick_count;
} chart_axis;

typedef enum chart_mark { CHART_LINE, CHART_BAR } chart_mark;

/* A series of values. NaN, values beyond 1e150, and values <= 0 on a logarithmic axis are missing:
 * a gap in a line, no bar. */
typedef struct chart_series {
	const char *name;
	const double *x; /* NULL: 0, 1, 2, ...; with categories: their index */
	const double *y;
	size_t count;
	chart_mark mark;
	int right;      /* uses the right axis */
	int no_markers; /* a line without markers, for many points */
	int dashed;     /* a reference, such as a value from a paper */
	int muted;      /* grey, for bars behind a line */
} chart_series;

typedef struct chart {
	const char *title;    /* NULL: none */
	const char *subtitle; /* device, parameters; NULL: none */
	const char *note;     /* below the picture; NULL: none */
	chart_axis x, y, right;
	const char *const *categories; /* names along the x axis; NULL: numbers */
	size_t category_count;
	const chart_series *series;
	size_t series_count;
	/* Names at the ends of the lines instead of a legend; ignored with a right axis. */
	int end_labels;
	int value_labels;       /* writes the value above each bar, if there is space */
	uint32_t width, height; /* px; 0: 720 x 420 */
} chart;

/* Writes a chart. Returns 0; -1 if there is no series or if `write` failed. A chart without a value
 * to draw has the text "nothing was measured". */
int chart_write(const chart *c, xml_write_fn write, void *opaque);

/* Writes several charts as one picture, `columns` side by side, each of the size of the first, with
 * a common title and note; these may be NULL. */
int chart_write_grid(const chart *charts, size_t count, size_t columns, const char *title,
	const char *note, xml_write_fn write, void *opaque);
#endif
