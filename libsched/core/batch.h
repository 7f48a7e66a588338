/* A batch: up to 32 items that are enqueued, dequeued or executed together. On a GPU each lane of a
 * warp holds one, on the CPU they are an array. All lanes of a worker call these functions
 * together. */
#ifndef LIBSCHED_CORE_BATCH_H
#define LIBSCHED_CORE_BATCH_H

#include "libsched/core/shared.h"

#define LSCHED_I_BATCH_MAX 32u

#if LSCHED_LANES > 1

typedef struct lsched_i_batch {
	uint32_t n;             /* the same in all lanes */
	lsched_lane_mask lanes; /* that hold an item, in order of rank; the same in all lanes */
	uint32_t rank;          /* index of this lane's item; >= n: none */
	uint32_t item;
} lsched_i_batch;

/* k = 0..31, one in each lane; all lanes execute the body, which may call lsched_ballot(). */
#define LSCHED_I_EACH_LANE(k, n) \
	for (uint32_t k = lsched_lane(), k##_once = 1; k##_once; k##_once = 0)
/* i = the index of each item, in the lane that holds it. */
#define LSCHED_I_EACH_ITEM(b, i) for (uint32_t i = (b)->rank; i < (b)->n; i = LSCHED_NONE)
#define LSCHED_I_ITEM(b, i)      ((b)->item)

LSCHED_WORKER_FN void lsched_i_batch_clear(lsched_i_batch *b)
{
	b->n = 0;
	b->lanes = 0;
	b->rank = LSCHED_NONE;
	b->item = LSCHED_NONE;
}

/* Adds the items of the lanes with nonzero `add`; once between two clears. */
LSCHED_WORKER_FN void lsched_i_batch_add(lsched_i_batch *b, uint32_t item, int add)
{
	const lsched_lane_mask mask = lsched_ballot(add);

	b->n = lsched_popcount(mask);
	b->lanes = mask;
	b->rank = add ? lsched_popcount(mask & LSCHED_I_LANES_BELOW()) : LSCHED_NONE;
	b->item = item;
}

/* Removes and returns the first item; the batch must not be empty. */
LSCHED_WORKER_FN uint32_t lsched_i_batch_first(lsched_i_batch *b)
{
	uint32_t first = lsched_i_shfl(b->item, lsched_i_lowest_bit(b->lanes));

	b->n--;
	b->lanes &= b->lanes - 1;
	b->rank--; /* 0 wraps to LSCHED_NONE; LSCHED_NONE stays >= n, because n <= 32 */
	return first;
}

/* Makes a batch of n items, which a dequeue operation then sets. */
LSCHED_WORKER_FN void lsched_i_batch_open(lsched_i_batch *b, uint32_t n)
{
	b->n = n;
	b->lanes = n < 32 ? (1u << n) - 1u : 0xffffffffu;
	b->rank = lsched_lane();
	b->item = LSCHED_NONE;
}

#else

typedef struct lsched_i_batch {
	uint32_t n;
	uint32_t item[LSCHED_I_BATCH_MAX];
} lsched_i_batch;

#define LSCHED_I_EACH_LANE(k, count) for (uint32_t k = 0; k < (count); k++)
#define LSCHED_I_EACH_ITEM(b, i)     for (uint32_t i = 0; i < (b)->n; i++)
#define LSCHED_I_ITEM(b, i)          ((b)->item[i])

static inline void lsched_i_batch_clear(lsched_i_batch *b)
{
	b->n = 0;
}

static inline void lsched_i_batch_add(lsched_i_batch *b, uint32_t item, int add)
{
	if (add)
		b->item[b->n++] = item;
}

static inline uint32_t lsched_i_batch_first(lsched_i_batch *b)
{
	uint32_t first = b->item[0];

	b->n--;
	for (uint32_t i = 0; i < b->n; i++)
		b->item[i] = b->item[i + 1];
	return first;
}

static inline void lsched_i_batch_open(lsched_i_batch *b, uint32_t n)
{
	b->n = n;
}

#endif
#endif
