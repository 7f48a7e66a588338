/* Levels of a block by the bits of CAVLC (decide/cavlc_rates.h): a lane per coefficient in scan
 * order. In a step each lane has the bits of the block with its own level lowered by 1. */
#ifndef H264INTRA_CUDA_CAVLC_LEVELS_CUH
#define H264INTRA_CUDA_CAVLC_LEVELS_CUH

#include "h264intra/cuda/cavlc_count.cuh"
#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/decide/rd.h"

/* h264i_cavlc_search(), up to the last step. Returns the bits; *any: the levels of the warp that
 * are not 0. */
GPU_FN uint32_t half_cavlc_steps(const cavlc_place *p, uint32_t real, int32_t weight, int steps,
	int *level, uint32_t *any, int lane)
{
	uint32_t n, base = 0, from = p->half;
	int step = 0, plain = !steps, known = 0;
	/* For the next step at the end of one: the votes of a step wait for each other where the
	 * compiler places other work between them. */
	cavlc_votes votes = cavlc_votes_of(*level);

#pragma unroll 1
	for (;;) {
		const int lowers = h264i_may_lower(real, *level) && !plain;
		/* The lanes that lower no level have the block as it is. */
		const uint32_t others = __ballot_sync(0xffffffffu, !lowers);
		/* Those that win against this one at the same cost. */
		const uint32_t first = (others | (p->own - 1)) & p->half;
		uint32_t equal;
		int32_t cost, best, stay;

		n = cavlc_count(p, &votes, *level, lowers, lane);
		/* Without such lanes in a half, all lanes count it as it is once. */
		if (plain | (!known & (!(others & 0xffff) | !(others >> 16)))) {
			base = n;
			known = plain;
			plain = !plain;
			if (!steps)
				break;
			continue;
		}
		cost = (lowers ? h264i_lowered_error(real, *level) : 0) +
		       h264i_cavlc_quant_cost(n, weight);
		best = half_minimum(cost, lane);
		equal = __ballot_sync(0xffffffffu, cost == best);
		stay = others & p->half ? 0x7fffffff : h264i_cavlc_quant_cost(base, weight);
		from = best < stay ? equal & p->half : 0;
		*level -= cost == best && !(from & first) && from;
		votes = cavlc_votes_of(*level);
		from = from & others ? from & others : from;
		known = 0;
		/* The next step would change nothing. A half without others may take it. */
		equal &= others;
		if (++step >= steps || (equal & 0xffff && equal >> 16))
			break;
	}
	*any = votes.above[0] & p->half;
	n = __shfl_sync(0xffffffffu, n, (31 - __clz((int)(from & (0u - from)))) & 31);
	return from ? n : base;
}

/* h264i_cavlc_quantise() of one block per half warp, not inlined for the reason of
 * half_levels_packed(). Returns the level in bits 0..15, the number of levels that are not 0 in
 * 16..20, and the rate above 32. */
static __device__ __noinline__ uint64_t half_cavlc_packed(
	h264i_cavlc_kind k, uint32_t real, int32_t weight, int passes, int lane)
{
	const int hl = lane & 15, steps = passes * H264I_CAVLC_STEPS;
	const cavlc_place p = cavlc_place_of(&k, lane);
	const uint32_t none = h264i_vlc_bits(__ldg(p.token) & 255);
	int level = passes ? (int)(real + 128) >> 8 : h264i_plain_level(real);
	uint32_t bits, any;
	int32_t lost;

	level = hl >= k.first && hl < k.last ? level : 0;
	if (!__any_sync(0xffffffffu, level))
		return (uint64_t)(none * H264I_CAVLC_BIT) << 32;
	bits = half_cavlc_steps(&p, real, weight, steps, &level, &any, lane);
	lost = (int32_t)half_sum((uint32_t)h264i_zeroed_error(real, level), lane);
	if (steps && lost <= h264i_cavlc_quant_cost(bits - none, weight)) {
		level = 0;
		any = 0;
		bits = none;
	}
	return (uint64_t)(bits * H264I_CAVLC_BIT) << 32 | (uint32_t)__popc(any) << 16 |
	       (uint32_t)level;
}

#endif
