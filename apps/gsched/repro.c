/* The report's helpers: memory, running commands, sections, charts, tables, verdicts. */
#include "apps/gsched/repro.h"
#include "apps/common/stop.h"
#include "apps/common/timeline.h"
#include "apps/gsched/commands.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECTIONS = 64, MAX_PARTS = 8, MAX_CELLS = 512 };

typedef struct repro_block {
	struct repro_block *next;
	max_align_t bytes[];
} repro_block;

typedef struct repro_result {
	struct repro_result *next;
	gs_table table;
	gs_options o;
} repro_result;

/* What a section points to. */
typedef struct repro_parts {
	const char *svgs[MAX_PARTS];
	report_table tables[MAX_PARTS];
} repro_parts;

/* A report that runs out of memory has nothing to tell. */
static void *check_memory(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "gsched: error: out of memory\n");
	exit(CLI_EXIT_FAILED);
}

void *repro_alloc(repro *r, size_t bytes)
{
	repro_block *b = check_memory(calloc(1, sizeof(*b) + bytes));

	b->next = r->blocks;
	r->blocks = b;
	return b->bytes;
}

static const char *format_text(repro *r, const char *format, va_list args)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = repro_alloc(r, n < 0 ? 1 : (size_t)n + 1);
	if (n > 0)
		vsnprintf(text, (size_t)n + 1, format, args);
	return text;
}

const char *repro_text(repro *r, const char *format, ...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = format_text(r, format, args);
	va_end(args);
	return text;
}

uint32_t repro_pick(const repro *r, uint32_t tiny, uint32_t small, uint32_t full)
{
	return r->scale == REPRO_TINY ? tiny : r->scale == REPRO_SMALL ? small : full;
}

/* ---- commands ---- */

static const gs_load_type *load_type_of(gs_command command)
{
	switch (command) {
	case GS_WAVEFRONT:
		return &wavefront_load_type;
	case GS_SPAWN:
		return &spawn_load_type;
	case GS_RECURSE:
		return &recurse_load_type;
	case GS_FIB:
		return &fib_load_type;
	case GS_PRIORITY:
		return &priority_load_type;
	default:
		return &queue_load_type;
	}
}

/* Splits the line at blanks; the command's options then point into it. */
static int parse_line(repro_result *k, char *line, char *msg, size_t msg_bytes)
{
	char *argv[64];
	int argc = 0, command;

	for (char *word = strtok(line, " "); word && argc < 63; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	command = argc ? cli_find_command(gs_programs, argv[0]) : -1;
	if (command < 0) {
		snprintf(msg, msg_bytes, "no command '%s'", line);
		return -1;
	}
	k->table.command = (gs_command)command;
	if (cli_parse(gs_programs[command], &k->o, sizeof(k->o), argc, argv, msg, msg_bytes) !=
		CLI_RUN)
		return -1;
	return gs_options_check((gs_command)command, &k->o, msg, msg_bytes);
}

const gs_table *repro_run(repro *r, const char *format, ...)
{
	repro_result *k = check_memory(calloc(1, sizeof(*k)));
	const gs_load_type *m;
	char msg[600] = "", *line;
	va_list args;
	gs_device d;
	gs_load l;
	int bad;

	k->next = r->tables;
	r->tables = k;
	if (stop_signal())
		return &k->table;
	va_start(args, format);
	line = (char *)format_text(r, format, args);
	va_end(args);
	log_print(r->log, LOG_LEVEL_INFO, "gsched %s", line);
	if (parse_line(k, line, msg, sizeof(msg))) {
		log_print(r->log, LOG_LEVEL_ERROR, "%s", msg);
		r->failed = 1;
		return &k->table;
	}
	k->o.backend = r->backend;
	k->o.device = r->o->device;
	k->o.timeout_ms = r->o->timeout_ms;
	memset(&l, 0, sizeof(l));
	m = load_type_of(k->table.command);
	bad = device_open(&d, &k->o, msg, sizeof(msg));
	if (!bad) {
		bad = m->create(&l, &d, &k->o, msg, sizeof(msg));
		if (!bad && measure(&k->table, &l, &d, &k->o, r->log) && !stop_signal())
			r->failed = 1;
		m->destroy(&l, &d);
		device_close(&d);
	}
	if (bad) {
		log_print(r->log, LOG_LEVEL_ERROR, "%s", msg);
		r->failed = 1;
	}
	return &k->table;
}

const gs_row *repro_row(const gs_table *t, const char *name, size_t nth)
{
	for (size_t i = 0; i < t->row_count; i++) {
		const gs_row *row = &t->rows[i];
		const char *own = row->scheme == LSCHED_SCHEME_DYNAMIC
					  ? lsched_queue_name(row->queue)
					  : lsched_scheme_name(row->scheme);

		if (strcmp(own, name) == 0 && nth-- == 0)
			return row->state == ROW_CHECKED && row->median_ns ? row : NULL;
	}
	return NULL;
}

double repro_ms(const gs_table *t, const char *name)
{
	const gs_row *row = repro_row(t, name, 0);

	return row ? (double)row->median_ns * 1e-6 : NAN;
}

/* Starts every row with a timeline; returns how many runs there are then. */
static size_t traced_runs(const gs_table *t, gs_load *l, gs_device *d, lsched_run **runs,
	const char **labels, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < t->row_count && n < most; i++) {
		gs_row row = t->rows[i];

		if (row.state != ROW_CHECKED || stop_signal())
			continue;
		runs[n] = measure_open(&row, l, d, t->o, (uint32_t)t->expected);
		if (runs[n] && measure_start(&row, l, d, runs[n]) == 0)
			labels[n++] = row.scheme == LSCHED_SCHEME_DYNAMIC
					      ? "dynamic"
					      : lsched_scheme_name(row.scheme);
		else
			lsched_run_destroy(&runs[n]);
	}
	return n;
}

void repro_timelines(repro *r, report_section *s, const gs_table *t, const char *title)
{
	const gs_load_type *m = load_type_of(t->command);
	lsched_run *runs[8];
	const char *labels[8];
	timeline_options so = { 0 };
	xml_buffer svg = { 0 };
	char msg[600];
	gs_device d;
	gs_load l;
	size_t n;

	if (t->row_count == 0 || device_open(&d, t->o, msg, sizeof(msg)))
		return;
	memset(&l, 0, sizeof(l));
	if (m->create(&l, &d, t->o, msg, sizeof(msg)) == 0) {
		n = traced_runs(t, &l, &d, runs, labels, sizeof(runs) / sizeof(runs[0]));
		so.title = title;
		so.labels = labels;
		so.aligned = 1;
		if (n && timeline_write_svg(runs, n, &so, xml_buffer_write, &svg) == LSCHED_OK)
			repro_svg(r, s, &svg);
		free(svg.text);
		while (n)
			lsched_run_destroy(&runs[--n]);
	}
	m->destroy(&l, &d);
	device_close(&d);
}

/* ---- sections ---- */

report_section *repro_section(repro *r, const char *heading, const char *source)
{
	report_section *s;

	if (!r->sections)
		r->sections = repro_alloc(r, MAX_SECTIONS * sizeof(*r->sections));
	if (!r->parts)
		r->parts = repro_alloc(r, MAX_SECTIONS * sizeof(*r->parts));
	if (r->section_count == MAX_SECTIONS)
		r->section_count--; /* the last is replaced; the tests see that none is missing */
	s = &r->sections[r->section_count++];
	memset(s, 0, sizeof(*s));
	s->heading = heading;
	s->source = source;
	return s;
}

report_section *repro_claim(repro *r, const char *heading, const char *claim)
{
	const char *source = r->section_count ? r->sections[r->section_count - 1].source : NULL;
	report_section *s = repro_section(r, heading, source);

	s->claim = claim;
	return s;
}

void repro_judge(repro *r, report_section *s, const char *claim, int measured, int holds,
	const char *otherwise, const char *reason, ...)
{
	va_list args;

	va_start(args, reason);
	s->reason = format_text(r, reason, args);
	va_end(args);
	s->claim = claim;
	s->verdict = !measured ? REPORT_NOT_MEASURED : holds ? REPORT_HOLDS : REPORT_DOES_NOT_HOLD;
	if (s->verdict == REPORT_DOES_NOT_HOLD)
		s->explanation = otherwise;
}

static repro_parts *parts_of(const repro *r, const report_section *s)
{
	return &r->parts[s - r->sections];
}

void repro_svg(repro *r, report_section *s, const xml_buffer *svg)
{
	repro_parts *parts = parts_of(r, s);

	s->svgs = parts->svgs;
	if (svg->text && s->svg_count < MAX_PARTS)
		parts->svgs[s->svg_count++] = repro_text(r, "%s", svg->text);
}

void repro_chart(repro *r, report_section *s, const chart *c)
{
	xml_buffer svg = { 0 };

	if (chart_write(c, xml_buffer_write, &svg) == 0)
		repro_svg(r, s, &svg);
	free(svg.text);
}

repro_cells *repro_table(repro *r, report_section *s, const char *caption, const char *columns)
{
	enum { MAX_COLUMNS = 24 };
	const char **names = repro_alloc(r, MAX_COLUMNS * sizeof(*names));
	repro_cells *c = repro_alloc(r, sizeof(*c));
	repro_parts *parts = parts_of(r, s);

	s->tables = parts->tables;
	c->table = &parts->tables[s->table_count < MAX_PARTS ? s->table_count++ : MAX_PARTS - 1];
	c->cells = repro_alloc(r, MAX_CELLS * sizeof(*c->cells));
	c->table->caption = caption;
	c->table->columns = names;
	c->table->cells = c->cells;
	while (c->table->column_count < MAX_COLUMNS) {
		const size_t n = strcspn(columns, "|");

		names[c->table->column_count++] = repro_text(r, "%.*s", (int)n, columns);
		if (!columns[n])
			break;
		columns += n + 1;
	}
	return c;
}

void repro_cell(repro *r, repro_cells *c, const char *format, ...)
{
	va_list args;

	if (c->count == MAX_CELLS)
		return;
	va_start(args, format);
	c->cells[c->count++] = format_text(r, format, args);
	va_end(args);
	c->table->row_count = c->count / c->table->column_count;
}

static void number_cell(repro *r, repro_cells *t, double v)
{
	char text[XML_NUMBER_BYTES];

	if (isfinite(v))
		repro_cell(r, t, "%s", xml_number(text, v));
	else
		repro_cell(r, t, "-");
}

void repro_grid_table(repro *r, report_section *s, const repro_grid *g, const char *caption)
{
	const char *columns = g->x_label;
	repro_cells *t;

	for (size_t l = 0; l < g->lines; l++)
		columns = repro_text(r, "%s|%s", columns, g->names[l]);
	t = repro_table(r, s, repro_text(r, "%s: %s", caption, g->y_label), columns);
	for (size_t p = 0; p < g->points; p++) {
		number_cell(r, t, g->x[p]);
		for (size_t l = 0; l < g->lines; l++)
			number_cell(r, t, g->y[l][p]);
	}
}

void repro_grid_show(repro *r, report_section *s, const repro_grid *g, const char *title)
{
	chart_series lines[REPRO_LINES] = { { 0 } };
	chart c = { .title = title, .series = lines, .series_count = g->lines };

	c.x.label = g->x_label;
	c.x.scale = g->x_scale;
	c.x.ticks = g->x;
	c.x.tick_count = g->points;
	c.y.label = g->y_label;
	c.y.scale = g->y_scale;
	for (size_t l = 0; l < g->lines; l++) {
		lines[l].name = g->names[l];
		lines[l].x = g->x;
		lines[l].y = g->y[l];
		lines[l].count = g->points;
	}
	repro_chart(r, s, &c);
	repro_grid_table(r, s, g, title);
}

void repro_free(repro *r)
{
	while (r->tables) {
		repro_result *next = r->tables->next;

		table_free(&r->tables->table);
		free(r->tables);
		r->tables = next;
	}
	while (r->blocks) {
		repro_block *next = r->blocks->next;

		free(r->blocks);
		r->blocks = next;
	}
	r->sections = NULL;
}
