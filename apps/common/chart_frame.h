/* The frame of a chart: axes, names of categories, legend. */
#ifndef APPS_COMMON_CHART_FRAME_H
#define APPS_COMMON_CHART_FRAME_H

#include "apps/common/chart_marks.h"

enum {
	CHART_TEXT_PX = 12, /* small type */
	CHART_LINE_PX = 16, /* distance of its baselines */
	CHART_TICK_PX = 5   /* length of a tick */
};

#define CHART_DIM_COLOUR "#5a5a5a"

/* Returns 1 if a series uses the right axis. */
int chart_uses_right(const chart *c);

/* Return the width of an axis with ticks, numbers and label, and of the names at the ends of
 * lines. */
double chart_axis_px(const chart_mapping *r, const chart_axis *axis);
double chart_end_labels_px(const chart *c);

/* Decides whether the names of categories are slanted. Returns the height that they add below the
 * plot. */
double chart_fit_categories(const chart *c, chart_plot *p);

/* Writes an axis; label_y: baseline of the label. */
void chart_put_x_axis(xml_out *x, const chart *c, const chart_plot *p, double label_y);
void chart_put_y_axis(xml_out *x, const chart *c, const chart_plot *p, int right);

/* Writes rows of swatches and names from the baseline y on. Returns the number of rows. */
size_t chart_put_legend(xml_out *x, const chart *c, double left, double right, double y);
#endif
