/* Arrays of a graph while core/csr.c builds it, and the order of its tasks. */
#ifndef LIBSCHED_CORE_CSR_ORDER_H
#define LIBSCHED_CORE_CSR_ORDER_H

#include <libsched/csr.h>
#include "libsched/core/backend.h"

/* Arrays on the host. */
typedef struct csr_builder {
	lsched_ctx *ctx;
	uint32_t tasks, edges;
	uint32_t *succ_first, *succ, *pred_first, *pred;
	uint32_t *order, *wave_first, *chain_head, *chain_next;
	uint32_t *mark; /* temporary: one word per task */
	uint32_t waves, chains;
} csr_builder;

/* Orders the tasks by wavefronts: sets order[], wave_first[] and waves. Returns the number of
 * ordered tasks; if there are fewer than tasks, mark[] > 0 in all others. */
uint32_t lsched_i_csr_find_waves(csr_builder *w);

/* Returns the error of a graph with a cycle, after lsched_i_csr_find_waves(); changes
 * chain_next[]. */
lsched_status lsched_i_csr_cycle_error(csr_builder *w);

/* Divides the tasks into chains: sets chain_head[], chain_next[] and chains. Heads are selected in
 * topological order, so the predecessors of a head are in earlier chains; a task is appended when
 * its last predecessor is the end of the chain or precedes it. */
void lsched_i_csr_find_chains(csr_builder *w);

#endif
