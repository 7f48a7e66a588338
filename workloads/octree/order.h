/* Sorts the particles of a small cell by the threads of a block. A particle's key is the first bits
 * of its code below those of the cell; its first bits select one of 4,096 bins. Additions to
 * counters give each particle a place in its bin, then it counts the particles of its bin that
 * precede it. Included by subtree.h; compiled for CPU and GPU. */
#ifndef WORKLOADS_OCTREE_ORDER_H
#define WORKLOADS_OCTREE_ORDER_H

/* Adds to a word in fast memory, and orders no other accesses. Returns the old value. */
#if LSCHED_I_GPU
#define OCT_NEAR_ADD(p, v) atomicAdd((p), (v))
#else
#define OCT_NEAR_ADD(p, v) lsched_add((p), (v), rlx, blk)
#endif

/* The first 20 bits of a code below those of a cell of that level; zeros where it has fewer. */
LSCHED_FN uint32_t oct_key(uint64_t code, uint32_t level)
{
	return (uint32_t)(code << 3 * level << 1 >> (64 - OCT_KEY_BITS));
}

/* Where bin b begins, and bin b - 1 ends: 16 bits each. */
LSCHED_FN uint32_t oct_bin_begin(const oct_bins *bins, uint32_t b)
{
	return bins->begin[b >> 1] >> 16 * (b & 1u) & 0xffffu;
}

/* Adds 1 to where bin b begins; returns the value before. Any threads at once. */
LSCHED_TASK_FN uint32_t oct_bin_next(oct_bins *bins, uint32_t b)
{
	const uint32_t shift = 16 * (b & 1u);

	return OCT_NEAR_ADD(&bins->begin[b >> 1], 1u << shift) >> shift & 0xffffu;
}

/* Reads the keys of particles at, at + threads, .. of a room. Additions in fast memory keep the
 * order of accesses, so that a thread reads a batch before it adds. */
LSCHED_TASK_FN void oct_keys(lsched_range_items *x, const oct_room *room, uint32_t n,
	uint32_t level, uint32_t at, uint32_t key[OCT_BATCH])
{
	LSCHED_UNROLL
	for (uint32_t j = 0; j < OCT_BATCH; j++) {
		const uint32_t k = at + j * lsched_threads(x);

		key[j] = oct_key(oct_code_at(room, k < n ? k : at), level);
	}
}

/* Counts the particles of each bin in the counter of the next bin. */
LSCHED_TASK_FN void oct_bins_count(
	lsched_range_items *x, oct_bins *bins, const oct_room *room, uint32_t n, uint32_t level)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);

	for (uint32_t k = thread; k < OCT_BIN_WORDS; k += threads)
		bins->begin[k] = 0;
	lsched_sync_item(x);
	for (uint32_t at = thread; at < n; at += OCT_BATCH * threads) {
		uint32_t key[OCT_BATCH];

		oct_keys(x, room, n, level, at, key);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < OCT_BATCH; j++)
			if (at + j * threads < n)
				(void)oct_bin_next(bins, (key[j] >> OCT_KEY_REST) + 1);
	}
	lsched_sync_item(x);
}

/* Replaces each counter by the sum of those before it. Returns how many exceed OCT_BIN_MOST. */
LSCHED_TASK_FN uint32_t oct_bins_scan(
	lsched_range_items *x, lsched_group_room *group, oct_bins *bins)
{
	const uint32_t threads = lsched_threads(x), words = OCT_BIN_WORDS;
	const uint32_t each = ((words + threads - 1) / threads) | 1u; /* odd: different banks */
	const uint32_t from = lsched_thread(x) * each;
	uint64_t mine = 0, total;
	uint32_t before;

	for (uint32_t k = from; k < from + each && k < words; k++) {
		const uint32_t lo = bins->begin[k] & 0xffffu, hi = bins->begin[k] >> 16;
		const uint32_t many = (uint32_t)(lo > OCT_BIN_MOST) + (hi > OCT_BIN_MOST);

		mine += lo + hi + ((uint64_t)many << 32);
	}
	before = (uint32_t)lsched_group_scan64(x, group, mine, &total);
	for (uint32_t k = from; k < from + each && k < words; k++) {
		const uint32_t lo = bins->begin[k] & 0xffffu, hi = bins->begin[k] >> 16;

		bins->begin[k] = before | (before + lo) << 16;
		before += lo + hi;
	}
	lsched_sync_item(x);
	return (uint32_t)(total >> 32);
}

/* Whether the particle of entry a (key, index) precedes that of b. */
LSCHED_FN int oct_entry_before(const oct_room *room, uint32_t a, uint32_t b)
{
	if ((a ^ b) >> OCT_INDEX_BITS)
		return a < b;
	return oct_before(oct_get(room, a & OCT_INDEX), oct_get(room, b & OCT_INDEX));
}

/* Sorts n entries by a bitonic network of comparisons, all of which move the lesser entry down, so
 * that entries that are absent from a power of two are the largest. */
LSCHED_TASK_FN void oct_compare(
	lsched_range_items *x, const oct_room *room, uint32_t *entry, uint32_t n)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);

	for (uint32_t size = 2; size < 2 * n; size *= 2)
		for (uint32_t step = size / 2; step; step /= 2) {
			for (uint32_t k = thread; k < n; k += threads) {
				/* the first step of a size compares from both ends */
				const uint32_t j = step == size / 2 ? k ^ (size - 1) : k ^ step;

				if (k < j && j < n && oct_entry_before(room, entry[j], entry[k])) {
					const uint32_t e = entry[k];

					entry[k] = entry[j];
					entry[j] = e;
				}
			}
			lsched_sync_item(x);
		}
}

/* Writes the entries in the order of their bins. */
LSCHED_TASK_FN void oct_bins_scatter(lsched_range_items *x, oct_bins *bins, const oct_room *room,
	uint32_t n, uint32_t level, uint32_t *entry)
{
	const uint32_t threads = lsched_threads(x);

	for (uint32_t at = lsched_thread(x); at < n; at += OCT_BATCH * threads) {
		uint32_t key[OCT_BATCH], place[OCT_BATCH];

		oct_keys(x, room, n, level, at, key);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < OCT_BATCH; j++)
			if (at + j * threads < n)
				place[j] = oct_bin_next(bins, (key[j] >> OCT_KEY_REST) + 1);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < OCT_BATCH; j++)
			if (at + j * threads < n)
				entry[place[j]] = key[j] << OCT_INDEX_BITS | (at + j * threads);
	}
}

/* Writes an entry, and its particle to the output, after those that precede it among the entries
 * begin .. end - 1, of which it is one if there are more. One thread. */
LSCHED_TASK_FN void oct_place(
	const oct_ctx *c, oct_local *l, uint32_t begin, uint32_t end, uint32_t e, uint32_t first)
{
	const oct_room *room = &l->room[0];
	oct_block_room *to = &l->room[1].block;
	uint32_t place = begin;

	if (end - begin > 1)
		for (uint32_t k = begin; k < end; k++)
			place += (uint32_t)oct_entry_before(room, to->v.entry[k], e);
	to->entry[place] = e;
	oct_store(c, OCT_OUTPUT, first + place, oct_get(room, e & OCT_INDEX));
}

/* Sorts n particles in room[0] of a cell of that level: entries in room[1].block, and the particles
 * in the output from `first` on. Where many have the same bin they are sorted by comparison. */
LSCHED_TASK_FN void oct_block_sort(lsched_range_items *x, const oct_ctx *c, oct_local *l,
	uint32_t n, uint32_t level, uint32_t first)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	const oct_room *room = &l->room[0];
	oct_block_room *to = &l->room[1].block;
	oct_bins *bins = &to->u.nodes.bins;
	uint32_t crowded;

	oct_bins_count(x, bins, room, n, level);
	crowded = oct_bins_scan(x, &l->group, bins);
	oct_bins_scatter(x, bins, room, n, level, to->v.entry);
	lsched_sync_item(x); /* now oct_bin_begin(b) is where bin b begins */
	if (crowded)
		oct_compare(x, room, to->v.entry, n);
	for (uint32_t at = thread; at < n; at += OCT_BATCH * threads) {
		uint32_t e[OCT_BATCH], begin[OCT_BATCH], end[OCT_BATCH];

		LSCHED_UNROLL
		for (uint32_t j = 0; j < OCT_BATCH; j++) {
			const uint32_t k = at + j * threads < n ? at + j * threads : at;

			e[j] = to->v.entry[k];
			begin[j] = crowded ? k : oct_bin_begin(bins, e[j] >> (32 - OCT_BIN_BITS));
			end[j] = crowded ? k
					 : oct_bin_begin(bins, (e[j] >> (32 - OCT_BIN_BITS)) + 1);
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < OCT_BATCH; j++)
			if (at + j * threads < n)
				oct_place(c, l, begin[j], end[j], e[j], first);
	}
	lsched_sync_item(x);
}

#endif
