/* The graph of graph.h whose tasks pass their values on by messages. The same text for the CPU
 * and the GPU suite. The file that includes this one includes graph.h before, and defines
 * MESSAGE_PROGRAMS to generate the program. */
#ifndef TESTS_LIBSCHED_MESSAGE_H
#define TESTS_LIBSCHED_MESSAGE_H

#ifndef TESTS_LIBSCHED_GRAPH_H
#error "include graph.h, which generates programs, before message.h"
#endif

/* More than a warp has lanes. */
enum { MESSAGE_WORDS = 40, MESSAGE_BAD_WORD = 120 };

/* Word k of a task's message; the value has the start's salt. */
LSCHED_FN uint32_t message_word(uint32_t value, uint32_t k)
{
	return value + k * 0x9e3779b1u;
}

/* Polls in one of three ways: not at all, as a body, or by the address, as a helper warp. */
LSCHED_TASK_FN uint64_t message_poll(
	const lsched_worker *w, uint32_t from, uint32_t k, uint32_t way)
{
	if (way == 2)
		return from == LSCHED_NONE ? (uint64_t)lsched_epoch(w) << 32
					   : lsched_message_poll(lsched_message(w, from) + k);
	return way ? lsched_poll(w, from, k) : 0;
}

/* Receives the message of a predecessor, compares each word with what it must be, and returns the
 * value, or LSCHED_NONE. `way`: of the poll before. */
LSCHED_TASK_FN uint32_t message_receive(
	lsched_worker *w, const graph_ctx *c, uint32_t pred, uint32_t way)
{
	uint32_t value = 0, bad = 0;

	for (uint32_t base = 0; base < MESSAGE_WORDS; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane(),
			       from = k < MESSAGE_WORDS ? pred : LSCHED_NONE;
		uint32_t word;

		if (!lsched_receive(w, from, k, message_poll(w, from, k, way), &word))
			return LSCHED_NONE;
		if (from == LSCHED_NONE)
			bad |= word != 0;
		else
			bad |= word != message_word(graph_value(c, pred), k);
		if (base == 0)
			value = lsched_bcast(word);
	}
	if (lsched_ballot(bad != 0)) {
		(void)lsched_fail(w, MESSAGE_BAD_WORD);
		return LSCHED_NONE;
	}
	return value;
}

LSCHED_TASK_FN lsched_result message_body(
	lsched_worker *w, const graph_ctx *c, graph_local *l, uint32_t task)
{
	const uint32_t lane = lsched_lane();
	graph_pos p = graph_where(c, task);
	uint32_t best = c->salt;

	if (lsched_prev(w) != LSCHED_NONE && l->last[lane] != lsched_prev(w))
		return lsched_fail(w, GRAPH_BAD_LOCAL);
	if (lsched_next(w) != LSCHED_NONE && lsched_next(w) != task + 1)
		return lsched_fail(w, GRAPH_BAD_ORDER);
	if (c->gated)
		graph_gate(w, c, task);
	if (task == c->fail_task)
		return lane == LSCHED_LANES - 1 ? lsched_fail(w, 42) : LSCHED_DONE;
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t pred, v;

		if (k == 0 ? p.x == 0 : p.y == p.top)
			continue;
		pred = k == 0 ? task - 1 : task - c->w + (p.x + 1 < c->w);
		v = message_receive(w, c, pred, (task + k) % 3);
		if (v == LSCHED_NONE)
			return LSCHED_FAIL;
		best = v > best ? v : best;
	}
	if (lane == 0 && c->runs[task]++ != 0)
		return lsched_fail(w, GRAPH_BAD_TWICE);
	for (uint32_t k = lane; k < MESSAGE_WORDS; k += LSCHED_LANES)
		if (task != c->mute_task || k + 1 < MESSAGE_WORDS)
			lsched_send(w, task, k, message_word(best + 1, k));
	c->value[task * LSCHED_LANES + lane] = best + 1;
	l->last[lane] = task;
	return LSCHED_DONE;
}

#endif

#ifdef MESSAGE_PROGRAMS
#define LSCHED_NAME                 message
#define LSCHED_CTX                  graph_ctx
#define LSCHED_LOCAL                graph_local
#define LSCHED_BODY                 message_body
#define LSCHED_RULE                 graph_rule
#define LSCHED_MESSAGES             MESSAGE_WORDS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring) Y(X, STEAL, steal)
#include <libsched/generate.h>
#endif
