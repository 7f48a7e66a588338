/* The table of queues and the contract of a queue.
 *
 * A queue NAME is a header queue/NAME.h and a line of LSCHED_QUEUES in <libsched/sched.h>. The
 * header has
 *	uint64_t lsched_NAME_words(const lsched_i_shape *)  64-bit words needed at args.queue_slots
 *	uint32_t lsched_NAME_push_n(worker, const batch *)  enqueues the first items of the batch;
 *							   returns how many
 *	uint32_t lsched_NAME_pop_n(worker, batch *, want)  dequeues up to want <= 32 items;
 *							   returns how many, also in batch.n
 * All lanes call together. push_n publishes (release) the worker's earlier writes; pop_n acquires
 * them. Neither waits for free slots or for items. Full and empty may be false while operations
 * overlap, and the caller must not conclude anything from them: the overflow policy handles items
 * that do not fit (core/flow.h), the outstanding count ends the run. Stealing belongs into pop_n.
 *
 * Zeroed memory is an empty queue. After a successful run the memory must be valid for the next
 * start, because it is not cleared in between; after a failure it is cleared. Besides its words a
 * queue has LSCHED_I_QUEUE_WORDS words on separate cache lines in lsched_i_state.queue,
 * lsched_i_worker_private.queue (words of the worker's leader, zero at the start of a launch) and
 * LSCHED_I_NAME_SCRATCH words of fast memory (lsched_worker.scratch).
 *
 * The header defines the queue's capabilities, 1 or 0 each, and the functions that they require:
 * KEEPS	a worker may run a ready task or a root without enqueueing it
 * TICKET_WAIT	an idle consumer may wait on a ticket:
 *		uint32_t lsched_NAME_wait(worker, batch *)
 *			like pop_n with want 1, and it does not block either. But the worker holds a
 *			ticket until it gets an item: it must call again, and must not dequeue
 *			elsewhere, until the run ends. In one run either all workers wait on
 *			tickets or none does (lsched_i_waits_on_ticket)
 *		void lsched_NAME_end(args)
 *			last worker, alone, if the run has not failed: discards unused tickets
 * ROUNDS	work is executed in launches (CPU: phases between barriers):
 *		void lsched_NAME_enter(worker)     each worker, at the start of a launch
 *		void lsched_NAME_leave(worker)     each worker, at its end, also after a failure
 *		uint32_t lsched_NAME_round(args)
 *			last worker, alone, if the run has not failed: prepares the next round;
 *			returns 0 when no items are left
 *		pop_n sets priv.rounds_over and returns 0 when the worker must leave the launch
 * SORTED	a controller sorts the queue by the program's priority; roots pass through it, too
 * SCRATCH	number of 32-bit words of a worker's fast memory
 *
 * The table generates the enumerators, names, one worker instance per scheme that uses queues, and
 * the dispatch, which is constant-folded because lsched_worker.queue is a constant in each
 * instance. */
#ifndef LIBSCHED_QUEUE_QUEUE_H
#define LIBSCHED_QUEUE_QUEUE_H

#include "libsched/core/template.h"
#include "libsched/queue/abp.h"
#include "libsched/queue/balance.h"
#include "libsched/queue/block.h"
#include "libsched/queue/buffer.h"
#include "libsched/queue/compact.h"
#include "libsched/queue/dist.h"
#include "libsched/queue/donate.h"
#include "libsched/queue/prio.h"
#include "libsched/queue/relaunch.h"
#include "libsched/queue/ring.h"
#include "libsched/queue/steal.h"

#define LSCHED_I_CAP_KEEPS       1u
#define LSCHED_I_CAP_TICKET_WAIT 2u
#define LSCHED_I_CAP_ROUNDS      4u
#define LSCHED_I_CAP_SORTED      8u

/* Text for a queue with a capability, and without. */
#define LSCHED_I_IF_0(with, without) without
#define LSCHED_I_IF_1(with, without) with
#define LSCHED_I_IF_CAP(ENUM, capability, with, without) \
	LSCHED_I_CAT(LSCHED_I_IF_, LSCHED_I_##ENUM##_##capability)(with, without)

/* The statement X(ENUM, name) of the queue. */
#define LSCHED_I_DISPATCH(queue, X)                      \
	switch (queue) {                                 \
		LSCHED_QUEUES(LSCHED_I_DISPATCH_CASE, X) \
	}
#define LSCHED_I_DISPATCH_CASE(X, ENUM, name) \
	case LSCHED_QUEUE_##ENUM:             \
		X(ENUM, name);                \
		break;

/* Bits: the queues of the dispatch. .ci/one_queue.h removes the others from the table; workers of
 * their instances could enqueue and dequeue nothing, so these have no entry point. */
#define LSCHED_I_QUEUE_BIT(X, ENUM, name) | 1 << LSCHED_QUEUE_##ENUM
enum { LSCHED_I_DISPATCHED = 0 LSCHED_QUEUES(LSCHED_I_QUEUE_BIT, 0) };
#define LSCHED_I_IF_DISPATCHED(QUEUE, work) \
	(LSCHED_I_DISPATCHED & 1 << LSCHED_QUEUE_##QUEUE ? (work) : NULL)

#define LSCHED_I_CAPS(ENUM, name)                                                              \
	return capability & (LSCHED_I_CAP_KEEPS * LSCHED_I_##ENUM##_KEEPS |                    \
				    LSCHED_I_CAP_TICKET_WAIT * LSCHED_I_##ENUM##_TICKET_WAIT | \
				    LSCHED_I_CAP_ROUNDS * LSCHED_I_##ENUM##_ROUNDS |           \
				    LSCHED_I_CAP_SORTED * LSCHED_I_##ENUM##_SORTED)
/* Nonzero if the queue has the capability, LSCHED_I_CAP_... */
LSCHED_FN uint32_t lsched_i_queue_has(uint32_t queue, uint32_t capability)
{
	LSCHED_I_DISPATCH(queue, LSCHED_I_CAPS);
	return 0;
}

#define LSCHED_I_QUEUE_WORDS_OF(ENUM, name) return lsched_##name##_words(s)
LSCHED_FN uint64_t lsched_i_queue_words(uint32_t queue, const lsched_i_shape *s)
{
	LSCHED_I_DISPATCH(queue, LSCHED_I_QUEUE_WORDS_OF);
	return 0;
}

#define LSCHED_I_QUEUE_PUSH_N(ENUM, name) pushed = lsched_##name##_push_n(w, b)
/* Wakes a sleeping worker, too. */
LSCHED_WORKER_FN uint32_t lsched_i_queue_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	uint32_t pushed = 0;

	LSCHED_I_DISPATCH(w->queue, LSCHED_I_QUEUE_PUSH_N);
	if (pushed)
		lsched_i_wake_one(w->a);
	return pushed;
}

#define LSCHED_I_QUEUE_POP_N(ENUM, name) return lsched_##name##_pop_n(w, b, want)
LSCHED_WORKER_FN uint32_t lsched_i_queue_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	LSCHED_I_DISPATCH(w->queue, LSCHED_I_QUEUE_POP_N);
	return 0;
}

#define LSCHED_I_QUEUE_WAIT(ENUM, name)                                         \
	return LSCHED_I_IF_CAP(ENUM, TICKET_WAIT,                               \
		(lsched_i_waits_on_ticket(w) ? lsched_##name##_wait(w, b)       \
					     : lsched_##name##_pop_n(w, b, 1)), \
		lsched_##name##_pop_n(w, b, 1))
/* Dequeues one item for an idle worker; returns 1 or 0. */
LSCHED_WORKER_FN uint32_t lsched_i_queue_wait(lsched_worker *w, lsched_i_batch *b)
{
	LSCHED_I_DISPATCH(w->queue, LSCHED_I_QUEUE_WAIT);
	return 0;
}

/* Functions that only some queues have. */

#define LSCHED_I_QUEUE_ENTER(ENUM, name) LSCHED_I_IF_CAP(ENUM, ROUNDS, lsched_##name##_enter(w), )
LSCHED_WORKER_FN void lsched_i_queue_enter(lsched_worker *w)
{
	LSCHED_I_DISPATCH(w->queue, LSCHED_I_QUEUE_ENTER);
}

#define LSCHED_I_QUEUE_LEAVE(ENUM, name) LSCHED_I_IF_CAP(ENUM, ROUNDS, lsched_##name##_leave(w), )
LSCHED_WORKER_FN void lsched_i_queue_leave(lsched_worker *w)
{
	LSCHED_I_DISPATCH(w->queue, LSCHED_I_QUEUE_LEAVE);
}

#define LSCHED_I_QUEUE_END(ENUM, name) LSCHED_I_IF_CAP(ENUM, TICKET_WAIT, lsched_##name##_end(a), )
LSCHED_WORKER_FN void lsched_i_queue_end(uint32_t queue, const lsched_i_args *a)
{
	LSCHED_I_DISPATCH(queue, LSCHED_I_QUEUE_END);
}

#define LSCHED_I_QUEUE_ROUND(ENUM, name) \
	return LSCHED_I_IF_CAP(ENUM, ROUNDS, lsched_##name##_round(a), 0)
LSCHED_WORKER_FN uint32_t lsched_i_queue_round(uint32_t queue, const lsched_i_args *a)
{
	(void)a;
	LSCHED_I_DISPATCH(queue, LSCHED_I_QUEUE_ROUND);
	return 0;
}

#endif
