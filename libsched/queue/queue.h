/* The queues, and what each must be.
 *
 * A queue NAME is a header queue/NAME.h and a line of LSCHED_QUEUES in <libsched/sched.h>. The header has
 *	uint64_t lsched_NAME_words(const lsched_i_shape *)        64-bit words it needs at args.queue_slots
 *	uint32_t lsched_NAME_push_n(worker, const batch *)      items put in: the first ones of the batch
 *	uint32_t lsched_NAME_pop_n(worker, batch *, want)       items taken out, want <= 32;
 *							       batch.n is the same, also when 0
 * All lanes call together. push_n publishes (release) what the worker wrote; pop_n acquires it. Neither
 * waits for room or for work; full and empty may be false while operations overlap, and nothing is
 * concluded from them: what found no room is the overflow policy's business (core/flow.h), the end of a
 * run is known by the live count. A queue that has something to do when a worker finds nothing
 * (stealing) does it in pop_n.
 *
 * Zero bytes are an empty queue. After a run that ended well, what is left in memory must serve the next
 * start, for nothing is cleared in between; after a failure everything is zero again. Besides its words
 * a queue has LSCHED_I_QUEUE_WORDS words far from each other in lsched_i_state.queue, lsched_i_worker_private.q (words
 * of the worker's leader, zero when a launch begins) and the scratch words of its table line.
 *
 * The kind says what else there is:
 * plain	nothing.
 * lines	like plain, and a worker that finds nothing may stand in line for what comes. Two more:
 *		uint32_t lsched_NAME_wait(worker, batch *)  like pop_n with want 1, without waiting either, but
 *						  the worker keeps its place till it is served: it must
 *						  come back, and look nowhere else, until the run ends.
 *						  In one run either all wait so or none does (lsched_i_waits_on_ticket)
 *		void lsched_NAME_end(args)         the last worker out, alone, when the run has not failed:
 *						  forgets the line
 * rounds	work goes in launches (on the CPU: the workers meet). Three more functions:
 *		void lsched_NAME_enter(worker)     each worker, first thing in a launch
 *		void lsched_NAME_leave(worker)     each worker, last thing, also when the run has failed
 *		uint32_t lsched_NAME_round(args)   the last worker out, alone, when the run has not failed:
 *						  prepares the next round; 0: nothing is left
 *		pop_n sets priv.rounds_over and returns 0 when the worker is to leave. Nothing is kept past
 *		such a queue.
 * sorted	nothing is kept past the queue, not even roots, and a controller re-orders it.
 *
 * The table makes the enumerators, names, one worker instance per scheme that uses queues, and the
 * dispatch, which folds away because lsched_worker.queue is a constant in each instance. */
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

enum { LSCHED_I_KIND_plain, LSCHED_I_KIND_lines, LSCHED_I_KIND_rounds, LSCHED_I_KIND_sorted };

#define LSCHED_I_Y(X, ENUM, name, kind, scratch) LSCHED_I_KIND_OF_##ENUM = LSCHED_I_KIND_##kind,
enum { LSCHED_QUEUES(LSCHED_I_Y, 0) LSCHED_I_KIND_OF_END };
#undef LSCHED_I_Y
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) LSCHED_I_SCRATCH_OF_##ENUM = (scratch),
enum { LSCHED_QUEUES(LSCHED_I_Y, 0) LSCHED_I_SCRATCH_OF_END };
#undef LSCHED_I_Y
#define LSCHED_I_ROUNDS(uses_queue, ENUM) \
	((uses_queue) && (int)LSCHED_I_KIND_OF_##ENUM == (int)LSCHED_I_KIND_rounds)

LSCHED_FN uint32_t lsched_i_queue_kind(uint32_t queue)
{
	switch (queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		return LSCHED_I_KIND_OF_##ENUM;
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
	return LSCHED_I_KIND_plain;
}

LSCHED_FN uint64_t lsched_i_queue_words(uint32_t queue, const lsched_i_shape *s)
{
	switch (queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		return lsched_##name##_words(s);
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
	return 0;
}

LSCHED_WORKER_FN uint32_t lsched_i_queue_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	switch (w->queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		return lsched_##name##_push_n(w, b);
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
	return 0;
}

LSCHED_WORKER_FN uint32_t lsched_i_queue_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	switch (w->queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		return lsched_##name##_pop_n(w, b, want);
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
	return 0;
}

#define LSCHED_I_WAIT_plain(name)  lsched_##name##_pop_n(w, b, 1)
#define LSCHED_I_WAIT_rounds(name) lsched_##name##_pop_n(w, b, 1)
#define LSCHED_I_WAIT_sorted(name) lsched_##name##_pop_n(w, b, 1)
#define LSCHED_I_WAIT_lines(name) \
	(lsched_i_waits_on_ticket(w) ? lsched_##name##_wait(w, b) : lsched_##name##_pop_n(w, b, 1))

/* For a worker that has nothing else to do until it gets an item: 1 or 0 items. */
LSCHED_WORKER_FN uint32_t lsched_i_queue_wait(lsched_worker *w, lsched_i_batch *b)
{
	switch (w->queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		return LSCHED_I_WAIT_##kind(name);
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
	return 0;
}

/* The steps that only some kinds have. */
#define LSCHED_I_ENTER_plain(name)
#define LSCHED_I_ENTER_lines(name)
#define LSCHED_I_ENTER_sorted(name)
#define LSCHED_I_ENTER_rounds(name) lsched_##name##_enter(w)
#define LSCHED_I_LEAVE_plain(name)
#define LSCHED_I_LEAVE_lines(name)
#define LSCHED_I_LEAVE_sorted(name)
#define LSCHED_I_LEAVE_rounds(name) lsched_##name##_leave(w)
#define LSCHED_I_ROUND_plain(name)  0
#define LSCHED_I_ROUND_lines(name)  0
#define LSCHED_I_END_plain(name)
#define LSCHED_I_END_sorted(name)
#define LSCHED_I_END_rounds(name)
#define LSCHED_I_END_lines(name)    lsched_##name##_end(a)
#define LSCHED_I_ROUND_sorted(name) 0
#define LSCHED_I_ROUND_rounds(name) lsched_##name##_round(a)

LSCHED_WORKER_FN void lsched_i_queue_enter(lsched_worker *w)
{
	switch (w->queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		LSCHED_I_ENTER_##kind(name);     \
		break;
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
}

LSCHED_WORKER_FN void lsched_i_queue_leave(lsched_worker *w)
{
	switch (w->queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		LSCHED_I_LEAVE_##kind(name);     \
		break;
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
}

LSCHED_WORKER_FN void lsched_i_queue_end(uint32_t queue, const lsched_i_args *a)
{
	switch (queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		LSCHED_I_END_##kind(name);       \
		break;
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
}

LSCHED_WORKER_FN uint32_t lsched_i_queue_round(uint32_t queue, const lsched_i_args *a)
{
	(void)a;
	switch (queue) {
#define LSCHED_I_Y(X, ENUM, name, kind, scratch) \
	case LSCHED_QUEUE_##ENUM:                \
		return LSCHED_I_ROUND_##kind(name);
		LSCHED_QUEUES(LSCHED_I_Y, 0)
#undef LSCHED_I_Y
	}
	return 0;
}

#endif
