/* Chunks: up to 32 items of one procedure, passed between workers. The queue holds the chunk's
 * number; its items are in memory, word by word as in a stack, so that lane k copies item k.
 * Chunks are reserved from the worker's own words (bitmap.h), which its leader keeps in its
 * private variables, or from those of any worker when its own are used up.
 *
 * The outstanding count counts chunks: a unit for each root not yet drawn, for each chunk in the
 * queue, and for each worker with items. A worker that draws n roots or dequeues a chunk takes over
 * their units. It uses the units beyond its own one for the chunks that it enqueues (as flow.h does
 * for tasks), and subtracts the rest when it has no items left. */
#ifndef LIBSCHED_ITEMS_CHUNK_H
#define LIBSCHED_ITEMS_CHUNK_H

#include "libsched/items/local.h"
#include "libsched/items/bitmap.h"

/* Releases a chunk. One lane. */
LSCHED_WORKER_FN void lsched_i_chunk_release(const lsched_i_args *a, uint32_t chunk)
{
	lsched_i_bitmap_release(&a->items_chunk_bitmap[chunk / 32u], 1u << (chunk & 31u));
}

/* Leader: reserves all free chunks of one of the worker's words, if it has used up those before. */
LSCHED_WORKER_FN void lsched_i_chunk_provide(lsched_worker *w)
{
	const lsched_i_args *a = w->a;
	lsched_i_worker_private *d = w->priv;
	const uint32_t own = w->index * a->items_worker_chunk_words;

	for (uint32_t k = 0; !d->items_free_chunks && k < a->items_worker_chunk_words; k++) {
		/* from the word behind the last one on; that one is LSCHED_NONE at first */
		const uint32_t next = d->items_free_chunk_word + 1 - own;

		d->items_free_chunk_word = own + (next < a->items_worker_chunk_words ? next : 0);
		d->items_free_chunks = lsched_i_bitmap_reserve_word(
			&a->items_chunk_bitmap[d->items_free_chunk_word]);
	}
}

/* Leader: reserves a chunk, or returns LSCHED_NONE. must: searches the words of all workers as
 * well. */
LSCHED_WORKER_FN uint32_t lsched_i_chunk_alloc(lsched_worker *w, uint32_t must)
{
	const lsched_i_args *a = w->a;
	lsched_i_worker_private *d = w->priv;
	const uint32_t own = w->index * a->items_worker_chunk_words;
	uint32_t bit;

	lsched_i_chunk_provide(w);
	if (d->items_free_chunks) {
		bit = d->items_free_chunks & (0u - d->items_free_chunks);
		d->items_free_chunks ^= bit;
		return d->items_free_chunk_word * 32u + lsched_i_bitmap_lowest(bit);
	}
	for (uint32_t k = 0; must && k < a->items_chunk_words; k++) {
		uint32_t word = own + k;

		if (word >= a->items_chunk_words)
			word -= a->items_chunk_words;
		bit = lsched_i_bitmap_reserve(&a->items_chunk_bitmap[word]);
		if (bit)
			return word * 32u + lsched_i_bitmap_lowest(bit);
	}
	return LSCHED_NONE;
}

#if LSCHED_LANES > 1
/* Reserves up to n chunks of the worker's own; each of as many lanes, from `first` on, gets one as
 * *chunk. Returns their number. */
LSCHED_WORKER_FN uint32_t lsched_i_chunk_take(
	lsched_worker *w, uint32_t n, uint32_t first, uint32_t *chunk)
{
	const uint32_t k = lsched_lane() - first;
	uint32_t bits = 0, word = 0, got, last;

	if (lsched_lane() == 0) {
		lsched_i_chunk_provide(w);
		bits = w->priv->items_free_chunks;
		word = w->priv->items_free_chunk_word;
	}
	bits = lsched_bcast(bits);
	word = lsched_bcast(word);
	got = lsched_popcount(bits);
	got = got < n ? got : n;
	if (k < got)
		*chunk = word * 32u + lsched_i_bitmap_nth(bits, k);
	last = got ? lsched_i_bitmap_nth(bits, got - 1u) : 0;
	if (got && lsched_lane() == 0)
		w->priv->items_free_chunks = bits & ~1u << last;
	return got;
}
#endif

/* Bound of a loop over the words of an item: a constant, so that the loop is unrolled and the words
 * are registers. */
#define LSCHED_I_MOST_WORDS(table, words) ((table) ? LSCHED_I_ITEM_WORDS_MAX : (words))

/* Bitmap words that a probe reads. */
#define LSCHED_I_PROBE_WORDS 32u

/* Reserves a chunk from one of LSCHED_I_PROBE_WORDS words of any workers, or returns LSCHED_NONE.
 * Each lane reads a word, because a search of all words by one lane takes milliseconds. */
LSCHED_WORKER_FN uint32_t lsched_i_chunk_probe(lsched_worker *w, uint32_t start)
{
	const lsched_i_args *a = w->a;

	for (uint32_t k = lsched_lane(); k < LSCHED_I_PROBE_WORDS; k += LSCHED_LANES) {
		const uint32_t word = (start + k) % a->items_chunk_words;
		const lsched_lane_mask found =
			lsched_ballot(~lsched_ld(&a->items_chunk_bitmap[word], rlx, dev) != 0);
		const uint32_t from = found ? lsched_i_lowest_bit(found) : 0;
		uint32_t bit = 0;

		if (found && lsched_lane() == from)
			bit = lsched_i_bitmap_reserve(&a->items_chunk_bitmap[word]);
		if (found)
			return lsched_i_shfl(
				bit ? word * 32u + lsched_i_bitmap_lowest(bit) : LSCHED_NONE, from);
	}
	return LSCHED_NONE;
}

/* Copies the n oldest items of a stack to a reserved chunk, n <= 32; the caller then advances the
 * bottom. */
LSCHED_WORKER_FN void lsched_i_chunk_store(lsched_i_items *x, uint32_t table, uint32_t chunk,
	uint32_t proc, uint32_t bottom, uint32_t n)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t words = lsched_i_level_words(x, table, proc);

	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		uint32_t v[LSCHED_I_ITEM_WORDS_MAX];

		if (table) /* gcc's warning about words that an item does not have */
			memset(v, 0, sizeof(v));
		lsched_i_level_get(x, table, proc, bottom + k, v);
		for (uint32_t j = 0; j < LSCHED_I_MOST_WORDS(table, words); j++)
			if (!table || j < words)
				a->items_chunks[((size_t)chunk * x->words + j) *
							LSCHED_I_CHUNK_ITEMS +
						k] = v[j];
	}
	if (lsched_lane() == 0)
		a->items_chunk_headers[chunk] = proc << 8 | n;
	lsched_sync_worker();
}

/* Reserves a chunk and fills it with the n oldest items of a stack. Returns LSCHED_NONE if no chunk
 * is free. */
LSCHED_WORKER_FN uint32_t lsched_i_chunk_fill(lsched_i_items *x, uint32_t table, uint32_t proc,
	uint32_t bottom, uint32_t n, uint32_t must)
{
	uint32_t chunk = LSCHED_NONE;

	if (lsched_lane() == 0)
		chunk = lsched_i_chunk_alloc(x->w, must);
	chunk = lsched_bcast(chunk);
	if (chunk == LSCHED_NONE)
		return LSCHED_NONE;
	lsched_i_chunk_store(x, table, chunk, proc, bottom, n);
	return chunk;
}

/* Enqueues a filled chunk. If the queue is full: with `must` the overflow policy applies; without
 * it the function returns 0 and the caller keeps the chunk. */
LSCHED_WORKER_FN uint32_t lsched_i_chunk_push(lsched_i_items *x, uint32_t chunk, uint32_t must)
{
	lsched_worker *w = x->w;
	uint32_t paid = 0;
	lsched_i_batch b;

	if (lsched_lane() == 0) {
		paid = w->finished - w->priv->flushed > 1;
		if (paid)
			w->priv->flushed++;
		else
			(void)lsched_add(&w->a->state->outstanding.v, 1u, rlx, dev);
	}
	lsched_i_batch_clear(&b);
	lsched_i_batch_add(&b, chunk, lsched_lane() == 0);
	if (must) {
		lsched_i_enqueue(w, &b);
		return 1;
	}
	if (lsched_i_queue_push_n(w, &b))
		return 1;
	if (lsched_lane() == 0) {
		if (paid)
			w->priv->flushed--;
		else
			(void)lsched_add(&w->a->state->outstanding.v, 0xffffffffu, rlx, dev);
	}
	return 0;
}

/* Returns entry `k` of the worker's local chunks, a ring of chunk numbers. The worker unpacks the
 * newest itself and enqueues the oldest for others. */
LSCHED_WORKER_FN uint32_t *lsched_i_local_chunk(const lsched_i_items *x, uint32_t place)
{
	const lsched_i_args *a = x->w->a;

	return a->items_local_chunks + (size_t)x->w->index * a->items_local_chunk_slots +
	       (place & (a->items_local_chunk_slots - 1u));
}

/* Pushes a chunk's items on their stack, which has room for 32, and releases the chunk. The caller
 * takes over its unit of the outstanding count, if it was enqueued. */
LSCHED_WORKER_FN void lsched_i_chunk_unpack(lsched_i_items *x, uint32_t table, uint32_t chunk)
{
	lsched_worker *w = x->w;
	const lsched_i_args *a = w->a;
	const uint32_t head = a->items_chunk_headers[chunk], proc = head >> 8, n = head & 255u;
	const uint32_t top = x->level->top[proc];
	const uint32_t words = lsched_i_level_words(x, table, proc);

	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		uint32_t v[LSCHED_I_ITEM_WORDS_MAX];

		if (table) /* gcc's warning about words that an item does not have */
			memset(v, 0, sizeof(v));
		for (uint32_t j = 0; j < LSCHED_I_MOST_WORDS(table, words); j++)
			if (!table || j < words)
				v[j] = a->items_chunks[((size_t)chunk * x->words + j) *
							       LSCHED_I_CHUNK_ITEMS +
						       k];
		lsched_i_level_put(x, table, proc, top + k, v);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		x->level->top[proc] = top + n;
		lsched_i_chunk_release(a, chunk);
	}
	lsched_sync_worker();
}

/* Leader: releases the chunks that were reserved in advance. */
LSCHED_WORKER_FN void lsched_i_chunk_release_unused(lsched_worker *w)
{
	if (w->priv->items_free_chunks)
		lsched_i_bitmap_release(&w->a->items_chunk_bitmap[w->priv->items_free_chunk_word],
			w->priv->items_free_chunks);
	w->priv->items_free_chunks = 0;
}

#endif
