/* Timelines of services as SVG: for each member a line for the host, and the bands of its jobs. */
#include <inttypes.h>
#include <string.h>
#include "libsched/core/jobs_trace.h"
#include "libsched/core/sized.h"
#include "libsched/core/svg_panel.h"

enum {
	SPANS_MAX = 4000,
	HOST_PX = 20, /* the host's line, above the rows */
	ROW_PX_MAX = 16,
	ROWS_PX = 640, /* height of all rows */
	LETTER_PX = 7,
	NAMED_ROW_PX = 12 /* a row with names in its bands */
};

#define OPTIONS_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_svg_options, aligned)

typedef struct picture {
	lsched_i_xml w;
	jobs_view v;
	const lsched_jobs *jobs;
	const char *const *kinds;
	double row_px, height;
	double top[JOBS_MEMBERS_MOST]; /* of the first row of each member */
} picture;

/* The hues of the first kinds are far apart. */
static uint32_t hue_of(uint32_t kind)
{
	return (2 + kind * 7) % TIMELINE_HUES;
}

static const char *colour_of(char text[8], uint32_t kind, uint32_t level)
{
	return lsched_i_panel_colour(text, hue_of(kind), level);
}

static double px_of(const picture *p, uint64_t ns)
{
	const double span = (double)(p->v.last_ns - p->v.first_ns);
	const double px = (double)(ns - p->v.first_ns) * TIMELINE_PX / (span > 0 ? span : 1);

	return TIMELINE_LEFT + (px < TIMELINE_PX ? px : TIMELINE_PX);
}

static double row_top(const picture *p, const jobs_span *s)
{
	return p->top[lsched_i_jobs_span_member(s)] + s->row * p->row_px;
}

static void lay_out(picture *p)
{
	uint32_t rows = 1;
	double y = TIMELINE_HEAD;

	for (uint32_t k = 0; k < p->jobs->member_count; k++)
		rows += p->v.rows[k];
	p->row_px = (double)ROWS_PX / rows < ROW_PX_MAX ? (double)ROWS_PX / rows : ROW_PX_MAX;
	for (uint32_t k = 0; k < p->jobs->member_count; k++) {
		p->top[k] = y + TIMELINE_NAME_PX + HOST_PX;
		y = p->top[k] + p->v.rows[k] * p->row_px + TIMELINE_BETWEEN;
	}
	p->height = y + TIMELINE_FOOT;
}

static void put_title(picture *p, const char *title)
{
	lsched_i_svg_put_title(&p->w);
	if (title) {
		lsched_i_xml_put_text(&p->w, title);
	} else {
		lsched_i_xml_put(&p->w, "jobs of ");
		lsched_i_xml_put_text(&p->w, p->jobs->member[0].run->program->name);
	}
	lsched_i_xml_put(&p->w, "</text>\n");
}

/* Writes the names of the kinds that occur, as far as there is space, and the other marks. */
static void put_legend(picture *p)
{
	uint8_t used[LSCHED_JOB_KINDS] = { 0 };
	char name[16], colour[8], pale[8];
	size_t x = TIMELINE_LEFT;

	for (uint32_t k = 0; k < p->v.spans; k++)
		used[p->v.span[k].kind] = 1;
	for (uint32_t k = 0; k < LSCHED_JOB_KINDS; k++) {
		const char *text = lsched_i_jobs_kind_name(name, p->kinds, k);

		if (!used[k] || x + 60 + strlen(text) * LETTER_PX > TIMELINE_PX / 2)
			continue;
		lsched_i_xml_put(&p->w,
			"<rect x=\"%zu\" y=\"44\" width=\"12\" height=\"12\" fill=\"%s\"/>"
			"<rect x=\"%zu\" y=\"44\" width=\"16\" height=\"12\" fill=\"%s\"/>"
			"<text x=\"%zu\" y=\"54\">",
			x, colour_of(pale, k, 1), x + 12, colour_of(colour, k, TIMELINE_LEVELS),
			x + 34);
		lsched_i_xml_put_text(&p->w, text);
		lsched_i_xml_put(&p->w, "</text>\n");
		x += 60 + strlen(text) * LETTER_PX;
	}
	lsched_i_xml_put(&p->w,
		"<text x=\"%zu\" y=\"54\">pale: from the post to the first root; arrows: messages "
		"that the host receives</text>\n",
		x);
	if (p->v.dropped) {
		lsched_i_xml_put(&p->w, "<text x=\"%d\" y=\"72\">", TIMELINE_LEFT);
		lsched_i_svg_put_count(&p->w, p->v.dropped);
		lsched_i_xml_put(&p->w, " later jobs and messages are not shown.</text>\n");
	}
}

/* Writes the name of a member and its lines. */
static void put_member(picture *p, uint32_t member)
{
	const double top = p->top[member];
	uint32_t jobs = 0;

	for (uint32_t k = 0; k < p->v.spans; k++)
		jobs += lsched_i_jobs_span_member(p->v.span + k) == member;
	lsched_i_xml_put(&p->w, "<text x=\"%d\" y=\"%.1f\" font-weight=\"600\">", TIMELINE_LEFT,
		top - HOST_PX - 6);
	lsched_i_xml_put_text(&p->w, lsched_ctx_device_name(p->jobs->member[member].ctx));
	lsched_i_xml_put(&p->w, "</text><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
		TIMELINE_LEFT + TIMELINE_PX, top - HOST_PX - 6);
	lsched_i_svg_put_count(&p->w, jobs);
	lsched_i_xml_put(&p->w,
		" jobs</text>\n<path d=\"M%d %.1fh%d\" stroke=\"#555\"/>"
		"<g text-anchor=\"end\"><text x=\"%d\" y=\"%.1f\">host</text>"
		"<text x=\"%d\" y=\"%.1f\">jobs</text></g>\n",
		TIMELINE_LEFT, top - HOST_PX, TIMELINE_PX, TIMELINE_LEFT - 7, top - HOST_PX + 4,
		TIMELINE_LEFT - 7, top + 12);
}

static void put_bar(picture *p, uint64_t from_ns, uint64_t to_ns, double y, const char *colour)
{
	const double x = px_of(p, from_ns), width = px_of(p, to_ns) - x;

	lsched_i_xml_put(&p->w,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>", x, y,
		width > 0.3 ? width : 0.3, p->row_px > 3 ? p->row_px - 1 : p->row_px, colour);
}

/* Writes a band with its tooltip, and its name if there is space. */
static void put_span(picture *p, const jobs_span *s)
{
	const uint64_t begun = lsched_i_jobs_span_begun_ns(s);
	const double y = row_top(p, s), x = px_of(p, begun);
	char name[16], colour[8];
	const char *text = lsched_i_jobs_kind_name(name, p->kinds, s->kind);

	lsched_i_xml_put(&p->w, "<g><title>");
	lsched_i_xml_put_text(&p->w, text);
	lsched_i_xml_put(&p->w, ", job 0x%" PRIx64 ": waited ", s->id);
	lsched_i_svg_put_time(&p->w, begun - s->due_ns);
	lsched_i_xml_put(&p->w, ", ran ");
	lsched_i_svg_put_time(&p->w, s->end_ns - begun);
	lsched_i_xml_put(
		&p->w, ", %s%s</title>", lsched_i_jobs_end_name(s), s->late ? ", late" : "");
	if (begun > s->due_ns)
		put_bar(p, s->due_ns, begun, y, colour_of(colour, s->kind, 1));
	if (s->start_ns)
		put_bar(p, begun, s->end_ns, y, colour_of(colour, s->kind, TIMELINE_LEVELS));
	if (p->row_px >= NAMED_ROW_PX &&
		px_of(p, s->end_ns) - x > (double)(strlen(text) + 1) * LETTER_PX) {
		lsched_i_xml_put(&p->w, "<text x=\"%.1f\" y=\"%.1f\"%s>", x + 4, y + p->row_px - 4,
			hue_of(s->kind) < TIMELINE_HUES / 2 ? " fill=\"#fff\"" : "");
		lsched_i_xml_put_text(&p->w, text);
		lsched_i_xml_put(&p->w, "</text>");
	}
	lsched_i_xml_put(&p->w, "</g>\n");
}

/* Writes the shafts of all arrows, or their heads, as one path. */
static void put_arrows(picture *p, int heads)
{
	lsched_i_xml_put(&p->w,
		heads ? "<path fill=\"#a33\" d=\"" : "<path fill=\"none\" stroke=\"#a33\" d=\"");
	for (uint32_t k = 0; k < p->v.arrows; k++) {
		const jobs_arrow *a = p->v.arrow + k;
		const double x = px_of(p, a->ns);
		double host;

		if (!a->span)
			continue;
		host = p->top[lsched_i_jobs_span_member(a->span)] - HOST_PX;
		if (heads)
			lsched_i_xml_put(&p->w, "M%.1f %.1fl-2.5 6h5z", x, host);
		else
			lsched_i_xml_put(&p->w, "M%.1f %.1fL%.1f %.1f",
				px_of(p, lsched_i_jobs_arrow_ns(a)), row_top(p, a->span), x,
				host + 6);
	}
	lsched_i_xml_put(&p->w, "\"/>\n");
}

static lsched_status draw(picture *p, const char *title)
{
	lay_out(p);
	lsched_i_svg_begin(&p->w, p->height);
	put_title(p, title);
	put_legend(p);
	for (uint32_t k = 0; k < p->jobs->member_count; k++)
		put_member(p, k);
	for (uint32_t k = 0; k < p->v.spans; k++)
		put_span(p, p->v.span + k);
	put_arrows(p, 0);
	put_arrows(p, 1);
	if (p->v.last_ns > p->v.first_ns)
		lsched_i_svg_put_axis(&p->w, p->height, p->v.last_ns - p->v.first_ns);
	return lsched_i_svg_end(&p->w);
}

lsched_status lsched_jobs_trace_write_svg(
	lsched_jobs *jobs, const lsched_svg_options *options, lsched_write_fn write, void *opaque)
{
	lsched_svg_options o = { sizeof(o), NULL, NULL, 0 };
	lsched_status st;
	picture p;

	if (!jobs || !write ||
		(options && lsched_i_sized_in(&o, sizeof(o), OPTIONS_LEAST_BYTES, options)))
		return LSCHED_ERR_ARG;
	p.jobs = jobs;
	p.kinds = o.labels;
	lsched_i_xml_begin(&p.w, write, opaque);
	st = lsched_i_jobs_view_open(&p.v, jobs, SPANS_MAX);
	if (st == LSCHED_OK)
		st = draw(&p, o.title);
	lsched_i_jobs_view_close(&p.v);
	return st;
}
