/* Context states of CABAC on the GPU: the state before each bin of a slice, which makes an
 * operation of the arithmetic coder of it (entropy/cabac_chunk.h).
 *
 * A bin needs the state behind the bin before it that has the same context; nothing else is serial.
 * So a slice is cut into tiles of 1,024 bins, in three kernels:
 *
 *   tile_kernel    one warp per tile: sorts its bins by context, stably. The bins of a context in a
 *                  tile are a string of bits
 *   states_kernel  one block per slice, one lane per context: takes the strings of all tiles,
 *                  CABAC_STRING bins at a step by a table. The context with the most bins bounds
 *                  its time
 *   ops_kernel     one warp per tile: the state before each bin, by one more look-up behind the
 *                  last step before it, and the operation
 *
 * Arrays of tiles have slices one behind another (tile_first). */
#ifndef H264INTRA_CUDA_CABAC_STATES_CUH
#define H264INTRA_CUDA_CABAC_STATES_CUH

#include "h264intra/cuda/cabac_bins.cuh"

enum {
	TILE_WARPS = 4,
	OPS_WARPS = 8,
	TILE_BLOCKS = 4096,
	CONTEXTS_4X4 = 288, /* lanes of states_kernel without contexts of 8x8 blocks */
	CONTEXTS_ALL = 480,
	OPS_CODES = 1 << CABAC_STRING /* strings shorter than a step, with the bit in front */
};

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

/* Where the states of a context's steps are in those of the tile. `from`: position of its string.
 * Rounding down leaves no gap too small, as each context gets one place more. */
GPU_FN uint32_t step_place(uint32_t from, uint32_t ctx)
{
	return from / CABAC_STRING + ctx;
}

/* Bits [from, from + 32) of a tile, of which bits beyond the tile are undefined. */
GPU_FN uint32_t tile_bits(const uint32_t *bits, uint32_t from)
{
	return __funnelshift_r(bits[from >> 5], bits[(from >> 5) + 1], from);
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

static __global__ void __launch_bounds__(32 * TILE_WARPS) tile_kernel(entropy_ctx e)
{
	__shared__ __align__(16) tile_shared shared[TILE_WARPS];
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const uint32_t n = blockIdx.x / e.cabac.tile_blocks,
		       stride = e.cabac.tile_blocks * TILE_WARPS;
	tile_shared *s = &shared[warp];
	uint32_t count, at, first;

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
		for (uint32_t i = lane; i < H264I_CTX_STATES / 8; i += 32)
			reinterpret_cast<uint4 *>(to->from)[i] =
				reinterpret_cast<const uint4 *>(s->from)[i];
		__syncwarp();
	}
}

/* What a lane of states_kernel reads of a tile. */
typedef struct tile_part {
	uint32_t from, end; /* of the string of its context */
	uint32_t bits;      /* word `lane` */
} tile_part;

GPU_FN tile_part load_part(const cabac_tile *t, uint32_t ctx, uint32_t lane)
{
	tile_part p;

	p.from = t->from[ctx];
	p.end = t->from[ctx + 1];
	p.bits = t->bits[lane];
	return p;
}

/* Takes the string of the lane's context: writes the state before each step of it, and returns that
 * behind it. The bits of the tile are in the lanes of the warp. */
GPU_FN uint32_t take_string(
	const uint8_t (*after)[2 * OPS_CODES], uint8_t *steps, tile_part p, uint32_t state)
{
	uint32_t left = p.end - p.from, more = __reduce_max_sync(0xffffffffu, left);

#pragma unroll 1
	for (uint32_t at = p.from; more > 0; at += CABAC_STRING) {
		uint32_t low = __shfl_sync(0xffffffffu, p.bits, at >> 5);
		uint32_t high = __shfl_sync(0xffffffffu, p.bits, (at >> 5) + 1);
		uint32_t some = min(left, (uint32_t)CABAC_STRING), one = 1u << some;

		if (left)
			*steps++ = (uint8_t)state;
		state = after[state][one | (__funnelshift_r(low, high, at) & (one - 1))];
		left -= some;
		more -= min(more, (uint32_t)CABAC_STRING);
	}
	return state;
}

static __global__ void __launch_bounds__(CONTEXTS_ALL) states_kernel(entropy_ctx e)
{
	__shared__ __align__(16) uint8_t after[128][2 * OPS_CODES];
	const uint32_t ctx = threadIdx.x, lane = ctx & 31;
	const cabac_tile *tile;
	uint8_t *steps;
	uint32_t tiles,
		state = e.cabac.states[e.pic[blockIdx.x / e.geom.slices].qp * H264I_CTX_STATES +
				       ctx];
	tile_part now, next;

	if (ops_overflow(&e))
		return;
	for (uint32_t i = threadIdx.x; i < sizeof(after) / 16; i += blockDim.x)
		reinterpret_cast<uint4 *>(after)[i] =
			reinterpret_cast<const uint4 *>(e.cabac.tables->after)[i];
	__syncthreads();
	tiles = (e.cabac.slice_ops[blockIdx.x] + CABAC_TILE - 1) / CABAC_TILE;
	tile = e.scratch.tile + tile_first(&e, blockIdx.x);
	steps = e.scratch.steps + (size_t)tile_first(&e, blockIdx.x) * CABAC_TILE_STEPS;
	if (!tiles)
		return;
	now = load_part(tile, ctx, lane);
	next = load_part(tile + min(1u, tiles - 1), ctx, lane);
	for (uint32_t t = 0; t < tiles; t++) {
		tile_part ahead = load_part(tile + min(t + 2, tiles - 1), ctx, lane);

		state = take_string(after, steps + step_place(now.from, ctx), now, state);
		steps += CABAC_TILE_STEPS;
		now = next;
		next = ahead;
	}
}

/* What a warp of ops_kernel reads of a tile by its bins. */
typedef struct ops_shared {
	uint32_t bits[CABAC_TILE / 32 + 1];
	uint8_t steps[CABAC_TILE_STEPS];
	uint16_t from[H264I_CTX_STATES];
} ops_shared;

GPU_FN void load_tile(ops_shared *s, const cabac_tile *t, const uint8_t *steps, uint32_t lane)
{
	s->bits[lane] = t->bits[lane];
	for (uint32_t i = lane; i < CABAC_TILE_STEPS / 4; i += 32)
		reinterpret_cast<uint32_t *>(s->steps)[i] =
			reinterpret_cast<const uint32_t *>(steps)[i];
	for (uint32_t i = lane; i < H264I_CTX_STATES / 2; i += 32)
		reinterpret_cast<uint32_t *>(s->from)[i] =
			reinterpret_cast<const uint32_t *>(t->from)[i];
	__syncwarp();
}

/* The operation of a bin with `before` bins of its context before it in the tile. */
GPU_FN uint32_t op_of(
	const ops_shared *s, const uint8_t (*after)[OPS_CODES], uint32_t record, uint32_t before)
{
	uint32_t ctx = record >> 1, steps = before / CABAC_STRING, from, one, state;

	if (!is_regular(ctx))
		return (ctx == H264I_CTX_TERMINATE ? H264I_OP_TERMINATE : H264I_OP_BYPASS) |
		       (record & 1);
	from = s->from[ctx];
	one = 1u << (before - CABAC_STRING * steps);
	state = s->steps[step_place(from, ctx) + steps];
	state = after[state][one | (tile_bits(s->bits, from + CABAC_STRING * steps) & (one - 1))];
	return state ^ (record & 1); /* bit 0: the bin is not the most probable symbol */
}

static __global__ void __launch_bounds__(32 * OPS_WARPS) ops_kernel(entropy_ctx e)
{
	__shared__ __align__(16) uint8_t after[128][OPS_CODES];
	__shared__ ops_shared shared[OPS_WARPS];
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const uint32_t n = blockIdx.x / e.cabac.tile_blocks,
		       stride = e.cabac.tile_blocks * OPS_WARPS;
	ops_shared *s = &shared[warp];
	uint32_t count, at, first;

	if (ops_overflow(&e))
		return;
	for (uint32_t i = threadIdx.x; i < sizeof(after) / 16; i += blockDim.x)
		reinterpret_cast<uint4 *>(after)[i] = reinterpret_cast<const uint4 *>(
			e.cabac.tables->after[i / (OPS_CODES / 16)])[i % (OPS_CODES / 16)];
	__syncthreads();
	count = e.cabac.slice_ops[n];
	at = e.cabac.slice_at[n];
	first = tile_first(&e, n);
	for (uint32_t t = blockIdx.x % e.cabac.tile_blocks * OPS_WARPS + warp;
		t * CABAC_TILE < count; t += stride) {
		uint32_t i0 = at + t * CABAC_TILE,
			 end = min(count - t * CABAC_TILE, (uint32_t)CABAC_TILE);
		const uint32_t *bins = reinterpret_cast<const uint32_t *>(e.scratch.bins + i0);
		const uint32_t *before = reinterpret_cast<const uint32_t *>(e.scratch.pool + i0);
		uint16_t *ops = reinterpret_cast<uint16_t *>(e.scratch.ops + i0);

		load_tile(s, &e.scratch.tile[first + t],
			e.scratch.steps + (size_t)(first + t) * CABAC_TILE_STEPS, lane);
		/* Two bins a lane; that behind the last becomes a bypass operation. */
#pragma unroll 1
		for (uint32_t i = lane; 2 * i < end; i += 32) {
			uint32_t two = bins[i], ranks = before[i], op;

			if (2 * i + 1 == end)
				two = (two & 0xffff) | H264I_BIN_BYPASS << 17;
			op = op_of(s, after, two & 0xffff, ranks & 0xffff);
			ops[i] = (uint16_t)(op | op_of(s, after, two >> 16, ranks >> 16) << 8);
		}
		__syncwarp();
	}
}

#endif
