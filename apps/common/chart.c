/* The frame of a chart: texts, axes, legend, and where the plot lies. chart_marks.c draws the series. */
#include "apps/common/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/common/chart_marks.h"

enum {
	WIDTH = 720,
	HEIGHT = 420,
	EDGE = 12,     /* free around everything */
	TITLE_PX = 16, /* sizes of type */
	TEXT_PX = 12,
	LINE_PX = 16, /* from line to line of small type */
	TICK_PX = 5,
	LEGEND_SWATCH = 26
};

#define FONT "system-ui,-apple-system,&quot;Segoe UI&quot;,Roboto,Helvetica,Arial,sans-serif"
#define INK  "#222"
#define DIM  "#5a5a5a"
#define GRID "#e3e3e3"

/* Without the font at hand: widths of its letters in em, a little on the safe side. */
static double letters_px(const char *s, size_t bytes, double size)
{
	double em = 0;

	for (size_t i = 0; i < bytes; i++) {
		const unsigned char c = (unsigned char)s[i];

		if ((c & 0xc0) == 0x80)
			continue;
		em += strchr("ijl.,:;'|!()[] ft", c) ? 0.36
		      : strchr("mwMW@%", c)          ? 0.95
		      : c >= 'A' && c <= 'Z'         ? 0.72
						     : 0.61;
	}
	return em * size;
}

double chart_text_px(const char *text, double size)
{
	return text ? letters_px(text, strlen(text), size) : 0;
}

/* The next line of the text that fits; its bytes, and where the one after it begins. */
static size_t next_line(const char *s, double room, double size, const char **after)
{
	size_t fits = 0, end = 0;

	for (;;) {
		end += strcspn(s + end, " \n");
		if (fits && letters_px(s, end, size) > room)
			break;
		fits = end;
		if (s[end] != ' ')
			break;
		end++;
	}
	*after = s + fits + (s[fits] == ' ' || s[fits] == '\n');
	return fits;
}

static size_t line_count(const char *s, double room, double size)
{
	size_t n = 0;

	for (; s && *s; n++)
		(void)next_line(s, room, size, &s);
	return n;
}

/* Puts lines from the baseline y on; returns the baseline after the last. */
static double put_lines(xml_out *x, const char *s, double room, double size, double left, double y,
	const char *style)
{
	while (s && *s) {
		const char *after;
		size_t n = next_line(s, room, size, &after);
		char line[512];

		if (n >= sizeof(line))
			n = sizeof(line) - 1;
		memcpy(line, s, n);
		line[n] = '\0';
		xml_put(x, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" %s>", left, y, size,
			style);
		xml_put_text(x, line);
		xml_put(x, "</text>\n");
		y += size + 4;
		s = after;
	}
	return y;
}

/* ---- ranges ---- */

static void widen(double *lo, double *hi, double value)
{
	if (value < *lo)
		*lo = value;
	if (value > *hi)
		*hi = value;
}

static double x_value(const chart_series *s, size_t i)
{
	return s->x ? s->x[i] : (double)i;
}

static int in_plot(const chart *c, const chart_series *s, size_t i)
{
	return chart_in_domain(s->right ? c->right.scale : c->y.scale, s->y[i]) &&
	       chart_in_domain(c->categories ? CHART_LINEAR : c->x.scale, x_value(s, i));
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

/* The smallest distance between two bars of a series, which share it. */
static double bar_step(const chart *c)
{
	double step = INFINITY;

	for (size_t k = 0; k < c->series_count; k++) {
		const chart_series *s = &c->series[k];

		for (size_t i = 1; i < s->count && s->mark == CHART_BAR; i++)
			step = fmin(step, fabs(x_value(s, i) - x_value(s, i - 1)));
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
				widen(&lo, &hi, x_value(&c->series[k], i));
	if (c->categories) {
		axis = (chart_axis){ .min = -0.5, .max = (double)c->category_count - 0.5 };
	} else if (p->bars && axis.scale == CHART_LINEAR && lo <= hi) {
		half = bar_step(c) / 2;
		if (axis.min >=
			axis.max) { /* half a step of room before the first and after the last */
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
	if (axis.scale != CHART_LINEAR) /* the room from a value to its double */
		p->slot_px = room * log(2) / log(p->x.max / p->x.min);
}

/* ---- parts of the frame ---- */

static double widest_tick(const chart_mapping *r)
{
	double widest = 0;
	char text[XML_NUMBER_BYTES];

	for (size_t i = 0; i < r->tick_count; i++)
		widest = fmax(widest, chart_text_px(xml_number(text, r->ticks[i]), TEXT_PX));
	return widest;
}

static void put_y_axis(xml_out *x, const chart *c, const chart_plot *p, int right)
{
	const chart_mapping *r = right ? &p->y2 : &p->y;
	const char *label = right ? c->right.label : c->y.label;
	const double edge = right ? p->right : p->left, side = right ? 1 : -1;
	const double at = edge + side * (TICK_PX + 8 + widest_tick(r) + TEXT_PX);
	char text[XML_NUMBER_BYTES];

	xml_put(x, "<g font-size=\"%d\" fill=\"" DIM "\" text-anchor=\"%s\">\n", TEXT_PX,
		right ? "start" : "end");
	for (size_t i = 0; i < r->tick_count; i++) {
		const double y = chart_px(r, r->ticks[i]);

		if (!right)
			xml_put(x, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"" GRID "\"/>", p->left, y,
				p->right);
		xml_put(x, "<path d=\"M%.1f %.1fh%.0f\" stroke=\"" DIM "\"/>", edge, y,
			side * TICK_PX);
		xml_put(x, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", edge + side * (TICK_PX + 3),
			y + 4, xml_number(text, r->ticks[i]));
	}
	xml_put(x, "</g><path d=\"M%.1f %.1fV%.1f\" stroke=\"" DIM "\"/>\n", edge, p->top,
		p->bottom);
	if (!label)
		return;
	xml_put(x,
		"<text transform=\"translate(%.1f %.1f) rotate(%s)\" text-anchor=\"middle\" "
		"font-size=\"%d\">",
		at, (p->top + p->bottom) / 2, right ? "90" : "-90", TEXT_PX + 1);
	xml_put_text(x, label);
	xml_put(x, "</text>\n");
}

enum { CATEGORY_LINES_MAX = 3, CATEGORY_PX_MAX = 130 };

/* How the names of categories stand: on up to three lines, or, if words are too long for that, slanted.
 * Returns the room below the plot. */
static double fit_categories(const chart *c, chart_plot *p)
{
	const double slot = (p->right - p->left) / (double)c->category_count;
	double widest = 0;
	size_t lines = 1;

	p->slanted = 0;
	for (size_t i = 0; i < c->category_count; i++) {
		const char *name = c->categories[i] ? c->categories[i] : "";

		if (line_count(name, slot - 6, TEXT_PX) > lines)
			lines = line_count(name, slot - 6, TEXT_PX);
		widest = fmax(widest, chart_text_px(name, TEXT_PX));
		while (*name) {
			const char *line = name;
			const size_t n = next_line(line, slot - 6, TEXT_PX, &name);

			p->slanted |= letters_px(line, n, TEXT_PX) > slot - 4;
		}
	}
	if (lines > CATEGORY_LINES_MAX)
		p->slanted = 1;
	if (p->slanted)
		return fmin(widest, CATEGORY_PX_MAX) * 0.6;
	return (double)(lines - 1) * LINE_PX;
}

static void put_slanted(xml_out *x, const char *name, double at, double y)
{
	size_t bytes = strlen(name);
	char text[256];

	while (letters_px(name, bytes, TEXT_PX) > CATEGORY_PX_MAX || bytes >= sizeof(text) - 4)
		bytes--;
	while (bytes < strlen(name) && bytes && ((unsigned char)name[bytes] & 0xc0) == 0x80)
		bytes--; /* not inside a character */
	memcpy(text, name, bytes);
	strcpy(text + bytes, bytes < strlen(name) ? "..." : "");
	xml_put(x, "<text transform=\"translate(%.1f %.1f) rotate(-35)\" text-anchor=\"end\">",
		at + 4, y - 2);
	xml_put_text(x, text);
	xml_put(x, "</text>\n");
}

static void put_categories(xml_out *x, const chart *c, const chart_plot *p)
{
	const double slot = (p->right - p->left) / (double)c->category_count;
	/* Slanted names need a line's height of room each; where even that lacks, some are left out. */
	const size_t stride = p->slanted ? (size_t)ceil(LINE_PX / slot) : 1;

	for (size_t i = 0; i < c->category_count; i += stride) {
		const double at = chart_px(&p->x, (double)i), y = p->bottom + TICK_PX + 13;
		const char *name = c->categories[i] ? c->categories[i] : "";

		if (p->slanted)
			put_slanted(x, name, at, y);
		else
			(void)put_lines(
				x, name, slot - 6, TEXT_PX, at, y, "text-anchor=\"middle\"");
	}
}

static void put_x_axis(xml_out *x, const chart *c, const chart_plot *p, double label_y)
{
	char text[XML_NUMBER_BYTES];

	xml_put(x, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"" DIM "\"/>\n", p->left, p->bottom,
		p->right);
	xml_put(x, "<g font-size=\"%d\" fill=\"" DIM "\">\n", TEXT_PX);
	for (size_t i = 0; i < p->x.tick_count; i++) {
		const double at = chart_px(&p->x, p->x.ticks[i]);

		xml_put(x, "<path d=\"M%.1f %.1fv%d\" stroke=\"" DIM "\"/>", at, p->bottom,
			TICK_PX);
		xml_put(x, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", at,
			p->bottom + TICK_PX + 13, xml_number(text, p->x.ticks[i]));
	}
	if (c->categories)
		put_categories(x, c, p);
	xml_put(x, "</g>\n");
	if (!c->x.label)
		return;
	xml_put(x, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"%d\">",
		(p->left + p->right) / 2, label_y, TEXT_PX + 1);
	xml_put_text(x, c->x.label);
	xml_put(x, "</text>\n");
}

static int uses_right(const chart *c)
{
	for (size_t k = 0; k < c->series_count; k++)
		if (c->series[k].right)
			return 1;
	return 0;
}

int chart_has_end_labels(const chart *c)
{
	return c->end_labels && !uses_right(c);
}

/* A direct name stands at the end of its line, so only what has none goes into the legend. One series
 * alone is named by the axis. */
static int in_legend(const chart *c, const chart_series *s)
{
	return s->name && !(chart_has_end_labels(c) && s->mark == CHART_LINE) &&
	       c->series_count > 1;
}

/* Rows of swatches and names, wrapped; x NULL only counts the rows. */
static size_t put_legend(xml_out *x, const chart *c, double left, double right, double y)
{
	size_t rows = 0;
	double at = right;

	for (size_t k = 0; k < c->series_count; k++) {
		const double room =
			LEGEND_SWATCH + 6 + chart_text_px(c->series[k].name, TEXT_PX) + 14;

		if (!in_legend(c, &c->series[k]))
			continue;
		if (rows == 0 || at + room > right + 14) {
			rows++;
			at = left;
		}
		if (x) {
			const double line = y + LINE_PX * (double)(rows - 1);

			chart_put_swatch(x, c, k, at, line - 4, LEGEND_SWATCH);
			xml_put(x, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\">",
				at + LEGEND_SWATCH + 6, line, TEXT_PX);
			xml_put_text(x, c->series[k].name);
			xml_put(x, "</text>\n");
		}
		at += room;
	}
	return rows;
}

static double names_px(const chart *c)
{
	double widest = 0;

	for (size_t k = 0; chart_has_end_labels(c) && k < c->series_count; k++)
		if (c->series[k].mark == CHART_LINE && c->series[k].name)
			widest = fmax(widest, chart_text_px(c->series[k].name, TEXT_PX) + 12);
	return widest;
}

/* What stands beside an axis: marks, their numbers, the label. */
static double axis_px(const chart_mapping *r, const chart_axis *axis)
{
	return TICK_PX + 8 + widest_tick(r) + (axis->label ? TEXT_PX + 10 : 0);
}

static void put_chart(xml_out *x, const chart *c, double width, double height)
{
	const double room = width - 2 * EDGE;
	chart_plot p = { .bars = has_bars(c) };
	const int right = uses_right(c);
	double y = EDGE, names, below;
	size_t rows;
	char note[96];

	xml_put(x, "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n", width, height);
	if (c->title)
		y = put_lines(x, c->title, room, TITLE_PX, EDGE, y + TITLE_PX,
			    "font-weight=\"600\"") -
		    TITLE_PX;
	if (c->subtitle)
		y = put_lines(
			    x, c->subtitle, room, TEXT_PX, EDGE, y + TEXT_PX, "fill=\"" DIM "\"") -
		    TEXT_PX;
	y += 6;
	rows = put_legend(x, c, EDGE, width - EDGE, y + TEXT_PX);
	p.top = y + LINE_PX * (double)rows + (rows ? 10 : 4);

	/* The plot takes what is left; how wide the numbers are depends on how high it is. */
	below = EDGE + TICK_PX + 16 + (c->x.label ? 18 : 0);
	p.bottom = height - below - 60;
	fit_y(c, &p.y, 0, p.bottom - p.top);
	fit_y(c, &p.y2, 1, p.bottom - p.top);
	names = names_px(c);
	p.left = EDGE + axis_px(&p.y, &c->y);
	p.right = width - EDGE - (right ? axis_px(&p.y2, &c->right) : 0) - names;
	if (!right && names == 0)
		p.right -= 10; /* the last number is centred on the end */
	if (p.right < p.left + 20)
		p.right = p.left + 20;
	fit_x(c, &p);
	chart_group_bars(c, &p, note, sizeof(note));
	if (c->categories)
		below += fit_categories(c, &p);
	below += (double)(line_count(c->note, room, TEXT_PX) + (note[0] != 0)) * LINE_PX;
	if (c->note || note[0])
		below += 4;
	p.bottom = fmax(height - below, p.top + 20);
	fit_y(c, &p.y, 0, p.bottom - p.top);
	fit_y(c, &p.y2, 1, p.bottom - p.top);
	p.y.from_px = p.y2.from_px = p.bottom;
	p.y.to_px = p.y2.to_px = p.top;

	put_y_axis(x, c, &p, 0);
	if (right)
		put_y_axis(x, c, &p, 1);
	chart_put_marks(x, c, &p);
	y = height - EDGE - 4 -
	    (double)(line_count(c->note, room, TEXT_PX) + (note[0] != 0)) * LINE_PX;
	if (c->note || note[0])
		y -= 4;
	put_x_axis(x, c, &p, y);
	if (c->note || note[0])
		y += 4;
	y = put_lines(x, c->note, room, TEXT_PX, EDGE, y + LINE_PX, "fill=\"" DIM "\"");
	(void)put_lines(x, note, room, TEXT_PX, EDGE, y, "fill=\"" DIM "\"");
}

/* ---- documents ---- */

static void put_head(xml_out *x, double width, double height, const char *title)
{
	xml_put(x,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
		"viewBox=\"0 0 %g %g\" font-family=\"" FONT "\" fill=\"" INK "\" role=\"img\"",
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
	top = title ? EDGE + (TITLE_PX + 6) * (double)line_count(title, room, TITLE_PX + 2) : 0;
	height = top + h * (double)((count + columns - 1) / columns);
	if (note)
		height += EDGE + LINE_PX * (double)line_count(note, room, TEXT_PX);
	xml_begin(&x, write, opaque);
	put_head(&x, width, height, title);
	xml_put(&x, "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n", width, height);
	(void)put_lines(
		&x, title, room, TITLE_PX + 2, EDGE, EDGE + TITLE_PX, "font-weight=\"600\"");
	for (size_t i = 0; i < count; i++) {
		xml_put(&x, "<g transform=\"translate(%g %g)\">\n", w * (double)(i % columns),
			top + h * (double)(i / columns));
		put_chart(&x, &charts[i], w, h);
		xml_put(&x, "</g>\n");
	}
	(void)put_lines(&x, note, room, TEXT_PX, EDGE,
		height - EDGE - LINE_PX * ((double)line_count(note, room, TEXT_PX) - 1),
		"fill=\"" DIM "\"");
	xml_put(&x, "</svg>\n");
	return xml_end(&x);
}
