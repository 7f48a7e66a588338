/* The bins of CABAC on the GPU, sorted by context: tile_kernel, one warp per tile of 1,024 bins of
 * a slice. Arrays of tiles have slices one behind another (tile_first). */
#ifndef H264INTRA_CUDA_CABAC_TILES_CUH
#define H264INTRA_CUDA_CABAC_TILES_CUH

#include "h264intra/cuda/cabac_bins.cuh"

enum { TILE_WARPS = 4, TILE_BLOCKS = 4096 };

GPU_FN int is_regular(uint32_t ctx)
{
	return ctx < H264I_CTX && ctx != H264I_CTX_TERMINATE;
}

/* Number of the first tile of slice n in the arrays of tiles: each slice begins a tile, and its
 * operations take whole chunks. */
GPU_FN uint32_t tile_first(const entropy_ctx *e, uint32_t n)
{
	return e->cabac.slice_at[n] / CABAC_TILE + n;
}

/* Word of the strings of slice n at which they begin. */
GPU_FN size_t string_word(const entropy_ctx *e, uint32_t n)
{
	return e->cabac.slice_at[n] / 32 + (size_t)CABAC_STRING_WORDS * n;
}

/* Words of the strings of a slice of `count` bins that are written or read. */
GPU_FN uint32_t string_words(uint32_t count)
{
	return (count + CABAC_STRING * H264I_CTX) / 32 + 3;
}

/* Lanes whose `ctx` is the same. Faster than __match_any_sync, which takes a step for each
 * value. */
GPU_FN uint32_t lanes_alike(uint32_t ctx)
{
	uint32_t mask = 0xffffffffu;

#pragma unroll
	for (int bit = 0; bit < 9; bit++) {
		uint32_t set = __ballot_sync(0xffffffffu, ctx >> bit & 1);

		mask &= ctx >> bit & 1 ? set : ~set;
	}
	return mask;
}

/* Scratch of a warp that sorts a tile. */
typedef struct tile_shared {
	uint16_t from[H264I_CTX_STATES]; /* bins of a context; then the position of its string */
	uint32_t bits[CABAC_TILE / 32];
	uint32_t bin[CABAC_TILE]; /* record, and from bit 16 on the bins before it of its context */
} tile_shared;

/* The bins before each in the tile that have its context, which go to `before` too. */
GPU_FN void rank_bins(
	tile_shared *s, const uint16_t *bins, uint16_t *before, uint32_t count, uint32_t lane)
{
	uint32_t next = lane < count ? bins[lane] : H264I_BIN_BYPASS << 1;

#pragma unroll 1
	for (uint32_t i = lane; i < CABAC_TILE; i += 32) {
		uint32_t record = next, ctx = record >> 1, mask = lanes_alike(ctx);
		uint32_t lower = mask & ((1u << lane) - 1), rank = s->from[ctx];

		next = i + 32 < count ? bins[i + 32] : H264I_BIN_BYPASS << 1;
		__syncwarp();
		if (!lower && is_regular(ctx))
			s->from[ctx] = (uint16_t)(rank + __popc(mask));
		rank += __popc(lower);
		s->bin[i] = record | rank << 16;
		if (i < count)
			before[i] = (uint16_t)rank;
		__syncwarp();
	}
}

/* Makes positions of the numbers in s->from. */
GPU_FN void place_strings(tile_shared *s, uint32_t lane)
{
	uint16_t *own = &s->from[lane * (H264I_CTX_STATES / 32)];
	uint32_t sum = 0, at;

#pragma unroll 1
	for (int k = 0; k < H264I_CTX_STATES / 32; k++)
		sum += own[k];
	at = warp_sums(sum, lane) - sum;
#pragma unroll 1
	for (int k = 0; k < H264I_CTX_STATES / 32; k++) {
		uint32_t n = own[k];

		own[k] = (uint16_t)at;
		at += n;
	}
	__syncwarp();
}

/* Clears the part of the slice's strings that has the number of the tile. */
GPU_FN void clear_string(
	const entropy_ctx *e, uint32_t n, uint32_t tile, uint32_t count, uint32_t lane)
{
	uint32_t *string = e->scratch.string + string_word(e, n), end = string_words(count);
	uint32_t tiles = (count + CABAC_TILE - 1) / CABAC_TILE;

	if (CABAC_TILE / 32 * tile + lane < end)
		string[CABAC_TILE / 32 * tile + lane] = 0;
	if (tile == 0)
		for (uint32_t i = CABAC_TILE / 32 * tiles + lane; i < end; i += 32)
			string[i] = 0;
}

static __global__ void __launch_bounds__(32 * TILE_WARPS) tile_kernel(entropy_ctx e)
{
	__shared__ __align__(16) tile_shared shared[TILE_WARPS];
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const uint32_t n = blockIdx.x / e.cabac.tile_blocks,
		       stride = e.cabac.tile_blocks * TILE_WARPS;
	tile_shared *s = &shared[warp];
	uint32_t count, at, first;

	after_kernels(&e);
	if (ops_overflow(&e))
		return;
	count = e.cabac.slice_ops[n];
	at = e.cabac.slice_at[n];
	first = tile_first(&e, n);
	for (uint32_t t = blockIdx.x % e.cabac.tile_blocks * TILE_WARPS + warp;
		t * CABAC_TILE < count; t += stride) {
		cabac_tile *to = &e.scratch.tile[first + t];
		uint32_t i0 = at + t * CABAC_TILE;

		for (uint32_t i = lane; i < H264I_CTX_STATES / 2; i += 32)
			reinterpret_cast<uint32_t *>(s->from)[i] = 0;
		s->bits[lane] = 0;
		__syncwarp();
		/* The pool is free: its bins are in order now. */
		rank_bins(s, e.scratch.bins + i0, e.scratch.pool + i0,
			min(count - t * CABAC_TILE, (uint32_t)CABAC_TILE), lane);
		place_strings(s, lane);
#pragma unroll 1
		for (uint32_t i = lane; i < CABAC_TILE; i += 32) {
			uint32_t bin = s->bin[i], ctx = bin >> 1 & 511;
			uint32_t place = s->from[ctx] + (bin >> 16);

			if (bin & 1 && is_regular(ctx))
				atomicOr(&s->bits[place >> 5], 1u << (place & 31));
		}
		__syncwarp();
		to->bits[lane] = s->bits[lane];
		clear_string(&e, n, t, count, lane);
		for (uint32_t i = lane; i < H264I_CTX_STATES / 8; i += 32)
			reinterpret_cast<uint4 *>(to->from)[i] =
				reinterpret_cast<const uint4 *>(s->from)[i];
		__syncwarp();
	}
}

#endif
