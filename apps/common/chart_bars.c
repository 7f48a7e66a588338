/* Bars of a chart, and the values above them. */
#include "apps/common/chart_series.h"
#include "apps/common/chart_text.h"

#include <math.h>
#include <stdio.h>

enum { TOOLTIPS_MAX = 200 };

enum { BAR_PART = 80 }; /* per cent of a slot that its bars cover */
#define BAR_MIN_PX 1.5

static size_t bar_series(const chart *c)
{
	size_t n = 0;

	for (size_t k = 0; k < c->series_count; k++)
		n += c->series[k].mark == CHART_BAR;
	return n;
}

void chart_group_bars(const chart *c, chart_plot *p)
{
	const double min_px = BAR_MIN_PX * (double)bar_series(c) * 100 / BAR_PART;

	p->bar_group = 1;
	p->bar_note[0] = '\0';
	if (!p->bars || c->categories || p->slot_px >= min_px || p->slot_px <= 0)
		return;
	p->bar_group = (size_t)fmin(ceil(min_px / p->slot_px), 1e9);
	snprintf(p->bar_note, sizeof(p->bar_note), "Each bar is the mean of %zu neighbours.",
		p->bar_group);
}

static void put_bar_value(xml_out *o, double middle, double top, double width, double value)
{
	char text[XML_NUMBER_BYTES];

	xml_number(text, value);
	if (chart_text_px(text, 11) <= width + 4)
		xml_put(o,
			"<text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" "
			"text-anchor=\"middle\">%s</text>\n",
			middle, top - 4, text);
	else if (width >= 10)
		xml_put(o,
			"<text transform=\"translate(%.1f %.1f) rotate(-90)\" "
			"font-size=\"11\">%s</text>\n",
			middle + 4, top - 4, text);
}

void chart_put_bars(xml_out *o, const chart *c, const chart_plot *p, size_t series, size_t nth)
{
	const chart_series *s = &c->series[series];
	const chart_mapping *r = chart_y_mapping(p, s);
	const double width =
		p->slot_px * (double)p->bar_group * BAR_PART / 100 / (double)bar_series(c);
	const double offset = ((double)nth - (double)(bar_series(c) - 1) / 2) * width;
	/* A bar begins at zero, or at the end of the axis that is nearest to zero. */
	const double zero = r->kind == CHART_LINEAR ? fmin(fmax(0, r->min), r->max) : r->min;
	const double base = chart_px(r, zero), gap = width > 8 ? 1 : 0;
	const int single = s->count <= TOOLTIPS_MAX;

	xml_put(o, "<g fill=\"%s\">\n", chart_colour(c, series));
	if (!single)
		xml_put(o, "<path d=\"");
	for (size_t i = 0; i < s->count; i += p->bar_group) {
		double sum_x = 0, sum_y = 0, at, top;
		size_t n = 0;

		for (size_t k = i; k < s->count && k < i + p->bar_group; k++)
			if (chart_is_drawn(p, s, k)) {
				sum_x += chart_x_value(s, k);
				sum_y += s->y[k];
				n++;
			}
		if (n == 0)
			continue;
		at = chart_limit_px(chart_px(&p->x, sum_x / (double)n)) + offset - width / 2;
		top = chart_limit_px(chart_px(r, sum_y / (double)n));
		if (single) {
			xml_put(o, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">",
				at + gap / 2, fmin(top, base), width - gap, fabs(base - top));
			chart_put_tooltip(o, c, s, sum_x / (double)n, sum_y / (double)n);
			xml_put(o, "</rect>\n");
		} else {
			xml_put(o, "M%.2f %.1fV%.1fh%.2fV%.1fz", at, base, top, width, base);
		}
	}
	xml_put(o, single ? "</g>\n" : "\"/></g>\n");
}

void chart_put_bar_values(
	xml_out *o, const chart *c, const chart_plot *p, size_t series, size_t nth)
{
	const chart_series *s = &c->series[series];
	const double width = p->slot_px * BAR_PART / 100 / (double)bar_series(c);
	const double offset = ((double)nth - (double)(bar_series(c) - 1) / 2) * width;

	for (size_t i = 0; i < s->count; i++)
		if (chart_is_drawn(p, s, i) && chart_px_y(p, s, i) >= p->top - 1 &&
			chart_px_y(p, s, i) < p->bottom)
			put_bar_value(o, chart_px_x(p, s, i) + offset, chart_px_y(p, s, i), width,
				s->y[i]);
}
