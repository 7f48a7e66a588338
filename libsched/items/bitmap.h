/* Places given out by bits: word by word, a set bit is a place taken, so that zero bytes are an empty
 * pool. Who owns a word takes all its free places with one atomic and gives them out one by one without
 * another; whoever has done with a place clears its bit, and nobody waits for that. */
#ifndef LIBSCHED_ITEMS_BITS_H
#define LIBSCHED_ITEMS_BITS_H

#include "libsched/core/shared.h"

/* All free places of a word, now the caller's. */
LSCHED_WORKER_FN uint32_t lsched_i_bitmap_reserve_word(uint32_t *word)
{
	return ~lsched_or(word, 0xffffffffu, acq, dev);
}

/* One free place of anybody's word, as a bit; 0: none. */
LSCHED_WORKER_FN uint32_t lsched_i_bitmap_reserve(uint32_t *word)
{
	uint32_t free_bits = ~lsched_ld(word, rlx, dev);
	uint32_t bit = free_bits & (0u - free_bits);

	return bit && !(lsched_or(word, bit, acq, dev) & bit) ? bit : 0;
}

/* Gives places back; what was read from them has been read. */
LSCHED_WORKER_FN void lsched_i_bitmap_release(uint32_t *word, uint32_t bits)
{
	(void)lsched_and(word, ~bits, rel, dev);
}

/* Number of the lowest set bit. */
LSCHED_WORKER_FN uint32_t lsched_i_bitmap_lowest(uint32_t bits)
{
	return lsched_popcount((bits & (0u - bits)) - 1u);
}

#endif
