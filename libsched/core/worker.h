/* A worker: what it knows, how it counts, fails, notices a hang, and leaves. Every function here is
 * called by the whole worker together unless it says "one lane". */
#ifndef LIBSCHED_CORE_WORKER_H
#define LIBSCHED_CORE_WORKER_H

#include "libsched/core/shared.h"
#include "libsched/core/layout.h"
#include "libsched/core/batch.h"

/* What a worker seldom needs, kept out of its registers: shared memory on the GPU. Only the leader
 * (lane 0) writes it. */
typedef struct lsched_i_desk {
	uint64_t n[LSCHED_I_N_COUNT];
	uint64_t start_ns, start_ticks;
	uint64_t run_ns; /* when the run began, perhaps launches ago */
	uint64_t idle_ticks;
	uint64_t seen_ns; /* when `seen_live` was first seen in this wait; 0: not looked yet */
	uint32_t seen_live;
	uint32_t settled;    /* of `ran`: those the live count knows of */
	uint32_t reported;   /* `ran` at the last report */
	uint32_t pace;       /* tasks from one look to the next */
	uint64_t told_ticks; /* the last look */
	uint32_t traced;
	uint32_t q[8];       /* the queue's own words, zero when a launch begins */
	uint32_t round_over; /* kind rounds: nothing more for this worker in this launch */
	uint32_t watching;   /* and it stays as the watchman of this launch */
	uint32_t chunk_free,
		chunk_word;   /* item programs: places of chunks in hand, of which word */
	uint64_t share_after; /* item programs: in ticks */
	uint32_t helper_task, helper_prev; /* for the helper warp; task LSCHED_NONE ends it */
} lsched_i_desk;

/* Predecessors a task may have under the scheme words. */
#define LSCHED_WORD_PREDS 32

/* Scheme words on a GPU: what a worker adds to its block's table of words, in scratch words, of which the
 * block's last are something else; and the largest power of two that is at most n. */
#if LSCHED_I_GPU
#define LSCHED_I_NEAR_SCRATCH 264u
#else
#define LSCHED_I_NEAR_SCRATCH 0u
#endif
#define LSCHED_I_NEAR_EXTRA 2u
#define LSCHED_I_NEAR_FLOOR(n)         \
	((n) >= 4096u          ? 4096u \
		: (n) >= 2048u ? 2048u \
		: (n) >= 1024u ? 1024u \
		: (n) >= 512u  ? 512u  \
		: (n) >= 256u  ? 256u  \
			       : 128u)

typedef struct lsched_worker {
	const lsched_i_args *a;
	lsched_i_desk *desk;
	uint32_t *scratch; /* the queue's, see LSCHED_QUEUES; NULL: none */
	uint32_t index;
	uint32_t queue;    /* lsched_queue, a constant in each instance: dispatch folds away */
	uint32_t has_rule; /* a constant too */
	uint32_t in_line;  /* a constant too, see lsched_i_in_line; set after lsched_i_begin */
	uint32_t is_items; /* a constant too: an item program; set after lsched_i_begin */
	uint32_t prev;     /* the task run before, or NONE */
	uint32_t keep;     /* the next task, kept; or NONE */
	uint32_t top; /* INLINE: the own list. With rule: first task or NONE; without: its length */
	uint32_t ran; /* tasks finished */
	uint32_t tell_at; /* when `ran` is so much the worker looks up from its work */
	uint32_t kept;    /* of these, kept ones */
	uint32_t excess;  /* each lane's part of LSCHED_I_N_EXCESS */
	int32_t fail_code;
	/* scheme words: of the task's predecessors; one in each lane, or an array */
#if LSCHED_LANES > 1
	uint32_t word;         /* lane k: of the k-th */
	uint32_t word0, word1; /* of the first two, in all lanes */
#else
	uint32_t words[LSCHED_WORD_PREDS];
#endif
	uint32_t pair; /* CUDA, with LSCHED_HELPER: see lsched_pair_sync */
} lsched_worker;

/* Tasks a worker may finish before it settles them in the live count, and ticks: they bound how late
 * others see progress, or it an error. A million ticks are some 0.5 to 1 ms. */
#define LSCHED_I_SETTLE_TASKS 64u
/* The same where children take the place of the finished tasks, so that there is nothing to settle and a
 * report only reads the failure flag: every 64 tasks it costs 7 % of a tree of empty ones under dist. */
#define LSCHED_I_REPORT_TASKS 1024u
#define LSCHED_I_SETTLE_TICKS 1000000u

/* Whether a worker stands in line (queue.h) when it finds nothing, and takes in no other way. On the CPU
 * it does not: with more threads than processors the next in line is seldom the one that runs. */
#ifndef LSCHED_I_STAND_IN_LINE
#define LSCHED_I_STAND_IN_LINE LSCHED_I_GPU
#endif

LSCHED_WORKER_FN uint32_t lsched_i_in_line(const lsched_worker *w)
{
	return LSCHED_I_STAND_IN_LINE && w->in_line;
}

#define LSCHED_I_COUNT(w, what, k)                              \
	do {                                                    \
		if (lsched_lane() == 0)                         \
			(w)->desk->n[LSCHED_I_N_##what] += (k); \
	} while (0)

/* Events a worker has already, where a start is many launches: the host clears the events before the
 * first, so that the unused ones are known by their time. */
LSCHED_WORKER_FN uint32_t lsched_i_traced_before(const lsched_i_args *a, uint32_t index)
{
	uint32_t low = 0, high = a->trace;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (a->events[(size_t)index * a->trace + mid].start_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* One lane. The first to fail is the one that is heard. */
LSCHED_WORKER_FN void lsched_i_fail(lsched_worker *w, uint32_t why, uint32_t task, uint32_t detail)
{
	lsched_i_state *s = w->a->state;
	uint32_t none = LSCHED_I_FAIL_NONE;

	if (!lsched_cas(&s->failed.v, &none, why, ar, dev))
		return;
	s->failure.why = why;
	s->failure.task = task;
	s->failure.worker = w->index;
	s->failure.detail = detail;
	s->failure.left = lsched_ld(&s->live.v, rlx, dev) + w->a->tasks;
}

LSCHED_WORKER_FN uint32_t lsched_i_failed(const lsched_worker *w)
{
	return lsched_ld(&w->a->state->failed.v, rlx, dev);
}

LSCHED_WORKER_FN void lsched_i_begin(lsched_worker *w, const lsched_i_args *a, uint32_t index,
	lsched_i_desk *desk, uint32_t *scratch, uint32_t queue, uint32_t has_rule)
{
	w->a = a;
	w->desk = desk;
	w->scratch = scratch;
	w->index = index;
	w->queue = queue;
	w->has_rule = has_rule;
	w->is_items = 0;
	w->in_line = 0;
	w->prev = LSCHED_NONE;
	w->keep = LSCHED_NONE;
	w->top = has_rule ? LSCHED_NONE : 0;
	w->ran = 0;
	w->tell_at = 1;
	w->kept = 0;
	w->excess = 0;
	w->fail_code = 0;
	for (uint32_t k = lsched_lane(); k < LSCHED_I_N_COUNT; k += LSCHED_LANES)
		desk->n[k] = 0;
	for (uint32_t k = lsched_lane(); k < sizeof(desk->q) / sizeof(desk->q[0]);
		k += LSCHED_LANES)
		desk->q[k] = 0;
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		desk->start_ns = lsched_now_ns();
		desk->run_ns = desk->start_ns;
		desk->start_ticks = lsched_i_ticks();
		desk->idle_ticks = 0;
		desk->settled = 0;
		desk->reported = 0;
		desk->pace = 1;
		desk->told_ticks = desk->start_ticks;
		desk->round_over = 0;
		desk->watching = 0;
		desk->chunk_free = 0;
		desk->share_after = 0;
		desk->chunk_word = LSCHED_NONE;
		desk->seen_ns = 0;
		desk->seen_live = 0;
		desk->traced = lsched_i_traced_before(w->a, index);
	}
	lsched_sync_worker();
}

/* Takes the finished tasks off the live count. Negative differences may come late (only positive ones
 * may not); relaxed, for no data travels by this word. */
LSCHED_WORKER_FN void lsched_i_settle(lsched_worker *w)
{
	if (lsched_lane() == 0 && w->ran != w->desk->settled) {
		(void)lsched_add(&w->a->state->live.v, w->desk->settled - w->ran, rlx, dev);
		w->desk->settled = w->ran;
	}
}

/* One lane. Tasks not settled, by the live count; fails the run if they are fewer than none. With a rule
 * nothing is ever added to the count, so then a task has run twice. */
LSCHED_WORKER_FN uint32_t lsched_i_left(lsched_worker *w)
{
	const uint32_t left = lsched_ld(&w->a->state->live.v, rlx, dev) + w->a->tasks;

	if (w->has_rule && (int32_t)left < 0)
		lsched_i_fail(w, LSCHED_I_FAIL_COUNT, LSCHED_NONE, 0);
	return left;
}

/* One lane. Whether the last look up from the work is long ago; this is one. */
LSCHED_WORKER_FN uint32_t lsched_i_slow(lsched_worker *w)
{
	const uint64_t now = lsched_i_ticks();
	const uint32_t slow = now - w->desk->told_ticks > LSCHED_I_SETTLE_TICKS;

	w->desk->told_ticks = now;
	return slow;
}

/* Tells of the tasks that are done, and hears of failures; 0 when the run has failed. */
LSCHED_WORKER_FN uint32_t lsched_i_report(lsched_worker *w)
{
	uint32_t bad = 0;

	lsched_i_settle(w);
	if (lsched_lane() == 0) {
		(void)lsched_i_left(w);
		bad = lsched_i_failed(w);
	}
	return !lsched_bcast(bad);
}

/* After a task: reports it from time to time. Short tasks are reported in dozens, long ones each, for a
 * worker busy with them would look like a hang. 0 when the run has failed.
 *
 * `settled` alone is not enough: children take the place of finished tasks there (lsched_i_spawn), so a
 * worker whose tasks each spawn one or more would never report, nor read the failure flag. */
LSCHED_WORKER_FN uint32_t lsched_i_ran_one(lsched_worker *w)
{
	lsched_i_desk *d = w->desk;
	uint32_t report = 0;

	if ((int32_t)(++w->ran - w->tell_at) < 0)
		return 1;
	lsched_sync_worker(); /* all lanes have read pace, the last time */
	if (lsched_lane() == 0) {
		const uint32_t slow = lsched_i_slow(w);

		report = slow || w->ran - d->settled >= LSCHED_I_SETTLE_TASKS ||
			 w->ran - d->reported >= LSCHED_I_REPORT_TASKS;
		if (report)
			d->reported = w->ran;
		if (slow)
			d->pace = d->pace > 4 ? d->pace / 4 : 1;
		else if (d->pace < LSCHED_I_SETTLE_TASKS)
			d->pace *= 2;
	}
	lsched_sync_worker();
	w->tell_at = w->ran + d->pace;
	return !lsched_bcast(report) || lsched_i_report(w);
}

/* One lane: begins a wait, returns the ticks. */
LSCHED_WORKER_FN uint64_t lsched_i_wait_begin(lsched_worker *w)
{
	w->desk->seen_ns = 0;
	return lsched_i_ticks();
}

/* One lane: ends it. */
LSCHED_WORKER_FN void lsched_i_wait_end(lsched_worker *w, uint64_t begin)
{
	w->desk->idle_ticks += lsched_i_ticks() - begin;
}

enum { LSCHED_I_GOING, LSCHED_I_STALLED, LSCHED_I_OVER_LIMIT };

/* One lane, inside a wait: has anything been finished lately? A stall is no change of the live count
 * for timeout_ns, so a long run is no hang, but a task longer than timeout_ns looks like one. */
LSCHED_WORKER_FN uint32_t lsched_i_watch(lsched_worker *w)
{
	const lsched_i_args *a = w->a;
	uint64_t now = lsched_now_ns();
	uint32_t live = lsched_ld(&a->state->live.v, rlx, dev);

	if (w->is_items)
		live += lsched_ld(&a->state->beat.v, rlx, dev) << 24;
	if (a->limit_ns && now - w->desk->run_ns > a->limit_ns)
		return LSCHED_I_OVER_LIMIT;
	if (w->desk->seen_ns == 0 || live != w->desk->seen_live) {
		w->desk->seen_live = live;
		w->desk->seen_ns = now;
	} else if (a->timeout_ns && now - w->desk->seen_ns > a->timeout_ns) {
		return LSCHED_I_STALLED;
	}
	return LSCHED_I_GOING;
}

/* One lane, inside the queue, where the wait is for another worker's next few instructions. t0 starts
 * as 0. Returns nonzero when the run has failed, which it makes it do when the budget is over. */
LSCHED_WORKER_FN uint32_t lsched_i_spin_over(lsched_worker *w, uint32_t spins, uint64_t *t0)
{
	uint64_t now;

	lsched_i_relax_critical(spins);
	if ((spins & 63u) != 63u)
		return 0;
	now = lsched_now_ns();
	if (*t0 == 0)
		*t0 = now;
	else if (w->a->timeout_ns && now - *t0 > w->a->timeout_ns)
		lsched_i_fail(w, LSCHED_I_FAIL_SLOT, LSCHED_NONE, 0);
	(void)lsched_i_left(w); /* too many tasks may be why there is no room */
	return lsched_i_failed(w);
}

/* Leader: one line of the timeline. */
LSCHED_WORKER_FN void lsched_i_trace_add(lsched_worker *w, uint32_t task, uint64_t start_ns)
{
	lsched_i_desk *d = w->desk;
	lsched_event *e;

	if (d->traced >= w->a->trace) {
		d->n[LSCHED_I_N_TRACE_DROPPED]++;
		return;
	}
	e = w->a->events + (size_t)w->index * w->a->trace + d->traced++;
	e->start_ns = start_ns;
	e->end_ns = lsched_now_ns();
	e->task = task;
	e->worker = w->index;
	e->sm = lsched_i_processor(w->index);
}

/* The last worker out has the state to itself (its exit acquired all the others'), but for a host that
 * looks on at the ticket and the live count. `again`: another round follows, so sums and tickets go on. */
LSCHED_WORKER_FN void lsched_i_clean_up(const lsched_i_args *a, uint32_t again)
{
	lsched_i_state *s = a->state;

	if (lsched_lane() == 0) {
		s->exits.v = 0;
		s->arrived.v = 0;
		s->passed.v = 0;
		if (!again)
			lsched_st(&s->ticket.v, 0u, rlx, dev);
	}
	if (!a->last)
		return;
	for (uint32_t k = lsched_lane(); k < LSCHED_I_N_COUNT; k += LSCHED_LANES) {
		a->result->count[k] = s->total[k];
		if (!again)
			s->total[k] = 0;
	}
	if (lsched_lane() == 0) {
		a->result->failure = s->failure;
		a->result->again = again;
		a->result->value = s->value;
		if (!again) {
			lsched_st(&s->live.v, 0u, rlx, dev);
			s->value = 0;
			lsched_st(&s->beat.v, 0u, rlx, dev);
			s->hungry.v = 0;
		}
	}
}

/* Adds the counters to the run's: lane k the k-th, so a warp's go out as one request. Nonzero for the
 * last worker out, which then cleans up. */
LSCHED_WORKER_FN uint32_t lsched_i_leave(lsched_worker *w)
{
	const lsched_i_args *a = w->a;
	lsched_i_state *s = a->state;
	lsched_i_desk *d = w->desk;
	uint32_t last = 0, excess;

	lsched_i_settle(w);
	if (a->now && lsched_lane() == 0)
		lsched_st(&a->now[w->index], 0u, rlx, sys);
	excess = lsched_i_sum(w->excess);
	if (lsched_lane() == 0) {
		const uint64_t now = lsched_now_ns(), all_ns = now - d->start_ns;
		const uint64_t all_ticks = lsched_i_ticks() - d->start_ticks;
		uint64_t idle_ns = 0;

		if (d->idle_ticks && all_ticks)
			idle_ns = (uint64_t)((double)d->idle_ticks *
					     ((double)all_ns / (double)all_ticks));
		if (idle_ns > all_ns)
			idle_ns = all_ns;
		if (!w->is_items)
			d->n[LSCHED_I_N_TASKS] = w->ran;
		d->n[LSCHED_I_N_KEPT] = w->kept;
		d->n[LSCHED_I_N_EXCESS] = (uint64_t)(int64_t)(int32_t)excess;
		d->n[LSCHED_I_N_IDLE_NS] = idle_ns;
		d->n[LSCHED_I_N_BUSY_NS] = all_ns - idle_ns;
		d->n[LSCHED_I_N_NOT_START] = ~d->start_ns;
		d->n[LSCHED_I_N_END_NS] = now;
		d->n[LSCHED_I_N_ROUNDS] = w->index == 0;
		if (a->worker_stats) {
			lsched_i_worker_stats *p = a->worker_stats + w->index;

			p->tasks += d->n[LSCHED_I_N_TASKS];
			p->steals += d->n[LSCHED_I_N_STEALS];
			p->donated += d->n[LSCHED_I_N_DONATED];
			p->idle_ns += idle_ns;
			p->busy_ns += all_ns - idle_ns;
		}
	}
	lsched_sync_worker();
	for (uint32_t k = lsched_lane(); k < LSCHED_I_N_COUNT; k += LSCHED_LANES) {
		if (k >= LSCHED_I_N_SUMS)
			lsched_i_fetch_max(&s->total[k], d->n[k]);
		else if (d->n[k]) /* with rounds it is paid at each, and most are zero */
			(void)lsched_add(&s->total[k], d->n[k], rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0)
		last = lsched_add(&s->exits.v, 1u, ar, dev) == a->workers - 1;
	last = lsched_bcast(last);
	lsched_sync_worker();
	return last;
}

#endif
