/* Levels of a block by rate and distortion (decide/rdoq.h): a lane per coefficient in scan order,
 * so that the levels behind a coefficient are bits of a ballot, and the cost of those before it is
 * a prefix sum. */
#ifndef H264INTRA_CUDA_RD_LEVELS_CUH
#define H264INTRA_CUDA_RD_LEVELS_CUH

#include "h264intra/cuda/cavlc_levels.cuh"
#include "h264intra/cuda/mb_local.cuh"

/* What choosing the levels of a kind of block needs; map: of the lane's coefficient. */
typedef struct rd_kind {
	const h264i_cavlc_tables *cavlc; /* NULL: CABAC */
	int first, last;                 /* CAVLC: as in h264i_cavlc_kind */
	const uint16_t (*abs)[2];        /* CABAC, and map */
	h264i_map_rates map;
	int weight, passes;
	int skips; /* a block without levels is left out */
} rd_kind;

/* The chosen levels of a block. rate and count are the same in all of its lanes. */
typedef struct rd_levels {
	int level; /* magnitude of the lane's */
	uint32_t rate;
	int count;
} rd_levels;

/* Sum of v over the lanes before this one, of groups of `width` lanes; lane: in its group. */
GPU_FN int sum_before(int v, int width, int lane)
{
	int sum = v;

#pragma unroll
	for (int d = 1; d < width; d <<= 1) {
		int other = __shfl_up_sync(0xffffffffu, sum, d, width);

		sum += lane >= d ? other : 0;
	}
	return sum - v;
}

/* What half_levels() takes of a kind, in registers. */
typedef struct rd_packed {
	uint32_t zero_one, more_end; /* the map, 16 bits each */
	uint32_t flags;              /* flag 0 and 1 */
	int weight, passes;
} rd_packed;

/* half_levels() as a function that is not inlined: the kernel is bound by fetching instructions
 * (4.4 of 9.8 cycles an instruction on an H200), and this text was in it eight times. Returns the
 * level in bits 0..15, count in 16..20, and the rate above 32. */
static __device__ __noinline__ uint64_t half_levels_packed(
	const uint16_t (*abs)[2], rd_packed k, uint32_t real, int active, int lane)
{
	const int hl = lane & 15;
	const uint32_t behind = 0xfffeu << hl & 0xffff, flag0 = k.flags & 0xffff;
	const uint32_t flag1 = k.flags >> 16;
	const int32_t none = h264i_quant_rate(flag0, k.weight);
	const int32_t coded = h264i_quant_rate(flag1, k.weight);
	const h264i_map_rates map = { k.zero_one & 0xffff, k.zero_one >> 16, k.more_end & 0xffff,
		k.more_end >> 16 };
	int level = active ? h264i_plain_level(real) : 0, ones, larger, last;
	uint32_t any, rate = 0;

#pragma unroll 1
	for (int pass = 0; pass < k.passes; pass++) {
		h264i_choice c = { 0, 0, 0, 0 };
		int32_t before, cost, best;
		uint32_t ends;
		int end;

		ones = __popc(half_bits(__ballot_sync(0xffffffffu, level == 1), lane) & behind);
		larger = __popc(half_bits(__ballot_sync(0xffffffffu, level > 1), lane) & behind);
		if (active)
			c = h264i_choose_level(real, abs, h264i_first_of(ones, larger),
				h264i_more_of(larger), map, k.weight);
		__syncwarp();
		before = sum_before(c.inside, 16, hl);
		cost = c.level ? before + c.end + coded : 0x7fffffff;
		best = half_minimum(cost, lane);
		ends = half_bits(__ballot_sync(0xffffffffu, cost == best && c.level), lane);
		end = best < none ? __ffs((int)ends) - 1 : -1;
		level = hl < end ? (c.keep ? c.level : 0) : hl == end ? c.level : 0;
	}
	any = half_bits(__ballot_sync(0xffffffffu, level != 0), lane);
	larger = __popc(half_bits(__ballot_sync(0xffffffffu, level > 1), lane) & behind);
	ones = __popc(any & behind) - larger;
	last = 31 - __clz((int)any);
	if (level)
		rate = map.one + (hl == last ? map.end : map.more) +
		       h264i_rate_level(
			       abs, level, h264i_first_of(ones, larger), h264i_more_of(larger));
	else if (hl < last && active)
		rate = map.zero;
	__syncwarp();
	rate = half_sum(rate, lane) + flag1;
	return (uint64_t)(any ? rate : flag0) << 32 | (uint32_t)__popc(any) << 16 | (uint32_t)level;
}

/* Half a step: a smaller coefficient has no level but 0, in whatever pass. */
enum { RD_LEAST_REAL = 128 };

/* The rates of a flag as the context of half_levels(). */
GPU_FN uint32_t rd_flags(const uint16_t flag[2])
{
	return flag[0] | (uint32_t)flag[1] << 16;
}

/* One block of at most 16 coefficients per half warp; lanes that are not active have none. context:
 * of CABAC rd_flags() of what says that all levels are 0, or not; of CAVLC nC. */
GPU_FN rd_levels half_levels(
	const rd_kind *k, uint32_t real, int active, uint32_t context, int lane)
{
	rd_levels r = { 0, context & 0xffff, 0 };
	uint64_t v;

	if (k->cavlc) {
		const h264i_cavlc_kind block = { k->cavlc, k->first, k->last, (int)context };

		v = half_cavlc_packed(block, real, k->weight, k->passes, lane);
	} else {
		const rd_packed p = { k->map.zero | k->map.one << 16,
			k->map.more | k->map.end << 16, context, k->weight, k->passes };

		if (k->skips && !__any_sync(0xffffffffu, real >= RD_LEAST_REAL))
			return r;
		v = half_levels_packed(k->abs, p, real, active, lane);
	}
	r.level = (int)(v & 0xffff);
	r.count = (int)(v >> 16 & 31);
	r.rate = (uint32_t)(v >> 32);
	return r;
}

/* A block of 64 coefficients: those of a lane are `lane` and lane + 32. */
typedef struct rd_kind64 {
	const uint16_t (*abs)[2];
	h264i_map_rates map[2];
	int weight, passes, skips;
} rd_kind64;

typedef struct rd_levels64 {
	int level[2];
	uint32_t rate;
	int count;
} rd_levels64;

/* How many of the levels behind the lane's two are 1, and how many are larger. */
typedef struct rd_behind {
	int ones[2], larger[2];
} rd_behind;

GPU_FN rd_behind levels_behind(const int level[2], int lane)
{
	const uint32_t behind = 0xfffffffeu << lane;
	uint32_t one0 = __ballot_sync(0xffffffffu, level[0] == 1);
	uint32_t one1 = __ballot_sync(0xffffffffu, level[1] == 1);
	uint32_t larger0 = __ballot_sync(0xffffffffu, level[0] > 1);
	uint32_t larger1 = __ballot_sync(0xffffffffu, level[1] > 1);
	rd_behind r;

	r.ones[0] = __popc(one0 & behind) + __popc(one1);
	r.ones[1] = __popc(one1 & behind);
	r.larger[0] = __popc(larger0 & behind) + __popc(larger1);
	r.larger[1] = __popc(larger1 & behind);
	return r;
}

/* One pass of h264i_quantise_pass(). */
GPU_FN void warp_pass(const rd_kind64 *k, const uint32_t real[2], int level[2], int32_t none,
	int32_t coded, int lane)
{
	rd_behind n = levels_behind(level, lane);
	int32_t before[2], cost[2], best;
	uint32_t ends0, ends1;
	h264i_choice c[2];
	int end;

#pragma unroll
	for (int i = 0; i < 2; i++)
		c[i] = h264i_choose_level(real[i], k->abs, h264i_first_of(n.ones[i], n.larger[i]),
			h264i_more_of(n.larger[i]), k->map[i], k->weight);
	__syncwarp();
	before[0] = sum_before(c[0].inside, 32, lane);
	before[1] = sum_before(c[1].inside, 32, lane) +
		    __shfl_sync(0xffffffffu, before[0] + c[0].inside, 31);
#pragma unroll
	for (int i = 0; i < 2; i++)
		cost[i] = c[i].level ? before[i] + c[i].end + coded : 0x7fffffff;
	best = __reduce_min_sync(0xffffffffu, min(cost[0], cost[1]));
	ends0 = __ballot_sync(0xffffffffu, cost[0] == best && c[0].level);
	ends1 = __ballot_sync(0xffffffffu, cost[1] == best && c[1].level);
	end = best >= none ? -1 : ends0 ? __ffs((int)ends0) - 1 : __ffs((int)ends1) + 31;
#pragma unroll
	for (int i = 0; i < 2; i++) {
		int at = lane + 32 * i;

		level[i] = at < end ? (c[i].keep ? c[i].level : 0) : at == end ? c[i].level : 0;
	}
}

GPU_FN rd_levels64 warp_levels(
	const rd_kind64 *k, const uint32_t real[2], uint32_t flag0, uint32_t flag1, int lane)
{
	const int32_t none = h264i_quant_rate(flag0, k->weight);
	const int32_t coded = h264i_quant_rate(flag1, k->weight);
	uint32_t any0, any1, rate = 0;
	rd_levels64 r = { { 0, 0 }, flag0, 0 };
	rd_behind n;
	int last;

	if (k->skips && !__any_sync(0xffffffffu, max(real[0], real[1]) >= RD_LEAST_REAL))
		return r;
	r.level[0] = h264i_plain_level(real[0]);
	r.level[1] = h264i_plain_level(real[1]);
	for (int pass = 0; pass < k->passes; pass++)
		warp_pass(k, real, r.level, none, coded, lane);
	n = levels_behind(r.level, lane);
	any0 = __ballot_sync(0xffffffffu, r.level[0] != 0);
	any1 = __ballot_sync(0xffffffffu, r.level[1] != 0);
	last = any1 ? 63 - __clz((int)any1) : 31 - __clz((int)any0);
#pragma unroll
	for (int i = 0; i < 2; i++) {
		int at = lane + 32 * i;

		if (r.level[i])
			rate += k->map[i].one + (at == last ? k->map[i].end : k->map[i].more) +
				h264i_rate_level(k->abs, r.level[i],
					h264i_first_of(n.ones[i], n.larger[i]),
					h264i_more_of(n.larger[i]));
		else if (at < last)
			rate += k->map[i].zero;
	}
	__syncwarp();
	r.count = __popc(any0) + __popc(any1);
	r.rate = __reduce_add_sync(0xffffffffu, rate);
	r.rate = r.count ? r.rate + flag1 : flag0;
	return r;
}

#endif
