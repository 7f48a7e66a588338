#include "apps/common/chart_marks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLOURS = 8, SHAPES = 8, TOOLTIPS_MAX = 200, NAMES_MAX = 64, NAME_PX = 12 };

/* Okabe and Ito's colours that stand out from white, told apart by people who see red or green badly. */
static const char *const colours[COLOURS] = { "#0072b2", "#d55e00", "#009e73", "#b0559b", "#e69f00",
	"#3fa0dd", "#333333", "#8a5a2b" };
#define MUTED "#c4c8cc"

static size_t colour_number(const chart *c, size_t series)
{
	size_t n = 0;

	for (size_t k = 0; k < series; k++)
		n += !c->series[k].muted;
	return n;
}

static const char *colour_of(const chart *c, size_t series)
{
	return c->series[series].muted ? MUTED : colours[colour_number(c, series) % COLOURS];
}

static const char *dashes_of(const chart *c, size_t series)
{
	if (c->series[series].dashed)
		return " stroke-dasharray=\"2 4\"";
	return colour_number(c, series) >= COLOURS ? " stroke-dasharray=\"8 4\"" : "";
}

/* A shape around (x, y), open to a tooltip: the caller closes the element. */
static void open_marker(xml_out *o, const chart *c, size_t series, double x, double y)
{
	static const char *const shapes[SHAPES] = { "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
		"m-3.5-3.5h7v7h-7z", "m0-4.5l4.5 8h-9z", "m0-5l4.5 5l-4.5 5l-4.5-5z",
		"m0 4.5l4.5-8h-9z", "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
		"m-4-4l1.8 0l2.2 2.4l2.2-2.4l1.8 0l0 1.8l-2.4 2.2l2.4 2.2l0 1.8l-1.8 0l-2.2-2.4"
		"l-2.2 2.4l-1.8 0l0-1.8l2.4-2.2l-2.4-2.2z",
		"m-2.3-4h4.6l2.3 4l-2.3 4h-4.6l-2.3-4z" };

	xml_put(o, "<path d=\"M%.1f %.1f%s\" fill=\"%s\" stroke=\"#fff\" stroke-width=\".8\"", x, y,
		shapes[colour_number(c, series) % SHAPES], colour_of(c, series));
}

static double x_value(const chart_series *s, size_t i)
{
	return s->x ? s->x[i] : (double)i;
}

static const chart_mapping *mapping_of(const chart_plot *p, const chart_series *s)
{
	return s->right ? &p->y2 : &p->y;
}

static int in_domain(const chart_plot *p, const chart_series *s, size_t i)
{
	return chart_in_domain(p->x.kind, x_value(s, i)) &&
	       chart_in_domain(mapping_of(p, s)->kind, s->y[i]);
}

/* Far outside of the plot a line only has to have the right direction. */
static double bounded(double px)
{
	return fmin(fmax(px, -20000), 20000);
}

static double px_x(const chart_plot *p, const chart_series *s, size_t i)
{
	return bounded(chart_px(&p->x, x_value(s, i)));
}

static double px_y(const chart_plot *p, const chart_series *s, size_t i)
{
	return bounded(chart_px(mapping_of(p, s), s->y[i]));
}

static int is_marked(const chart_plot *p, const chart_series *s)
{
	return s->mark == CHART_LINE && !s->no_markers && !s->dashed &&
	       (double)s->count * 9 <= p->right - p->left;
}

static void put_tooltip(xml_out *o, const chart_series *s, double x, double y, const char *category)
{
	char number[XML_NUMBER_BYTES];

	xml_put(o, "<title>");
	if (s->name) {
		xml_put_text(o, s->name);
		xml_put(o, ", ");
	}
	xml_put_text(o, category ? category : xml_number(number, x));
	xml_put(o, ": %s</title>", xml_number(number, y));
}

static const char *category_of(const chart *c, double x)
{
	return c->categories && x >= 0 && x < (double)c->category_count ? c->categories[(size_t)x]
									: NULL;
}

/* ---- bars ---- */

enum { BAR_PART = 80 }; /* per cent of a place's room that its bars take */
#define BAR_LEAST_PX 1.5

static size_t bar_series(const chart *c)
{
	size_t n = 0;

	for (size_t k = 0; k < c->series_count; k++)
		n += c->series[k].mark == CHART_BAR;
	return n;
}

void chart_group_bars(const chart *c, chart_plot *p, char *note, size_t note_bytes)
{
	const double least = BAR_LEAST_PX * (double)bar_series(c) * 100 / BAR_PART;

	p->bar_group = 1;
	note[0] = '\0';
	if (!p->bars || c->categories || p->slot_px >= least || p->slot_px <= 0)
		return;
	p->bar_group = (size_t)fmin(ceil(least / p->slot_px), 1e9);
	snprintf(note, note_bytes, "Each bar is the mean of %zu neighbours.", p->bar_group);
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

static void put_bars(xml_out *o, const chart *c, const chart_plot *p, size_t series, size_t nth)
{
	const chart_series *s = &c->series[series];
	const chart_mapping *r = mapping_of(p, s);
	const double width =
		p->slot_px * (double)p->bar_group * BAR_PART / 100 / (double)bar_series(c);
	const double offset = ((double)nth - (double)(bar_series(c) - 1) / 2) * width;
	/* A bar stands on zero, or on the end that is nearest to it. */
	const double zero = r->kind == CHART_LINEAR ? fmin(fmax(0, r->min), r->max) : r->min;
	const double foot = chart_px(r, zero), gap = width > 8 ? 1 : 0;
	const int alone = s->count <= TOOLTIPS_MAX;

	xml_put(o, "<g fill=\"%s\">\n", colour_of(c, series));
	if (!alone)
		xml_put(o, "<path d=\"");
	for (size_t i = 0; i < s->count; i += p->bar_group) {
		double sum_x = 0, sum_y = 0, at, top;
		size_t n = 0;

		for (size_t k = i; k < s->count && k < i + p->bar_group; k++)
			if (in_domain(p, s, k)) {
				sum_x += x_value(s, k);
				sum_y += s->y[k];
				n++;
			}
		if (n == 0)
			continue;
		at = bounded(chart_px(&p->x, sum_x / (double)n)) + offset - width / 2;
		top = bounded(chart_px(r, sum_y / (double)n));
		if (alone) {
			xml_put(o, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">",
				at + gap / 2, fmin(top, foot), width - gap, fabs(foot - top));
			put_tooltip(o, s, sum_x / (double)n, sum_y / (double)n,
				category_of(c, sum_x / (double)n));
			xml_put(o, "</rect>\n");
		} else {
			xml_put(o, "M%.2f %.1fV%.1fh%.2fV%.1fz", at, foot, top, width, foot);
		}
	}
	xml_put(o, alone ? "</g>\n" : "\"/></g>\n");
}

/* Apart from the bars, since they may stand above the plot. */
static void put_bar_values(
	xml_out *o, const chart *c, const chart_plot *p, size_t series, size_t nth)
{
	const chart_series *s = &c->series[series];
	const double width = p->slot_px * BAR_PART / 100 / (double)bar_series(c);
	const double offset = ((double)nth - (double)(bar_series(c) - 1) / 2) * width;

	for (size_t i = 0; i < s->count; i++)
		if (in_domain(p, s, i) && px_y(p, s, i) >= p->top - 1 && px_y(p, s, i) < p->bottom)
			put_bar_value(o, px_x(p, s, i) + offset, px_y(p, s, i), width, s->y[i]);
}

/* ---- lines ---- */

/* More points than pixels: of each column of pixels its lowest, highest and last remain. */
static void put_dense_line(xml_out *o, const chart_plot *p, const chart_series *s)
{
	double column = 0, lo = 0, hi = 0, last = 0;
	int open = 0, joined = 0;

	for (size_t i = 0; i <= s->count; i++) {
		const int here = i < s->count && in_domain(p, s, i);
		const double x = here ? floor(px_x(p, s, i)) : 0, y = here ? px_y(p, s, i) : 0;

		if (open && (!here || x != column)) {
			xml_put(o, "%c%.0f %.1f", joined ? 'L' : 'M', column, lo);
			if (hi != lo)
				xml_put(o, "V%.1f", hi);
			if (last != hi)
				xml_put(o, "V%.1f", last);
			if (hi == lo && last == hi && !joined)
				xml_put(o, "h0");
			joined = here;
			open = 0;
		}
		if (!here) {
			joined = 0;
		} else if (!open) {
			open = 1;
			column = x;
			lo = hi = last = y;
		} else {
			lo = fmin(lo, y);
			hi = fmax(hi, y);
			last = y;
		}
	}
}

static void put_line(xml_out *o, const chart *c, const chart_plot *p, size_t series)
{
	const chart_series *s = &c->series[series];

	xml_put(o,
		"<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\" "
		"stroke-linecap=\"round\"%s d=\"",
		colour_of(c, series), (double)s->count > p->right - p->left ? "1.2" : "2",
		dashes_of(c, series));
	if ((double)s->count > 2 * (p->right - p->left)) {
		put_dense_line(o, p, s);
	} else {
		for (size_t i = 0; i < s->count; i++) {
			const int before = i > 0 && in_domain(p, s, i - 1);

			if (in_domain(p, s, i)) /* a point alone is a dot: a line of no length */
				xml_put(o, "%c%.1f %.1f%s", before ? 'L' : 'M', px_x(p, s, i),
					px_y(p, s, i), before ? "" : "h0");
		}
	}
	xml_put(o, "\"/>\n");
	for (size_t i = 0; i < s->count && is_marked(p, s); i++)
		if (in_domain(p, s, i)) {
			open_marker(o, c, series, px_x(p, s, i), px_y(p, s, i));
			xml_put(o, ">");
			put_tooltip(o, s, x_value(s, i), s->y[i], category_of(c, x_value(s, i)));
			xml_put(o, "</path>\n");
		}
}

/* ---- names at the ends of lines ---- */

typedef struct line_name {
	size_t series;
	double end_x, end_y; /* of the line */
	double y;            /* of the name */
} line_name;

static int by_height(const void *pa, const void *pb)
{
	const line_name *a = (const line_name *)pa, *b = (const line_name *)pb;

	return (a->end_y > b->end_y) - (a->end_y < b->end_y);
}

static size_t find_names(const chart *c, const chart_plot *p, line_name names[NAMES_MAX])
{
	size_t n = 0;

	for (size_t k = 0; k < c->series_count && n < NAMES_MAX; k++) {
		const chart_series *s = &c->series[k];
		size_t end = s->count;

		if (s->mark != CHART_LINE || !s->name)
			continue;
		for (size_t i = 0; i < s->count; i++)
			if (in_domain(p, s, i) &&
				(end == s->count || px_x(p, s, i) >= px_x(p, s, end)))
				end = i;
		if (end == s->count)
			continue;
		names[n].series = k;
		names[n].end_x = px_x(p, s, end);
		names[n].end_y = fmin(fmax(px_y(p, s, end), p->top), p->bottom);
		n++;
	}
	return n;
}

/* Names that overlap give way to each other by half; what leaves the plot below comes back at the end. */
static void spread(line_name *names, size_t n, double top, double bottom)
{
	const double apart = NAME_PX + 2;

	for (size_t i = 0; i < n; i++)
		names[i].y = names[i].end_y;
	for (int pass = 0; pass < 300; pass++)
		for (size_t i = 1; i < n; i++) {
			const double lack = apart - (names[i].y - names[i - 1].y);

			if (lack > 0) {
				names[i - 1].y = fmax(names[i - 1].y - lack / 2, top);
				names[i].y += lack / 2;
			}
		}
	for (size_t i = n; i-- > 0; bottom = names[i].y - apart)
		names[i].y = fmin(names[i].y, bottom);
}

static void put_names(xml_out *o, const chart *c, const chart_plot *p)
{
	line_name names[NAMES_MAX];
	const size_t n = find_names(c, p, names);

	qsort(names, n, sizeof(names[0]), by_height);
	spread(names, n, p->top, p->bottom);
	for (size_t i = 0; i < n; i++) {
		const line_name *at = &names[i];

		if (fabs(at->y - at->end_y) > 5 || at->end_x < p->right - 12)
			xml_put(o,
				"<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#999\" "
				"stroke-width=\".7\" stroke-dasharray=\"1 2\"/>",
				at->end_x + 5, at->end_y, p->right + 7, at->y);
		xml_put(o, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"%s\">",
			p->right + 10, at->y + 4, NAME_PX, colour_of(c, at->series));
		xml_put_text(o, c->series[at->series].name);
		xml_put(o, "</text>\n");
	}
}

void chart_put_swatch(
	xml_out *x, const chart *c, size_t series, double left, double y, double width)
{
	if (c->series[series].mark == CHART_BAR) {
		xml_put(x, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"10\" fill=\"%s\"/>\n",
			left + width - 14, y - 5, colour_of(c, series));
		return;
	}
	xml_put(x, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", left, y,
		width, colour_of(c, series), dashes_of(c, series));
	if (!c->series[series].no_markers && !c->series[series].dashed) {
		open_marker(x, c, series, left + width / 2, y);
		xml_put(x, "/>\n");
	}
}

void chart_put_marks(xml_out *x, const chart *c, const chart_plot *p)
{
	const double left = p->left - 6, top = p->top - 6;
	size_t nth = 0, measured = 0;

	/* An inner <svg> cuts off what leaves the plot; a clip path would need a name. */
	xml_put(x,
		"<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f "
		"%.1f "
		"%.1f\">\n",
		left, top, p->right - left + 6, p->bottom - top + 6, left, top, p->right - left + 6,
		p->bottom - top + 6);

	for (size_t k = 0; k < c->series_count; k++)
		if (c->series[k].mark == CHART_BAR)
			put_bars(x, c, p, k, nth++);
	for (size_t k = 0; k < c->series_count; k++)
		if (c->series[k].mark == CHART_LINE)
			put_line(x, c, p, k);
	xml_put(x, "</svg>\n");
	nth = 0;
	for (size_t k = 0; c->value_labels && p->bar_group == 1 && k < c->series_count; k++)
		if (c->series[k].mark == CHART_BAR)
			put_bar_values(x, c, p, k, nth++);
	for (size_t k = 0; k < c->series_count; k++)
		for (size_t i = 0; i < c->series[k].count; i++)
			measured += in_domain(p, &c->series[k], i) != 0;
	if (measured == 0)
		xml_put(x,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"13\" "
			"fill=\"#777\">nothing was measured</text>\n",
			(p->left + p->right) / 2, (p->top + p->bottom) / 2);
	if (chart_has_end_labels(c))
		put_names(x, c, p);
}
