/* The kernel of the join, its memory and its launch: join.h. */
#include <stdlib.h>
#include <string.h>
#include "libsched/cuda/current.cuh"
#include "nqueens/cuda/join_block.cuh"
#include "nqueens/cuda/join_halves.cuh"
#include "nqueens/cuda/join_product.cuh"
#include "nqueens/cuda/join_table.cuh"
#include "nqueens/cuda/run_cuda.h"

/* ---- items ---- */

/* One thread: divides the rows of both western quarters into parts and assigns their slots. */
static __device__ void begin_item(const nq_i_join_lists *l, shared_head *s, const uint32_t *rows)
{
	uint32_t slot = SLOTS;

	s->patterns = s->rows = s->big = s->small = 0;
	s->sum = 0;
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t left = rows[side], n = 0;

		while (left) {
			uint32_t rest = left;

			for (uint32_t i = 0; i < NQ_I_PART_ROWS; i++)
				rest &= rest - (rest != 0);
			s->part_rows[side][n] = left & ~rest;
			s->slot_at[side][n++] = slot;
			slot += l->part_count[left & ~rest];
			left = rest;
		}
		s->parts[side] = n;
	}
	s->slots = slot;
	s->wide = s->parts[0] > 2 || s->parts[1] > 2;
}

/* Counts an item; all threads of the block. Adds to s->sum. */
template <int Q>
static __device__ void count_item(const nq_i_join_lists *l, const nq_i_join_line *c,
	const nq_i_join_east *east, const nq_i_join_item *item, const shared_areas<Q> *p,
	const block_private *d)
{
	const uint32_t full = (1u << l->h) - 1;
	const uint32_t rows[2] = { full & ~item->north, c->south_rows & ~item->south };
	shared_head *s = p->s;
	int64_t sum = 0;

	if (threadIdx.x == 0)
		begin_item(l, s, rows);
	__syncthreads();
	make_queens(l, s, p->queens);
	for (uint32_t i = 0; i < c->crosses; i++) {
		const nq_i_join_east e = east[c->first_cross + i];

		make_east(l, &e, item, s, d);
	}
	make_west<Q>(l, c, item, rows, s, d);
	__syncthreads();
	if (!(s->big + s->small))
		return;
	for (uint32_t at = 0; at < s->patterns; at += 512 * Q) {
		make_diagonals<Q>(p->c, d, at, s->patterns);
		if (threadIdx.x == 0)
			s->next_piece = 0;
		__syncthreads();
		make_squares<Q>(l, p->c, rows);
		__syncthreads();
		make_table<Q>(p->c, s, p->queens, p->table);
		__syncthreads();
		sum += count_chunk<Q>(d, (const char *)p->table, s, item);
		__syncthreads();
	}
	for (uint32_t k = 16; k; k /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, k);
	if (lane_id() == 0 && sum)
		atomicAdd(&s->sum, (unsigned long long)sum);
}

/* Shared memory is addressed in units of 16 bytes. */
#define QUADS_OF(bytes) (((bytes) + sizeof(uint4) - 1) / sizeof(uint4))

template <int Q>
static __global__ __launch_bounds__(Q == 2 ? BIG_THREADS : THREADS, 1) void join_kernel(
	const nq_i_join_lists lists, const nq_i_join_line *lines, const nq_i_join_east *east,
	const block_private all, uint32_t slots, const nq_i_join_item *items, uint32_t count,
	uint32_t *cursor, unsigned long long *counts)
{
	extern __shared__ uint4 memory[];
	const size_t b = blockIdx.x;
	shared_areas<Q> p;
	block_private d = all;

	p.s = (shared_head *)memory;
	p.c = (chunk<Q> *)(memory + QUADS_OF(sizeof(shared_head)));
	p.queens = (uint32_t *)(p.c + 1);
	p.table = (uint4 *)(p.c + 1) + QUADS_OF(slots * sizeof(uint32_t));
	d.patterns += b * d.patterns_each;
	d.slots += b * d.rows_each;
	d.more += b * d.rows_each;
	d.flags += b * d.rows_each;
	d.pieces += b * d.pieces_each;
	for (uint32_t i = threadIdx.x; i < 4 * Q; i += blockDim.x) {
		const uint4 zero = make_uint4(0, 0, 0, 0);

		p.table[SLOT_ALL * 4 * Q + i] = zero;
		p.table[SLOT_NONE * 4 * Q + i] = make_uint4(~0u, ~0u, ~0u, ~0u);
		p.c->diagonals[ZERO_ROW][i] = zero;
		p.c->squares[NQ_I_NO_SQUARE][i] = p.c->squares[SQUARES + NQ_I_NO_SQUARE][i] = zero;
	}
	for (;;) {
		if (threadIdx.x == 0)
			p.s->item = atomicAdd(cursor, 1);
		__syncthreads();
		if (p.s->item >= count)
			return;
		const nq_i_join_item item = items[p.s->item];
		const nq_i_join_line line = lines[item.line];

		count_item<Q>(&lists, &line, east, &item, &p, &d);
		__syncthreads();
		if (threadIdx.x == 0 && p.s->sum)
			atomicAdd(&counts[item.slot], item.weight * p.s->sum);
	}
}

/* ---- host ---- */

struct nq_i_join_counter {
	nq_i_join_lists lists;
	nq_i_join_line *d_lines;
	nq_i_join_east *d_east;
	block_private all;
	size_t shared_bytes;
	uint32_t q, slots, blocks, threads;
};

static cudaError_t allocate_private(
	nq_i_join_counter *c, const nq_i_join_memory *m, const nq_i_join *t)
{
	const uint32_t splits = nq_i_join_items_max(t);
	block_private *d = &c->all;
	const size_t blocks = c->blocks;
	cudaError_t e;

	d->patterns_each = m->most_patterns;
	/* padding adds one row in 32, and rounds up to a multiple of 8 */
	d->rows_each = 2 * (m->most_rows + m->most_rows / 32 + 8 * splits);
	d->pieces_each = d->rows_each / (16 * TILES) + splits;
	e = cudaMalloc(&d->patterns, blocks * d->patterns_each * sizeof(*d->patterns) + 1);
	if (e == cudaSuccess)
		e = cudaMalloc(&d->slots, blocks * d->rows_each * sizeof(*d->slots));
	if (e == cudaSuccess)
		e = cudaMalloc(&d->more, blocks * d->rows_each * sizeof(*d->more));
	if (e == cudaSuccess)
		e = cudaMalloc(&d->flags, blocks * d->rows_each * sizeof(*d->flags));
	if (e == cudaSuccess)
		e = cudaMalloc(&d->pieces, blocks * d->pieces_each * sizeof(*d->pieces));
	return e;
}

static cudaError_t upload_crosses(nq_i_join_counter *c, const nq_i_join *t)
{
	nq_i_join_line lines[NQ_I_JOIN_HALF_MAX + 1];
	nq_i_join_east east[sizeof(t->x)];
	cudaError_t e;

	for (uint32_t i = 0; i < t->crosses; i++) {
		const nq_i_join_cross x = nq_i_join_cross_of(t, i);

		east[i].cols = x.east_cols;
		east[i].no_ne = x.no_ne;
		east[i].no_se = x.no_se;
		east[i].queen = t->x[i] ? 1u << (NQ_I_HIGH + t->x[i] - 1) : 0;
	}
	for (uint32_t i = 0; i < t->lines; i++) {
		const uint32_t first = t->line_at[i];
		const nq_i_join_cross x = nq_i_join_cross_of(t, first);
		/* the queen of the middle row is part of the patterns instead */
		const uint32_t queen = t->x[first] ? 1u << (NQ_I_LOW + t->x[first] - 1) : 0;
		/* a queen in the centre occupies both main diagonals */
		const uint32_t centre = t->n % 2 && !t->x[first] ? 1u << NQ_I_ON_MAIN : 0;

		lines[i].first_cross = first;
		lines[i].crosses = t->line_at[i + 1] - first;
		lines[i].south_rows = x.south_rows;
		lines[i].no_nw = (x.no_nw & ~queen) | centre;
		lines[i].no_sw = (x.no_sw & ~queen) | centre;
	}
	e = cudaMalloc(&c->d_lines, t->lines * sizeof(*lines));
	if (e == cudaSuccess)
		e = copy_now(c->d_lines, lines, t->lines * sizeof(*lines));
	if (e == cudaSuccess)
		e = cudaMalloc(&c->d_east, t->crosses * sizeof(*east));
	if (e == cudaSuccess)
		e = copy_now(c->d_east, east, t->crosses * sizeof(*east));
	return e;
}

/* Returns the slots that two quarters with h rows in total need at most. */
static uint32_t most_slots(const nq_i_join *t, const nq_i_join_parts *parts)
{
	uint32_t most[NQ_I_JOIN_HALF_MAX + 1] = { 0 }, both = 0;

	for (uint32_t s = 0; s < 1u << t->h; s++) {
		const uint32_t k = (uint32_t)__builtin_popcount(s);

		if (parts->size[s] > most[k])
			most[k] = parts->size[s];
	}
	for (uint32_t k = 0; k <= t->h; k++)
		if (most[k] + most[t->h - k] > both)
			both = most[k] + most[t->h - k];
	return both + SLOTS;
}

static size_t shared_bytes(uint32_t q, uint32_t slots)
{
	const size_t chunk_bytes = q == 2 ? sizeof(chunk<2>) : sizeof(chunk<1>);

	return sizeof(uint4) * (QUADS_OF(sizeof(shared_head)) + QUADS_OF(chunk_bytes) +
				       QUADS_OF(slots * sizeof(uint32_t)) + (size_t)slots * 4 * q);
}

/* Chunks of 1,024 patterns and 24 warps where items have many patterns and the table fits; else
 * chunks of 512 patterns and 32 warps, in several resident blocks if they fit, so that one runs
 * while another waits. Milliseconds in kernels on an H200 (512 patterns with 256, 512, 1,024
 * threads per block; 1,024 patterns with 768), before the shorter list was held: N=17 4.6, 5.1,
 * 7.1; 18 12.6, 9.6, 10.9; 10.3; 19 77 (512), 90; 88; 20 618 (512), 534; 454; 21 4,176 (512),
 * 3,690; 3,224. */
static cudaError_t choose_shape(
	nq_i_join_counter *c, const nq_i_join *t, const nq_i_join_parts *parts, int device)
{
	int block_bytes = 0, processor_bytes = 0, fit;
	cudaError_t e = cudaDeviceGetAttribute(
		&block_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);

	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(
			&processor_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
	if (e != cudaSuccess)
		return e;
	c->slots = most_slots(t, parts);
	c->q = t->h >= 10 && shared_bytes(2, c->slots) <= (size_t)block_bytes ? 2 : 1;
	c->shared_bytes = shared_bytes(c->q, c->slots);
	if (c->shared_bytes > (size_t)block_bytes)
		return cudaErrorNotSupported;
	/* the driver reserves 1 KiB per block */
	fit = (int)((size_t)processor_bytes / (c->shared_bytes + 1024));
	c->threads = c->q == 2 ? BIG_THREADS : fit >= 4 ? 256 : fit >= 2 ? 512 : THREADS;
	return cudaSuccess;
}

/* Returns cudaSuccess, or cudaErrorNotSupported. */
static cudaError_t check_instructions(int device)
{
	int major = 0;
	cudaError_t e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);

	return e == cudaSuccess && major < MAJOR_NEEDED ? cudaErrorNotSupported : e;
}

extern "C" int nq_i_cuda_join_fits(uint32_t n, int device)
{
	nq_i_join_counter c;
	nq_i_join_parts parts;
	nq_i_join *t = NULL;
	int fits;

	memset(&parts, 0, sizeof(parts));
	fits = nq_i_join_create(&t, n) == NQ_OK && nq_i_join_parts_create(&parts, t) == NQ_OK &&
	       check_instructions(device) == cudaSuccess &&
	       choose_shape(&c, t, &parts, device) == cudaSuccess;
	(void)cudaGetLastError();
	nq_i_join_parts_destroy(&parts);
	nq_i_join_destroy(t);
	return fits;
}

static cudaError_t choose_blocks(nq_i_join_counter *c, int device)
{
	const void *kernel =
		c->q == 2 ? (const void *)join_kernel<2> : (const void *)join_kernel<1>;
	int processors = 0, each = 0;
	cudaError_t e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);

	if (e == cudaSuccess)
		e = cudaFuncSetAttribute(
			kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)c->shared_bytes);
	if (e == cudaSuccess)
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&each, kernel, (int)c->threads, c->shared_bytes);
	if (e == cudaSuccess && each < 1)
		e = cudaErrorNotSupported;
	c->blocks = (uint32_t)processors * (uint32_t)each;
	return e;
}

cudaError_t nq_i_join_counter_create(nq_i_join_counter **out, const nq_i_join *t,
	const nq_i_join_parts *parts, const nq_i_join_memory *m)
{
	nq_i_join_counter *c = (nq_i_join_counter *)calloc(1, sizeof(*c));
	int device = 0;
	cudaError_t e;

	*out = c;
	if (!c)
		return cudaErrorMemoryAllocation;
	c->lists = m->lists;
	e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = check_instructions(device);
	if (e == cudaSuccess)
		e = choose_shape(c, t, parts, device);
	if (e == cudaSuccess)
		e = choose_blocks(c, device);
	if (e == cudaSuccess)
		e = upload_crosses(c, t);
	if (e == cudaSuccess)
		e = allocate_private(c, m, t);
	if (e != cudaSuccess) {
		nq_i_join_counter_destroy(c);
		*out = NULL;
	}
	return e;
}

void nq_i_join_counter_destroy(nq_i_join_counter *c)
{
	if (!c)
		return;
	(void)cudaFree(c->d_lines);
	(void)cudaFree(c->d_east);
	(void)cudaFree(c->all.patterns);
	(void)cudaFree(c->all.slots);
	(void)cudaFree(c->all.more);
	(void)cudaFree(c->all.flags);
	(void)cudaFree(c->all.pieces);
	free(c);
}

uint32_t nq_i_join_counter_warps(const nq_i_join_counter *c)
{
	return c->blocks * (c->threads / 32);
}

cudaError_t nq_i_join_count(nq_i_join_counter *c, const nq_i_join_item *items, uint32_t count,
	uint32_t *cursor, unsigned long long *counts, cudaStream_t stream)
{
	if (c->q == 2)
		join_kernel<2><<<c->blocks, c->threads, c->shared_bytes, stream>>>(c->lists,
			c->d_lines, c->d_east, c->all, c->slots, items, count, cursor, counts);
	else
		join_kernel<1><<<c->blocks, c->threads, c->shared_bytes, stream>>>(c->lists,
			c->d_lines, c->d_east, c->all, c->slots, items, count, cursor, counts);
	return cudaGetLastError();
}
