/* Payload pool: blocks of variable size in a bounded part of the run's memory, named by 32-bit
 * handles (the block's offset in units of 16 bytes).
 *
 * Sizes are classes: powers of two and, where alignment allows it, the values halfway between. The
 * pool is divided into pages, each as large as the largest block. A *slab* holds blocks of one
 * class: a page holds blocks of at least 1/32 page; a block of a page holds 32 smaller blocks. A
 * slab is described by one 64-bit word: its class plus one in the upper half, one bit per block in
 * the lower half, 1 = in use (as in bitmap.h). A word of zero belongs to no class, so zero bytes
 * are an empty pool.
 *
 * One compare-and-swap reserves a block: it fails if the slab has changed its class. A block is
 * freed by an atomic and; the worker whose compare-and-swap turns the word of a slab without blocks
 * in use to zero then frees the slab itself. So every slab that is empty returns to the pages, and
 * every empty page to the common pool, where any class can use it.
 *
 * A worker reserves blocks in the slab that it used last for the class, and starts its search for
 * a page at a place of its own, so that workers rarely access the same word. It reserves nothing in
 * advance: a block that is free can be reserved by any worker. When no page is free, it examines a
 * number of slabs for a free block of the class, at each attempt other ones. No operation waits.
 *
 * Memory order: a block is freed by a release, and reserved by an acquire of the same word, so
 * accesses by the previous owner happen before those of the next. When a slab changes its class,
 * the chain goes through the words of the page and of the pool: each of them is acquired and
 * released. A handle is passed on in an item, and so are the writes to its block. */
#ifndef LIBSCHED_ITEMS_PAYLOAD_H
#define LIBSCHED_ITEMS_PAYLOAD_H

#include "libsched/items/local.h"
#include "libsched/items/bitmap.h"

/* Classes 2 e: page / 1024 x 2^e, the last is a page; 2 e + 1: 3/2 of class 2 e. */
#define LSCHED_I_PAYLOAD_CLASSES 21u
#define LSCHED_I_PAYLOAD_OF_PAGE 10u /* the first class whose slabs are pages */

/* Words of a worker in its fast memory: for each class the slab that it used last, plus one; where
 * it searches pages in the pool, and pages and parts of pages for slabs. */
enum {
	LSCHED_I_PAYLOAD_NEXT_POOL = LSCHED_I_PAYLOAD_CLASSES,
	LSCHED_I_PAYLOAD_NEXT_PAGE,
	LSCHED_I_PAYLOAD_NEXT_PART,
	LSCHED_I_PAYLOAD_LOCAL_WORDS
};

/* Words that one attempt examines at most in each search. */
#define LSCHED_I_PAYLOAD_PROBES 48u

LSCHED_WORKER_FN uint32_t lsched_i_payload_class_bytes(const lsched_i_args *a, uint32_t k)
{
	const uint32_t base = 1u << (a->payload_page_shift - 10u + k / 2);

	return k & 1u ? base + base / 2 : base;
}

/* The smallest class of at least so many bytes. Of the classes between powers of two it uses those
 * whose blocks are aligned, and fill their slab better than those of the next class. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_class(const lsched_i_args *a, uint32_t bytes)
{
	uint32_t k = 0, between;

	while (lsched_i_payload_class_bytes(a, k) < bytes)
		k += 2;
	if (k == 0 || (k - 1u) % 10u >= 7u)
		return k;
	between = lsched_i_payload_class_bytes(a, k - 1u);
	return between < bytes || between % (between < 128u ? 16u : 128u) ? k : k - 1u;
}

/* Bits of the blocks of a slab. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_all(const lsched_i_args *a, uint32_t k)
{
	const uint32_t blocks =
		k < LSCHED_I_PAYLOAD_OF_PAGE
			? 32u
			: (1u << a->payload_page_shift) / lsched_i_payload_class_bytes(a, k);

	return blocks < 32u ? (1u << blocks) - 1u : 0xffffffffu;
}

/* Reserves a block of a slab, if it has the tag and a free block; returns its number. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_reserve(uint64_t *word, uint32_t tag, uint32_t all)
{
	uint64_t v = lsched_ld(word, rlx, dev);

	for (;;) {
		const uint32_t free_bits = ~(uint32_t)v & all;

		if ((uint32_t)(v >> 32) != tag || !free_bits)
			return LSCHED_NONE;
		if (lsched_cas(word, &v, v | (free_bits & (0u - free_bits)), acq, dev))
			return lsched_i_bitmap_lowest(free_bits);
	}
}

/* Searches `count` words cyclically from the worker's hint `which` on for a free block (`last`:
 * bits of the last word's blocks). Returns the word, and in *block the block's number. The next
 * search begins there. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_search(lsched_i_items *x, uint32_t which,
	uint64_t *words, uint32_t count, uint32_t tag, uint32_t all, uint32_t last, uint32_t *block)
{
	uint32_t at = lsched_ld(&x->payload_local[which], rlx, blk), found = LSCHED_NONE;

	for (uint32_t k = 0; k < count && k < LSCHED_I_PAYLOAD_PROBES; k++) {
		*block = lsched_i_payload_reserve(&words[at], tag, at + 1u < count ? all : last);
		if (*block != LSCHED_NONE) {
			found = at;
			break;
		}
		at = at + 1u < count ? at + 1u : 0;
	}
	lsched_st(&x->payload_local[which], at, rlx, blk);
	return found;
}

/* Reserves a page; returns its number. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_page(lsched_i_items *x)
{
	const lsched_i_args *a = x->w->a;
	lsched_i_state *s = a->state;
	const uint32_t spare = (0u - a->payload_pages) & 31u; /* bits without a page */
	uint32_t bit, word, used;

	word = lsched_i_payload_search(x, LSCHED_I_PAYLOAD_NEXT_POOL, a->payload_pool,
		(a->payload_pages + 31u) / 32u, 0, 0xffffffffu, 0xffffffffu >> spare, &bit);
	if (word == LSCHED_NONE)
		return LSCHED_NONE;
	used = lsched_add(&s->payload.pages.v, 1u, rlx, dev) + 1u;
	if (used > lsched_ld(&s->payload.high_water, rlx, dev))
		(void)lsched_max(&s->payload.high_water, used, rlx, dev);
	return word * 32u + bit;
}

/* Reserves a block of a class whose slabs are pages; returns its offset in bytes / 16. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_of_page(lsched_i_items *x, uint32_t k)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t all = lsched_i_payload_all(a, k), tag = k + 1u;
	uint32_t page = lsched_ld(&x->payload_local[k], rlx, blk) - 1u, block = LSCHED_NONE;

	if (page != LSCHED_NONE)
		block = lsched_i_payload_reserve(&a->payload_page_words[page], tag, all);
	if (block == LSCHED_NONE) {
		page = lsched_i_payload_page(x);
		if (page != LSCHED_NONE) {
			block = 0;
			/* release: the page's previous owners */
			lsched_st(&a->payload_page_words[page], (uint64_t)tag << 32 | 1u, rel, dev);
		} else {
			page = lsched_i_payload_search(x, LSCHED_I_PAYLOAD_NEXT_PAGE,
				a->payload_page_words, a->payload_pages, tag, all, all, &block);
		}
		if (page == LSCHED_NONE)
			return LSCHED_NONE;
		lsched_st(&x->payload_local[k], page + 1u, rlx, blk);
	}
	return (page << (a->payload_page_shift - 4u)) +
	       block * (lsched_i_payload_class_bytes(a, k) / 16u);
}

/* The word of a slab that is a part of a page, by its offset / 16. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_part(const lsched_i_args *a, uint32_t offset)
{
	return offset >> (a->payload_page_shift - 9u);
}

/* The offset / 16 of a slab of blocks of class k, by the index of its word. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_part_offset(
	const lsched_i_args *a, uint32_t part, uint32_t k)
{
	const uint32_t size = lsched_i_payload_class_bytes(a, k + LSCHED_I_PAYLOAD_OF_PAGE) / 16u;
	const uint32_t in_page = (part & 31u) << (a->payload_page_shift - 9u);

	return (part / 32u << (a->payload_page_shift - 4u)) + (in_page + size - 1u) / size * size;
}

/* Reserves a block of a class whose slabs are blocks of pages. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_of_part(lsched_i_items *x, uint32_t k)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t tag = k + 1u;
	uint32_t slab = lsched_ld(&x->payload_local[k], rlx, blk) - 1u, block = LSCHED_NONE;

	if (slab != LSCHED_NONE)
		block = lsched_i_payload_reserve(
			&a->payload_part_words[lsched_i_payload_part(a, slab)], tag, 0xffffffffu);
	if (block == LSCHED_NONE) {
		slab = lsched_i_payload_of_page(x, k + LSCHED_I_PAYLOAD_OF_PAGE);
		if (slab != LSCHED_NONE) {
			block = 0;
			lsched_st(&a->payload_part_words[lsched_i_payload_part(a, slab)],
				(uint64_t)tag << 32 | 1u, rel, dev);
		} else {
			slab = lsched_i_payload_search(x, LSCHED_I_PAYLOAD_NEXT_PART,
				a->payload_part_words, a->payload_pages * 32u, tag, 0xffffffffu,
				0xffffffffu, &block);
			if (slab == LSCHED_NONE)
				return LSCHED_NONE;
			slab = lsched_i_payload_part_offset(a, slab, k);
		}
		lsched_st(&x->payload_local[k], slab + 1u, rlx, blk);
	}
	return slab + block * (lsched_i_payload_class_bytes(a, k) / 16u);
}

/* One lane: reserves a block; returns its handle. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_alloc(lsched_i_items *x, uint32_t bytes)
{
	const lsched_i_args *a = x->w->a;
	uint32_t k;

	if (!x->payload_local || bytes > 1u << a->payload_page_shift) {
		lsched_i_fail(x->w, LSCHED_I_FAIL_PAYLOAD_SIZE, LSCHED_NONE,
			x->payload_local ? bytes : 0);
		return LSCHED_NONE;
	}
	k = lsched_i_payload_class(a, bytes);
	return k < LSCHED_I_PAYLOAD_OF_PAGE ? lsched_i_payload_of_part(x, k)
					    : lsched_i_payload_of_page(x, k);
}

/* All threads of an item: one block for all of them. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_alloc_item(lsched_i_items *x, uint32_t bytes)
{
	uint32_t handle = LSCHED_NONE;

	if (x->thread == 0)
		handle = lsched_i_payload_alloc(x, bytes);
	if (x->threads == 1)
		return handle;
	if (x->threads == LSCHED_LANES)
		return lsched_bcast(handle);
	if (x->thread == 0)
		x->level->shared = handle;
	lsched_i_sync_item(x);
	handle = x->level->shared;
	lsched_i_sync_item(x);
	return handle;
}

/* Frees a block of a slab. Returns 0 if it was not in use; 2 if the slab then had no blocks in use,
 * and its word is now zero; else 1. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_release(uint64_t *word, uint32_t tag, uint32_t block)
{
	const uint64_t bit = (uint64_t)1 << block;
	const uint64_t old = lsched_and(word, ~bit, ar, dev);
	uint64_t empty = (uint64_t)tag << 32;

	if ((old ^ empty) >> 32 || !(old & bit))
		return 0;
	if ((old & ~bit) != empty || !lsched_cas(word, &empty, (uint64_t)0, ar, dev))
		return 1;
	return 2;
}

/* Frees a block of a page, and the page if it was the last one. Returns 0 if it was not in use. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_free_of_page(
	const lsched_i_args *a, uint32_t page, uint32_t tag, uint32_t block)
{
	const uint32_t done = lsched_i_payload_release(&a->payload_page_words[page], tag, block);

	if (done == 2) {
		/* counted first, so that the count never exceeds the pages in use */
		(void)lsched_add(&a->state->payload.pages.v, 0xffffffffu, rlx, dev);
		(void)lsched_and(
			&a->payload_pool[page / 32u], ~((uint64_t)1 << (page & 31u)), ar, dev);
	}
	return done;
}

/* Finds the block of a handle and frees it. Returns 0 if there is no such block in use. */
LSCHED_WORKER_FN uint32_t lsched_i_payload_try_free(const lsched_i_args *a, uint32_t handle)
{
	const uint32_t shift = a->payload_page_shift - 4u; /* sizes in units of 16 bytes */
	const uint32_t page = handle >> shift, in_page = handle & ((1u << shift) - 1u);
	uint32_t tag, size, block, in_block, done;
	uint64_t *part;

	if (page >= a->payload_pages)
		return 0;
	/* tags are constant while a block of the slab is in use, which the caller's is */
	tag = (uint32_t)(lsched_ld(&a->payload_page_words[page], rlx, dev) >> 32);
	if (!tag)
		return 0;
	size = lsched_i_payload_class_bytes(a, tag - 1u) / 16u;
	block = in_page / size;
	in_block = in_page - block * size;
	part = &a->payload_part_words[lsched_i_payload_part(a, handle - in_block)];
	if (lsched_ld(part, rlx, dev) >> 32) {
		const uint32_t part_tag = (uint32_t)(lsched_ld(part, rlx, dev) >> 32);
		const uint32_t part_size = lsched_i_payload_class_bytes(a, part_tag - 1u) / 16u;

		if (!part_size || in_block % part_size || in_block / part_size > 31u)
			return 0;
		done = lsched_i_payload_release(part, part_tag, in_block / part_size);
		return done == 2 ? lsched_i_payload_free_of_page(a, page, tag, block) : done;
	}
	return in_block || block > 31u ? 0 : lsched_i_payload_free_of_page(a, page, tag, block);
}

/* One lane: frees a block, by any worker. */
LSCHED_WORKER_FN void lsched_i_payload_free(lsched_i_items *x, uint32_t handle)
{
	if (!x->payload_local || !lsched_i_payload_try_free(x->w->a, handle))
		lsched_i_fail(x->w, LSCHED_I_FAIL_PAYLOAD_FREE, LSCHED_NONE, handle);
}

LSCHED_WORKER_FN void *lsched_i_payload_pointer(const lsched_i_items *x, uint32_t handle)
{
	return x->w->a->payload + (size_t)handle * 16u;
}

/* All lanes of the first warp, at the worker's begin. */
LSCHED_WORKER_FN void lsched_i_payload_begin(const lsched_i_items *x)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t words[3] = { (a->payload_pages + 31u) / 32u, a->payload_pages,
		a->payload_pages * 32u };

	for (uint32_t k = lsched_lane(); k < LSCHED_I_PAYLOAD_LOCAL_WORDS; k += LSCHED_LANES)
		lsched_st(&x->payload_local[k],
			k < LSCHED_I_PAYLOAD_CLASSES
				? 0
				: (uint32_t)((uint64_t)words[k - LSCHED_I_PAYLOAD_CLASSES] *
					     x->w->index / a->workers),
			rlx, blk);
	lsched_sync_worker();
}

#endif
