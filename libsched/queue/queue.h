/* The queues, and what each must be.
 *
 * A queue NAME is a header queue/NAME.h with
 *	uint32_t sched_NAME_slots(uint32_t capacity)           64-bit words it needs; zero bytes are empty
 *	uint32_t sched_NAME_push_n(worker, const batch *)      items put in: the first ones of the batch
 *	uint32_t sched_NAME_pop_n(worker, batch *, want)       items taken out, want <= 32
 * and a line of SCHED_QUEUES in <libsched/sched.h>. All lanes call together. push_n publishes
 * (release) what the worker wrote; pop_n acquires it. Neither waits for room or for work; full and
 * empty may be false while operations overlap. In sched__state.queue a queue has SCHED__QUEUE_HOT
 * words on lines of their own.
 *
 * The table makes the enumerators, names, one worker instance per scheme that uses queues, and the
 * dispatch, which folds away because sched_worker.queue is a constant in each instance. A queue that
 * has something to do when a worker finds nothing (stealing) does it in pop_n; one that redistributes
 * between launches adds a host step to its table line. */
#ifndef LIBSCHED_QUEUE_QUEUE_H
#define LIBSCHED_QUEUE_QUEUE_H

#include "libsched/queue/ring.h"

SCHED_WORKER_FN uint32_t sched__queue_push_n(sched_worker *w, const sched__batch *b)
{
	switch (w->queue) {
#define SCHED__Y(X, ENUM, name)  \
	case SCHED_QUEUE_##ENUM: \
		return sched_##name##_push_n(w, b);
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
	return 0;
}

SCHED_WORKER_FN uint32_t sched__queue_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	switch (w->queue) {
#define SCHED__Y(X, ENUM, name)  \
	case SCHED_QUEUE_##ENUM: \
		return sched_##name##_pop_n(w, b, want);
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
	return 0;
}

#endif
