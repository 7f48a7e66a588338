/* buffer: steal, with a common overflow buffer for what a full deque has no room for (Tzeng,
 * Patney, Owens 2010, section 5: the dynamic resizing of queues that donation is compared with).
 *
 * Callers: each worker; push fills its own deque, then the buffer; pop empties its own deque, then
 * the buffer, then steals. Order: as steal; the buffer is strictly FIFO. Bounds: bin_size items a
 * worker and queue_capacity items in the buffer. Full: an item that fits neither into the own deque
 * nor into the buffer is left to the overflow policy. Full is exact for the buffer; empty may be
 * false as under steal, and while another worker holds the buffer's lock. Progress: as steal, but a
 * push into the buffer waits for its lock, as under block. Errors: as steal.
 *
 * The buffer is the queue block (queue/block.h) in the words behind the bins. What enters it counts
 * as donated. Any worker can dequeue it, so no worker need be resident, as donate requires.
 *
 * Choose it for irregular work whose deques are full rarely; bins then need not hold the worst
 * case. When they are full often all workers share one lock: donate has none for that. */
#ifndef LIBSCHED_QUEUE_BUFFER_H
#define LIBSCHED_QUEUE_BUFFER_H

#include "libsched/queue/block.h"
#include "libsched/queue/steal.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_BUFFER_KEEPS       1
#define LSCHED_I_BUFFER_TICKET_WAIT 0
#define LSCHED_I_BUFFER_ROUNDS      0
#define LSCHED_I_BUFFER_SORTED      0
#define LSCHED_I_BUFFER_SCRATCH     0

LSCHED_FN uint64_t lsched_buffer_words(const lsched_i_shape *s)
{
	return lsched_i_bin_words(s) + lsched_block_words(s);
}

/* Returns the size of the bins and their hints, behind which are the buffer's slots, in 32-bit
 * words. */
LSCHED_WORKER_FN size_t lsched_i_buffer_skip(const lsched_worker *w)
{
	return (size_t)(lsched_i_bin(w, w->a->queue_max_workers) - (uint32_t *)w->a->queue_slots);
}

LSCHED_WORKER_FN uint32_t lsched_buffer_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	uint32_t got = lsched_steal_push_n(w, b);

	if (got < b->n) {
		const uint32_t more = lsched_i_block_push(w, lsched_i_buffer_skip(w), b, got);

		LSCHED_I_COUNT(w, DONATED, more);
		got += more;
	}
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_buffer_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	uint32_t got = lsched_i_deque_pop(w, w->a->queue_deque_capacity, b, want);

	if (got == 0) {
		got = lsched_i_block_pop(w, lsched_i_buffer_skip(w), b, want);
		if (got)
			return got; /* which has counted them */
		got = lsched_i_steal_some(w, b, want);
	}
	LSCHED_I_COUNT(w, POPS, got);
	return got;
}

#endif
