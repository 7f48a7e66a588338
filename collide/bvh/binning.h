/* Bins of records in registers: the lanes of a warp have two bins each, and all of them read the
 * same records, one after another. Nothing is written by two lanes. (With atomic operations on bins
 * in fast memory a tile of 4,096 records took 60 us on an H200, because neighbouring records are in
 * the same bins.) Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_BINNING_H
#define COLLIDE_BVH_BINNING_H

#include "collide/bvh/group.h"

/* Bins of a lane. 32 lanes have those of the first two axes; each half of them has those of the
 * third axis, for every second record. One lane has all bins. */
enum { BVH_OWN = LSCHED_LANES > 1 ? 2 : BVH_ALL_BINS };

typedef struct bvh_own {
	bvh_bin bin[BVH_OWN];
} bvh_own;

LSCHED_TASK_FN void bvh_own_clear(bvh_own *o)
{
	LSCHED_UNROLL
	for (uint32_t i = 0; i < BVH_OWN; i++)
		o->bin[i] = bvh_bins_union(NULL, 0, 0);
}

/* The bins of a record, eight bits an axis. */
LSCHED_FN uint32_t bvh_bins_of(const bvh_record *r, const bvh_places *p, const uint32_t factor[3])
{
	const uint32_t x = bvh_bin_of(bvh_centre(r->word, 0), p->base[0], factor[0]);
	const uint32_t y = bvh_bin_of(bvh_centre(r->word, 1), p->base[1], factor[1]);
	const uint32_t z = bvh_bin_of(bvh_centre(r->word, 2), p->base[2], factor[2]);

	return x | y << 8 | z << 16;
}

/* Puts a record with its bins to a place of the warp's stage. */
LSCHED_TASK_FN void bvh_stage(bvh_record *stage, uint32_t place, const bvh_record *r,
	const bvh_places *p, const uint32_t factor[3])
{
	const bvh_record staged = { { r->word[0], r->word[1], r->word[2] },
		bvh_bins_of(r, p, factor) };

	stage[place] = staged;
}

/* Adds a staged record to a bin, whose number `want` is in the bits `mask`. */
LSCHED_TASK_FN void bvh_own_add_one(bvh_bin *bin, const bvh_record *r, uint32_t mask, uint32_t want)
{
	if (((r->number ^ want) & mask) == 0) {
		bvh_extend(bin->word, r->word);
		bin->count++;
	}
}

#if LSCHED_LANES > 1

/* Adds the staged records from .. to - 1. All lanes. */
LSCHED_TASK_FN void bvh_own_add(bvh_own *o, const bvh_record *stage, uint32_t from, uint32_t to)
{
	const uint32_t half = lsched_lane() / BVH_BINS, bin = lsched_lane() % BVH_BINS;
	const uint32_t mask = 255u << half * 8, want = bin << half * 8;
	const uint32_t pairs = (to - from) / 2;

	LSCHED_UNROLL_LOADS
	for (uint32_t k = 0; k < pairs; k++) {
		const bvh_record *at = stage + from + 2 * k;
		const bvh_record r[3] = { at[0], at[1], at[half] };

		bvh_own_add_one(&o->bin[0], &r[0], mask, want);
		bvh_own_add_one(&o->bin[0], &r[1], mask, want);
		bvh_own_add_one(&o->bin[1], &r[2], 255u << 16, bin << 16);
	}
	if ((to - from) % 2) {
		const bvh_record r = stage[to - 1];

		bvh_own_add_one(&o->bin[0], &r, mask, want);
		if (half == 0)
			bvh_own_add_one(&o->bin[1], &r, 255u << 16, bin << 16);
	}
}

/* Writes the bins to fast memory. All lanes. */
LSCHED_TASK_FN void bvh_own_store(const bvh_own *o, bvh_bin *bin)
{
	bvh_bin third = o->bin[1];
	const uint32_t other[3] = { lsched_i_shfl_xor(third.word[0], BVH_BINS),
		lsched_i_shfl_xor(third.word[1], BVH_BINS),
		lsched_i_shfl_xor(third.word[2], BVH_BINS) };

	third.count += lsched_i_shfl_xor(third.count, BVH_BINS);
	bvh_extend(third.word, other);
	bin[lsched_lane()] = o->bin[0];
	if (lsched_lane() < BVH_BINS)
		bin[2 * BVH_BINS + lsched_lane()] = third;
}

#else

LSCHED_TASK_FN void bvh_own_add(bvh_own *o, const bvh_record *stage, uint32_t from, uint32_t to)
{
	for (uint32_t k = from; k < to; k++)
		for (uint32_t i = 0; i < BVH_OWN; i++)
			bvh_own_add_one(&o->bin[i], &stage[k], 255u << i / BVH_BINS * 8,
				i % BVH_BINS << i / BVH_BINS * 8);
}

LSCHED_TASK_FN void bvh_own_store(const bvh_own *o, bvh_bin *bin)
{
	for (uint32_t i = 0; i < BVH_OWN; i++)
		bin[i] = o->bin[i];
}

#endif

/* The union of bin k of both sides, counted through, over some warps. */
LSCHED_TASK_FN bvh_bin bvh_warps_union(const bvh_warp_room *warp, uint32_t warps, uint32_t k)
{
	bvh_bin all = bvh_bins_union(NULL, 0, 0);

	for (uint32_t w = 0; w < warps; w++) {
		const bvh_bin b = warp[w].split.bin[k / BVH_ALL_BINS][k % BVH_ALL_BINS];

		bvh_extend(all.word, b.word);
		all.count += b.count;
	}
	return all;
}

/* Bins records begin .. end - 1 of fast memory, in the warp's own bins of the first side. All lanes
 * of a warp; step: from one of its groups of LSCHED_LANES records to the next. */
LSCHED_TASK_FN void bvh_warp_bin(bvh_warp_room *w, const bvh_record *record, uint32_t begin,
	uint32_t end, uint32_t step, const bvh_places *p)
{
	const uint32_t factor[3] = { bvh_factor(p->size[0]), bvh_factor(p->size[1]),
		bvh_factor(p->size[2]) };
	bvh_own own;

	bvh_own_clear(&own);
	for (uint32_t at = begin; at < end; at += step) {
		const uint32_t n = end - at < LSCHED_LANES ? end - at : LSCHED_LANES;

		if (lsched_lane() < n)
			bvh_stage(w->split.stage, lsched_lane(), &record[at + lsched_lane()], p,
				factor);
		lsched_sync_worker();
		bvh_own_add(&own, w->split.stage, 0, n);
		lsched_sync_worker();
	}
	bvh_own_store(&own, w->split.bin[0]);
}

#endif
