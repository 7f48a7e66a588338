/* The kernel that counts jobs, its memory and its launch: sieve.h. */
#include <string.h>
#include "nqueens/core/board.h"
#include "nqueens/cuda/run_cuda.h"
#include "nqueens/cuda/sieve_groups.cuh"
#include "nqueens/cuda/sieve_product.cuh"
#include "nqueens/cuda/sieve_rows.cuh"
#include "nqueens/cuda/sieve_table.cuh"

enum {
	MAJOR_NEEDED = 8, /* compute capability with mma .b1 .and.popc */
	/* Up to h = 12 lists have about 30 rows after selection, so a warp holds 32 of them. */
	LONG_H = 13,
	THREADS = 768,
	LONG_THREADS = 512,
	MOST_PATTERNS = 1 << 14, /* of a job; as many words as LONG_THREADS */
	LEAST_PATTERNS = 1 << 12,
	ALIGNMENT = 256
};

/* ---- memory of a block ---- */

/* Assigns *bytes of a block's memory; adds to *bytes. */
static __host__ __device__ char *assign(char *memory, size_t *bytes, size_t count, size_t each)
{
	char *at = memory + *bytes;

	*bytes += (count * each + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return at;
}

/* Divides the memory of a block; returns its size. memory: NULL: the size only. */
static __host__ __device__ size_t divide_memory(
	block_memory *m, char *memory, const nq_i_sieve_counter *c)
{
	const size_t rows = (size_t)TOGETHER * c->rows_each;
	size_t bytes = 0;

	m->rows_each = c->rows_each;
	/* two for each split, and those of long lists */
	m->pieces_each = c->rows_each / 16 + 2 * c->splits + 64;
	m->rows = (uint2 *)assign(memory, &bytes, rows, sizeof(uint2));
	m->more = (uint32_t *)assign(memory, &bytes, rows, sizeof(uint32_t));
	m->patterns = (uint64_t *)assign(memory, &bytes, c->most_patterns, sizeof(uint64_t));
	m->pieces =
		(uint4 *)assign(memory, &bytes, (size_t)TOGETHER * m->pieces_each, sizeof(uint4));
	m->splits = (uint32_t *)assign(memory, &bytes, c->splits, sizeof(uint32_t));
	return bytes;
}

/* ---- the kernel ---- */

/* One thread. */
static __device__ void begin_job(
	const nq_i_sieve_batch *b, shared_head *s, uint32_t job, uint32_t slot_quads)
{
	s->at = b->jobs[job];
	s->work = b->works[s->at.work];
	s->sum = 0;
	divide_rows(&s->lists, s, slot_quads);
}

/* The areas of the shared memory. */
template <int Q> struct shared_areas {
	shared_head *s;
	uint4 (*diagonals)[PITCH_OF(Q)];
	uint32_t *queens; /* [slots] */
	uint4 *table;     /* the bits of a job's patterns before */
};

/* Counts group `from` + k, whose rows have been selected with those of group `from`; all threads of
 * the block. */
template <int Q, int TILES>
static __device__ int64_t count_group(const shared_areas<Q> *p, uint32_t from, uint32_t k)
{
	shared_head *s = p->s;
	const uint32_t group = from + k, first = group ? s->group_end[group - 1] : 0;
	const uint64_t *patterns = s->memory.patterns + first;
	const uint32_t count = s->group_end[group] - first;
	int64_t sum = 0;

	if (!(s->big[k] | s->small[k]))
		return 0;
	for (uint32_t at = 0; at < count; at += 512 * Q) {
		make_diagonals<Q>(p->diagonals, patterns + at, count - at);
		if (threadIdx.x == 0)
			s->next_piece = 0;
		__syncthreads();
		make_table<Q>(p->diagonals, s, p->queens, p->table);
		__syncthreads();
		sum += count_chunk<Q, TILES>((uint32_t)(p->table - shared_memory), k);
		__syncthreads();
	}
	return sum;
}

/* Counts the job s->at; all threads of the block. Adds to s->sum. */
template <int Q, int TILES>
static __device__ void count_job(const nq_i_sieve_batch *b, const shared_areas<Q> *p)
{
	const uint64_t *patterns = b->patterns + p->s->at.first;
	shared_head *s = p->s;
	int64_t sum = 0;

	make_queens(&s->lists, s, p->queens);
	list_splits();
	make_groups(patterns, s->at.count, 512 * Q,
		(uint32_t)(p->table - shared_memory) + SLOTS * 4 * Q);
	for (uint32_t split = 0; split < s->splits; split = s->end) {
		__syncthreads();
		if (threadIdx.x == 0) {
			s->split = split;
			choose_splits(&s->lists, s, &s->memory);
		}
		__syncthreads();
		for (uint32_t g = 0; g < s->groups && !s->failed; g += TOGETHER) {
			select_rows<TILES>(g);
			for (uint32_t k = 0; k < TOGETHER && g + k < s->groups && !s->failed; k++)
				sum += count_group<Q, TILES>(p, g, k);
		}
		if (s->failed)
			return;
	}
	for (uint32_t k = 16; k; k /= 2)
		sum += __shfl_xor_sync(ALL_LANES, sum, k);
	if (lane_id() == 0 && sum)
		atomicAdd(&s->sum, (unsigned long long)sum);
}

/* Shared memory is addressed in units of 16 bytes. */
#define QUADS_OF(bytes) (((bytes) + sizeof(uint4) - 1) / sizeof(uint4))

template <int Q, int TILES>
static __global__ __launch_bounds__(TILES == 4 ? LONG_THREADS : THREADS, 1) void sieve_kernel(
	const nq_i_sieve_lists lists, const nq_i_sieve_batch batch,
	const nq_i_sieve_counter counter, unsigned long long *counts, const volatile uint32_t *stop)
{
	/* the host finds fewer counted jobs than jobs if there are more */
	const uint32_t job_count = min(*batch.job_count, batch.job_room);
	shared_areas<Q> p;

	p.s = head();
	p.diagonals = (uint4(*)[PITCH_OF(Q)])(shared_memory + QUADS_OF(sizeof(shared_head)));
	p.queens = (uint32_t *)(p.diagonals + NQ_I_SIEVE_DIAGONALS + 1);
	p.table = (uint4 *)p.queens + QUADS_OF(counter.slot_room * sizeof(uint32_t));
	if (threadIdx.x == 0) {
		block_memory *own = &p.s->memory;
		const size_t bytes = divide_memory(own, NULL, &counter);

		divide_memory(own, (char *)counter.memory + blockIdx.x * bytes, &counter);
		p.s->lists = lists;
	}
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
				begin_job(&batch, p.s, p.s->job, 4 * Q);
		}
		__syncthreads();
		if (p.s->job >= job_count)
			return;
		count_job<Q, TILES>(&batch, &p);
		__syncthreads();
		if (p.s->failed) {
			/* the host finds fewer counted jobs than jobs */
			return;
		}
		if (threadIdx.x == 0) {
			atomicAdd(&counts[p.s->work.item.slot], p.s->sum);
			atomicAdd(batch.next_job + 1, 1u);
		}
	}
}

/* ---- host ---- */

static size_t shared_bytes(uint32_t q, uint32_t slots, uint32_t patterns)
{
	const size_t table = (size_t)slots * 4 * q;
	const size_t bits =
		SLOTS * 4 * q + QUADS_OF(pattern_bits_words(patterns) * sizeof(uint32_t));

	return sizeof(uint4) *
	       (QUADS_OF(sizeof(shared_head)) + (NQ_I_SIEVE_DIAGONALS + 1) * PITCH_OF((size_t)q) +
		       QUADS_OF(slots * sizeof(uint32_t)) + (table > bits ? table : bits));
}

static const void *kernel_of(const nq_i_sieve_counter *c)
{
	if (c->q == 2)
		return c->tiles == 4 ? (const void *)sieve_kernel<2, 4>
				     : (const void *)sieve_kernel<2, 2>;
	return c->tiles == 4 ? (const void *)sieve_kernel<1, 4> : (const void *)sieve_kernel<1, 2>;
}

/* Reads properties of the device only, without a context. */
static cudaError_t choose_shape(nq_i_sieve_counter *c, const nq_i_join *t,
	const nq_i_sieve_parts *parts, uint32_t most_bytes, int device)
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
	if (most_bytes && most_bytes < (uint32_t)block_bytes)
		block_bytes = (int)most_bytes;
	c->tiles = t->h >= LONG_H ? 4 : 2;
	c->threads = c->tiles == 4 ? LONG_THREADS : THREADS;
	c->slot_room = parts->most_entries + SLOTS;
	c->q = shared_bytes(2, c->slot_room, LEAST_PATTERNS) <= (size_t)block_bytes ? 2 : 1;
	c->most_patterns = MOST_PATTERNS;
	while (c->most_patterns > LEAST_PATTERNS &&
		(c->most_patterns > 32 * c->threads ||
			shared_bytes(c->q, c->slot_room, c->most_patterns) > (size_t)block_bytes))
		c->most_patterns /= 2;
	c->shared_bytes = shared_bytes(c->q, c->slot_room, c->most_patterns);
	for (uint32_t k = 0; k <= t->h; k++)
		if (t->size_at[k + 1] - t->size_at[k] > c->splits)
			c->splits = t->size_at[k + 1] - t->size_at[k];
	c->blocks = (uint32_t)processors;
	if (major < MAJOR_NEEDED || c->shared_bytes > (size_t)block_bytes)
		return cudaErrorNotSupported;
	return cudaSuccess;
}

cudaError_t nq_i_sieve_counter_shape(nq_i_sieve_counter *c, const nq_i_join *t,
	const nq_i_sieve_parts *parts, uint32_t most_bytes, int device)
{
	int each = 0;
	cudaError_t e = choose_shape(c, t, parts, most_bytes, device);

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
	       choose_shape(&c, t, &parts, 0, device) == cudaSuccess;
	(void)cudaGetLastError();
	nq_i_sieve_parts_destroy(&parts);
	nq_i_join_destroy(t);
	return fits;
}

/* The longest list has to fit with its partner, which is short: a set of rows and that of its
 * partner have h rows together. */
static uint32_t rows_for(const nq_i_sieve_counter *c, uint32_t longest)
{
	return (longest + 7) / 8 * 8 + c->rows_more;
}

size_t nq_i_sieve_counter_bytes(const nq_i_sieve_counter *c, uint32_t longest)
{
	nq_i_sieve_counter other = *c;
	block_memory m;

	other.rows_each = rows_for(c, longest);
	return c->blocks * divide_memory(&m, NULL, &other);
}

cudaError_t nq_i_sieve_counter_allocate(nq_i_sieve_counter *c, uint32_t longest)
{
	const size_t bytes = nq_i_sieve_counter_bytes(c, longest);

	nq_i_sieve_counter_free(c);
	c->rows_each = rows_for(c, longest);
	return cudaMalloc(&c->memory, bytes);
}

void nq_i_sieve_counter_free(nq_i_sieve_counter *c)
{
	(void)cudaFree(c->memory);
	c->memory = NULL;
	c->rows_each = 0;
}

cudaError_t nq_i_sieve_count_jobs(const nq_i_sieve_counter *c, const nq_i_sieve_lists *l,
	const nq_i_sieve_batch *b, unsigned long long *counts, const volatile uint32_t *stop,
	cudaStream_t stream)
{
#define LAUNCH(q, tiles)       \
	sieve_kernel<q, tiles> \
		<<<c->blocks, c->threads, c->shared_bytes, stream>>>(*l, *b, *c, counts, stop)
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
