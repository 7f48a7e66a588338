/* epoch: like static, for tasks that pass one word to their successors. A task publishes its word
 * and the start's epoch in one 8-byte relaxed store: successors compare the epoch, so no fence and
 * no flag is needed, and a step of a wavefront takes little more than the latency of the cache that
 * the workers share.
 *
 * Other stores of a task are NOT visible to its successors; all stores are visible to the host
 * after the run.
 *
 * On a GPU the warps of a block also pass words through shared memory, which has several times less
 * latency than the L2 cache. So a block draws one chain for each of its workers at once, because
 * consecutive chains depend on each other most. The block's table of words ("near") is a cache of
 * the words in device memory ("far"): the entry of task t is t modulo the size, {t + 1, word}; a
 * later task may overwrite it. A worker polls the table first, then device memory.
 *
 * No deadlock with any number of resident workers: chains are in topological order, and running
 * workers draw tickets. Consider the first unfinished chain. All its predecessors are finished. If
 * no worker has begun it, a block has drawn it and not begun it; then all chains that the block's
 * workers have begun precede it, so they are finished, and one of these workers begins it.
 *
 * compute-sanitizer's racecheck reports the table and the word of the block's chains, because it
 * treats relaxed accesses to shared memory as plain ones. Each access is to one aligned 8-byte
 * word, which is the complete message.
 *
 * A GPU worker loads words for 32 tasks of its chain at once (epoch_window.h).
 *
 * Template text: generate.h includes it for each program with a LSCHED_WORD_BODY. */

#if LSCHED_I_GPU
/* The block's table, in the consecutive scratch words of its workers; the last two words are the
 * block's chains. Kernels clear it before any worker begins. */
#define LSCHED_I_NEAR(w)                     \
	((uint64_t *)(void *)((w)->scratch - \
			      (w)->index % LSCHED_WARPS_PER_BLOCK * LSCHED_I_NEAR_SCRATCH))
#define LSCHED_I_NEAR_CHAINS \
	((LSCHED_WARPS_PER_BLOCK * LSCHED_I_NEAR_SCRATCH - LSCHED_I_NEAR_EXTRA) / 2u)
#define LSCHED_I_NEAR_MASK (LSCHED_I_NEAR_FLOOR(LSCHED_I_NEAR_CHAINS) - 1u)
#endif

/* Returns the k-th predecessor of a task, LSCHED_NONE beyond the last; each lane passes its own
 * k. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_pred)(const LSCHED_CTX *c, uint32_t task, uint32_t k)
{
	return k < LSCHED_I_R(pred_count)(c, task) ? LSCHED_I_R(pred)(c, task, k) : LSCHED_NONE;
}

/* Loads the word of a predecessor, {epoch, word}; the epoch is an older one if the predecessor has
 * not run. */
LSCHED_WORKER_FN uint64_t LSCHED_I_N(_epoch_load)(const lsched_i_args *a, uint32_t pred)
{
	uint64_t *words =
		(uint64_t *)(void *)a->task_words; /* lsched_ld() takes no pointer to const */

	return pred == LSCHED_NONE ? (uint64_t)a->epoch << 32 : lsched_ld(&words[pred], rlx, dev);
}

/* One lane, after a stall: follows unfinished predecessors from `task`. Returns a task whose
 * predecessors have all finished, or a task that depends on itself. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_bottom)(
	const lsched_i_args *a, const LSCHED_CTX *c, uint32_t task)
{
	for (uint32_t steps = 0; steps < a->tasks; steps++) {
		uint32_t next = task, p;

		for (uint32_t k = 0; next == task; k++) {
			p = LSCHED_I_N(_epoch_pred)(c, task, k);
			if (p == LSCHED_NONE)
				break;
			if ((uint32_t)(LSCHED_I_N(_epoch_load)(a, p) >> 32) != a->epoch)
				next = p;
			if (next == task && p == task)
				return task;
		}
		if (next == task)
			break;
		task = next;
	}
	return task;
}

/* Polls between two reads of the clock, less one: a poll is short on a GPU, and may be a sleep on a
 * CPU. */
#if LSCHED_I_GPU
#define LSCHED_I_WORD_WATCH 255u
#else
#define LSCHED_I_WORD_WATCH 15u
#endif

/* Waits for the word of this lane's predecessor. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_wait)(
	lsched_worker *w, const LSCHED_CTX *c, uint32_t pred, uint64_t *v)
{
	const lsched_i_args *a = w->a;
	uint64_t idle = 0;
	uint32_t ok = 1;

	for (uint32_t spins = 0;; spins++) {
		const uint32_t missing = lsched_ballot((uint32_t)(*v >> 32) != a->epoch);
		uint32_t stop = 0;

		if (!missing)
			break;
		if (spins == 0 && lsched_lane() == 0)
			idle = lsched_i_wait_begin(w);
		if (lsched_i_clock_due(spins, LSCHED_I_WORD_WATCH + 1u)) {
			uint32_t stalled = LSCHED_I_PROGRESS;

			if (lsched_lane() == 0) {
				stop = lsched_i_failed(w);
				stalled = lsched_i_watchdog(w);
			}
			stalled = lsched_bcast(stalled);
			if (stalled != LSCHED_I_PROGRESS &&
				(missing & (0u - missing)) == 1u << lsched_lane())
				lsched_i_fail(w, lsched_i_wait_failure(stalled, LSCHED_I_FAIL_WAIT),
					LSCHED_I_N(_epoch_bottom)(a, c, pred), pred);
			if (lsched_bcast(stop) || stalled != LSCHED_I_PROGRESS) {
				ok = 0;
				break;
			}
		}
		if (!LSCHED_I_GPU)
			lsched_i_relax_critical(spins);
		if ((uint32_t)(*v >> 32) != a->epoch)
			*v = LSCHED_I_N(_epoch_load)(a, pred);
	}
	if (lsched_lane() == 0 && idle)
		lsched_i_wait_end(w, idle);
	return ok;
}

/* Slow path of a task, before its word is published: failure and timeline. Returns 0 if it
 * failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_slow_path)(
	lsched_worker *w, lsched_result r, uint32_t task, uint64_t start_ns)
{
	const uint32_t bad = lsched_ballot(r != LSCHED_DONE);

	if (bad) {
		if ((bad & (0u - bad)) == 1u << lsched_lane())
			lsched_i_fail(w, LSCHED_I_FAIL_TASK, task, (uint32_t)w->fail_code);
		return 0;
	}
	/* before the word is published, or a successor could start before this task's end */
	if (w->a->trace && lsched_lane() == 0)
		lsched_i_trace_add(w, task, 0, start_ns);
	return 1;
}

/* Waits for all predecessors of a task, one in each lane, on the CPU one after the other, and runs
 * it. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_step)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l, uint32_t task, uint32_t *word)
{
	const uint32_t n = LSCHED_I_R(pred_count)(c, task);
	uint64_t start_ns = 0;
	lsched_result r;

	if (n > LSCHED_WORD_PREDS) {
		if (lsched_lane() == 0)
			lsched_i_fail(w, LSCHED_I_FAIL_PREDS, task, 0);
		return 0;
	}
#if LSCHED_LANES > 1
	const uint32_t pred = LSCHED_I_N(_epoch_pred)(c, task, lsched_lane());
	uint64_t v = LSCHED_I_N(_epoch_load)(w->a, pred);

	if (!LSCHED_I_N(_epoch_wait)(w, c, pred, &v))
		return 0;
	w->word = (uint32_t)v;
	w->word0 = lsched_i_shfl(w->word, 0);
	w->word1 = lsched_i_shfl(w->word, 1);
#else
	for (uint32_t k = n; k < LSCHED_WORD_PREDS; k++)
		w->words[k] = 0;
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t pred = LSCHED_I_R(pred)(c, task, k);
		uint64_t v = LSCHED_I_N(_epoch_load)(w->a, pred);

		if (!LSCHED_I_N(_epoch_wait)(w, c, pred, &v))
			return 0;
		w->words[k] = (uint32_t)v;
	}
#endif
	*word = 0;
	if (w->a->trace)
		start_ns = lsched_now_ns();
	r = LSCHED_WORD_BODY(w, c, l, task, word);
	if (!LSCHED_I_N(_epoch_slow_path)(w, r, task, start_ns))
		return 0;
	w->prev = task;
#if LSCHED_I_GPU
	lsched_i_near_st_if(lsched_lane() == 0, &LSCHED_I_NEAR(w)[task & LSCHED_I_NEAR_MASK],
		(uint64_t)(task + 1) << 32 | *word);
#endif
	if (lsched_lane() == 0)
		lsched_st((uint64_t *)(void *)w->a->task_words + task,
			(uint64_t)w->a->epoch << 32 | *word, rlx, dev);
	return lsched_i_task_finished(w);
}

#if LSCHED_I_GPU
#include "libsched/deps/epoch_window.h"
#include "libsched/deps/epoch_chain.h"
#else
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_chain)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l, uint32_t head)
{
	uint32_t word = 0;

	for (uint32_t task = head; task != LSCHED_NONE; task = LSCHED_I_R(chain_next)(c, task))
		if (!LSCHED_I_N(_epoch_step)(w, c, l, task, &word))
			return 0;
	return 1;
}

LSCHED_WORKER_FN void LSCHED_I_N(_epoch)(lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	const uint32_t chains = LSCHED_I_R(chain_count)(c);

	for (;;) {
		uint32_t ticket;

		if (!lsched_i_draw(w, &ticket) || ticket >= chains)
			return;
		if (!LSCHED_I_N(_epoch_chain)(w, c, l, LSCHED_I_R(chain_head)(c, ticket)))
			return;
		lsched_i_flush_finished(w);
	}
}

#endif
