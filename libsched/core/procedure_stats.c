/* Statistics of procedures: sums of the recorded events of an item program. */
#include <inttypes.h>
#include <stdio.h>
#include "libsched/core/backend.h"
#include "libsched/core/sized.h"

/* Size of the statistics in the first version that has them. */
#define PROCEDURE_STATS_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_procedure_stats, max_ns)

const char *lsched_i_procedure_label(
	const lsched_program *program, uint32_t procedure, char *text, size_t bytes)
{
	if (program->procedures && procedure < program->procedure_count)
		return program->procedures[procedure].name;
	snprintf(text, bytes, "procedure %" PRIu32, procedure);
	return text;
}

static void sum_events(const lsched_run *run, uint32_t procedure, lsched_procedure_stats *s)
{
	for (size_t i = 0; i < run->event_count; i++) {
		const lsched_event *e = &run->events[i];
		const uint64_t ns = e->end_ns - e->start_ns;

		if (e->procedure != procedure)
			continue;
		if (s->batches == 0 || ns < s->min_ns)
			s->min_ns = ns;
		if (ns > s->max_ns)
			s->max_ns = ns;
		s->batches++;
		s->items += e->task;
		s->time_ns += ns;
	}
}

lsched_status lsched_run_procedure_stats(
	lsched_run *run, uint32_t procedure, lsched_procedure_stats *stats)
{
	static const lsched_procedure_stats none;
	lsched_procedure_stats known = none;
	const lsched_program *program;
	const char *why = NULL;

	if (stats)
		why = lsched_i_sized_out(stats, sizeof(none), PROCEDURE_STATS_LEAST_BYTES, &none);
	if (!run)
		return LSCHED_ERR_ARG;
	program = run->program;
	if (!stats || why)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: lsched_procedure_stats %s", program->name, why ? why : "is NULL");
	if (!run->o.trace || run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: no statistics of procedures: %s", program->name,
			run->started ? "the run is not finished" : "lsched_run_options.trace is 0");
	if (procedure >= program->procedure_count)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: there is no procedure %" PRIu32 ": the program has %" PRIu32,
			program->name, procedure, program->procedure_count);
	if (program->procedures)
		known.name = program->procedures[procedure].name;
	sum_events(run, procedure, &known);
	(void)lsched_i_sized_out(stats, sizeof(known), PROCEDURE_STATS_LEAST_BYTES, &known);
	return LSCHED_OK;
}
