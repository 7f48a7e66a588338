/* Levels of a block by the bits of CAVLC (decide/cavlc_rates.h): a lane per coefficient in scan
 * order. In a step each lane has the bits of the block with its own level lowered by 1. */
#ifndef H264INTRA_CUDA_CAVLC_LEVELS_CUH
#define H264INTRA_CUDA_CAVLC_LEVELS_CUH

#include "h264intra/cuda/cavlc_count.cuh"
#include "h264intra/cuda/half.cuh"
#include "h264intra/decide/rd.h"

/* Of each half's lanes of `equal` the first one, none where one of `others` is among them. */
GPU_FN uint32_t first_unless(uint32_t equal, uint32_t others)
{
	const uint32_t low = equal & 0xffff, high = equal & 0xffff0000u;

	return (low & others ? 0 : low & (0u - low)) | (high & others ? 0 : high & (0u - high));
}

/* h264i_cavlc_search(), up to the last step. votes: of the levels, which it sets. Returns the
 * bits. */
GPU_FN uint32_t half_cavlc_steps(const cavlc_place *p, uint32_t real, int32_t weight, int steps,
	int *level, cavlc_votes *votes, int lane)
{
	uint32_t n, base = 0, from = p->half;
	int step = 0, plain = !steps, known = 0;
	/* The lanes that lower no level have the block as it is. */
	uint32_t others = __ballot_sync(0xffffffffu, !h264i_may_lower(real, *level) || plain);

#pragma unroll 1
	for (;;) {
		const int lowers = !(others & p->own) && !plain;
		uint32_t equal, lowered;
		int32_t cost, best, stay;

		n = cavlc_count(p, votes, *level, lowers, lane);
		/* Without such lanes in a half, all lanes count it as it is once. */
		if (plain | ((!(others & 0xffff) | !(others >> 16)) & !known)) {
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
		/* Without others the block as it is has the cost of no lane. */
		stay = others & p->half ? 0x7fffffff : h264i_cavlc_quant_cost(base, weight);
		equal = __ballot_sync(0xffffffffu, cost == best && best < stay);
		lowered = first_unless(equal, others);
		from = equal & p->half;
		from = from & others ? from & others : from;
		*level -= (lowered & p->own) != 0;
		known = 0;
		/* The next step would change nothing. A half without others may take it. */
		equal &= others;
		others = __ballot_sync(0xffffffffu, !h264i_may_lower(real, *level));
		*votes = cavlc_lower_votes(votes, lowered, __ballot_sync(0xffffffffu, *level > 3));
		if (++step >= steps || (equal & 0xffff && equal >> 16) || others == 0xffffffffu)
			break;
	}
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
	const uint32_t word = __ldg(p.token);
	int level = passes ? (int)(real + 128) >> 8 : h264i_plain_level(real);
	uint32_t bits, any, none;
	cavlc_votes votes;
	int32_t lost;

	level = hl >= k.first && hl < k.last ? level : 0;
	any = __ballot_sync(0xffffffffu, level > 0);
	if (!any)
		return (uint64_t)(h264i_vlc_bits(word & 255) * H264I_CAVLC_BIT) << 32;
	votes = cavlc_votes_of(any, level);
	bits = half_cavlc_steps(&p, real, weight, steps, &level, &votes, lane);
	any = votes.above[0] & p.half;
	none = h264i_vlc_bits(word & 255);
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
