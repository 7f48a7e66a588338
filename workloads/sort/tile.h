/* What a block does with the tiles of a range that it splits into many ways: counts, moves.
 * Template text, as body.h. */

#ifndef SORT_NEAR_ADD
/* Adds to a word in fast memory; returns the old value. It orders no other access. */
#if LSCHED_I_GPU
#define SORT_NEAR_ADD(p, v) atomicAdd((p), (v))
#else
#define SORT_NEAR_ADD(p, v) lsched_add((p), (v), rlx, blk)
#endif
#endif

/* A thread's next keys k, k + threads, ..; beyond the end the last one. */
LSCHED_TASK_FN void SORT_N(_many_load)(
	const SORT_KEY *from, uint32_t n, uint32_t k, uint32_t threads, SORT_KEY v[SORT_N(_batch)])
{
	LSCHED_UNROLL
	for (uint32_t j = 0; j < SORT_N(_batch); j++) {
		const uint32_t at = k + j * threads;

		v[j] = from[at < n ? at : n - 1];
	}
}

/* Finds the ways of keys. Returns whether all of them are the same. */
LSCHED_TASK_FN int SORT_N(_many_find)(const SORT_N(_table) * t, uint32_t leaves, uint32_t equal,
	const SORT_KEY v[SORT_N(_batch)], uint32_t way[SORT_N(_batch)])
{
	int same = 1;

	LSCHED_UNROLL
	for (uint32_t j = 0; j < SORT_N(_batch); j++)
		way[j] = 0;
	LSCHED_NO_UNROLL
	for (uint32_t level = 1; level < leaves; level *= 2) {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			way[j] = 2 * way[j] + (v[j] > t->pivot[way[j]] ? 2u : 1u);
	}
	if (equal) {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			way[j] = 2 * (way[j] - (leaves - 1)) + (v[j] == t->pivot[way[j]]);
	} else {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			way[j] -= leaves - 1;
	}
	LSCHED_UNROLL
	for (uint32_t j = 1; j < SORT_N(_batch); j++)
		same &= way[j] == way[0];
	return same;
}

/* Counts the ways of a tile's keys, and adds them to those of the range. */
LSCHED_TASK_FN void SORT_N(_many_count)(lsched_range_items *x, SORT_N(_table) * t,
	const sort_open *o, uint32_t *way, const SORT_KEY *from, uint32_t n, uint16_t *tile)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t leaves = o->leaves, equal = o->equal;

	for (uint32_t k = thread; k < leaves << equal; k += threads)
		t->place[k] = 0;
	lsched_sync_item(x);
	LSCHED_NO_UNROLL
	for (uint32_t k = thread; k < n; k += SORT_N(_batch) * threads) {
		SORT_KEY v[SORT_N(_batch)];
		uint32_t to[SORT_N(_batch)];

		SORT_N(_many_load)(from, n, k, threads, v);
		if (SORT_N(_many_find)(t, leaves, equal, v, to) &&
			k + (SORT_N(_batch) - 1) * threads < n) {
			(void)SORT_NEAR_ADD(&t->place[to[0]], (uint32_t)SORT_N(_batch));
			continue;
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			if (k + j * threads < n)
				(void)SORT_NEAR_ADD(&t->place[to[j]], 1u);
	}
	lsched_sync_item(x);
	for (uint32_t k = thread; k < leaves << equal; k += threads) {
		const uint32_t count = t->place[k];

		tile[k] = (uint16_t)count;
		if (count)
			(void)lsched_add(&way[k], count, rlx, dev);
	}
	lsched_sync_item(x);
}

/* Takes the places of a tile in the other array. */
LSCHED_TASK_FN void SORT_N(_many_places)(lsched_range_items *x, SORT_LOCAL *l, const sort_open *o,
	uint32_t *way, const uint16_t *tile)
{
	const uint32_t threads = lsched_threads(x), ways = SORT_N(_ways_of)(o);
	SORT_N(_table) *t = &l->u.table;
	uint32_t before = 0;

	for (uint32_t begin = 0; begin < ways; begin += threads) {
		const uint32_t k = begin + lsched_thread(x), count = k < ways ? tile[k] : 0;
		const uint32_t place = count ? o->first + lsched_add(&way[k], count, rlx, dev) : 0;
		uint32_t all;
		const uint32_t at = before + lsched_group_scan32(x, &l->group, count, &all);

		before += all;
		if (k < ways) {
			t->place[k] = at;
			t->shift[k] = place - at;
		}
	}
	lsched_sync_item(x);
}

/* Moves a tile's keys to their places; they are ordered by ways in fast memory first. */
LSCHED_TASK_FN void SORT_N(_many_move)(lsched_range_items *x, SORT_LOCAL *l, const sort_open *o,
	const SORT_KEY *from, uint32_t n, SORT_KEY *to)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t leaves = o->leaves, equal = o->equal;
	SORT_N(_table) *t = &l->u.table;
	uint32_t way = 0;

	LSCHED_NO_UNROLL
	for (uint32_t k = thread; k < n; k += SORT_N(_batch) * threads) {
		SORT_KEY v[SORT_N(_batch)];
		uint32_t at[SORT_N(_batch)];

		SORT_N(_many_load)(from, n, k, threads, v);
		if (SORT_N(_many_find)(t, leaves, equal, v, at) &&
			k + (SORT_N(_batch) - 1) * threads < n) {
			const uint32_t place =
				SORT_NEAR_ADD(&t->place[at[0]], (uint32_t)SORT_N(_batch));

			LSCHED_UNROLL
			for (uint32_t j = 0; j < SORT_N(_batch); j++)
				l->other.key[SORT_N(_slot)(place + j)] = v[j];
			continue;
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			if (k + j * threads < n)
				at[j] = SORT_NEAR_ADD(&t->place[at[j]], 1u);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			if (k + j * threads < n)
				l->other.key[SORT_N(_slot)(at[j])] = v[j];
	}
	lsched_sync_item(x);
	for (uint32_t k = thread; k < n; k += threads) {
		while (k >= t->place[way]) /* its end now */
			way++;
		to[t->shift[way] + k] = l->other.key[SORT_N(_slot)(k)];
	}
	lsched_sync_item(x);
}

/* The pass of an open range over the tiles of an item. */
LSCHED_TASK_FN void SORT_N(_many_tiles)(
	lsched_range_items *x, const sort_ctx *c, SORT_LOCAL *l, lsched_range it)
{
	sort_open *o = &c->open[it.info];
	const uint32_t ways = SORT_N(_ways_of)(o), array = sort_array(o->info);
	const uint32_t begin = it.first * o->each, tiles = SORT_N(_tiles_of)(o->count);
	const uint32_t end = begin + o->each < tiles ? begin + o->each : tiles;
	const SORT_KEY *pivot = SORT_N(_pivots)(c, o);
	uint32_t *way = SORT_N(_ways)(c, o);

	for (uint32_t k = lsched_thread(x); k < ways; k += lsched_threads(x))
		l->u.table.pivot[k] = pivot[k];
	LSCHED_NO_UNROLL
	for (uint32_t k = begin; k < end; k++) {
		const uint32_t first = k * SORT_N(_room), rest = o->count - first;
		const uint32_t n = rest < SORT_N(_room) ? rest : (uint32_t)SORT_N(_room);
		const SORT_KEY *from = SORT_N(_array)(c, array) + o->first + first;
		uint16_t *tile = c->tile + (size_t)SORT_WAYS_MOST * (SORT_TILES_SLOT * it.info + k);

		if (o->pass == SORT_COUNT) {
			SORT_N(_many_count)(x, &l->u.table, o, way, from, n, tile);
		} else {
			SORT_N(_many_places)(x, l, o, way, tile);
			SORT_N(_many_move)
			(x, l, o, from, n, SORT_N(_array)(c, sort_other(array)));
		}
	}
}
