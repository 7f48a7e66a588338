/* The workload `queue`: operations of the run's queue only. Every worker executes one task,
 * which enqueues up to `lanes` items and dequeues as many, `rounds` times.
 *
 * A barrier of all workers precedes the first operation and follows the last one, because a worker
 * that returned from its task would dequeue items of others as tasks. Hence all workers must be
 * resident.
 *
 * Compiled for CPU and GPU. */
#ifndef WORKLOADS_QUEUE_QUEUE_H
#define WORKLOADS_QUEUE_QUEUE_H

#include <libsched/task.h>

/* Words of a worker, in cache lines of their own. */
enum {
	GSOPS_PUSHED, /* items */
	GSOPS_POPPED,
	GSOPS_PUSHED_SUM, /* sums of the values of the items */
	GSOPS_POPPED_SUM,
	GSOPS_BEGIN_NS,
	GSOPS_END_NS,
	GSOPS_TICKS,      /* between these two */
	GSOPS_PUSH_TICKS, /* only with gsops_ctx.latency */
	GSOPS_POP_TICKS,
	GSOPS_PUSH_CALLS,
	GSOPS_POP_CALLS, /* that returned items */
	GSOPS_WORDS = 16
};

/* Codes of tasks that fail. */
enum { GSOPS_BARRIER_TIMEOUT = 1, GSOPS_POP_TIMEOUT = 2 };

typedef struct gsops_ctx {
	uint32_t workers, lanes, rounds;
	uint32_t latency;  /* 1: measure the time of each operation */
	uint32_t base;     /* arrivals at the barriers before this execution */
	uint32_t *barrier; /* [2][32]: before the first operation, after the last */
	uint64_t *log;     /* [worker][GSOPS_WORDS] */
	uint64_t budget_ns;
} gsops_ctx;

/* Returns nonzero if a wait has exceeded its time limit, or if the run was cancelled. *t0 is the
 * start of the wait, 0 at its first call. Called by one lane. */
LSCHED_TASK_FN int gsops_timed_out(
	const lsched_worker *w, const gsops_ctx *c, uint32_t spins, uint64_t *t0)
{
	uint64_t now;

	lsched_i_relax(spins, c->workers);
	if ((spins & 31u) != 31u)
		return 0;
	now = lsched_now_ns();
	if (*t0 == 0)
		*t0 = now;
	return lsched_cancelled(w) || now - *t0 > c->budget_ns;
}

/* Waits until all workers have arrived. Returns 0 if they do not within the time limit. */
LSCHED_TASK_FN uint32_t gsops_barrier(const lsched_worker *w, const gsops_ctx *c, uint32_t *barrier)
{
	uint32_t all = 1;

	lsched_sync_worker();
	if (lsched_lane() == 0) {
		uint64_t t0 = 0;

		(void)lsched_add(barrier, 1u, ar, dev);
		for (uint32_t spins = 0;
			(int32_t)(lsched_ld(barrier, acq, dev) - (c->base + c->workers)) < 0;
			spins++)
			if (gsops_timed_out(w, c, spins, &t0)) {
				all = 0;
				break;
			}
	}
	lsched_sync_worker();
	return lsched_bcast(all);
}

/* Returns the sum of the first n items of a batch; on the GPU of those of this lane. */
LSCHED_TASK_FN uint64_t gsops_sum(const lsched_i_batch *b, uint32_t n)
{
	uint64_t sum = 0;

	LSCHED_I_EACH_ITEM(b, i)
	{
		if (i < n)
			sum += LSCHED_I_ITEM(b, i);
	}
	return sum;
}

/* What a worker counts, in registers. */
typedef struct gsops_counts {
	uint64_t pushed_sum, popped_sum; /* of this lane */
	uint32_t moved;
	uint32_t push_calls, pop_calls;
	uint64_t push_ticks, pop_ticks;
} gsops_counts;

/* Dequeues `count` items, and waits for them. Returns 0 if there are none within the time limit. */
LSCHED_TASK_FN uint32_t gsops_pop(
	lsched_worker *w, const gsops_ctx *c, gsops_counts *t, uint32_t count)
{
	uint64_t t0 = 0;
	lsched_i_batch b;

	for (uint32_t spins = 0; count;) {
		const uint64_t before = c->latency ? lsched_i_ticks() : 0;
		const uint32_t got = lsched_i_queue_pop_n(w, &b, count);
		uint32_t over = 0;

		if (got) {
			if (c->latency)
				t->pop_ticks += lsched_i_ticks() - before;
			t->pop_calls++;
			t->popped_sum += gsops_sum(&b, got);
			count -= got;
			spins = 0;
			t0 = 0;
			continue;
		}
		if (lsched_lane() == 0)
			over = (uint32_t)gsops_timed_out(w, c, spins, &t0);
		if (lsched_bcast(over))
			return 0;
		spins++;
	}
	return 1;
}

/* Executes one round. A full queue accepts fewer items; then as many are dequeued. Returns 0 if the
 * time limit has passed. */
LSCHED_TASK_FN uint32_t gsops_round(
	lsched_worker *w, const gsops_ctx *c, gsops_counts *t, uint32_t first)
{
	uint64_t before;
	uint32_t got;
	lsched_i_batch b;

	lsched_i_batch_clear(&b);
	LSCHED_I_EACH_LANE(k, c->lanes)
	{
		lsched_i_batch_add(&b, (first + k) & 0x7fffffffu, k < c->lanes);
	}
	before = c->latency ? lsched_i_ticks() : 0;
	got = lsched_i_queue_push_n(w, &b);
	if (c->latency)
		t->push_ticks += lsched_i_ticks() - before;
	t->push_calls++;
	t->pushed_sum += gsops_sum(&b, got);
	t->moved += got;
	return gsops_pop(w, c, t, got);
}

LSCHED_TASK_FN void gsops_record(lsched_worker *w, const gsops_ctx *c, const gsops_counts *t,
	uint64_t begin_ns, uint64_t ticks)
{
	uint64_t *log = c->log + (size_t)lsched_worker_index(w) * GSOPS_WORDS;

	(void)lsched_add(&log[GSOPS_PUSHED_SUM], t->pushed_sum, rlx, dev);
	(void)lsched_add(&log[GSOPS_POPPED_SUM], t->popped_sum, rlx, dev);
	if (lsched_lane() != 0)
		return;
	log[GSOPS_PUSHED] = t->moved;
	log[GSOPS_POPPED] = t->moved;
	log[GSOPS_BEGIN_NS] = begin_ns;
	log[GSOPS_END_NS] = lsched_now_ns();
	log[GSOPS_TICKS] = ticks;
	log[GSOPS_PUSH_TICKS] = t->push_ticks;
	log[GSOPS_POP_TICKS] = t->pop_ticks;
	log[GSOPS_PUSH_CALLS] = t->push_calls;
	log[GSOPS_POP_CALLS] = t->pop_calls;
}

LSCHED_TASK_FN lsched_result gsops_body(
	lsched_worker *w, const gsops_ctx *c, lsched_no_local *l, uint32_t task)
{
	gsops_counts t = { 0, 0, 0, 0, 0, 0, 0 };
	uint64_t begin_ns, ticks;

	(void)l;
	if (!gsops_barrier(w, c, c->barrier))
		return lsched_fail(w, GSOPS_BARRIER_TIMEOUT);
	begin_ns = lsched_now_ns();
	ticks = lsched_i_ticks();
	for (uint32_t r = 0; r < c->rounds; r++)
		if (!gsops_round(w, c, &t, (task * c->rounds + r) * c->lanes))
			return lsched_fail(w, GSOPS_POP_TIMEOUT);
	gsops_record(w, c, &t, begin_ns, lsched_i_ticks() - ticks);
	return gsops_barrier(w, c, c->barrier + 32) ? LSCHED_DONE
						    : lsched_fail(w, GSOPS_BARRIER_TIMEOUT);
}

#endif

#ifdef WL_QUEUE_PROGRAM
#undef WL_QUEUE_PROGRAM
#define LSCHED_NAME gsops
#define LSCHED_CTX  gsops_ctx
#define LSCHED_BODY gsops_body
#define LSCHED_POPS
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
