/* The parts of timelines that timeline.h describes. */
#include "libsched/core/timeline.h"
#include <inttypes.h>
#include <stdio.h>

#define FONT "system-ui,-apple-system,&quot;Segoe UI&quot;,Roboto,Helvetica,Arial,sans-serif"

void lsched_i_svg_begin(lsched_i_xml *w, double height)
{
	const int width = TIMELINE_LEFT + TIMELINE_PX + TIMELINE_RIGHT;

	lsched_i_xml_put(w,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
		"viewBox=\"0 0 %d %.0f\" font-family=\"" FONT "\" font-size=\"12\" fill=\"#222\" "
		"role=\"img\" aria-label=\"timeline\">\n"
		"<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n",
		width, height, width, height, width, height);
}

void lsched_i_svg_put_title(lsched_i_xml *w)
{
	lsched_i_xml_put(
		w, "<text x=\"%d\" y=\"28\" font-size=\"17\" font-weight=\"600\">", TIMELINE_LEFT);
}

void lsched_i_svg_put_count(lsched_i_xml *w, uint64_t n)
{
	char digits[24];
	const int count = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < count; i++)
		lsched_i_xml_put(w, "%s%c", i && (count - i) % 3 == 0 ? "," : "", digits[i]);
}

typedef struct time_unit {
	const char *name;
	double ns;
} time_unit;

static time_unit unit_of(uint64_t span_ns)
{
	static const time_unit units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "\xc2\xb5s", 1e3 },
		{ "ns", 1 } };
	size_t i = 0;

	while (i < 3 && (double)span_ns < 2 * units[i].ns)
		i++;
	return units[i];
}

void lsched_i_svg_put_time(lsched_i_xml *w, uint64_t ns)
{
	const time_unit u = unit_of(ns);

	lsched_i_xml_put(w, "%.4g %s", (double)ns / u.ns, u.name);
}

void lsched_i_svg_put_axis(lsched_i_xml *w, double height, uint64_t span_ns)
{
	const time_unit u = unit_of(span_ns);
	const double y = height - TIMELINE_FOOT - TIMELINE_BETWEEN + 8, span = (double)span_ns;
	double step = 1;

	while (step * 10 < span)
		step *= 10;
	if (span / step < 2)
		step /= 5;
	else if (span / step < 5)
		step /= 2;
	if (step < 1)
		step = 1;
	lsched_i_xml_put(w, "<path d=\"M%d %.1fh%d\" stroke=\"#555\"/><g text-anchor=\"middle\">\n",
		TIMELINE_LEFT, y, TIMELINE_PX);
	for (double t = 0; t <= span * (1 + 1e-9); t += step)
		lsched_i_xml_put(w,
			"<path d=\"M%.1f %.1fv5\" stroke=\"#555\"/>"
			"<text x=\"%.1f\" y=\"%.1f\">%.6g</text>\n",
			TIMELINE_LEFT + t * TIMELINE_PX / span, y,
			TIMELINE_LEFT + t * TIMELINE_PX / span, y + 18, t / u.ns);
	lsched_i_xml_put(w, "<text x=\"%d\" y=\"%.1f\" font-size=\"13\">time (%s)</text></g>\n",
		TIMELINE_LEFT + TIMELINE_PX / 2, y + 36, u.name);
}

lsched_status lsched_i_svg_end(lsched_i_xml *w)
{
	lsched_i_xml_put(w, "</svg>\n");
	return lsched_i_xml_end(w) ? LSCHED_ERR_ARG : LSCHED_OK;
}

void lsched_i_timeline_begin_event(
	lsched_i_json *j, const char *phase, const char *name, int pid, uint32_t tid, uint64_t ns)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_text(j, "ph", phase);
	lsched_i_json_text(j, "name", name);
	lsched_i_json_sint(j, "pid", pid);
	lsched_i_json_uint(j, "tid", tid);
	lsched_i_json_thousandths(j, "ts", ns);
}

void lsched_i_timeline_begin(lsched_i_json *j, lsched_write_fn write, void *opaque)
{
	lsched_i_json_begin(j, write, opaque);
	j->compact = 1;
	lsched_i_json_object(j, NULL);
	lsched_i_json_text(j, "displayTimeUnit", "ns");
	lsched_i_json_array(j, "traceEvents");
}

int lsched_i_timeline_end(lsched_i_json *j)
{
	lsched_i_json_line_close(j);
	lsched_i_json_close(j);
	return lsched_i_json_end(j);
}

void lsched_i_timeline_put_name(
	lsched_i_json *j, const char *kind, int pid, int64_t tid, const char *name)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_text(j, "ph", "M");
	lsched_i_json_sint(j, "pid", pid);
	if (tid >= 0)
		lsched_i_json_sint(j, "tid", tid);
	lsched_i_json_text(j, "name", kind);
	lsched_i_json_object(j, "args");
	lsched_i_json_text(j, "name", name);
	lsched_i_json_close(j);
	lsched_i_json_close(j);
}
