/* Scalar backtracking, and the selection of the implementation. */
#include "nqueens/cpu/walk.h"
#include "nqueens/core/board.h"

/* For the functions that visit a node: the check of the stack protector would be a tenth of their
 * instructions, and they have no array. */
#define NODE
#ifdef __has_attribute
#if __has_attribute(no_stack_protector)
#undef NODE
#define NODE __attribute__((no_stack_protector))
#endif
#endif

typedef struct search {
	uint32_t n, count;
	uint8_t order[NQ_MAX_N];
	uint64_t nodes;
	const int *stop;
} search;

/* free_cols: of row order[depth], not 0. A node is counted if two or more rows are empty, because
 * the vector implementations process the last two rows in one step. */
NODE static uint64_t descend(search *p, const nq_task *t, uint32_t depth, uint32_t free_cols)
{
	const uint32_t row = p->order[depth];
	uint64_t found = 0;

	if (depth + 1 == p->count)
		return 1;
	if (p->stop && __atomic_load_n(p->stop, __ATOMIC_RELAXED))
		return 0;
	if (depth + 2 <= p->count)
		p->nodes++;
	for (; free_cols; free_cols &= free_cols - 1) {
		nq_task next = *t;
		uint32_t next_free;

		nq_i_place(&next, p->n, row, free_cols & (0u - free_cols));
		next_free = nq_i_free(&next, p->n, p->order[depth + 1]);
		if (next_free)
			found += descend(p, &next, depth + 1, next_free);
	}
	return found;
}

uint64_t nq_i_walk_scalar(nq_i_walk *w, const nq_task *tasks, uint32_t count, uint32_t n)
{
	search p = { .n = n, .stop = w->stop };
	uint64_t found = 0;

	p.count = count ? nq_i_row_order(tasks[0].rows, n, p.order) : 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t free_cols;

		if (p.count == 0) {
			found++;
			continue;
		}
		free_cols = nq_i_free(&tasks[i], n, p.order[0]);
		if (free_cols)
			found += descend(&p, &tasks[i], 0, free_cols);
	}
	w->nodes += p.nodes;
	return found;
}

NODE static uint64_t descend_toroidal(search *p, const nq_task *t, uint32_t depth)
{
	uint64_t found = 0;
	uint32_t free_cols, row;

	if (depth == p->count)
		return 1;
	if (p->stop && __atomic_load_n(p->stop, __ATOMIC_RELAXED))
		return 0;
	row = p->order[depth];
	free_cols = nq_i_free_toroidal(t, p->n, row);
	if (depth + 2 <= p->count && free_cols)
		p->nodes++;
	for (; free_cols; free_cols &= free_cols - 1) {
		nq_task next = *t;

		nq_i_place_toroidal(&next, p->n, row, free_cols & (0u - free_cols));
		found += descend_toroidal(p, &next, depth + 1);
	}
	return found;
}

uint64_t nq_i_walk_toroidal(nq_i_walk *w, const nq_task *tasks, uint32_t count, uint32_t n)
{
	search p = { .n = n, .stop = w->stop };
	uint64_t found = 0;

	p.count = count ? nq_i_row_order(tasks[0].rows, n, p.order) : 0;
	for (uint32_t i = 0; i < count; i++)
		found += descend_toroidal(&p, &tasks[i], 0);
	w->nodes += p.nodes;
	return found;
}

/* ---- selection ---- */

nq_i_walk_fn *nq_i_walk_of(nq_simd s, uint32_t toroidal)
{
	if (toroidal)
		return nq_i_walk_toroidal;
#ifdef __x86_64__
	if (s == NQ_SIMD_AVX512)
		return nq_i_walk_avx512;
	if (s == NQ_SIMD_AVX2)
		return nq_i_walk_avx2;
#else
	(void)s;
#endif
	return nq_i_walk_scalar;
}
