/* The public entry points: argument checks, sizes, and the order of calls. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/backend.h"
#include "libsched/items/join.h"

enum {
	DEFAULT_TIMEOUT_MS = 10000,
	DEFAULT_INLINE_DEPTH = 256,
	DEFAULT_BIN_MOST = 1024,
	DEFAULT_IDLE_PERCENT = 50,
	MAX_WORKERS = 1 << 20
};

_Static_assert(sizeof(((lsched_i_state *)0)->total) >= 8 * LSCHED_I_N_COUNT,
	"a total for each counter of a worker");

void lsched_options_init(lsched_options *o)
{
	memset(o, 0, sizeof(*o));
	o->device = -1;
	o->log_level = LSCHED_LOG_WARN;
}

void lsched_run_options_init(lsched_run_options *o)
{
	memset(o, 0, sizeof(*o));
}

static void tell(char *msg, size_t bytes, const char *text)
{
	if (msg && bytes)
		snprintf(msg, bytes, "%s", text);
}

lsched_status lsched_open(lsched_ctx **out, const lsched_options *o, char *msg, size_t msg_bytes)
{
	lsched_options defaults;
	lsched_status st;
	lsched_ctx *ctx;

	tell(msg, msg_bytes, "");
	if (!out)
		return LSCHED_ERR_ARG;
	*out = NULL;
	if (!o) {
		lsched_options_init(&defaults);
		o = &defaults;
	}
	if ((unsigned)o->backend > LSCHED_BACKEND_CUDA || o->workers > MAX_WORKERS ||
		o->device < -1) {
		tell(msg, msg_bytes, "backend, device or number of workers is out of range");
		return LSCHED_ERR_ARG;
	}
	ctx = (lsched_ctx *)calloc(1, sizeof(*ctx));
	if (!ctx) {
		tell(msg, msg_bytes, lsched_strstatus(LSCHED_ERR_NOMEM));
		return LSCHED_ERR_NOMEM;
	}
	ctx->o = *o;
	if (ctx->o.timeout_ms == 0)
		ctx->o.timeout_ms = DEFAULT_TIMEOUT_MS;
	ctx->device = -1;
	ctx->b = o->backend == LSCHED_BACKEND_CUDA ||
				 (o->backend == LSCHED_BACKEND_AUTO && lsched_device_count() > 0)
			 ? &lsched_i_backend_cuda
			 : &lsched_i_backend_cpu;
	st = ctx->b->open(ctx);
	if (st != LSCHED_OK) {
		tell(msg, msg_bytes, ctx->error[0] ? ctx->error : lsched_strstatus(st));
		free(ctx);
		return st;
	}
	lsched_i_log(ctx, LSCHED_LOG_INFO, "%s backend on %s", lsched_backend_name(ctx->b->kind),
		ctx->device_name);
	*out = ctx;
	return LSCHED_OK;
}

void lsched_close(lsched_ctx **ctx)
{
	if (!ctx || !*ctx)
		return;
	(*ctx)->b->close(*ctx);
	free(*ctx);
	*ctx = NULL;
}

const char *lsched_last_error(const lsched_ctx *ctx)
{
	return ctx ? ctx->error : "";
}

lsched_backend lsched_ctx_backend(const lsched_ctx *ctx)
{
	return ctx->b->kind;
}

int lsched_ctx_device(const lsched_ctx *ctx)
{
	return ctx->device;
}

const char *lsched_ctx_device_name(const lsched_ctx *ctx)
{
	return ctx->device_name;
}

uint32_t lsched_ctx_workers(const lsched_ctx *ctx)
{
	return ctx->workers;
}

int lsched_device_count(void)
{
	return lsched_i_cuda_device_count();
}

lsched_status lsched_device_get_info(int device, lsched_device_info *info)
{
	if (!info)
		return LSCHED_ERR_ARG;
	memset(info, 0, sizeof(*info));
	return lsched_i_cuda_device_info(device, info);
}

static const lsched_i_entry *find_entry(const lsched_program *p, const lsched_run_options *o)
{
	for (uint32_t i = 0; i < p->entry_count; i++)
		if (p->entries[i].scheme == o->scheme &&
			(o->scheme != LSCHED_SCHEME_DYNAMIC || p->entries[i].queue == o->queue))
			return &p->entries[i];
	return NULL;
}

static uint32_t asked_workers(const lsched_run *run)
{
	const uint32_t n = run->o.workers ? run->o.workers : run->max_workers;

	return run->program->has_rule && n > run->o.max_tasks ? run->o.max_tasks : n;
}

/* Roots wait in a sorted queue, and fill half of it at most if children may come too. */
static uint32_t default_capacity(const lsched_program *p, const lsched_run_options *o)
{
	const int twice = !p->has_rule && o->max_tasks <= LSCHED_MAX_TASKS / 2 &&
			  lsched_i_queue_kind((uint32_t)o->queue) == LSCHED_I_KIND_sorted;

	return lsched_i_pow2(twice ? 2 * o->max_tasks : o->max_tasks);
}

lsched_status lsched_run_create(lsched_run **out, lsched_ctx *ctx, const lsched_program *program,
	const lsched_run_options *o)
{
	const lsched_i_entry *entry;
	lsched_run *run;
	lsched_status st;

	if (out)
		*out = NULL;
	if (!ctx)
		return LSCHED_ERR_ARG;
	if (!out || !program || !o)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_ARG, "a run needs a program and options");
	if (ctx->lost)
		return lsched_i_refuse(ctx, NULL);
	if (program->abi != LSCHED_ABI)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"the program was made by another version of libsched");
	if (program->backend != ctx->b->kind)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s is a program for %s, the context is for %s", program->name,
			lsched_backend_name(program->backend), lsched_backend_name(ctx->b->kind));
	if ((unsigned)o->scheme > LSCHED_SCHEME_WORDS || (unsigned)o->queue >= LSCHED_QUEUE_COUNT ||
		(unsigned)o->overflow > LSCHED_OVERFLOW_INLINE)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: unknown scheme, queue or overflow policy", program->name);
	if (o->max_tasks == 0 || o->max_tasks > LSCHED_MAX_TASKS ||
		o->queue_capacity > LSCHED_MAX_TASKS || o->bin_size > LSCHED_MAX_TASKS)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: max_tasks must be 1 to %u, queue_capacity and bin_size 0 to %u",
			program->name, LSCHED_MAX_TASKS, LSCHED_MAX_TASKS);
	if (o->idle_percent > 100)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: idle_percent must be 0 to 100, not %" PRIu32, program->name,
			o->idle_percent);
	if (o->workers > MAX_WORKERS || o->inline_depth > LSCHED_MAX_TASKS)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: too many workers, or inline_depth too large", program->name);
	entry = find_entry(program, o);
	if (!entry && (program->has_rule || o->scheme == LSCHED_SCHEME_DYNAMIC))
		return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
			"%s was compiled without the queue %s (LSCHED_PROGRAM_QUEUES)",
			program->name, lsched_queue_name(o->queue));
	if (!entry && o->scheme == LSCHED_SCHEME_WORDS)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
			"%s has no LSCHED_WORD_BODY, so the scheme words cannot run it",
			program->name);
	if (!entry)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
			"%s has no dependency rule, so the scheme %s cannot run it", program->name,
			lsched_scheme_name(o->scheme));

	run = (lsched_run *)calloc(1, sizeof(*run));
	if (!run)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_NOMEM, "%s: out of memory", program->name);
	run->ctx = ctx;
	run->program = program;
	run->entry = entry;
	run->o = *o;
	run->error_task = LSCHED_NO_TASK;
	if (run->o.queue_capacity == 0 && !program->item_words)
		run->o.queue_capacity = default_capacity(program, o);
	if (run->o.bin_size == 0 && !program->item_words)
		run->o.bin_size = run->o.queue_capacity < DEFAULT_BIN_MOST ? run->o.queue_capacity
									   : DEFAULT_BIN_MOST;
	if (run->o.bin_size)
		run->o.bin_size = lsched_i_pow2(run->o.bin_size);
	if (run->o.timeout_ms == 0)
		run->o.timeout_ms = ctx->o.timeout_ms;
	if (run->o.idle_percent == 0)
		run->o.idle_percent = DEFAULT_IDLE_PERCENT;
	if (run->o.inline_depth == 0)
		run->o.inline_depth = DEFAULT_INLINE_DEPTH;
	if (run->o.workers == 0)
		run->o.workers = ctx->workers;
	st = ctx->b->create(run);
	if (st == LSCHED_OK && run->o.all_resident && asked_workers(run) > run->resident)
		st = lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: %" PRIu32 " workers, of which only %" PRIu32
			" are sure to run side by side (all_resident)",
			program->name, asked_workers(run), run->resident);
	if (st != LSCHED_OK) {
		(void)ctx->b->destroy(run);
		free(run);
		return st;
	}
	lsched_i_lay_out(run);
	run->args.timeout_ns =
		run->o.timeout_ms == LSCHED_NO_LIMIT_MS ? 0 : run->o.timeout_ms * UINT64_C(1000000);
	run->args.limit_ns = run->o.run_limit_ms == LSCHED_NO_LIMIT_MS
				     ? 0
				     : run->o.run_limit_ms * UINT64_C(1000000);
	run->args.overflow = (uint32_t)run->o.overflow;
	run->args.inline_depth = run->o.inline_depth;
	run->args.trace = run->o.trace;
	if (run->o.worker_stats) {
		run->worker_stats =
			(lsched_worker_stats *)calloc(run->max_workers, sizeof(*run->worker_stats));
		if (!run->worker_stats) {
			lsched_run_destroy(&run);
			return lsched_i_error(
				ctx, NULL, LSCHED_ERR_NOMEM, "%s: out of memory", program->name);
		}
	}
	*out = run;
	return LSCHED_OK;
}

/* More workers than there is work at once would only be started and stopped. */
static uint32_t useful_workers(const lsched_run *run, const void *program_ctx, uint32_t tasks)
{
	uint32_t n = tasks;

	if (run->o.scheme == LSCHED_SCHEME_STATIC || run->o.scheme == LSCHED_SCHEME_WORDS)
		n = run->program->count(program_ctx, LSCHED_I_COUNT_CHAINS, 0);
	else if (!run->program->has_rule)
		n = UINT32_MAX; /* a single item may spawn a million */
	return n < run->max_workers ? n : run->max_workers;
}

lsched_status lsched_run_start(
	lsched_run *run, const void *program_ctx, uint32_t tasks, void *cuda_stream)
{
	lsched_i_args *a;
	lsched_status st;

	if (!run)
		return LSCHED_ERR_ARG;
	if (run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: started again before it was finished", run->program->name);
	if (run->ctx->lost)
		return lsched_i_refuse(run->ctx, run);
	if (!program_ctx || tasks > run->o.max_tasks)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: %" PRIu32 " tasks, room for %" PRIu32, run->program->name, tasks,
			run->o.max_tasks);
	run->error[0] = '\0';
	run->error_task = LSCHED_NO_TASK;
	run->error_code = 0;
	run->event_count = 0;

	a = &run->args;
	a->tasks = tasks;
	a->workers = tasks ? useful_workers(run, program_ctx, tasks) : 0;
	/* the same for all starts: a ring that does not count its places leaves its slots as they are */
	a->queue_limit = run->program->has_rule && run->o.queue_capacity >= run->o.max_tasks
				 ? 0
				 : run->o.queue_capacity;
	/* so many may be idle before a round ends: one less than the given part, rounded up */
	a->idle_limit = (uint32_t)(((uint64_t)a->workers * run->o.idle_percent + 99) / 100);
	a->idle_limit -= a->idle_limit > 0;
	a->wave = 0;
	a->waves = run->o.scheme == LSCHED_SCHEME_SYNC
			   ? run->program->count(program_ctx, LSCHED_I_COUNT_WAVES, 0)
			   : 0;
	a->last = 1;
	if (++a->epoch == 0) { /* old flags would come alive again */
		a->epoch = 1;
		run->clear = 1;
	}
	run->no_work = a->workers == 0 || (run->o.scheme == LSCHED_SCHEME_SYNC && a->waves == 0);
	if (!run->no_work) {
		lsched_i_patience_begin(run);
		st = run->ctx->b->start(run, program_ctx, cuda_stream);
		if (st != LSCHED_OK) {
			run->clear = 1;
			return st;
		}
		run->clear = 0;
	}
	run->started = 1;
	return LSCHED_OK;
}

int lsched_run_done(lsched_run *run)
{
	return !run || !run->started || run->no_work || run->ctx->lost || run->ctx->b->done(run);
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
	s->rounds = (uint32_t)r->count[LSCHED_I_N_ROUNDS];
	s->value = run->program->reduce_op == LSCHED_I_OP_MIN ? ~r->value : r->value;
	s->idle_ns = r->count[LSCHED_I_N_IDLE_NS];
	s->busy_ns = r->count[LSCHED_I_N_BUSY_NS];
	s->elapsed_ns = r->count[LSCHED_I_N_END_NS] - ~r->count[LSCHED_I_N_NOT_START];
	if (run->entry->rounds && (uint64_t)s->workers * s->elapsed_ns > s->busy_ns)
		s->idle_ns = s->workers * s->elapsed_ns - s->busy_ns;
	s->queue_high_water = (uint32_t)r->count[LSCHED_I_N_HIGH_WATER];
	s->queue_capacity = run->o.scheme == LSCHED_SCHEME_DYNAMIC ? run->o.queue_capacity : 0;
	s->trace_dropped = (uint32_t)r->count[LSCHED_I_N_TRACE_DROPPED];
}

/* All tasks ran, and yet some arrived in vain: their counters are not as the next start needs them. */
static lsched_status name_counter(lsched_run *run)
{
	const size_t n = run->args.tasks;
	uint32_t *word = (uint32_t *)malloc(n * 4), task = 0;

	if (!word || lsched_mem_read(run->ctx, word, run->args.task_word, n * 4) != LSCHED_OK) {
		free(word);
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: a counter fell below zero: some task has more predecessors than its "
			"pred_count says",
			run->program->name);
	}
	while (task + 1 < n && word[task] == 0)
		task++;
	run->error_task = task;
	(void)lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
		"%s: the counter of task %" PRIu32 " fell below zero: %" PRIu32
		" more predecessors arrived than its pred_count says",
		run->program->name, task, word[task]);
	free(word);
	return LSCHED_ERR_ARG;
}

lsched_status lsched_run_finish(lsched_run *run, lsched_stats *stats)
{
	const lsched_i_result *r;
	lsched_status st;

	if (stats)
		memset(stats, 0, sizeof(*stats));
	if (!run)
		return LSCHED_ERR_ARG;
	if (!run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: finished without a start", run->program->name);
	run->started = 0;
	if (!run->no_work) {
		if (run->stuck)
			st = LSCHED_ERR_TIMEOUT;
		else
			st = run->ctx->lost ? lsched_i_refuse(run->ctx, run)
					    : run->ctx->b->wait(run);
		if (st != LSCHED_OK) {
			run->clear = 1;
			return st;
		}
		r = run->args.result;
		if (stats)
			fill_stats(run, r, stats);
		if (run->o.trace)
			lsched_i_collect_events(run);
		if (r->failure.why) {
			run->clear = 1;
			return lsched_i_explain(run, &r->failure);
		}
		if (run->patience.told > 0) {
			run->clear = 1;
			return lsched_i_explain_told(run);
		}
		if (!run->program->has_rule || (r->count[LSCHED_I_N_TASKS] == run->args.tasks &&
						       r->count[LSCHED_I_N_EXCESS] == 0))
			return LSCHED_OK;
		run->clear = 1;
		if (r->count[LSCHED_I_N_TASKS] == run->args.tasks)
			return name_counter(run);
		return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
			"%s: the rule led to %" PRIu64 " of %" PRIu32 " tasks (%s)",
			run->program->name, r->count[LSCHED_I_N_TASKS], run->args.tasks,
			lsched_scheme_name(run->o.scheme));
	}
	if (run->args.tasks == 0)
		return LSCHED_OK;
	return lsched_i_error(run->ctx, run, LSCHED_ERR_ARG,
		"%s: the rule led to 0 of %" PRIu32 " tasks (%s)", run->program->name,
		run->args.tasks, lsched_scheme_name(run->o.scheme));
}

void lsched_run_destroy(lsched_run **out)
{
	lsched_run *run = out ? *out : NULL;

	if (!run)
		return;
	if (run->started && !run->no_work && !run->ctx->lost)
		(void)run->ctx->b->wait(run);
	*out = NULL;
	if (run->ctx->b->destroy(run) != LSCHED_OK)
		return; /* a worker is still in it */
	free(run->events);
	free(run->worker_stats);
	free(run);
}

uint32_t lsched_run_max_workers(const lsched_run *run)
{
	return run ? run->max_workers : 0;
}

uint32_t lsched_run_resident_workers(const lsched_run *run)
{
	if (!run)
		return 0;
	return run->resident < run->max_workers ? run->resident : run->max_workers;
}

size_t lsched_run_worker_stats(const lsched_run *run, const lsched_worker_stats **stats)
{
	if (!run || !stats)
		return 0;
	*stats = run->worker_stats;
	return run->worker_stats && !run->no_work && !run->started ? run->args.workers : 0;
}

const char *lsched_run_error(const lsched_run *run)
{
	return run ? run->error : "";
}

uint32_t lsched_run_error_task(const lsched_run *run)
{
	return run ? run->error_task : LSCHED_NO_TASK;
}

int lsched_run_error_code(const lsched_run *run)
{
	return run ? run->error_code : 0;
}
