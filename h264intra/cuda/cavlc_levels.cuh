/* Levels of a block by the bits of CAVLC (decide/cavlc_rates.h): a lane per coefficient in scan
 * order. In a step each lane adds up the bits of the block with its own level lowered by 1; all
 * lanes go through the same levels, so that the loop does not diverge. */
#ifndef H264INTRA_CUDA_CAVLC_LEVELS_CUH
#define H264INTRA_CUDA_CAVLC_LEVELS_CUH

#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/decide/rd.h"

/* h264i_cavlc_add() if `valid`, without branches: more instructions in a shorter chain. */
GPU_FN void add_level(
	h264i_cavlc_sum *s, const h264i_cavlc_tables *t, uint32_t i, uint32_t v, int valid)
{
	const int has_run = valid && s->zeros && i != s->at, is_one = valid && s->ones;
	const int coded = valid && !s->ones;
	const uint32_t run = has_run ? s->at - i - 1 : 0;
	const uint32_t entry = t->run[has_run ? min(s->zeros, 7u) - 1 : 0][run];
	const uint32_t code = 2 * v - s->bias, low = s->suffix;
	const uint32_t escape = low ? 28 : code < 30 ? 19 : 28;
	const uint32_t plain = code < (low ? 15u << low : 14u) ? (code >> low) + 1 + low : escape;
	const uint32_t next = low + (low == 0);

	s->bits += has_run ? h264i_vlc_bits(entry) : 0;
	s->bits += coded ? plain : 0;
	s->zeros -= run;
	s->at = valid ? i : s->at;
	s->ones -= (uint32_t)is_one;
	s->bias = coded ? 2 : s->bias;
	s->suffix = coded ? next + (v > 3u << (next - 1) && next < 6) : low;
}

/* h264i_cavlc_bits() of the half's levels, of which the lane's own one is less by `lowered`, 0 or
 * 1. The levels come in the order of the block as it is, the same in all lanes. */
GPU_FN uint32_t half_cavlc_bits(
	const h264i_cavlc_kind *k, int level, int lowered, int few, int lane)
{
	const int hl = lane & 15;
	const uint32_t all = __ballot_sync(0xffffffffu, level != 0);
	const uint32_t larger = half_bits(__ballot_sync(0xffffffffu, level > 1), lane);
	const int n = max(__popc(all & 0xffff), __popc(all >> 16));
	uint32_t left = half_bits(all, lane);
	h264i_cavlc_sum s = h264i_cavlc_begin(k, left ^ (uint32_t)(lowered && level == 1) << hl,
		larger ^ (uint32_t)(lowered && level == 2) << hl);

#pragma unroll 1
	for (int j = 0; j < n; j++) {
		const uint32_t i = left ? h264i_top_bit(left) : 0;
		const int v =
			__shfl_sync(0xffffffffu, level, (int)i, 16) - (lowered && (int)i == hl);

		if (few)
			add_level(&s, k->t, i, (uint32_t)v, left && v);
		else if (left && v)
			h264i_cavlc_add(&s, k->t, i, (uint32_t)v);
		left &= ~(1u << i);
		if (!few)
			__syncwarp();
	}
	return s.bits;
}

/* h264i_cavlc_step(). *bits is set where it is not known before (known 0), and where the level of a
 * lane is lowered, which is in the result. */
GPU_FN int half_cavlc_step(const h264i_cavlc_kind *k, uint32_t real, int32_t weight, int level,
	int known, uint32_t *bits, int few, int lane)
{
	int32_t cost = h264i_lowered_error(real, level), best;
	const int lowered = cost != 0x7fffffff;
	uint32_t others = ~half_bits(__ballot_sync(0xffffffffu, lowered), lane) & 0xffff, n;
	int at;

	/* The lanes that lower no level have the bits of the block as it is. */
	if (!known && __any_sync(0xffffffffu, !others))
		*bits = half_cavlc_bits(k, level, 0, few, lane);
	n = half_cavlc_bits(k, level, lowered, few, lane);
	if (others)
		at = __ffs((int)others) - 1;
	else
		at = 0;
	best = (int32_t)__shfl_sync(0xffffffffu, n, at, 16);
	*bits = others ? (uint32_t)best : *bits;
	cost = lowered ? cost + h264i_cavlc_quant_cost(n, weight) : 0x7fffffff;
	best = half_minimum(cost, lane);
	at = __ffs((int)half_bits(__ballot_sync(0xffffffffu, lowered && cost == best), lane)) - 1;
	n = __shfl_sync(0xffffffffu, n, at & 15, 16);
	if (best >= h264i_cavlc_quant_cost(*bits, weight))
		at = -1;
	*bits = at < 0 ? *bits : n;
	return level - (at == (lane & 15));
}

/* h264i_cavlc_quantise() of one block per half warp, not inlined for the reason of
 * half_levels_packed(). few: with few frames in flight, where the time of a macroblock counts and
 * not that of its instructions (1080p alone 9 % shorter; with many frames 10 % fewer frames/s).
 * Returns the level in bits 0..15, the number of levels that are not 0 in 16..20, and the rate
 * above 32. */
template <int few>
static __device__ __noinline__ uint64_t half_cavlc_packed(
	h264i_cavlc_kind k, uint32_t real, int32_t weight, int passes, int lane)
{
	const int hl = lane & 15, steps = passes * H264I_CAVLC_STEPS;
	int level = passes ? (int)(real + 128) >> 8 : h264i_plain_level(real);
	uint32_t bits = 0, any;

	level = hl >= k.first && hl < k.last ? level : 0;
	if (!__any_sync(0xffffffffu, level))
		return (uint64_t)(h264i_cavlc_begin(&k, 0, 0).bits * H264I_CAVLC_BIT) << 32;
	if (!steps)
		bits = half_cavlc_bits(&k, level, 0, few, lane);
#pragma unroll 1
	for (int step = 0; step < steps; step++) {
		int before = level;

		level = half_cavlc_step(&k, real, weight, level, step, &bits, few, lane);
		if (!__any_sync(0xffffffffu, level != before))
			break;
	}
	any = half_bits(__ballot_sync(0xffffffffu, level != 0), lane);
	if (steps) {
		uint32_t none = h264i_cavlc_begin(&k, 0, 0).bits;
		int32_t lost = (int32_t)half_sum((uint32_t)h264i_zeroed_error(real, level), lane);

		if (any && lost <= h264i_cavlc_quant_cost(bits - none, weight)) {
			level = 0;
			any = 0;
			bits = none;
		}
	}
	return (uint64_t)(bits * H264I_CAVLC_BIT) << 32 | (uint32_t)__popc(any) << 16 |
	       (uint32_t)level;
}

#endif
