/* Makes a worker of the join: its buffers, and the loops for the instruction set. */
#include <stdlib.h>
#include "nqueens/join/joiner.h"

enum { VECTOR_BYTES = 64 };

static void *vectors(size_t n)
{
	return aligned_alloc(VECTOR_BYTES, n * VECTOR_BYTES);
}

static void choose_loops(nq_i_joiner *j, nq_simd simd)
{
	j->block = nq_i_join_block_scalar;
	j->block_patterns = 64;
	j->patterns = nq_i_patterns_scalar;
	j->pair_up = nq_i_pairs_scalar;
#ifdef __x86_64__
	if (simd == NQ_SIMD_AVX512) {
		j->block = nq_i_join_block_avx512;
		j->block_patterns = 512;
		j->patterns = nq_i_patterns_avx512;
		j->pair_up = nq_i_pairs_avx512;
	} else if (simd == NQ_SIMD_AVX2) {
		j->block = nq_i_join_block_avx2;
		j->block_patterns = 256;
	}
#else
	(void)simd;
#endif
}

/* Returns 0 if memory is short. */
static int allocate(nq_i_joiner *j)
{
	const nq_i_join *t = j->t;
	const size_t room = NQ_I_BATCH + t->longest;
	const size_t quarter = t->most_quarter + NQ_I_SIDES_SLACK;
	const size_t half = t->most_pairs + NQ_I_SIDES_SLACK;
	const size_t splits = ((size_t)1 << t->h) + 1;
	int ok;

	j->ne = (uint64_t *)malloc(quarter * sizeof(*j->ne));
	j->nw = (uint32_t *)malloc(quarter * sizeof(*j->nw));
	j->sw = (uint32_t *)malloc(quarter * sizeof(*j->sw));
	j->lower = (uint32_t *)malloc(quarter * sizeof(*j->lower));
	j->east = (uint64_t *)malloc(half * sizeof(*j->east));
	j->east_splits = (nq_i_split *)malloc(splits * sizeof(*j->east_splits));
	j->west_splits = (nq_i_split *)malloc(splits * sizeof(*j->west_splits));
	j->batches = (nq_i_batch *)malloc(splits * sizeof(*j->batches));
	j->nw_rows = vectors(room);
	j->sw_rows = vectors(room);
	j->tables = vectors(NQ_I_TABLE_ENTRIES);
	j->items = (nq_i_join_item *)malloc(nq_i_join_items_max(t) * sizeof(*j->items));
	ok = j->ne && j->nw && j->sw && j->lower && j->east && j->east_splits && j->west_splits &&
	     j->items && j->batches && j->nw_rows && j->sw_rows && j->tables;
	for (uint32_t k = 0; k < NQ_I_CLASSES; k++) {
		j->pairs[k] = (nq_i_pair *)malloc(half * sizeof(*j->pairs[k]));
		ok = ok && j->pairs[k];
	}
	return ok;
}

nq_status nq_i_joiner_create(nq_i_joiner **out, const nq_i_join *t, nq_simd simd, const int *stop)
{
	nq_i_joiner *j = (nq_i_joiner *)calloc(1, sizeof(*j));

	*out = NULL;
	if (!j)
		return NQ_ERR_NOMEM;
	j->t = t;
	j->stop = stop;
	choose_loops(j, simd);
	if (!allocate(j)) {
		nq_i_joiner_destroy(j);
		return NQ_ERR_NOMEM;
	}
	*out = j;
	return NQ_OK;
}

void nq_i_joiner_destroy(nq_i_joiner *j)
{
	if (!j)
		return;
	free(j->ne);
	free(j->nw);
	free(j->sw);
	free(j->lower);
	free(j->east);
	free(j->east_splits);
	free(j->west_splits);
	free(j->batches);
	free(j->items);
	free(j->nw_rows);
	free(j->sw_rows);
	free(j->tables);
	for (uint32_t k = 0; k < NQ_I_CLASSES; k++)
		free(j->pairs[k]);
	free(j);
}
