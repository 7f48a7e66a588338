/* A run's memory: how much of what, where in the one block it stands, and the workers' pointers. */
#include <inttypes.h>
#include "libsched/core/backend.h"
#include "libsched/queue/queue.h"

enum { DEFAULT_BIN_CHUNKS = 256, DEFAULT_ITEMS_EACH = 2048, DEFAULT_JOINS_EACH = 2048 };
#define MAX_BYTES (UINT64_C(1) << 40)

static uint64_t line_up(uint64_t bytes)
{
	return (bytes + LSCHED_I_LINE - 1) / LSCHED_I_LINE * LSCHED_I_LINE;
}

/* Takes room off the end of the block. */
static size_t place(uint64_t *end, uint64_t bytes)
{
	const uint64_t at = *end;

	*end += line_up(bytes);
	return (size_t)at;
}

/* Item programs: how many chunks and joins, in words of 32 a worker or a thread. From then on the
 * capacity counts chunks, for that is what the queue carries. */
static void size_items(lsched_run *run)
{
	const uint64_t workers = run->max_workers;
	const uint64_t threads = workers * (run->ctx->b->kind == LSCHED_BACKEND_CUDA
							   ? 32u * (1u + run->program->helpers)
							   : 1u);
	uint64_t items = run->o.queue_capacity, joins = run->o.max_joins, chunks;
	lsched_i_args *a = &run->args;

	if (items == 0)
		items = workers * DEFAULT_ITEMS_EACH;
	if (joins == 0)
		joins = workers * DEFAULT_JOINS_EACH;
	a->items_worker_chunk_words = (uint32_t)((items + workers * 1024 - 1) / (workers * 1024));
	a->items_chunk_words = a->items_worker_chunk_words * run->max_workers;
	a->items_local_chunk_slots = lsched_i_pow2(a->items_worker_chunk_words * 32);
	chunks = (uint64_t)a->items_chunk_words * 32;
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

static void place_items(lsched_run *run, uint64_t *end)
{
	const uint64_t item_bytes = run->program->item_words * UINT64_C(4);
	const uint64_t chunks = run->args.items_chunk_words * UINT64_C(32);
	const uint64_t joins = run->args.items_join_words * UINT64_C(32);
	lsched_i_plan *p = &run->plan;

	p->chunk_bitmap = place(end, chunks / 8);
	p->chunk_headers = place(end, chunks * 4);
	p->chunk_items = place(end, chunks * 32 * item_bytes);
	p->local_chunks =
		place(end, run->max_workers * UINT64_C(4) * run->args.items_local_chunk_slots);
	p->join_bitmap = place(end, joins / 8);
	p->joins = place(end, joins * sizeof(lsched_i_join));
	p->continuations = place(end, joins * item_bytes);
}

/* donate hands work to other workers by their number. What lies in the bin of one that has not started
 * yet, and may only do so when others have ended, is late at best. */
static int needs_residency(const lsched_run *run)
{
	return run->o.scheme == LSCHED_SCHEME_DYNAMIC && run->o.queue == LSCHED_QUEUE_DONATE;
}

/* Whether workers write down which task they are in, for the error about one that does not return. It
 * is a store a task, so on the GPU only where a timeline costs more anyway. */
static int wants_now(const lsched_run *run)
{
	return run->o.trace || run->ctx->b->kind == LSCHED_BACKEND_CPU;
}

lsched_status lsched_i_plan_memory(lsched_run *run)
{
	lsched_i_shape shape = { 0, 0, run->max_workers, run->o.max_tasks, run->program->has_rule };
	const lsched_program *prog = run->program;
	lsched_i_plan *p = &run->plan;
	uint64_t end = line_up(sizeof(lsched_i_state)), words = 0;

	if (needs_residency(run) && run->max_workers > run->resident)
		return lsched_i_error(run->ctx, NULL, LSCHED_ERR_ARG,
			"%s: queue %s needs all workers to be resident: at most %" PRIu32
			" here, not %" PRIu32,
			prog->name, lsched_queue_name(run->o.queue), run->resident,
			run->max_workers);
	if (prog->item_words)
		size_items(run);
	shape.capacity = run->o.queue_capacity;
	shape.bin = run->o.bin_size;
	if (run->o.scheme == LSCHED_SCHEME_DYNAMIC)
		words = lsched_i_queue_words((uint32_t)run->o.queue, &shape);
	p->slots = place(&end, words < MAX_BYTES ? words * 8 : MAX_BYTES);
	p->task_words = end;
	if (prog->has_rule && run->o.scheme != LSCHED_SCHEME_SYNC)
		(void)place(&end, run->o.max_tasks * UINT64_C(4) *
					  (run->o.scheme == LSCHED_SCHEME_EPOCH ? 2 : 1));
	p->worker_stats = end;
	if (run->o.worker_stats)
		(void)place(&end, run->max_workers * (uint64_t)sizeof(lsched_i_worker_stats));
	p->current_task = end;
	if (wants_now(run))
		(void)place(&end, run->max_workers * UINT64_C(4));
	if (prog->item_words)
		place_items(run, &end);
	p->spill = end;
	if (!prog->has_rule && run->o.overflow == LSCHED_OVERFLOW_INLINE)
		(void)place(&end, run->max_workers * (uint64_t)run->o.inline_depth * 4);
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
	a->spill = (uint32_t *)(m + p->spill);
	if (wants_now(run))
		a->current_task = (uint32_t *)(m + p->current_task);
	if (run->o.worker_stats)
		a->worker_stats = (lsched_i_worker_stats *)(m + p->worker_stats);
	if (run->program->item_words) {
		a->items_chunks = (uint32_t *)(m + p->chunk_items);
		a->items_chunk_headers = (uint32_t *)(m + p->chunk_headers);
		a->items_chunk_bitmap = (uint32_t *)(m + p->chunk_bitmap);
		a->items_local_chunks = (uint32_t *)(m + p->local_chunks);
		a->items_joins = (lsched_i_join *)(m + p->joins);
		a->items_join_bitmap = (uint32_t *)(m + p->join_bitmap);
		a->items_continuations = (uint32_t *)(m + p->continuations);
	}
	a->queue_slot_mask = lsched_i_pow2(run->o.queue_capacity) - 1;
	a->queue_deque_capacity = run->o.bin_size;
	a->queue_max_workers = run->max_workers;
	a->never_keep = run->o.never_keep;
}
