/* The queues, and what each must be.
 *
 * A queue NAME is a header queue/NAME.h and a line of SCHED_QUEUES in <libsched/sched.h>. The header has
 *	uint64_t sched_NAME_words(const sched__shape *)        64-bit words it needs at args.slots
 *	uint32_t sched_NAME_push_n(worker, const batch *)      items put in: the first ones of the batch
 *	uint32_t sched_NAME_pop_n(worker, batch *, want)       items taken out, want <= 32;
 *							       batch.n is the same, also when 0
 * All lanes call together. push_n publishes (release) what the worker wrote; pop_n acquires it. Neither
 * waits for room or for work; full and empty may be false while operations overlap, and nothing is
 * concluded from them: what found no room is the overflow policy's business (core/flow.h), the end of a
 * run is known by the live count. A queue that has something to do when a worker finds nothing
 * (stealing) does it in pop_n.
 *
 * Zero bytes are an empty queue. After a run that ended well, what is left in memory must serve the next
 * start, for nothing is cleared in between; after a failure everything is zero again. Besides its words
 * a queue has SCHED__QUEUE_HOT words far from each other in sched__state.queue, sched__desk.q (words
 * of the worker's leader, zero when a launch begins) and the scratch words of its table line.
 *
 * The kind says what else there is:
 * plain	nothing.
 * lines	like plain, and a worker that finds nothing may stand in line for what comes. Two more:
 *		uint32_t sched_NAME_wait(worker, batch *)  like pop_n with want 1, without waiting either, but
 *						  the worker keeps its place till it is served: it must
 *						  come back, and look nowhere else, until the run ends.
 *						  In one run either all wait so or none does (sched__in_line)
 *		void sched_NAME_end(args)         the last worker out, alone, when the run has not failed:
 *						  forgets the line
 * rounds	work goes in launches (on the CPU: the workers meet). Three more functions:
 *		void sched_NAME_enter(worker)     each worker, first thing in a launch
 *		void sched_NAME_leave(worker)     each worker, last thing, also when the run has failed
 *		uint32_t sched_NAME_round(args)   the last worker out, alone, when the run has not failed:
 *						  prepares the next round; 0: nothing is left
 *		pop_n sets desk.round_over and returns 0 when the worker is to leave. Nothing is kept past
 *		such a queue.
 * sorted	nothing is kept past the queue, not even roots, and a controller re-orders it.
 *
 * The table makes the enumerators, names, one worker instance per scheme that uses queues, and the
 * dispatch, which folds away because sched_worker.queue is a constant in each instance. */
#ifndef LIBSCHED_QUEUE_QUEUE_H
#define LIBSCHED_QUEUE_QUEUE_H

#include "libsched/queue/abp.h"
#include "libsched/queue/balance.h"
#include "libsched/queue/block.h"
#include "libsched/queue/compact.h"
#include "libsched/queue/dist.h"
#include "libsched/queue/donate.h"
#include "libsched/queue/prio.h"
#include "libsched/queue/relaunch.h"
#include "libsched/queue/ring.h"
#include "libsched/queue/steal.h"

enum { SCHED__KIND_plain, SCHED__KIND_lines, SCHED__KIND_rounds, SCHED__KIND_sorted };

#define SCHED__Y(X, ENUM, name, kind, scratch) SCHED__KIND_OF_##ENUM = SCHED__KIND_##kind,
enum { SCHED_QUEUES(SCHED__Y, 0) SCHED__KIND_OF_END };
#undef SCHED__Y
#define SCHED__ROUNDS(uses_queue, ENUM) \
	((uses_queue) && (int)SCHED__KIND_OF_##ENUM == (int)SCHED__KIND_rounds)

SCHED_FN uint32_t sched__queue_kind(uint32_t queue)
{
	switch (queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		return SCHED__KIND_OF_##ENUM;
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
	return SCHED__KIND_plain;
}

SCHED_FN uint64_t sched__queue_words(uint32_t queue, const sched__shape *s)
{
	switch (queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		return sched_##name##_words(s);
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
	return 0;
}

SCHED_WORKER_FN uint32_t sched__queue_push_n(sched_worker *w, const sched__batch *b)
{
	switch (w->queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		return sched_##name##_push_n(w, b);
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
	return 0;
}

SCHED_WORKER_FN uint32_t sched__queue_pop_n(sched_worker *w, sched__batch *b, uint32_t want)
{
	switch (w->queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		return sched_##name##_pop_n(w, b, want);
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
	return 0;
}

#define SCHED__WAIT_plain(name)  sched_##name##_pop_n(w, b, 1)
#define SCHED__WAIT_rounds(name) sched_##name##_pop_n(w, b, 1)
#define SCHED__WAIT_sorted(name) sched_##name##_pop_n(w, b, 1)
#define SCHED__WAIT_lines(name) \
	(sched__in_line(w) ? sched_##name##_wait(w, b) : sched_##name##_pop_n(w, b, 1))

/* For a worker that has nothing else to do until it gets an item: 1 or 0 items. */
SCHED_WORKER_FN uint32_t sched__queue_wait(sched_worker *w, sched__batch *b)
{
	switch (w->queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		return SCHED__WAIT_##kind(name);
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
	return 0;
}

/* The steps that only some kinds have. */
#define SCHED__ENTER_plain(name)
#define SCHED__ENTER_lines(name)
#define SCHED__ENTER_sorted(name)
#define SCHED__ENTER_rounds(name) sched_##name##_enter(w)
#define SCHED__LEAVE_plain(name)
#define SCHED__LEAVE_lines(name)
#define SCHED__LEAVE_sorted(name)
#define SCHED__LEAVE_rounds(name) sched_##name##_leave(w)
#define SCHED__ROUND_plain(name)  0
#define SCHED__ROUND_lines(name)  0
#define SCHED__END_plain(name)
#define SCHED__END_sorted(name)
#define SCHED__END_rounds(name)
#define SCHED__END_lines(name)    sched_##name##_end(a)
#define SCHED__ROUND_sorted(name) 0
#define SCHED__ROUND_rounds(name) sched_##name##_round(a)

SCHED_WORKER_FN void sched__queue_enter(sched_worker *w)
{
	switch (w->queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		SCHED__ENTER_##kind(name);     \
		break;
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
}

SCHED_WORKER_FN void sched__queue_leave(sched_worker *w)
{
	switch (w->queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		SCHED__LEAVE_##kind(name);     \
		break;
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
}

SCHED_WORKER_FN void sched__queue_end(uint32_t queue, const sched__args *a)
{
	switch (queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		SCHED__END_##kind(name);       \
		break;
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
}

SCHED_WORKER_FN uint32_t sched__queue_round(uint32_t queue, const sched__args *a)
{
	(void)a;
	switch (queue) {
#define SCHED__Y(X, ENUM, name, kind, scratch) \
	case SCHED_QUEUE_##ENUM:               \
		return SCHED__ROUND_##kind(name);
		SCHED_QUEUES(SCHED__Y, 0)
#undef SCHED__Y
	}
	return 0;
}

#endif
