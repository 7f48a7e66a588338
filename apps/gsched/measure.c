#include "apps/gsched/measure.h"
#include "apps/common/stop.h"
#include "apps/gsched/watch.h"
#include "libsched/core/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One timed execution. */
typedef struct sample {
	lsched_stats stats;
	uint64_t ns, wall_ns, operations;
	double push_ns, pop_ns, accuracy;
	lsched_worker_stats *per_worker;
	uint64_t *work_ns;
} sample;

static int by_time(const void *pa, const void *pb)
{
	const sample *a = pa, *b = pb;

	return (a->ns > b->ns) - (a->ns < b->ns);
}

/* The capacity of the queue. Without a kept item each batch takes a chunk of 32 places. */
static uint32_t capacity_of(const wl_work *l, const gs_options *o)
{
	const uint64_t most = 1u << 24;
	uint64_t capacity = l->capacity;

	if (o->capacity || !o->never_keep || !l->items || capacity >= most)
		return o->capacity ? o->capacity : l->capacity;
	capacity = 32 * (capacity ? capacity : 65536);
	return (uint32_t)(capacity < most ? capacity : most);
}

/* The joins of the run. Where all items pass through a FIFO, a tree is walked level by level, and
 * most of its joins are open at once. */
static uint32_t joins_of(const wl_work *l, const gs_options *o)
{
	const uint32_t most = 1u << 24;

	if (l->max_joins || !o->never_keep || !l->items || l->expected == WL_TASKS_UNKNOWN)
		return l->max_joins;
	return l->expected < most ? (uint32_t)l->expected : most;
}

static void run_options(const wl_work *l, const wl_device *d, const gs_options *o, const gs_row *r,
	lsched_run_options *ro)
{
	lsched_run_options_init(ro);
	ro->scheme = r->scheme;
	ro->queue = r->queue;
	ro->overflow = (lsched_overflow)o->overflow;
	ro->max_tasks = l->tasks ? l->tasks : d->max_workers;
	ro->queue_capacity = capacity_of(l, o);
	ro->bin_size = o->bin_size ? o->bin_size : l->bin_size;
	ro->workers = r->workers_requested;
	ro->inline_depth = l->inline_depth;
	ro->max_joins = joins_of(l, o);
	ro->never_keep = (uint32_t)o->never_keep;
	ro->timeout_ms = o->timeout_ms;
	ro->worker_stats = !l->bare;
}

/* Executes the run once. Returns its status. */
static lsched_status start_once(wl_work *l, lsched_run *run, run_watch *w, sample *s)
{
	lsched_status st;
	uint64_t begin_ns;

	lsched_stats_init(&s->stats);
	watch_begin(w, run);
	begin_ns = wl_now_ns();
	st = lsched_run_start(run, l->ctx, l->tasks ? l->tasks : l->workers, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, &s->stats);
	s->wall_ns = wl_now_ns() - begin_ns;
	watch_end(w);
	return st;
}

/* Returns -1 if a call of the workload has failed, or was ended by a signal: this is no error of
 * the row, which keeps the executions before. */
static int result_of(gs_row *r, int bad)
{
	if (bad == WL_STOPPED) {
		r->state = ROW_CHECKED;
		snprintf(r->why, sizeof(r->why), "a signal cancelled the run");
	}
	return bad ? -1 : 0;
}

/* Prepares and executes the run until the workload does not ask for a repetition. Returns 0, or -1
 * with r->state and r->why; r->state is ROW_CHECKED if a signal cancelled the execution. */
static int run_once(wl_work *l, wl_device *d, gs_row *r, lsched_run *run, run_watch *w, sample *s)
{
	lsched_status st;
	int again;

	do {
		if (l->prepare && l->prepare(l, d, r->why, sizeof(r->why)))
			return result_of(r, wl_stopped(d) ? WL_STOPPED : -1);
		st = start_once(l, run, w, s);
		if (st == LSCHED_ERR_CANCELLED)
			return result_of(r, WL_STOPPED);
		if (st != LSCHED_OK)
			return lsched_i_say(
				-1, r->why, sizeof(r->why), "%s", lsched_run_error(run));
		again = l->again ? l->again(l, d, r->why, sizeof(r->why)) : 0;
	} while (again > 0);
	return again;
}

/* Sets what the workload reads of the execution, and clears its results. */
static void begin_execution(wl_work *l, uint32_t execution, uint32_t workers)
{
	l->execution = execution;
	l->workers = workers;
	l->stats = NULL;
	l->operations = WL_TASKS_COUNT;
	l->operations_ns = 0;
	l->facts = 0;
	l->push_ns = l->pop_ns = l->accuracy = 0;
}

/* The same for the program without libsched. */
static int run_plain(wl_work *l, wl_device *d, gs_row *r, sample *s)
{
	if ((l->prepare && l->prepare(l, d, r->why, sizeof(r->why))) ||
		result_of(r, r->plain(l, d, &s->ns, r->why, sizeof(r->why))))
		return -1;
	s->wall_ns = s->ns;
	return 0;
}

/* Executes the run once, or without one the program without libsched, and checks the result.
 * Returns 0, or -1 with r->state and r->why; r->state is ROW_CHECKED if a signal cancelled the
 * execution. */
static int execute(wl_work *l, wl_device *d, gs_row *r, lsched_run *run, uint32_t execution,
	run_watch *w, sample *s)
{
	const uint32_t workers = run ? lsched_run_max_workers(run) : 0;
	const uint64_t expected = l->expected ? l->expected : workers;

	memset(s, 0, sizeof(*s));
	lsched_stats_init(&s->stats);
	r->state = ROW_FAILED;
	if (run && !l->tasks && workers > lsched_run_resident_workers(run))
		return lsched_i_say(-1, r->why, sizeof(r->why),
			"%" PRIu32 " workers cannot run at the same time; set at most %" PRIu32
			" with --workers",
			workers, lsched_run_resident_workers(run));
	begin_execution(l, execution, workers);
	l->stats = run ? &s->stats : NULL;
	if (run ? run_once(l, d, r, run, w, s) : run_plain(l, d, r, s))
		return -1;
	watch_count(w);
	r->state = ROW_WRONG;
	if (run && expected != WL_TASKS_UNKNOWN && s->stats.tasks != expected)
		return lsched_i_say(-1, r->why, sizeof(r->why),
			"%" PRIu64 " tasks ran, not %" PRIu64, s->stats.tasks, expected);
	if (l->check && result_of(r, l->check(l, d, r->why, sizeof(r->why))))
		return -1;
	r->state = ROW_CHECKED;
	if (run)
		s->ns = l->operations_ns ? l->operations_ns : s->stats.elapsed_ns;
	s->operations = l->operations;
	s->push_ns = l->push_ns;
	s->pop_ns = l->pop_ns;
	s->accuracy = l->accuracy;
	return 0;
}

/* Copies the statistics of the workers, because the next execution replaces them. */
static void copy_worker_stats(lsched_run *run, const wl_work *l, sample *s)
{
	const uint32_t n = s->stats.workers;

	s->per_worker = n ? malloc(n * sizeof(*s->per_worker)) : NULL;
	for (uint32_t k = 0; s->per_worker && k < n; k++) {
		lsched_worker_stats_init(&s->per_worker[k]);
		(void)lsched_run_worker_stats(run, k, &s->per_worker[k]);
	}
	s->work_ns = l->work_ns && n ? malloc(n * sizeof(*l->work_ns)) : NULL;
	if (s->work_ns)
		memcpy(s->work_ns, l->work_ns, n * sizeof(*l->work_ns));
}

static void free_worker_stats(sample *s)
{
	free(s->per_worker);
	free(s->work_ns);
}

lsched_run *measure_open(
	gs_row *r, const wl_work *l, wl_device *d, const gs_options *o, uint32_t trace)
{
	lsched_run_options ro;
	lsched_run *run;

	run_options(l, d, o, r, &ro);
	ro.trace = trace;
	if (lsched_run_create(&run, d->ctx, d->backend == LSCHED_BACKEND_CUDA ? l->cuda : l->cpu,
		    &ro) == LSCHED_OK)
		return run;
	r->state = ROW_FAILED;
	snprintf(r->why, sizeof(r->why), "%s", lsched_last_error(d->ctx));
	return NULL;
}

int measure_execute(gs_row *r, wl_work *l, wl_device *d, lsched_run *run)
{
	run_watch w;
	sample s;
	int bad;

	watch_open(&w, NULL, 1);
	bad = execute(l, d, r, run, 1, &w, &s);
	watch_close(&w);
	return bad;
}

int measure_trace(gs_row *r, wl_work *l, wl_device *d, const gs_options *o, gs_procedures *p,
	int as_svg, lsched_write_fn write, void *opaque)
{
	/* Each worker records up to all tasks, because one worker may execute all of them; the
	 * limit applies to all workers together. */
	enum { MAX_EVENTS = 1 << 23 };
	const uint64_t most = MAX_EVENTS / (d->max_workers ? d->max_workers : 1) + 1;
	const uint64_t events = l->expected && l->expected < most ? l->expected : most;
	lsched_run *run = measure_open(r, l, d, o, (uint32_t)events);
	lsched_status st;
	int bad;

	if (!run)
		return -1;
	bad = measure_execute(r, l, d, run);
	if (!bad)
		procedures_read(p, run);
	if (!bad && write) {
		st = as_svg ? lsched_trace_write_svg(&run, 1, NULL, write, opaque)
			    : lsched_trace_write(&run, 1, write, opaque);
		if (st != LSCHED_OK)
			snprintf(r->why, sizeof(r->why), "cannot write the timeline");
		bad = st != LSCHED_OK;
	}
	lsched_run_destroy(&run);
	return bad ? -1 : 0;
}

static void take_median(gs_row *r, sample *s, uint32_t n)
{
	const sample *m = &s[n / 2];

	qsort(s, n, sizeof(*s), by_time);
	r->stats = m->stats;
	r->min_ns = s[0].ns;
	r->median_ns = m->ns;
	r->max_ns = s[n - 1].ns;
	r->wall_ns = m->wall_ns;
	r->operations = m->operations;
	r->push_ns = m->push_ns;
	r->pop_ns = m->pop_ns;
	r->accuracy = m->accuracy;
	r->per_worker = m->per_worker;
	r->work_ns = m->work_ns;
	for (uint32_t i = 0; i < n; i++)
		if (i != n / 2)
			free_worker_stats(&s[i]);
}

/* Measures one row: the warm-up execution and the timed ones. */
static void measure_row(
	gs_row *r, wl_work *l, wl_device *d, const gs_options *o, uint32_t repeat, run_watch *w)
{
	const uint32_t warm_up = !l->once;
	sample *s = calloc(repeat, sizeof(*s)), first;
	lsched_run *run = NULL;
	uint32_t n = 0;

	r->state = ROW_FAILED;
	if (!s) {
		snprintf(r->why, sizeof(r->why),
			"out of memory for %" PRIu32 " samples; a smaller --repeat takes less",
			repeat);
		return;
	}
	if (!r->plain)
		run = measure_open(r, l, d, o, 0);
	if ((run || r->plain) && (!warm_up || execute(l, d, r, run, 0, w, &first) == 0)) {
		while (n < repeat && !stop_signal() &&
			execute(l, d, r, run, n + warm_up, w, &s[n]) == 0) {
			if (run && !l->bare)
				copy_worker_stats(run, l, &s[n]);
			n++;
		}
	}
	if (r->state == ROW_CHECKED && n)
		take_median(r, s, n);
	else
		for (uint32_t i = 0; i < n; i++)
			free_worker_stats(&s[i]);
	lsched_run_destroy(&run);
	free(s);
}

int measure(gs_table *t, wl_work *l, wl_device *d, const gs_options *o, logger *log)
{
	run_watch w;
	uint64_t executions = 0;
	int bad = 0;

	progress_init(&log->progress, "runs", log->progress.on);
	t->o = o;
	t->repeat = o->repeat ? o->repeat : l->once ? 1 : 5;
	t->backend = d->backend;
	t->expected = l->expected == WL_TASKS_UNKNOWN ? 0 : l->expected;
	snprintf(t->device, sizeof(t->device), "%s", lsched_ctx_device_name(d->ctx));
	if (table_make_rows(t, l, o)) {
		log_print(log, LOG_LEVEL_ERROR, "out of memory for the rows of the table");
		return -1;
	}
	for (size_t i = 0; i < t->row_count; i++)
		executions += t->rows[i].state == ROW_LEFT_OUT ? 0 : t->repeat + !l->once;
	watch_open(&w, log, executions);
	for (size_t i = 0; i < t->row_count && !stop_signal(); i++) {
		gs_row *r = &t->rows[i];

		if (r->state == ROW_LEFT_OUT) {
			log_print(log, LOG_LEVEL_INFO, "queue %s is left out: %s",
				row_queue_name(r), r->why);
			continue;
		}
		measure_row(r, l, d, o, t->repeat, &w);
		if (r->state == ROW_CHECKED) {
			t->facts = l->facts;
			memcpy(t->fact, l->fact, sizeof(t->fact));
			continue;
		}
		log_print(log, LOG_LEVEL_ERROR, "%s %s, %" PRIu32 " worker%s: %s: %s",
			row_scheme_name(r), row_queue_name(r), r->workers_requested,
			r->workers_requested == 1 ? "" : "s", row_state_name(r), r->why);
		bad = 1;
	}
	watch_close(&w);
	t->interrupted = stop_signal() != 0;
	log_progress_clear(log);
	return bad || t->interrupted ? -1 : 0;
}
