/* A program with errors: a graph given as data whose rule may return a wrong count for one task,
 * and whose tasks may never return, take long, or trap. The same text for the CPU and the GPU; the
 * file that includes this one defines BAD_PROGRAM first to generate it. */
#ifndef TESTS_LIBSCHED_BAD_PROGRAM_H
#define TESTS_LIBSCHED_BAD_PROGRAM_H

#include <libsched/csr.h>
#include <libsched/task.h>

enum { BAD_NOTHING, BAD_STUCK, BAD_RETURNS, BAD_LONG, BAD_TRAP };
#define BAD_ALL 0xfffffffeu

typedef struct bad_ctx {
	lsched_csr_view graph;
	uint32_t *gate; /* [0]: ends STUCK tasks; [1]: STUCK tasks that began; [2]: that ended */
	uint32_t *runs; /* [task] */
	uint32_t act;   /* BAD_...: STUCK waits for the gate, RETURNS for lsched_cancelled() */
	uint32_t act_task;
	uint32_t lie_task; /* its pred_count is lie_count; BAD_ALL: all tasks */
	uint32_t lie_count;
	uint32_t long_ns; /* LONG: duration of every task */
	uint32_t reports; /* LONG: nonzero: calls lsched_progress() */
} bad_ctx;

LSCHED_CSR_RULE(bad_true, bad_ctx, graph)

LSCHED_FN uint32_t bad_pred_count(const bad_ctx *c, uint32_t task)
{
	const uint32_t n = bad_true_pred_count(c, task);

	if (c->lie_task == BAD_ALL)
		return n < c->lie_count ? n : c->lie_count;
	return task == c->lie_task ? c->lie_count : n;
}
#define bad_pred        bad_true_pred
#define bad_succ_count  bad_true_succ_count
#define bad_succ        bad_true_succ
#define bad_root_count  bad_true_root_count
#define bad_root        bad_true_root
#define bad_chain_count bad_true_chain_count
#define bad_chain_head  bad_true_chain_head
#define bad_chain_next  bad_true_chain_next
#define bad_wave_count  bad_true_wave_count
#define bad_wave_size   bad_true_wave_size
#define bad_wave_task   bad_true_wave_task

LSCHED_TASK_FN lsched_result bad_body(
	lsched_worker *w, const bad_ctx *c, lsched_no_local *local, uint32_t task)
{
	const uint64_t start = lsched_now_ns();

	(void)local;
	if (lsched_lane() == 0)
		lsched_add(&c->runs[task], 1u, rlx, dev);
	if (c->act == BAD_LONG) {
		while (lsched_now_ns() - start < c->long_ns) {
			lsched_i_relax(0, 1);
			if (c->reports && lsched_lane() == 0)
				lsched_progress(lsched_progress_word(w));
		}
	} else if (task == c->act_task && c->act == BAD_STUCK) {
		if (lsched_lane() == 0)
			lsched_add(&c->gate[1], 1u, rlx, dev);
		for (uint32_t spins = 0; lsched_ld(&c->gate[0], acq, dev) == 0; spins++)
			lsched_i_relax(spins, 1);
		if (lsched_lane() == 0)
			lsched_add(&c->gate[2], 1u, rlx, dev);
	} else if (task == c->act_task && c->act == BAD_RETURNS) {
		for (uint32_t spins = 0; !lsched_cancelled(w); spins++)
			lsched_i_relax(spins, 1);
	}
#ifdef __CUDACC__
	if (task == c->act_task && c->act == BAD_TRAP)
		__trap();
#endif
	return LSCHED_DONE;
}

#endif

#ifdef BAD_PROGRAM
#define LSCHED_NAME           bad
#define LSCHED_CTX            bad_ctx
#define LSCHED_BODY           bad_body
#define LSCHED_RULE           bad
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
