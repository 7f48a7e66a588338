/* CABAC on the GPU: all macroblocks, contexts and parts of a slice at once (entropy/cabac_chunk.h
 * explains the arithmetic coder).
 *
 *   bins_kernel        one warp per macroblock, a lane per coefficient or mode, with 8x8 blocks,
 *                      I_PCM or too many bins one per part: its bins, from what the wavefront has
 *                      stored (h264i_mb, h264i_levels), into scratch.pool
 *   place_bins_kernel  one block per slice: their positions in the slice; the last one: the
 *                      positions of the slices
 *   order_kernel       one warp per macroblock: copies its bins to their position in scratch.bins
 *   tile_kernel, states_kernel, ops_kernel
 *                      the context states (cabac_states.cuh): from scratch.bins to scratch.ops,
 *                      with ranks that tile_kernel writes to scratch.pool
 *   walk_kernel        one lane per chunk: ranges and bits for four ranges at its start; of few
 *                      frames four lanes, one for each. Then a warp joins those of 32 chunks
 *   resolve_kernel     one block per slice: which of the four it is; bit positions
 *   code_kernel        one lane per chunk: its bits, into rbsp
 *   finish_kernel      eight lanes per macroblock: samples of I_PCM
 * Where QPs vary qp_delta_kernel (qp_delta.cuh) is before them. */
#ifndef H264INTRA_CUDA_CABAC_CUH
#define H264INTRA_CUDA_CABAC_CUH

#include "h264intra/cuda/cabac_bins.cuh"
#include "h264intra/cuda/cabac_states.cuh"

enum { CHUNK_THREADS = 128, WALK_GROUPS = CHUNK_THREADS / CABAC_GROUP };

/* Copies the table of h264i_op_word() to shared memory. */
GPU_FN void load_lps(uint32_t *to, const cabac_tables *t)
{
	for (uint32_t i = threadIdx.x; i < H264I_OP_WORDS; i += blockDim.x)
		to[i] = t->lps[i];
}

/* Operations of a chunk. Few frames have short chunks, so that there is a lane for each. */
GPU_FN uint32_t chunk_ops(const entropy_ctx *e)
{
	uint32_t all = e->cabac.slice_at[-1];

	return all <= CABAC_FEW       ? CABAC_FEW_OPS
	       : all <= 2 * CABAC_FEW ? 2 * CABAC_FEW_OPS
	       : all <= 4 * CABAC_FEW ? 4 * CABAC_FEW_OPS
				      : H264I_CHUNK_OPS;
}

/* The chunks of slice n, and their groups: each slice begins one. */
typedef struct slice_chunks {
	uint32_t ops;   /* of a chunk */
	uint32_t count; /* operations */
	uint32_t chunks;
	const uint8_t *op;
	h264i_chunk *chunk;
	size_t first_group;
} slice_chunks;

GPU_FN slice_chunks slice_chunks_of(const entropy_ctx *e, uint32_t n)
{
	uint32_t at = e->cabac.slice_at[n];
	slice_chunks s;

	s.ops = chunk_ops(e);
	s.count = e->cabac.slice_ops[n];
	s.chunks = (s.count + s.ops - 1) / s.ops;
	s.op = e->scratch.ops + at;
	s.chunk = e->scratch.chunk + at / s.ops;
	s.first_group = at / (s.ops * CABAC_GROUP) + n;
	return s;
}

GPU_FN h264i_chunk chunk_up(const h264i_chunk *c, int d)
{
	h264i_chunk r;

	r.start = c->start;
	r.map = __shfl_up_sync(0xffffffffu, c->map, d);
#pragma unroll
	for (int q = 0; q < 4; q++)
		r.pre[q] = __shfl_up_sync(0xffffffffu, c->pre[q], d);
	r.align = __shfl_up_sync(0xffffffffu, c->align, d);
	r.post = __shfl_up_sync(0xffffffffu, c->post, d);
	return r;
}

/* Writes what the chunks of a group do, up to each and all of them: `c` is that of the lane. */
GPU_FN void put_group(
	const entropy_ctx *e, const slice_chunks *s, uint32_t group, h264i_chunk c, uint32_t lane)
{
	uint32_t i = group * CABAC_GROUP + lane, start = c.start;
	h264i_chunk before;

	for (int d = 1; d < CABAC_GROUP; d <<= 1) {
		h264i_chunk up = chunk_up(&c, d);

		if ((int)lane >= d)
			c = h264i_chunk_join(&up, &c);
	}
	before = chunk_up(&c, 1);
	if (lane == 0)
		before = h264i_chunk_identity();
	before.start = start;
	if (i < s->chunks)
		s->chunk[i] = before;
	if (lane == CABAC_GROUP - 1) {
		c.start = 0;
		e->scratch.group[s->first_group + group] = c;
	}
}

/* A lane for each chunk and quarter: the block walks the chunks of a group. */
GPU_FN void walk_quarters(const entropy_ctx *e, const slice_chunks *s, uint32_t group,
	const uint32_t *lps, uint32_t pcm_bits)
{
	__shared__ h264i_chunk walked[CABAC_GROUP];
	uint32_t k = threadIdx.x >> 2, q = threadIdx.x & 3, i = group * CABAC_GROUP + k,
		 quarter = q;
	h264i_chunk c = h264i_chunk_identity();

	if (i < s->chunks)
		quarter = h264i_chunk_walk_one(&c, s->op, i * s->ops,
			min((i + 1) * s->ops, s->count), s->count, lps, pcm_bits, q);
	__syncwarp();
	quarter <<= 2 * q;
	quarter |= __shfl_xor_sync(0xffffffffu, quarter, 1);
	quarter |= __shfl_xor_sync(0xffffffffu, quarter, 2);
	walked[k].pre[q] = c.pre[0];
	if (q == 0) {
		walked[k].start = c.start;
		walked[k].map = quarter;
		walked[k].align = c.align;
		walked[k].post = c.post;
	}
	__syncthreads();
	if (threadIdx.x < CABAC_GROUP)
		put_group(e, s, group, walked[threadIdx.x], threadIdx.x);
	__syncthreads();
}

static __global__ void __launch_bounds__(CHUNK_THREADS) walk_kernel(entropy_ctx e)
{
	__shared__ uint32_t lps[H264I_OP_WORDS];
	const uint32_t n = blockIdx.x / e.cabac.walk_blocks,
		       block = blockIdx.x % e.cabac.walk_blocks;
	const uint32_t pcm_bits = 8u * (uint32_t)h264i_pcm_bytes(e.syntax);
	slice_chunks s;

	load_lps(lps, e.cabac.tables);
	after_kernels();
	if (ops_overflow(&e))
		return;
	__syncthreads();
	s = slice_chunks_of(&e, n);
	if (s.ops == CABAC_FEW_OPS) {
		for (uint32_t g = block; g * CABAC_GROUP < s.chunks; g += e.cabac.walk_blocks)
			walk_quarters(&e, &s, g, lps, pcm_bits);
		return;
	}
	for (uint32_t g = block * WALK_GROUPS + (threadIdx.x >> 5); g * CABAC_GROUP < s.chunks;
		g += e.cabac.walk_blocks * WALK_GROUPS) {
		uint32_t lane = threadIdx.x & 31, i = g * CABAC_GROUP + lane;
		h264i_chunk c = h264i_chunk_identity();

		if (i < s.chunks)
			h264i_chunk_walk(&c, s.op, i * s.ops, min((i + 1) * s.ops, s.count),
				s.count, lps, pcm_bits);
		__syncwarp();
		put_group(&e, &s, g, c, lane);
	}
}

/* The quarter before the chunk of this thread, from those of the threads before; *q is that before
 * the first and becomes that behind the last. Called by all PLACE_THREADS threads. */
GPU_FN uint32_t block_quarter(uint32_t map, uint32_t *q)
{
	__shared__ uint32_t warp_map[32];
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, first = *q, before;

	for (int d = 1; d < 32; d <<= 1) {
		uint32_t up = __shfl_up_sync(0xffffffffu, map, d);

		if ((int)lane >= d)
			map = h264i_quarters_join(up, map);
	}
	before = __shfl_up_sync(0xffffffffu, map, 1);
	__syncthreads();
	if (lane == 31)
		warp_map[warp] = map;
	__syncthreads();
	for (uint32_t w = 0; w < warp; w++)
		first = h264i_quarter_of(warp_map[w], first);
	for (uint32_t w = 0; w < 32; w++)
		*q = h264i_quarter_of(warp_map[w], *q);
	return lane ? h264i_quarter_of(before, first) : first;
}

static __global__ void __launch_bounds__(PLACE_THREADS) resolve_kernel(entropy_ctx e)
{
	const slice_place s = slice_place_of(&e, blockIdx.x);
	uint32_t groups, q = 0, pos, words;
	slice_chunks sc;

	after_kernels();
	if (ops_overflow(&e)) {
		if (threadIdx.x == 0)
			e.slice_bytes[blockIdx.x] = 0;
		return;
	}
	sc = slice_chunks_of(&e, blockIdx.x);
	groups = (sc.chunks + CABAC_GROUP - 1) / CABAC_GROUP;
	pos = s.head->bits;
	for (uint32_t base = 0; base < groups; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x, before, to;
		h264i_chunk c = h264i_chunk_identity();

		if (i < groups)
			c = e.scratch.group[sc.first_group + i];
		before = block_quarter(h264i_quarter_map(&c), &q);
		to = block_place(h264i_chunk_advance(&c, before), &pos);
		if (i < groups) {
			e.scratch.group_quarter[sc.first_group + i] = (uint8_t)before;
			e.scratch.group_at[sc.first_group + i] = to;
		}
	}
	words = (pos + 31) / 32;
	for (uint32_t i = threadIdx.x; i < min(words, s.words); i += PLACE_THREADS)
		s.rbsp[i] = i < 3 ? s.head->word[i] : 0;
	if (threadIdx.x == 0) {
		e.cabac.slice_bits[blockIdx.x] = words > s.words ? 0 : pos;
		e.slice_bytes[blockIdx.x] = words > s.words ? 0 : (pos + 7) / 8;
		if (words > s.words)
			e.cabac.needed[1] = 1;
	}
}

static __global__ void __launch_bounds__(CHUNK_THREADS) code_kernel(entropy_ctx e)
{
	__shared__ uint32_t lps[H264I_OP_WORDS], line[H264I_ADDER_LINE][CHUNK_THREADS];
	const uint32_t n = blockIdx.x / e.cabac.code_blocks;
	const slice_place s = slice_place_of(&e, n);
	h264i_pcm_places pcm;
	slice_chunks sc;

	load_lps(lps, e.cabac.tables);
	after_kernels();
	if (ops_overflow(&e))
		return;
	__syncthreads();
	sc = slice_chunks_of(&e, n);
	pcm.first_op = e.mb_at + (size_t)s.frame * geom_mbs(&e.geom) + s.first;
	pcm.end = e.mb_bits + (size_t)s.frame * geom_mbs(&e.geom) + s.first;
	pcm.mbs = s.end - s.first;
	pcm.bits = 8u * (uint32_t)h264i_pcm_bytes(e.syntax);
	for (uint32_t i = blockIdx.x % e.cabac.code_blocks * CHUNK_THREADS + threadIdx.x;
		i < sc.chunks; i += e.cabac.code_blocks * CHUNK_THREADS) {
		size_t g = sc.first_group + i / CABAC_GROUP;
		uint32_t q = e.scratch.group_quarter[g], pos;
		h264i_chunk c = sc.chunk[i];
		h264i_advance before = { c.align, h264i_chunk_pre(&c, q), c.post };
		h264i_adder a;

		a.rbsp = s.rbsp;
		a.words = s.words;
		a.line = &line[0][threadIdx.x];
		a.stride = CHUNK_THREADS;
		pos = h264i_advance_from(before, e.scratch.group_at[g]);
		h264i_chunk_code(&c, &a, sc.op, min((i + 1) * sc.ops, sc.count), sc.count, lps,
			h264i_quarter_of(c.map, q), pos, &pcm);
	}
}

static __global__ void __launch_bounds__(256) finish_kernel(entropy_ctx e)
{
	uint32_t n = (blockIdx.x * 256 + threadIdx.x) >> 3, sub = threadIdx.x & 7;
	uint32_t mbs = geom_mbs(&e.geom), frame = n / mbs, at = n % mbs, slice;

	after_kernels();
	if (frame >= e.frames || e.pic[frame].mb[at].type != H264I_MB_PCM || ops_overflow(&e))
		return;
	slice = h264i_slice_of_row(&e.geom, at / e.geom.mb_width);
	if (e.cabac.slice_bits[frame * e.geom.slices + slice])
		or_pcm(rbsp_of(&e, frame, at), &e, &e.pic[frame], at, e.mb_bits[n], sub);
}

#endif
