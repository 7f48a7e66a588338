/* The subtree of at most BVH_SMALL primitives, by the warps of a block in fast memory. Ranges are
 * split in rounds, in which a range has one warp, or several while there are fewer ranges than
 * warps; those of at most BVH_SWEEP primitives follow at the end (collide/bvh/sweep.h). Compiled
 * for CPU and GPU. */
#ifndef COLLIDE_BVH_SMALL_H
#define COLLIDE_BVH_SMALL_H

#include "collide/bvh/sweep.h"

/* Appends a part with the bounds of its centres to those of the next round, or to the small ones.
 * One thread. */
LSCHED_TASK_FN void bvh_small_add(
	bvh_small *s, uint32_t next, bvh_part part, const uint32_t point[3])
{
	if (part.count > BVH_SWEEP) {
		const uint32_t at = BVH_NEAR_ADD(&s->parts[next], 1u);

		s->part[next][at] = part;
		for (uint32_t k = 0; k < 3; k++)
			s->point[next][at][k] = point[k];
	} else {
		s->end[BVH_NEAR_ADD(&s->ends, 1u)] = part;
	}
}

/* The warps of a part in a round, and the records of it that this warp splits. */
typedef struct bvh_warp_group {
	bvh_warp_room *room; /* of the first warp; those of the others follow */
	uint32_t size, rank; /* warps, and the number of this one */
	uint32_t begin, end;
	int active; /* there is a part for them */
} bvh_warp_group;

/* The group of this warp for a part of `count` records. */
LSCHED_FN bvh_warp_group bvh_warp_group_of(
	bvh_warp_room *room, uint32_t size, uint32_t rank, uint32_t count, int active)
{
	const uint32_t step = size * LSCHED_LANES;
	const uint32_t each = (count + step - 1) / step * LSCHED_LANES;
	const uint32_t begin = rank * each < count ? rank * each : count;
	const bvh_warp_group t = { room, size, rank, begin,
		count - begin < each ? count : begin + each, active };

	return t;
}

/* Bins the warp's share of a part. All lanes of a warp. */
LSCHED_TASK_FN void bvh_group_bin(
	const bvh_small *s, const bvh_warp_group *t, const bvh_part *part, const uint32_t point[3])
{
	const bvh_places p = bvh_places_of(point);

	bvh_warp_bin(&t->room[t->rank], s->record[part->buffer] + part->begin, t->begin, t->end,
		LSCHED_LANES, &p);
}

/* Adds up the bins of the group's warps in those of the first one. */
LSCHED_TASK_FN void bvh_group_union(const bvh_warp_group *t)
{
	if (t->size == 1)
		return;
	for (uint32_t k = t->rank * LSCHED_LANES + lsched_lane(); k < BVH_ALL_BINS;
		k += t->size * LSCHED_LANES)
		t->room->split.bin[0][k] = bvh_warps_union(t->room, t->size, k);
}

/* Chooses the plane of a part, and counts those of the warp's records that go left. */
LSCHED_TASK_FN bvh_split bvh_group_plane(
	const bvh_small *s, const bvh_warp_group *t, const bvh_part *part, const uint32_t point[3])
{
	const bvh_record *from = s->record[part->buffer] + part->begin;
	const uint32_t id = bvh_warp_plane(t->room->split.bin[0], part->depth >= BVH_EVEN_DEPTH);
	const bvh_places p = bvh_places_of(point);
	const bvh_split split =
		id == BVH_NONE ? bvh_warp_number_split(from, part->count) : bvh_plane(&p, id);
	const uint32_t left = bvh_count_left(from, t->begin, t->end, split);

	if (lsched_lane() == 0)
		t->room[t->rank].split.left = left;
	return split;
}

/* Moves the warp's records of a part to both sides. Returns how many of the part go left. */
LSCHED_TASK_FN uint32_t bvh_group_move(
	bvh_small *s, const bvh_warp_group *t, const bvh_part *part, bvh_split split)
{
	const bvh_record *from = s->record[part->buffer] + part->begin;
	bvh_record *to = s->record[part->buffer ^ 1u] + part->begin;
	uint32_t all = 0, before = 0, point[2][3] = { { 0, 0, 0 }, { 0, 0, 0 } };
	bvh_cursor at;

	for (uint32_t k = 0; k < t->size; k++) {
		const uint32_t left = t->room[k].split.left;

		before += k < t->rank ? left : 0;
		all += left;
	}
	at.left = before;
	at.right = all + (t->begin - before);
	for (uint32_t base = t->begin; base < t->end; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane();
		const int active = k < t->end;
		const bvh_record r = from[active ? k : t->begin];
		const int is_left = bvh_place(&r, split.axis) < split.at;
		const uint32_t place = bvh_cursor_next(&at, active, is_left);

		if (active)
			to[place] = r;
		if (active && is_left)
			bvh_add_point(point[0], &r);
		else if (active)
			bvh_add_point(point[1], &r);
	}
	for (uint32_t side = 0; side < 2; side++) {
		bvh_warp_union(point[side]);
		if (lsched_lane() == 0)
			for (uint32_t k = 0; k < 3; k++)
				t->room[t->rank].split.point[side][k] = point[side][k];
	}
	return all;
}

/* Makes the node of a split, and the parts of both sides. One thread. */
LSCHED_TASK_FN void bvh_group_node(const bvh_ctx *c, bvh_small *s, const bvh_warp_group *t,
	const bvh_part *part, uint32_t left, uint32_t first, uint32_t next)
{
	const uint32_t middle = part->begin + left, link = (first + middle) << 1;
	const uint16_t depth = (uint16_t)(part->depth + 1), buffer = part->buffer ^ 1u;
	const bvh_part low = { link, part->begin, (uint16_t)left, depth, buffer };
	const bvh_part high = { link | 1u, (uint16_t)middle, (uint16_t)(part->count - left), depth,
		buffer };
	uint32_t point[2][3] = { { 0, 0, 0 }, { 0, 0, 0 } };

	for (uint32_t k = 0; k < t->size; k++)
		for (uint32_t side = 0; side < 2; side++)
			bvh_extend(point[side], t->room[k].split.point[side]);
	bvh_small_node(c, s, first, middle, part->link);
	bvh_small_add(s, next, low, point[0]);
	bvh_small_add(s, next, high, point[1]);
}

/* Splits the parts of a round. All threads. */
LSCHED_TASK_FN void bvh_small_round(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, uint32_t first, uint32_t now)
{
	bvh_small *s = &l->u.small;
	const uint32_t parts = s->parts[now], warp = bvh_warp(x), warps = bvh_warps(x);
	const uint32_t size = parts < warps ? warps / parts : 1, groups = warps / size;

	for (uint32_t at = 0; at < parts; at += groups) {
		const uint32_t group = warp / size, k = at + group;
		const int active = group < groups && k < parts;
		const bvh_part part = s->part[now][active ? k : 0];
		const uint32_t *point = s->point[now][active ? k : 0];
		const bvh_warp_group t = bvh_warp_group_of(
			l->warp + group * size, size, warp % size, part.count, active);
		bvh_split split = { 0, 0 };
		uint32_t left = 0;

		if (active)
			bvh_group_bin(s, &t, &part, point);
		lsched_sync_item(x);
		if (active)
			bvh_group_union(&t);
		lsched_sync_item(x);
		if (active)
			split = bvh_group_plane(s, &t, &part, point);
		lsched_sync_item(x);
		if (active)
			left = bvh_group_move(s, &t, &part, split);
		lsched_sync_item(x);
		if (active && t.rank == 0 && lsched_lane() == 0)
			bvh_group_node(c, s, &t, &part, left, first, now ^ 1u);
	}
}

/* Makes the subtree of the records in s->record[0]. All threads of a block. */
LSCHED_TASK_FN void bvh_small_block(
	lsched_range_items *x, const bvh_ctx *c, bvh_local *l, lsched_range it)
{
	bvh_small *s = &l->u.small;
	const uint32_t warp = bvh_warp(x), warps = bvh_warps(x);
	const bvh_part all = { it.join, 0, (uint16_t)it.count, (uint16_t)bvh_depth(it.info), 0 };
	uint32_t w[3];

	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		s->arrived[k] = 0;
	bvh_block_points(x, l, s->record[0], it.count, w);
	if (lsched_thread(x) == 0) {
		s->parts[0] = s->parts[1] = s->ends = 0;
		bvh_small_add(s, 0, all, w);
	}
	lsched_sync_item(x);
	for (uint32_t now = 0; s->parts[now]; now ^= 1u) {
		bvh_small_round(x, c, l, it.first, now);
		lsched_sync_item(x);
		if (lsched_thread(x) == 0)
			s->parts[now] = 0; /* for the round after the next one */
	}
	for (uint32_t k = warp; k < s->ends; k += warps)
		bvh_warp_sweep(c, s, &l->warp[warp], &s->end[k], it.first, it.join);
	lsched_sync_item(x);
	for (uint32_t k = 1 + lsched_thread(x); k < it.count; k += lsched_threads(x))
		if (s->arrived[k]) {
			c->node[it.first + k].box[0] = s->box[k][0];
			c->node[it.first + k].box[1] = s->box[k][1];
		}
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		bvh_climb(c, it.join, s->root);
}

#endif
