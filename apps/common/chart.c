/* The layout of a chart, and SVG documents with one or several charts. chart_frame.c writes axes
 * and legend, chart_marks.c the series. */
#include "apps/common/chart.h"

#include <math.h>
#include "apps/common/chart_frame.h"
#include "apps/common/chart_series.h"
#include "apps/common/chart_text.h"

enum {
	WIDTH = 720,
	HEIGHT = 420,
	EDGE = 12,    /* margin on all sides */
	TITLE_PX = 16 /* type size */
};

#define FONT       "system-ui,-apple-system,&quot;Segoe UI&quot;,Roboto,Helvetica,Arial,sans-serif"
#define INK_COLOUR "#222"
#define DIM_STYLE  "fill=\"" CHART_DIM_COLOUR "\""

/* ---- ranges of the axes ---- */

static void widen(double *lo, double *hi, double value)
{
	if (value < *lo)
		*lo = value;
	if (value > *hi)
		*hi = value;
}

static int in_plot(const chart *c, const chart_series *s, size_t i)
{
	return chart_in_domain(s->right ? c->right.scale : c->y.scale, s->y[i]) &&
	       chart_in_domain(c->categories ? CHART_LINEAR : c->x.scale, chart_x_value(s, i));
}

static void fit_y(const chart *c, chart_mapping *r, int right, double room)
{
	const chart_axis *axis = right ? &c->right : &c->y;
	double lo = INFINITY, hi = -INFINITY;

	for (size_t k = 0; k < c->series_count; k++) {
		const chart_series *s = &c->series[k];

		for (size_t i = 0; i < s->count && !s->right == !right; i++)
			if (in_plot(c, s, i))
				widen(&lo, &hi, s->y[i]);
	}
	if (c->value_labels && hi > 0 && axis->scale == CHART_LINEAR)
		hi *= 1.05; /* for the number above the highest bar */
	chart_mapping_fit(r, axis, lo, hi, 1, lo >= 0, room, 46);
}

/* Returns the smallest distance in x between two bars of a series: the width of their slot. */
static double bar_step(const chart *c)
{
	double step = INFINITY;

	for (size_t k = 0; k < c->series_count; k++) {
		const chart_series *s = &c->series[k];

		for (size_t i = 1; i < s->count && s->mark == CHART_BAR; i++)
			step = fmin(step, fabs(chart_x_value(s, i) - chart_x_value(s, i - 1)));
	}
	return step > 0 && isfinite(step) ? step : 1;
}

static int has_bars(const chart *c)
{
	for (size_t k = 0; k < c->series_count; k++)
		if (c->series[k].mark == CHART_BAR)
			return 1;
	return 0;
}

static void fit_x(const chart *c, chart_plot *p)
{
	const double room = p->right - p->left;
	double lo = INFINITY, hi = -INFINITY, half = 0;
	chart_axis axis = c->x;

	for (size_t k = 0; k < c->series_count; k++)
		for (size_t i = 0; i < c->series[k].count; i++)
			if (in_plot(c, &c->series[k], i))
				widen(&lo, &hi, chart_x_value(&c->series[k], i));
	if (c->categories) {
		axis = (chart_axis){ .min = -0.5, .max = (double)c->category_count - 0.5 };
	} else if (p->bars && axis.scale == CHART_LINEAR && lo <= hi) {
		half = bar_step(c) / 2;
		if (axis.min >=
			axis.max) { /* half a slot before the first bar and after the last one */
			axis.min = lo - half;
			axis.max = hi + half;
		}
	} else if (p->bars && lo <= hi && axis.min >= axis.max) {
		axis.min = lo / sqrt(2);
		axis.max = hi * sqrt(2);
	}
	chart_mapping_fit(&p->x, &axis, lo, hi, 0, 0, room, 56);
	if (c->categories)
		p->x.tick_count = 0;
	p->x.from_px = axis.reversed ? p->right : p->left;
	p->x.to_px = axis.reversed ? p->left : p->right;
	p->slot_px = 2 * half;
	if (c->categories)
		p->slot_px = 1;
	p->slot_px *= room / (p->x.max - p->x.min);
	if (axis.scale != CHART_LINEAR) /* the width from a value to its double */
		p->slot_px = room * log(2) / log(p->x.max / p->x.min);
}

/* ---- layout ---- */

/* Returns the height of the notes below the axis. */
static double notes_px(const chart *c, const chart_plot *p, double width)
{
	const size_t lines =
		chart_line_count(c->note, width - 2 * EDGE, CHART_TEXT_PX) + (p->bar_note[0] != 0);

	return (double)lines * CHART_LINE_PX + (c->note || p->bar_note[0] ? 4 : 0);
}

/* Sets the plot and its mappings; `top` is the end of the texts above the plot. The width of an
 * axis depends on its numbers, and these depend on the height of the plot, so that the height is
 * estimated first. */
static void lay_out(const chart *c, chart_plot *p, double width, double height, double top)
{
	const double names_px = chart_end_labels_px(c);
	const int right = chart_uses_right(c);
	double below = EDGE + CHART_TICK_PX + 16 + (c->x.label ? 18 : 0);

	p->bars = has_bars(c);
	p->top = top;
	p->bottom = height - below - 60;
	fit_y(c, &p->y, 0, p->bottom - p->top);
	fit_y(c, &p->y2, 1, p->bottom - p->top);
	p->left = EDGE + chart_axis_px(&p->y, &c->y);
	p->right = width - EDGE - (right ? chart_axis_px(&p->y2, &c->right) : 0) - names_px;
	if (!right && names_px == 0)
		p->right -= 10; /* the last number is centred on the end of the axis */
	if (p->right < p->left + 20)
		p->right = p->left + 20;
	fit_x(c, p);
	chart_group_bars(c, p);
	if (c->categories)
		below += chart_fit_categories(c, p);
	below += notes_px(c, p, width);
	p->bottom = fmax(height - below, p->top + 20);
	fit_y(c, &p->y, 0, p->bottom - p->top);
	fit_y(c, &p->y2, 1, p->bottom - p->top);
	p->y.from_px = p->y2.from_px = p->bottom;
	p->y.to_px = p->y2.to_px = p->top;
}

static void put_chart(xml_out *x, const chart *c, double width, double height)
{
	const double text_width = width - 2 * EDGE;
	chart_plot p = { 0 };
	double y = EDGE;
	size_t rows;

	xml_put(x, "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n", width, height);
	if (c->title)
		y = chart_put_lines(x, c->title, text_width, TITLE_PX, EDGE, y + TITLE_PX,
			    "font-weight=\"600\"") -
		    TITLE_PX;
	if (c->subtitle)
		y = chart_put_lines(x, c->subtitle, text_width, CHART_TEXT_PX, EDGE,
			    y + CHART_TEXT_PX, DIM_STYLE) -
		    CHART_TEXT_PX;
	y += 6;
	rows = chart_put_legend(x, c, EDGE, width - EDGE, y + CHART_TEXT_PX);
	lay_out(c, &p, width, height, y + CHART_LINE_PX * (double)rows + (rows ? 10 : 4));

	chart_put_y_axis(x, c, &p, 0);
	if (chart_uses_right(c))
		chart_put_y_axis(x, c, &p, 1);
	chart_put_marks(x, c, &p);
	y = height - EDGE - 4 - notes_px(c, &p, width);
	chart_put_x_axis(x, c, &p, y);
	if (c->note || p.bar_note[0])
		y += 4;
	y = chart_put_lines(
		x, c->note, text_width, CHART_TEXT_PX, EDGE, y + CHART_LINE_PX, DIM_STYLE);
	(void)chart_put_lines(x, p.bar_note, text_width, CHART_TEXT_PX, EDGE, y, DIM_STYLE);
}

/* ---- documents ---- */

static void put_head(xml_out *x, double width, double height, const char *title)
{
	xml_put(x,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
		"viewBox=\"0 0 %g %g\" font-family=\"" FONT "\" fill=\"" INK_COLOUR
		"\" role=\"img\"",
		width, height, width, height);
	if (title) {
		xml_put(x, " aria-label=\"");
		xml_put_text(x, title);
		xml_put(x, "\"");
	}
	xml_put(x, ">\n");
}

static double width_of(const chart *c)
{
	return c->width ? c->width : WIDTH;
}

static double height_of(const chart *c)
{
	return c->height ? c->height : HEIGHT;
}

static int drawable(const chart *c)
{
	if (!c->series || c->series_count == 0 || (c->categories && c->category_count == 0))
		return 0;
	for (size_t k = 0; k < c->series_count; k++)
		if (c->series[k].count && !c->series[k].y)
			return 0;
	return 1;
}

int chart_write(const chart *c, xml_write_fn write, void *opaque)
{
	xml_out x;

	if (!c || !write || !drawable(c))
		return -1;
	xml_begin(&x, write, opaque);
	put_head(&x, width_of(c), height_of(c), c->title);
	put_chart(&x, c, width_of(c), height_of(c));
	xml_put(&x, "</svg>\n");
	return xml_end(&x);
}

int chart_write_grid(const chart *charts, size_t count, size_t columns, const char *title,
	const char *note, xml_write_fn write, void *opaque)
{
	double w, h, width, height, room, top;
	xml_out x;

	if (!charts || count == 0 || columns == 0 || !write)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (!drawable(&charts[i]))
			return -1;
	if (columns > count)
		columns = count;
	w = width_of(charts);
	h = height_of(charts);
	width = w * (double)columns;
	room = width - 2 * EDGE;
	top = title ? EDGE + (TITLE_PX + 6) * (double)chart_line_count(title, room, TITLE_PX + 2)
		    : 0;
	height = top + h * (double)((count + columns - 1) / columns);
	if (note)
		height +=
			EDGE + CHART_LINE_PX * (double)chart_line_count(note, room, CHART_TEXT_PX);
	xml_begin(&x, write, opaque);
	put_head(&x, width, height, title);
	xml_put(&x, "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n", width, height);
	(void)chart_put_lines(
		&x, title, room, TITLE_PX + 2, EDGE, EDGE + TITLE_PX, "font-weight=\"600\"");
	for (size_t i = 0; i < count; i++) {
		xml_put(&x, "<g transform=\"translate(%g %g)\">\n", w * (double)(i % columns),
			top + h * (double)(i / columns));
		put_chart(&x, &charts[i], w, h);
		xml_put(&x, "</g>\n");
	}
	(void)chart_put_lines(&x, note, room, CHART_TEXT_PX, EDGE,
		height - EDGE -
			CHART_LINE_PX * ((double)chart_line_count(note, room, CHART_TEXT_PX) - 1),
		DIM_STYLE);
	xml_put(&x, "</svg>\n");
	return xml_end(&x);
}
