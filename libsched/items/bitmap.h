/* Slot allocator: one bit per slot, 1 = in use, so that zero bytes are an empty pool. The owner of
 * a word reserves all its free slots with one atomic and assigns them without further ones; any
 * worker releases a slot by clearing its bit. No operation waits. */
#ifndef LIBSCHED_ITEMS_BITMAP_H
#define LIBSCHED_ITEMS_BITMAP_H

#include "libsched/core/shared.h"

/* Reserves all free slots of a word. */
LSCHED_WORKER_FN uint32_t lsched_i_bitmap_reserve_word(uint32_t *word)
{
	return ~lsched_or(word, 0xffffffffu, acq, dev);
}

/* Reserves one free slot of any worker's word; returns its bit, 0: none. */
LSCHED_WORKER_FN uint32_t lsched_i_bitmap_reserve(uint32_t *word)
{
	uint32_t free_bits = ~lsched_ld(word, rlx, dev);
	uint32_t bit = free_bits & (0u - free_bits);

	return bit && !(lsched_or(word, bit, acq, dev) & bit) ? bit : 0;
}

/* Releases slots, after all reads of their contents. */
LSCHED_WORKER_FN void lsched_i_bitmap_release(uint32_t *word, uint32_t bits)
{
	(void)lsched_and(word, ~bits, rel, dev);
}

/* Number of the set bit with k set bits below it, k < their number. */
LSCHED_WORKER_FN uint32_t lsched_i_bitmap_nth(uint32_t bits, uint32_t k)
{
	uint32_t at = 0;

	LSCHED_UNROLL
	for (uint32_t half = 16; half; half /= 2)
		if (lsched_popcount(bits & ((1u << (at + half)) - 1u)) <= k)
			at += half;
	return at;
}

/* Number of the lowest set bit. */
LSCHED_WORKER_FN uint32_t lsched_i_bitmap_lowest(uint32_t bits)
{
	return lsched_popcount((bits & (0u - bits)) - 1u);
}

#endif
