/* Division of the patterns of a job into groups with many common diagonals.
 *
 * All patterns of a group occupy certain diagonals, and the western placements that occupy one of
 * them are omitted. A group begins with all patterns that are left; those without the diagonal that
 * omits most placements are left for later groups, and so on until few patterns remain. So each
 * group has common diagonals, whereas half of the branches of a tree of keys have one fewer. */
#ifndef NQUEENS_CUDA_SIEVE_GROUPS_CUH
#define NQUEENS_CUDA_SIEVE_GROUPS_CUH

#include "nqueens/cuda/sieve_block.cuh"

/* Bits of the patterns of a job, in shared memory: a row for each diagonal, with some words more
 * than it needs, so that rows begin in different banks. left: patterns without a group; chosen:
 * those of the next group; order: their indices. */
typedef struct pattern_bits {
	uint32_t *rows, *left, *chosen;
	uint16_t *order;
	uint32_t pitch, words;
} pattern_bits;

enum { MORE_PITCH = 20 };

/* Words of a row: a multiple of those of a step of count_diagonals. */
static __host__ __device__ __forceinline__ uint32_t words_of(uint32_t patterns)
{
	return (patterns + 511) / 512 * 16;
}

/* Words of shared memory for so many patterns. */
static __host__ __device__ __forceinline__ uint32_t pattern_bits_words(uint32_t patterns)
{
	const uint32_t words = words_of(patterns);

	return NQ_I_SIEVE_DIAGONALS * (words + MORE_PITCH) + 2 * words + (patterns + 1) / 2;
}

static __device__ pattern_bits pattern_bits_of(uint32_t *at, uint32_t count)
{
	pattern_bits b;

	b.words = words_of(count);
	b.pitch = b.words + MORE_PITCH;
	b.rows = at;
	b.left = at + NQ_I_SIEVE_DIAGONALS * b.pitch;
	b.chosen = b.left + b.words;
	b.order = (uint16_t *)(b.chosen + b.words);
	return b;
}

/* Transposes the patterns; all threads. */
static __device__ void transpose(const pattern_bits *b, const uint64_t *patterns, uint32_t count)
{
	const uint32_t lane = lane_id();

	for (uint32_t w = warp_id(); w < b->words; w += warps()) {
		const uint64_t p = 32 * w + lane < count ? patterns[32 * w + lane] : 0;
		const uint32_t valid = __ballot_sync(ALL_LANES, 32 * w + lane < count);
		const uint32_t low = transpose_bits((uint32_t)p);
		const uint32_t high = transpose_bits((uint32_t)(p >> 32));

		b->rows[lane * b->pitch + w] = low;
		if (lane + 32 < NQ_I_SIEVE_DIAGONALS)
			b->rows[(lane + 32) * b->pitch + w] = high;
		if (lane == 0)
			b->left[w] = valid;
	}
}

/* Counts the chosen patterns that occupy each diagonal, on the tensor cores; ones begins with
 * zeros. All threads. */
static __device__ void count_diagonals(const pattern_bits *b, uint32_t *ones)
{
	const uint32_t g = lane_id() / 4, t = lane_id() % 4, first = warp_id() % 4 * 16 + g;
	/* the last tile has rows that there are not: their counts are not used */
	const uint32_t a0 = min(first, NQ_I_SIEVE_DIAGONALS - 1);
	const uint32_t a1 = min(first + 8, NQ_I_SIEVE_DIAGONALS - 1);
	uint32_t c[4] = { 0, 0, 0, 0 };

	for (uint32_t w = warp_id() / 4 * 16; w < b->words; w += warps() / 4 * 16) {
		const uint4 x = *(const uint4 *)(b->rows + a0 * b->pitch + w + 4 * t);
		const uint4 y = *(const uint4 *)(b->rows + a1 * b->pitch + w + 4 * t);
		const uint4 z = *(const uint4 *)(b->chosen + w + 4 * t);

		multiply(c, x.x, y.x, x.y, y.y, z.x, z.y);
		multiply(c, x.z, y.z, x.w, y.w, z.z, z.w);
	}
	/* all columns are the same */
	if (t == 0 && first < NQ_I_SIEVE_DIAGONALS)
		atomicAdd(&ones[first], c[0]);
	if (t == 0 && first + 8 < NQ_I_SIEVE_DIAGONALS)
		atomicAdd(&ones[first + 8], c[2]);
}

/* Returns the diagonal outside `used` that omits most pairs of a pattern and a placement; all
 * lanes. */
static __device__ uint32_t best_diagonal(const shared_head *s, const uint32_t *ones, uint64_t used)
{
	uint32_t best = 0;

	for (uint32_t d = lane_id(); d < NQ_I_SIEVE_DIAGONALS; d += 32)
		if (!(used >> d & 1))
			best = max(best, ones[d] * s->work.weight[d] << 6 | d);
	for (uint32_t k = 16; k; k /= 2)
		best = max(best, __shfl_xor_sync(ALL_LANES, best, k));
	return best & 63;
}

/* Chooses patterns with common diagonals among those that are left; returns their number, at least
 * half a chunk unless fewer are left. All threads. */
static __device__ uint32_t choose_patterns(
	const pattern_bits *b, shared_head *s, uint32_t left, uint32_t chunk)
{
	uint64_t used = 0;
	uint32_t size = left;

	for (uint32_t w = threadIdx.x; w < b->words; w += blockDim.x)
		b->chosen[w] = b->left[w];
	if (threadIdx.x < NQ_I_SIEVE_DIAGONALS)
		s->ones[0][threadIdx.x] = 0;
	__syncthreads();
	for (uint32_t level = 0; size > 2 * chunk; level++) {
		uint32_t *ones = s->ones[level % 2], best, n;

		count_diagonals(b, ones);
		__syncthreads();
		best = best_diagonal(s, ones, used);
		n = ones[best];
		/* a chunk that is not full takes as long as a full one */
		if (used >> best & 1 || n < chunk / 2 || (n < chunk && size < 4 * chunk))
			break;
		used |= 1ull << best;
		size = n;
		for (uint32_t w = threadIdx.x; w < b->words; w += blockDim.x)
			b->chosen[w] &= b->rows[best * b->pitch + w];
		if (threadIdx.x < NQ_I_SIEVE_DIAGONALS)
			s->ones[(level + 1) % 2][threadIdx.x] = 0;
		__syncthreads();
	}
	return size;
}

/* Writes the indices of the first `count` chosen patterns to b->order and removes them from those
 * that are left; all threads, of which there are at least as many as words. */
static __device__ void order_patterns(const pattern_bits *b, shared_head *s, uint32_t count)
{
	const uint32_t w = threadIdx.x;
	uint32_t bits = w < b->words ? b->chosen[w] : 0, taken = 0;
	uint32_t at = __popc(bits);

	for (uint32_t k = 1; k < 32; k *= 2) {
		const uint32_t other = __shfl_up_sync(ALL_LANES, at, k);

		at += lane_id() >= k ? other : 0;
	}
	if (lane_id() == 31)
		s->kept[warp_id()] = at;
	at -= __popc(bits);
	__syncthreads();
	for (uint32_t i = 0; i < warp_id(); i++)
		at += s->kept[i];
	for (; bits && at < count; at++, bits &= bits - 1) {
		b->order[at] = (uint16_t)(32 * w + __ffs(bits) - 1);
		taken |= bits & (0u - bits);
	}
	if (taken)
		b->left[w] &= ~taken;
	__syncthreads();
}

/* Copies the patterns b->order[0 .. count - 1], the next group, to `to` and computes the diagonals
 * that all of them occupy, and from these the placements to omit. All threads. */
static __device__ void take_patterns(const pattern_bits *b, shared_head *s,
	const uint64_t *patterns, uint32_t count, uint64_t *to, uint32_t group)
{
	uint64_t common = ~0ull;

	if (threadIdx.x == 0)
		s->common[0] = s->common[1] = ~0u;
	order_patterns(b, s, count);
#pragma unroll 4
	for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
		const uint64_t p = patterns[b->order[i]];

		to[i] = p;
		common &= p;
	}
	for (uint32_t k = 16; k; k /= 2)
		common &= __shfl_xor_sync(ALL_LANES, common, k);
	if (lane_id() == 0) {
		atomicAnd(&s->common[0], (uint32_t)common);
		atomicAnd(&s->common[1], (uint32_t)(common >> 32));
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		const nq_i_sieve_line *line = &s->lists.lines[s->work.item.line];

		common = (uint64_t)s->common[1] << 32 | s->common[0];
		s->forbidden[group][0] = line->no_nw | nq_i_sieve_of_nw(common);
		s->forbidden[group][1] = line->no_sw | nq_i_sieve_of_sw(common);
	}
}

/* Writes the patterns of a job to the block's memory, group by group, and their ends to the head.
 * chunk: patterns that are counted together; area: of shared_memory, for the bits. All threads. */
static __device__ __noinline__ void make_groups(
	const uint64_t *patterns, uint32_t count, uint32_t chunk, uint32_t area)
{
	shared_head *s = head();
	uint64_t *to = s->memory.patterns;
	const pattern_bits bits = pattern_bits_of((uint32_t *)(shared_memory + area), count);
	const pattern_bits *b = &bits;
	uint32_t groups = 0;

	transpose(b, patterns, count);
	__syncthreads();
	for (uint32_t done = 0; done < count; groups++) {
		uint32_t size = choose_patterns(b, s, count - done, chunk);

		if (size > chunk)
			size = size / chunk * chunk;
		take_patterns(b, s, patterns, size, to + done, groups);
		done += size;
		if (threadIdx.x == 0)
			s->group_end[groups] = done;
	}
	if (threadIdx.x == 0)
		s->groups = groups;
	__syncthreads();
}

#endif
