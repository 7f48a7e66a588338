/* Timelines: sorting the workers' events, and writing them as Chrome/Perfetto JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "libsched/core/backend.h"
#include "libsched/core/sized.h"
#include "libsched/core/timeline.h"

static int by_start(const void *pa, const void *pb)
{
	const lsched_event *a = (const lsched_event *)pa, *b = (const lsched_event *)pb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->worker > b->worker) - (a->worker < b->worker);
}

void lsched_i_collect_events(lsched_run *run)
{
	const size_t capacity = (size_t)run->max_workers * run->o.trace;
	size_t n = 0;

	if (!run->events)
		run->events = (lsched_event *)malloc(capacity * sizeof(*run->events));
	if (!run->events) {
		lsched_i_log(run->ctx, LSCHED_LOG_WARN, "%s: no memory for the timeline",
			run->program->name);
		return;
	}
	for (size_t i = 0; i < capacity; i++)
		if (run->events_raw[i].end_ns)
			run->events[n++] = run->events_raw[i];
	qsort(run->events, n, sizeof(*run->events), by_start);
	run->event_count = n;
}

size_t lsched_run_events(const lsched_run *run, const lsched_event **events)
{
	if (!run || !events)
		return 0;
	*events = run->events;
	return run->event_count;
}

lsched_status lsched_run_get_info(const lsched_run *run, lsched_run_info *info)
{
	lsched_run_info known = { sizeof(known), NULL, NULL, LSCHED_BACKEND_CPU, 0, 0, 0, 0 };

	if (!run || !info)
		return LSCHED_ERR_ARG;
	known.program = run->program->name;
	known.device_name = run->ctx->device_name;
	known.backend = run->ctx->b->kind;
	known.items = run->program->item_words != 0;
	known.started = run->started;
	/* an execution without work does not set the result */
	if (!run->started && !run->no_work && run->args.result) {
		known.workers = run->args.workers;
		known.trace_dropped = run->args.result->count[LSCHED_I_N_TRACE_DROPPED];
	}
	return lsched_i_sized_out(info, sizeof(known),
		       LSCHED_I_SIZE_TO(lsched_run_info, trace_dropped), &known)
		       ? LSCHED_ERR_ARG
		       : LSCHED_OK;
}

/* Returns the status; the text becomes the error of the first run, if there is one. */
static lsched_status trace_error(
	lsched_run *const *runs, size_t n, lsched_status st, const char *text)
{
	if (!runs || n == 0 || !runs[0])
		return st;
	return lsched_i_error(
		runs[0]->ctx, runs[0], st, "%s: timeline: %s", runs[0]->program->name, text);
}

/* ---- JSON ---- */

static int process_id(const lsched_run *run)
{
	return run->ctx->device + 2; /* the CPU (device -1) is 1, CUDA device 0 is 2 */
}

/* Returns the start of the first event of a backend's runs: time 0 of its events, because the
 * clocks of backends count from different epochs. */
static uint64_t first_start(lsched_run *const *runs, size_t n, lsched_backend kind)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (runs[i]->ctx->b->kind == kind && runs[i]->event_count &&
			runs[i]->events[0].start_ns < first)
			first = runs[i]->events[0].start_ns;
	return first;
}

static void put_event(lsched_i_json *j, const lsched_run *run, const lsched_event *e,
	uint64_t base_ns, uint32_t first_thread)
{
	const lsched_program *p = run->program;
	char text[24];

	lsched_i_timeline_begin_event(j, "X",
		p->procedure_count > 1
			? lsched_i_procedure_label(p, e->procedure, text, sizeof(text))
			: p->name,
		process_id(run), first_thread + e->worker, e->start_ns - base_ns);
	lsched_i_json_thousandths(j, "dur", e->end_ns - e->start_ns);
	lsched_i_json_object(j, "args");
	lsched_i_json_uint(j, "task", e->task);
	lsched_i_json_uint(j, "sm", e->sm);
	lsched_i_json_close(j);
	lsched_i_json_close(j);
}

static void put_run(
	lsched_i_json *j, lsched_run *const *runs, size_t n, size_t r, uint32_t first_thread)
{
	const lsched_run *run = runs[r];
	const uint64_t base = first_start(runs, n, run->ctx->b->kind);
	const int pid = process_id(run);
	char name[64];

	lsched_i_timeline_put_name(j, "process_name", pid, -1, run->ctx->device_name);
	for (uint32_t k = 0; k < run->max_workers; k++) {
		if (n > 1)
			snprintf(name, sizeof(name), "run %zu worker %" PRIu32, r, k);
		else
			snprintf(name, sizeof(name), "worker %" PRIu32, k);
		lsched_i_timeline_put_name(j, "thread_name", pid, (int64_t)first_thread + k, name);
	}
	for (size_t i = 0; i < run->event_count; i++)
		put_event(j, run, &run->events[i], base, first_thread);
}

/* Checks the arguments of lsched_trace_write(): ARG for missing ones, STATE for a run that is not
 * finished. */
static lsched_status check_runs(lsched_run *const *runs, size_t n, lsched_write_fn write)
{
	if ((!runs && n) || !write)
		return trace_error(runs, n, LSCHED_ERR_ARG, "the write function is NULL");
	for (size_t i = 0; i < n; i++) {
		if (!runs[i])
			return trace_error(runs, n, LSCHED_ERR_ARG, "one of the runs is NULL");
		if (runs[i]->started)
			return lsched_i_error(runs[i]->ctx, runs[i], LSCHED_ERR_STATE,
				"%s: a timeline of an unfinished run", runs[i]->program->name);
	}
	return LSCHED_OK;
}

lsched_status lsched_trace_write(
	lsched_run *const *runs, size_t run_count, lsched_write_fn write, void *opaque)
{
	const lsched_status st = check_runs(runs, run_count, write);
	uint32_t thread = 0;
	lsched_i_json j;

	if (st != LSCHED_OK)
		return st;
	lsched_i_timeline_begin(&j, write, opaque);
	for (size_t i = 0; i < run_count; i++) {
		put_run(&j, runs, run_count, i, thread);
		thread += runs[i]->max_workers;
	}
	if (lsched_i_timeline_end(&j) == 0)
		return LSCHED_OK;
	return trace_error(runs, run_count, LSCHED_ERR_ARG, "the write function returned nonzero");
}
