/* Entropy coding on the GPU: the RBSP of each slice. It runs after the wavefront and codes all
 * macroblocks independently; nal.cuh makes NAL units of the result.
 *
 *   cavlc_kernel   one warp per macroblock, one lane per item (entropy/mb_layer.h): codes the
 *                  macroblock into its row of scratch memory
 *   place_kernel   one block per slice: computes the bit positions by a scan; writes the slice
 *                  header and the stop bit
 *   join_kernel    eight lanes per macroblock: copies its bits into the RBSP of the slice */
#ifndef H264INTRA_CUDA_ENTROPY_CUH
#define H264INTRA_CUDA_ENTROPY_CUH

#include "h264intra/core/work.h"
#include "h264intra/cuda/tables.cuh"
#include "h264intra/cuda/warp.cuh"
#include "h264intra/entropy/mb_layer.h"

enum {
	MB_WORDS = 100,      /* scratch of a macroblock: 3,200 bits, its maximum (clause A.3.1) */
	SLICE_PAD_WORDS = 8, /* room for a slice header (at most 64 bits) and the stop bit */
	ITEM_WORDS = 17,     /* one item: at most 512 bits */
	CAVLC_WARPS = 4,
	PLACE_THREADS = 1024
};

/* Slice header bits, made by the host: [parity of the frame's index][slice]. */
typedef struct slice_head {
	uint32_t word[3];
	uint32_t bits;
} slice_head;

/* Arguments of the entropy kernels, passed by value. */
typedef struct entropy_ctx {
	h264i_geom geom;
	uint32_t frames;
	const h264i_picture *pic;
	const gpu_tables *tables;
	const slice_head *head; /* [2][slices] */
	uint32_t *mb_bits;      /* [frames][mbs]: bits, and MB_PCM_FLAG */
	uint32_t *mb_at;        /* [frames][mbs]: bit position in the slice's RBSP */
	uint32_t *mb_words;     /* [frames][mbs][MB_WORDS] */
	uint32_t *rbsp;         /* [frames][rbsp_words]; first bit in the highest place of a word */
	uint32_t rbsp_words;    /* of one frame */
	uint32_t *slice_bytes;  /* [frames][slices]: RBSP bytes */
	uint32_t *slice_escapes; /* [frames][slices]: emulation prevention bytes */
	uint32_t first_picture;  /* number of frame 0 in the stream, for idr_pic_id */
	uint8_t *out;       /* page-locked host memory for all frames of the group, aligned to 16 */
	uint64_t out_bytes; /* its size; slices that end behind it are not written */
	uint64_t *frame_at; /* [frames]: where a frame's slices start in out */
	uint32_t *frame_bytes; /* [frames], host memory: bytes of these, written or not */
} entropy_ctx;

#define MB_PCM_FLAG 0x80000000u

GPU_FN uint32_t geom_mbs(const h264i_geom *g)
{
	return g->mb_width * g->mb_height;
}

/* Word at which the RBSP of a slice starts in that of its frame. */
GPU_FN uint32_t slice_word(const h264i_geom *g, uint32_t slice)
{
	return h264i_slice_first_row(g, slice) * g->mb_width * MB_WORDS + slice * SLICE_PAD_WORDS;
}

static __global__ void __launch_bounds__(32 * CAVLC_WARPS) cavlc_kernel(entropy_ctx e)
{
	__shared__ uint32_t item_words[CAVLC_WARPS][ITEM_WORDS][32];
	__shared__ uint32_t joined[CAVLC_WARPS][MB_WORDS + 2];
	uint32_t warp = threadIdx.x >> 5, lane = threadIdx.x & 31, mbs = geom_mbs(&e.geom);
	uint32_t n = blockIdx.x * CAVLC_WARPS + warp, frame = n / mbs, at = n % mbs;
	uint32_t x = at % e.geom.mb_width, y = at / e.geom.mb_width, bits = 0, before, total;
	const h264i_picture *p;
	const h264i_mb *mb, *left, *up;
	int has_up;
	h264i_bits out;

	if (frame >= e.frames)
		return;
	p = &e.pic[frame];
	mb = &p->mb[at];
	has_up = y != h264i_slice_first_row(&e.geom, h264i_slice_of_row(&e.geom, y));
	left = x ? mb - 1 : NULL;
	up = has_up ? mb - e.geom.mb_width : NULL;
	for (uint32_t i = lane; i < MB_WORDS + 2; i += 32)
		joined[warp][i] = 0;
	h264i_bits_init(&out, &item_words[warp][0][lane], 32, ITEM_WORDS);
	if (lane < H264I_MB_ITEMS) {
		h264i_mb_item_put(
			&out, &e.tables->cavlc, mb, &p->levels[at], left, up, 0, (int)lane);
		bits = (uint32_t)h264i_bits_position(&out);
		if (out.fill) /* the last, partly filled word */
			item_words[warp][out.done][lane] = (uint32_t)(out.acc << (32 - out.fill));
	}
	before = bits;
	for (int d = 1; d < 32; d <<= 1) {
		uint32_t v = __shfl_up_sync(0xffffffffu, before, d);

		before += (int)lane >= d ? v : 0;
	}
	total = __shfl_sync(0xffffffffu, before, 31);
	before -= bits;
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
		e.mb_words[(size_t)n * MB_WORDS + i] = joined[warp][i];
	if (lane == 0)
		e.mb_bits[n] = total | (mb->type == H264I_MB_PCM ? MB_PCM_FLAG : 0);
}

/* Change of the bit position by a run of macroblocks: adds `pre`; with `align`, aligns to the next
 * byte and adds `post` (clause 7.3.5: the length of I_PCM depends on its position). advance_join()
 * composes two. */
typedef struct advance {
	uint32_t align, pre, post;
} advance;

GPU_FN advance advance_join(advance a, advance b)
{
	advance r;

	if (!b.align) {
		r.align = a.align;
		r.pre = a.align ? a.pre : a.pre + b.pre;
		r.post = a.align ? a.post + b.pre : 0;
	} else if (!a.align) {
		r.align = 1;
		r.pre = a.pre + b.pre;
		r.post = b.post;
	} else { /* a.post counts from a byte boundary */
		r.align = 1;
		r.pre = a.pre;
		r.post = ((a.post + b.pre + 7) & ~7u) + b.post;
	}
	return r;
}

GPU_FN uint32_t advance_from(advance a, uint32_t pos)
{
	return a.align ? ((pos + a.pre + 7) & ~7u) + a.post : pos + a.pre;
}

GPU_FN advance advance_up(advance a, int d)
{
	advance r;

	r.align = __shfl_up_sync(0xffffffffu, a.align, d);
	r.pre = __shfl_up_sync(0xffffffffu, a.pre, d);
	r.post = __shfl_up_sync(0xffffffffu, a.post, d);
	return r;
}

/* Joins the advances of lanes 0 up to this one. */
GPU_FN advance advance_scan(advance a, uint32_t lane)
{
	for (int d = 1; d < 32; d <<= 1) {
		advance before = advance_up(a, d);

		if ((int)lane >= d)
			a = advance_join(before, a);
	}
	return a;
}

static __global__ void __launch_bounds__(PLACE_THREADS) place_kernel(entropy_ctx e)
{
	__shared__ advance warp_sum[32];
	__shared__ uint32_t next_pos;
	uint32_t frame = blockIdx.x / e.geom.slices, slice = blockIdx.x % e.geom.slices;
	uint32_t first = h264i_slice_first_row(&e.geom, slice) * e.geom.mb_width;
	uint32_t end = h264i_slice_first_row(&e.geom, slice + 1) * e.geom.mb_width;
	uint32_t mbs = geom_mbs(&e.geom), lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const slice_head *head = &e.head[((e.first_picture + frame) & 1) * e.geom.slices + slice];
	uint32_t *rbsp = e.rbsp + (size_t)frame * e.rbsp_words + slice_word(&e.geom, slice);
	uint32_t pos = head->bits, bytes, words;

	for (uint32_t base = first; base < end; base += PLACE_THREADS) {
		uint32_t i = base + threadIdx.x,
			 v = i < end ? e.mb_bits[(size_t)frame * mbs + i] : 0;
		advance a, own, incl;

		own.align = v >> 31;
		own.pre = v & ~MB_PCM_FLAG;
		own.post = own.align ? 8 * H264I_PCM_BYTES : 0;
		incl = advance_scan(own, lane);
		if (lane == 31)
			warp_sum[warp] = incl;
		__syncthreads();
		if (warp == 0)
			warp_sum[lane] = advance_scan(warp_sum[lane], lane);
		__syncthreads();
		/* The macroblocks before this one: those of the warps before, then of the lanes
		 * before. */
		a = advance_up(incl, 1);
		if (lane == 0)
			a.align = a.pre = a.post = 0;
		if (warp > 0)
			a = advance_join(warp_sum[warp - 1], a);
		if (i < end)
			e.mb_at[(size_t)frame * mbs + i] = advance_from(a, pos);
		if (threadIdx.x == 0)
			next_pos = advance_from(warp_sum[31], pos);
		__syncthreads();
		pos = next_pos;
		__syncthreads();
	}
	bytes = pos / 8 + 1; /* with the stop bit and its alignment */
	words = (bytes + 3) / 4;
	for (uint32_t i = threadIdx.x; i < words; i += PLACE_THREADS) {
		uint32_t v = i < 3 ? head->word[i] : 0;

		if (i == pos >> 5)
			v |= 0x80000000u >> (pos & 31);
		rbsp[i] = v;
	}
	if (threadIdx.x == 0)
		e.slice_bytes[blockIdx.x] = bytes;
}

GPU_FN void or_bits(uint32_t *rbsp, uint32_t pos, uint32_t v)
{
	uint32_t s = pos & 31;

	if (v >> s)
		atomicOr(&rbsp[pos >> 5], v >> s);
	if (s && v << (32 - s))
		atomicOr(&rbsp[(pos >> 5) + 1], v << (32 - s));
}

/* PCM samples 4 * i to 4 * i + 3, i < 96, the first in the most significant byte; 0 becomes 1. */
GPU_FN uint32_t pcm_word(const h264i_geom *g, const h264i_picture *p, uint32_t at, uint32_t i)
{
	uint32_t mx = at % g->mb_width, my = at / g->mb_width, v = 0;
	uint32_t pl = i < 64 ? 0 : i < 80 ? 1 : 2, k = i < 64 ? i : (i - 64) & 15;
	uint32_t shift = pl ? 1 : 2, size = pl ? 8 : 16, step = pl ? p->chroma_step : 1;
	uint32_t w = pl ? h264i_chroma_size(g->width) : g->width;
	uint32_t h = pl ? h264i_chroma_size(g->height) : g->height;
	uint32_t x = mx * size + 4 * (k & ((1u << shift) - 1)),
		 y = min(my * size + (k >> shift), h - 1);
	const uint8_t *row = p->src[pl] + (size_t)y * p->src_pitch[pl];

	for (uint32_t j = 0; j < 4; j++)
		v = v << 8 | max(row[(size_t)min(x + j, w - 1) * step], 1);
	return v;
}

static __global__ void __launch_bounds__(256) join_kernel(entropy_ctx e)
{
	uint32_t n = (blockIdx.x * 256 + threadIdx.x) >> 3, sub = threadIdx.x & 7;
	uint32_t mbs = geom_mbs(&e.geom), frame = n / mbs, at = n % mbs, bits, pos;
	uint32_t *rbsp;

	if (frame >= e.frames)
		return;
	rbsp = e.rbsp + (size_t)frame * e.rbsp_words +
	       slice_word(&e.geom, h264i_slice_of_row(&e.geom, at / e.geom.mb_width));
	bits = e.mb_bits[n];
	pos = e.mb_at[n];
	for (uint32_t i = sub; i * 32 < (bits & ~MB_PCM_FLAG); i += 8)
		or_bits(rbsp, pos + 32 * i, e.mb_words[(size_t)n * MB_WORDS + i]);
	if (bits & MB_PCM_FLAG) {
		pos = (pos + (bits & ~MB_PCM_FLAG) + 7) & ~7u;
		for (uint32_t i = sub; i < H264I_PCM_BYTES / 4; i += 8)
			or_bits(rbsp, pos + 32 * i, pcm_word(&e.geom, &e.pic[frame], at, i));
	}
}

#endif
