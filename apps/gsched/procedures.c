#include "apps/gsched/procedures.h"

#include <inttypes.h>

void procedures_read(gs_procedures *p, lsched_run *run)
{
	lsched_run_info info;

	lsched_run_info_init(&info);
	if (lsched_run_get_info(run, &info) == LSCHED_OK)
		p->dropped = info.trace_dropped;
	for (p->count = 0; p->count < LSCHED_MAX_PROCEDURES; p->count++) {
		lsched_procedure_stats_init(&p->of[p->count]);
		if (lsched_run_procedure_stats(run, p->count, &p->of[p->count]) != LSCHED_OK)
			break;
	}
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static uint64_t all_ns(const gs_procedures *p)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < p->count; i++)
		ns += p->of[i].time_ns;
	return ns;
}

/* Returns the name, or the number. */
static const char *name_of(const gs_procedures *p, uint32_t i, char number[16])
{
	snprintf(number, 16, "%" PRIu32, i);
	return p->of[i].name ? p->of[i].name : number;
}

void procedures_text(const gs_procedures *p, FILE *f)
{
	const uint64_t ns = all_ns(p);
	char number[16];

	fprintf(f, "\n%-12s %10s %12s %8s %10s %7s %10s %10s %10s %10s\n", "procedure", "batches",
		"items", "a batch", "ms", "time %", "us a batch", "least", "most", "us an item");
	for (uint32_t i = 0; i < p->count; i++) {
		const lsched_procedure_stats *s = &p->of[i];

		fprintf(f,
			"%-12s %10" PRIu64 " %12" PRIu64
			" %8.2f %10.4f %7.2f %10.3f %10.3f %10.3f %10.3f\n",
			name_of(p, i, number), s->batches, s->items, ratio(s->items, s->batches),
			(double)s->time_ns * 1e-6, 100 * ratio(s->time_ns, ns),
			ratio(s->time_ns, s->batches) * 1e-3, (double)s->min_ns * 1e-3,
			(double)s->max_ns * 1e-3, ratio(s->time_ns, s->items) * 1e-3);
	}
	if (p->dropped)
		fprintf(f, "%" PRIu64 " later batches were not recorded\n", p->dropped);
}

void procedures_json(const gs_procedures *p, lsched_i_json *j)
{
	char number[16];

	lsched_i_json_line(j);
	lsched_i_json_uint(j, "batches_not_recorded", p->dropped);
	lsched_i_json_line_array(j, "procedures");
	for (uint32_t i = 0; i < p->count; i++) {
		const lsched_procedure_stats *s = &p->of[i];

		lsched_i_json_line_object(j, NULL);
		lsched_i_json_text(j, "name", name_of(p, i, number));
		lsched_i_json_uint(j, "batches", s->batches);
		lsched_i_json_uint(j, "items", s->items);
		lsched_i_json_uint(j, "time_ns", s->time_ns);
		lsched_i_json_uint(j, "min_ns", s->min_ns);
		lsched_i_json_uint(j, "max_ns", s->max_ns);
		lsched_i_json_close(j);
	}
	lsched_i_json_line_close(j);
}
