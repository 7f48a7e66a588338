/* Lines, bars, markers and names of a chart's series, inside the plot that chart.c laid out. */
#ifndef APPS_COMMON_CHART_MARKS_H
#define APPS_COMMON_CHART_MARKS_H

#include "apps/common/chart_scale.h"

typedef struct chart_plot {
	double left, right, top, bottom; /* px */
	chart_mapping x, y, y2;
	int bars;         /* there are some */
	int slanted;      /* names of categories */
	double slot_px;   /* px that the bars of one place share */
	size_t bar_group; /* neighbours drawn as one bar, their mean; 1: each its own */
} chart_plot;

/* Width of a text, estimated (chart.c). */
double chart_text_px(const char *text, double size);

/* Lines are named at their ends (chart.c). */
int chart_has_end_labels(const chart *c);

/* Sets p->bar_group so that a bar can be seen; note says so if it is not 1, else it is "". */
void chart_group_bars(const chart *c, chart_plot *p, char *note, size_t note_bytes);

/* The mark of a series in the legend, `width` px wide, centred on y. */
void chart_put_swatch(
	xml_out *x, const chart *c, size_t series, double left, double y, double width);

void chart_put_marks(xml_out *x, const chart *c, const chart_plot *p);
#endif
