/* The bits of a block in all variants of a step of decide/cavlc_rates.h, a half warp a block. Lane
 * hl has the level of coefficient hl in scan order, and counts the block with its own level lowered
 * by 1.
 *
 * Instead of going through the levels, a lane counts bits of masks, for a chain that does not grow
 * with the levels: votes make masks of the block as it is, and a lane changes its own bit in them.
 *
 * * Zeros and runs depend on the mask of levels that are not 0 alone (cavlc_runs.cuh).
 *
 * * suffixLength rises with the levels and never falls. While it is s > 0, the levels before the
 *   one that raises it are at most 3 << (s - 1), and have s + 1 bits and up to two more: one above
 *   1 << (s - 1), one above 2 << (s - 1). Only the level that raises it is looked at. Without a
 *   level above 3 it is 1 from the second one on, and even the first one is known from the masks.
 *
 * Masks have a bit for each lane of the warp; those of the other half are 0. */
#ifndef H264INTRA_CUDA_CAVLC_COUNT_CUH
#define H264INTRA_CUDA_CAVLC_COUNT_CUH

#include "h264intra/cuda/cavlc_runs.cuh"
#include "h264intra/cuda/function.cuh"

#include <stddef.h>

/* A kind of block, and the lane's place in it. */
typedef struct cavlc_place {
	const uint32_t *token; /* four lengths for each total_coeff */
	const uint8_t *runs;
	uint32_t half, own; /* lanes: of the half, this one */
	int shift, levels;  /* from the half's lanes to the index of runs; levels */
} cavlc_place;

/* k->t: the code of cavlc_device_tables. */
GPU_FN cavlc_place cavlc_place_of(const h264i_cavlc_kind *k, int lane)
{
	const uint8_t *t = (const uint8_t *)k->t;
	const uint32_t dc = offsetof(cavlc_device_tables, code.token_dc);
	const uint32_t six = offsetof(cavlc_device_tables, token_six);
	const uint32_t row = 68u * ((k->nC >= 2) + (k->nC >= 4));
	cavlc_place p;

	/* Rows of words: the tables are aligned, and 68 is a multiple of 4. */
	p.token = (const uint32_t *)(t + (k->nC < 0 ? dc : k->nC < 8 ? row : six));
	p.runs = t + (k->nC < 0 ? offsetof(cavlc_device_tables, runs_dc)
				: offsetof(cavlc_device_tables, runs));
	p.half = lane & 16 ? 0xffff0000u : 0xffffu;
	p.own = 1u << lane;
	p.shift = (lane & 16) + k->first;
	p.levels = k->last - k->first;
	return p;
}

/* The lanes up to the highest one of a mask, none if there is none. */
GPU_FN uint32_t lanes_up_to(uint32_t mask)
{
	return mask ? 0xffffffffu >> __clz((int)mask) : 0;
}

/* Bits of two masks together. */
GPU_FN uint32_t count_both(uint32_t a, uint32_t b)
{
	return (uint32_t)__popc(a | b >> 16 | b << 16);
}

/* The levels of the warp above 0, 1, 2 and 3, both blocks as they are. */
typedef struct cavlc_votes {
	uint32_t above[4];
} cavlc_votes;

/* any: the lanes whose level is not 0. */
GPU_FN cavlc_votes cavlc_votes_of(uint32_t any, int level)
{
	cavlc_votes w;

	w.above[0] = any;
	w.above[1] = __ballot_sync(0xffffffffu, level > 1);
	w.above[2] = __ballot_sync(0xffffffffu, level > 2);
	w.above[3] = __ballot_sync(0xffffffffu, level > 3);
	return w;
}

/* Those after the lanes of `lowered` have lowered their levels by 1; above3: as it is then. Not by
 * votes, which wait for each other. */
GPU_FN cavlc_votes cavlc_lower_votes(const cavlc_votes *w, uint32_t lowered, uint32_t above3)
{
	cavlc_votes r;

	r.above[0] = w->above[0] & ~(lowered & ~w->above[1]);
	r.above[1] = w->above[1] & ~(lowered & ~w->above[2]);
	r.above[2] = w->above[2] & ~(lowered & ~w->above[3]);
	r.above[3] = above3;
	return r;
}

/* Those of the variant above i. */
GPU_FN uint32_t variant_above(
	const cavlc_place *p, const cavlc_votes *w, int i, int level, int lowers)
{
	return (w->above[i] & p->half) ^ (lowers && level == i + 1 ? p->own : 0);
}

/* The levels above `limit`, with the lane's own one lowered. */
GPU_FN uint32_t levels_above(const cavlc_place *p, int limit, int level, int lowers)
{
	return (__ballot_sync(0xffffffffu, level > limit) & p->half) ^
	       (lowers && level == limit + 1 ? p->own : 0);
}

/* The highest level of a mask, not empty. */
GPU_FN int level_at(uint32_t mask, int level, int lowers, int lane)
{
	const int at = 31 - __clz((int)mask);

	return __shfl_sync(0xffffffffu, level, at & 31) - (lowers && at == lane);
}

/* What is known of the levels of a variant: those above 0, 1, 2 and 3; how many are above 0,
 * and how many behind the last one above 1; trailing ones; the lanes up to that last one. */
typedef struct cavlc_levels {
	uint32_t any, above1, above2, above3, total, tail, ones, to;
} cavlc_levels;

/* levelCode of the first level that is no trailing one, and whether its suffixLength is 1. */
GPU_FN uint32_t first_code(const cavlc_levels *v, int first)
{
	return 2 * (uint32_t)first - (v->tail < 3 ? 4 : 2);
}

GPU_FN uint32_t first_suffix(const cavlc_levels *v)
{
	return v->tail < 3 && v->total > 10;
}

/* Without levels above 3. */
GPU_FN uint32_t small_levels_bits(const cavlc_levels *v)
{
	const uint32_t two = v->above2 > v->to >> 1; /* the first one is above 2 */
	/* Its bits, less those that it would have behind another one, and 2; 2 without such a
	 * level. */
	const uint32_t few = !v->to ? 2 : v->total > 10 ? 1 : two;
	const uint32_t first = v->tail < 3 ? few : v->tail == 3 ? 2 + two : 1;

	return 2 * (v->total - v->ones) + first - 2 + count_both(v->above1, v->above2);
}

/* Without levels above 12: suffixLength rises to 3 at most. */
GPU_FN uint32_t middle_levels_bits(
	const cavlc_place *p, const cavlc_levels *v, int level, int lowers, int lane)
{
	const uint32_t above4 = levels_above(p, 4, level, lowers);
	const uint32_t above6 = levels_above(p, 6, level, lowers);
	const uint32_t above8 = levels_above(p, 8, level, lowers);
	const uint32_t coded = v->total - v->ones;
	/* Up to the levels that raise it to 2 and to 3, and behind them. */
	const uint32_t to2 = lanes_up_to(v->above3), in2 = to2 >> 1;
	const uint32_t to3 = lanes_up_to(above6 & in2), in3 = to3 >> 1;
	/* Those before it is 2, without the first one. */
	const uint32_t in1 = ~to2 & (v->tail <= 3 ? v->to >> 1 : 0xffffffffu);
	const int first = level_at(v->above1, level, lowers, lane);
	const int second = level_at(v->above3, level, lowers, lane);
	const int third = level_at(above6 & in2, level, lowers, lane);
	/* h264i_cavlc_level_bits() of it, without branches. */
	const uint32_t code = first_code(v, first), plain = code < 14 ? code + 1 : 19;
	uint32_t bits = v->tail > 3 ? 1 : first_suffix(v) ? (code >> 1) + 2 : plain;

	bits += count_both(v->any & in2, v->any & in3);
	bits += count_both((v->above1 & in1) | (v->above2 & in2 & ~to3) | (above4 & in3),
		(v->above2 & in1) | (above4 & in2 & ~to3) | (above8 & in3));
	bits += v->above3 && (v->tail > 3 || to2 != v->to) ? (uint32_t)second - 1 : 0;
	bits += to3 ? (uint32_t)(third - 1) >> 1 : 0;
	return coded ? 2 * coded - 2 + bits : 0;
}

/* Of any magnitude. */
GPU_FN uint32_t large_levels_bits(
	const cavlc_place *p, const cavlc_levels *v, int level, int lowers, int lane)
{
	uint32_t above1 = v->above1, above2 = v->above2, above3 = v->above3, left = v->any, s = 1;
	uint32_t bits = 0;
	int waits = 0;

	for (uint32_t i = 0; i < 3; i++)
		left &= i < v->ones ? lanes_up_to(left) >> 1 : 0xffffffffu;
	if (__any_sync(0xffffffffu, left)) {
		const int first = level_at(left, level, lowers, lane);

		if (left)
			bits = v->tail > 3 ? 1
					   : h264i_cavlc_level_bits(
						     first_code(v, first), first_suffix(v));
		/* It may raise suffixLength to 2, so that none is left for 1. */
		waits = left && first > 3;
		left &= lanes_up_to(left) >> 1;
	}
#pragma unroll 1
	while (__any_sync(0xffffffffu, left)) {
		const uint32_t raise = waits ? 0 : s < 6 ? left & above3 : left;
		const uint32_t to = lanes_up_to(raise), same = waits || s == 6 ? 0 : left & ~to;
		const int last = level_at(raise, level, lowers, lane);

		bits += (s + 1) * (uint32_t)__popc(same) + count_both(same & above1, same & above2);
		bits += raise ? h264i_cavlc_level_bits(2 * (uint32_t)last - 2, s) : 0;
		left &= waits ? left : to >> 1;
		waits = 0;
		if (s < 6) {
			above1 = above2;
			above2 = levels_above(p, 2 << s, level, lowers);
			above3 = levels_above(p, 3 << s, level, lowers);
			s++;
		}
	}
	return bits;
}

/* h264i_cavlc_bits() of the half's levels, of which the lane's own one is less by `lowers`, 0 or 1;
 * it is not 0 then. w: the votes of the levels. */
GPU_FN uint32_t cavlc_count(
	const cavlc_place *p, const cavlc_votes *w, int level, int lowers, int lane)
{
	cavlc_levels v;
	uint32_t bits, token;

	v.any = variant_above(p, w, 0, level, lowers);
	v.above1 = variant_above(p, w, 1, level, lowers);
	v.above2 = variant_above(p, w, 2, level, lowers);
	v.above3 = variant_above(p, w, 3, level, lowers);
	v.total = (uint32_t)__popc(v.any);
	v.to = lanes_up_to(v.above1);
	v.tail = (uint32_t)__popc(v.any & ~v.to);
	v.ones = v.tail < 3 ? v.tail : 3;
	token = __ldg(p->token + v.total);
	bits = __ldg(p->runs + (v.any >> p->shift));
	bits = v.ones + (v.total < (uint32_t)p->levels ? bits : 0);
	bits += h264i_vlc_bits(token >> 8 * v.ones & 255);
	if (!w->above[3])
		return bits + small_levels_bits(&v);
	if (!__any_sync(0xffffffffu, level > 12))
		return bits + middle_levels_bits(p, &v, level, lowers, lane);
	return bits + large_levels_bits(p, &v, level, lowers, lane);
}

#endif
