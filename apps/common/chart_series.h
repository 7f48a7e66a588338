/* Colours, positions and tooltips of a chart's series, for chart_bars.c and chart_lines.c. */
#ifndef APPS_COMMON_CHART_SERIES_H
#define APPS_COMMON_CHART_SERIES_H

#include "apps/common/chart_marks.h"

/* Series differ by colour, marker and dashes. These are equal for numbers that differ by a multiple
 * of CHART_COLOURS; dashes differ then. */
enum { CHART_COLOURS = 8 };

/* Returns the number of a series among those that are not muted. */
size_t chart_colour_number(const chart *c, size_t series);

/* Return the colour of a series, and an attribute for its dashes, which may be "". */
const char *chart_colour(const chart *c, size_t series);
const char *chart_dashes(const chart *c, size_t series);

/* Returns the x value of a point. */
double chart_x_value(const chart_series *s, size_t i);

/* Returns the mapping of the series' y axis. */
const chart_mapping *chart_y_mapping(const chart_plot *p, const chart_series *s);

/* Returns 1 if both values of a point are in the domains of their axes, else 0: the point is not
 * drawn. */
int chart_is_drawn(const chart_plot *p, const chart_series *s, size_t i);

/* Limits a coordinate. Far outside of the plot only the direction of a line matters. */
double chart_limit_px(double px);

/* Return the limited coordinates of a point that is drawn. */
double chart_px_x(const chart_plot *p, const chart_series *s, size_t i);
double chart_px_y(const chart_plot *p, const chart_series *s, size_t i);

/* Writes the tooltip of a point: the name of its series, its category or x value, its y value. */
void chart_put_tooltip(xml_out *o, const chart *c, const chart_series *s, double x, double y);
#endif
