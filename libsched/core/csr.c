/* Graphs as data: checks of the edges, successors and predecessors, upload. The order of the tasks
 * is in csr_order.c. All steps are linear in tasks + edges. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <libsched/csr.h>
#include "libsched/core/csr_order.h"

struct lsched_csr {
	lsched_ctx *ctx;
	uint32_t *memory;          /* one allocation, see lay_out() */
	uint32_t *host_wave_first; /* waves + 1; NULL where the host can read the block */
	lsched_csr_view view;
};

static lsched_status no_memory(lsched_ctx *ctx, uint32_t tasks, uint32_t edges)
{
	return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM,
		"graph: out of memory for %" PRIu32 " tasks and %" PRIu32 " edges", tasks, edges);
}

/* Allocates n words, and at least one, so that NULL is always a failure. */
static uint32_t *alloc_words(size_t n)
{
	return n < SIZE_MAX / 4 ? (uint32_t *)malloc((n ? n : 1) * 4) : NULL;
}

static void free_builder(csr_builder *w)
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

static lsched_status alloc_builder(csr_builder *w)
{
	const size_t n = w->tasks, e = w->edges;

	w->succ_first = alloc_words(n + 1);
	w->succ = alloc_words(e);
	w->pred_first = alloc_words(n + 1);
	w->pred = alloc_words(e);
	w->order = alloc_words(n);
	w->wave_first = alloc_words(n + 1);
	w->chain_head = alloc_words(n);
	w->chain_next = alloc_words(n);
	w->mark = alloc_words(n);
	return w->succ_first && w->succ && w->pred_first && w->pred && w->order && w->wave_first &&
			       w->chain_head && w->chain_next && w->mark
		       ? LSCHED_OK
		       : no_memory(w->ctx, w->tasks, w->edges);
}

/* Turns the counts in first[1..n] into offsets: first[t] is the index of the first item of t. */
static void counts_to_offsets(uint32_t *first, uint32_t n)
{
	for (uint32_t t = 0; t < n; t++)
		first[t + 1] += first[t];
}

/* Restores the offsets after the arrays were filled with first[t]++, which leaves in first[t] the
 * offset of t + 1. */
static void restore_offsets(uint32_t *first, uint32_t n)
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

static lsched_status read_edges(csr_builder *w, const lsched_csr_edge *edges)
{
	memset(w->succ_first, 0, ((size_t)w->tasks + 1) * 4);
	for (uint32_t i = 0; i < w->edges; i++) {
		lsched_status st = check_edge(w->ctx, w->tasks, edges[i].from, edges[i].to);

		if (st != LSCHED_OK)
			return st;
		w->succ_first[edges[i].from + 1]++;
	}
	counts_to_offsets(w->succ_first, w->tasks);
	for (uint32_t i = 0; i < w->edges; i++)
		w->succ[w->succ_first[edges[i].from]++] = edges[i].to;
	restore_offsets(w->succ_first, w->tasks);
	return LSCHED_OK;
}

/* Copies the successors. Precondition: first[] does not decrease. */
static lsched_status read_successors(csr_builder *w, const uint32_t *first, const uint32_t *succ)
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

/* Removes duplicate edges; keeps the order. mark[s] is the last task with the successor s, plus
 * one. */
static void remove_duplicates(csr_builder *w)
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

static void find_predecessors(csr_builder *w)
{
	memset(w->pred_first, 0, ((size_t)w->tasks + 1) * 4);
	for (uint32_t i = 0; i < w->edges; i++)
		w->pred_first[w->succ[i] + 1]++;
	counts_to_offsets(w->pred_first, w->tasks);
	for (uint32_t t = 0; t < w->tasks; t++)
		for (uint32_t i = w->succ_first[t]; i < w->succ_first[t + 1]; i++)
			w->pred[w->pred_first[w->succ[i]]++] = t;
	restore_offsets(w->pred_first, w->tasks);
}

/* Copies an array into the block; without a block it copies nothing. Returns the next index. */
static size_t copy_words(uint32_t *block, size_t at, const uint32_t *from, size_t n)
{
	if (block && n)
		memcpy(block + at, from, n * 4);
	return at + n;
}

/* Lays out the arrays in the block; the view points to the same offsets from `base`. Without a
 * block it only counts the words, which it returns. */
static size_t lay_out(
	const csr_builder *w, uint32_t *block, const uint32_t *base, lsched_csr_view *v)
{
	const size_t n = w->tasks, e = w->edges;
	size_t at = 0;

#define PART(name, count)                                     \
	do {                                                  \
		if (base)                                     \
			v->name = base + at;                  \
		at = copy_words(block, at, w->name, (count)); \
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
static lsched_status upload(lsched_csr *g, const csr_builder *w)
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
	block = alloc_words(n);
	g->host_wave_first = alloc_words((size_t)w->waves + 1);
	if (!block || !g->host_wave_first) {
		free(block);
		return no_memory(w->ctx, w->tasks, w->edges);
	}
	(void)copy_words(g->host_wave_first, 0, w->wave_first, (size_t)w->waves + 1);
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
	csr_builder w;

	memset(&w, 0, sizeof(w));
	w.ctx = ctx;
	w.tasks = tasks;
	w.edges = count;
	st = g ? alloc_builder(&w) : no_memory(ctx, tasks, count);
	if (st == LSCHED_OK)
		st = first ? read_successors(&w, first, succ) : read_edges(&w, edges);
	if (st == LSCHED_OK) {
		remove_duplicates(&w);
		find_predecessors(&w);
		if (lsched_i_csr_find_waves(&w) < tasks)
			st = lsched_i_csr_cycle_error(&w);
	}
	if (st == LSCHED_OK) {
		lsched_i_csr_find_chains(&w);
		g->ctx = ctx;
		st = upload(g, &w);
	}
	free_builder(&w);
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
