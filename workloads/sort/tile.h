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

/* Loads a thread's keys 0, threads, .. of those from `from` on. */
LSCHED_TASK_FN void SORT_N(_many_load)(
	const SORT_KEY *from, uint32_t threads, SORT_KEY v[SORT_N(_batch)])
{
	LSCHED_UNROLL
	for (uint32_t j = 0; j < SORT_N(_batch); j++)
		v[j] = from[j * threads];
}

/* Whether a thread's ways are all the same. */
LSCHED_TASK_FN int SORT_N(_many_same)(const uint32_t way[SORT_N(_batch)])
{
	int same = 1;

	LSCHED_UNROLL
	for (uint32_t j = 1; j < SORT_N(_batch); j++)
		same &= way[j] == way[0];
	return same;
}

/* The way of a key that has come to that leaf. */
LSCHED_TASK_FN uint32_t SORT_N(_many_leaf)(
	const SORT_N(_table) * t, uint32_t leaves, uint32_t equal, SORT_KEY v, uint32_t node)
{
	const uint32_t leaf = node - (leaves - 1);

	return equal ? 2 * leaf + (v == t->pivot[node]) : leaf;
}

/* Finds the ways of keys. */
LSCHED_TASK_FN void SORT_N(_many_find)(const SORT_N(_table) * t, uint32_t leaves, uint32_t equal,
	const SORT_KEY v[SORT_N(_batch)], uint32_t way[SORT_N(_batch)])
{
	LSCHED_UNROLL
	for (uint32_t j = 0; j < SORT_N(_batch); j++)
		way[j] = 0;
	LSCHED_NO_UNROLL
	for (uint32_t level = 1; level < leaves; level *= 2) {
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			way[j] = 2 * way[j] + (v[j] > t->pivot[way[j]] ? 2u : 1u);
	}
	LSCHED_UNROLL
	for (uint32_t j = 0; j < SORT_N(_batch); j++)
		way[j] = SORT_N(_many_leaf)(t, leaves, equal, v[j], way[j]);
}

/* Counts the way of one key. */
LSCHED_TASK_FN uint8_t SORT_N(_many_count_one)(
	SORT_N(_table) * t, uint32_t leaves, uint32_t equal, SORT_KEY v)
{
	uint32_t way = 0;

	LSCHED_NO_UNROLL
	for (uint32_t level = 1; level < leaves; level *= 2)
		way = 2 * way + (v > t->pivot[way] ? 2u : 1u);
	way = SORT_N(_many_leaf)(t, leaves, equal, v, way);
	(void)SORT_NEAR_ADD(&t->place[way], 1u);
	return (uint8_t)way;
}

/* Counts the ways of a tile's keys, notes them in `of`, and adds them to those of the range. */
LSCHED_TASK_FN void SORT_N(_many_count)(lsched_range_items *x, SORT_N(_table) * t,
	const sort_open *o, uint32_t *way, const SORT_KEY *from, uint32_t n, uint16_t *tile,
	uint8_t *of)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const uint32_t leaves = o->leaves, equal = o->equal;
	uint32_t k = thread;

	for (uint32_t w = thread; w < leaves << equal; w += threads)
		t->place[w] = 0;
	lsched_sync_item(x);
	LSCHED_NO_UNROLL
	for (; k + (SORT_N(_batch) - 1) * threads < n; k += SORT_N(_batch) * threads) {
		SORT_KEY v[SORT_N(_batch)];
		uint32_t to[SORT_N(_batch)];

		SORT_N(_many_load)(from + k, threads, v);
		SORT_N(_many_find)(t, leaves, equal, v, to);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			(of + k)[j * threads] = (uint8_t)to[j];
		if (SORT_N(_many_same)(to)) {
			(void)SORT_NEAR_ADD(&t->place[to[0]], (uint32_t)SORT_N(_batch));
			continue;
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			(void)SORT_NEAR_ADD(&t->place[to[j]], 1u);
	}
	LSCHED_NO_UNROLL
	for (; k < n; k += threads)
		of[k] = SORT_N(_many_count_one)(t, leaves, equal, from[k]);
	lsched_sync_item(x);
	for (uint32_t w = thread; w < leaves << equal; w += threads) {
		const uint32_t count = t->place[w];

		tile[w] = (uint16_t)count;
		if (count)
			(void)lsched_add(&way[w], count, rlx, dev);
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

/* Puts a key to a place in fast memory. */
LSCHED_TASK_FN void SORT_N(_many_put)(SORT_LOCAL *l, uint32_t place, SORT_KEY v, uint32_t way)
{
	l->other.key[SORT_N(_slot)(place)] = v;
	l->u.table.way[place] = (uint8_t)way;
}

/* Orders a tile's keys by their ways in fast memory. */
LSCHED_TASK_FN void SORT_N(_many_order)(
	lsched_range_items *x, SORT_LOCAL *l, const SORT_KEY *from, const uint8_t *of, uint32_t n)
{
	const uint32_t threads = lsched_threads(x);
	uint32_t *next = l->u.table.place, k = lsched_thread(x);

	LSCHED_NO_UNROLL
	for (; k + (SORT_N(_batch) - 1) * threads < n; k += SORT_N(_batch) * threads) {
		SORT_KEY v[SORT_N(_batch)];
		uint32_t way[SORT_N(_batch)];

		SORT_N(_many_load)(from + k, threads, v);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			way[j] = (of + k)[j * threads];
		if (SORT_N(_many_same)(way)) {
			const uint32_t place =
				SORT_NEAR_ADD(&next[way[0]], (uint32_t)SORT_N(_batch));

			LSCHED_UNROLL
			for (uint32_t j = 0; j < SORT_N(_batch); j++)
				SORT_N(_many_put)(l, place + j, v[j], way[0]);
			continue;
		}
		/* additions first, as each takes long: a place has 13 bits, a way 8 */
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			way[j] = way[j] << 16 | SORT_NEAR_ADD(&next[way[j]], 1u);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < SORT_N(_batch); j++)
			SORT_N(_many_put)(l, way[j] & 0xffffu, v[j], way[j] >> 16);
	}
	LSCHED_NO_UNROLL
	for (; k < n; k += threads)
		SORT_N(_many_put)(l, SORT_NEAR_ADD(&next[of[k]], 1u), from[k], of[k]);
	lsched_sync_item(x);
}

/* Moves a tile's keys to their places in the other array. */
LSCHED_TASK_FN void SORT_N(_many_move)(lsched_range_items *x, SORT_LOCAL *l, const SORT_KEY *from,
	const uint8_t *of, uint32_t n, SORT_KEY *to)
{
	SORT_N(_many_order)(x, l, from, of, n);
	LSCHED_UNROLL_LOADS
	for (uint32_t k = lsched_thread(x); k < n; k += lsched_threads(x))
		to[l->u.table.shift[l->u.table.way[k]] + k] = l->other.key[SORT_N(_slot)(k)];
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

	for (uint32_t k = lsched_thread(x); o->pass == SORT_COUNT && k < ways;
		k += lsched_threads(x))
		l->u.table.pivot[k] = pivot[k];
	LSCHED_NO_UNROLL
	for (uint32_t k = begin; k < end; k++) {
		const uint32_t first = k * SORT_N(_room), rest = o->count - first;
		const uint32_t n = rest < SORT_N(_room) ? rest : (uint32_t)SORT_N(_room);
		const SORT_KEY *from = SORT_N(_array)(c, array) + o->first + first;
		uint16_t *tile = c->tile + (size_t)SORT_WAYS_MOST * (SORT_TILES_SLOT * it.info + k);
		uint8_t *of = c->way_of + o->first + first;

		if (o->pass == SORT_COUNT) {
			SORT_N(_many_count)(x, &l->u.table, o, way, from, n, tile, of);
		} else {
			SORT_N(_many_places)(x, l, o, way, tile);
			SORT_N(_many_move)
			(x, l, from, of, n, SORT_N(_array)(c, sort_other(array)));
		}
	}
}
