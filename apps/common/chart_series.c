#include "apps/common/chart_series.h"

#include <math.h>

/* The colours of Okabe and Ito that contrast with white; readers with colour blindness can
 * distinguish them. */
static const char *const colours[CHART_COLOURS] = { "#0072b2", "#d55e00", "#009e73", "#b0559b",
	"#e69f00", "#3fa0dd", "#333333", "#8a5a2b" };
#define MUTED "#c4c8cc"

size_t chart_colour_number(const chart *c, size_t series)
{
	size_t n = 0;

	for (size_t k = 0; k < series; k++)
		n += !c->series[k].muted;
	return n;
}

const char *chart_colour(const chart *c, size_t series)
{
	return c->series[series].muted ? MUTED
				       : colours[chart_colour_number(c, series) % CHART_COLOURS];
}

const char *chart_dashes(const chart *c, size_t series)
{
	if (c->series[series].dashed)
		return " stroke-dasharray=\"2 4\"";
	return chart_colour_number(c, series) >= CHART_COLOURS ? " stroke-dasharray=\"8 4\"" : "";
}

double chart_x_value(const chart_series *s, size_t i)
{
	return s->x ? s->x[i] : (double)i;
}

const chart_mapping *chart_y_mapping(const chart_plot *p, const chart_series *s)
{
	return s->right ? &p->y2 : &p->y;
}

int chart_is_drawn(const chart_plot *p, const chart_series *s, size_t i)
{
	return chart_in_domain(p->x.kind, chart_x_value(s, i)) &&
	       chart_in_domain(chart_y_mapping(p, s)->kind, s->y[i]);
}

double chart_limit_px(double px)
{
	return fmin(fmax(px, -20000), 20000);
}

double chart_px_x(const chart_plot *p, const chart_series *s, size_t i)
{
	return chart_limit_px(chart_px(&p->x, chart_x_value(s, i)));
}

double chart_px_y(const chart_plot *p, const chart_series *s, size_t i)
{
	return chart_limit_px(chart_px(chart_y_mapping(p, s), s->y[i]));
}

static const char *category_of(const chart *c, double x)
{
	return c->categories && x >= 0 && x < (double)c->category_count ? c->categories[(size_t)x]
									: NULL;
}

void chart_put_tooltip(xml_out *o, const chart *c, const chart_series *s, double x, double y)
{
	const char *category = category_of(c, x);
	char number[XML_NUMBER_BYTES];

	xml_put(o, "<title>");
	if (s->name) {
		xml_put_text(o, s->name);
		xml_put(o, ", ");
	}
	xml_put_text(o, category ? category : xml_number(number, x));
	xml_put(o, ": %s</title>", xml_number(number, y));
}
