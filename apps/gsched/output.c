#include "apps/gsched/output.h"
#include "apps/common/outfile.h"
#include "apps/common/xml.h"
#include "apps/gsched/picture.h"
#include "libsched/core/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *command_word(const gs_table *t)
{
	return strchr(t->command.program->name, ' ') + 1;
}

/* Formats 12345678 as "12.3 M". Returns text. */
static const char *short_number(double v, char text[16])
{
	static const char units[] = " kMGT";
	int u = 0;

	while (v >= 9999.5 && u < 4) {
		v /= 1000;
		u++;
	}
	if (u == 0)
		snprintf(text, 16, "%.*f", v < 100 && v != floor(v) ? 2 : 0, v);
	else
		snprintf(text, 16, "%.*f %c", v < 100 ? 1 : 0, v, units[u]);
	return text;
}

static void put_row(const gs_row *r, FILE *f)
{
	char rate[16], tasks[16], pushes[16], steals[16], donated[16], inlined[16], high[16];
	const lsched_stats *s = &r->stats;

	fprintf(f, "%-8s %-9s ", row_scheme_name(r), row_queue_name(r));
	if (r->state != ROW_CHECKED) {
		fprintf(f, "%7s  %s: %s\n", "", row_state_name(r), r->why);
		return;
	}
	fprintf(f, "%7" PRIu32 " %10.4f %9s %8s %7.3f %8s %8s %8s %8s %8s %6" PRIu32 "  %s",
		s->workers, (double)r->median_ns * 1e-6, short_number(row_rate(r), rate),
		short_number((double)row_work(r), tasks), row_idle(r) * 100,
		short_number((double)s->pushes, pushes), short_number((double)s->steals, steals),
		short_number((double)s->donated, donated),
		short_number((double)s->inlined, inlined),
		short_number((double)s->queue_high_water, high), s->rounds, row_state_name(r));
	if (!isnan(row_lost(r)))
		fprintf(f, ", %.3f %% lost", row_lost(r) * 100);
	if (r->accuracy > 0)
		fprintf(f, ", %.2f %% in order", r->accuracy * 100);
	if (s->batches)
		fprintf(f, ", %.1f items a batch", (double)s->batch_items / (double)s->batches);
	fprintf(f, "\n");
}

static int has_latencies(const gs_table *t)
{
	for (size_t i = 0; i < t->row_count; i++)
		if (t->rows[i].push_ns > 0)
			return 1;
	return 0;
}

void output_text(const gs_table *t, FILE *f)
{
	const char *what =
		strcmp(t->command.type->unit, "operations") == 0 ? "ops" : t->command.type->unit;
	char per_s[24];

	snprintf(per_s, sizeof(per_s), "%s/s", what);
	fprintf(f, "gsched %s on %s, median of %" PRIu32 "\n", command_word(t), t->device,
		t->repeat);
	for (uint32_t i = 0; i < t->facts; i++)
		fprintf(f, "%s: %.12g\n", t->fact[i].name, t->fact[i].value);
	fprintf(f, "%-8s %-9s %7s %10s %9s %8s %7s %8s %8s %8s %8s %8s %6s  %s\n", "scheme",
		"queue", "workers", "ms", per_s, what, "idle %", "pushes", "steals", "donated",
		"inlined", "high", "rounds", "result");
	for (size_t i = 0; i < t->row_count; i++)
		if (t->rows[i].median_ns || t->rows[i].state != ROW_CHECKED)
			put_row(&t->rows[i], f);
	if (has_latencies(t)) {
		fprintf(f, "\noperation, ns: %-8s %9s %10s\n", "queue", "enqueue", "dequeue");
		for (size_t i = 0; i < t->row_count; i++)
			if (t->rows[i].push_ns > 0)
				fprintf(f, "%14s%-9s %10.1f %10.1f  (%" PRIu32 " worker%s)\n", "",
					row_queue_name(&t->rows[i]), t->rows[i].push_ns,
					t->rows[i].pop_ns, t->rows[i].stats.workers,
					t->rows[i].stats.workers == 1 ? "" : "s");
	}
}

void output_procedures(const gs_table *t, FILE *f)
{
	procedures_text(&t->procedures, f);
}

/* ---- JSON ---- */

/* Writes an option of the workload: its name with _ for -, and its value. */
static void put_param(lsched_i_json *j, const wl_param *p, const void *field)
{
	char name[40], word[32];
	const char *at = p->choices;
	int skip;

	snprintf(name, sizeof(name), "%s", p->name);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	switch (p->kind) {
	case WL_FLAG:
		lsched_i_json_bool(j, name, *(const int *)field);
		break;
	case WL_CHOICE:
		for (skip = *(const int *)field; skip; skip--)
			at = strchr(at, '|') + 1;
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, "|"), at);
		lsched_i_json_text(j, name, word);
		break;
	case WL_COUNT:
		lsched_i_json_uint(j, name, *(const uint64_t *)field);
		break;
	case WL_UINT:
		lsched_i_json_uint(j, name, *(const uint32_t *)field);
		break;
	case WL_REAL:
		lsched_i_json_general(j, name, *(const double *)field, 9);
		break;
	case WL_SIZE:
		lsched_i_json_uint(j, "width", ((const wl_size *)field)->width);
		lsched_i_json_uint(j, "height", ((const wl_size *)field)->height);
		break;
	case WL_TEXT:
	case WL_OUTPUT:
	case WL_FILE:
		lsched_i_json_text(j, name, *(const char *const *)field);
		break;
	}
}

/* Whether an option has a meaning with the files of the command line. */
static int is_used(const wl_type *type, const wl_param *p, const void *options)
{
	for (const wl_param *q = type->params; p->unless && q->name; q++)
		if (strcmp(q->name, p->unless) == 0)
			return !*(const char *const *)((const char *)options + q->field);
	return 1;
}

/* Writes the options of the workload, so that the measurement can be repeated. */
static void put_parameters(lsched_i_json *j, const gs_table *t)
{
	const wl_type *type = t->command.type;
	const gs_options *o = t->o;

	lsched_i_json_line_object(j, "parameters");
	lsched_i_json_uint(j, "repeat", t->repeat);
	for (const wl_param *p = type->params; p->name; p++)
		if (is_used(type, p, o->work))
			put_param(j, p, (const char *)o->work + p->field);
	if (type->accepts & WL_OVERFLOW)
		lsched_i_json_text(
			j, "overflow", lsched_overflow_name((lsched_overflow)o->overflow));
	if (type->accepts & WL_NEVER_KEEP)
		lsched_i_json_bool(j, "never_keep", o->never_keep);
	lsched_i_json_uint(j, "capacity", o->capacity);
	lsched_i_json_uint(j, "bin_size", o->bin_size);
	lsched_i_json_close(j);
}

static void put_facts(lsched_i_json *j, const gs_table *t)
{
	if (!t->facts)
		return;
	lsched_i_json_object(j, "facts");
	for (uint32_t i = 0; i < t->facts; i++)
		lsched_i_json_general(j, t->fact[i].name, t->fact[i].value, 15);
	lsched_i_json_close(j);
	lsched_i_json_line(j);
}

static void put_workers(lsched_i_json *j, const gs_row *r)
{
	lsched_i_json_line_array(j, "per_worker");
	for (uint32_t k = 0; k < r->stats.workers; k++) {
		const lsched_worker_stats *w = &r->per_worker[k];

		lsched_i_json_line_object(j, NULL);
		lsched_i_json_uint(j, "tasks", w->tasks);
		lsched_i_json_uint(j, "idle_ns", w->idle_ns);
		lsched_i_json_uint(j, "busy_ns", w->busy_ns);
		lsched_i_json_uint(j, "steals", w->steals);
		lsched_i_json_uint(j, "donated", w->donated);
		if (r->work_ns)
			lsched_i_json_uint(j, "work_ns", r->work_ns[k]);
		lsched_i_json_close(j);
	}
	lsched_i_json_line_close(j);
}

static void put_times(lsched_i_json *j, const gs_row *r)
{
	const lsched_stats *s = &r->stats;

	lsched_i_json_line(j);
	lsched_i_json_uint(j, "workers", s->workers);
	lsched_i_json_uint(j, "tasks", s->tasks);
	lsched_i_json_uint(j, "median_ns", r->median_ns);
	lsched_i_json_uint(j, "min_ns", r->min_ns);
	lsched_i_json_uint(j, "max_ns", r->max_ns);
	lsched_i_json_uint(j, "wall_ns", r->wall_ns);
	lsched_i_json_line(j);
	lsched_i_json_general(j, "rate", row_rate(r), 6);
	lsched_i_json_fixed(j, "idle", row_idle(r), 6);
	lsched_i_json_uint(j, "idle_ns", s->idle_ns);
	lsched_i_json_uint(j, "busy_ns", s->busy_ns);
}

static void put_counters(lsched_i_json *j, const gs_row *r)
{
	const lsched_stats *s = &r->stats;

	lsched_i_json_line(j);
	lsched_i_json_uint(j, "pushes", s->pushes);
	lsched_i_json_uint(j, "pops", s->pops);
	lsched_i_json_uint(j, "failed_pops", s->failed_pops);
	lsched_i_json_uint(j, "kept", s->kept);
	lsched_i_json_uint(j, "spawned", s->spawned);
	lsched_i_json_uint(j, "inlined", s->inlined);
	lsched_i_json_uint(j, "steals", s->steals);
	lsched_i_json_uint(j, "donated", s->donated);
	lsched_i_json_line(j);
	lsched_i_json_uint(j, "high_water", s->queue_high_water);
	lsched_i_json_uint(j, "capacity", s->queue_capacity);
	lsched_i_json_uint(j, "rounds", s->rounds);
	if (s->batches) {
		lsched_i_json_uint(j, "batches", s->batches);
		lsched_i_json_uint(j, "batch_items", s->batch_items);
	}
	if (r->accuracy > 0)
		lsched_i_json_fixed(j, "accuracy", r->accuracy, 6);
	if (r->operations != WL_TASKS_COUNT)
		lsched_i_json_uint(j, "operations", r->operations);
	if (r->push_ns > 0) {
		lsched_i_json_fixed(j, "push_ns", r->push_ns, 2);
		lsched_i_json_fixed(j, "pop_ns", r->pop_ns, 2);
	}
	if (!isnan(row_lost(r)))
		lsched_i_json_fixed(j, "lost", row_lost(r), 6);
}

static void put_result(lsched_i_json *j, const gs_row *r)
{
	const int dynamic = !r->plain && r->scheme == LSCHED_SCHEME_DYNAMIC;

	lsched_i_json_line_object(j, NULL);
	lsched_i_json_text(j, "scheme", row_scheme_name(r));
	lsched_i_json_text(j, "queue", dynamic ? lsched_queue_name(r->queue) : NULL);
	lsched_i_json_text(j, "result", row_state_name(r));
	if (r->state != ROW_CHECKED) {
		lsched_i_json_uint(j, "workers_asked", r->workers_requested);
		lsched_i_json_text(j, "why", r->why);
	} else {
		put_times(j, r);
		put_counters(j, r);
		if (r->per_worker)
			put_workers(j, r);
	}
	lsched_i_json_close(j);
}

void output_json(const gs_table *t, FILE *f)
{
	lsched_i_json j;

	lsched_i_json_begin(&j, lsched_i_json_to_file, f);
	j.padded = 1;
	lsched_i_json_object(&j, NULL);
	lsched_i_json_line(&j);
	lsched_i_json_text(&j, "program", "gsched");
	lsched_i_json_text(&j, "version", lsched_version_string());
	lsched_i_json_text(&j, "command", command_word(t));
	lsched_i_json_line(&j);
	lsched_i_json_text(&j, "device", t->device);
	lsched_i_json_text(&j, "backend", lsched_backend_name(t->backend));
	put_parameters(&j, t);
	lsched_i_json_line(&j);
	if (t->expected) {
		lsched_i_json_uint(&j, "tasks", t->expected);
		lsched_i_json_line(&j);
	}
	put_facts(&j, t);
	lsched_i_json_bool(&j, "interrupted", t->interrupted);
	lsched_i_json_line_array(&j, "results");
	for (size_t i = 0; i < t->row_count; i++)
		if (t->rows[i].median_ns || t->rows[i].state != ROW_CHECKED)
			put_result(&j, &t->rows[i]);
	lsched_i_json_line_close(&j);
	if (t->procedures.count)
		procedures_json(&t->procedures, &j);
	lsched_i_json_line_close(&j);
	(void)lsched_i_json_end(&j); /* closing the file reports its errors */
}

void output_csv(const gs_table *t, FILE *f)
{
	fprintf(f, "command,device,scheme,queue,workers,result,tasks,operations,median_ns,min_ns,"
		   "max_ns,wall_ns,rate,idle,pushes,pops,failed_pops,kept,spawned,inlined,steals,"
		   "donated,high_water,rounds,accuracy,batches,batch_items\n");
	for (size_t i = 0; i < t->row_count; i++) {
		const gs_row *r = &t->rows[i];
		const lsched_stats *s = &r->stats;
		const uint32_t workers = s->workers ? s->workers : r->workers_requested;

		if (!r->median_ns && r->state == ROW_CHECKED)
			continue;
		fprintf(f, "%s,\"", command_word(t));
		for (const char *c = t->device; *c; c++)
			fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
		fprintf(f,
			"\",%s,%s,%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%.6g,%.6f",
			row_scheme_name(r), row_queue_name(r), workers, row_state_name(r), s->tasks,
			r->operations != WL_TASKS_COUNT ? r->operations : 0, r->median_ns,
			r->min_ns, r->max_ns, r->wall_ns, row_rate(r), row_idle(r));
		fprintf(f,
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%.6f,%" PRIu64 ",%" PRIu64
			"\n",
			s->pushes, s->pops, s->failed_pops, s->kept, s->spawned, s->inlined,
			s->steals, s->donated, s->queue_high_water, s->rounds, r->accuracy,
			s->batches, s->batch_items);
	}
}

void output_svg(const gs_table *t, FILE *f)
{
	xml_out x;

	/* Errors of the file are detected when it is closed. */
	if (picture_write(t, outfile_put, f)) {
		xml_begin(&x, outfile_put, f);
		xml_put(&x, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"40\">"
			    "<text x=\"10\" y=\"25\">nothing was measured</text></svg>");
		(void)xml_end(&x);
	}
	fputc('\n', f);
}
