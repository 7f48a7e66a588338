/* Ranges that one CPU thread splits by one pivot into the keys below, equal to, and above it: a
 * tile adds what it has of both sides to the range's counters, which gives it its places. Template
 * text, as body.h. */

/* The median of samples spread over the range, at places that its keys cannot be chosen for. */
LSCHED_TASK_FN SORT_KEY SORT_N(_median_of)(const SORT_KEY *from, lsched_range it)
{
	const uint32_t step = it.count / SORT_SAMPLES, seed = wl_hash(it.first ^ it.info);
	SORT_KEY sample[SORT_SAMPLES];

	for (uint32_t k = 0; k < SORT_SAMPLES; k++)
		sample[k] = from[(uint64_t)k * step + ((uint64_t)wl_hash(seed + k) * step >> 32)];
	for (uint32_t k = 0; k < SORT_SAMPLES; k++) {
		const SORT_KEY v = sample[k];
		uint32_t rank = 0;

		for (uint32_t j = 0; j < SORT_SAMPLES; j++)
			rank += sample[j] < v || (sample[j] == v && j < k);
		if (rank == SORT_SAMPLES / 2)
			return v;
	}
	return sample[0]; /* not reached: one of them has that rank */
}

LSCHED_TASK_FN void SORT_N(_two_open)(lsched_range_items *x, const sort_ctx *c, lsched_range it)
{
	const uint32_t depth = sort_depth(it.info), open = it.first / SORT_ROOM_MIN;
	const SORT_KEY *from = SORT_N(_array)(c, sort_array(it.info)) + it.first;
	sort_open *o = &c->open[open];
	lsched_range then = { 0, 0, open, 0 };
	lsched_range tiles = { 0, SORT_N(_tiles_of)(it.count), open, 0 };

	o->pivot = depth < c->depth_limit ? SORT_N(_median_of)(from, it)
					  : SORT_N(_bit_pivot)(from[0], depth - c->depth_limit);
	o->first = it.first;
	o->count = it.count;
	o->info = it.info;
	lsched_st(&o->less, 0u, rlx, dev);
	lsched_st(&o->greater, 0u, rlx, dev);
	tiles.join = lsched_fork_then(x, tiles.count, SORT_JOINED, &then, &then.join);
	lsched_range_spread(x, SORT_TILES, tiles, LSCHED_RANGE_PARTS);
}

/* Moves one tile's keys to the other array. */
LSCHED_TASK_FN void SORT_N(_two_tile)(const sort_ctx *c, lsched_range it)
{
	sort_open *o = &c->open[it.info];
	const uint32_t begin = it.first * SORT_N(_room), rest = o->count - begin;
	const uint32_t n = rest < SORT_N(_room) ? rest : (uint32_t)SORT_N(_room);
	const SORT_KEY *from = SORT_N(_array)(c, sort_array(o->info)) + o->first + begin;
	SORT_KEY *to = SORT_N(_array)(c, sort_other(sort_array(o->info))) + o->first, *above;
	const SORT_KEY pivot = (SORT_KEY)o->pivot;
	uint32_t count[SORT_WAYS];

	c->leaves->SORT_N(_count)(from, n, pivot, count);
	above = to + (o->count - count[SORT_GREATER]) -
		lsched_add(&o->greater, count[SORT_GREATER], rlx, dev);
	to += lsched_add(&o->less, count[SORT_LESS], rlx, dev);
	c->leaves->SORT_N(_split)(from, n, pivot, to, above, count);
}

/* Emits the two ranges and the keys between them, which are in no array but the input any more. */
LSCHED_TASK_FN void SORT_N(_two_joined)(lsched_range_items *x, const sort_ctx *c, lsched_range it)
{
	sort_open *o = &c->open[it.info];
	const uint32_t less = lsched_ld(&o->less, rlx, dev);
	const uint32_t greater = lsched_ld(&o->greater, rlx, dev);
	const uint32_t info = sort_info(sort_other(sort_array(o->info)), sort_depth(o->info) + 1);
	const lsched_range low = { o->first, less, info, LSCHED_JOIN_NONE };
	const lsched_range high = { o->first + (o->count - greater), greater, info,
		LSCHED_JOIN_NONE };
	const lsched_range equal = { o->first + less, o->count - less - greater, (uint32_t)o->pivot,
		(uint32_t)(o->pivot >> 32) };

	if (equal.count)
		lsched_emit(x, SORT_FILL, &equal);
	if (low.count)
		lsched_emit(x, SORT_RANGE, &low);
	if (high.count)
		lsched_emit(x, SORT_RANGE, &high);
}
