/* Graphs as data: checks, cycle detection, successors and predecessors, wavefronts, chains, upload.
 *
 * All steps are linear in tasks + edges. The wavefronts result from Kahn's counting ("Topological
 * sorting of large networks", CACM 1962): each task that remains when it stops has a predecessor
 * that remains too, so walking back from any such task runs into a cycle. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libsched/csr.h>
#include "libsched/core/backend.h"

enum { NAMED_FIRST = 12, NAMED_LAST = 3 }; /* tasks of a long cycle that the error names */

struct lsched_csr {
	lsched_ctx *ctx;
	uint32_t *memory;          /* one allocation, see lay_out() */
	uint32_t *host_wave_first; /* waves + 1; NULL where the host can read the block */
	lsched_csr_view view;
};

/* Arrays of the host while the graph is built, some of them temporary. */
typedef struct work {
	lsched_ctx *ctx;
	uint32_t tasks, edges;
	uint32_t *succ_first, *succ, *pred_first, *pred;
	uint32_t *order, *wave_first, *chain_head, *chain_next;
	uint32_t *mark; /* one word per task */
	uint32_t waves, chains;
} work;

static lsched_status no_memory(lsched_ctx *ctx)
{
	return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM, "graph: out of memory");
}

/* Allocates at least 4 bytes, so that NULL is always a failure. */
static uint32_t *words(size_t n)
{
	return n < SIZE_MAX / 4 ? (uint32_t *)malloc((n ? n : 1) * 4) : NULL;
}

static void free_work(work *w)
{
	free(w->succ_first);
	free(w->succ);
	free(w->pred_first);
	free(w->pred);
	free(w->order);
	free(w->wave_first);
	free(w->chain_head);
	free(w->chain_next);
	free(w->mark);
}

static lsched_status alloc_work(work *w)
{
	const size_t n = w->tasks, e = w->edges;

	w->succ_first = words(n + 1);
	w->succ = words(e);
	w->pred_first = words(n + 1);
	w->pred = words(e);
	w->order = words(n);
	w->wave_first = words(n + 1);
	w->chain_head = words(n);
	w->chain_next = words(n);
	w->mark = words(n);
	return w->succ_first && w->succ && w->pred_first && w->pred && w->order && w->wave_first &&
			       w->chain_head && w->chain_next && w->mark
		       ? LSCHED_OK
		       : no_memory(w->ctx);
}

/* Turns the counts in first[1..n] into offsets: first[t] is the index of the first item of t. */
static void sum_up(uint32_t *first, uint32_t n)
{
	for (uint32_t t = 0; t < n; t++)
		first[t + 1] += first[t];
}

/* Undoes filling with first[t]++, after which each offset is that of its successor. */
static void step_back(uint32_t *first, uint32_t n)
{
	memmove(first + 1, first, (size_t)n * 4);
	first[0] = 0;
}

static lsched_status check_edge(lsched_ctx *ctx, uint32_t tasks, uint32_t from, uint32_t to)
{
	if (from >= tasks || to >= tasks)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"graph: edge %" PRIu32 " -> %" PRIu32 " is out of range; there are %" PRIu32
			" tasks, numbered from 0",
			from, to, tasks);
	if (from == to)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"graph: task %" PRIu32 " depends on itself: task %" PRIu32 " -> %" PRIu32,
			from, from, from);
	return LSCHED_OK;
}

static lsched_status take_edges(work *w, const lsched_csr_edge *edges)
{
	memset(w->succ_first, 0, ((size_t)w->tasks + 1) * 4);
	for (uint32_t i = 0; i < w->edges; i++) {
		lsched_status st = check_edge(w->ctx, w->tasks, edges[i].from, edges[i].to);

		if (st != LSCHED_OK)
			return st;
		w->succ_first[edges[i].from + 1]++;
	}
	sum_up(w->succ_first, w->tasks);
	for (uint32_t i = 0; i < w->edges; i++)
		w->succ[w->succ_first[edges[i].from]++] = edges[i].to;
	step_back(w->succ_first, w->tasks);
	return LSCHED_OK;
}

/* Copies the successors. Precondition: first[] does not decrease. */
static lsched_status take_successors(work *w, const uint32_t *first, const uint32_t *succ)
{
	for (uint32_t t = 0; t < w->tasks; t++) {
		for (uint32_t i = first[t]; i < first[t + 1]; i++) {
			lsched_status st = check_edge(w->ctx, w->tasks, t, succ[i]);

			if (st != LSCHED_OK)
				return st;
			w->succ[i] = succ[i];
		}
		w->succ_first[t] = first[t];
	}
	w->succ_first[w->tasks] = w->edges;
	return LSCHED_OK;
}

/* Removes duplicate edges; keeps the order. mark[s] is the last task that named s, plus one. */
static void merge(work *w)
{
	uint32_t end = 0, begin = 0;

	memset(w->mark, 0, (size_t)w->tasks * 4);
	for (uint32_t t = 0; t < w->tasks; t++) {
		const uint32_t stop = w->succ_first[t + 1];

		w->succ_first[t] = end;
		for (uint32_t i = begin; i < stop; i++) {
			const uint32_t s = w->succ[i];

			if (w->mark[s] == t + 1)
				continue;
			w->mark[s] = t + 1;
			w->succ[end++] = s;
		}
		begin = stop;
	}
	w->succ_first[w->tasks] = end;
	w->edges = end;
}

static void find_predecessors(work *w)
{
	memset(w->pred_first, 0, ((size_t)w->tasks + 1) * 4);
	for (uint32_t i = 0; i < w->edges; i++)
		w->pred_first[w->succ[i] + 1]++;
	sum_up(w->pred_first, w->tasks);
	for (uint32_t t = 0; t < w->tasks; t++)
		for (uint32_t i = w->succ_first[t]; i < w->succ_first[t + 1]; i++)
			w->pred[w->pred_first[w->succ[i]]++] = t;
	step_back(w->pred_first, w->tasks);
}

/* Orders the tasks by wavefronts; mark[]: predecessors not yet in the order. Returns how many tasks
 * are in the order. */
static uint32_t find_waves(work *w)
{
	uint32_t begin = 0, end = 0;

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

/* Reports a cycle; some tasks have mark[] > 0. Walks back among them until it reaches one for the
 * second time: chain_next[] then leads round the cycle in the direction of the edges. */
static lsched_status name_cycle(work *w)
{
	char text[LSCHED_I_TEXT_BYTES];
	size_t used = 0;
	uint32_t t = 0, least, length = 1, at;

	while (w->mark[t] == 0)
		t++;
	memset(w->chain_next, 0xff, (size_t)w->tasks * 4);
	for (;;) {
		uint32_t i = w->pred_first[t], p;

		while (w->mark[w->pred[i]] == 0)
			i++;
		p = w->pred[i];
		if (w->chain_next[p] != LSCHED_NO_TASK) {
			w->chain_next[p] = t;
			t = p;
			break;
		}
		w->chain_next[p] = t;
		t = p;
	}
	least = t;
	for (at = w->chain_next[t]; at != t; at = w->chain_next[at]) {
		least = at < least ? at : least;
		length++;
	}
	for (uint32_t k = 0; k < length; k++) {
		if (length <= NAMED_FIRST + NAMED_LAST || k < NAMED_FIRST ||
			k + NAMED_LAST >= length)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%" PRIu32 " -> ", least);
		else if (k == NAMED_FIRST)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "... -> ");
		at = least;
		least = w->chain_next[least];
	}
	return lsched_i_error(w->ctx, NULL, LSCHED_ERR_ARG,
		"graph: a cycle of %" PRIu32 " tasks: task %s%" PRIu32, length, text, least);
}

/* Builds the chains; mark[]: predecessors not yet in a chain. Heads are selected in topological
 * order, so the predecessors of a head are in earlier chains; a task is appended when its last
 * predecessor is the end of the chain or precedes it. */
static void find_chains(work *w)
{
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

/* Copies an array into the block, if there is one; returns the next index. */
static size_t put(uint32_t *block, size_t at, const uint32_t *from, size_t n)
{
	if (block && n)
		memcpy(block + at, from, n * 4);
	return at + n;
}

/* Lays out the arrays in the block; the view points to the same offsets from `base`. Without a
 * block it only counts. */
static size_t lay_out(const work *w, uint32_t *block, const uint32_t *base, lsched_csr_view *v)
{
	const size_t n = w->tasks, e = w->edges;
	size_t at = 0;

#define PART(name, count)                              \
	do {                                           \
		if (base)                              \
			v->name = base + at;           \
		at = put(block, at, w->name, (count)); \
	} while (0)
	PART(succ_first, n + 1);
	PART(succ, e);
	PART(pred_first, n + 1);
	PART(pred, e);
	PART(order, n);
	PART(wave_first, (size_t)w->waves + 1);
	PART(chain_head, w->chains);
	PART(chain_next, n);
#undef PART
	return at;
}

/* Uploads the finished arrays, so that tasks can read the graph. */
static lsched_status finish(lsched_csr *g, const work *w)
{
	const size_t n = lay_out(w, NULL, NULL, &g->view);
	uint32_t *block;
	lsched_status st;

	g->view.tasks = w->tasks;
	g->view.edges = w->edges;
	g->view.roots = w->waves ? w->wave_first[1] : 0;
	g->view.chains = w->chains;
	g->view.waves = w->waves;
	st = lsched_mem_alloc_array(w->ctx, (void **)&g->memory, n, 4);
	if (st != LSCHED_OK)
		return st;
	if (w->ctx->b->host_memory) {
		(void)lay_out(w, g->memory, g->memory, &g->view);
		g->view.host_wave_first = g->view.wave_first;
		return LSCHED_OK;
	}
	block = words(n);
	g->host_wave_first = words((size_t)w->waves + 1);
	if (!block || !g->host_wave_first) {
		free(block);
		return no_memory(w->ctx);
	}
	(void)put(g->host_wave_first, 0, w->wave_first, (size_t)w->waves + 1);
	(void)lay_out(w, block, g->memory, &g->view);
	g->view.host_wave_first = g->host_wave_first;
	st = lsched_mem_write(w->ctx, g->memory, block, n * 4);
	free(block);
	return st;
}

/* Builds a graph. Exactly one of edges and first is non-NULL. */
static lsched_status build(lsched_csr **out, lsched_ctx *ctx, uint32_t tasks, uint32_t count,
	const lsched_csr_edge *edges, const uint32_t *first, const uint32_t *succ)
{
	lsched_csr *g = (lsched_csr *)calloc(1, sizeof(*g));
	lsched_status st;
	work w;

	memset(&w, 0, sizeof(w));
	w.ctx = ctx;
	w.tasks = tasks;
	w.edges = count;
	st = g ? alloc_work(&w) : no_memory(ctx);
	if (st == LSCHED_OK)
		st = first ? take_successors(&w, first, succ) : take_edges(&w, edges);
	if (st == LSCHED_OK) {
		merge(&w);
		find_predecessors(&w);
		if (find_waves(&w) < tasks)
			st = name_cycle(&w);
	}
	if (st == LSCHED_OK) {
		find_chains(&w);
		g->ctx = ctx;
		st = finish(g, &w);
	}
	free_work(&w);
	if (st != LSCHED_OK)
		lsched_csr_destroy(&g);
	*out = g;
	return st;
}

lsched_status lsched_csr_from_edges(lsched_csr **out, lsched_ctx *ctx, uint32_t tasks,
	const lsched_csr_edge *edges, size_t edge_count)
{
	if (out)
		*out = NULL;
	if (!ctx)
		return LSCHED_ERR_ARG;
	if (!out || (edge_count && !edges))
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_ARG, "graph: %s is NULL", out ? "edges" : "out");
	if (tasks > LSCHED_MAX_TASKS || edge_count > LSCHED_CSR_MAX_EDGES)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"graph: %" PRIu32 " tasks and %zu edges; at most %u and %u", tasks,
			edge_count, LSCHED_MAX_TASKS, LSCHED_CSR_MAX_EDGES);
	return build(out, ctx, tasks, (uint32_t)edge_count, edges, NULL, NULL);
}

lsched_status lsched_csr_from_successors(lsched_csr **out, lsched_ctx *ctx, uint32_t tasks,
	const uint32_t *first, const uint32_t *succ)
{
	if (out)
		*out = NULL;
	if (!ctx)
		return LSCHED_ERR_ARG;
	if (!out || !first)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_ARG, "graph: %s is NULL", out ? "first" : "out");
	if (tasks > LSCHED_MAX_TASKS)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"graph: %" PRIu32 " tasks; at most %u", tasks, LSCHED_MAX_TASKS);
	if (first[0] != 0)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG, "graph: first[0] is not 0");
	for (uint32_t t = 0; t < tasks; t++)
		if (first[t + 1] < first[t] || first[t + 1] > LSCHED_CSR_MAX_EDGES)
			return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
				"graph: first[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32
				" to %u: the end of the successors of task %" PRIu32,
				t + 1, first[t + 1], first[t], LSCHED_CSR_MAX_EDGES, t);
	if (first[tasks] && !succ)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"graph: succ is NULL, but first[] counts %" PRIu32 " successors",
			first[tasks]);
	return build(out, ctx, tasks, first[tasks], NULL, first, succ);
}

const lsched_csr_view *lsched_csr_get(const lsched_csr *g)
{
	return &g->view;
}

void lsched_csr_destroy(lsched_csr **out)
{
	lsched_csr *g = out ? *out : NULL;

	if (!g)
		return;
	lsched_mem_free(g->ctx, g->memory);
	free(g->host_wave_first);
	free(g);
	*out = NULL;
}
