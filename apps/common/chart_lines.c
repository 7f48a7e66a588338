/* Lines of a chart: lines, markers, and labels at the ends of lines. */
#include "apps/common/chart_series.h"

#include <math.h>
#include <stdlib.h>

enum { SHAPES = 8, LABELS_MAX = 64, LABEL_PX = 12 };

void chart_open_marker(xml_out *o, const chart *c, size_t series, double x, double y)
{
	static const char *const shapes[SHAPES] = { "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
		"m-3.5-3.5h7v7h-7z", "m0-4.5l4.5 8h-9z", "m0-5l4.5 5l-4.5 5l-4.5-5z",
		"m0 4.5l4.5-8h-9z", "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
		("m-4-4l1.8 0l2.2 2.4l2.2-2.4l1.8 0l0 1.8l-2.4 2.2l2.4 2.2l0 1.8l-1.8 0l-2.2-2.4"
		 "l-2.2 2.4l-1.8 0l0-1.8l2.4-2.2l-2.4-2.2z"),
		"m-2.3-4h4.6l2.3 4l-2.3 4h-4.6l-2.3-4z" };

	xml_put(o, "<path d=\"M%.1f %.1f%s\" fill=\"%s\" stroke=\"#fff\" stroke-width=\".8\"", x, y,
		shapes[chart_colour_number(c, series) % SHAPES], chart_colour(c, series));
}

static int is_marked(const chart_plot *p, const chart_series *s)
{
	return s->mark == CHART_LINE && !s->no_markers && !s->dashed &&
	       (double)s->count * 9 <= p->right - p->left;
}

/* Writes a line with more points than pixels: the lowest, highest and last point of each column of
 * pixels. */
static void put_dense_line(xml_out *o, const chart_plot *p, const chart_series *s)
{
	double column = 0, lo = 0, hi = 0, last = 0;
	int open = 0, joined = 0;

	for (size_t i = 0; i <= s->count; i++) {
		const int here = i < s->count && chart_is_drawn(p, s, i);
		const double x = here ? floor(chart_px_x(p, s, i)) : 0,
			     y = here ? chart_px_y(p, s, i) : 0;

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

void chart_put_line(xml_out *o, const chart *c, const chart_plot *p, size_t series)
{
	const chart_series *s = &c->series[series];

	xml_put(o,
		"<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\" "
		"stroke-linecap=\"round\"%s d=\"",
		chart_colour(c, series), (double)s->count > p->right - p->left ? "1.2" : "2",
		chart_dashes(c, series));
	if ((double)s->count > 2 * (p->right - p->left)) {
		put_dense_line(o, p, s);
	} else {
		for (size_t i = 0; i < s->count; i++) {
			const int before = i > 0 && chart_is_drawn(p, s, i - 1);

			if (chart_is_drawn(p, s, i)) /* h0 draws a single point as a dot */
				xml_put(o, "%c%.1f %.1f%s", before ? 'L' : 'M', chart_px_x(p, s, i),
					chart_px_y(p, s, i), before ? "" : "h0");
		}
	}
	xml_put(o, "\"/>\n");
	for (size_t i = 0; i < s->count && is_marked(p, s); i++)
		if (chart_is_drawn(p, s, i)) {
			chart_open_marker(o, c, series, chart_px_x(p, s, i), chart_px_y(p, s, i));
			xml_put(o, ">");
			chart_put_tooltip(o, c, s, chart_x_value(s, i), s->y[i]);
			xml_put(o, "</path>\n");
		}
}

/* ---- labels at the ends of lines ---- */

typedef struct end_label {
	size_t series;
	double end_x, end_y; /* of the line */
	double y;            /* of the label */
} end_label;

static int by_height(const void *pa, const void *pb)
{
	const end_label *a = (const end_label *)pa, *b = (const end_label *)pb;

	return (a->end_y > b->end_y) - (a->end_y < b->end_y);
}

static size_t find_labels(const chart *c, const chart_plot *p, end_label labels[LABELS_MAX])
{
	size_t n = 0;

	for (size_t k = 0; k < c->series_count && n < LABELS_MAX; k++) {
		const chart_series *s = &c->series[k];
		size_t end = s->count;

		if (s->mark != CHART_LINE || !s->name)
			continue;
		for (size_t i = 0; i < s->count; i++)
			if (chart_is_drawn(p, s, i) &&
				(end == s->count || chart_px_x(p, s, i) >= chart_px_x(p, s, end)))
				end = i;
		if (end == s->count)
			continue;
		labels[n].series = k;
		labels[n].end_x = chart_px_x(p, s, end);
		labels[n].end_y = fmin(fmax(chart_px_y(p, s, end), p->top), p->bottom);
		n++;
	}
	return n;
}

/* Moves overlapping labels apart, each by half of the overlap; finally moves labels below the plot
 * back into it. */
static void spread(end_label *labels, size_t n, double top, double bottom)
{
	const double distance = LABEL_PX + 2;

	for (size_t i = 0; i < n; i++)
		labels[i].y = labels[i].end_y;
	for (int pass = 0; pass < 300; pass++)
		for (size_t i = 1; i < n; i++) {
			const double overlap = distance - (labels[i].y - labels[i - 1].y);

			if (overlap > 0) {
				labels[i - 1].y = fmax(labels[i - 1].y - overlap / 2, top);
				labels[i].y += overlap / 2;
			}
		}
	for (size_t i = n; i-- > 0; bottom = labels[i].y - distance)
		labels[i].y = fmin(labels[i].y, bottom);
}

void chart_put_end_labels(xml_out *o, const chart *c, const chart_plot *p)
{
	end_label labels[LABELS_MAX];
	const size_t n = find_labels(c, p, labels);

	qsort(labels, n, sizeof(labels[0]), by_height);
	spread(labels, n, p->top, p->bottom);
	for (size_t i = 0; i < n; i++) {
		const end_label *at = &labels[i];

		if (fabs(at->y - at->end_y) > 5 || at->end_x < p->right - 12)
			xml_put(o,
				"<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#999\" "
				"stroke-width=\".7\" stroke-dasharray=\"1 2\"/>",
				at->end_x + 5, at->end_y, p->right + 7, at->y);
		xml_put(o, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"%s\">",
			p->right + 10, at->y + 4, LABEL_PX, chart_colour(c, at->series));
		xml_put_text(o, c->series[at->series].name);
		xml_put(o, "</text>\n");
	}
}
