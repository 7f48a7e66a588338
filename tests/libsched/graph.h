/* Programs of the scheduler's tests, the same text for the CPU and the GPU suite: a wavefront of
 * macroblock-like tasks with slices and frames in its index rule, and a random tree of spawned
 * items. The file that includes this one defines GRAPH_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_GRAPH_H
#define TESTS_LIBSCHED_GRAPH_H

#include <libsched/task.h>

enum { GRAPH_BAD_ORDER = 101, GRAPH_BAD_LOCAL, GRAPH_BAD_TWICE };

typedef struct graph_ctx {
	uint32_t w, h, slices, frames;
	uint32_t salt;      /* makes the values of each start different */
	uint32_t fail_task; /* NONE: no task fails */
	uint32_t hang_task; /* waits for one predecessor more than it has */
	uint32_t mute_task; /* message.h: does not send its last word */
	uint32_t work;      /* mean length of a task in steps of arithmetic; 0: empty */
	uint32_t *value;    /* [task][LSCHED_LANES] */
	uint32_t *runs;     /* [task] */
	uint32_t *sink;     /* [0]: see work; [1], [2]: gates */
	uint32_t gated;     /* two tasks of row 0 wait for later rows, see graph_gate */
} graph_ctx;

typedef struct graph_local {
	uint32_t last[LSCHED_LANES];
} graph_local;

LSCHED_FN uint32_t graph_hash(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}

typedef struct graph_pos {
	uint32_t x, y, top, bottom; /* rows of its slice: top .. bottom-1 */
} graph_pos;

LSCHED_FN uint32_t graph_slice_top(const graph_ctx *c, uint32_t slice)
{
	return slice * c->h / c->slices;
}

LSCHED_FN graph_pos graph_where(const graph_ctx *c, uint32_t task)
{
	graph_pos p;
	uint32_t in_frame = task % (c->w * c->h), s;

	p.x = in_frame % c->w;
	p.y = in_frame / c->w;
	s = ((p.y + 1) * c->slices - 1) / c->h;
	p.top = graph_slice_top(c, s);
	p.bottom = graph_slice_top(c, s + 1);
	return p;
}

/* LEFT, and UP-RIGHT, which is UP in the last column: the other neighbours follow from these. */
LSCHED_FN uint32_t graph_rule_pred_count(const graph_ctx *c, uint32_t task)
{
	graph_pos p = graph_where(c, task);

	return (p.x > 0) + (p.y > p.top) + (task == c->hang_task);
}

LSCHED_FN uint32_t graph_rule_pred(const graph_ctx *c, uint32_t task, uint32_t k)
{
	graph_pos p = graph_where(c, task);

	if (p.x > 0 && k-- == 0)
		return task - 1;
	if (p.y > p.top && k == 0)
		return task - c->w + (p.x + 1 < c->w);
	return task; /* the hanging task waits for itself */
}

LSCHED_FN uint32_t graph_rule_succ_count(const graph_ctx *c, uint32_t task)
{
	graph_pos p = graph_where(c, task);

	return (p.x + 1 < c->w) + (p.y + 1 < p.bottom ? (p.x > 0) + (p.x + 1 == c->w) : 0);
}

LSCHED_FN uint32_t graph_rule_succ(const graph_ctx *c, uint32_t task, uint32_t k)
{
	graph_pos p = graph_where(c, task);

	if (p.x + 1 < c->w && k-- == 0)
		return task + 1;
	return p.x > 0 && k == 0 ? task + c->w - 1 : task + c->w;
}

LSCHED_FN uint32_t graph_rule_root_count(const graph_ctx *c)
{
	return c->frames * c->slices;
}

LSCHED_FN uint32_t graph_rule_root(const graph_ctx *c, uint32_t i)
{
	return (i / c->slices * c->h + graph_slice_top(c, i % c->slices)) * c->w;
}

LSCHED_FN uint32_t graph_rule_chain_count(const graph_ctx *c)
{
	return c->frames * c->h;
}

LSCHED_FN uint32_t graph_rule_chain_head(const graph_ctx *c, uint32_t i)
{
	return i * c->w;
}

LSCHED_FN uint32_t graph_rule_chain_next(const graph_ctx *c, uint32_t task)
{
	return (task + 1) % c->w ? task + 1 : LSCHED_NONE;
}

/* Wavefront of (x, y): x + 2 * (rows below the slice's top). */
LSCHED_FN uint32_t graph_rule_wave_count(const graph_ctx *c)
{
	uint32_t rows = (c->h + c->slices - 1) / c->slices;

	return c->w + 2 * (rows - 1);
}

/* Rows first .. first+count-1 of a slice have a task in the wavefront. */
LSCHED_FN uint32_t graph_wave_rows(
	const graph_ctx *c, uint32_t wave, uint32_t slice, uint32_t *first)
{
	uint32_t rows = graph_slice_top(c, slice + 1) - graph_slice_top(c, slice),
		 end = wave / 2 + 1;

	*first = wave < c->w ? 0 : (wave - c->w + 2) / 2;
	if (end > rows)
		end = rows;
	return end > *first ? end - *first : 0;
}

LSCHED_FN uint32_t graph_rule_wave_size(const graph_ctx *c, uint32_t wave)
{
	uint32_t n = 0, first;

	for (uint32_t s = 0; s < c->slices; s++)
		n += graph_wave_rows(c, wave, s, &first);
	return n * c->frames;
}

LSCHED_FN uint32_t graph_rule_wave_task(const graph_ctx *c, uint32_t wave, uint32_t i)
{
	uint32_t s = 0, first, n, frame = i % c->frames;

	for (i /= c->frames; i >= (n = graph_wave_rows(c, wave, s, &first)); s++)
		i -= n;
	return (frame * c->h + graph_slice_top(c, s) + first + i) * c->w + wave - 2 * (first + i);
}

/* What a task's value must be after a start. */
LSCHED_FN uint32_t graph_value(const graph_ctx *c, uint32_t task)
{
	graph_pos p = graph_where(c, task);

	return c->salt + p.x + (c->w > 1 ? 2 : 1) * (p.y - p.top) + 1;
}

enum { GATE_1 = 10, GATE_2 = 20, GATE_WIDTH = 24 };

/* Forces an order of two workers that random lengths only make likely. One worker waits in (10, 0)
 * until (0, 2) has run, so row 1 has stopped before (9, 1); then it waits in (20, 0) until (9, 1)
 * has run. Only the other worker can run (9, 1), and it returns from row 2 or below. */
LSCHED_TASK_FN void graph_gate(lsched_worker *w, const graph_ctx *c, uint32_t task)
{
	const uint32_t gate = task == GATE_1 ? 1 : task == GATE_2 ? 2 : 0;

	if (lsched_lane() != 0)
		return;
	if (task == 2 * c->w || task == c->w + GATE_1 - 1)
		lsched_st(&c->sink[task == 2 * c->w ? 1 : 2], c->salt, rel, dev);
	for (uint32_t spins = 0;
		gate && lsched_ld(&c->sink[gate], acq, dev) != c->salt && !lsched_cancelled(w);
		spins++)
		lsched_i_relax(spins, 2);
}

/* Every lane computes one more than the largest value of the predecessors, read from the lane
 * opposite, so that missing memory order between workers, or between lanes, gives a wrong value. */
LSCHED_TASK_FN lsched_result graph_body(
	lsched_worker *w, const graph_ctx *c, graph_local *l, uint32_t task)
{
	const uint32_t lane = lsched_lane();
	graph_pos p = graph_where(c, task);
	uint32_t best = c->salt, steps = 0, x = task + 1;

	if (c->gated)
		graph_gate(w, c, task);
	if (c->work)
		steps = graph_hash(task ^ c->salt) % (2 * c->work);
	if (lsched_prev(w) != LSCHED_NONE && l->last[lane] != lsched_prev(w))
		return lsched_fail(w, GRAPH_BAD_LOCAL);
	if (task == c->fail_task)
		return lane == LSCHED_LANES - 1 ? lsched_fail(w, 42) : LSCHED_DONE;
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t pred, v;

		if (k == 0 ? p.x == 0 : p.y == p.top)
			continue;
		pred = k == 0 ? task - 1 : task - c->w + (p.x + 1 < c->w);
		v = c->value[pred * LSCHED_LANES + (LSCHED_LANES - 1 - lane)];
		if (v != graph_value(c, pred))
			return lsched_fail(w, GRAPH_BAD_ORDER);
		best = v > best ? v : best;
	}
	while (steps--)
		x = x * 1664525u + 1013904223u;
	if (x == 1) /* so that the compiler cannot remove the work */
		lsched_add(c->sink, 1u, rlx, dev);
	if (lane == 0 && c->runs[task]++ != 0)
		return lsched_fail(w, GRAPH_BAD_TWICE);
	c->value[task * LSCHED_LANES + lane] = best + 1;
	l->last[lane] = task;
	return LSCHED_DONE;
}

/* The same with the scheme epoch; lane 0 also stores its value in memory, for the host. */
LSCHED_TASK_FN lsched_result graph_word_body(
	lsched_worker *w, const graph_ctx *c, graph_local *l, uint32_t task, uint32_t *word)
{
	graph_pos p = graph_where(c, task);
	const uint32_t n = (p.x > 0) + (p.y > p.top);
	uint32_t best = c->salt;

	(void)l;
	if (c->gated)
		graph_gate(w, c, task);
	if (task == c->fail_task)
		return lsched_fail(w, 42);
	for (uint32_t k = 0; k < 2; k++) {
		const uint32_t v = lsched_word(w, k < n ? k : 0);
		const uint32_t pred = k == 0 && p.x > 0 ? task - 1 : task - c->w + (p.x + 1 < c->w);

		if (k >= n)
			continue;
		if (v != graph_value(c, pred))
			return lsched_fail(w, GRAPH_BAD_ORDER);
		best = v > best ? v : best;
	}
	if (lsched_lane() == 0 && c->runs[task]++ != 0)
		return lsched_fail(w, GRAPH_BAD_TWICE);
	c->value[task * LSCHED_LANES + lsched_lane()] = best + 1;
	*word = best + 1;
	return LSCHED_DONE;
}

/* ---- a tree whose shape is known only when it has run ---- */

typedef struct tree_ctx {
	uint32_t depth;     /* leaves at the latest */
	uint32_t fail_item; /* NONE: none fails */
	uint32_t *nodes;    /* counts them */
} tree_ctx;

/* An item is {depth: 6 bits, name: 26 bits}. */
LSCHED_FN uint32_t tree_children(const tree_ctx *c, uint32_t item)
{
	uint32_t depth = item >> 26, r = graph_hash(item) % 16;

	if (depth >= c->depth)
		return 0;
	return depth < 2 ? 2 : r < 2 ? 0 : r < 6 ? 1 : r < 14 ? 2 : 3;
}

LSCHED_FN uint32_t tree_child(uint32_t item, uint32_t k)
{
	return (((item >> 26) + 1) << 26) | (graph_hash(item * 4 + k) & 0x3ffffffu);
}

LSCHED_TASK_FN lsched_result tree_body(
	lsched_worker *w, const tree_ctx *c, lsched_no_local *l, uint32_t item)
{
	const uint32_t n = tree_children(c, item);

	(void)l;
	if (item == c->fail_item)
		return lsched_fail(w, 7);
	if (lsched_lane() == 0)
		lsched_add(c->nodes, 1u, rlx, dev);
	if (item & 1) {
		for (uint32_t k = 0; k < n; k++)
			lsched_spawn(w, tree_child(item, k));
	} else {
		for (uint32_t base = 0; base < n; base += LSCHED_LANES)
			lsched_spawn_lanes(w, tree_child(item, base + lsched_lane()),
				base + lsched_lane() < n);
	}
	return LSCHED_DONE;
}

#endif

#ifdef GRAPH_PROGRAMS
#define LSCHED_NAME           graph
#define LSCHED_CTX            graph_ctx
#define LSCHED_LOCAL          graph_local
#define LSCHED_BODY           graph_body
#define LSCHED_RULE           graph_rule
#define LSCHED_WORD_BODY      graph_word_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>

#define LSCHED_NAME           tree
#define LSCHED_CTX            tree_ctx
#define LSCHED_BODY           tree_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
