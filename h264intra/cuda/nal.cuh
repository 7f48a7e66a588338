/* NAL units on the GPU, of the RBSPs that entropy.cuh leaves.
 *
 *   escape_kernel  one block per slice: counts the emulation prevention bytes (clause 7.4.1), and
 *                  with CABAC the zero words (clause 7.4.2.10): the size of the NAL unit
 *   pack_kernel    one block: places each frame in the output of the group (core/room.h)
 *   emit_kernel    one block per slice: writes the NAL unit to page-locked host memory */
#ifndef H264INTRA_CUDA_NAL_CUH
#define H264INTRA_CUDA_NAL_CUH

#include "h264intra/core/room.h"
#include "h264intra/cuda/entropy.cuh"

enum {
	NAL_THREADS = 512,
	NAL_BYTES_A_THREAD = 16,
	NAL_PREFIX_BYTES = 5, /* start code and the NAL unit header byte */
	PACK_THREADS = 256,
	PACK_FRAMES = 1024 /* the largest options.frames_in_flight */
};

GPU_FN uint32_t rbsp_byte(const uint32_t *rbsp, uint32_t i)
{
	return rbsp[i >> 2] >> (24 - 8 * (i & 3)) & 255;
}

/* Mask of the bytes in [from, end) that need an emulation prevention byte before them: those <= 3
 * directly after an even number, at least two, of zero bytes (proof: bitstream/nal.h). The NAL unit
 * header before byte 0 is not zero. */
GPU_FN uint32_t escape_mask(const uint32_t *rbsp, uint32_t from, uint32_t end)
{
	uint32_t mask = 0, zeros = 0;

	for (uint32_t i = from; i > 0 && i <= end && rbsp_byte(rbsp, i - 1) == 0; i--)
		zeros++;
	for (uint32_t i = from; i < end; i++) {
		uint32_t b = rbsp_byte(rbsp, i);

		if (b <= 3 && zeros >= 2 && !(zeros & 1))
			mask |= 1u << (i - from);
		zeros = b ? 0 : zeros + 1;
	}
	return mask;
}

/* Exclusive prefix sum of v over the block; *total is the sum of all. */
GPU_FN uint32_t block_scan(uint32_t v, uint32_t *total)
{
	__shared__ uint32_t warp_sum[NAL_THREADS / 32];
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, incl = v, before = 0, all = 0;

	for (int d = 1; d < 32; d <<= 1) {
		uint32_t up = __shfl_up_sync(0xffffffffu, incl, d);

		incl += (int)lane >= d ? up : 0;
	}
	__syncthreads();
	if (lane == 31)
		warp_sum[warp] = incl;
	__syncthreads();
	for (uint32_t k = 0; k < NAL_THREADS / 32; k++) {
		before += k < warp ? warp_sum[k] : 0;
		all += warp_sum[k];
	}
	*total = all;
	return before + incl - v;
}

static __global__ void __launch_bounds__(NAL_THREADS) escape_kernel(entropy_ctx e)
{
	const slice_place s = slice_place_of(&e, blockIdx.x);
	const uint32_t *rbsp = s.rbsp;
	uint32_t bytes = e.slice_bytes[blockIdx.x], n = 0, total;

	for (uint32_t i = threadIdx.x * NAL_BYTES_A_THREAD; i < bytes;
		i += NAL_THREADS * NAL_BYTES_A_THREAD)
		n += __popc(escape_mask(rbsp, i, min(i + NAL_BYTES_A_THREAD, bytes)));
	block_scan(n, &total);
	if (threadIdx.x == 0) {
		uint32_t nal = NAL_PREFIX_BYTES + bytes + total;

		if (e.cabac.tables)
			nal += 3 * h264i_cabac_zero_words(e.cabac.slice_ops[blockIdx.x], nal - 4,
					   s.end - s.first, (uint32_t)h264i_pcm_bytes(e.syntax));
		e.slice_nal[blockIdx.x] = nal;
	}
}

/* One warp per frame adds the sizes of its slices; then thread 0 computes the offsets of the
 * frames. */
static __global__ void __launch_bounds__(PACK_THREADS) pack_kernel(entropy_ctx e)
{
	__shared__ uint32_t bytes[PACK_FRAMES];
	uint32_t warp = threadIdx.x >> 5, lane = threadIdx.x & 31, slices = e.geom.slices;

	for (uint32_t f = warp; f < e.frames; f += PACK_THREADS / 32) {
		uint32_t n = 0;

		for (uint32_t s = lane; s < slices; s += 32)
			n += e.slice_nal[f * slices + s];
		for (int d = 16; d; d >>= 1)
			n += __shfl_xor_sync(0xffffffffu, n, d);
		if (lane == 0) {
			bytes[f] = n;
			e.frame_bytes[f] = n;
		}
	}
	__syncthreads();
	if (threadIdx.x == 0)
		for (uint64_t f = 0, at = H264I_ROOM_HEADERS; f < e.frames; f++) {
			e.frame_at[f] = at;
			at = h264i_room_next(at, bytes[f]);
		}
}

/* Copies bytes [head, whole) of `stage` to `out + pos`: 16-byte words, and single bytes at the
 * ends. */
GPU_FN void copy_out(
	uint8_t *out, uint32_t pos, const uint8_t *stage, uint32_t head, uint32_t whole)
{
	for (uint32_t i = threadIdx.x * 16; i < whole; i += NAL_THREADS * 16) {
		uint32_t lo = max(i, head), hi = min(i + 16, whole);

		if (hi - lo == 16)
			*reinterpret_cast<uint4 *>(out + pos + i) =
				*reinterpret_cast<const uint4 *>(stage + i);
		else
			for (uint32_t j = lo; j < hi; j++)
				out[pos + j] = stage[j];
	}
}

/* Host memory is written in 16-byte words, except the ends of a NAL unit, because every single-byte
 * store would be a bus transaction. `stage` holds bytes that do not yet fill a word. */
static __global__ void __launch_bounds__(NAL_THREADS) emit_kernel(entropy_ctx e)
{
	__shared__ __align__(16) uint8_t stage[NAL_THREADS * NAL_BYTES_A_THREAD * 3 / 2 + 64];
	uint32_t frame = blockIdx.x / e.geom.slices, slice = blockIdx.x % e.geom.slices;
	const uint32_t *rbsp = e.rbsp + (size_t)frame * e.rbsp_words + slice_word(&e.geom, slice);
	uint32_t bytes = e.slice_bytes[blockIdx.x], first = frame * e.geom.slices, start = 0, size,
		 n;
	uint8_t *out = e.out + e.frame_at[frame];

	/* Size of the slices before this one in the frame. */
	n = 0;
	for (uint32_t s = threadIdx.x; s < slice; s += NAL_THREADS)
		n += e.slice_nal[first + s];
	block_scan(n, &start);
	size = e.slice_nal[blockIdx.x];
	if (e.frame_at[frame] + start + size > e.out_bytes)
		return; /* the host detects it by frame_bytes and allocates more (output.cuh) */

	/* stage[0] is byte `pos & ~15` of the packet; its first `head` bytes belong to another
	 * slice. */
	uint32_t pos = start, head = start & 15, fill = head + NAL_PREFIX_BYTES;

	if (threadIdx.x < NAL_PREFIX_BYTES)
		stage[head + threadIdx.x] = threadIdx.x < 3    ? 0
					    : threadIdx.x == 3 ? 1
							       : 0x65; /* IDR, ref_idc 3 */
	pos -= head;
	for (uint32_t base = 0; base < bytes; base += NAL_THREADS * NAL_BYTES_A_THREAD) {
		uint32_t from = base + threadIdx.x * NAL_BYTES_A_THREAD;
		uint32_t end = min(from + NAL_BYTES_A_THREAD, bytes), mask = 0, at, total, whole;

		if (from < bytes)
			mask = escape_mask(rbsp, from, end);
		else
			from = end = bytes;
		at = fill + block_scan(end - from + __popc(mask), &total);
		for (uint32_t i = from; i < end; i++) {
			if (mask >> (i - from) & 1)
				stage[at++] = 3;
			stage[at++] = (uint8_t)rbsp_byte(rbsp, i);
		}
		fill += total;
		__syncthreads();
		whole = base + NAL_THREADS * NAL_BYTES_A_THREAD < bytes ? fill & ~15u : fill;
		copy_out(out, pos, stage, head, whole);
		__syncthreads();
		/* Bytes that do not fill a word move to the front. */
		uint8_t rest = whole + threadIdx.x < fill ? stage[whole + threadIdx.x] : 0;

		__syncthreads();
		if (whole + threadIdx.x < fill)
			stage[threadIdx.x] = rest;
		pos += whole;
		fill -= whole;
		head = 0;
		__syncthreads();
	}
	/* cabac_zero_words, each with its emulation prevention byte */
	for (uint32_t i = threadIdx.x; pos + i < start + size; i += NAL_THREADS)
		out[pos + i] = i % 3 == 2 ? 3 : 0;
}

#endif
