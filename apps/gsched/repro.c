/* Memory and measurements of the report. repro_page.c writes its sections. */
#include "apps/gsched/repro.h"
#include "apps/common/stop.h"
#include "apps/gsched/commands.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct repro_block {
	struct repro_block *next;
	max_align_t bytes[];
} repro_block;

typedef struct repro_result {
	struct repro_result *next;
	gs_table table;
	gs_options o;
} repro_result;

/* Returns p. Ends the program if p is NULL, because a report cannot be written without memory. */
static void *check_memory(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "gsched: error: out of memory for the numbers of the page\n");
	exit(CLI_EXIT_FAILED);
}

void *repro_alloc(repro *r, size_t bytes)
{
	repro_block *b = check_memory(calloc(1, sizeof(*b) + bytes));

	b->next = r->blocks;
	r->blocks = b;
	return b->bytes;
}

const char *repro_vtext(repro *r, const char *format, va_list args)
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
	text = repro_vtext(r, format, args);
	va_end(args);
	return text;
}

uint32_t repro_pick(const repro *r, uint32_t tiny, uint32_t small, uint32_t full)
{
	return r->scale == REPRO_TINY ? tiny : r->scale == REPRO_SMALL ? small : full;
}

/* Ends the next word of a line and moves *line behind it. A character behind a backslash is part of
 * the word. NULL: there is none. */
static char *next_word(char **line)
{
	char *word, *to, *from = *line + strspn(*line, " ");

	for (word = to = from; *from && *from != ' '; *to++ = *from++)
		from += *from == '\\' && from[1];
	*line = from + (*from != '\0');
	*to = '\0';
	return to > word ? word : NULL;
}

/* Parses a command line. Splits it at blanks; the options of the result point into it. */
static int parse_line(repro_result *k, char *line, char *msg, size_t msg_bytes)
{
	char *argv[64];
	gs_command *c = &k->table.command;
	int argc = 0, words;

	while (argc < 63 && (argv[argc] = next_word(&line)))
		argc++;
	argv[argc] = NULL;
	words = gs_find_command(c, argc, argv, msg, msg_bytes);
	if (!words || cli_parse(c->program, &k->o, sizeof(k->o), argc - words + 1, argv + words - 1,
			      msg, msg_bytes) != CLI_RUN)
		return -1;
	return gs_options_check(c, &k->o, msg, msg_bytes);
}

const gs_table *repro_run(repro *r, const char *format, ...)
{
	repro_result *k = check_memory(calloc(1, sizeof(*k)));
	const wl_type *type;
	char msg[600] = "", *line;
	va_list args;
	wl_device d;
	wl_work l;
	int bad;

	k->next = r->results;
	r->results = k;
	if (stop_signal())
		return &k->table;
	va_start(args, format);
	line = (char *)repro_vtext(r, format, args);
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
	type = k->table.command.type;
	bad = device_open(&d, &k->o, msg, sizeof(msg));
	if (!bad) {
		bad = type->create(&l, &d, k->o.work, msg, sizeof(msg));
		if (!bad && measure(&k->table, &l, &d, &k->o, r->log) && !stop_signal())
			r->failed = 1;
		wl_destroy(type, &l, &d);
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
		const char *row_name = !row->plain && row->scheme == LSCHED_SCHEME_DYNAMIC
					       ? lsched_queue_name(row->queue)
					       : row_scheme_name(row);

		if (strcmp(row_name, name) == 0 && nth-- == 0)
			return row->state == ROW_CHECKED && row->median_ns ? row : NULL;
	}
	return NULL;
}

double repro_ms(const gs_table *t, const char *name)
{
	const gs_row *row = repro_row(t, name, 0);

	return row ? (double)row->median_ns * 1e-6 : NAN;
}

double repro_fact(const gs_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->facts; i++)
		if (strcmp(t->fact[i].name, name) == 0)
			return t->fact[i].value;
	return NAN;
}

/* Executes each checked row with a timeline. Returns the number of runs; the caller destroys
 * them. */
static size_t traced_runs(const gs_table *t, wl_work *l, wl_device *d, lsched_run **runs,
	const char **labels, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < t->row_count && n < max; i++) {
		gs_row row = t->rows[i];

		if (row.plain || row.state != ROW_CHECKED || stop_signal())
			continue;
		runs[n] = measure_open(&row, l, d, t->o, (uint32_t)t->expected);
		if (runs[n] && measure_execute(&row, l, d, runs[n]) == 0)
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
	const wl_type *type = t->command.type;
	lsched_run *runs[8];
	const char *labels[8];
	lsched_svg_options so;
	xml_buffer svg = { 0 };
	char msg[600];
	wl_device d;
	wl_work l;
	size_t n;

	if (t->row_count == 0 || device_open(&d, t->o, msg, sizeof(msg)))
		return;
	memset(&l, 0, sizeof(l));
	if (type->create(&l, &d, t->o->work, msg, sizeof(msg)) == 0) {
		n = traced_runs(t, &l, &d, runs, labels, sizeof(runs) / sizeof(runs[0]));
		lsched_svg_options_init(&so);
		so.title = title;
		so.labels = labels;
		so.aligned = 1;
		if (n && lsched_trace_write_svg(runs, n, &so, xml_buffer_write, &svg) == LSCHED_OK)
			repro_svg(r, s, &svg);
		free(svg.text);
		while (n)
			lsched_run_destroy(&runs[--n]);
	}
	wl_destroy(type, &l, &d);
	device_close(&d);
}

void repro_free(repro *r)
{
	while (r->results) {
		repro_result *next = r->results->next;

		table_free(&r->results->table);
		free(r->results);
		r->results = next;
	}
	while (r->blocks) {
		repro_block *next = r->blocks->next;

		free(r->blocks);
		r->blocks = next;
	}
	r->sections = NULL;
}
