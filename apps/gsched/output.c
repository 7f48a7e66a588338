#include "apps/gsched/output.h"
#include "apps/common/outfile.h"
#include "apps/gsched/picture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *command_word(const gs_table *t)
{
	return strchr(gs_programs[t->command]->name, ' ') + 1;
}

static int counts_operations(const gs_table *t)
{
	return t->command == GS_QUEUE;
}

/* 1234567 as 1.23 M: for eyes, at least three digits. */
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

	fprintf(f, "%-8s %-9s ", lsched_scheme_name(r->scheme), row_queue_name(r));
	if (r->state != ROW_CHECKED) {
		fprintf(f, "%7s  %s: %s\n", "", row_state_name(r), r->why);
		return;
	}
	fprintf(f, "%7" PRIu32 " %10.4f %9s %8s %7.3f %8s %8s %8s %8s %8s %6" PRIu32 "  %s",
		s->workers, (double)r->median_ns * 1e-6, short_number(row_rate(r), rate),
		short_number((double)(r->operations ? r->operations : s->tasks), tasks),
		row_idle(r) * 100, short_number((double)s->pushes, pushes),
		short_number((double)s->steals, steals), short_number((double)s->donated, donated),
		short_number((double)s->inlined, inlined),
		short_number((double)s->queue_high_water, high), s->rounds, row_state_name(r));
	if (!isnan(row_lost(r)))
		fprintf(f, ", %.3f %% lost", row_lost(r) * 100);
	if (r->accuracy > 0)
		fprintf(f, ", %.2f %% in order", r->accuracy * 100);
	fprintf(f, "\n");
}

void output_text(const gs_table *t, FILE *f)
{
	const char *what = counts_operations(t) ? "ops" : "tasks";
	char per_s[16];

	snprintf(per_s, sizeof(per_s), "%s/s", what);
	fprintf(f, "gsched %s on %s, median of %" PRIu32 "\n", command_word(t), t->device,
		t->o->repeat);
	if (t->command == GS_FIB)
		fprintf(f, "fib(%" PRIu32 ") = %" PRIu64 "\n", t->o->number, t->value);
	fprintf(f, "%-8s %-9s %7s %10s %9s %8s %7s %8s %8s %8s %8s %8s %6s  %s\n", "scheme",
		"queue", "workers", "ms", per_s, what, "idle %", "pushes", "steals", "donated",
		"inlined", "high", "rounds", "result");
	for (size_t i = 0; i < t->row_count; i++)
		if (t->rows[i].median_ns || t->rows[i].state != ROW_CHECKED)
			put_row(&t->rows[i], f);
	if (t->command == GS_QUEUE && t->o->latency) {
		fprintf(f, "\none call, ns: %-9s %10s %10s\n", "queue", "put in", "take out");
		for (size_t i = 0; i < t->row_count; i++)
			if (t->rows[i].push_ns > 0)
				fprintf(f, "%14s%-9s %10.1f %10.1f  (%" PRIu32 " workers)\n", "",
					row_queue_name(&t->rows[i]), t->rows[i].push_ns,
					t->rows[i].pop_ns, t->rows[i].stats.workers);
	}
}

void output_json_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, "\"%s\": \"", key);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(f, "\\%c", *c);
		else if (*c < 0x20)
			fprintf(f, "\\u%04x", *c);
		else
			fputc(*c, f);
	}
	fputc('"', f);
}

/* The options that shaped the load, so that the record can be made again. */
static void put_parameters(const gs_table *t, FILE *f)
{
	static const char *const grains[] = { "task", "warp", "lane" };
	static const char *const laws[] = { "fixed", "uniform", "paper" };
	const gs_options *o = t->o;

	fprintf(f, " \"parameters\": { \"repeat\": %" PRIu32, o->repeat);
	switch (t->command) {
	case GS_WAVEFRONT:
		fprintf(f,
			", \"width\": %" PRIu32 ", \"height\": %" PRIu32 ", \"slices\": %" PRIu32
			", \"frames\": %" PRIu32,
			o->size.width, o->size.height, o->slices, o->frames);
		break;
	case GS_SPAWN:
	case GS_RECURSE:
		fprintf(f,
			", \"probability\": %.9g, \"spawn\": %" PRIu32 ", \"initial\": %" PRIu32
			", \"levels\": %" PRIu32,
			o->p, o->children, o->initial, o->levels);
		break;
	case GS_PRIORITY:
		fprintf(f, ", \"initial\": %" PRIu32, o->initial);
		break;
	case GS_FIB:
		fprintf(f, ", \"n\": %" PRIu32, o->number);
		break;
	default:
		fprintf(f, ", \"lanes\": %" PRIu32 ", \"rounds\": %" PRIu32, o->lanes, o->rounds);
		break;
	}
	if (t->command == GS_SPAWN || t->command == GS_RECURSE)
		fprintf(f, ", \"grain\": \"%s\"", grains[o->grain]);
	if (t->command != GS_QUEUE && t->command != GS_FIB)
		fprintf(f,
			", \"work\": %" PRIu32 ", \"law\": \"%s\", \"seed\": %" PRIu32
			", \"overflow\": \"%s\", \"never_keep\": %s",
			o->work, laws[o->law], o->seed,
			lsched_overflow_name((lsched_overflow)o->overflow),
			o->never_keep ? "true" : "false");
	fprintf(f, ", \"capacity\": %" PRIu32 ", \"bin_size\": %" PRIu32 " },\n", o->capacity,
		o->bin_size);
}

static void put_workers_json(const gs_row *r, FILE *f)
{
	fprintf(f, ",\n   \"per_worker\": [");
	for (uint32_t k = 0; k < r->stats.workers; k++) {
		const lsched_worker_stats *w = &r->per_worker[k];

		fprintf(f,
			"%s\n    { \"tasks\": %" PRIu64 ", \"idle_ns\": %" PRIu64
			", \"busy_ns\": %" PRIu64 ", \"steals\": %" PRIu64
			", \"donated\": %" PRIu64,
			k ? "," : "", w->tasks, w->idle_ns, w->busy_ns, w->steals, w->donated);
		if (r->work_ns)
			fprintf(f, ", \"work_ns\": %" PRIu64, r->work_ns[k]);
		fprintf(f, " }");
	}
	fprintf(f, "\n   ]");
}

static void put_row_json(const gs_row *r, FILE *f)
{
	const lsched_stats *s = &r->stats;

	fprintf(f, "  { \"scheme\": \"%s\", ", lsched_scheme_name(r->scheme));
	if (r->scheme == LSCHED_SCHEME_DYNAMIC)
		output_json_text(f, "queue", lsched_queue_name(r->queue));
	else
		fprintf(f, "\"queue\": null");
	fprintf(f, ", ");
	output_json_text(f, "result", row_state_name(r));
	if (r->state != ROW_CHECKED) {
		fprintf(f, ", \"workers_asked\": %" PRIu32 ", ", r->workers_asked);
		output_json_text(f, "why", r->why);
		fprintf(f, " }");
		return;
	}
	fprintf(f,
		",\n   \"workers\": %" PRIu32 ", \"tasks\": %" PRIu64 ", \"median_ns\": %" PRIu64
		", \"min_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"wall_ns\": %" PRIu64
		",\n   \"rate\": %.6g, \"idle\": %.6f, \"idle_ns\": %" PRIu64
		", \"busy_ns\": %" PRIu64,
		s->workers, s->tasks, r->median_ns, r->min_ns, r->max_ns, r->wall_ns, row_rate(r),
		row_idle(r), s->idle_ns, s->busy_ns);
	fprintf(f,
		",\n   \"pushes\": %" PRIu64 ", \"pops\": %" PRIu64 ", \"failed_pops\": %" PRIu64
		", \"kept\": %" PRIu64 ", \"spawned\": %" PRIu64 ", \"inlined\": %" PRIu64
		", \"steals\": %" PRIu64 ", \"donated\": %" PRIu64 ",\n   \"high_water\": %" PRIu32
		", \"capacity\": %" PRIu32 ", \"rounds\": %" PRIu32,
		s->pushes, s->pops, s->failed_pops, s->kept, s->spawned, s->inlined, s->steals,
		s->donated, s->queue_high_water, s->queue_capacity, s->rounds);
	if (r->accuracy > 0)
		fprintf(f, ", \"accuracy\": %.6f", r->accuracy);
	if (r->operations)
		fprintf(f, ", \"operations\": %" PRIu64, r->operations);
	if (r->push_ns > 0)
		fprintf(f, ", \"push_ns\": %.2f, \"pop_ns\": %.2f", r->push_ns, r->pop_ns);
	if (!isnan(row_lost(r)))
		fprintf(f, ", \"lost\": %.6f", row_lost(r));
	if (r->per_worker)
		put_workers_json(r, f);
	fprintf(f, " }");
}

void output_json(const gs_table *t, FILE *f)
{
	fprintf(f, "{\n \"program\": \"gsched\", \"version\": \"%s\", \"command\": \"%s\",\n ",
		lsched_version_string(), command_word(t));
	output_json_text(f, "device", t->device);
	fprintf(f, ", \"backend\": \"%s\",\n", lsched_backend_name(t->backend));
	put_parameters(t, f);
	if (t->expected)
		fprintf(f, " \"tasks\": %" PRIu64 ",\n", t->expected);
	if (t->command == GS_FIB)
		fprintf(f, " \"value\": %" PRIu64 ",\n", t->value);
	fprintf(f, " \"interrupted\": %s,\n \"results\": [\n", t->interrupted ? "true" : "false");
	for (size_t i = 0, n = 0; i < t->row_count; i++) {
		if (!t->rows[i].median_ns && t->rows[i].state == ROW_CHECKED)
			continue;
		if (n++)
			fprintf(f, ",\n");
		put_row_json(&t->rows[i], f);
	}
	fprintf(f, "\n ]\n}\n");
}

void output_csv(const gs_table *t, FILE *f)
{
	fprintf(f, "command,device,scheme,queue,workers,result,tasks,operations,median_ns,min_ns,"
		   "max_ns,wall_ns,rate,idle,pushes,pops,failed_pops,kept,spawned,inlined,steals,"
		   "donated,high_water,rounds,accuracy\n");
	for (size_t i = 0; i < t->row_count; i++) {
		const gs_row *r = &t->rows[i];
		const lsched_stats *s = &r->stats;
		const uint32_t workers = s->workers ? s->workers : r->workers_asked;

		if (!r->median_ns && r->state == ROW_CHECKED)
			continue;
		fprintf(f, "%s,\"", command_word(t));
		for (const char *c = t->device; *c; c++)
			fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
		fprintf(f,
			"\",%s,%s,%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%.6g,%.6f",
			lsched_scheme_name(r->scheme), row_queue_name(r), workers,
			row_state_name(r), s->tasks, r->operations, r->median_ns, r->min_ns,
			r->max_ns, r->wall_ns, row_rate(r), row_idle(r));
		fprintf(f,
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%.6f\n",
			s->pushes, s->pops, s->failed_pops, s->kept, s->spawned, s->inlined,
			s->steals, s->donated, s->queue_high_water, s->rounds, r->accuracy);
	}
}

void output_svg(const gs_table *t, FILE *f)
{
	/* the file's own error, if there is one, is noticed by who closes it */
	if (picture_write(t, outfile_put, f))
		fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"40\">"
			   "<text x=\"10\" y=\"25\">nothing was measured</text></svg>");
	fputc('\n', f);
}
