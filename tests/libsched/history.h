/* A program that loads a queue and records the operations: every worker runs one task, which pushes
 * and pops at random through the queue's functions. The same text for threads and for the device;
 * tests/libsched/history_check.c reads the record.
 *
 * A clock is too coarse to order operations, and differs between multiprocessors. Therefore each
 * operation draws a number from one counter before it begins and after it has ended; if the second
 * number of operation A is below the first number of B, A ended before B began. Drawing a number
 * acquires and releases, which orders more than the queue does; therefore a free mode draws no
 * numbers, and only counts items and checks the values that were written for them.
 *
 * The file that includes this one defines HISTORY_PROGRAM first to generate it. */
#ifndef TESTS_LIBSCHED_HISTORY_H
#define TESTS_LIBSCHED_HISTORY_H

#include <libsched/task.h>

enum { HISTORY_FREE, HISTORY_RECORDED, HISTORY_IN_TURN };
enum { HISTORY_STUCK = 201, HISTORY_ALIEN };

/* One operation of the random part. */
typedef struct history_op {
	uint32_t start, end;
	uint32_t first; /* push: number of the first item; the others follow */
	uint8_t push, want, got, pad;
} history_op;

/* How an item came out. */
typedef struct history_item {
	uint32_t times; /* 1: well */
	uint32_t start, end;
	uint32_t place; /* in the batch of the pop */
} history_item;

typedef struct history_shared {
	uint32_t sequence;
	uint32_t turn;
	uint32_t finished; /* workers that push no more */
	uint32_t pushed, popped;
	uint32_t stale; /* items whose memory was not what their producer had written */
} history_shared;

typedef struct history_ctx {
	history_op *op;      /* [worker][ops] */
	history_item *item;  /* [worker][ops * most] */
	uint32_t *written;   /* [item] by its producer */
	uint32_t *first_end; /* [worker] the sequence number at its last recorded operation */
	history_shared *shared;
	uint64_t budget_ns;
	uint32_t ops, most; /* operations of a worker; items of one */
	uint32_t mode, seed;
} history_ctx;

LSCHED_FN uint32_t history_random(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}

/* What is written for an item before it is pushed. */
LSCHED_FN uint32_t history_mark(const history_ctx *c, uint32_t item)
{
	return history_random(item ^ c->seed) | 1u;
}

LSCHED_TASK_FN uint32_t history_draw(const history_ctx *c)
{
	uint32_t n = 0;

	lsched_sync_worker();
	if (lsched_lane() == 0 && c->mode != HISTORY_FREE)
		n = lsched_add(&c->shared->sequence, 1u, ar, dev);
	lsched_sync_worker();
	return lsched_bcast(n);
}

/* Returns 0 when the time budget is used up or the run has failed. */
LSCHED_TASK_FN uint32_t history_wait(
	lsched_worker *w, const history_ctx *c, uint32_t spins, uint64_t *t0)
{
	uint32_t over = 0;

	if (lsched_lane() == 0) {
		const uint64_t now = lsched_now_ns();

		if (*t0 == 0)
			*t0 = now;
		over = now - *t0 > c->budget_ns || lsched_cancelled(w);
		if (!over)
			lsched_i_relax(spins, lsched_worker_count(w));
	}
	return !lsched_bcast(over);
}

/* Pops up to `want` items and records each. Returns the number of items. */
LSCHED_TASK_FN uint32_t history_pop(
	lsched_worker *w, const history_ctx *c, uint32_t want, history_op *op)
{
	const uint32_t items = lsched_worker_count(w) * c->ops * c->most;
	uint32_t start = history_draw(c), end, n;
	lsched_i_batch b;

	n = lsched_i_queue_pop_n(w, &b, want);
	end = history_draw(c);
	LSCHED_I_EACH_ITEM(&b, i)
	{
		const uint32_t item = LSCHED_I_ITEM(&b, i);
		history_item *e = c->item + item;

		if (item >= items) {
			lsched_i_fail(w, LSCHED_I_FAIL_TASK, item, HISTORY_ALIEN);
			continue;
		}
		if (lsched_add(&e->times, 1u, rlx, dev) == 0) {
			e->start = start;
			e->end = end;
			e->place = i;
			if (c->written[item] != history_mark(c, item))
				(void)lsched_add(&c->shared->stale, 1u, rlx, dev);
		}
	}
	if (lsched_lane() == 0 && op) {
		op->start = start;
		op->end = end;
		op->push = 0;
		op->want = (uint8_t)want;
		op->got = (uint8_t)n;
	}
	if (lsched_lane() == 0 && n)
		(void)lsched_add(&c->shared->popped, n, rlx, dev);
	return n;
}

LSCHED_TASK_FN uint32_t history_push(
	lsched_worker *w, const history_ctx *c, uint32_t first, uint32_t n, history_op *op)
{
	uint32_t start, end, got;
	lsched_i_batch b;

	lsched_i_batch_clear(&b);
#ifdef __CUDACC__
	lsched_i_batch_add(&b, first + lsched_lane(), lsched_lane() < n);
#else
	for (uint32_t k = 0; k < n; k++)
		lsched_i_batch_add(&b, first + k, 1);
#endif
	LSCHED_I_EACH_ITEM(&b, i)
	{
		c->written[LSCHED_I_ITEM(&b, i)] = history_mark(c, LSCHED_I_ITEM(&b, i));
	}
	start = history_draw(c);
	got = lsched_i_queue_push_n(w, &b);
	end = history_draw(c);
	if (lsched_lane() == 0) {
		op->start = start;
		op->end = end;
		op->first = first;
		op->push = 1;
		op->want = (uint8_t)n;
		op->got = (uint8_t)got;
	}
	return got;
}

/* First the random part, then all workers pop what is left. None returns before the queue is empty:
 * the worker loop would run items as tasks. */
LSCHED_TASK_FN lsched_result history_body(
	lsched_worker *w, const history_ctx *c, lsched_no_local *l, uint32_t task)
{
	const uint32_t workers = lsched_worker_count(w), lane = lsched_lane();
	uint32_t random = c->seed + task, next = task * c->ops * c->most, pushed = 0, over = 0;
	uint64_t t0 = 0;

	(void)l;
	for (uint32_t k = 0; k < c->ops; k++) {
		history_op *op = c->op + (size_t)task * c->ops + k;
		uint32_t n, mine = 1;

		random = history_random(random + k);
		n = 1 + (random >> 8) % c->most;
		t0 = 0;
		for (uint32_t spins = 0; c->mode == HISTORY_IN_TURN; spins++) {
			if (lane == 0)
				mine = lsched_ld(&c->shared->turn, acq, dev) == k * workers + task;
			if (lsched_bcast(mine))
				break;
			if (!history_wait(w, c, spins, &t0))
				return lsched_fail(w, HISTORY_STUCK);
		}
		/* phases of mostly pushes and of mostly pops, so that the queue is full and empty
		 * at times */
		if ((random >> 24) % 16 < (k / 16 % 2 ? 5u : 11u)) {
			n = history_push(w, c, next, n, op);
			next += n;
			pushed += n;
		} else {
			(void)history_pop(w, c, n, op);
		}
		lsched_sync_worker();
		if (lane == 0 && c->mode == HISTORY_IN_TURN)
			lsched_st(&c->shared->turn, k * workers + task + 1, rel, dev);
	}
	c->first_end[task] = history_draw(c);
	if (lane == 0) {
		(void)lsched_add(&c->shared->pushed, pushed, rlx, dev);
		(void)lsched_add(&c->shared->finished, 1u, ar, dev);
	}
	t0 = 0;
	for (uint32_t spins = 0; !over; spins++) {
		if (history_pop(w, c, c->most, NULL)) {
			spins = 0;
			t0 = 0;
			continue;
		}
		if (lane == 0)
			over = lsched_ld(&c->shared->finished, acq, dev) == workers &&
			       lsched_ld(&c->shared->popped, rlx, dev) ==
				       lsched_ld(&c->shared->pushed, rlx, dev);
		over = lsched_bcast(over);
		if (!over && !history_wait(w, c, spins, &t0))
			return lsched_fail(w, HISTORY_STUCK);
	}
	return LSCHED_DONE;
}

#endif

#ifdef HISTORY_PROGRAM
#define LSCHED_NAME history
#define LSCHED_CTX  history_ctx
#define LSCHED_BODY history_body
#define LSCHED_POPS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
