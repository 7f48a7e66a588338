/* Dependency graphs as data: compressed sparse rows (CSR) of successors and predecessors, in place
 * of a rule that computes a task's neighbours from its number. C11 and CUDA.
 *
 *	typedef struct foo_ctx { lsched_csr_view graph; ... } foo_ctx;
 *	LSCHED_CSR_RULE(foo_rule, foo_ctx, graph)
 *	#define LSCHED_RULE foo_rule              ... and the rest of <libsched/generate.h>
 *
 *	lsched_csr *g;
 *	if (lsched_csr_from_edges(&g, ctx, tasks, edges, edge_count) != LSCHED_OK)
 *		... lsched_last_error(ctx)
 *	foo.graph = *lsched_csr_get(g);
 *	lsched_run_start(run, &foo, foo.graph.tasks, NULL);
 *
 * A graph works with every scheme (epoch: at most 32 predecessors a task) and every queue of its
 * context's backend. It is immutable, so any number of runs may use it at once. It must outlive
 * them; destroy it before the context is closed.
 *
 * Requirements and properties:
 * - An edge {from, to}: `to` starts after `from` has finished. Tasks are numbered 0..tasks-1.
 *   Duplicate edges count once.
 * - A cycle is an error of the constructor, which names it: "task 3 -> 7 -> 9 -> 3".
 * - Successors keep the order of the input; the first that becomes ready stays with the worker
 *   (dynamic).
 * - A wavefront (sync) has the tasks whose longest path from a root has the same length.
 * - A chain (static) continues from a task to the first of its successors whose predecessors are
 *   all in this chain or in earlier chains. The heads are in the order of the wavefronts. A grid of
 *   tasks that depend on their left and upper neighbours gets one chain per row. */
#ifndef LIBSCHED_CSR_H
#define LIBSCHED_CSR_H

#include <stddef.h>
#include <stdint.h>
#include <libsched/fn.h>
#include <libsched/sched.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lsched_csr_edge {
	uint32_t from, to;
} lsched_csr_edge;

/* The graph as tasks read it: part of a program's context, by value. The pointers are memory of the
 * backend, except host_wave_first, which the host side of a rule reads. */
typedef struct lsched_csr_view {
	uint32_t tasks, edges, roots, chains, waves;
	uint32_t reserved;
	const uint32_t *succ_first,
		*succ; /* successors of t: succ[succ_first[t]] .. [succ_first[t+1]-1] */
	const uint32_t *pred_first, *pred; /* the same of predecessors */
	const uint32_t *order;             /* all tasks, wavefront after wavefront: topological */
	const uint32_t *wave_first; /* first index of each wavefront in order; waves + 1 of them */
	const uint32_t *chain_head;
	const uint32_t *chain_next; /* the next task, or 0xffffffff */
	const uint32_t *host_wave_first;
} lsched_csr_view;

typedef struct lsched_csr lsched_csr;

/* Largest number of edges, duplicates included. */
#define LSCHED_CSR_MAX_EDGES 0xfffffff0u

/* Both check, order and upload the graph; the arguments may be freed afterwards. Time and memory
 * are linear in tasks + edges. tasks: 0..LSCHED_MAX_TASKS. ARG, with details in
 * lsched_last_error(): a task number out of range, an edge from a task to itself, a cycle;
 * lsched_csr_from_successors() also if first[] decreases. NOMEM, DEVICE as usual. */
lsched_status lsched_csr_from_edges(lsched_csr **out, lsched_ctx *ctx, uint32_t tasks,
	const lsched_csr_edge *edges, size_t edge_count);
/* Successors of t: succ[first[t]] .. succ[first[t + 1] - 1]; first has tasks + 1 numbers, from
 * 0. */
lsched_status lsched_csr_from_successors(lsched_csr **out, lsched_ctx *ctx, uint32_t tasks,
	const uint32_t *first, const uint32_t *succ);

/* Returns the view to copy into a program's context. Never NULL; valid until the graph is
 * destroyed. */
const lsched_csr_view *lsched_csr_get(const lsched_csr *g);

/* NULL and pointer to NULL are ignored; *g becomes NULL. */
void lsched_csr_destroy(lsched_csr **g);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

/* The rule of <libsched/generate.h> for a context of type CTX with a lsched_csr_view named
 * MEMBER. */
#define LSCHED_CSR_RULE(P, CTX, MEMBER)                                             \
	LSCHED_FN uint32_t P##_pred_count(const CTX *c, uint32_t task)              \
	{                                                                           \
		return c->MEMBER.pred_first[task + 1] - c->MEMBER.pred_first[task]; \
	}                                                                           \
	LSCHED_FN uint32_t P##_pred(const CTX *c, uint32_t task, uint32_t k)        \
	{                                                                           \
		return c->MEMBER.pred[c->MEMBER.pred_first[task] + k];              \
	}                                                                           \
	LSCHED_FN uint32_t P##_succ_count(const CTX *c, uint32_t task)              \
	{                                                                           \
		return c->MEMBER.succ_first[task + 1] - c->MEMBER.succ_first[task]; \
	}                                                                           \
	LSCHED_FN uint32_t P##_succ(const CTX *c, uint32_t task, uint32_t k)        \
	{                                                                           \
		return c->MEMBER.succ[c->MEMBER.succ_first[task] + k];              \
	}                                                                           \
	LSCHED_FN uint32_t P##_root_count(const CTX *c)                             \
	{                                                                           \
		return c->MEMBER.roots;                                             \
	}                                                                           \
	LSCHED_FN uint32_t P##_root(const CTX *c, uint32_t i)                       \
	{                                                                           \
		return c->MEMBER.order[i];                                          \
	}                                                                           \
	LSCHED_FN uint32_t P##_chain_count(const CTX *c)                            \
	{                                                                           \
		return c->MEMBER.chains;                                            \
	}                                                                           \
	LSCHED_FN uint32_t P##_chain_head(const CTX *c, uint32_t i)                 \
	{                                                                           \
		return c->MEMBER.chain_head[i];                                     \
	}                                                                           \
	LSCHED_FN uint32_t P##_chain_next(const CTX *c, uint32_t task)              \
	{                                                                           \
		return c->MEMBER.chain_next[task];                                  \
	}                                                                           \
	LSCHED_FN uint32_t P##_wave_count(const CTX *c)                             \
	{                                                                           \
		return c->MEMBER.waves;                                             \
	}                                                                           \
	LSCHED_FN uint32_t P##_wave_size(const CTX *c, uint32_t wave)               \
	{                                                                           \
		return lsched_csr_wave_size(&c->MEMBER, wave);                      \
	}                                                                           \
	LSCHED_FN uint32_t P##_wave_task(const CTX *c, uint32_t wave, uint32_t i)   \
	{                                                                           \
		return c->MEMBER.order[c->MEMBER.wave_first[wave] + i];             \
	}

/* Called on the host and by tasks, each in its own memory. */
LSCHED_FN uint32_t lsched_csr_wave_size(const lsched_csr_view *v, uint32_t wave)
{
#if LSCHED_I_DEVICE_CODE
	return v->wave_first[wave + 1] - v->wave_first[wave];
#else
	return v->host_wave_first[wave + 1] - v->host_wave_first[wave];
#endif
}

#endif
