#include "libsched/core/svg_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Colours from dark blue over green to orange with increasing lightness, so that readers with
 * colour blindness see the order. The lightest differs clearly from white, which is idle. */
static const unsigned char ramp[TIMELINE_HUES][3] = { { 0x30, 0x1e, 0x67 }, { 0x35, 0x3c, 0x88 },
	{ 0x2f, 0x59, 0x9b }, { 0x27, 0x75, 0xa0 }, { 0x1f, 0x8d, 0x9c }, { 0x26, 0xa2, 0x8d },
	{ 0x48, 0xb3, 0x76 }, { 0x77, 0xbf, 0x5c }, { 0xa5, 0xc4, 0x48 }, { 0xcc, 0xbe, 0x42 },
	{ 0xe6, 0xaa, 0x3f }, { 0xf0, 0x8d, 0x3c } };

const char *lsched_i_panel_colour(char text[8], uint32_t hue, uint32_t level)
{
	unsigned rgb[3];

	for (int i = 0; i < 3; i++) /* level 1 keeps half of the colour */
		rgb[i] = 255 - (255 - ramp[hue][i]) * (level + 2) / (TIMELINE_LEVELS + 2);
	snprintf(text, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
	return text;
}

/* ---- lanes ---- */

typedef struct lane_key {
	uint32_t sm, worker;
} lane_key;

static int by_sm(const void *pa, const void *pb)
{
	const lane_key *a = (const lane_key *)pa, *b = (const lane_key *)pb;

	if (a->sm != b->sm)
		return a->sm < b->sm ? -1 : 1;
	return (a->worker > b->worker) - (a->worker < b->worker);
}

static lsched_status order_lanes(lsched_i_panel *p)
{
	const int by_worker = p->info.backend != LSCHED_BACKEND_CUDA;
	lane_key *key = (lane_key *)malloc(p->lanes * sizeof(*key));

	if (!key)
		return LSCHED_ERR_NOMEM;
	for (uint32_t k = 0; k < p->lanes; k++) {
		key[k].sm = TIMELINE_NO_SM;
		key[k].worker = k;
	}
	for (size_t i = 0; i < p->event_count; i++) {
		const lsched_event *e = &p->events[i];

		if (e->worker < p->lanes && key[e->worker].sm == TIMELINE_NO_SM)
			key[e->worker].sm = e->sm;
	}
	if (!by_worker)
		qsort(key, p->lanes, sizeof(*key), by_sm);
	for (uint32_t k = 0; k < p->lanes; k++) {
		p->worker_of[k] = key[k].worker;
		p->sm_of[k] = key[k].sm;
		p->lane_of[key[k].worker] = k;
	}
	free(key);
	return LSCHED_OK;
}

/* Returns the length of a task; at least 1, because the resolution of the clock may be too low. */
static uint64_t length_ns(const lsched_event *e)
{
	return e->end_ns > e->start_ns ? e->end_ns - e->start_ns : 1;
}

static void sum_events(lsched_i_panel *p)
{
	p->task_min = UINT32_MAX;
	p->first_ns = UINT64_MAX;
	for (size_t i = 0; i < p->event_count; i++) {
		const lsched_event *e = &p->events[i];

		if (e->worker + 1 > p->lanes)
			p->lanes = e->worker + 1;
		if (e->task < p->task_min)
			p->task_min = e->task;
		if (e->task > p->task_max)
			p->task_max = e->task;
		if (e->procedure < p->procedures) {
			p->of[e->procedure].batches++;
			p->of[e->procedure].items += e->task;
			p->of[e->procedure].busy_ns += length_ns(e);
		}
		if (e->start_ns < p->first_ns)
			p->first_ns = e->start_ns;
		if (e->start_ns + length_ns(e) > p->last_ns)
			p->last_ns = e->start_ns + length_ns(e);
		p->busy_ns += length_ns(e);
	}
}

lsched_status lsched_i_panel_open(lsched_i_panel *p, const lsched_run *run)
{
	const lsched_i_panel zero = { 0 };
	lsched_status st;

	*p = zero;
	lsched_run_info_init(&p->info);
	st = lsched_run_get_info(run, &p->info);
	if (st != LSCHED_OK)
		return st;
	if (p->info.started)
		return LSCHED_ERR_STATE;
	p->event_count = lsched_run_events(run, &p->events);
	if (p->event_count == 0)
		return LSCHED_OK;
	p->lanes = p->info.workers;
	p->program = run->program;
	p->procedures = run->program->procedure_count > 1 ? run->program->procedure_count : 0;
	sum_events(p);
	p->worker_of = (uint32_t *)malloc(p->lanes * sizeof(uint32_t));
	p->lane_of = (uint32_t *)malloc(p->lanes * sizeof(uint32_t));
	p->sm_of = (uint32_t *)malloc(p->lanes * sizeof(uint32_t));
	if (!p->worker_of || !p->lane_of || !p->sm_of)
		return LSCHED_ERR_NOMEM;
	return order_lanes(p);
}

void lsched_i_panel_close(lsched_i_panel *p)
{
	free(p->worker_of);
	free(p->lane_of);
	free(p->sm_of);
	free(p->cell);
	free(p->column);
}

/* ---- cells ---- */

static double px_of(const lsched_i_panel *p, uint64_t ns)
{
	return (double)(ns - p->base_ns) * TIMELINE_PX / (double)p->span_ns;
}

static uint32_t row_of(const lsched_i_panel *p, uint32_t worker)
{
	return (uint32_t)((uint64_t)p->lane_of[worker] * p->rows / p->lanes);
}

/* Returns the position of an event's procedure, or else of the task's number, between the smallest
 * and the largest of the run, 0 to 1. */
static double position_of(const lsched_i_panel *p, const lsched_event *e)
{
	const uint32_t task = e->task;

	if (p->procedures)
		return (double)e->procedure / (p->procedures - 1);
	return p->task_max > p->task_min
		       ? (double)(task - p->task_min) / (double)(p->task_max - p->task_min)
		       : 0;
}

static uint32_t hue_of(double position)
{
	const uint32_t hue = (uint32_t)(position * TIMELINE_HUES);

	return hue < TIMELINE_HUES ? hue : TIMELINE_HUES - 1;
}

uint32_t lsched_i_panel_procedure_hue(const lsched_i_panel *p, uint32_t procedure)
{
	const lsched_event e = { 0, 0, 0, 0, 0, procedure };

	return hue_of(position_of(p, &e));
}

/* Sums over the tasks of each cell. */
typedef struct sums {
	float *busy;     /* [cell] ns spent in tasks */
	float *weighted; /* [cell] the same, multiplied by the position of the task */
} sums;

static void add_tasks(lsched_i_panel *p, const sums *s)
{
	const double column_ns = (double)p->span_ns / TIMELINE_PX;

	for (size_t i = 0; i < p->event_count; i++) {
		const lsched_event *e = &p->events[i];
		const double from = px_of(p, e->start_ns);
		const double to = px_of(p, e->start_ns + length_ns(e));
		const double position = position_of(p, e);
		const size_t row = (size_t)row_of(p, e->worker) * TIMELINE_PX;

		for (uint32_t c = (uint32_t)from; c < TIMELINE_PX && c < to; c++) {
			const double left = from > c ? from : c, right = to < c + 1 ? to : c + 1;
			const double ns = (right - left) * column_ns;

			s->busy[row + c] += (float)ns;
			s->weighted[row + c] += (float)(ns * position);
			p->column[c] += ns;
		}
	}
}

static unsigned char shade(double busy_ns, double number, double max_ns)
{
	uint32_t level;

	if (!(busy_ns > 0))
		return 0;
	level = 1 + (uint32_t)(busy_ns / max_ns * TIMELINE_LEVELS);
	if (level > TIMELINE_LEVELS)
		level = TIMELINE_LEVELS;
	return (unsigned char)(hue_of(number / busy_ns) * TIMELINE_LEVELS + level);
}

lsched_status lsched_i_panel_fill(lsched_i_panel *p)
{
	const size_t cells = (size_t)p->rows * TIMELINE_PX;
	double max_ns[TIMELINE_ROWS_MAX] = { 0 };
	lsched_status st = LSCHED_ERR_NOMEM;
	sums s = { (float *)calloc(cells, sizeof(float)), (float *)calloc(cells, sizeof(float)) };

	p->cell = (unsigned char *)calloc(cells, 1);
	p->column = (double *)calloc(TIMELINE_PX, sizeof(double));
	if (s.busy && s.weighted && p->cell && p->column) {
		add_tasks(p, &s);
		for (uint32_t k = 0; k < p->lanes; k++)
			max_ns[row_of(p, k)] += (double)p->span_ns / TIMELINE_PX;
		for (size_t i = 0; i < cells; i++)
			p->cell[i] = shade(s.busy[i], s.weighted[i], max_ns[i / TIMELINE_PX]);
		st = LSCHED_OK;
	}
	free(s.busy);
	free(s.weighted);
	return st;
}

/* Writes all cells of one shade as one path, with one line of the height of a row per sequence of
 * equal cells. In the worst case, when no neighbours are equal, a cell needs seven bytes and a row
 * eleven more per shade. */
static void put_shade(lsched_i_xml *w, const lsched_i_panel *p, uint32_t kind)
{
	char colour[8];
	int used = 0;

	for (uint32_t r = 0; r < p->rows; r++) {
		const size_t row = (size_t)r * TIMELINE_PX;
		uint32_t at = 0;
		int moved = 0;

		for (uint32_t c = 0; c < TIMELINE_PX; c++) {
			uint32_t end = c;

			while (end < TIMELINE_PX && p->cell[row + end] == kind)
				end++;
			if (end == c)
				continue;
			if (!used)
				lsched_i_xml_put(w, "<path stroke=\"%s\" d=\"",
					lsched_i_panel_colour(colour, (kind - 1) / TIMELINE_LEVELS,
						1 + (kind - 1) % TIMELINE_LEVELS));
			if (moved)
				lsched_i_xml_put(w, "m%" PRIu32 " 0h%" PRIu32, c - at, end - c);
			else
				lsched_i_xml_put(
					w, "M%" PRIu32 " %" PRIu32 "h%" PRIu32, c, r, end - c);
			used = moved = 1;
			at = c = end;
		}
	}
	if (used)
		lsched_i_xml_put(w, "\"/>\n");
}

void lsched_i_panel_put_cells(lsched_i_xml *w, const lsched_i_panel *p, double left)
{
	lsched_i_xml_put(w,
		"<g fill=\"none\" stroke-width=\"1\" shape-rendering=\"crispEdges\" "
		"transform=\"translate(%.1f %.2f) scale(1 %.4f) translate(0 .5)\">\n",
		left, p->top, p->height / p->rows);
	for (uint32_t kind = 1; kind <= TIMELINE_HUES * TIMELINE_LEVELS; kind++)
		put_shade(w, p, kind);
	lsched_i_xml_put(w, "</g>\n");
}

/* Writes what an event executed: "task 5", or "32 items of split". */
static void put_what(lsched_i_xml *w, const lsched_i_panel *p, const lsched_event *e)
{
	char text[24];

	if (!p->info.items) {
		lsched_i_xml_put(w, "task %" PRIu32, e->task);
		return;
	}
	lsched_i_xml_put(w, "%" PRIu32 " item%s", e->task, e->task == 1 ? "" : "s");
	if (p->procedures) {
		lsched_i_xml_put(w, " of ");
		lsched_i_xml_put_text(
			w, lsched_i_procedure_label(p->program, e->procedure, text, sizeof(text)));
	}
}

void lsched_i_panel_put_tasks(lsched_i_xml *w, const lsched_i_panel *p, double left)
{
	const double row_px = p->height / p->rows, gap = row_px >= 6 ? 1 : 0;
	char colour[8];

	lsched_i_xml_put(w, "<g stroke=\"#fff\">\n");
	for (size_t i = 0; i < p->event_count; i++) {
		const lsched_event *e = &p->events[i];
		const double from = px_of(p, e->start_ns);
		const double px = px_of(p, e->start_ns + length_ns(e)) - from;

		/* A white edge separates consecutive tasks that are wide enough. */
		lsched_i_xml_put(w,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
			"stroke-width=\"%s\"><title>",
			left + from, p->top + row_of(p, e->worker) * row_px + gap / 2,
			px > 0.3 ? px : 0.3, row_px - gap,
			lsched_i_panel_colour(colour, hue_of(position_of(p, e)), TIMELINE_LEVELS),
			px >= 3 ? ".5" : "0");
		put_what(w, p, e);
		lsched_i_xml_put(w, ", worker %" PRIu32, e->worker);
		if (p->info.backend == LSCHED_BACKEND_CUDA)
			lsched_i_xml_put(w, ", SM %" PRIu32, e->sm);
		lsched_i_xml_put(w, ", from %.3f us for %.3f us</title></rect>\n",
			(double)(e->start_ns - p->base_ns) * 1e-3,
			(double)(e->end_ns - e->start_ns) * 1e-3);
	}
	lsched_i_xml_put(w, "</g>\n");
}

void lsched_i_panel_put_load(
	lsched_i_xml *w, const lsched_i_panel *p, double left, double top, double height)
{
	const double most = (double)p->span_ns / TIMELINE_PX * p->lanes;
	double shown = 0;

	lsched_i_xml_put(w, "<path fill=\"#9aa3ab\" d=\"M%.1f %.1f", left, top + height);
	for (uint32_t c = 0; c < TIMELINE_PX; c++) {
		double part = p->column[c] / most;

		part = part > 1 ? height : part * height;
		if (part - shown > 0.05 || shown - part > 0.05 || c == 0) {
			lsched_i_xml_put(w, "H%.1fV%.1f", left + c, top + height - part);
			shown = part;
		}
	}
	lsched_i_xml_put(w, "H%.1fV%.1fz\"/>\n", left + TIMELINE_PX, top + height);
}

void lsched_i_panel_put_lanes(lsched_i_xml *w, const lsched_i_panel *p, double left)
{
	const int cuda = p->info.backend == LSCHED_BACKEND_CUDA;
	const double lane_px = p->height / p->lanes;
	double free_y = p->top - 100;

	lsched_i_xml_put(w, "<g text-anchor=\"end\">\n");
	for (uint32_t k = 0, end; k < p->lanes; k = end) {
		const double y = p->top + k * lane_px;
		double middle;

		for (end = k + 1; cuda && end < p->lanes && p->sm_of[end] == p->sm_of[k]; end++)
			;
		middle = y + (end - k) * lane_px / 2;
		if (cuda && k && (end - k) * lane_px >= 10)
			lsched_i_xml_put(w,
				"<path d=\"M%.0f %.2fh%d\" stroke=\"#ddd\" stroke-width=\".5\"/>",
				left, y, TIMELINE_PX);
		if (middle < free_y)
			continue;
		free_y = middle + 13;
		lsched_i_xml_put(w, "<text x=\"%.0f\" y=\"%.1f\">", left - 7, middle + 4);
		if (!cuda)
			lsched_i_xml_put(w, "%" PRIu32, p->worker_of[k]);
		else if (p->sm_of[k] == TIMELINE_NO_SM)
			lsched_i_xml_put(w, "no task");
		else
			lsched_i_xml_put(w, "SM %" PRIu32, p->sm_of[k]);
		lsched_i_xml_put(w, "</text>\n");
	}
	lsched_i_xml_put(w,
		"</g><text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">%s"
		"</text>\n",
		p->top + p->height / 2, cuda ? "workers by SM" : "worker");
}
