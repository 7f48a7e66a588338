/* NAL units on the GPU, of the RBSPs that entropy.cuh leaves.
 *
 *   escape_kernel  one block per part of a slice: counts the emulation prevention bytes (clause
 *                  7.4.1). The last block adds them up, with CABAC the zero words (clause
 *                  7.4.2.10), too: the size of each NAL unit; it places each frame in the output of
 *                  the group (core/packet_layout.h)
 *   emit_kernel    one block per part: writes its bytes to page-locked host memory */
#ifndef H264INTRA_CUDA_NAL_CUH
#define H264INTRA_CUDA_NAL_CUH

#include "h264intra/core/packet_layout.h"
#include "h264intra/cuda/entropy.cuh"

enum {
	NAL_THREADS = 256,
	NAL_BYTES_A_THREAD = NAL_PART / NAL_THREADS, /* 16: a word of the host's memory */
	NAL_PREFIX_BYTES = 5,                        /* start code and the NAL unit header byte */
	/* of a part, behind an unfilled word and the start code, and 16 bytes of the next */
	STAGE_BYTES = (NAL_PART + 16) * 3 / 2 + 32
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
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, incl = warp_sums(v, lane);
	uint32_t before = 0, all = 0;

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

/* Escapes of the parts of slice n of the group. */
GPU_FN uint32_t *slice_parts(const entropy_ctx *e, uint32_t n)
{
	uint32_t frame = n / e->geom.slices, slice = n % e->geom.slices;

	return e->part_escapes + frame * NAL_FRAME_PARTS(e->rbsp_words, e->geom.slices) +
	       slice_word(&e->geom, slice) / (NAL_PART / 4) + slice;
}

/* One warp per slice: the size of its NAL unit with start code. */
GPU_FN uint32_t nal_size(const entropy_ctx *e, uint32_t n, uint32_t lane)
{
	const slice_place s = slice_place_of(e, n);
	const uint32_t *parts = slice_parts(e, n);
	uint32_t bytes = e->slice_bytes[n], nal = 0;

	for (uint32_t i = lane; i * NAL_PART < bytes; i += 32)
		nal += __ldcg(&parts[i]);
	nal = NAL_PREFIX_BYTES + bytes + __reduce_add_sync(0xffffffffu, nal);
	if (e->cabac.tables)
		nal += 3 * h264i_cabac_zero_words(e->cabac.slice_ops[n], nal - 4, s.end - s.first,
				   (uint32_t)h264i_pcm_bytes(e->syntax));
	return nal;
}

/* One warp per slice adds its parts up, one warp per frame its slices; then thread 0 computes the
 * offsets of the frames. */
GPU_FN void pack_frames(const entropy_ctx *e)
{
	__shared__ uint32_t bytes[H264I_GROUP_FRAMES];
	uint32_t warp = threadIdx.x >> 5, lane = threadIdx.x & 31, slices = e->geom.slices;

	for (uint32_t n = warp; n < e->frames * slices; n += NAL_THREADS / 32) {
		uint32_t nal = nal_size(e, n, lane);

		if (lane == 0)
			e->slice_nal[n] = nal;
	}
	__syncthreads();
	for (uint32_t f = warp; f < e->frames; f += NAL_THREADS / 32) {
		uint32_t n = 0;

		for (uint32_t s = lane; s < slices; s += 32)
			n += e->slice_nal[f * slices + s];
		n = __reduce_add_sync(0xffffffffu, n);
		if (lane == 0) {
			bytes[f] = n;
			e->frame_bytes[f] = n;
		}
	}
	__syncthreads();
	if (threadIdx.x == 0)
		for (uint64_t f = 0, at = H264I_PACKET_HEADERS; f < e->frames; f++) {
			e->frame_at[f] = at;
			at = h264i_packet_next(at, bytes[f]);
		}
}

static __global__ void __launch_bounds__(NAL_THREADS) escape_kernel(entropy_ctx e)
{
	const uint32_t n = blockIdx.x / e.nal_blocks;
	const slice_place s = slice_place_of(&e, n);
	uint32_t bytes, total, *parts = slice_parts(&e, n);

	after_kernels();
	bytes = e.slice_bytes[n];
	for (uint32_t part = blockIdx.x % e.nal_blocks; part * NAL_PART < bytes;
		part += e.nal_blocks) {
		uint32_t i = part * NAL_PART + threadIdx.x * NAL_BYTES_A_THREAD, own = 0;

		if (i < bytes)
			own = __popc(escape_mask(s.rbsp, i, min(i + NAL_BYTES_A_THREAD, bytes)));
		block_scan(own, &total);
		if (threadIdx.x == 0)
			parts[part] = total;
	}
	if (last_block(reinterpret_cast<uint32_t *>(e.frame_at), gridDim.x))
		pack_frames(&e);
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

/* Writes bytes [from, end) of the RBSP with their emulation prevention bytes at `to`. */
GPU_FN void put_escaped(
	uint8_t *to, const uint32_t *rbsp, uint32_t mask, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end; i++) {
		if (mask >> (i - from) & 1)
			*to++ = 3;
		*to++ = (uint8_t)rbsp_byte(rbsp, i);
	}
}

/* A slice and its place in the packet. */
typedef struct nal_place {
	const uint32_t *rbsp;
	uint32_t bytes; /* of the RBSP */
	uint32_t start, end;
	uint8_t *out; /* the packet */
} nal_place;

/* Writes a part of the NAL unit. Host memory is written in 16-byte words, except the ends of a NAL
 * unit, because every single-byte store would be a bus transaction: a part leaves its first bytes,
 * up to the next word, to the part before, which reads 16 bytes more. `at`: where its bytes begin
 * in the packet. */
GPU_FN void emit_part(const nal_place *p, uint32_t part, uint32_t at, uint8_t *stage)
{
	uint32_t from = part * NAL_PART + threadIdx.x * NAL_BYTES_A_THREAD, total, own, more;
	uint32_t end = min(from + NAL_BYTES_A_THREAD, p->bytes), mask = 0, next, head = at & 15,
		 fill;
	int last = p->bytes <= (part + 1) * NAL_PART;

	fill = head;
	if (part == 0) {
		if (threadIdx.x < NAL_PREFIX_BYTES)
			stage[head + threadIdx.x] = threadIdx.x < 3    ? 0
						    : threadIdx.x == 3 ? 1
								       : 0x65; /* IDR, ref_idc 3 */
		fill += NAL_PREFIX_BYTES;
	}
	if (from < p->bytes)
		mask = escape_mask(p->rbsp, from, end);
	else
		from = end = p->bytes;
	own = fill + block_scan(end - from + __popc(mask), &total);
	put_escaped(stage + own, p->rbsp, mask, from, end);
	next = fill + total;
	/* Behind this part, but of the last one, to a whole word. */
	more = (part + 1) * NAL_PART;
	if (!last && threadIdx.x == 0) {
		end = min(more + 16, p->bytes);
		mask = escape_mask(p->rbsp, more, end);
		put_escaped(stage + next, p->rbsp, mask, more, end);
		own = next + end - more + __popc(mask);
	}
	if (threadIdx.x == 0)
		*reinterpret_cast<uint32_t *>(stage + STAGE_BYTES) = own;
	__syncthreads();
	own = *reinterpret_cast<const uint32_t *>(
		stage + STAGE_BYTES); /* the end of what is there */
	next = last ? next : min((next + 15) & ~15u, own);
	copy_out(p->out, at - head, stage, part ? (head + 15) & ~15u : head, next);
	if (last) /* cabac_zero_words, each with its emulation prevention byte */
		for (uint32_t i = threadIdx.x; at - head + next + i < p->end; i += NAL_THREADS)
			p->out[at - head + next + i] = i % 3 == 2 ? 3 : 0;
}

static __global__ void __launch_bounds__(NAL_THREADS) emit_kernel(entropy_ctx e)
{
	__shared__ __align__(16) uint8_t stage[STAGE_BYTES + 16];
	const uint32_t n = blockIdx.x / e.nal_blocks, first = blockIdx.x % e.nal_blocks;
	const uint32_t frame = n / e.geom.slices, slice = n % e.geom.slices;
	const uint32_t *parts = slice_parts(&e, n);
	uint32_t sum = 0, before;
	nal_place p;

	after_kernels();
	p.bytes = e.slice_bytes[n];
	if (first * NAL_PART >= p.bytes && first > 0)
		return;
	p.rbsp = e.rbsp + (size_t)frame * e.rbsp_words + slice_word(&e.geom, slice);
	/* Size of the slices before this one in the frame. */
	for (uint32_t s = threadIdx.x; s < slice; s += NAL_THREADS)
		sum += e.slice_nal[n - slice + s];
	block_scan(sum, &p.start);
	p.end = p.start + e.slice_nal[n];
	p.out = e.out + e.frame_at[frame];
	if (e.frame_at[frame] + p.end > e.out_bytes)
		return; /* the host detects it by frame_bytes and allocates more (output.cuh) */
	for (uint32_t part = first; part * NAL_PART < p.bytes || part == 0; part += e.nal_blocks) {
		sum = 0;
		for (uint32_t i = threadIdx.x; i < part; i += NAL_THREADS)
			sum += parts[i];
		block_scan(sum, &before);
		emit_part(&p, part,
			p.start + (part ? NAL_PREFIX_BYTES + part * NAL_PART : 0) + before, stage);
		__syncthreads();
	}
}

#endif
