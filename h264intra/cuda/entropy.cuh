/* Entropy coding on the GPU: the RBSP of each slice. It runs after the wavefront and codes all
 * macroblocks independently; nal.cuh makes NAL units of the result. Here is what the two coders,
 * cavlc.cuh and cabac.cuh, have in common. */
#ifndef H264INTRA_CUDA_ENTROPY_CUH
#define H264INTRA_CUDA_ENTROPY_CUH

#include "h264intra/core/source.h"
#include "h264intra/cuda/tables.cuh"
#include "h264intra/cuda/warp.cuh"
#include "h264intra/cuda/cabac_tables.cuh"
#include "h264intra/entropy/advance.h"
#include "h264intra/entropy/cabac_adder.h"
#include "h264intra/entropy/mb_layer.h"

enum {
	/* Scratch of a macroblock: 3,200 bits, its maximum (clause A.3.1). */
	MB_WORDS = (128 + 8 * H264I_PCM_BYTES) / 32,
	SLICE_PAD_WORDS = 8, /* for a slice header (at most 72 bits) and the stop bit */
	PLACE_THREADS = 1024,
	NAL_PART = 4096 /* bytes of an RBSP that a block makes those of a NAL unit of, at a time */
};

/* Parts of the slices of a frame whose RBSP has so many words, at most. */
#define NAL_FRAME_PARTS(rbsp_words, slices) ((size_t)(rbsp_words) / (NAL_PART / 4) + (slices))

/* Slice header bits, made by the host: [QP][idr_pic_id][slice]. */
typedef struct slice_head {
	uint32_t word[3];
	uint32_t bits;
} slice_head;

/* 1,024 consecutive bins of a slice, sorted by context (cabac_tiles.cuh), and the bins of a context
 * in the whole slice (cabac_states.cuh). */
enum {
	CABAC_TILE = 1024,
	CABAC_COLUMNS = 480,         /* contexts, a multiple of 32 */
	CABAC_COLUMNS_4X4 = 288,     /* without those of 8x8 blocks */
	CABAC_STRING_WORDS = 106,    /* of the strings of a slice, beyond a bit for each bin */
	CABAC_MORE_STEPS = 480,      /* of these, beyond one for each CABAC_STRING bins */
	CABAC_FEW_OPS = 32,          /* operations of a chunk of few frames */
	CABAC_FEW = 4 * 1024 * 1024, /* operations of few frames */
	CABAC_GROUP = 32             /* chunks, of a warp */
};

typedef struct cabac_tile {
	uint16_t from[H264I_CTX_STATES]; /* position of the first bin of a context */
	uint32_t bits[CABAC_TILE / 32];  /* the bins with a context, the first in bit 0 */
} cabac_tile;

/* Memory that only the entropy kernels of one group at a time use (scratch.cuh). cabac.cuh lists
 * the kernels of CABAC. */
typedef struct entropy_scratch {
	uint32_t *mb_words; /* with CAVLC: [frames][mbs][MB_WORDS] */
	/* [capacity]: bins of macroblocks in any order, until order_kernel has read them; then
	 * tile_kernel's: of each bin those before it in its tile that have its context */
	uint16_t *pool;
	uint16_t *bins;     /* [capacity]: see entropy/bins.h */
	uint8_t *ops;       /* [capacity]: see entropy/cabac_chunk.h */
	cabac_tile *tile;   /* [capacity / CABAC_TILE + slices + 1] */
	uint32_t *place;    /* [as many][CABAC_COLUMNS]: of the tile's bins in those of the slice */
	uint32_t *string;   /* bins of a slice by context, see string_word() */
	uint8_t *steps;     /* states, see step_first() */
	h264i_chunk *chunk; /* [chunks]: what the chunks of the group before it do; its start */
	h264i_chunk *group; /* [chunks / CABAC_GROUP + slices]: what its chunks do */
	uint8_t *group_quarter;
	uint32_t *group_at; /* bit position */
	uint32_t capacity;  /* operations */
	uint32_t frames;    /* for which the capacity is estimated */
} entropy_scratch;

/* Memory and tables of CABAC. Arrays of operations have slices one behind another,
 * each at a multiple of H264I_CHUNK_OPS. */
typedef struct cabac_ctx {
	const cabac_tables *tables;
	const uint8_t *states; /* [H264I_QPS][H264I_CTX_STATES] at the start of a slice */
	uint32_t *mb_pool;     /* [frames][mbs]: first bin in the pool */
	uint32_t *pool_used;   /* bins in the pool; 0 at first */
	uint32_t *slice_ops;   /* [frames][slices] */
	/* [frames][slices]: first operation. slice_at[-1]: their sum; while bins_kernel and
	 * place_bins_kernel run, blocks of them that are done */
	uint32_t *slice_at;
	uint32_t *slice_bits;              /* [frames][slices] */
	uint32_t walk_blocks, code_blocks; /* of these kernels for a slice */
	uint32_t tile_blocks, ops_blocks;
	uint32_t *needed; /* host memory: [0] operations needed, [1] slices that do not fit */
} cabac_ctx;

/* Arguments of the entropy kernels, passed by value. */
typedef struct entropy_ctx {
	h264i_geom geom;
	uint32_t frames;
	const h264i_picture *pic;
	const gpu_tables *tables;
	/* [2][slices]; if pictures have different QPs, [H264I_QPS][2][slices], and head_stride is
	 * not 0 */
	const slice_head *head;
	uint32_t head_stride;
	/* [frames][mbs]. CAVLC: bits and MB_PCM_FLAG. CABAC: bins; then of I_PCM the position of
	 * its samples */
	uint32_t *mb_bits;
	uint32_t *mb_at;        /* [frames][mbs]: position in the slice: bit, of CABAC bin */
	uint32_t *rbsp;         /* [frames][rbsp_words]; first bit in the highest place of a word */
	uint32_t rbsp_words;    /* of one frame */
	uint32_t *slice_bytes;  /* [frames][slices]: RBSP bytes */
	uint32_t *slice_nal;    /* [frames][slices]: bytes of the NAL unit and its start code */
	uint32_t *part_escapes; /* emulation prevention bytes of parts of slices (nal.cuh) */
	uint32_t nal_blocks;    /* of the kernels of nal.cuh for a slice */
	int few;                /* 1: so few macroblocks that multiprocessors are idle */
	uint32_t idr_pic_id[H264I_GROUP_FRAMES / 32]; /* of frame n bit n % 32 of word n / 32 */
	uint8_t *out;       /* page-locked host memory for all frames of the group, aligned to 16 */
	uint64_t out_bytes; /* its size; slices that end behind it are not written */
	uint64_t *frame_at; /* [frames]: start of its slices in out; before, blocks done */
	uint32_t *frame_bytes; /* [frames], host memory: bytes of these, written or not */
	int syntax;            /* of H264I_SYNTAX_8X8 and _GRAY */
	entropy_scratch scratch;
	cabac_ctx cabac; /* with CABAC */
} entropy_ctx;

#define MB_PCM_FLAG 0x80000000u

/* A slice of a group: where it is in the frame and in memory. */
typedef struct slice_place {
	uint32_t frame, slice, first, end; /* its macroblocks in the frame: first..end - 1 */
	uint32_t *rbsp;
	uint32_t words; /* capacity of rbsp */
	const slice_head *head;
} slice_place;

/* Waits for the kernels before, with whose end this one's start overlaps, if their host has
 * launched it so. Each kernel calls it first, behind loads of tables. No kernel lets the next one
 * begin before its own blocks end: blocks that wait take shared memory and registers from those
 * that work, and 720p frames alone took 15 us more. */
GPU_FN void after_kernels(void)
{
#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
}

/* 1 in the last block that calls it of `blocks` of a kernel, which reads by __ldcg what the others
 * have written. *done is 0 at first. Called by all threads. */
GPU_FN int last_block(uint32_t *done, uint32_t blocks)
{
	__shared__ uint32_t before;

	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		before = atomicAdd(done, 1u);
	__syncthreads();
	if (before + 1 != blocks)
		return 0;
	__threadfence();
	return 1;
}

GPU_FN uint32_t geom_mbs(const h264i_geom *g)
{
	return g->mb_width * g->mb_height;
}

/* Slice of a row, without divisions if there is one. */
GPU_FN uint32_t slice_of_row(const h264i_geom *g, uint32_t row)
{
	return g->slices == 1 ? 0 : h264i_slice_of_row(g, row);
}

/* 1 if rows y - 1 and y are in different slices, or one of them in none. */
GPU_FN int slice_begins(const h264i_geom *g, uint32_t y)
{
	if (y == 0 || y == g->mb_height)
		return 1;
	return g->slices > 1 && h264i_slice_of_row(g, y) != h264i_slice_of_row(g, y - 1);
}

/* Word at which the RBSP of a slice starts in that of its frame. */
GPU_FN uint32_t slice_word(const h264i_geom *g, uint32_t slice)
{
	return h264i_slice_first_row(g, slice) * g->mb_width * MB_WORDS + slice * SLICE_PAD_WORDS;
}

/* `n`: number of the slice in the group. */
GPU_FN slice_place slice_place_of(const entropy_ctx *e, uint32_t n)
{
	const h264i_geom *g = &e->geom;
	slice_place s;

	s.frame = n / g->slices;
	s.slice = n % g->slices;
	s.first = h264i_slice_first_row(g, s.slice) * g->mb_width;
	s.end = h264i_slice_first_row(g, s.slice + 1) * g->mb_width;
	s.rbsp = e->rbsp + (size_t)s.frame * e->rbsp_words + slice_word(g, s.slice);
	s.words = slice_word(g, s.slice + 1) - slice_word(g, s.slice);
	s.head = &e->head[(e->idr_pic_id[s.frame / 32] >> s.frame % 32 & 1) * g->slices + s.slice];
	if (e->head_stride)
		s.head += e->pic[s.frame].qp * e->head_stride;
	return s;
}

/* A macroblock of a group and its neighbours in the slice, NULL where there is none. */
typedef struct mb_context {
	const h264i_picture *p;
	const h264i_mb *mb, *left, *up, *prev; /* prev: before it in decoding order */
	const h264i_levels *levels;
	uint32_t frame, at;
	int last; /* of its slice */
} mb_context;

GPU_FN mb_context mb_context_of(const entropy_ctx *e, uint32_t n)
{
	uint32_t mbs = geom_mbs(&e->geom), width = e->geom.mb_width, x, y;
	int has_up;
	mb_context c;

	c.frame = n / mbs;
	c.at = n - c.frame * mbs;
	y = c.at / width;
	x = c.at - y * width;
	c.p = &e->pic[c.frame];
	c.mb = &c.p->mb[c.at];
	c.levels = &c.p->levels[c.at];
	c.last = x + 1 == width && slice_begins(&e->geom, y + 1);
	has_up = !slice_begins(&e->geom, y);
	c.left = x ? c.mb - 1 : NULL;
	c.up = has_up ? c.mb - width : NULL;
	c.prev = x || has_up ? c.mb - 1 : NULL;
	return c;
}

/* The inclusive prefix sum of v over the warp. */
GPU_FN uint32_t warp_sums(uint32_t v, uint32_t lane)
{
	for (int d = 1; d < 32; d <<= 1) {
		uint32_t up = __shfl_up_sync(0xffffffffu, v, d);

		v += (int)lane >= d ? up : 0;
	}
	return v;
}

GPU_FN h264i_advance advance_up(h264i_advance a, int d)
{
	h264i_advance r;

	r.align = __shfl_up_sync(0xffffffffu, a.align, d);
	r.pre = __shfl_up_sync(0xffffffffu, a.pre, d);
	r.post = __shfl_up_sync(0xffffffffu, a.post, d);
	return r;
}

/* Joins the advances of lanes 0 up to this one. */
GPU_FN h264i_advance advance_scan(h264i_advance a, uint32_t lane)
{
	for (int d = 1; d < 32; d <<= 1) {
		h264i_advance before = advance_up(a, d);

		if ((int)lane >= d)
			a = h264i_advance_join(before, a);
	}
	return a;
}

/* Positions of consecutive parts of a slice, `own` of this thread, in a block of PLACE_THREADS;
 * *pos is that of the first and becomes the end of the last. Called by all threads. */
GPU_FN uint32_t block_place(h264i_advance own, uint32_t *pos)
{
	__shared__ h264i_advance warp_sum[32];
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, at;
	h264i_advance incl = advance_scan(own, lane), before;

	__syncthreads();
	if (lane == 31)
		warp_sum[warp] = incl;
	__syncthreads();
	if (warp == 0)
		warp_sum[lane] = advance_scan(warp_sum[lane], lane);
	__syncthreads();
	/* Before this one are those of the warps before, then of the lanes before. */
	before = advance_up(incl, 1);
	if (lane == 0)
		before.align = before.pre = before.post = 0;
	if (warp > 0)
		before = h264i_advance_join(warp_sum[warp - 1], before);
	at = h264i_advance_from(before, *pos);
	*pos = h264i_advance_from(warp_sum[31], *pos);
	return at;
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
	const uint32_t luma = H264I_LUMA_PX / 4, chroma = H264I_CHROMA_PX / 4;
	uint32_t pl = i < luma ? 0 : i < luma + chroma ? 1 : 2;
	uint32_t k = i < luma ? i : (i - luma) % chroma;
	h264i_src s = h264i_src_of(g, p, pl);
	uint32_t row_words = s.mb_width / 4, x = mx * s.mb_width + 4 * (k % row_words);
	const uint8_t *row = h264i_src_row(&s, my * s.mb_height + k / row_words);

	for (uint32_t j = 0; j < 4; j++)
		v = v << 8 | max(h264i_src_sample(&s, row, x + j), 1);
	return v;
}

/* The samples of an I_PCM macroblock, from the byte boundary at or behind bit `pos` on: every
 * eighth word, from word `sub` on. */
GPU_FN void or_pcm(uint32_t *rbsp, const entropy_ctx *e, const h264i_picture *p, uint32_t at,
	uint32_t pos, uint32_t sub)
{
	pos = (pos + 7) & ~7u;
	for (uint32_t i = sub; i < (uint32_t)h264i_pcm_bytes(e->syntax) / 4; i += 8)
		or_bits(rbsp, pos + 32 * i, pcm_word(&e->geom, p, at, i));
}

/* RBSP of the slice of macroblock `at`. */
GPU_FN uint32_t *rbsp_of(const entropy_ctx *e, uint32_t frame, uint32_t at)
{
	return e->rbsp + (size_t)frame * e->rbsp_words +
	       slice_word(&e->geom, h264i_slice_of_row(&e->geom, at / e->geom.mb_width));
}

#endif
