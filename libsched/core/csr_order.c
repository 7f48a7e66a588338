/* The order of a graph's tasks: wavefronts, chains, and cycles, which prevent an order.
 *
 * The wavefronts result from Kahn's counting ("Topological sorting of large networks", CACM 1962):
 * each task that remains when it stops has a predecessor that remains too, so walking back from any
 * such task runs into a cycle. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "libsched/core/csr_order.h"

enum { NAMED_FIRST = 12, NAMED_LAST = 3 }; /* tasks of a long cycle that the error names */

uint32_t lsched_i_csr_find_waves(csr_builder *w)
{
	uint32_t begin = 0, end = 0;

	/* mark[]: predecessors that are not in the order yet */
	for (uint32_t t = 0; t < w->tasks; t++) {
		w->mark[t] = w->pred_first[t + 1] - w->pred_first[t];
		if (w->mark[t] == 0)
			w->order[end++] = t;
	}
	w->waves = 0;
	w->wave_first[0] = 0;
	while (begin < end) {
		const uint32_t stop = end;

		for (; begin < stop; begin++) {
			const uint32_t t = w->order[begin];

			for (uint32_t i = w->succ_first[t]; i < w->succ_first[t + 1]; i++)
				if (--w->mark[w->succ[i]] == 0)
					w->order[end++] = w->succ[i];
		}
		w->wave_first[++w->waves] = stop;
	}
	return end;
}

/* Walks back along edges between tasks with mark[] > 0 until it reaches one for the second time.
 * Returns this task, which is in a cycle; chain_next[] then leads round the cycle in the direction
 * of the edges. */
static uint32_t find_cycle(csr_builder *w)
{
	uint32_t t = 0;

	while (w->mark[t] == 0)
		t++;
	memset(w->chain_next, 0xff, (size_t)w->tasks * 4);
	for (;;) {
		uint32_t i = w->pred_first[t], p;
		int visited;

		while (w->mark[w->pred[i]] == 0)
			i++;
		p = w->pred[i];
		visited = w->chain_next[p] != LSCHED_NO_TASK;
		w->chain_next[p] = t;
		t = p;
		if (visited)
			return t;
	}
}

lsched_status lsched_i_csr_cycle_error(csr_builder *w)
{
	const uint32_t start = find_cycle(w);
	char text[LSCHED_I_TEXT_BYTES];
	size_t used = 0;
	uint32_t least = start, length = 1, t;

	for (t = w->chain_next[start]; t != start; t = w->chain_next[t]) {
		least = t < least ? t : least;
		length++;
	}
	t = least;
	for (uint32_t k = 0; k < length; k++) {
		if (length <= NAMED_FIRST + NAMED_LAST || k < NAMED_FIRST ||
			k + NAMED_LAST >= length)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%" PRIu32 " -> ", t);
		else if (k == NAMED_FIRST)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "... -> ");
		t = w->chain_next[t];
	}
	return lsched_i_error(w->ctx, NULL, LSCHED_ERR_ARG,
		"graph: a cycle of %" PRIu32 " tasks: task %s%" PRIu32, length, text, least);
}

void lsched_i_csr_find_chains(csr_builder *w)
{
	/* mark[]: predecessors that are not in a chain yet; NO_TASK: the task itself is in one */
	for (uint32_t t = 0; t < w->tasks; t++)
		w->mark[t] = w->pred_first[t + 1] - w->pred_first[t];
	memset(w->chain_next, 0xff, (size_t)w->tasks * 4);
	w->chains = 0;
	for (uint32_t k = 0; k < w->tasks; k++) {
		uint32_t t = w->order[k];

		if (w->mark[t] == LSCHED_NO_TASK)
			continue;
		w->chain_head[w->chains++] = t;
		while (t != LSCHED_NO_TASK) {
			uint32_t next = LSCHED_NO_TASK;

			w->mark[t] = LSCHED_NO_TASK;
			for (uint32_t i = w->succ_first[t]; i < w->succ_first[t + 1]; i++)
				if (--w->mark[w->succ[i]] == 0 && next == LSCHED_NO_TASK)
					next = w->succ[i];
			w->chain_next[t] = next;
			t = next;
		}
	}
}
