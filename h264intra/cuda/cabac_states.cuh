/* Context states of CABAC on the GPU: the state before each bin of a slice, which makes an
 * operation of the arithmetic coder of it (entropy/cabac_chunk.h).
 *
 * A bin needs the state behind the bin before it that has the same context; nothing else is serial.
 * So 32 bins, a window, are done at once, and windows in three stages. Eight warps prepare them:
 * the lanes whose bins have the same context find each other, and each joins the values of the bins
 * before its own and of its own to a string. One warp takes the windows in order: the state behind
 * a string is looked up in a table. Its chain of loads bounds the speed, so it does nothing else.
 * The eight warps then finish the windows: the state before each bin, and the operation. */
#ifndef H264INTRA_CUDA_CABAC_STATES_CUH
#define H264INTRA_CUDA_CABAC_STATES_CUH

#include "h264intra/cuda/cabac_bins.cuh"

enum {
	STATES_WARPS = 9,
	WINDOWS = 32, /* prepared at a time */
	WINDOWS_A_WARP = WINDOWS / (STATES_WARPS - 1),
	/* window.what: */
	WHAT_BEFORE = 9,        /* bits 0..8: context; 9..13: bins before this one that have it */
	WHAT_LAST = 1 << 14,    /* no bin after it in the window has its context */
	WHAT_REGULAR = 1 << 15, /* it has a context; if not, bits 16..23 are the operation */
	WHAT_OP = 16,
	WHAT_STEPS = 24 /* the longest string of the window in steps of CABAC_STRING */
};

/* The bin of a lane; bins: those before it in the window that have its context, and itself, the
 * first in bit 0. */
typedef struct window {
	uint32_t bins, what;
} window;

/* Batch n is in ring[n % 3] and start[n % 2]. */
typedef struct states_shared {
	uint8_t after[128][1 << (CABAC_STRING + 1)]; /* as in cabac_tables */
	uint8_t state[H264I_CTX_STATES];
	window ring[3][WINDOWS][32];
	uint8_t start[2][WINDOWS][32]; /* the state of the lane's context before the window */
} states_shared;

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

GPU_FN void prepare_window(window *to, uint32_t record, uint32_t lane)
{
	uint32_t ctx = record >> 1 & 511, mask = lanes_alike(ctx), count = 1, bins = record & 1;
	int regular = ctx < H264I_CTX && ctx != H264I_CTX_TERMINATE;
	uint32_t lower = regular ? mask & ((1u << lane) - 1) : 0, before = __popc(lower);
	int from = lower ? 31 - __clz(lower) : -1;
	window w;

	/* Pointer doubling: a string is joined to that of the lane before its first. */
	while (__any_sync(0xffffffffu, from >= 0)) {
		uint32_t source = from < 0 ? lane : (uint32_t)from;
		uint32_t more = __shfl_sync(0xffffffffu, bins, source);
		uint32_t more_count = __shfl_sync(0xffffffffu, count, source);
		int more_from = __shfl_sync(0xffffffffu, from, source);

		if (from >= 0) {
			bins = more | bins << more_count;
			count += more_count;
			from = more_from;
		}
	}
	w.bins = bins;
	w.what = before << WHAT_BEFORE | (__reduce_max_sync(0xffffffffu, before) / CABAC_STRING + 1)
						 << WHAT_STEPS;
	if (regular)
		w.what |= ctx | WHAT_REGULAR | (mask >> lane == 1 ? WHAT_LAST : 0);
	else
		w.what |= ((ctx == H264I_CTX_TERMINATE ? H264I_OP_TERMINATE : H264I_OP_BYPASS) |
				  (record & 1))
			  << WHAT_OP;
	to[lane] = w;
}

/* The state behind the first n bins of a string, in `steps` steps. */
GPU_FN uint32_t state_behind(
	const states_shared *s, uint32_t state, uint32_t bins, uint32_t n, uint32_t steps)
{
	for (; steps; steps--) {
		uint32_t some = min(n, (uint32_t)CABAC_STRING);

		state = s->after[state][1u << some | (bins & ((1u << some) - 1))];
		bins >>= some;
		n -= some;
	}
	return state;
}

/* The second stage, by one warp. */
GPU_FN void take_batch(states_shared *s, uint32_t batch, uint32_t lane)
{
	const window(*ring)[32] = s->ring[batch % 3];
	window next = ring[0][lane];

	for (uint32_t k = 0; k < WINDOWS; k++) {
		const window w = next;
		const uint32_t ctx = w.what & 511, state = s->state[ctx];
		uint32_t behind;

		next = ring[(k + 1) % WINDOWS][lane];
		s->start[batch % 2][k][lane] = (uint8_t)state;
		behind = state_behind(
			s, state, w.bins, (w.what >> WHAT_BEFORE & 31) + 1, w.what >> WHAT_STEPS);
		__syncwarp();
		if (w.what & WHAT_LAST)
			s->state[ctx] = (uint8_t)behind;
		__syncwarp();
	}
}

/* The third stage: operations of window k of a batch. */
GPU_FN void finish_window(
	const states_shared *s, uint32_t batch, uint32_t k, uint8_t *ops, uint32_t lane)
{
	const window w = s->ring[batch % 3][k][lane];
	const uint32_t n = w.what >> WHAT_BEFORE & 31;
	uint32_t op = w.what >> WHAT_OP;

	if (w.what & WHAT_REGULAR) /* bit 0: the bin is not the most probable symbol */
		op = state_behind(
			     s, s->start[batch % 2][k][lane], w.bins, n, w.what >> WHAT_STEPS) ^
		     (w.bins >> n & 1);
	ops[lane] = (uint8_t)op;
}

/* Bins of the windows of a warp in a batch. */
GPU_FN void load_records(uint16_t record[WINDOWS_A_WARP], const uint16_t *bins, uint32_t batch,
	uint32_t count, uint32_t worker, uint32_t lane)
{
#pragma unroll
	for (uint32_t k = 0; k < WINDOWS_A_WARP; k++) {
		uint32_t n = k * (STATES_WARPS - 1) + worker;
		uint32_t i = 32 * (batch * WINDOWS + n) + lane;

		record[k] = i < count ? bins[i] : H264I_BIN_BYPASS << 1;
	}
}

/* Stage one of `batch` and stage three of batch - 2, by one of the eight warps. `record` has the
 * bins of the batch, and gets those of the next. */
GPU_FN void work_batch(states_shared *s, const uint16_t *bins, uint8_t *ops, uint32_t batch,
	uint32_t count, uint16_t record[WINDOWS_A_WARP], uint32_t worker, uint32_t lane)
{
	uint16_t ahead[WINDOWS_A_WARP];

	load_records(ahead, bins, batch + 1, count, worker, lane);
#pragma unroll
	for (uint32_t k = 0; k < WINDOWS_A_WARP; k++) {
		uint32_t n = k * (STATES_WARPS - 1) + worker,
			 done = 32 * ((batch - 2) * WINDOWS + n);

		if (batch >= 2 && done < count)
			finish_window(s, batch - 2, n, ops + done, lane);
		prepare_window(s->ring[batch % 3][n], record[k], lane);
		record[k] = ahead[k];
	}
}

static __global__ void __launch_bounds__(32 * STATES_WARPS) states_kernel(entropy_ctx e)
{
	extern __shared__ __align__(16) uint8_t states_memory[];
	states_shared *s = reinterpret_cast<states_shared *>(states_memory);
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const uint8_t *states =
		e.cabac.states + e.pic[blockIdx.x / e.geom.slices].qp * H264I_CTX_STATES;
	uint32_t count, at, batches;
	uint16_t record[WINDOWS_A_WARP];

	if (ops_overflow(&e))
		return;
	count = e.cabac.slice_ops[blockIdx.x];
	at = e.cabac.slice_at[blockIdx.x];
	batches = (count + 32 * WINDOWS - 1) / (32 * WINDOWS);
	for (uint32_t i = threadIdx.x; i < sizeof(s->after) / 16; i += blockDim.x)
		reinterpret_cast<uint4 *>(s->after)[i] =
			reinterpret_cast<const uint4 *>(e.cabac.tables->after)[i];
	for (uint32_t i = threadIdx.x; i < H264I_CTX_STATES; i += blockDim.x)
		s->state[i] = states[i];
	if (warp > 0)
		load_records(record, e.cabac.bins + at, 0, count, warp - 1, lane);
	for (uint32_t batch = 0; batch < batches + 2; batch++) {
		__syncthreads();
		if (warp > 0)
			work_batch(s, e.cabac.bins + at, e.cabac.ops + at, batch, count, record,
				warp - 1, lane);
		else if (batch > 0)
			take_batch(s, batch - 1, lane);
	}
}

#endif
