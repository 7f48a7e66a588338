/* CAVLC on the GPU.
 *
 *   cavlc_kernel   one warp per macroblock, one lane per item (entropy/mb_layer.h): codes the
 *                  macroblock into its row of scratch memory
 *   place_kernel   one block per slice: computes the bit positions by a scan; writes the slice
 *                  header and the stop bit
 *   join_kernel    eight lanes per macroblock: copies its bits into the RBSP of the slice */
#ifndef H264INTRA_CUDA_CAVLC_CUH
#define H264INTRA_CUDA_CAVLC_CUH

#include "h264intra/cuda/entropy.cuh"

enum {
	ITEM_WORDS = 17, /* one item: at most 512 bits */
	CAVLC_WARPS = 4
};

static __global__ void __launch_bounds__(32 * CAVLC_WARPS) cavlc_kernel(entropy_ctx e)
{
	__shared__ uint32_t item_words[CAVLC_WARPS][ITEM_WORDS][32];
	__shared__ uint32_t joined[CAVLC_WARPS][MB_WORDS + 2];
	uint32_t warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
	uint32_t n = blockIdx.x * CAVLC_WARPS + warp, bits = 0, before, total;
	mb_context c;
	h264i_bits out;

	after_kernels();
	if (n >= e.frames * geom_mbs(&e.geom))
		return;
	c = mb_context_of(&e, n);
	for (uint32_t i = lane; i < MB_WORDS + 2; i += 32)
		joined[warp][i] = 0;
	h264i_bits_init(&out, &item_words[warp][0][lane], 32, ITEM_WORDS);
	if (lane < H264I_MB_ITEMS) {
		h264i_mb_item_put(&out, &e.tables->cavlc.code, c.mb, c.levels, c.left, c.up,
			e.syntax, (int)lane);
		bits = (uint32_t)h264i_bits_position(&out);
		if (out.fill) /* the last, partly filled word */
			item_words[warp][out.done][lane] = (uint32_t)(out.acc << (32 - out.fill));
	}
	before = warp_sums(bits, lane);
	total = __shfl_sync(0xffffffffu, before, 31);
	before -= bits;
	if (total > 32 * MB_WORDS) /* only if the wavefront failed: its records may be anything */
		total = bits = 0;
	__syncwarp();
	for (uint32_t i = 0; i * 32 < bits; i++) {
		uint32_t v = item_words[warp][i][lane], pos = before + 32 * i, s = pos & 31;

		if (v) {
			atomicOr(&joined[warp][pos >> 5], v >> s);
			if (s)
				atomicOr(&joined[warp][(pos >> 5) + 1], v << (32 - s));
		}
	}
	__syncwarp();
	for (uint32_t i = lane; i * 32 < total; i += 32)
		e.scratch.mb_words[(size_t)n * MB_WORDS + i] = joined[warp][i];
	if (lane == 0)
		e.mb_bits[n] = total | (c.mb->type == H264I_MB_PCM ? MB_PCM_FLAG : 0);
}

static __global__ void __launch_bounds__(PLACE_THREADS) place_kernel(entropy_ctx e)
{
	const slice_place s = slice_place_of(&e, blockIdx.x);
	uint32_t mbs = geom_mbs(&e.geom);
	uint32_t pos = s.head->bits, bytes, words;

	after_kernels();
	for (uint32_t base = s.first; base < s.end; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x,
			 v = i < s.end ? e.mb_bits[(size_t)s.frame * mbs + i] : 0;
		h264i_advance own;
		uint32_t at;

		own.align = v >> 31;
		own.pre = v & ~MB_PCM_FLAG;
		own.post = own.align ? 8u * (uint32_t)h264i_pcm_bytes(e.syntax) : 0;
		at = block_place(own, &pos);
		if (i < s.end)
			e.mb_at[(size_t)s.frame * mbs + i] = at;
	}
	bytes = pos / 8 + 1; /* with the stop bit and its alignment */
	words = (bytes + 3) / 4;
	for (uint32_t i = threadIdx.x; i < words; i += PLACE_THREADS) {
		uint32_t v = i < 3 ? s.head->word[i] : 0;

		if (i == pos >> 5)
			v |= 0x80000000u >> (pos & 31);
		s.rbsp[i] = v;
	}
	if (threadIdx.x == 0)
		e.slice_bytes[blockIdx.x] = bytes;
	if (threadIdx.x == 0 && blockIdx.x == 0)
		e.frame_at[0] = 0;
}

static __global__ void __launch_bounds__(256) join_kernel(entropy_ctx e)
{
	uint32_t n = (blockIdx.x * 256 + threadIdx.x) >> 3, sub = threadIdx.x & 7;
	uint32_t mbs = geom_mbs(&e.geom), frame = n / mbs, at = n % mbs, bits, pos;
	uint32_t *rbsp;

	after_kernels();
	if (frame >= e.frames)
		return;
	rbsp = rbsp_of(&e, frame, at);
	bits = e.mb_bits[n];
	pos = e.mb_at[n];
	for (uint32_t i = sub; i * 32 < (bits & ~MB_PCM_FLAG); i += 8)
		or_bits(rbsp, pos + 32 * i, e.scratch.mb_words[(size_t)n * MB_WORDS + i]);
	if (bits & MB_PCM_FLAG)
		or_pcm(rbsp, &e, &e.pic[frame], at, pos + (bits & ~MB_PCM_FLAG), sub);
}

#endif
