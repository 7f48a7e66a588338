/* Makes the placements of sets of rows on the device: those of join/quarter.c, in another order. */
#include "nqueens/core/board.h"
#include "nqueens/cuda/sieve.h"

enum {
	THREADS = 256,
	BLOCKS_PER_QUARTER = 16,
	BLOCKS_PER_SET = 32 /* for its total: of 28 queens one block would take seconds */
};

/* The parts of a set of rows. */
typedef struct row_parts {
	uint32_t at[NQ_I_SIEVE_PARTS], count[NQ_I_SIEVE_PARTS], parts;
	uint32_t given[NQ_I_SIEVE_PARTS]; /* columns of the given queens, a byte each; 255: none */
} row_parts;

/* A placement of the first parts. */
typedef struct partial {
	uint64_t packed;
	uint32_t cols, p;
} partial;

static __device__ row_parts parts_of(const nq_i_sieve_lists *l, uint32_t rows, uint64_t given)
{
	row_parts c;

	c.parts = 0;
	while (rows) {
		const uint32_t u0 = __ffs(rows) - 1, rest = rows & (rows - 1);
		const uint32_t u1 = rest ? __ffs(rest) - 1 : 0;
		const uint32_t part = 1u << u0 | (rest ? 1u << u1 : 0);
		const uint32_t v0 = given >> 4 * u0 & 15, v1 = given >> 4 * u1 & 15;

		c.at[c.parts] = l->part_at[part];
		c.count[c.parts] = l->part_count[part];
		c.given[c.parts++] = (v0 == 15 ? 255u : v0) | (!rest || v1 == 15 ? 255u : v1) << 8;
		rows &= ~part;
	}
	return c;
}

/* Returns all diagonals u - v of a placement, the main diagonal included. */
static __device__ uint64_t q_of(uint64_t packed)
{
	return packed &
	       (1ull << NQ_I_SIEVE_ON_MAIN | (uint64_t)NQ_I_SIEVE_FIELD_MASK << NQ_I_SIEVE_LOW |
		       (uint64_t)NQ_I_SIEVE_FIELD_MASK << NQ_I_SIEVE_HIGH);
}

/* Adds an entry to a partial placement; returns 0 if a queen attacks another or is not the given
 * one. */
static __device__ int extend(
	partial *to, const partial *a, const nq_i_sieve_entry *e, uint32_t given)
{
	if ((a->cols & e->cols) | (a->p & e->p) || (q_of(a->packed) & q_of(e->packed)))
		return 0;
	if (((given & 255) != 255 && (given & 255) != (e->v & 255)) ||
		(given >> 8 != 255 && given >> 8 != (e->v >> 8 & 255)))
		return 0;
	to->packed = a->packed | e->packed;
	to->cols = a->cols | e->cols;
	to->p = a->p | e->p;
	return 1;
}

/* Output: totals counts placements; else off_at and on_at count those of each list, or they are the
 * next free placements. */
typedef struct sink {
	unsigned long long *total;
	int store;
} sink;

static __device__ void put(const nq_i_sieve_lists *l, const nq_i_sieve_quarter *quarter,
	const sink *s, const partial *p, uint64_t choice)
{
	const uint32_t list = quarter->heads + l->rank[p->cols];
	uint32_t at;

	at = atomicAdd((p->packed >> NQ_I_SIEVE_ON_MAIN ? l->on_at : l->off_at) + list, 1u);
	if (s->store) {
		l->packed[at] = p->packed;
		l->choices[at] = choice;
	}
}

/* Enumerates the placements whose first two parts are given, depth first. Returns their number. */
static __device__ unsigned long long place_rest(const nq_i_sieve_lists *l, const row_parts *c,
	const nq_i_sieve_quarter *quarter, const sink *s, const partial *first,
	uint64_t first_choice)
{
	partial node[NQ_I_SIEVE_PARTS + 1];
	uint64_t choice[NQ_I_SIEVE_PARTS + 1];
	uint32_t at[NQ_I_SIEVE_PARTS + 1];
	unsigned long long n = 0;
	uint32_t depth = 2;

	if (c->parts <= 2) {
		if (!s->total)
			put(l, quarter, s, first, first_choice);
		return 1;
	}
	node[2] = *first;
	choice[2] = first_choice;
	at[2] = 0;
	while (depth >= 2) {
		const uint32_t k = at[depth];

		if (k == c->count[depth]) {
			depth--;
			continue;
		}
		at[depth]++;
		if (!extend(&node[depth + 1], &node[depth], &l->entries[c->at[depth] + k],
			    c->given[depth]))
			continue;
		choice[depth + 1] = choice[depth] | (uint64_t)k << 8 * depth;
		if (depth + 1 < c->parts) {
			at[++depth] = 0;
			continue;
		}
		n++;
		if (!s->total)
			put(l, quarter, s, &node[depth + 1], choice[depth + 1]);
	}
	return n;
}

/* Each thread takes pairs of entries of the first two parts. */
static __device__ void place(const nq_i_sieve_lists *l, const nq_i_sieve_quarter *quarter,
	const sink *s, uint32_t thread, uint32_t threads)
{
	const row_parts c = parts_of(l, quarter->rows, quarter->given);
	const uint32_t n0 = c.parts > 0 ? c.count[0] : 1, n1 = c.parts > 1 ? c.count[1] : 1;
	const partial none = { 0, 0, 0 };
	unsigned long long sum = 0;

	for (uint32_t i = thread; i < n0 * n1; i += threads) {
		const uint32_t i0 = i % n0, i1 = i / n0;
		partial a = none, b;

		if (c.parts > 0 && !extend(&a, &none, &l->entries[c.at[0] + i0], c.given[0]))
			continue;
		b = a;
		if (c.parts > 1 && !extend(&b, &a, &l->entries[c.at[1] + i1], c.given[1]))
			continue;
		sum += place_rest(l, &c, quarter, s, &b, (uint64_t)i1 << 8 | i0);
	}
	if (s->total && sum)
		atomicAdd(s->total, sum);
}

/* ---- kernels ---- */

/* blockIdx.x: index into sets and totals. */
static __global__ __launch_bounds__(THREADS) void count_sets_kernel(const nq_i_sieve_lists lists,
	const uint32_t *sets, unsigned long long *totals, const volatile uint32_t *stop)
{
	const nq_i_sieve_quarter quarter = { NQ_I_SIEVE_NONE_GIVEN, sets[blockIdx.x], 0, 0, 0 };
	const sink s = { totals + blockIdx.x, 0 };

	/* *stop is memory of the host: one thread reads it, and only when the block begins */
	if (__syncthreads_or(threadIdx.x == 0 && *stop))
		return;
	place(&lists, &quarter, &s, blockIdx.y * blockDim.x + threadIdx.x, gridDim.y * blockDim.x);
}

/* blockIdx.y: index into ids. */
static __global__ __launch_bounds__(THREADS) void clear_kernel(
	const nq_i_sieve_lists lists, const uint32_t *ids)
{
	const nq_i_sieve_quarter *quarter = &lists.quarters[ids[blockIdx.y]];
	const uint32_t size = __popc(quarter->rows);
	const uint32_t count = lists.size_at[size + 1] - lists.size_at[size];

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x)
		lists.off_at[quarter->heads + i] = lists.on_at[quarter->heads + i] = 0;
}

static __global__ __launch_bounds__(THREADS) void place_kernel(
	const nq_i_sieve_lists lists, const uint32_t *ids, int store)
{
	const nq_i_sieve_quarter *quarter = &lists.quarters[ids[blockIdx.y]];
	const sink s = { NULL, store };

	place(&lists, quarter, &s, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

/* Replaces the counts of the lists by their offsets; one block for each quarter. */
static __global__ __launch_bounds__(THREADS) void offsets_kernel(
	const nq_i_sieve_lists lists, const uint32_t *ids, uint32_t *longest)
{
	__shared__ uint32_t sums[THREADS];
	const nq_i_sieve_quarter *quarter = &lists.quarters[ids[blockIdx.y]];
	const uint32_t size = __popc(quarter->rows), me = threadIdx.x;
	const uint32_t count = lists.size_at[size + 1] - lists.size_at[size];
	const uint32_t each = (count + THREADS - 1) / THREADS;
	const uint32_t from = min(me * each, count), end = min(from + each, count);
	uint32_t sum = 0, most = 0;

	for (uint32_t i = quarter->heads + from; i < quarter->heads + end; i++) {
		const uint32_t n = lists.off_at[i] + lists.on_at[i];

		sum += n;
		most = max(most, n);
	}
	if (most)
		atomicMax(longest, most);
	sums[me] = sum;
	__syncthreads();
	sum = quarter->base;
	for (uint32_t k = 0; k < me; k++)
		sum += sums[k];
	for (uint32_t i = quarter->heads + from; i < quarter->heads + end; i++) {
		const uint32_t off = lists.off_at[i], n = off + lists.on_at[i];

		lists.first[i] = sum;
		lists.off_main[i] = off;
		lists.off_at[i] = sum;
		lists.on_at[i] = sum + off;
		sum += n;
	}
	if (me == THREADS - 1)
		lists.first[quarter->heads + count] = sum;
}

/* ---- launches ---- */

cudaError_t nq_i_sieve_count_sets(const nq_i_sieve_lists *l, const uint32_t *sets, uint32_t count,
	unsigned long long *totals, const volatile uint32_t *stop, cudaStream_t stream)
{
	const dim3 grid(count, BLOCKS_PER_SET);
	cudaError_t e = cudaMemsetAsync(totals, 0, count * sizeof(*totals), stream);

	if (e != cudaSuccess)
		return e;
	count_sets_kernel<<<grid, THREADS, 0, stream>>>(*l, sets, totals, stop);
	return cudaGetLastError();
}

cudaError_t nq_i_sieve_make_quarters(const nq_i_sieve_lists *l, const uint32_t *ids, uint32_t count,
	uint32_t *longest, cudaStream_t stream)
{
	const dim3 grid(BLOCKS_PER_QUARTER, count), one(1, count);

	if (!count)
		return cudaSuccess;
	clear_kernel<<<one, THREADS, 0, stream>>>(*l, ids);
	place_kernel<<<grid, THREADS, 0, stream>>>(*l, ids, 0);
	offsets_kernel<<<one, THREADS, 0, stream>>>(*l, ids, longest);
	place_kernel<<<grid, THREADS, 0, stream>>>(*l, ids, 1);
	return cudaGetLastError();
}
