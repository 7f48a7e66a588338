/* The series of a chart, inside the plot that chart.c has laid out. chart_bars.c and chart_lines.c
 * write the two kinds of marks. */
#ifndef APPS_COMMON_CHART_MARKS_H
#define APPS_COMMON_CHART_MARKS_H

#include "apps/common/chart_scale.h"

typedef struct chart_plot {
	double left, right, top, bottom; /* px */
	chart_mapping x, y, y2;
	int bars;          /* a series has bars */
	int slanted;       /* the names of categories are slanted */
	double slot_px;    /* width of a slot: the bars of one x value */
	size_t bar_group;  /* number of neighbouring points that a bar shows the mean of */
	char bar_note[96]; /* note on bar_group, "" if it is 1 */
} chart_plot;

/* Returns 1 if names are at the ends of lines; they are not if there is a right axis. */
int chart_has_end_labels(const chart *c);

/* Sets p->bar_group so that bars are wide enough to be visible, and p->bar_note. */
void chart_group_bars(const chart *c, chart_plot *p);

/* Writes all series. */
void chart_put_marks(xml_out *x, const chart *c, const chart_plot *p);

/* Writes the mark of a series for the legend, `width` px wide, centred on y. */
void chart_put_swatch(
	xml_out *x, const chart *c, size_t series, double left, double y, double width);

/* Write the bars of a series, which is number `nth` in its slots, and the values above them. The
 * values are separate, because they may be above the plot. */
void chart_put_bars(xml_out *o, const chart *c, const chart_plot *p, size_t series, size_t nth);
void chart_put_bar_values(
	xml_out *o, const chart *c, const chart_plot *p, size_t series, size_t nth);

/* Write the line and the markers of a series; the names at the ends of all lines. */
void chart_put_line(xml_out *o, const chart *c, const chart_plot *p, size_t series);
void chart_put_end_labels(xml_out *o, const chart *c, const chart_plot *p);

/* Writes a marker around (x, y) without the end of its start tag, so that the caller can add a
 * tooltip. */
void chart_open_marker(xml_out *o, const chart *c, size_t series, double x, double y);
#endif
