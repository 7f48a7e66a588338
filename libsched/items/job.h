/* Jobs on the workers' side: tickets, units, keys, the end of a job, waiting, and what bodies call.
 * For programs with LSCHED_JOBS; core/job_layout.h has the data.
 *
 * The queue prio holds chunks and *tickets*. A ticket entitles its consumer to draw roots of a job,
 * and needs no chunk, so that a job begins where all chunks are in use. Its number has a bit that
 * chunks lack, the job, and a count: the controller or a consumer divides a ticket of a larger
 * count among up to 32.
 *
 * A unit of a job is added before a ticket or chunk of it is enqueued, and the consumer takes it
 * over, as with the outstanding count of the run; items on a worker's stacks and in its local
 * chunks are covered by one unit. All these items are of one job. */
#ifndef LIBSCHED_ITEMS_JOB_H
#define LIBSCHED_ITEMS_JOB_H

#include "libsched/core/flow.h"
#include "libsched/core/job_layout.h"
#include "libsched/items/local.h"

/* lsched_i_level.go: the other warps of a group add their parts of the job's value. */
#define LSCHED_I_GO_SETTLE 2u

#define LSCHED_I_TICKET       0x80000000u
#define LSCHED_I_TICKET_SHIFT 10u /* the count is above the job */
#define LSCHED_I_TICKETS_MOST 0x1fffffu

LSCHED_WORKER_FN uint32_t lsched_i_ticket(uint32_t job, uint32_t count)
{
	return LSCHED_I_TICKET | count << LSCHED_I_TICKET_SHIFT | job;
}

LSCHED_WORKER_FN uint32_t lsched_i_ticket_count(uint32_t ticket)
{
	return (ticket & ~LSCHED_I_TICKET) >> LSCHED_I_TICKET_SHIFT;
}

/* The job of an item of the queue. Relaxed: stored before the chunk was enqueued. */
LSCHED_WORKER_FN uint32_t lsched_i_job_of_item(const lsched_i_args *a, uint32_t item)
{
	return item & LSCHED_I_TICKET ? item & (LSCHED_I_JOBS_MAX - 1u)
				      : lsched_ld(&a->items_chunk_priority[item], rlx, dev);
}

LSCHED_WORKER_FN lsched_i_job *lsched_i_job_record(const lsched_i_args *a, uint32_t job)
{
	return a->jobs->job + job;
}

LSCHED_WORKER_FN lsched_i_job *lsched_i_job_of_ticket(const lsched_i_args *a, uint32_t ticket)
{
	return lsched_i_job_record(a, lsched_i_job_of_item(a, ticket));
}

/* The key of a job's items, larger first. Those of a cancelled job are first, so that its end is
 * not delayed. */
LSCHED_WORKER_FN uint32_t lsched_i_job_key(lsched_i_job *j)
{
	const uint32_t flags = lsched_ld(&j->flags, rlx, dev);
	const uint32_t rank = lsched_ld(&j->rank, rlx, dev);

	return flags & LSCHED_I_JOB_CANCELLED ? LSCHED_I_JOBS_MAX : rank;
}

LSCHED_WORKER_FN uint32_t lsched_i_item_key(const lsched_i_args *a, uint32_t item)
{
	return lsched_i_job_key(lsched_i_job_record(a, lsched_i_job_of_item(a, item)));
}

/* Adds units to a job; its caller holds one, or is the controller. Relaxed: the queue's push
 * publishes it. Leader. */
LSCHED_WORKER_FN void lsched_i_job_add_units(lsched_i_job *j, uint32_t n)
{
	(void)lsched_add(&j->units, n, rlx, dev);
}

/* Writes the answer of a job without units, unless the run has failed, because bodies may have
 * observed that and given up. The host may post another job in its place at once, whose controller
 * waits for `busy`. All loads are before the first store, so that their latencies overlap.
 * Leader. */
LSCHED_WORKER_FN void lsched_i_job_answer_host(const lsched_worker *w, uint32_t job)
{
	lsched_i_job *j = lsched_i_job_record(w->a, job);
	lsched_i_job_answer *r = w->a->jobs_shared->answer + job;
	const uint32_t flags = lsched_ld(&j->flags, rlx, dev);
	const uint64_t value = lsched_ld(&j->value, rlx, dev);
	const uint64_t start_ns = lsched_ld(&j->start_ns, rlx, dev);
	const uint64_t done = lsched_ld(&j->done, rlx, dev);
	const uint64_t of = lsched_ld(&j->of, rlx, dev);
	const uint64_t code = lsched_ld(&j->code, rlx, dev);
	const uint64_t generation = j->generation, roots = j->roots;
	const uint64_t end = flags & LSCHED_I_JOB_FAILED      ? LSCHED_I_JOB_HAS_FAILED
			     : flags & LSCHED_I_JOB_LIMITED   ? LSCHED_I_JOB_WAS_LIMITED
			     : flags & LSCHED_I_JOB_CANCELLED ? LSCHED_I_JOB_WAS_CANCELLED
							      : LSCHED_I_JOB_DONE;

	if (lsched_i_failed(w))
		return;
	lsched_st(&r->value, value, rlx, sys);
	lsched_st(&r->start_ns, start_ns, rlx, sys);
	lsched_st(&r->end_ns, lsched_now_ns(), rlx, sys);
	lsched_st(&r->done, done, rlx, sys);
	lsched_st(&r->of, of, rlx, sys);
	lsched_st(&r->code, code, rlx, sys);
	lsched_st(&r->roots, roots, rlx, sys);
	lsched_st(&r->state, generation << 32 | end, rel, sys);
	lsched_st(&j->busy, 0u, rel, dev);
}

/* Subtracts a unit of a job; the last one ends it. Release: the writes of the job's items; acquire:
 * those of the other workers, which the answer publishes. */
LSCHED_WORKER_FN void lsched_i_job_release(const lsched_worker *w, uint32_t job)
{
	lsched_sync_worker(); /* all lanes' writes are before the leader's release */
	if (lsched_lane() == 0 &&
		lsched_add(&lsched_i_job_record(w->a, job)->units, 0xffffffffu, ar, dev) == 1u)
		lsched_i_job_answer_host(w, job);
	lsched_sync_worker();
}

/* Enqueues the first items of a batch, each with a unit of the run's outstanding count. Returns how
 * many. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_push(lsched_worker *w, const lsched_i_batch *b)
{
	uint32_t pushed;

	lsched_sync_worker();
	if (lsched_lane() == 0)
		(void)lsched_add(&w->a->state->outstanding.v, b->n, rlx, dev);
	pushed = lsched_i_queue_push_n(w, b);
	if (lsched_lane() == 0 && pushed < b->n)
		(void)lsched_add(&w->a->state->outstanding.v, pushed - b->n, rlx, dev);
	return pushed;
}

/* The same with one item. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_push_one(lsched_worker *w, uint32_t item)
{
	lsched_i_batch b;

	lsched_i_batch_clear(&b);
	lsched_i_batch_add(&b, item, lsched_lane() == 0);
	return lsched_i_jobs_push(w, &b);
}

/* Divides a ticket that the worker has dequeued, or the controller is to enqueue: enqueues tickets
 * of 1/32 of its count each, and again of what remains, until one is left, the worker's own. In a
 * full queue the others are dropped: then fewer workers draw roots. */
LSCHED_WORKER_FN void lsched_i_ticket_divide(lsched_worker *w, uint32_t job, uint32_t count)
{
	lsched_i_job *j = lsched_i_job_record(w->a, job);

	while (count > 1) {
		const uint32_t parts = count < LSCHED_I_BATCH_MAX ? count : LSCHED_I_BATCH_MAX;
		const uint32_t n = parts - 1u, each = count / parts;
		uint32_t pushed;
		lsched_i_batch b;

		if (lsched_lane() == 0)
			lsched_i_job_add_units(j, n);
		lsched_i_batch_open(&b, n);
		LSCHED_I_EACH_ITEM(&b, i)
		{
			LSCHED_I_ITEM(&b, i) = lsched_i_ticket(job, each);
		}
		pushed = lsched_i_jobs_push(w, &b);
		if (lsched_lane() == 0 && pushed < n) /* the worker's own unit remains */
			lsched_i_job_add_units(j, pushed - n);
		count = pushed < n ? 1u : count - n * each;
	}
}

/* Whether the first item of the queue is more urgent than the job. One lane. */
LSCHED_WORKER_FN uint32_t lsched_i_jobs_better(const lsched_worker *w, uint32_t job)
{
	lsched_i_state *s = w->a->state;
	const uint64_t best = lsched_ld(LSCHED_I_JOBS_BEST(s), rlx, dev);
	const uint32_t key = (uint32_t)best & ~LSCHED_I_JOBS_PAUSES;

	return key > 1u && key - 1u > lsched_i_job_key(lsched_i_job_record(w->a, job)) &&
	       (int32_t)((uint32_t)(best >> 32) -
			 lsched_ld(&s->queue[LSCHED_I_RING_HEAD].v, rlx, dev)) > 0;
}

/* Parks a chunk of a paused job, with its unit of the job. Release: the chunk's content. Leader. */
LSCHED_WORKER_FN void lsched_i_job_park(const lsched_i_args *a, uint32_t job, uint32_t chunk)
{
	uint32_t *parked = &lsched_i_job_record(a, job)->parked;
	uint32_t first = lsched_ld(parked, rlx, dev);

	lsched_st(&a->items_chunk_priority[chunk], job, rlx, dev); /* a local chunk has none */
	do
		lsched_st(&LSCHED_I_JOBS_NEXT(a)[chunk], first, rlx, dev);
	while (!lsched_cas(parked, &first, chunk + 1u, rel, dev));
}

/* ---- for bodies; any lane ---- */

LSCHED_WORKER_FN lsched_i_job *lsched_i_job_current(const lsched_i_items *x)
{
	return lsched_i_job_record(x->w->a, x->level->job);
}

LSCHED_WORKER_FN const void *lsched_i_job_args(const lsched_i_items *x)
{
	return lsched_i_job_current(x)->args;
}

LSCHED_WORKER_FN int lsched_i_job_cancelled(const lsched_i_items *x)
{
	return (lsched_ld(&lsched_i_job_current(x)->flags, rlx, dev) & LSCHED_I_JOB_CANCELLED) !=
		       0 ||
	       lsched_i_failed(x->w) != 0;
}

LSCHED_WORKER_FN int lsched_i_should_yield(const lsched_i_items *x)
{
	const uint32_t job = x->level->job;
	const uint32_t flags = lsched_ld(&lsched_i_job_current(x)->flags, rlx, dev);

	if (!(flags & (LSCHED_I_JOB_CANCELLED | LSCHED_I_JOB_PAUSED)) && !lsched_i_failed(x->w) &&
		!lsched_i_jobs_better(x->w, job))
		return 0;
	x->level->yield = 1; /* lanes store the same */
	return 1;
}

LSCHED_WORKER_FN uint64_t lsched_i_host_ns(const lsched_i_items *x)
{
	return lsched_now_ns() - lsched_ld(&x->w->a->jobs->offset_ns, rlx, dev);
}

LSCHED_WORKER_FN int64_t lsched_i_job_left_ns(const lsched_i_items *x)
{
	const uint64_t deadline = lsched_ld(&lsched_i_job_current(x)->deadline_ns, rlx, dev);

	return deadline ? (int64_t)(deadline - lsched_i_host_ns(x)) : INT64_MAX;
}

/* The stores of a message are before the answer of its job, whose release the host acquires. */
LSCHED_WORKER_FN int lsched_i_job_send(const lsched_i_items *x, uint32_t kind, uint64_t value)
{
	const lsched_i_args *a = x->w->a;
	lsched_i_jobs_state *s = a->jobs;
	const uint32_t mask = a->jobs_mask;
	uint64_t *m, number;
	uint32_t place;

	if (!lsched_i_ring_reserve(&s->used.v, mask + 1u, 1u))
		return 0;
	place = lsched_add(&s->tail.v, 1u, rlx, dev);
	m = a->jobs_messages + (size_t)(place & mask) * LSCHED_I_JOB_MESSAGE_WORDS;
	number = (uint64_t)(place + 1u) << 32;
	lsched_st(&m[LSCHED_I_MESSAGE_KIND], number | kind, rlx, sys);
	lsched_st(&m[LSCHED_I_MESSAGE_VALUE], number | (uint32_t)value, rlx, sys);
	lsched_st(&m[LSCHED_I_MESSAGE_VALUE + 1], number | (uint32_t)(value >> 32), rlx, sys);
	lsched_st(&m[LSCHED_I_MESSAGE_SLOT], number | x->level->job, rlx, sys);
	lsched_st(&m[LSCHED_I_MESSAGE_GENERATION], number | lsched_i_job_current(x)->generation,
		rlx, sys);
	return 1;
}

/* Adds the value of each lane that comes here: at once where they are the same, because one part of
 * the L2 cache executes a billion additions to a word a second. */
LSCHED_WORKER_FN void lsched_i_job_add(uint64_t *sum, uint64_t v)
{
#if LSCHED_LANES > 1
	const lsched_lane_mask lanes = lsched_i_active();

	if (lsched_i_match_of(lanes, v) == lanes) {
		if (lsched_i_lowest_bit(lanes) == lsched_lane())
			(void)lsched_add(sum, v * lsched_popcount(lanes), rlx, dev);
		return;
	}
#endif
	(void)lsched_add(sum, v, rlx, dev);
}

LSCHED_WORKER_FN void lsched_i_job_advance(const lsched_i_items *x, uint64_t done, uint64_t of)
{
	lsched_i_job *j = lsched_i_job_current(x);

	if (done)
		lsched_i_job_add(&j->done, done);
	if (of)
		lsched_i_job_add(&j->of, of);
}

/* The record of another job of the member, NULL: there is none with this id. */
LSCHED_WORKER_FN lsched_i_job *lsched_i_job_find(const lsched_i_args *a, uint64_t id)
{
	const uint32_t slot = (uint32_t)id & 0xffffu;
	lsched_i_job *j;

	if (slot >= a->jobs_places)
		return NULL;
	j = lsched_i_job_record(a, slot);
	return lsched_ld(&j->generation, rlx, dev) == (uint32_t)(id >> 32) &&
			       lsched_ld(&j->member, rlx, dev) == ((uint32_t)(id >> 16) & 0xffffu)
		       ? j
		       : NULL;
}

/* Lets the controller enqueue what the job has parked. The fence is before the worker's unit of the
 * run is subtracted. */
LSCHED_WORKER_FN void lsched_i_job_tell_resumed(const lsched_i_args *a)
{
	lsched_i_fence_rel();
	(void)lsched_add(&a->jobs->resumed.v, 1u, rel, dev);
}

/* Resumes a paused job. Release: what its items are to observe; the controller acquires. */
LSCHED_WORKER_FN int lsched_i_job_clear_pause(lsched_i_job *j)
{
	uint32_t flags = lsched_ld(&j->flags, rlx, dev);

	do
		if ((flags & (LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_CANCELLED |
				     LSCHED_I_JOB_BEGINS)) != LSCHED_I_JOB_PAUSED)
			return 0;
	while (!lsched_cas(&j->flags, &flags,
		flags & ~(LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_POSTPONED), rel, dev));
	return 1;
}

LSCHED_WORKER_FN int lsched_i_job_resume(const lsched_i_items *x, uint64_t id)
{
	lsched_i_job *j = lsched_i_job_find(x->w->a, id);

	if (!j || !lsched_i_job_clear_pause(j))
		return 0;
	lsched_i_job_tell_resumed(x->w->a);
	return 1;
}

/* Roots of one draw, of a job with so many. One worker is the controller. */
LSCHED_WORKER_FN uint32_t lsched_i_job_each(
	const lsched_i_args *a, uint32_t roots, uint32_t at_once)
{
	const uint32_t share = roots / (a->workers - 1u);

	return share < 1u ? 1u : share < at_once ? share : at_once;
}

LSCHED_WORKER_FN int lsched_i_job_begin(const lsched_i_items *x, uint64_t id, uint32_t first,
	uint32_t roots, const void *args, uint32_t bytes)
{
	const unsigned char *from = (const unsigned char *)args;
	lsched_i_job *j = lsched_i_job_find(x->w->a, id);
	uint32_t flags = LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_POSTPONED;

	if (!j || roots > LSCHED_MAX_TASKS || first + roots < first ||
		bytes > 4u * LSCHED_I_JOB_ARG_WORDS ||
		!lsched_cas(&j->flags, &flags, LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_BEGINS, rlx, dev))
		return 0;
	j->first = first;
	j->roots = roots;
	j->each = lsched_i_job_each(x->w->a, roots, j->at_once);
	for (uint32_t k = 0; k < LSCHED_I_JOB_ARG_WORDS; k++) {
		uint32_t word = 0;

		for (uint32_t b = 4u * k; b < 4u * k + 4u && b < bytes; b++)
			word |= (uint32_t)from[b] << 8u * (b % 4u);
		j->args[k] = word;
	}
	(void)lsched_and(&j->flags, ~(LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_BEGINS), rel, dev);
	lsched_i_job_tell_resumed(x->w->a);
	return 1;
}

/* The first code stays. */
LSCHED_WORKER_FN lsched_result lsched_i_job_fail(const lsched_i_items *x, int code)
{
	lsched_i_job *j = lsched_i_job_current(x);
	uint32_t none = 0;

	if (lsched_cas(&j->failed, &none, 1u, rlx, dev))
		lsched_st(&j->code, (uint32_t)code, rlx, dev);
	(void)lsched_or(&j->flags, LSCHED_I_JOB_FAILED | LSCHED_I_JOB_CANCELLED, rlx, dev);
	return LSCHED_DONE;
}

#endif
