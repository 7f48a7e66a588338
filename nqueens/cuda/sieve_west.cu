/* The kernel that counts jobs, its memory and its launch: sieve.h. */
#include <string.h>
#include "nqueens/core/board.h"
#include "nqueens/cuda/run_cuda.h"
#include "nqueens/cuda/sieve_product.cuh"

enum {
	MAJOR_NEEDED = 8, /* compute capability with mma .b1 .and.popc */
	ROWS_EACH = 1 << 16,
	/* Up to h = 12 lists have about 30 rows after selection, so a warp holds 32 of them. */
	LONG_H = 13,
	THREADS = 768,
	LONG_THREADS = 512
};

/* One thread: divides the rows of both western quarters into parts and assigns their slots. */
static __device__ void begin_job(
	const nq_i_sieve_lists *l, const nq_i_sieve_batch *b, shared_head *s, uint32_t job)
{
	const nq_i_sieve_line *line;
	const uint32_t full = (1u << l->h) - 1;
	uint32_t rows[2], slot = SLOTS;

	s->at = b->jobs[job];
	s->work = b->works[s->at.work];
	line = &l->lines[s->work.item.line];
	rows[0] = full & ~s->work.item.north;
	rows[1] = line->south_rows & ~s->work.item.south;
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t left = rows[side], n = 0;

		while (left) {
			uint32_t rest = left & (left - 1);

			rest &= rest - (rest != 0);
			s->part_rows[side][n] = left & ~rest;
			s->slot_at[side][n++] = slot;
			slot += l->part_count[left & ~rest];
			left = rest;
		}
		s->parts[side] = n;
	}
	s->slots = slot;
	s->lookups = max(s->parts[0], s->parts[1]);
	s->next_group = 0;
	s->sum = 0;
	s->common[0] = s->common[1] = ~0u;
}

/* Computes the diagonals that all patterns of the job occupy, and from them the placements to
 * omit. All threads of the block. */
static __device__ void make_forbidden(
	const nq_i_sieve_lists *l, const uint64_t *patterns, shared_head *s)
{
	uint64_t common = ~0ull;

	for (uint32_t i = threadIdx.x; i < s->at.count; i += blockDim.x)
		common &= patterns[i];
	atomicAnd(&s->common[0], (uint32_t)common);
	atomicAnd(&s->common[1], (uint32_t)(common >> 32));
	__syncthreads();
	if (threadIdx.x == 0) {
		const nq_i_sieve_line *line = &l->lines[s->work.item.line];

		common = (uint64_t)s->common[1] << 32 | s->common[0];
		s->forbidden[0] = line->no_nw | nq_i_sieve_of_nw(common);
		s->forbidden[1] = line->no_sw | nq_i_sieve_of_sw(common);
	}
}

/* The areas of the shared memory. */
template <int Q> struct shared_areas {
	shared_head *s;
	uint4 (*diagonals)[4 * Q];
	uint32_t *queens; /* [slots] */
	uint4 *table;
};

/* Counts the job s->at; all threads of the block. Adds to s->sum. */
template <int Q, int TILES>
static __device__ void count_job(const nq_i_sieve_lists *l, const nq_i_sieve_batch *b,
	const shared_areas<Q> *p, const block_memory *m)
{
	const uint64_t *patterns = b->patterns + p->s->at.first;
	shared_head *s = p->s;
	picker pick = { { 0, 0, 0, 0 }, 0 };
	int64_t sum = 0;
	uint32_t again;

	make_queens(l, s, p->queens);
	make_forbidden(l, patterns, s);
	do {
		__syncthreads();
		if (threadIdx.x == 0)
			s->reserved = s->rows = s->big = s->small = s->unfinished = 0;
		__syncthreads();
		select_rows<TILES>(l, &pick, s, m);
		__syncthreads();
		if (s->failed)
			return;
		again = s->unfinished;
		make_rows<Q>(l, s, m);
		for (uint32_t at = 0; at < s->at.count && s->rows; at += 512 * Q) {
			make_diagonals<Q>(p->diagonals, patterns + at, s->at.count - at);
			if (threadIdx.x == 0)
				s->next_piece = 0;
			__syncthreads();
			make_table<Q>(p->diagonals, s, p->queens, p->table);
			__syncthreads();
			sum += count_chunk<Q, TILES>(m, p->table, s);
			__syncthreads();
		}
	} while (again);
	for (uint32_t k = 16; k; k /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, k);
	if (lane_id() == 0 && sum)
		atomicAdd(&s->sum, (unsigned long long)sum);
}

/* Shared memory is addressed in units of 16 bytes. */
#define QUADS_OF(bytes) (((bytes) + sizeof(uint4) - 1) / sizeof(uint4))

template <int Q, int TILES>
static __global__ __launch_bounds__(TILES == 4 ? LONG_THREADS : THREADS, 1) void sieve_kernel(
	const nq_i_sieve_lists lists, const nq_i_sieve_batch batch, const block_memory all,
	uint32_t slots, unsigned long long *counts, const volatile uint32_t *stop)
{
	extern __shared__ uint4 memory[];
	const size_t block = blockIdx.x;
	/* the host finds fewer counted jobs than jobs if there are more */
	const uint32_t job_count = min(*batch.job_count, batch.job_room);
	shared_areas<Q> p;
	block_memory m = all;

	p.s = (shared_head *)memory;
	p.diagonals = (uint4(*)[4 * Q])(memory + QUADS_OF(sizeof(shared_head)));
	p.queens = (uint32_t *)(p.diagonals + NQ_I_SIEVE_DIAGONALS + 1);
	p.table = (uint4 *)p.queens + QUADS_OF(slots * sizeof(uint32_t));
	m.slots += block * m.rows_each;
	m.more += block * m.rows_each;
	m.flags += block * m.rows_each;
	m.index += block * m.rows_each;
	m.pieces += block * m.pieces_each;
	for (uint32_t i = threadIdx.x; i < 4 * Q; i += blockDim.x) {
		const uint4 zero = make_uint4(0, 0, 0, 0);

		p.table[SLOT_ALL * 4 * Q + i] = p.diagonals[NQ_I_SIEVE_ZERO_ROW][i] = zero;
		p.table[SLOT_NONE * 4 * Q + i] = make_uint4(~0u, ~0u, ~0u, ~0u);
	}
	if (threadIdx.x == 0)
		p.s->failed = 0;
	for (;;) {
		if (threadIdx.x == 0) {
			p.s->job = *stop ? job_count : atomicAdd(batch.next_job, 1u);
			if (p.s->job < job_count)
				begin_job(&lists, &batch, p.s, p.s->job);
		}
		__syncthreads();
		if (p.s->job >= job_count)
			return;
		count_job<Q, TILES>(&lists, &batch, &p, &m);
		__syncthreads();
		if (p.s->failed) {
			/* the host finds fewer counted jobs than jobs */
			return;
		}
		if (threadIdx.x == 0) {
			atomicAdd(&counts[p.s->work.item.slot], p.s->work.item.weight * p.s->sum);
			atomicAdd(batch.next_job + 1, 1u);
		}
	}
}

/* ---- host ---- */

static size_t shared_bytes(uint32_t q, uint32_t slots)
{
	return sizeof(uint4) *
	       (QUADS_OF(sizeof(shared_head)) + (NQ_I_SIEVE_DIAGONALS + 1) * 4 * (size_t)q +
		       QUADS_OF(slots * sizeof(uint32_t)) + (size_t)slots * 4 * q);
}

static const void *kernel_of(const nq_i_sieve_counter *c)
{
	if (c->q == 2)
		return c->tiles == 4 ? (const void *)sieve_kernel<2, 4>
				     : (const void *)sieve_kernel<2, 2>;
	return c->tiles == 4 ? (const void *)sieve_kernel<1, 4> : (const void *)sieve_kernel<1, 2>;
}

/* Reads properties of the device only, without a context. */
static cudaError_t choose_shape(
	nq_i_sieve_counter *c, const nq_i_join *t, const nq_i_sieve_parts *parts, int device)
{
	int major = 0, block_bytes = 0, processors = 0;
	cudaError_t e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);

	memset(c, 0, sizeof(*c));
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(
			&block_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	if (e != cudaSuccess)
		return e;
	c->slot_room = parts->most_entries + SLOTS;
	c->q = shared_bytes(2, c->slot_room) <= (size_t)block_bytes ? 2 : 1;
	c->tiles = t->h >= LONG_H ? 4 : 2;
	c->threads = c->tiles == 4 ? LONG_THREADS : THREADS;
	c->shared_bytes = shared_bytes(c->q, c->slot_room);
	c->blocks = (uint32_t)processors;
	if (major < MAJOR_NEEDED || c->shared_bytes > (size_t)block_bytes)
		return cudaErrorNotSupported;
	return cudaSuccess;
}

cudaError_t nq_i_sieve_counter_shape(
	nq_i_sieve_counter *c, const nq_i_join *t, const nq_i_sieve_parts *parts, int device)
{
	int each = 0;
	cudaError_t e = choose_shape(c, t, parts, device);

	if (e == cudaSuccess)
		e = cudaFuncSetAttribute(kernel_of(c), cudaFuncAttributeMaxDynamicSharedMemorySize,
			(int)c->shared_bytes);
	if (e == cudaSuccess)
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&each, kernel_of(c), (int)c->threads, c->shared_bytes);
	if (e == cudaSuccess && each < 1)
		e = cudaErrorNotSupported;
	c->blocks *= (uint32_t)each;
	return e;
}

extern "C" int nq_i_cuda_sieve_fits(uint32_t n, int device)
{
	nq_i_sieve_counter c;
	nq_i_sieve_parts parts;
	nq_i_join *t = NULL;
	int fits;

	memset(&parts, 0, sizeof(parts));
	fits = nq_i_join_create(&t, n) == NQ_OK && nq_i_sieve_parts_create(&parts, t) == NQ_OK &&
	       choose_shape(&c, t, &parts, device) == cudaSuccess;
	(void)cudaGetLastError();
	nq_i_sieve_parts_destroy(&parts);
	nq_i_join_destroy(t);
	return fits;
}

/* The longest list has to fit with its partner, which is short: a set of rows and that of its
 * partner have h rows together. */
static uint32_t rows_for(uint32_t longest)
{
	return (longest + 7) / 8 * 8 + ROWS_EACH;
}

enum { ROW_BYTES = 2 * sizeof(uint2) + 2 * sizeof(uint32_t) };

size_t nq_i_sieve_counter_bytes(const nq_i_sieve_counter *c, uint32_t longest)
{
	const size_t rows = rows_for(longest);

	return c->blocks * (rows * ROW_BYTES + rows / 4 * sizeof(uint4));
}

cudaError_t nq_i_sieve_counter_allocate(nq_i_sieve_counter *c, uint32_t longest)
{
	const size_t rows = (size_t)c->blocks * rows_for(longest);
	cudaError_t e;

	nq_i_sieve_counter_free(c);
	c->rows_each = rows_for(longest);
	c->pieces_each = c->rows_each / 4;
	e = cudaMalloc(&c->slots, rows * sizeof(uint2));
	if (e == cudaSuccess)
		e = cudaMalloc(&c->more, rows * sizeof(uint2));
	if (e == cudaSuccess)
		e = cudaMalloc(&c->flags, rows * sizeof(uint32_t));
	if (e == cudaSuccess)
		e = cudaMalloc(&c->index, rows * sizeof(uint32_t));
	if (e == cudaSuccess)
		e = cudaMalloc(&c->pieces, rows / 4 * sizeof(uint4));
	if (e != cudaSuccess)
		nq_i_sieve_counter_free(c);
	return e;
}

void nq_i_sieve_counter_free(nq_i_sieve_counter *c)
{
	(void)cudaFree(c->slots);
	(void)cudaFree(c->more);
	(void)cudaFree(c->flags);
	(void)cudaFree(c->index);
	(void)cudaFree(c->pieces);
	c->slots = c->more = c->flags = c->index = c->pieces = NULL;
	c->rows_each = 0;
}

cudaError_t nq_i_sieve_count_jobs(const nq_i_sieve_counter *c, const nq_i_sieve_lists *l,
	const nq_i_sieve_batch *b, unsigned long long *counts, const volatile uint32_t *stop,
	cudaStream_t stream)
{
	const block_memory m = { (uint2 *)c->slots, (uint2 *)c->more, (uint32_t *)c->flags,
		(uint32_t *)c->index, (uint4 *)c->pieces, c->rows_each, c->pieces_each };

#define LAUNCH(q, tiles)                                                            \
	sieve_kernel<q, tiles><<<c->blocks, c->threads, c->shared_bytes, stream>>>( \
		*l, *b, m, c->slot_room, counts, stop)
	if (c->q == 2 && c->tiles == 4)
		LAUNCH(2, 4);
	else if (c->q == 2)
		LAUNCH(2, 2);
	else if (c->tiles == 4)
		LAUNCH(1, 4);
	else
		LAUNCH(1, 2);
#undef LAUNCH
	return cudaGetLastError();
}
