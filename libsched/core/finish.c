/* The end of an execution: its outcome and its statistics. */
#include <inttypes.h>
#include <stdlib.h>
#include "libsched/core/backend.h"
#include "libsched/core/bits.h"
#include "libsched/items/join.h"

/* Sizes of the structs in the first version that stores their size. */
#define STATS_LEAST_BYTES        LSCHED_I_SIZE_TO(lsched_stats, trace_dropped)
#define WORKER_STATS_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_worker_stats, busy_ns)

const char *lsched_i_stats_out(lsched_stats *to, const lsched_stats *from)
{
	return lsched_i_sized_out(to, sizeof(*from), STATS_LEAST_BYTES, from);
}

static void fill_stats(const lsched_run *run, const lsched_i_result *r, lsched_stats *s)
{
	s->workers = run->args.workers;
	s->tasks = r->count[LSCHED_I_N_TASKS];
	s->kept = r->count[LSCHED_I_N_KEPT];
	s->pushes = r->count[LSCHED_I_N_PUSHES];
	s->pops = r->count[LSCHED_I_N_POPS];
	s->failed_pops = r->count[LSCHED_I_N_FAILED_POPS];
	s->spawned = r->count[LSCHED_I_N_SPAWNED];
	s->inlined = r->count[LSCHED_I_N_INLINED];
	s->steals = r->count[LSCHED_I_N_STEALS];
	s->donated = r->count[LSCHED_I_N_DONATED];
	s->rounds = lsched_i_at_most_u32(r->count[LSCHED_I_N_ROUNDS]);
	s->value = run->program->reduce_op == LSCHED_I_OP_MIN ? ~r->value : r->value;
	s->idle_ns = r->count[LSCHED_I_N_IDLE_NS];
	s->busy_ns = r->count[LSCHED_I_N_BUSY_NS];
	s->elapsed_ns = r->count[LSCHED_I_N_END_NS] - ~r->count[LSCHED_I_N_NOT_START];
	if (run->entry->rounds && (uint64_t)s->workers * s->elapsed_ns > s->busy_ns)
		s->idle_ns = s->workers * s->elapsed_ns - s->busy_ns;
	s->queue_high_water = lsched_i_at_most_u32(r->count[LSCHED_I_N_HIGH_WATER]);
	s->queue_capacity = run->o.scheme == LSCHED_SCHEME_DYNAMIC ? run->o.queue_capacity : 0;
	s->batches = r->count[LSCHED_I_N_BATCHES];
	s->batch_items = r->count[LSCHED_I_N_BATCH_ITEMS];
	s->trace_dropped = lsched_i_at_most_u32(r->count[LSCHED_I_N_TRACE_DROPPED]);
}

/* Returns the error of an execution whose tasks all ran, but with too many arrivals at one of
 * them. It names this task, unless its counter cannot be read or was reset after the arrival. */
static lsched_status excess_arrivals(lsched_run *run)
{
	const size_t n = run->args.tasks;
	uint32_t *word = (uint32_t *)malloc(n * 4), task = 0;

	if (!word || lsched_mem_read(run->ctx, word, run->args.task_words, n * 4) != LSCHED_OK)
		task = (uint32_t)n;
	while (task < n && word[task] == 0)
		task++;
	if (task < n) {
		run->error_task = task;
		(void)lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: the counter of task %" PRIu32 " fell below zero: %" PRIu32
			" more predecessors arrived than its pred_count",
			run->program->name, task, word[task]);
	} else {
		(void)lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: a counter fell below zero: pred_count of a task is too small",
			run->program->name);
	}
	free(word);
	return LSCHED_ERR_ARG;
}

/* Returns the outcome of an execution whose workers have all left. */
static lsched_status outcome(lsched_run *run, int cancelled)
{
	const lsched_i_result *r = run->args.result;
	const uint64_t tasks = r->count[LSCHED_I_N_TASKS];

	if (r->failure.why)
		return lsched_i_explain(run, &r->failure);
	if (run->watchdog.stopped > 0 || run->watchdog.limited)
		return lsched_i_explain_stopped(run);
	if (cancelled)
		return lsched_i_explain_cancelled(run, tasks);
	if (!run->program->has_rule ||
		(tasks == run->args.tasks && (uint32_t)r->count[LSCHED_I_N_EXCESS] == 0))
		return LSCHED_OK;
	if (tasks == run->args.tasks)
		return excess_arrivals(run);
	return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
		"%s: the rule reaches %" PRIu64 " of %" PRIu32
		" tasks (%s); check its roots, successors, chains or wavefronts",
		run->program->name, tasks, run->args.tasks, lsched_scheme_name(run->o.scheme));
}

/* Returns the outcome of an execution without work. */
static lsched_status outcome_without_work(lsched_run *run)
{
	if (run->args.tasks == 0)
		return LSCHED_OK;
	return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
		"%s: the rule reaches 0 of %" PRIu32 " tasks (%s); check its chains or wavefronts",
		run->program->name, run->args.tasks, lsched_scheme_name(run->o.scheme));
}

/* Waits for the workers; a run of a lost context returns the error at once. */
static lsched_status wait_for_end(lsched_run *run)
{
	const int lost = lsched_i_run_lost(run);

	if (run->hangs)
		return LSCHED_ERR_TIMEOUT;
	if (lost)
		return lsched_i_lost_error(run->ctx, run);
	return run->ctx->b->wait(run);
}

void lsched_i_run_forget(lsched_run *run)
{
	run->must_clear = 1;
	run->joins_open = 0;
}

/* After an execution without error. Jobs that are paused may have open joins, so
 * core/jobs_member.c checks those of a member. */
static lsched_status check_joins(lsched_run *run)
{
	run->joins_open += (uint32_t)run->args.result->count[LSCHED_I_N_EXCESS];
	return run->jobs_max ? LSCHED_OK : lsched_i_check_joins_closed(run, run->joins_open);
}

lsched_status lsched_run_finish(lsched_run *run, lsched_stats *stats)
{
	lsched_stats known = { 0 };
	const char *why = stats ? lsched_i_stats_out(stats, &known) : NULL;
	lsched_status st;
	int cancelled;

	if (!run)
		return LSCHED_ERR_ARG;
	if (why)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG, "%s: lsched_stats %s",
			run->program->name, why);
	if (!run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: finished without a start; call lsched_run_start() first",
			run->program->name);
	if (run->no_work) {
		(void)lsched_i_run_lost(run);
		(void)lsched_i_control_end(run, 0);
		return outcome_without_work(run);
	}
	st = wait_for_end(run);
	cancelled = lsched_i_control_end(run, st == LSCHED_OK);
	if (st == LSCHED_OK) {
		fill_stats(run, run->args.result, &known);
		if (run->o.trace)
			lsched_i_collect_events(run);
		st = outcome(run, cancelled);
		if (st == LSCHED_OK)
			st = check_joins(run);
		if (stats)
			(void)lsched_i_stats_out(stats, &known);
	}
	if (st != LSCHED_OK)
		lsched_i_run_forget(run);
	return st;
}

lsched_status lsched_run_worker_stats(lsched_run *run, uint32_t worker, lsched_worker_stats *stats)
{
	static const lsched_worker_stats none;
	lsched_worker_stats known = none;
	const char *why = NULL;

	if (stats)
		why = lsched_i_sized_out(stats, sizeof(none), WORKER_STATS_LEAST_BYTES, &none);
	if (!run)
		return LSCHED_ERR_ARG;
	if (!stats || why)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG, "%s: lsched_worker_stats %s",
			run->program->name, why ? why : "is NULL");
	if (!run->worker_stats || run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: no statistics of workers: %s", run->program->name,
			run->started ? "the run is not finished"
				     : "lsched_run_options.worker_stats is 0");
	if (run->no_work || worker >= run->args.workers)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: no statistics of worker %" PRIu32 ": the execution had %" PRIu32,
			run->program->name, worker, run->no_work ? 0 : run->args.workers);
	known.tasks = run->worker_stats[worker].tasks;
	known.steals = run->worker_stats[worker].steals;
	known.donated = run->worker_stats[worker].donated;
	known.idle_ns = run->worker_stats[worker].idle_ns;
	known.busy_ns = run->worker_stats[worker].busy_ns;
	(void)lsched_i_sized_out(stats, sizeof(known), WORKER_STATS_LEAST_BYTES, &known);
	return LSCHED_OK;
}
