/* A program over any graph given as data, the same text for the CPU and the GPU: every task checks
 * that all its predecessors have run, and records that it has run. The file that includes this one
 * defines CSR_PROGRAM first to generate it. */
#ifndef TESTS_LIBSCHED_CSR_PROGRAM_H
#define TESTS_LIBSCHED_CSR_PROGRAM_H

#include <libsched/csr.h>
#include <libsched/task.h>

enum { CSR_BAD_ORDER = 201, CSR_BAD_TWICE };

typedef struct csr_ctx {
	uint32_t *mark; /* [task]: salt + task once it is done */
	uint32_t *runs; /* [task] */
	uint32_t salt;  /* makes the marks of each start different */
	uint32_t reserved;
	lsched_csr_view graph;
} csr_ctx;

LSCHED_CSR_RULE(csr_rule, csr_ctx, graph)

/* The predecessors are distributed over the lanes; the lane that records differs from task to
 * task. */
LSCHED_TASK_FN lsched_result csr_body(
	lsched_worker *w, const csr_ctx *c, lsched_no_local *local, uint32_t task)
{
	const uint32_t lane = lsched_lane(), n = csr_rule_pred_count(c, task);

	(void)local;
	for (uint32_t k = lane; k < n; k += LSCHED_LANES) {
		const uint32_t p = csr_rule_pred(c, task, k);

		if (c->mark[p] != c->salt + p)
			return lsched_fail(w, CSR_BAD_ORDER);
	}
	if (lane == 0 && c->runs[task]++ != 0)
		return lsched_fail(w, CSR_BAD_TWICE);
	if (lane == task % LSCHED_LANES)
		c->mark[task] = c->salt + task;
	return LSCHED_DONE;
}

#endif

#ifdef CSR_PROGRAM
#define LSCHED_NAME           csr
#define LSCHED_CTX            csr_ctx
#define LSCHED_BODY           csr_body
#define LSCHED_RULE           csr_rule
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
