#include "apps/common/chart_frame.h"
#include "apps/common/chart_text.h"

#include <math.h>
#include <string.h>

enum { LEGEND_SWATCH_PX = 26 };

#define GRID_COLOUR "#e3e3e3"

static double widest_tick(const chart_mapping *r)
{
	double widest = 0;
	char text[XML_NUMBER_BYTES];

	for (size_t i = 0; i < r->tick_count; i++)
		widest = fmax(widest, chart_text_px(xml_number(text, r->ticks[i]), CHART_TEXT_PX));
	return widest;
}

void chart_put_y_axis(xml_out *x, const chart *c, const chart_plot *p, int right)
{
	const chart_mapping *r = right ? &p->y2 : &p->y;
	const char *label = right ? c->right.label : c->y.label;
	const double edge = right ? p->right : p->left, side = right ? 1 : -1;
	const double at = edge + side * (CHART_TICK_PX + 8 + widest_tick(r) + CHART_TEXT_PX);
	char text[XML_NUMBER_BYTES];

	xml_put(x, "<g font-size=\"%d\" fill=\"" CHART_DIM_COLOUR "\" text-anchor=\"%s\">\n",
		CHART_TEXT_PX, right ? "start" : "end");
	for (size_t i = 0; i < r->tick_count; i++) {
		const double y = chart_px(r, r->ticks[i]);

		if (!right)
			xml_put(x, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"" GRID_COLOUR "\"/>",
				p->left, y, p->right);
		xml_put(x, "<path d=\"M%.1f %.1fh%.0f\" stroke=\"" CHART_DIM_COLOUR "\"/>", edge, y,
			side * CHART_TICK_PX);
		xml_put(x, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
			edge + side * (CHART_TICK_PX + 3), y + 4, xml_number(text, r->ticks[i]));
	}
	xml_put(x, "</g><path d=\"M%.1f %.1fV%.1f\" stroke=\"" CHART_DIM_COLOUR "\"/>\n", edge,
		p->top, p->bottom);
	if (!label)
		return;
	xml_put(x,
		"<text transform=\"translate(%.1f %.1f) rotate(%s)\" text-anchor=\"middle\" "
		"font-size=\"%d\">",
		at, (p->top + p->bottom) / 2, right ? "90" : "-90", CHART_TEXT_PX + 1);
	xml_put_text(x, label);
	xml_put(x, "</text>\n");
}

enum { CATEGORY_LINES_MAX = 3, CATEGORY_PX_MAX = 130 };

double chart_fit_categories(const chart *c, chart_plot *p)
{
	const double slot = (p->right - p->left) / (double)c->category_count;
	double widest = 0;
	size_t lines = 1;

	p->slanted = 0;
	for (size_t i = 0; i < c->category_count; i++) {
		const char *name = c->categories[i] ? c->categories[i] : "";

		if (chart_line_count(name, slot - 6, CHART_TEXT_PX) > lines)
			lines = chart_line_count(name, slot - 6, CHART_TEXT_PX);
		widest = fmax(widest, chart_text_px(name, CHART_TEXT_PX));
		while (*name) {
			const char *line = name;
			const size_t n = chart_next_line(line, slot - 6, CHART_TEXT_PX, &name);

			p->slanted |= chart_bytes_px(line, n, CHART_TEXT_PX) > slot - 4;
		}
	}
	if (lines > CATEGORY_LINES_MAX)
		p->slanted = 1;
	if (p->slanted)
		return fmin(widest, CATEGORY_PX_MAX) * 0.6;
	return (double)(lines - 1) * CHART_LINE_PX;
}

static void put_slanted(xml_out *x, const char *name, double at, double y)
{
	size_t bytes = strlen(name);
	char text[256];

	while (chart_bytes_px(name, bytes, CHART_TEXT_PX) > CATEGORY_PX_MAX ||
		bytes >= sizeof(text) - 4)
		bytes--;
	while (bytes < strlen(name) && bytes && ((unsigned char)name[bytes] & 0xc0) == 0x80)
		bytes--; /* keep whole UTF-8 characters */
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
	/* A slanted name needs the height of a line. If the slots are narrower, some names are left
	 * out. */
	const size_t stride = p->slanted ? (size_t)ceil(CHART_LINE_PX / slot) : 1;

	for (size_t i = 0; i < c->category_count; i += stride) {
		const double at = chart_px(&p->x, (double)i), y = p->bottom + CHART_TICK_PX + 13;
		const char *name = c->categories[i] ? c->categories[i] : "";

		if (p->slanted)
			put_slanted(x, name, at, y);
		else
			(void)chart_put_lines(
				x, name, slot - 6, CHART_TEXT_PX, at, y, "text-anchor=\"middle\"");
	}
}

void chart_put_x_axis(xml_out *x, const chart *c, const chart_plot *p, double label_y)
{
	char text[XML_NUMBER_BYTES];

	xml_put(x, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"" CHART_DIM_COLOUR "\"/>\n", p->left,
		p->bottom, p->right);
	xml_put(x, "<g font-size=\"%d\" fill=\"" CHART_DIM_COLOUR "\">\n", CHART_TEXT_PX);
	for (size_t i = 0; i < p->x.tick_count; i++) {
		const double at = chart_px(&p->x, p->x.ticks[i]);

		xml_put(x, "<path d=\"M%.1f %.1fv%d\" stroke=\"" CHART_DIM_COLOUR "\"/>", at,
			p->bottom, CHART_TICK_PX);
		xml_put(x, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", at,
			p->bottom + CHART_TICK_PX + 13, xml_number(text, p->x.ticks[i]));
	}
	if (c->categories)
		put_categories(x, c, p);
	xml_put(x, "</g>\n");
	if (!c->x.label)
		return;
	xml_put(x, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"%d\">",
		(p->left + p->right) / 2, label_y, CHART_TEXT_PX + 1);
	xml_put_text(x, c->x.label);
	xml_put(x, "</text>\n");
}

int chart_uses_right(const chart *c)
{
	for (size_t k = 0; k < c->series_count; k++)
		if (c->series[k].right)
			return 1;
	return 0;
}

int chart_has_end_labels(const chart *c)
{
	return c->end_labels && !chart_uses_right(c);
}

/* Returns 1 for a series that the legend shows. Names at the ends of lines replace it, and a single
 * series is named by the axis. */
static int in_legend(const chart *c, const chart_series *s)
{
	return s->name && !(chart_has_end_labels(c) && s->mark == CHART_LINE) &&
	       c->series_count > 1;
}

size_t chart_put_legend(xml_out *x, const chart *c, double left, double right, double y)
{
	size_t rows = 0;
	double at = right;

	for (size_t k = 0; k < c->series_count; k++) {
		const double entry_px =
			LEGEND_SWATCH_PX + 6 + chart_text_px(c->series[k].name, CHART_TEXT_PX) + 14;
		double line;

		if (!in_legend(c, &c->series[k]))
			continue;
		if (rows == 0 || at + entry_px > right + 14) {
			rows++;
			at = left;
		}
		line = y + CHART_LINE_PX * (double)(rows - 1);
		chart_put_swatch(x, c, k, at, line - 4, LEGEND_SWATCH_PX);
		xml_put(x, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\">",
			at + LEGEND_SWATCH_PX + 6, line, CHART_TEXT_PX);
		xml_put_text(x, c->series[k].name);
		xml_put(x, "</text>\n");
		at += entry_px;
	}
	return rows;
}

double chart_end_labels_px(const chart *c)
{
	double widest = 0;

	for (size_t k = 0; chart_has_end_labels(c) && k < c->series_count; k++)
		if (c->series[k].mark == CHART_LINE && c->series[k].name)
			widest = fmax(widest, chart_text_px(c->series[k].name, CHART_TEXT_PX) + 12);
	return widest;
}

double chart_axis_px(const chart_mapping *r, const chart_axis *axis)
{
	return CHART_TICK_PX + 8 + widest_tick(r) + (axis->label ? CHART_TEXT_PX + 10 : 0);
}
