/* Makes the lists of the quarters on the device: those of join/table.c, in another order. */
#include <stdlib.h>
#include <string.h>
#include "libsched/cuda/current.cuh"
#include "nqueens/core/board.h"
#include "nqueens/cuda/join.h"
#include "nqueens/cuda/try.cuh"

enum { THREADS = 256 };

/* The parts of a set of rows. */
typedef struct row_parts {
	uint32_t at[NQ_I_PARTS_MAX], count[NQ_I_PARTS_MAX], parts;
} row_parts;

static __device__ row_parts parts_of(const nq_i_join_lists *l, uint32_t rows)
{
	row_parts c = { { 0 }, { 0 }, 0 };

	while (rows) {
		uint32_t rest = rows;

		for (uint32_t i = 0; i < NQ_I_PART_ROWS; i++)
			rest &= rest - (rest != 0);
		c.at[c.parts] = l->part_at[rows & ~rest];
		c.count[c.parts++] = l->part_count[rows & ~rest];
		rows = rest;
	}
	return c;
}

/* Returns all diagonals u - v of a placement, the main diagonal included. */
static __device__ uint32_t q_of(uint32_t packed)
{
	return packed & (1u << NQ_I_ON_MAIN | (uint32_t)NQ_I_FIELD_MASK << NQ_I_LOW |
				(uint32_t)NQ_I_FIELD_MASK << NQ_I_HIGH);
}

/* Returns nonzero if no queen of a attacks one of b. */
static __device__ int compatible(const nq_i_entry *a, const nq_i_entry *b)
{
	return !((a->cols & b->cols) | (a->p & b->p) | (q_of(a->packed) & q_of(b->packed)));
}

/* Output of list_kernel: counts, or stored placements. */
typedef struct sink {
	uint32_t *off_main, *on_main; /* [lists] counts, or next free entry */
	uint32_t *packed;             /* NULL: count only */
	nq_i_choice *choices;
} sink;

static __device__ void put(const sink *s, uint32_t list, uint32_t packed, const nq_i_choice *choice)
{
	const uint32_t at =
		atomicAdd((packed >> NQ_I_ON_MAIN ? s->on_main : s->off_main) + list, 1);

	if (s->packed) {
		s->packed[at] = packed;
		s->choices[at] = *choice;
	}
}

/* One block makes the lists of one set of rows: each thread combines pairs of entries of the first
 * two parts with all entries of the others. */
static __global__ void list_kernel(const nq_i_join_lists lists, const sink s)
{
	const nq_i_join_lists *l = &lists;
	const uint32_t rows = blockIdx.x;
	const row_parts c = parts_of(l, rows);
	const uint32_t n0 = c.parts > 0 ? c.count[0] : 1, n1 = c.parts > 1 ? c.count[1] : 1;
	const nq_i_entry none = { 0, 0, 0, 0 };

	for (uint32_t i = threadIdx.x; i < n0 * n1; i += blockDim.x) {
		const uint32_t i0 = i % n0, i1 = i / n0;
		const nq_i_entry a = c.parts > 0 ? l->entries[c.at[0] + i0] : none;
		const nq_i_entry b = c.parts > 1 ? l->entries[c.at[1] + i1] : none;
		const nq_i_entry ab = { a.packed | b.packed, a.cols | b.cols, a.p | b.p, 0 };

		if (!compatible(&a, &b))
			continue;
		for (uint32_t i2 = 0; i2 < (c.parts > 2 ? c.count[2] : 1); i2++) {
			const nq_i_entry d = c.parts > 2 ? l->entries[c.at[2] + i2] : none;
			const nq_i_entry abd = { ab.packed | d.packed, ab.cols | d.cols, ab.p | d.p,
				0 };

			if (!compatible(&ab, &d))
				continue;
			for (uint32_t i3 = 0; i3 < (c.parts > 3 ? c.count[3] : 1); i3++) {
				const nq_i_entry e = c.parts > 3 ? l->entries[c.at[3] + i3] : none;
				const nq_i_choice choice = { { (uint16_t)i0, (uint16_t)i1,
					(uint16_t)i2, (uint16_t)i3 } };

				if (compatible(&abd, &e))
					put(&s, l->base[rows] + l->rank[abd.cols | e.cols],
						abd.packed | e.packed, &choice);
			}
		}
	}
}

/* Bounds the number of eastern pairs of an item, compatible or not. One block per set of northern
 * rows. odd: the queen of the middle row occupies each column in turn, and main diagonals may be
 * occupied. */
static __global__ void bound_kernel(const nq_i_join_lists lists, int odd, uint32_t *most)
{
	const nq_i_join_lists *l = &lists;
	const uint32_t h = l->h, full = (1u << h) - 1, north = blockIdx.x;
	const uint32_t size = __popc(north), queens = odd ? h - 1 : h;
	uint32_t other, souths;

	if (size > queens)
		return;
	other = queens - size;
	souths = l->size_at[other + 1] - l->size_at[other];
	for (uint32_t i = threadIdx.x; i < souths; i += blockDim.x) {
		const uint32_t south = l->sets[l->size_at[other] + i];
		uint32_t sum = 0;

		for (uint32_t k = l->size_at[size]; k < l->size_at[size + 1]; k++) {
			const uint32_t cols = l->sets[k], a = l->base[north] + l->rank[cols];
			const uint32_t na = l->first[a + 1] - l->first[a];

			for (uint32_t left = full & ~cols; odd && left; left &= left - 1) {
				const uint32_t queen = left & (0u - left);
				const uint32_t b = l->base[south] + l->rank[full & ~cols & ~queen];

				sum += na * (l->first[b + 1] - l->first[b]);
			}
			if (!odd)
				sum += l->off_main[a] *
				       l->off_main[l->base[south] + l->rank[full & ~cols]];
		}
		atomicMax(most, sum);
	}
}

/* ---- host ---- */

/* Allocates device memory that m owns. */
static cudaError_t allocate(nq_i_join_memory *m, void *out, size_t bytes)
{
	void *p = NULL;
	const cudaError_t e = cudaMalloc(&p, bytes ? bytes : 1);

	if (e == cudaSuccess)
		m->owned[m->owned_count++] = p;
	*(void **)out = p;
	return e;
}

static cudaError_t upload(nq_i_join_memory *m, const void *out, const void *from, size_t bytes)
{
	void **p = (void **)out;
	cudaError_t e = allocate(m, p, bytes);

	if (e == cudaSuccess)
		e = copy_now(*p, from, bytes);
	return e;
}

static cudaError_t upload_sets(
	nq_i_join_memory *m, const nq_i_join *t, const nq_i_join_parts *parts)
{
	nq_i_join_lists *l = &m->lists;
	const size_t words = sizeof(uint32_t) << t->h;
	uint32_t *base = (uint32_t *)malloc(words);
	cudaError_t e;

	if (!base)
		return cudaErrorMemoryAllocation;
	for (uint32_t s = 0; s < 1u << t->h; s++)
		base[s] = (uint32_t)t->base[s];
	e = upload(m, &l->base, base, words);
	free(base);
	if (e != cudaSuccess)
		return e;
	TRY(upload(m, &l->sets, t->sets, words));
	TRY(upload(m, &l->rank, t->rank, words));
	TRY(upload(m, &l->size_at, t->size_at, sizeof(t->size_at)));
	TRY(upload(m, &l->part_at, parts->at, words));
	TRY(upload(m, &l->part_count, parts->count, words));
	return upload(m, &l->entries, parts->entries, parts->total * sizeof(*parts->entries));
}

/* Computes the offsets of the lists from their lengths. Host arrays of `lists` entries: off_main
 * and on_main become cursors; first has one entry more. */
static void make_offsets(nq_i_join_memory *m, const nq_i_join *t, uint32_t lists,
	uint32_t *off_main, uint32_t *on_main, uint32_t *first)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < lists; i++) {
		const uint32_t q = off_main[i], all = q + on_main[i];

		first[i] = sum;
		off_main[i] = sum;
		on_main[i] = sum + q;
		sum += all;
	}
	first[lists] = sum;
	for (uint32_t s = 0; s < 1u << t->h; s++) {
		const uint32_t end = s + 1 < 1u << t->h ? (uint32_t)t->base[s + 1] : lists;
		const uint32_t rows = first[end] - first[t->base[s]];

		if (rows > m->most_rows)
			m->most_rows = rows;
	}
}

static cudaError_t make_lists(
	nq_i_join_memory *m, const nq_i_join *t, uint32_t lists, uint32_t *host)
{
	const size_t words = lists * sizeof(uint32_t);
	uint32_t *off_main = host, *on_main = host + lists, *first = host + 2 * (size_t)lists;
	uint32_t *d_cursors, *d_first, *d_off_main;
	sink s = { NULL, NULL, NULL, NULL };

	TRY(allocate(m, &d_cursors, 2 * words));
	TRY(clear_now(d_cursors, 0, 2 * words));
	s.off_main = d_cursors;
	s.on_main = d_cursors + lists;
	list_kernel<<<1u << t->h, THREADS, 0, cudaStreamPerThread>>>(m->lists, s);
	TRY(cudaGetLastError());
	TRY(copy_now(host, d_cursors, 2 * words));
	TRY(upload(m, &d_off_main, off_main, words));
	m->lists.off_main = d_off_main;
	make_offsets(m, t, lists, off_main, on_main, first);
	TRY(copy_now(d_cursors, host, 2 * words));
	TRY(upload(m, &d_first, first, words + sizeof(uint32_t)));
	m->lists.first = d_first;
	TRY(allocate(m, &s.packed, first[lists] * sizeof(*s.packed)));
	TRY(allocate(m, &s.choices, first[lists] * sizeof(*s.choices)));
	m->lists.packed = s.packed;
	m->lists.choices = s.choices;
	list_kernel<<<1u << t->h, THREADS, 0, cudaStreamPerThread>>>(m->lists, s);
	return cudaGetLastError();
}

static cudaError_t bound(nq_i_join_memory *m, const nq_i_join *t)
{
	uint32_t *d_most;

	TRY(allocate(m, &d_most, sizeof(*d_most)));
	TRY(clear_now(d_most, 0, sizeof(*d_most)));
	for (int odd = 0; odd <= (int)(t->n % 2); odd++) {
		bound_kernel<<<1u << t->h, THREADS, 0, cudaStreamPerThread>>>(
			m->lists, odd, d_most);
		TRY(cudaGetLastError());
	}
	return copy_now(&m->most_patterns, d_most, sizeof(m->most_patterns));
}

cudaError_t nq_i_join_memory_create(
	nq_i_join_memory *m, const nq_i_join *t, const nq_i_join_parts *parts)
{
	const uint32_t last = (1u << t->h) - 1;
	/* the set of all rows is the last one and has one list */
	const uint32_t lists = (uint32_t)t->base[last] + 1;
	uint32_t *host = (uint32_t *)malloc((3 * (size_t)lists + 1) * sizeof(*host));
	cudaError_t e;

	memset(m, 0, sizeof(*m));
	m->lists.h = t->h;
	m->lists.gap = t->gap;
	m->lists.field = t->field;
	e = host ? upload_sets(m, t, parts) : cudaErrorMemoryAllocation;
	if (e == cudaSuccess)
		e = make_lists(m, t, lists, host);
	free(host);
	if (e == cudaSuccess)
		e = bound(m, t);
	if (e != cudaSuccess)
		nq_i_join_memory_destroy(m);
	return e;
}

void nq_i_join_memory_destroy(nq_i_join_memory *m)
{
	for (uint32_t i = 0; i < m->owned_count; i++)
		(void)cudaFree(m->owned[i]);
	memset(m, 0, sizeof(*m));
}
