/* Timelines as SVG: the layout of the picture, its texts and its time axis; svg_panel.c draws the
 * tasks. The picture has no ids and its own background, so that an HTML page can contain
 * several. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/sized.h"
#include "libsched/core/svg_panel.h"

enum {
	RUNS_MAX = 16,
	LOAD_PX = 26,       /* the graph of busy workers below a panel */
	PROCEDURES_PX = 18, /* the line of the procedures above a panel that has several */
	LANE_PX_MAX = 16,
	LANES_PX = 640, /* height of all lanes, unless PANEL_PX_MIN needs more */
	PANEL_PX_MIN = 60,
	TASKS_MAX = 4000, /* limits for one rectangle per task: tasks, */
	LANE_PX_MIN = 3   /* height of a lane */
};

/* Size of the options in the first version that has them. */
#define OPTIONS_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_svg_options, aligned)

typedef struct picture {
	lsched_i_xml w;
	lsched_i_panel panel[RUNS_MAX];
	const char *label[RUNS_MAX];
	uint32_t panels;
	size_t hidden_runs;
	uint64_t span_ns; /* of the time axis */
	uint64_t dropped;
	int draw_each_task;       /* one rectangle per task */
	uint32_t workers_per_row; /* largest number */
	double height;
} picture;

/* ---- layout ---- */

/* Returns the first event of a clock. CPU and GPU have different clocks, and the time of each
 * begins at its first event. */
static uint64_t first_of_clock(const picture *p, lsched_backend backend)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < p->panels; i++)
		if (p->panel[i].lanes && p->panel[i].info.backend == backend &&
			p->panel[i].first_ns < first)
			first = p->panel[i].first_ns;
	return first;
}

/* Whether a finished run has events. */
static int recorded(const lsched_run *run)
{
	const lsched_event *events;

	return lsched_run_events(run, &events) != 0;
}

static lsched_status open_panels(
	picture *p, lsched_run *const *runs, size_t n, const lsched_svg_options *o)
{
	size_t shown = 0;

	for (size_t i = 0; i < n; i++)
		shown += recorded(runs[i]);
	for (size_t i = 0; i < n; i++) {
		lsched_status st;

		/* a run of which nothing was recorded: only in a picture without tasks */
		if (shown && runs[i] && !runs[i]->started && !recorded(runs[i]))
			continue;
		if (p->panels == RUNS_MAX) {
			p->hidden_runs++;
			continue;
		}
		p->label[p->panels] = o->labels ? o->labels[i] : NULL;
		st = lsched_i_panel_open(&p->panel[p->panels++], runs[i]);
		if (st != LSCHED_OK)
			return st;
	}
	for (uint32_t i = 0; i < p->panels; i++) {
		lsched_i_panel *a = &p->panel[i];

		if (a->lanes == 0)
			continue;
		p->dropped += a->info.trace_dropped;
		a->base_ns = o->aligned ? a->first_ns : first_of_clock(p, a->info.backend);
		if (a->last_ns - a->base_ns > p->span_ns)
			p->span_ns = a->last_ns - a->base_ns;
	}
	return LSCHED_OK;
}

static void lay_out(picture *p)
{
	const uint32_t n = p->panels ? p->panels : 1;
	const double room = LANES_PX / n > PANEL_PX_MIN ? LANES_PX / n : PANEL_PX_MIN;
	size_t tasks = 0;
	double y = TIMELINE_HEAD;

	p->draw_each_task = 1;
	for (uint32_t i = 0; i < p->panels; i++) {
		lsched_i_panel *a = &p->panel[i];
		double lane_px;

		a->span_ns = p->span_ns;
		a->top = y + TIMELINE_NAME_PX + (a->procedures ? PROCEDURES_PX : 0);
		if (a->lanes == 0) {
			y += TIMELINE_NAME_PX + TIMELINE_BETWEEN;
			continue;
		}
		tasks += a->event_count;
		lane_px = room / a->lanes < LANE_PX_MAX ? room / a->lanes : LANE_PX_MAX;
		p->draw_each_task &= lane_px >= LANE_PX_MIN;
		a->rows = a->lanes < TIMELINE_ROWS_MAX / n ? a->lanes : TIMELINE_ROWS_MAX / n;
		a->height = lane_px * a->lanes;
		if ((a->lanes + a->rows - 1) / a->rows > p->workers_per_row)
			p->workers_per_row = (a->lanes + a->rows - 1) / a->rows;
		y = a->top + a->height + 4 + LOAD_PX + TIMELINE_BETWEEN;
	}
	p->draw_each_task &= tasks <= TASKS_MAX;
	p->height = y + TIMELINE_FOOT;
}

/* ---- parts ---- */

static void put_title(picture *p, const char *title)
{
	lsched_i_svg_put_title(&p->w);
	if (title) {
		lsched_i_xml_put_text(&p->w, title);
	} else if (p->panels) {
		lsched_i_xml_put_text(&p->w, p->panel[0].info.device_name);
		for (uint32_t i = 0; i < p->panels; i++) {
			const char *name = p->panel[i].info.program;
			int printed = 0;

			for (uint32_t k = 0; k < i && !printed; k++)
				printed = strcmp(p->panel[k].info.program, name) == 0;
			if (!printed) {
				lsched_i_xml_put(&p->w, i ? ", " : ": ");
				lsched_i_xml_put_text(&p->w, name);
			}
		}
	} else {
		lsched_i_xml_put(&p->w, "no runs");
	}
	lsched_i_xml_put(&p->w, "</text>\n");
}

/* Writes the meaning of the colours. */
static void put_legend(picture *p)
{
	enum { TASKS = 1, BATCHES = 2, PROCEDURES = 4 };
	static const char *const texts[] = { "task number", "task number", "items in a batch",
		"task number, or items in a batch,", "procedure number", "task or procedure number",
		"procedure, or items in a batch,", "task, procedure, or items in a batch," };
	unsigned what = 0;
	char colour[8];

	for (uint32_t i = 0; i < p->panels; i++)
		what |= p->panel[i].procedures   ? PROCEDURES
			: p->panel[i].info.items ? BATCHES
						 : TASKS;
	for (uint32_t h = 0; h < TIMELINE_HUES; h++)
		lsched_i_xml_put(&p->w,
			"<rect x=\"%" PRIu32 "\" y=\"44\" width=\"12\" height=\"12\" fill=\"%s\"/>",
			TIMELINE_LEFT + h * 12, lsched_i_panel_colour(colour, h, TIMELINE_LEVELS));
	lsched_i_xml_put(&p->w,
		"\n<text x=\"%d\" y=\"54\">%s of each run, least to largest</text>\n"
		"<rect x=\"%d\" y=\"44.5\" width=\"24\" height=\"11\" fill=\"#fff\" "
		"stroke=\"#bbb\"/><text x=\"%d\" y=\"54\">idle</text>\n"
		"<rect x=\"%d\" y=\"44\" width=\"24\" height=\"12\" fill=\"#9aa3ab\"/>"
		"<text x=\"%d\" y=\"54\">part of the workers that is busy</text>\n",
		TIMELINE_LEFT + TIMELINE_HUES * 12 + 8, texts[what], TIMELINE_LEFT + 480,
		TIMELINE_LEFT + 512, TIMELINE_LEFT + 570, TIMELINE_LEFT + 602);
}

static void put_notes(picture *p)
{
	lsched_i_xml_put(&p->w, "<text x=\"%d\" y=\"72\">", TIMELINE_LEFT);
	if (!p->draw_each_task && p->panels) {
		lsched_i_xml_put(&p->w, "Tasks within one pixel are drawn together");
		if (p->workers_per_row > 1)
			lsched_i_xml_put(&p->w, ", and up to %" PRIu32 " workers share a row",
				p->workers_per_row);
		lsched_i_xml_put(&p->w, ": a paler colour means more idle time. ");
	}
	if (p->dropped) {
		lsched_i_svg_put_count(&p->w, p->dropped);
		lsched_i_xml_put(&p->w, " later tasks were not recorded. ");
	}
	if (p->hidden_runs)
		lsched_i_xml_put(&p->w, "%zu more runs are not shown. ", p->hidden_runs);
	lsched_i_xml_put(&p->w, "</text>\n");
}

/* Writes the procedures of a run that have batches: colours, names, parts of the time, fill. */
static void put_procedures(picture *p, const lsched_i_panel *a)
{
	char colour[8], text[24];

	lsched_i_xml_put(&p->w,
		"<text x=\"%d\" y=\"%.1f\" font-size=\"11\">time, items in a batch:", TIMELINE_LEFT,
		a->top - 7);
	for (uint32_t i = 0; i < a->procedures; i++) {
		if (a->of[i].batches == 0)
			continue;
		lsched_i_xml_put(&p->w, " &#160;<tspan fill=\"%s\">\xe2\x96\xa0</tspan> ",
			lsched_i_panel_colour(
				colour, lsched_i_panel_procedure_hue(a, i), TIMELINE_LEVELS));
		lsched_i_xml_put_text(
			&p->w, lsched_i_procedure_label(a->program, i, text, sizeof(text)));
		lsched_i_xml_put(&p->w, " %.0f %%, %.1f",
			100 * (double)a->of[i].busy_ns / (double)a->busy_ns,
			(double)a->of[i].items / (double)a->of[i].batches);
	}
	lsched_i_xml_put(&p->w, "</text>\n");
}

/* Writes the name and the totals of a run. */
static void put_name(picture *p, const lsched_i_panel *a, const char *label)
{
	const uint64_t span = a->last_ns - a->first_ns;
	const int items = a->info.items;
	const uint64_t dropped = a->lanes ? a->info.trace_dropped : 0;

	lsched_i_xml_put(&p->w,
		"<text x=\"%d\" y=\"%.1f\" font-size=\"13\"><tspan font-weight=\"600\">",
		TIMELINE_LEFT, a->top - 7 - (a->procedures ? PROCEDURES_PX : 0));
	lsched_i_xml_put_text(&p->w, label ? label : a->info.program);
	lsched_i_xml_put(&p->w, "</tspan>&#160;&#160; ");
	if (a->lanes == 0) {
		lsched_i_xml_put(&p->w, "no task was recorded</text>\n");
		return;
	}
	lsched_i_svg_put_count(&p->w, a->event_count);
	lsched_i_xml_put(&p->w, "%s %s%s, ", dropped ? " recorded" : "", items ? "batch" : "task",
		a->event_count == 1 ? ""
		: items             ? "es"
				    : "s");
	lsched_i_svg_put_count(&p->w, a->lanes);
	lsched_i_xml_put(&p->w, " worker%s, ", a->lanes == 1 ? "" : "s");
	lsched_i_svg_put_time(&p->w, span);
	lsched_i_xml_put(&p->w, ", utilisation %.1f %%</text>\n",
		100 * (double)a->busy_ns / ((double)span * a->lanes));
	if (a->procedures)
		put_procedures(p, a);
}

static void put_panel(picture *p, const lsched_i_panel *a, const char *label)
{
	const double load = a->top + a->height + 4;

	put_name(p, a, label);
	if (a->lanes == 0)
		return;
	if (p->draw_each_task)
		lsched_i_panel_put_tasks(&p->w, a, TIMELINE_LEFT);
	else
		lsched_i_panel_put_cells(&p->w, a, TIMELINE_LEFT);
	lsched_i_panel_put_lanes(&p->w, a, TIMELINE_LEFT);
	lsched_i_xml_put(&p->w,
		"<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"none\" "
		"stroke=\"#bbb\"/>\n",
		TIMELINE_LEFT, a->top, TIMELINE_PX, a->height);
	lsched_i_panel_put_load(&p->w, a, TIMELINE_LEFT, load, LOAD_PX);
	lsched_i_xml_put(&p->w,
		"<g text-anchor=\"end\" font-size=\"10\"><text x=\"%d\" y=\"%.1f\">100 %%</text>"
		"<text x=\"%d\" y=\"%.1f\">0</text></g><path d=\"M%d %.1fh%d\" stroke=\"#bbb\"/>\n",
		TIMELINE_LEFT - 7, load + 8, TIMELINE_LEFT - 7, load + LOAD_PX + 1, TIMELINE_LEFT,
		load + LOAD_PX, TIMELINE_PX);
}

static lsched_status draw(
	picture *p, lsched_run *const *runs, size_t n, const lsched_svg_options *o)
{
	lsched_status st = open_panels(p, runs, n, o);

	if (st != LSCHED_OK)
		return st;
	lay_out(p);
	for (uint32_t i = 0; i < p->panels && st == LSCHED_OK; i++)
		if (p->panel[i].lanes)
			st = lsched_i_panel_fill(&p->panel[i]);
	if (st != LSCHED_OK)
		return st;
	lsched_i_svg_begin(&p->w, p->height);
	put_title(p, o->title);
	put_legend(p);
	put_notes(p);
	for (uint32_t i = 0; i < p->panels; i++)
		put_panel(p, &p->panel[i], p->label[i]);
	if (p->span_ns)
		lsched_i_svg_put_axis(&p->w, p->height, p->span_ns);
	return lsched_i_svg_end(&p->w);
}

lsched_status lsched_trace_write_svg(lsched_run *const *runs, size_t run_count,
	const lsched_svg_options *options, lsched_write_fn write, void *opaque)
{
	lsched_svg_options o = { sizeof(o), NULL, NULL, 0 };
	lsched_status st;
	picture *p;

	if ((!runs && run_count) || !write ||
		(options && lsched_i_sized_in(&o, sizeof(o), OPTIONS_LEAST_BYTES, options)))
		return LSCHED_ERR_ARG;
	p = (picture *)calloc(1, sizeof(*p));
	if (!p)
		return LSCHED_ERR_NOMEM;
	lsched_i_xml_begin(&p->w, write, opaque);
	st = draw(p, runs, run_count, &o);
	for (uint32_t i = 0; i < p->panels; i++)
		lsched_i_panel_close(&p->panel[i]);
	free(p);
	return st;
}
