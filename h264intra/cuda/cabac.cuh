/* CABAC on the GPU: all macroblocks, contexts and parts of a slice at once (entropy/cabac_chunk.h
 * explains the arithmetic coder).
 *
 *   bins_kernel        one warp per macroblock, one lane per part: its bins, into a pool
 *   place_bins_kernel  one block per slice: their positions in the slice
 *   base_kernel        one block: the positions of the slices
 *   order_kernel       one warp per macroblock: copies its bins to their position
 *   tile_kernel, states_kernel, ops_kernel
 *                      the context states (cabac_states.cuh)
 *   walk_kernel        one lane per chunk: ranges and bits for four ranges at its start
 *   resolve_kernel     one block per slice: which of the four it is; bit positions
 *   code_kernel        one lane per chunk: its bits
 *   finish_kernel      eight lanes per macroblock: samples of I_PCM, and the last bits */
#ifndef H264INTRA_CUDA_CABAC_CUH
#define H264INTRA_CUDA_CABAC_CUH

#include "h264intra/cuda/cabac_bins.cuh"
#include "h264intra/cuda/cabac_states.cuh"

enum { CHUNK_THREADS = 128 };

/* Copies the table of h264i_op_word() to shared memory. */
GPU_FN void load_lps(uint32_t *to, const cabac_tables *t)
{
	for (uint32_t i = threadIdx.x; i < H264I_OP_WORDS; i += blockDim.x)
		to[i] = t->lps[i];
	__syncthreads();
}

/* Number of the lane among those of its slice; its first chunk. */
GPU_FN uint32_t chunk_lane(const entropy_ctx *e)
{
	return blockIdx.x % e->cabac.chunk_blocks * CHUNK_THREADS + threadIdx.x;
}

static __global__ void __launch_bounds__(CHUNK_THREADS) walk_kernel(entropy_ctx e)
{
	__shared__ uint32_t lps[H264I_OP_WORDS];
	uint32_t n = blockIdx.x / e.cabac.chunk_blocks, count, at;

	if (ops_overflow(&e))
		return;
	load_lps(lps, e.cabac.tables);
	count = e.cabac.slice_ops[n];
	at = e.cabac.slice_at[n];
	for (uint32_t i = chunk_lane(&e); i * H264I_CHUNK_OPS < count;
		i += e.cabac.chunk_blocks * CHUNK_THREADS)
		h264i_chunk_walk(&e.scratch.chunk[at / H264I_CHUNK_OPS + i], e.scratch.ops + at,
			i * H264I_CHUNK_OPS, min((i + 1) * H264I_CHUNK_OPS, count), count, lps,
			8u * (uint32_t)h264i_pcm_bytes(e.syntax));
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
	uint32_t count, chunks, at, q = 0, pos = s.head->bits, words;

	if (ops_overflow(&e)) {
		if (threadIdx.x == 0)
			e.slice_bytes[blockIdx.x] = 0;
		return;
	}
	count = e.cabac.slice_ops[blockIdx.x];
	chunks = (count + H264I_CHUNK_OPS - 1) / H264I_CHUNK_OPS;
	at = e.cabac.slice_at[blockIdx.x] / H264I_CHUNK_OPS;
	for (uint32_t base = 0; base < chunks; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x, before, to;
		h264i_chunk c = { H264I_CHUNK_NONE };

		if (i < chunks)
			c = e.scratch.chunk[at + i];
		before = block_quarter(h264i_quarter_map(&c), &q);
		to = block_place(h264i_chunk_advance(&c, before), &pos);
		if (i < chunks) {
			e.scratch.chunk_quarter[at + i] = (uint8_t)before;
			e.scratch.chunk_at[at + i] = to;
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
	uint32_t n = blockIdx.x / e.cabac.chunk_blocks, count, at;
	const slice_place s = slice_place_of(&e, n);
	h264i_pcm_places pcm;

	if (ops_overflow(&e))
		return;
	load_lps(lps, e.cabac.tables);
	count = e.cabac.slice_ops[n];
	at = e.cabac.slice_at[n];
	pcm.first_op = e.mb_at + (size_t)s.frame * geom_mbs(&e.geom) + s.first;
	pcm.end = e.mb_bits + (size_t)s.frame * geom_mbs(&e.geom) + s.first;
	pcm.mbs = s.end - s.first;
	pcm.bits = 8u * (uint32_t)h264i_pcm_bytes(e.syntax);
	for (uint32_t i = chunk_lane(&e); i * H264I_CHUNK_OPS < count;
		i += e.cabac.chunk_blocks * CHUNK_THREADS) {
		uint32_t k = at / H264I_CHUNK_OPS + i;
		h264i_chunk c = e.scratch.chunk[k];
		h264i_adder a;

		a.rbsp = s.rbsp;
		a.words = s.words;
		a.line = &line[0][threadIdx.x];
		a.stride = CHUNK_THREADS;
		h264i_chunk_code(&c, &a, e.scratch.ops + at, min((i + 1) * H264I_CHUNK_OPS, count),
			count, lps, e.scratch.chunk_quarter[k], e.scratch.chunk_at[k], &pcm);
	}
}

static __global__ void __launch_bounds__(256) finish_kernel(entropy_ctx e)
{
	uint32_t n = (blockIdx.x * 256 + threadIdx.x) >> 3, sub = threadIdx.x & 7;
	uint32_t mbs = geom_mbs(&e.geom), frame = n / mbs, at = n % mbs, slice, bits;

	if (frame >= e.frames || ops_overflow(&e))
		return;
	slice = h264i_slice_of_row(&e.geom, at / e.geom.mb_width);
	bits = e.cabac.slice_bits[frame * e.geom.slices + slice];
	if (!bits)
		return;
	if (e.pic[frame].mb[at].type == H264I_MB_PCM) {
		if (sub == 0)
			or_bits(rbsp_of(&e, frame, at), e.mb_bits[n] - 1, 0x80000000u);
		or_pcm(rbsp_of(&e, frame, at), &e, &e.pic[frame], at, e.mb_bits[n], sub);
	}
	if (sub == 0 && at == h264i_slice_first_row(&e.geom, slice) * e.geom.mb_width)
		or_bits(rbsp_of(&e, frame, at), bits - 1, 0x80000000u);
}

#endif
