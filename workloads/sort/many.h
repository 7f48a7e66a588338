/* Ranges that blocks split into many ways: way k has the keys above pivot k - 1 and up to pivot k.
 * Where pivots are equal, so that one value is a large part of the keys, the keys equal to each
 * pivot have a way of their own, which is sorted. Tiles count the ways of their keys, the join adds
 * up, tiles move the keys, and the second join emits ranges of one way, or of neighbours that have
 * up to ctx.small keys together. Template text, as body.h. */

#ifndef SORT_NONE
#define SORT_NONE UINT32_C(0xffffffff)
#endif

LSCHED_FN SORT_KEY *SORT_N(_pivots)(const sort_ctx *c, const sort_open *o)
{
	return (SORT_KEY *)c->pivot + (size_t)(o->first / SORT_ROOM_MIN) * SORT_WAYS_SLOT;
}

LSCHED_FN uint32_t *SORT_N(_ways)(const sort_ctx *c, const sort_open *o)
{
	return c->way + (size_t)(o->first / SORT_ROOM_MIN) * SORT_WAYS_SLOT;
}

LSCHED_FN uint32_t SORT_N(_ways_of)(const sort_open *o)
{
	return o->leaves << o->equal;
}

/* Starts the tiles of an open range. One thread. */
LSCHED_TASK_FN void SORT_N(_many_start)(
	lsched_range_items *x, const sort_ctx *c, uint32_t open, uint32_t pass)
{
	sort_open *o = &c->open[open];
	const uint32_t tiles = SORT_N(_tiles_of)(o->count);
	lsched_range then = { 0, 0, open, 0 };
	lsched_range items = { 0, (tiles + o->each - 1) / o->each, open, 0 };

	o->pass = pass;
	items.join = lsched_fork_then(x, items.count, SORT_JOINED, &then, &then.join);
	lsched_range_spread(x, SORT_TILES, items, LSCHED_RANGE_PARTS);
}

/* Loads samples spread over the range, at places that its keys cannot be chosen for, to be sorted.
 * Returns their number, a multiple of 16; 0: the pivot comes from the bits of the keys. */
LSCHED_TASK_FN uint32_t SORT_N(_many_sample)(lsched_range_items *x, const sort_ctx *c,
	SORT_LOCAL *l, const SORT_KEY *from, lsched_range it)
{
	const uint32_t n =
		sort_depth(it.info) < c->depth_limit ? sort_samples(sort_ways(c, it.count)) : 0;
	const uint32_t step = n ? it.count / n : 0, seed = wl_hash(it.first ^ it.info);

	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < n; k += lsched_threads(x))
		l->u.room.key[SORT_N(_slot)(k)] =
			from[(uint64_t)k * step + ((uint64_t)wl_hash(seed + k) * step >> 32)];
	return n;
}

/* Writes the pivots of a range from its sorted samples. Returns how many leaves their tree has, and
 * whether keys equal to pivots have ways. */
LSCHED_TASK_FN uint32_t SORT_N(_many_pivots)(lsched_range_items *x, SORT_LOCAL *l,
	const SORT_ROOM *sorted, uint32_t ways, SORT_KEY *pivot, uint32_t *equal)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	uint32_t same = 0, leaves, step = sort_samples(ways) / ways;

	for (uint32_t k = thread + 2; k < ways; k += threads)
		same |= sorted->key[SORT_N(_slot)(k * step)] ==
			sorted->key[SORT_N(_slot)((k - 1) * step)];
	*equal = lsched_group_max32(x, &l->group, same);
	leaves = ways >> *equal;
	step <<= *equal;
	for (uint32_t k = thread + 1; k < leaves; k += threads) {
		const SORT_KEY v = sorted->key[SORT_N(_slot)(k * step)];
		const uint32_t low = k & (0u - k);

		pivot[(leaves + k - low) / (2 * low) - 1] = v; /* in the middle of those below */
		if (*equal)
			pivot[leaves - 1 + k - 1] = v;
		if (*equal && k == leaves - 1)
			pivot[leaves - 1 + k] = v;
	}
	return leaves;
}

/* Writes the pivot that splits by a bit. Returns as SORT_N(_many_pivots). */
LSCHED_TASK_FN uint32_t SORT_N(_many_bit)(
	lsched_range_items *x, SORT_KEY any, uint32_t number, SORT_KEY *pivot, uint32_t *equal)
{
	const SORT_KEY v = SORT_N(_bit_pivot)(any, number);

	*equal = number >= 8 * SORT_BYTES;
	if (lsched_thread(x) == 0) {
		pivot[0] = *equal ? v : v - 1;
		if (*equal)
			pivot[1] = pivot[2] = v;
	}
	return 2;
}

/* Opens a range whose samples are sorted. */
LSCHED_TASK_FN void SORT_N(_many_open)(lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l,
	lsched_range it, const SORT_ROOM *sorted)
{
	const uint32_t depth = sort_depth(it.info), open = it.first / SORT_ROOM_MIN;
	sort_open *o = &c->open[open];
	SORT_KEY *pivot = (SORT_KEY *)c->pivot + (size_t)open * SORT_WAYS_SLOT;
	uint32_t *way = c->way + (size_t)open * SORT_WAYS_SLOT;
	uint32_t leaves, equal;

	if (depth < c->depth_limit)
		leaves = SORT_N(_many_pivots)(x, l, sorted, sort_ways(c, it.count), pivot, &equal);
	else
		leaves = SORT_N(_many_bit)(x, SORT_N(_array)(c, sort_array(it.info))[it.first],
			depth - c->depth_limit, pivot, &equal);
	for (uint32_t k = lsched_thread(x); k < leaves << equal; k += lsched_threads(x))
		lsched_st(&way[k], 0u, rlx, dev);
	lsched_sync_item(x);
	if (lsched_thread(x) == 0) {
		o->first = it.first;
		o->count = it.count;
		o->info = it.info;
		o->leaves = leaves;
		o->equal = equal;
		o->each = c->each;
		SORT_N(_many_start)(x, c, open, SORT_COUNT);
	}
}

#include "workloads/sort/tile.h"

/* One way has all keys of a range: they stay where they are. One thread. */
LSCHED_TASK_FN void SORT_N(_many_only)(
	lsched_range_items *x, const sort_ctx *c, const sort_open *o, uint32_t way)
{
	const uint32_t array = sort_array(o->info);
	const lsched_range again = { o->first, o->count, sort_info(array, sort_depth(o->info) + 1),
		LSCHED_JOIN_NONE };

	if (!o->equal || way % 2 == 0) {
		lsched_emit(x, SORT_RANGE, &again);
	} else if (array != SORT_OUTPUT) {
		const uint64_t v = SORT_N(_pivots)(c, o)[o->leaves - 1 + way / 2];
		const lsched_range fill = { o->first, o->count, (uint32_t)v, (uint32_t)(v >> 32) };

		lsched_emit(x, SORT_FILL, &fill);
	}
}

/* The tiles of a range have counted: adds up, and lets them move. */
LSCHED_TASK_FN void SORT_N(_many_counted)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	const sort_open *o = &c->open[it.info];
	const uint32_t threads = lsched_threads(x), ways = SORT_N(_ways_of)(o);
	uint32_t *way = SORT_N(_ways)(c, o), before = 0;

	if (lsched_thread(x) == 0)
		l->only = SORT_NONE;
	for (uint32_t begin = 0; begin < ways; begin += threads) {
		const uint32_t k = begin + lsched_thread(x);
		const uint32_t count = k < ways ? lsched_ld(&way[k], rlx, dev) : 0;
		uint32_t all;
		const uint32_t at = before + lsched_group_scan32(x, &l->group, count, &all);

		before += all;
		if (k < ways)
			lsched_st(&way[k], at, rlx, dev);
		if (count == o->count)
			l->only = k;
	}
	lsched_sync_item(x);
	if (lsched_thread(x) != 0)
		return;
	if (l->only != SORT_NONE)
		SORT_N(_many_only)(x, c, o, l->only);
	else
		SORT_N(_many_start)(x, c, it.info, SORT_MOVE);
}

/* Where SORT_PARTS finds the counts of its ways: in the array that the keys from `first` on are not
 * in, which is written there next when they are moved or sorted. */
LSCHED_FN uint32_t *SORT_N(_part_counts)(const sort_ctx *c, uint32_t info, uint32_t first)
{
	return (uint32_t *)(void *)(SORT_N(_array)(c, sort_other(sort_array(info))) + first);
}

/* The tiles of a range have moved its keys: emits the ways by items of SORT_PARTS_MOST, or ranges.
 * The entry of the range may be opened again as soon as there are ranges, so the items have copies
 * of the counts. */
LSCHED_TASK_FN void SORT_N(_many_moved)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	const sort_open *o = &c->open[it.info];
	const uint32_t ways = SORT_N(_ways_of)(o), first = o->first, equal = o->equal;
	const uint32_t info = sort_info(sort_other(sort_array(o->info)), sort_depth(o->info) + 1);
	uint32_t *way = SORT_N(_ways)(c, o);
	uint32_t *end = l->u.table.place;

	for (uint32_t k = lsched_thread(x); k < ways; k += lsched_threads(x))
		end[k] = lsched_ld(&way[k], rlx, dev);
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < ways; k += lsched_threads(x)) {
		const uint32_t base = k - k % SORT_PARTS_MOST, from = base ? end[base - 1] : 0;
		const uint32_t last = base + SORT_PARTS_MOST < ways ? base + SORT_PARTS_MOST : ways;

		if (end[last - 1] - from > c->small)
			SORT_N(_part_counts)
		(c, info, first + from)[k - base] = end[k] - (k ? end[k - 1] : 0);
	}
	lsched_sync_item(x);
	if (lsched_thread(x) != 0)
		return;
	for (uint32_t base = 0; base < ways; base += SORT_PARTS_MOST) {
		const uint32_t from = base ? end[base - 1] : 0, rest = ways - base;
		const uint32_t n = rest < SORT_PARTS_MOST ? rest : (uint32_t)SORT_PARTS_MOST;
		const lsched_range part = { first + from, end[base + n - 1] - from, info,
			sort_parts(n, equal) };

		if (part.count)
			lsched_emit(x, part.count > c->small ? SORT_PARTS : SORT_RANGE, &part);
	}
}

/* Emits the ranges of some ways: neighbours that have up to ctx.small keys together are one. */
LSCHED_TASK_FN void SORT_N(_many_parts)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	const uint32_t ways = it.join >> 1, equal = it.join & 1u;
	const uint32_t *counts = SORT_N(_part_counts)(c, it.info, it.first);
	lsched_range part = { it.first, 0, it.info, LSCHED_JOIN_NONE };

	for (uint32_t k = lsched_thread(x); k < ways; k += lsched_threads(x))
		l->u.table.place[k] = counts[k];
	lsched_sync_item(x);
	if (lsched_thread(x) != 0)
		return;
	for (uint32_t k = 0; k < ways; k++) {
		const uint32_t count = l->u.table.place[k];
		const int fill = equal && k % 2 && count > c->small;

		if (part.count && (fill || part.count + count > c->small)) {
			lsched_emit(x, SORT_RANGE, &part);
			part.first += part.count;
			part.count = 0;
		}
		part.count += count;
		if (!fill)
			continue;
		if (sort_array(it.info) != SORT_OUTPUT) {
			const uint64_t v = SORT_N(_array)(c, sort_array(it.info))[part.first];
			const lsched_range equals = { part.first, count, (uint32_t)v,
				(uint32_t)(v >> 32) };

			lsched_emit(x, SORT_FILL, &equals);
		}
		part.first += count;
		part.count = 0;
	}
	if (part.count)
		lsched_emit(x, SORT_RANGE, &part);
}
