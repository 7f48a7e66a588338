/* Timelines: sorting the workers' events, and writing them as Chrome/Perfetto JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "libsched/core/trace.h"

static int by_start(const void *pa, const void *pb)
{
	const lsched_event *a = (const lsched_event *)pa, *b = (const lsched_event *)pb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->worker > b->worker) - (a->worker < b->worker);
}

void lsched_i_collect_events(lsched_run *run)
{
	const size_t room = (size_t)run->max_workers * run->o.trace;
	size_t n = 0;

	if (!run->events)
		run->events = (lsched_event *)malloc(room * sizeof(*run->events));
	if (!run->events) {
		lsched_i_log(run->ctx, LSCHED_LOG_WARN, "%s: no memory for the timeline",
			run->program->name);
		return;
	}
	for (size_t i = 0; i < room; i++)
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

void lsched_i_writer_begin(lsched_i_writer *w, lsched_write_fn write, void *opaque)
{
	w->write = write;
	w->opaque = opaque;
	w->failed = 0;
	w->used = 0;
}

static void hand_on(lsched_i_writer *w)
{
	if (w->used && !w->failed && w->write(w->opaque, w->block, w->used))
		w->failed = 1;
	w->used = 0;
}

void lsched_i_put(lsched_i_writer *w, const char *format, ...)
{
	enum { PIECE_BYTES = 512 };
	va_list ap;
	int n;

	if (w->used + PIECE_BYTES > sizeof(w->block))
		hand_on(w);
	va_start(ap, format);
	n = vsnprintf(w->block + w->used, PIECE_BYTES, format, ap);
	va_end(ap);
	if (n < 0 || n >= PIECE_BYTES)
		w->failed = 1; /* half a piece would spoil the file */
	else
		w->used += (size_t)n;
}

lsched_status lsched_i_writer_end(lsched_i_writer *w)
{
	hand_on(w);
	return w->failed ? LSCHED_ERR_ARG : LSCHED_OK;
}

/* ---- JSON ---- */

typedef struct writer {
	lsched_i_writer text;
	int lines;
} writer;

#define put(w, ...) lsched_i_put(&(w)->text, __VA_ARGS__)

static void next_line(writer *w)
{
	put(w, "%s", w->lines++ ? ",\n" : "\n");
}

/* A device's name inside quotes. */
static void quote(char *out, size_t bytes, const char *name)
{
	size_t n = 0;

	for (; *name && n + 1 < bytes; name++)
		out[n++] =
			*name == '"' || *name == '\\' || (unsigned char)*name < 0x20 ? '_' : *name;
	out[n] = '\0';
}

static int process_id(const lsched_run *run)
{
	return run->ctx->device + 2; /* the CPU is 1, CUDA device 0 is 2 */
}

uint64_t lsched_i_first_start(lsched_run *const *runs, size_t n, lsched_backend kind)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (runs[i]->ctx->b->kind == kind && runs[i]->event_count &&
			runs[i]->events[0].start_ns < first)
			first = runs[i]->events[0].start_ns;
	return first;
}

static void put_run(writer *w, lsched_run *const *runs, size_t n, size_t r, uint32_t first_thread)
{
	const lsched_run *run = runs[r];
	const uint64_t base = lsched_i_first_start(runs, n, run->ctx->b->kind);
	const int pid = process_id(run);
	char device[256];

	quote(device, sizeof(device), run->ctx->device_name);
	next_line(w);
	put(w, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
		pid, device);
	for (uint32_t k = 0; k < run->max_workers; k++) {
		next_line(w);
		put(w,
			"{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu32
			",\"name\":\"thread_name\",\"args\":{\"name\":\"",
			pid, first_thread + k);
		if (n > 1)
			put(w, "run %zu ", r);
		put(w, "worker %" PRIu32 "\"}}", k);
	}
	for (size_t i = 0; i < run->event_count; i++) {
		const lsched_event *e = &run->events[i];
		const uint64_t t = e->start_ns - base, d = e->end_ns - e->start_ns;

		next_line(w);
		put(w,
			"{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32
			",\"ts\":%" PRIu64 ".%03u,\"dur\":%" PRIu64
			".%03u,\"args\":{\"task\":%" PRIu32 ",\"sm\":%" PRIu32 "}}",
			run->program->name, pid, first_thread + e->worker, t / 1000,
			(unsigned)(t % 1000), d / 1000, (unsigned)(d % 1000), e->task, e->sm);
	}
}

lsched_status lsched_i_check_runs(lsched_run *const *runs, size_t n, lsched_write_fn write)
{
	if ((!runs && n) || !write)
		return LSCHED_ERR_ARG;
	for (size_t i = 0; i < n; i++) {
		if (!runs[i])
			return LSCHED_ERR_ARG;
		if (runs[i]->started)
			return lsched_i_error(runs[i]->ctx, runs[i], LSCHED_ERR_STATE,
				"%s: a timeline of an unfinished run", runs[i]->program->name);
	}
	return LSCHED_OK;
}

lsched_status lsched_trace_write(
	lsched_run *const *runs, size_t run_count, lsched_write_fn write, void *opaque)
{
	const lsched_status st = lsched_i_check_runs(runs, run_count, write);
	uint32_t thread = 0;
	writer w;

	if (st != LSCHED_OK)
		return st;
	lsched_i_writer_begin(&w.text, write, opaque);
	w.lines = 0;
	put(&w, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	for (size_t i = 0; i < run_count; i++) {
		put_run(&w, runs, run_count, i, thread);
		thread += runs[i]->max_workers;
	}
	put(&w, "\n]}\n");
	return lsched_i_writer_end(&w.text);
}
