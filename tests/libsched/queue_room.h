/* A queue and its workers without the worker loop: threads of a test push and pop. CPU only. */
#ifndef TESTS_LIBSCHED_QUEUE_ROOM_H
#define TESTS_LIBSCHED_QUEUE_ROOM_H

#include <stdlib.h>
#include <string.h>
#include <libsched/task.h>
#include "libsched/queue/queue.h"

enum { ROOM_WORKERS = 16, ROOM_SCRATCH_WORDS = 4096 };

/* A queue and its workers, as lsched_run_create() would have laid them out. */
typedef struct room {
	lsched_i_state *state;
	uint64_t *slots;
	lsched_i_args a;
	uint32_t queue;
	lsched_i_worker_private priv[ROOM_WORKERS];
	lsched_worker worker[ROOM_WORKERS];
	uint32_t scratch[ROOM_WORKERS][ROOM_SCRATCH_WORDS];
	uint32_t marks[ROOM_WORKERS][LSCHED_I_MARK_LINE_WORDS];
} room;

/* Zeroed memory of this size exactly, so that AddressSanitizer sees each access beyond it. */
static inline void *room_lines(size_t bytes)
{
	void *p;

	if (posix_memalign(&p, LSCHED_I_LINE, bytes))
		return NULL;
	return memset(p, 0, bytes);
}

static inline void room_close(room *r)
{
	if (!r)
		return;
	free(r->state);
	free(r->slots);
	free(r);
}

static inline room *room_open(uint32_t queue, uint32_t capacity, uint32_t bin, uint32_t workers)
{
	const lsched_i_shape shape = { capacity, bin, workers, capacity, 0 };
	room *r = (room *)calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->queue = queue;
	r->state = (lsched_i_state *)room_lines(sizeof(*r->state));
	r->slots = (uint64_t *)room_lines((size_t)lsched_i_queue_words(queue, &shape) * 8);
	if (!r->state || !r->slots) {
		room_close(r);
		return NULL;
	}
	r->a.state = r->state;
	r->a.marks = &r->marks[0][0];
	r->a.mark_words = LSCHED_I_MARK_LINE_WORDS;
	r->a.queue_slots = r->slots;
	r->a.workers = r->a.queue_max_workers = workers;
	r->a.queue_limit = capacity;
	r->a.queue_slot_mask = lsched_i_pow2(capacity) - 1;
	r->a.queue_deque_capacity = bin;
	r->a.timeout_ns = UINT64_C(10000000000);
	return r;
}

/* Begins a launch of the first `workers` workers. */
static inline void room_begin(room *r, uint32_t workers)
{
	r->a.workers = workers;
	for (uint32_t k = 0; k < workers; k++)
		lsched_i_begin(&r->worker[k], &r->a, k, &r->priv[k], r->scratch[k], r->queue, 0);
}

static inline uint64_t room_count(const room *r, uint32_t what)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < r->a.workers; k++)
		sum += r->priv[k].count[what];
	return sum;
}

/* Pushes the items first .. first+n-1. Returns the number of pushed items. */
static inline uint32_t room_push(room *r, uint32_t worker, uint32_t first, uint32_t n)
{
	lsched_i_batch b;

	lsched_i_batch_clear(&b);
	for (uint32_t k = 0; k < n; k++)
		lsched_i_batch_add(&b, first + k, 1);
	return lsched_i_queue_push_n(&r->worker[worker], &b);
}

static inline uint32_t room_pop(room *r, uint32_t worker, uint32_t want, lsched_i_batch *b)
{
	return lsched_i_queue_pop_n(&r->worker[worker], b, want);
}

#endif
