/* The bins of CABAC on the GPU, sorted by context: tile_kernel, one block per tile of 1,024 bins of
 * a slice. Arrays of tiles have slices one behind another (tile_first). */
#ifndef H264INTRA_CUDA_CABAC_TILES_CUH
#define H264INTRA_CUDA_CABAC_TILES_CUH

#include "h264intra/cuda/cabac_bins.cuh"

enum { TILE_WARPS = 8, TILE_THREADS = 32 * TILE_WARPS, TILE_BLOCKS = 16384 };

static_assert(2 * TILE_THREADS == H264I_CTX_STATES, "place_strings() has two contexts a thread");

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

/* Scratch of a block that sorts a tile. */
typedef struct tile_shared {
	/* Bins of a context in the part of a warp; then in those of the warps before. */
	uint16_t count[TILE_WARPS][H264I_CTX_STATES];
	uint16_t from[H264I_CTX_STATES]; /* position of the context's string */
	uint32_t bits[CABAC_TILE / 32];
	uint32_t sums[TILE_WARPS];
} tile_shared;

/* Bins of a lane in its warp's part of the tile: record, and from bit 16 on the bins before it in
 * the part that have its context. */
typedef struct tile_bins {
	uint32_t bin[CABAC_TILE / TILE_THREADS];
} tile_bins;

/* Number in the tile of bin k of this lane. */
GPU_FN uint32_t tile_bin_at(uint32_t k)
{
	return (threadIdx.x & ~31u) * (CABAC_TILE / TILE_THREADS) + 32 * k + (threadIdx.x & 31);
}

GPU_FN void load_tile_bins(tile_bins *b, const uint16_t *bins, uint32_t count)
{
#pragma unroll
	for (uint32_t k = 0; k < CABAC_TILE / TILE_THREADS; k++) {
		uint32_t i = tile_bin_at(k);

		b->bin[k] = i < count ? bins[i] : H264I_BIN_BYPASS << 1;
	}
}

/* Counts the bins of the warp's part. */
GPU_FN void rank_bins(uint16_t *counts, tile_bins *b)
{
	const uint32_t lane = threadIdx.x & 31;

#pragma unroll
	for (uint32_t k = 0; k < CABAC_TILE / TILE_THREADS; k++) {
		uint32_t ctx = b->bin[k] >> 1, mask = lanes_alike(ctx);
		uint32_t lower = mask & ((1u << lane) - 1), rank = counts[ctx];

		__syncwarp();
		if (!lower && is_regular(ctx))
			counts[ctx] = (uint16_t)(rank + __popc(mask));
		b->bin[k] |= (rank + __popc(lower)) << 16;
		__syncwarp();
	}
}

/* Makes positions of the numbers in s->count: two contexts a thread, in the halves of a word. */
GPU_FN void place_strings(tile_shared *s, cabac_tile *to)
{
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	uint32_t both = 0, own, sum, at;

#pragma unroll
	for (uint32_t w = 0; w < TILE_WARPS; w++) {
		uint32_t *word = reinterpret_cast<uint32_t *>(s->count[w]) + threadIdx.x, n = *word;

		*word = both;
		both += n;
	}
	own = (both & 0xffff) + (both >> 16);
	sum = warp_sums(own, lane);
	if (lane == 31)
		s->sums[warp] = sum;
	__syncthreads();
	at = sum - own;
#pragma unroll
	for (uint32_t w = 0; w < TILE_WARPS; w++)
		at += w < warp ? s->sums[w] : 0;
	at |= (at + (both & 0xffff)) << 16;
	reinterpret_cast<uint32_t *>(s->from)[threadIdx.x] = at;
	reinterpret_cast<uint32_t *>(to->from)[threadIdx.x] = at;
	__syncthreads();
}

/* Writes the bits of the strings, and to `before` the bins before each that have its context. */
GPU_FN void put_strings(tile_shared *s, const tile_bins *b, uint16_t *before, uint32_t count)
{
	const uint16_t *earlier = s->count[threadIdx.x >> 5];

#pragma unroll
	for (uint32_t k = 0; k < CABAC_TILE / TILE_THREADS; k++) {
		uint32_t record = b->bin[k] & 0xffff, ctx = record >> 1, i = tile_bin_at(k);
		uint32_t rank = (b->bin[k] >> 16) + earlier[ctx], place = s->from[ctx] + rank;

		if (i < count)
			before[i] = (uint16_t)rank;
		if (record & 1 && is_regular(ctx))
			atomicOr(&s->bits[place >> 5], 1u << (place & 31));
	}
	__syncthreads();
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

static __global__ void __launch_bounds__(TILE_THREADS) tile_kernel(entropy_ctx e)
{
	__shared__ __align__(16) tile_shared s;
	const uint32_t n = blockIdx.x / e.cabac.tile_blocks, lane = threadIdx.x;
	uint32_t count, at, first;

	after_kernels();
	if (ops_overflow(&e))
		return;
	count = e.cabac.slice_ops[n];
	at = e.cabac.slice_at[n];
	first = tile_first(&e, n);
	for (uint32_t t = blockIdx.x % e.cabac.tile_blocks; t * CABAC_TILE < count;
		t += e.cabac.tile_blocks) {
		cabac_tile *to = &e.scratch.tile[first + t];
		const uint32_t i0 = at + t * CABAC_TILE,
			       bins = min(count - t * CABAC_TILE, (uint32_t)CABAC_TILE);
		tile_bins b;

		load_tile_bins(&b, e.scratch.bins + i0, bins);
		for (uint32_t i = threadIdx.x; i < sizeof(s.count) / 16; i += TILE_THREADS)
			reinterpret_cast<uint4 *>(s.count)[i] = make_uint4(0, 0, 0, 0);
		if (lane < CABAC_TILE / 32)
			s.bits[lane] = 0;
		__syncthreads();
		rank_bins(s.count[threadIdx.x >> 5], &b);
		__syncthreads();
		place_strings(&s, to);
		/* The pool is free: its bins are in order now. */
		put_strings(&s, &b, e.scratch.pool + i0, bins);
		if (lane < CABAC_TILE / 32) {
			to->bits[lane] = s.bits[lane];
			clear_string(&e, n, t, count, lane);
		}
		__syncthreads();
	}
}

#endif
