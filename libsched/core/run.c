/* Runs: checks of arguments, default options, creation, queries and destruction. */
#include <inttypes.h>
#include <stdlib.h>
#include "libsched/core/backend.h"
#include "libsched/queue/queue.h"

enum { DEFAULT_INLINE_DEPTH = 256, MAX_DEFAULT_BIN = 1024, DEFAULT_IDLE_PERCENT = 50 };

_Static_assert(sizeof(((lsched_i_state *)0)->total) >= 8 * LSCHED_I_N_COUNT,
	"a total for each counter of a worker");

void lsched_run_options_init_sized(lsched_run_options *o, size_t struct_bytes)
{
	const lsched_run_options known = { 0 };

	lsched_i_sized_init(o, struct_bytes, sizeof(known), &known);
}

static const lsched_i_entry *find_entry(const lsched_program *p, const lsched_run_options *o)
{
	for (uint32_t i = 0; i < p->entry_count; i++)
		if (p->entries[i].scheme == o->scheme &&
			(p->entries[i].work || p->entries[i].kernel) &&
			(o->scheme != LSCHED_SCHEME_DYNAMIC || p->entries[i].queue == o->queue))
			return &p->entries[i];
	return NULL;
}

/* Returns the number of workers that a start of max_tasks tasks would use. */
static uint32_t requested_workers(const lsched_run *run)
{
	const uint32_t n = run->o.workers ? run->o.workers : run->max_workers;

	return run->program->has_rule && n > run->o.max_tasks ? run->o.max_tasks : n;
}

/* Returns the default of queue_capacity: all tasks fit. Without a rule a sorted queue gets twice as
 * many slots, because it also stores the roots, which then fill at most half of it. */
static uint32_t default_capacity(const lsched_program *p, const lsched_run_options *o)
{
	const int twice = !p->has_rule && o->max_tasks <= LSCHED_MAX_TASKS / 2 &&
			  lsched_i_queue_has((uint32_t)o->queue, LSCHED_I_CAP_SORTED);

	return lsched_i_pow2(twice ? 2 * o->max_tasks : o->max_tasks);
}

/* Checks the ranges of the members. */
static lsched_status check_options(
	lsched_ctx *ctx, const lsched_program *program, const lsched_run_options *o)
{
	if ((unsigned)o->scheme >= LSCHED_SCHEME_COUNT ||
		(unsigned)o->queue >= LSCHED_QUEUE_COUNT ||
		(unsigned)o->overflow > LSCHED_OVERFLOW_INLINE)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: unknown scheme %d, queue %d or overflow policy %d", program->name,
			(int)o->scheme, (int)o->queue, (int)o->overflow);
	if (o->max_tasks == 0 || o->max_tasks > LSCHED_MAX_TASKS ||
		o->queue_capacity > LSCHED_MAX_TASKS || o->bin_size > LSCHED_MAX_TASKS)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: max_tasks must be 1 to %u, queue_capacity and bin_size 0 to %u; "
			"they are %" PRIu32 ", %" PRIu32 " and %" PRIu32,
			program->name, LSCHED_MAX_TASKS, LSCHED_MAX_TASKS, o->max_tasks,
			o->queue_capacity, o->bin_size);
	if (o->idle_percent > 100)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: idle_percent must be 0 to 100, not %" PRIu32, program->name,
			o->idle_percent);
	if (o->workers > LSCHED_I_MAX_WORKERS || o->inline_depth > LSCHED_MAX_TASKS)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: workers must be 0 to %u, inline_depth 0 to %u; they are %" PRIu32
			" and %" PRIu32,
			program->name, LSCHED_I_MAX_WORKERS, LSCHED_MAX_TASKS, o->workers,
			o->inline_depth);
	return LSCHED_OK;
}

/* Checks the capacities of procedures: one item's outputs must fit. */
static lsched_status check_capacities(
	lsched_ctx *ctx, const lsched_program *program, const lsched_run_options *o)
{
	const uint32_t procedures = lsched_i_has_table(program) ? program->procedure_count : 0;

	for (uint32_t k = 0; k < LSCHED_MAX_PROCEDURES; k++) {
		const uint32_t capacity = o->procedure_capacity[k];

		if (capacity == 0)
			continue;
		if (k >= procedures)
			return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
				"%s: procedure_capacity[%" PRIu32 "] is set, but the program has "
				"%" PRIu32 " procedures in LSCHED_PROCEDURES",
				program->name, k, procedures);
		if (capacity > LSCHED_MAX_TASKS || capacity < program->procedures[k].least_capacity)
			return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
				"%s: procedure_capacity of procedure %s must be 0 or %" PRIu32
				" (outputs of one item) to %u, not %" PRIu32,
				program->name, program->procedures[k].name,
				program->procedures[k].least_capacity, LSCHED_MAX_TASKS, capacity);
	}
	return LSCHED_OK;
}

/* Returns the error of a program without an instance for the scheme and queue. */
static lsched_status missing_entry(
	lsched_ctx *ctx, const lsched_program *program, const lsched_run_options *o)
{
	const lsched_scheme first = program->entries[0].scheme;

	if (program->has_rule && o->scheme != first &&
		program->entries[program->entry_count - 1].scheme == first)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
			"%s was compiled for the scheme %s (LSCHED_ONLY_SCHEME), not for %s",
			program->name, lsched_scheme_name(first), lsched_scheme_name(o->scheme));
	if (o->scheme == LSCHED_SCHEME_DYNAMIC)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
			"%s was compiled without the queue %s: list it in LSCHED_PROGRAM_QUEUES",
			program->name, lsched_queue_name(o->queue));
	if (o->scheme == LSCHED_SCHEME_EPOCH)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
			"%s has no LSCHED_WORD_BODY, so the scheme epoch cannot run it",
			program->name);
	return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
		"%s has no dependency rule, so the scheme %s cannot run it", program->name,
		lsched_scheme_name(o->scheme));
}

/* Sets the options that are 0 to their defaults. */
static void fill_defaults(lsched_run *run)
{
	const lsched_program *program = run->program;
	const lsched_ctx *ctx = run->ctx;

	if (run->o.queue_capacity == 0 && !program->item_words)
		run->o.queue_capacity = default_capacity(program, &run->o);
	if (run->o.bin_size == 0 && !program->item_words)
		run->o.bin_size = run->o.queue_capacity < MAX_DEFAULT_BIN ? run->o.queue_capacity
									  : MAX_DEFAULT_BIN;
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
}

static void set_limit(lsched_run *run)
{
	run->args.limit_ns = run->o.run_limit_ms == LSCHED_NO_LIMIT_MS
				     ? 0
				     : run->o.run_limit_ms * UINT64_C(1000000);
}

/* Sets the workers' arguments that depend on the options, the same for all starts. */
static void fill_args(lsched_run *run)
{
	lsched_i_lay_out(run);
	run->args.timeout_ns =
		run->o.timeout_ms == LSCHED_NO_LIMIT_MS ? 0 : run->o.timeout_ms * UINT64_C(1000000);
	set_limit(run);
	run->args.overflow = (uint32_t)run->o.overflow;
	run->args.spill_capacity = run->o.inline_depth;
	run->args.trace = run->o.trace;
	for (uint32_t k = 0; k < LSCHED_MAX_PROCEDURES; k++) {
		run->args.items_capacity[k] = run->o.procedure_capacity[k];
		run->args.items_capped |= run->o.procedure_capacity[k] != 0;
	}
}

/* Allocates the memory of a run whose options are complete. After an error the caller must call
 * lsched_i_backend.destroy and lsched_i_run_free(). */
static lsched_status allocate(lsched_run *run)
{
	lsched_ctx *ctx = run->ctx;
	lsched_status st = ctx->b->create(run);

	if (st == LSCHED_OK && run->o.all_resident && requested_workers(run) > run->resident)
		st = lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%s: %" PRIu32 " workers requested, but only %" PRIu32
			" can be resident at once (all_resident)",
			run->program->name, requested_workers(run), run->resident);
	if (st != LSCHED_OK)
		return st;
	fill_args(run);
	if (!run->o.worker_stats)
		return LSCHED_OK;
	run->worker_stats =
		(lsched_i_worker_stats *)calloc(run->max_workers, sizeof(*run->worker_stats));
	if (run->worker_stats)
		return LSCHED_OK;
	return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM,
		"%s: out of memory for the statistics of %" PRIu32 " workers", run->program->name,
		run->max_workers);
}

void lsched_i_run_free(lsched_run *run)
{
	pthread_mutex_destroy(&run->lock);
	free(run->events);
	free(run->worker_stats);
	free(run);
}

/* Returns the error of a program for another backend than the context's. */
static lsched_status wrong_backend(lsched_ctx *ctx, const lsched_program *program)
{
	const lsched_i_backend *b = lsched_i_find_backend(program->backend);

	if (ctx->o.backend == LSCHED_BACKEND_AUTO && b->device_count() == 0)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NO_DEVICE,
			"no CUDA device: %s is a program for %s, and the context, opened with "
			"backend auto, is for %s",
			program->name, lsched_backend_name(program->backend),
			lsched_backend_name(ctx->b->kind));
	return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
		"%s is a program for %s, the context is for %s", program->name,
		lsched_backend_name(program->backend), lsched_backend_name(ctx->b->kind));
}

/* Checks the arguments of lsched_run_create() and copies the caller's `options` to *o. */
static lsched_status check_create(lsched_ctx *ctx, const lsched_program *program,
	const lsched_run_options *options, lsched_run_options *o)
{
	lsched_status st;
	const char *why;

	if (!program || !options)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_ARG, "lsched_run_create: program or options is NULL");
	if (lsched_i_ctx_lost(ctx))
		return lsched_i_lost_error(ctx, NULL);
	if (program->abi != LSCHED_ABI)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"the program was made by another version of libsched (ABI %" PRIu32
			", not %d); compile it again",
			program->abi, LSCHED_ABI);
	if (program->backend != ctx->b->kind)
		return wrong_backend(ctx, program);
	why = lsched_i_sized_in(o, sizeof(*o), LSCHED_I_RUN_OPTIONS_LEAST, options);
	if (why)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_ARG, "%s: lsched_run_options %s", program->name, why);
	st = check_options(ctx, program, o);
	return st == LSCHED_OK ? check_capacities(ctx, program, o) : st;
}

lsched_status lsched_i_run_create_jobs(lsched_run **out, lsched_ctx *ctx,
	const lsched_program *program, const lsched_run_options *options, uint32_t jobs_max)
{
	lsched_run_options o = { 0 };
	const lsched_i_entry *entry;
	lsched_run *run;
	lsched_status st;

	if (out)
		*out = NULL;
	if (!ctx)
		return LSCHED_ERR_ARG;
	if (!out)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG, "lsched_run_create: out is NULL");
	st = check_create(ctx, program, options, &o);
	if (st != LSCHED_OK)
		return st;
	if (program->has_priority == LSCHED_I_IS_JOBS && !jobs_max)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_UNSUPPORTED,
			"%s was compiled with LSCHED_JOBS: open a service by lsched_jobs_open(), "
			"or "
			"compile it without",
			program->name);
	entry = find_entry(program, &o);
	if (!entry)
		return missing_entry(ctx, program, &o);
	run = (lsched_run *)calloc(1, sizeof(*run));
	if (!run)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM,
			"%s: out of memory for the record of the run", program->name);
	pthread_mutex_init(&run->lock, NULL);
	run->ctx = ctx;
	run->program = program;
	run->entry = entry;
	run->o = o;
	run->error_task = LSCHED_NO_TASK;
	run->jobs_max = jobs_max;
	fill_defaults(run);
	st = allocate(run);
	if (st != LSCHED_OK) {
		(void)ctx->b->destroy(run);
		lsched_i_run_free(run);
		return st;
	}
	*out = run;
	return LSCHED_OK;
}

lsched_status lsched_run_create(lsched_run **out, lsched_ctx *ctx, const lsched_program *program,
	const lsched_run_options *options)
{
	return lsched_i_run_create_jobs(out, ctx, program, options, 0);
}

int lsched_run_done(lsched_run *run)
{
	return !run || !run->started || run->no_work || lsched_i_ctx_lost(run->ctx) ||
	       run->ctx->b->done(run);
}

void lsched_run_destroy(lsched_run **out)
{
	lsched_run *run = out ? *out : NULL;

	if (!run)
		return;
	if (!lsched_i_run_lost(run) && run->started && !run->no_work)
		(void)run->ctx->b->wait(run);
	*out = NULL;
	if (run->ctx->b->destroy(run) != LSCHED_OK)
		return; /* a worker still uses it, and frees it when it leaves */
	lsched_i_run_free(run);
}

lsched_status lsched_run_set_limit(lsched_run *run, uint32_t run_limit_ms)
{
	if (!run)
		return LSCHED_ERR_ARG;
	if (run->started)
		return lsched_i_error(run->ctx, run, LSCHED_ERR_STATE,
			"%s: the time limit cannot change during an execution; call "
			"lsched_run_finish() first",
			run->program->name);
	run->o.run_limit_ms = run_limit_ms;
	set_limit(run);
	return LSCHED_OK;
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
