/* The memory of a run: sizes of its parts, their offsets in one block, and the workers'
 * pointers. */
#include <inttypes.h>
#include "libsched/core/backend.h"
#include "libsched/core/job_layout.h"
#include "libsched/queue/queue.h"

/* Items and joins of a run by default: so many, or so many for each worker if that is more. So a
 * program that runs with some workers runs with fewer, too. */
enum { DEFAULT_LEAST = 1 << 16, DEFAULT_EACH = 2048 };
enum { DEFAULT_BIN_CHUNKS = 256 };
#define MAX_BYTES (UINT64_C(1) << 40)
/* Rounds up to full cache lines. */
static uint64_t round_to_lines(uint64_t bytes)
{
	return (bytes + LSCHED_I_LINE - 1) / LSCHED_I_LINE * LSCHED_I_LINE;
}

/* Reserves bytes at the end of the block; returns their offset. */
static size_t reserve(uint64_t *end, uint64_t bytes)
{
	const uint64_t at = *end;

	*end += round_to_lines(bytes);
	return (size_t)at;
}

/* Returns the number of threads that the workers of the run have on its backend. */
static uint64_t thread_count(const lsched_run *run)
{
	const uint32_t lanes = run->ctx->b->lanes;

	/* only GPUs have helper warps */
	return run->max_workers * (uint64_t)(lanes > 1 ? lanes * (1u + run->program->helpers) : 1u);
}

static uint64_t default_items(uint64_t workers)
{
	const uint64_t all = workers * DEFAULT_EACH;

	return all > DEFAULT_LEAST ? all : DEFAULT_LEAST;
}

/* Words of the bitmap of chunks, for each worker, that only switches between jobs use
 * (items/job_switch.h). */
static uint32_t switch_words(const lsched_run *run)
{
	return run->jobs_max ? 1 : 0;
}

/* Item programs: computes the sizes of the bitmaps of chunks (words of 32 per worker) and of joins
 * (per thread). Also changes queue_capacity from items to chunks, which are what the queue of an
 * item program holds. */
static void size_items(lsched_run *run)
{
	const uint64_t workers = run->max_workers;
	const uint64_t threads = thread_count(run);
	uint64_t items = run->o.queue_capacity, joins = run->o.max_joins, chunks;
	lsched_i_args *a = &run->args;

	if (items == 0)
		items = default_items(workers);
	if (joins == 0)
		joins = default_items(workers);
	a->items_worker_chunk_words = (uint32_t)((items + workers * 1024 - 1) / (workers * 1024));
	a->items_chunk_words = a->items_worker_chunk_words * run->max_workers;
	a->items_local_chunk_slots =
		lsched_i_pow2((a->items_worker_chunk_words + switch_words(run)) * 32);
	chunks = (uint64_t)a->items_chunk_words * 32;
	chunks += run->jobs_max * UINT64_C(32); /* for tickets, which need no chunks */
	run->o.queue_capacity =
		lsched_i_pow2(chunks < LSCHED_MAX_TASKS ? (uint32_t)chunks : LSCHED_MAX_TASKS);
	if (run->o.bin_size == 0)
		run->o.bin_size = DEFAULT_BIN_CHUNKS;
	if (run->program->has_joins) {
		a->items_thread_join_words =
			(uint32_t)((joins + threads * 32 - 1) / (threads * 32));
		a->items_join_words = (uint32_t)(a->items_thread_join_words * threads);
	}
}

/* Numbers of joins have 30 bits. */
static lsched_status check_joins(lsched_run *run)
{
	const uint32_t most = LSCHED_I_JOINS_MAX / 32;

	if (run->args.items_join_words <= most)
		return LSCHED_OK;
	return lsched_i_error(run->ctx, NULL, LSCHED_ERR_ARG,
		"%s: max_joins of %" PRIu32 " is too large: at most %" PRIu32, run->program->name,
		run->o.max_joins, most * 32);
}

static void reserve_items(lsched_run *run, uint64_t *end)
{
	const uint64_t item_bytes = run->program->item_words * UINT64_C(4);
	const uint64_t chunks =
		32 * (run->args.items_chunk_words + switch_words(run) * (uint64_t)run->max_workers);
	const uint64_t joins = run->args.items_join_words * UINT64_C(32);
	lsched_i_plan *p = &run->plan;

	p->chunk_bitmap = reserve(end, chunks / 8);
	p->chunk_headers = reserve(end, chunks * 4);
	p->chunk_items = reserve(end, chunks * 32 * item_bytes);
	p->local_chunks =
		reserve(end, run->max_workers * UINT64_C(4) * run->args.items_local_chunk_slots);
	if (run->program->has_priority)
		p->chunk_priority = reserve(end, chunks * 4);
	if (run->jobs_max)
		p->jobs = reserve(end, LSCHED_I_JOBS_STATE_BYTES(run->jobs_max) + chunks * 4);
	p->join_bitmap = reserve(end, joins / 8);
	p->joins = reserve(end, joins * sizeof(lsched_i_join));
	p->continuations = reserve(end, joins * item_bytes);
}

/* Queue donate adds items to the deques of other workers. An item in the deque of a worker that is
 * not resident waits until another worker has left. With LSCHED_PROCEDURES a worker may wait for
 * consumers of items that a queue in rounds has assigned to another worker. */
static int needs_residency(const lsched_run *run)
{
	const int rounds = lsched_i_queue_has((uint32_t)run->o.queue, LSCHED_I_CAP_ROUNDS) != 0;

	return run->o.scheme == LSCHED_SCHEME_DYNAMIC &&
	       (run->o.queue == LSCHED_QUEUE_DONATE ||
		       (lsched_i_has_table(run->program) && rounds));
}

/* Whether workers record their current task, for the error about a task that does not return. This
 * costs one store per task, so on a GPU they do so only in runs with a timeline, which costs
 * more. */
static int records_current_task(const lsched_run *run)
{
	return run->o.trace || run->ctx->b->lanes == 1;
}

lsched_status lsched_i_plan_memory(lsched_run *run)
{
	lsched_i_shape shape = { 0, 0, run->max_workers, run->o.max_tasks, run->program->has_rule };
	const lsched_program *prog = run->program;
	lsched_i_plan *p = &run->plan;
	uint64_t end = round_to_lines(sizeof(lsched_i_state)), words = 0;

	run->all_at_once = needs_residency(run) || run->o.all_resident;
	if (needs_residency(run) && run->max_workers > run->resident)
		return lsched_i_error(run->ctx, NULL, LSCHED_ERR_ARG,
			"%s: queue %s needs all workers to be resident: at most %" PRIu32
			" here, not %" PRIu32,
			prog->name, lsched_queue_name(run->o.queue), run->resident,
			run->max_workers);
	if (prog->item_words)
		size_items(run);
	if (prog->has_joins && check_joins(run) != LSCHED_OK)
		return LSCHED_ERR_ARG;
	shape.capacity = run->o.queue_capacity;
	shape.bin = run->o.bin_size;
	if (run->o.scheme == LSCHED_SCHEME_DYNAMIC)
		words = lsched_i_queue_words((uint32_t)run->o.queue, &shape);
	p->slots = reserve(&end, words < MAX_BYTES ? words * 8 : MAX_BYTES);
	p->task_words = end;
	if (prog->has_rule && run->o.scheme != LSCHED_SCHEME_SYNC)
		(void)reserve(&end, run->o.max_tasks * UINT64_C(4) *
					    (run->o.scheme == LSCHED_SCHEME_EPOCH ? 2 : 1));
	p->messages = end;
	(void)reserve(&end, run->o.max_tasks * UINT64_C(8) * prog->message_words);
	p->worker_stats = end;
	if (run->o.worker_stats)
		(void)reserve(&end, run->max_workers * (uint64_t)sizeof(lsched_i_worker_stats));
	p->current_task = end;
	if (records_current_task(run))
		(void)reserve(&end, run->max_workers * UINT64_C(4));
	run->args.mark_words =
		run->ctx->b->host_memory ? LSCHED_I_MARK_LINE_WORDS : LSCHED_I_MARK_USED_WORDS;
	p->marks = reserve(&end, run->max_workers * UINT64_C(4) * run->args.mark_words);
	if (prog->item_words)
		reserve_items(run, &end);
	p->spill = end;
	if (!prog->has_rule && run->o.overflow == LSCHED_OVERFLOW_INLINE)
		(void)reserve(&end, run->max_workers * (uint64_t)run->o.inline_depth * 4);
	if (end > MAX_BYTES)
		return lsched_i_error(run->ctx, NULL, LSCHED_ERR_NOMEM,
			"%s: queue %s and its items would need %" PRIu64 " GB for %" PRIu32
			" workers; make queue_capacity, bin_size, max_joins or workers smaller",
			prog->name, lsched_queue_name(run->o.queue), end >> 30, run->max_workers);
	p->bytes = (size_t)end;
	return LSCHED_OK;
}

void lsched_i_lay_out(lsched_run *run)
{
	unsigned char *m = run->memory;
	const lsched_i_plan *p = &run->plan;
	lsched_i_args *a = &run->args;

	a->state = (lsched_i_state *)m;
	a->queue_slots = (uint64_t *)(m + p->slots);
	a->task_words = (uint32_t *)(m + p->task_words);
	a->messages = (uint64_t *)(m + p->messages);
	a->spill = (uint32_t *)(m + p->spill);
	a->marks = (uint32_t *)(m + p->marks);
	if (records_current_task(run))
		a->current_task = (uint32_t *)(m + p->current_task);
	if (run->o.worker_stats)
		a->worker_stats = (lsched_i_worker_stats *)(m + p->worker_stats);
	if (run->program->item_words) {
		a->items_chunks = (uint32_t *)(m + p->chunk_items);
		a->items_chunk_headers = (uint32_t *)(m + p->chunk_headers);
		a->items_chunk_bitmap = (uint32_t *)(m + p->chunk_bitmap);
		a->items_local_chunks = (uint32_t *)(m + p->local_chunks);
		if (run->program->has_priority)
			a->items_chunk_priority = (uint32_t *)(m + p->chunk_priority);
		a->items_joins = (lsched_i_join *)(m + p->joins);
		a->items_join_bitmap = (uint32_t *)(m + p->join_bitmap);
		a->items_continuations = (uint32_t *)(m + p->continuations);
	}
	if (run->jobs_max) {
		a->jobs = (lsched_i_jobs_state *)(m + p->jobs);
		a->jobs_places = run->jobs_max;
	}
	a->queue_slot_mask = lsched_i_pow2(run->o.queue_capacity) - 1;
	a->queue_deque_capacity = run->o.bin_size;
	a->queue_max_workers = run->max_workers;
	a->never_keep = run->o.never_keep;
}
