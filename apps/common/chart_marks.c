#include "apps/common/chart_marks.h"
#include "apps/common/chart_series.h"

void chart_put_swatch(
	xml_out *x, const chart *c, size_t series, double left, double y, double width)
{
	if (c->series[series].mark == CHART_BAR) {
		xml_put(x, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"10\" fill=\"%s\"/>\n",
			left + width - 14, y - 5, chart_colour(c, series));
		return;
	}
	xml_put(x, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", left, y,
		width, chart_colour(c, series), chart_dashes(c, series));
	if (!c->series[series].no_markers && !c->series[series].dashed) {
		chart_open_marker(x, c, series, left + width / 2, y);
		xml_put(x, "/>\n");
	}
}

void chart_put_marks(xml_out *x, const chart *c, const chart_plot *p)
{
	const double left = p->left - 6, top = p->top - 6;
	size_t nth = 0, measured = 0;

	/* An inner <svg> clips the marks to the plot; a clip path would need an id. */
	xml_put(x,
		"<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f "
		"%.1f %.1f\">\n",
		left, top, p->right - left + 6, p->bottom - top + 6, left, top, p->right - left + 6,
		p->bottom - top + 6);

	for (size_t k = 0; k < c->series_count; k++)
		if (c->series[k].mark == CHART_BAR)
			chart_put_bars(x, c, p, k, nth++);
	for (size_t k = 0; k < c->series_count; k++)
		if (c->series[k].mark == CHART_LINE)
			chart_put_line(x, c, p, k);
	xml_put(x, "</svg>\n");
	nth = 0;
	for (size_t k = 0; c->value_labels && p->bar_group == 1 && k < c->series_count; k++)
		if (c->series[k].mark == CHART_BAR)
			chart_put_bar_values(x, c, p, k, nth++);
	for (size_t k = 0; k < c->series_count; k++)
		for (size_t i = 0; i < c->series[k].count; i++)
			measured += chart_is_drawn(p, &c->series[k], i) != 0;
	if (measured == 0)
		xml_put(x,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"13\" "
			"fill=\"#777\">nothing was measured</text>\n",
			(p->left + p->right) / 2, (p->top + p->bottom) / 2);
	if (chart_has_end_labels(c))
		chart_put_end_labels(x, c, p);
}
