/* A worker: what it knows, how it counts, fails, notices a hang, and leaves. Every function here is
 * called by the whole worker together unless it says "one lane". */
#ifndef LIBSCHED_CORE_WORKER_H
#define LIBSCHED_CORE_WORKER_H

#include "libsched/core/shared.h"
#include "libsched/core/layout.h"
#include "libsched/core/batch.h"

/* What a worker seldom needs, kept out of its registers: shared memory on the GPU. Only the leader
 * (lane 0) writes it. */
typedef struct sched__desk {
	uint64_t n[SCHED__N_COUNT];
	uint64_t start_ns, start_ticks;
	uint64_t run_ns; /* when the run began, perhaps launches ago */
	uint64_t idle_ticks;
	uint64_t seen_ns; /* when `seen_live` was first seen in this wait; 0: not looked yet */
	uint32_t seen_live;
	uint32_t settled;    /* of `ran`: those the live count knows of */
	uint32_t pace;       /* tasks from one look to the next */
	uint64_t told_ticks; /* the last look */
	uint32_t traced;
	uint32_t q[8];       /* the queue's own words, zero when a launch begins */
	uint32_t round_over; /* kind rounds: nothing more for this worker in this launch */
	uint32_t watching;   /* and it stays as the watchman of this launch */
	uint32_t chunk_free,
		chunk_word;   /* item programs: places of chunks in hand, of which word */
	uint64_t share_after; /* item programs: in ticks */
	uint32_t helper_task, helper_prev; /* for the helper warp; task SCHED_NONE ends it */
} sched__desk;

/* Predecessors a task may have under the scheme words. */
#define SCHED_WORD_PREDS 32

/* Scheme words on a GPU: what a worker adds to its block's table of words, in scratch words, of which the
 * block's last are something else; and the largest power of two that is at most n. */
#ifdef __CUDACC__
#define SCHED__NEAR_SCRATCH 264u
#else
#define SCHED__NEAR_SCRATCH 0u
#endif
#define SCHED__NEAR_EXTRA 2u
#define SCHED__NEAR_FLOOR(n)           \
	((n) >= 4096u          ? 4096u \
		: (n) >= 2048u ? 2048u \
		: (n) >= 1024u ? 1024u \
		: (n) >= 512u  ? 512u  \
		: (n) >= 256u  ? 256u  \
			       : 128u)

typedef struct sched_worker {
	const sched__args *a;
	sched__desk *desk;
	uint32_t *scratch; /* the queue's, see SCHED_QUEUES; NULL: none */
	uint32_t index;
	uint32_t queue;    /* sched_queue, a constant in each instance: dispatch folds away */
	uint32_t has_rule; /* a constant too */
	uint32_t in_line;  /* a constant too, see sched__in_line; set after sched__begin */
	uint32_t is_items; /* a constant too: an item program; set after sched__begin */
	uint32_t prev;     /* the task run before, or NONE */
	uint32_t keep;     /* the next task, kept; or NONE */
	uint32_t top; /* INLINE: the own list. With rule: first task or NONE; without: its length */
	uint32_t ran; /* tasks finished */
	uint32_t tell_at; /* when `ran` is so much the worker looks up from its work */
	uint32_t kept;    /* of these, kept ones */
	uint32_t excess;  /* each lane's part of SCHED__N_EXCESS */
	int32_t fail_code;
	/* scheme words: of the task's predecessors; one in each lane, or an array */
#ifdef __CUDACC__
	uint32_t word;         /* lane k: of the k-th */
	uint32_t word0, word1; /* of the first two, in all lanes */
#else
	uint32_t words[SCHED_WORD_PREDS];
#endif
	uint32_t pair; /* CUDA, with SCHED_HELPER: see sched_pair_sync */
} sched_worker;

/* Tasks a worker may finish before it tells, and ticks: they bound how late others see progress, or it
 * an error. A million ticks are some 0.5 to 1 ms. */
#define SCHED__SETTLE_TASKS 64u
#define SCHED__SETTLE_TICKS 1000000u

/* Whether a worker stands in line (queue.h) when it finds nothing, and takes in no other way. On the CPU
 * it does not: with more threads than processors the next in line is seldom the one that runs. */
#ifndef SCHED__STAND_IN_LINE
#ifdef __CUDACC__
#define SCHED__STAND_IN_LINE 1u
#else
#define SCHED__STAND_IN_LINE 0u
#endif
#endif

SCHED_WORKER_FN uint32_t sched__in_line(const sched_worker *w)
{
	return SCHED__STAND_IN_LINE && w->in_line;
}

#define SCHED__COUNT(w, what, k)                              \
	do {                                                  \
		if (sched_lane() == 0)                        \
			(w)->desk->n[SCHED__N_##what] += (k); \
	} while (0)

/* Events a worker has already, where a start is many launches: the host clears the events before the
 * first, so that the unused ones are known by their time. */
SCHED_WORKER_FN uint32_t sched__traced_before(const sched__args *a, uint32_t index)
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
SCHED_WORKER_FN void sched__fail(sched_worker *w, uint32_t why, uint32_t task, uint32_t detail)
{
	sched__state *s = w->a->state;
	uint32_t none = SCHED__FAIL_NONE;

	if (!sched_cas(&s->failed.v, &none, why, ar, dev))
		return;
	s->failure.why = why;
	s->failure.task = task;
	s->failure.worker = w->index;
	s->failure.detail = detail;
	s->failure.left = sched_ld(&s->live.v, rlx, dev) + w->a->tasks;
}

SCHED_WORKER_FN uint32_t sched__failed(const sched_worker *w)
{
	return sched_ld(&w->a->state->failed.v, rlx, dev);
}

SCHED_WORKER_FN void sched__begin(sched_worker *w, const sched__args *a, uint32_t index,
	sched__desk *desk, uint32_t *scratch, uint32_t queue, uint32_t has_rule)
{
	w->a = a;
	w->desk = desk;
	w->scratch = scratch;
	w->index = index;
	w->queue = queue;
	w->has_rule = has_rule;
	w->is_items = 0;
	w->in_line = 0;
	w->prev = SCHED_NONE;
	w->keep = SCHED_NONE;
	w->top = has_rule ? SCHED_NONE : 0;
	w->ran = 0;
	w->tell_at = 1;
	w->kept = 0;
	w->excess = 0;
	w->fail_code = 0;
	for (uint32_t k = sched_lane(); k < SCHED__N_COUNT; k += SCHED_LANES)
		desk->n[k] = 0;
	for (uint32_t k = sched_lane(); k < sizeof(desk->q) / sizeof(desk->q[0]); k += SCHED_LANES)
		desk->q[k] = 0;
	sched_sync_worker();
	if (sched_lane() == 0) {
		desk->start_ns = sched_now_ns();
		desk->run_ns = desk->start_ns;
		desk->start_ticks = sched__ticks();
		desk->idle_ticks = 0;
		desk->settled = 0;
		desk->pace = 1;
		desk->told_ticks = desk->start_ticks;
		desk->round_over = 0;
		desk->watching = 0;
		desk->chunk_free = 0;
		desk->share_after = 0;
		desk->chunk_word = SCHED_NONE;
		desk->seen_ns = 0;
		desk->seen_live = 0;
		desk->traced = sched__traced_before(w->a, index);
	}
	sched_sync_worker();
}

/* Takes the finished tasks off the live count. Negative differences may come late (only positive ones
 * may not); relaxed, for no data travels by this word. */
SCHED_WORKER_FN void sched__settle(sched_worker *w)
{
	if (sched_lane() == 0 && w->ran != w->desk->settled) {
		(void)sched_add(&w->a->state->live.v, w->desk->settled - w->ran, rlx, dev);
		w->desk->settled = w->ran;
	}
}

/* One lane. Tasks not settled, by the live count; fails the run if they are fewer than none. With a rule
 * nothing is ever added to the count, so then a task has run twice. */
SCHED_WORKER_FN uint32_t sched__left(sched_worker *w)
{
	const uint32_t left = sched_ld(&w->a->state->live.v, rlx, dev) + w->a->tasks;

	if (w->has_rule && (int32_t)left < 0)
		sched__fail(w, SCHED__FAIL_COUNT, SCHED_NONE, 0);
	return left;
}

/* One lane. Whether the last look up from the work is long ago; this is one. */
SCHED_WORKER_FN uint32_t sched__slow(sched_worker *w)
{
	const uint64_t now = sched__ticks();
	const uint32_t slow = now - w->desk->told_ticks > SCHED__SETTLE_TICKS;

	w->desk->told_ticks = now;
	return slow;
}

/* Tells of the tasks that are done, and hears of failures; 0 when the run has failed. */
SCHED_WORKER_FN uint32_t sched__report(sched_worker *w)
{
	uint32_t bad = 0;

	sched__settle(w);
	if (sched_lane() == 0) {
		(void)sched__left(w);
		bad = sched__failed(w);
	}
	return !sched_bcast(bad);
}

/* After a task: now and then tells of it. Short tasks are told of in dozens, long ones each, or a worker
 * busy with them would look like a hang. 0 when the run has failed. */
SCHED_WORKER_FN uint32_t sched__ran_one(sched_worker *w)
{
	sched__desk *d = w->desk;
	uint32_t tell = 0;

	if ((int32_t)(++w->ran - w->tell_at) < 0)
		return 1;
	sched_sync_worker(); /* all lanes have read pace, the last time */
	if (sched_lane() == 0) {
		const uint32_t slow = sched__slow(w);

		tell = slow || w->ran - d->settled >= SCHED__SETTLE_TASKS;
		if (slow)
			d->pace = d->pace > 4 ? d->pace / 4 : 1;
		else if (d->pace < SCHED__SETTLE_TASKS)
			d->pace *= 2;
	}
	sched_sync_worker();
	w->tell_at = w->ran + d->pace;
	return !sched_bcast(tell) || sched__report(w);
}

/* One lane: begins a wait, returns the ticks. */
SCHED_WORKER_FN uint64_t sched__wait_begin(sched_worker *w)
{
	w->desk->seen_ns = 0;
	return sched__ticks();
}

/* One lane: ends it. */
SCHED_WORKER_FN void sched__wait_end(sched_worker *w, uint64_t begin)
{
	w->desk->idle_ticks += sched__ticks() - begin;
}

enum { SCHED__GOING, SCHED__STALLED, SCHED__OVER_LIMIT };

/* One lane, inside a wait: has anything been finished lately? A stall is no change of the live count
 * for timeout_ns, so a long run is no hang, but a task longer than timeout_ns looks like one. */
SCHED_WORKER_FN uint32_t sched__watch(sched_worker *w)
{
	const sched__args *a = w->a;
	uint64_t now = sched_now_ns();
	uint32_t live = sched_ld(&a->state->live.v, rlx, dev);

	if (w->is_items)
		live += sched_ld(&a->state->beat.v, rlx, dev) << 24;
	if (a->limit_ns && now - w->desk->run_ns > a->limit_ns)
		return SCHED__OVER_LIMIT;
	if (w->desk->seen_ns == 0 || live != w->desk->seen_live) {
		w->desk->seen_live = live;
		w->desk->seen_ns = now;
	} else if (a->timeout_ns && now - w->desk->seen_ns > a->timeout_ns) {
		return SCHED__STALLED;
	}
	return SCHED__GOING;
}

/* One lane, inside the queue, where the wait is for another worker's next few instructions. t0 starts
 * as 0. Returns nonzero when the run has failed, which it makes it do when the budget is over. */
SCHED_WORKER_FN uint32_t sched__spin_over(sched_worker *w, uint32_t spins, uint64_t *t0)
{
	uint64_t now;

	sched__relax_critical(spins);
	if ((spins & 63u) != 63u)
		return 0;
	now = sched_now_ns();
	if (*t0 == 0)
		*t0 = now;
	else if (w->a->timeout_ns && now - *t0 > w->a->timeout_ns)
		sched__fail(w, SCHED__FAIL_SLOT, SCHED_NONE, 0);
	(void)sched__left(w); /* too many tasks may be why there is no room */
	return sched__failed(w);
}

/* Leader: one line of the timeline. */
SCHED_WORKER_FN void sched__trace_add(sched_worker *w, uint32_t task, uint64_t start_ns)
{
	sched__desk *d = w->desk;
	sched_event *e;

	if (d->traced >= w->a->trace) {
		d->n[SCHED__N_TRACE_DROPPED]++;
		return;
	}
	e = w->a->events + (size_t)w->index * w->a->trace + d->traced++;
	e->start_ns = start_ns;
	e->end_ns = sched_now_ns();
	e->task = task;
	e->worker = w->index;
	e->sm = sched__place(w->index);
}

#ifdef __CUDA_ARCH__
#define sched__max_u64(p, v) \
	((void)__nv_atomic_fetch_max((p), (v), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE))
#else
static inline void sched__max_u64(uint64_t *p, uint64_t v)
{
	uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (old < v &&
		!__atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}
#endif

/* The last worker out has the state to itself (its exit acquired all the others'), but for a host that
 * looks on at the ticket and the live count. `again`: another round follows, so sums and tickets go on. */
SCHED_WORKER_FN void sched__clean_up(const sched__args *a, uint32_t again)
{
	sched__state *s = a->state;

	if (sched_lane() == 0) {
		s->exits.v = 0;
		s->arrived.v = 0;
		s->passed.v = 0;
		if (!again)
			sched_st(&s->ticket.v, 0u, rlx, dev);
	}
	if (!a->last)
		return;
	for (uint32_t k = sched_lane(); k < SCHED__N_COUNT; k += SCHED_LANES) {
		a->result->count[k] = s->total[k];
		if (!again)
			s->total[k] = 0;
	}
	if (sched_lane() == 0) {
		a->result->failure = s->failure;
		a->result->again = again;
		a->result->value = s->value;
		if (!again) {
			sched_st(&s->live.v, 0u, rlx, dev);
			s->value = 0;
			sched_st(&s->beat.v, 0u, rlx, dev);
			s->hungry.v = 0;
		}
	}
}

/* Adds the counters to the run's: lane k the k-th, so a warp's go out as one request. Nonzero for the
 * last worker out, which then cleans up. */
SCHED_WORKER_FN uint32_t sched__leave(sched_worker *w)
{
	const sched__args *a = w->a;
	sched__state *s = a->state;
	sched__desk *d = w->desk;
	uint32_t last = 0, excess;

	sched__settle(w);
	if (a->now && sched_lane() == 0)
		sched_st(&a->now[w->index], 0u, rlx, sys);
	excess = sched__sum(w->excess);
	if (sched_lane() == 0) {
		const uint64_t now = sched_now_ns(), all_ns = now - d->start_ns;
		const uint64_t all_ticks = sched__ticks() - d->start_ticks;
		uint64_t idle_ns = 0;

		if (d->idle_ticks && all_ticks)
			idle_ns = (uint64_t)((double)d->idle_ticks *
					     ((double)all_ns / (double)all_ticks));
		if (idle_ns > all_ns)
			idle_ns = all_ns;
		if (!w->is_items)
			d->n[SCHED__N_TASKS] = w->ran;
		d->n[SCHED__N_KEPT] = w->kept;
		d->n[SCHED__N_EXCESS] = (uint64_t)(int64_t)(int32_t)excess;
		d->n[SCHED__N_IDLE_NS] = idle_ns;
		d->n[SCHED__N_BUSY_NS] = all_ns - idle_ns;
		d->n[SCHED__N_NOT_START] = ~d->start_ns;
		d->n[SCHED__N_END_NS] = now;
		d->n[SCHED__N_ROUNDS] = w->index == 0;
		if (a->worker_stats) {
			sched_worker_stats *p = a->worker_stats + w->index;

			p->tasks += d->n[SCHED__N_TASKS];
			p->steals += d->n[SCHED__N_STEALS];
			p->donated += d->n[SCHED__N_DONATED];
			p->idle_ns += idle_ns;
			p->busy_ns += all_ns - idle_ns;
		}
	}
	sched_sync_worker();
	for (uint32_t k = sched_lane(); k < SCHED__N_COUNT; k += SCHED_LANES) {
		if (k >= SCHED__N_SUMS)
			sched__max_u64(&s->total[k], d->n[k]);
		else if (d->n[k]) /* with rounds it is paid at each, and most are zero */
			(void)sched_add(&s->total[k], d->n[k], rlx, dev);
	}
	sched_sync_worker();
	if (sched_lane() == 0)
		last = sched_add(&s->exits.v, 1u, ar, dev) == a->workers - 1;
	last = sched_bcast(last);
	sched_sync_worker();
	return last;
}

#endif
