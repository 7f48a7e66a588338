/* The local level of an item program: stacks of items in a worker's fast memory, one for each
 * procedure. A stack is a ring of `cap` slots whose ends are counters that wrap. It is stored word
 * by word (all first words, then all second words), so that lanes with neighbouring items access
 * neighbouring words. */
#ifndef LIBSCHED_ITEMS_LOCAL_H
#define LIBSCHED_ITEMS_LOCAL_H

#include <string.h>
#include "libsched/core/flow.h"

#define LSCHED_I_PROCS_MAX      8
#define LSCHED_I_ITEM_WORDS_MAX 16
#define LSCHED_I_CHUNK_ITEMS    32u

/* The head of a worker's fast memory; the stacks follow. */
typedef struct lsched_i_level {
	uint32_t top[LSCHED_I_PROCS_MAX];
	uint32_t go, proc; /* for the other warps of a group: items to run; 0: leave the loop */
	uint32_t item[LSCHED_I_ITEM_WORDS_MAX];
	uint32_t bad; /* lanes of the other warps that failed */
	uint32_t pad[5];
} lsched_i_level;

/* State of a thread that runs items. Its constants fold into the code. A body finds it as the
 * member `any` of the type that LSCHED_DECLARE_ITEMS declares. */
typedef struct lsched_i_items {
	lsched_worker *w;
	lsched_i_level *level;
	uint32_t *stack; /* [procedure][word][cap] */
	uint32_t cap, words;
	uint32_t thread, threads;                   /* of those that share the item */
	uint32_t thread_all, threads_all;           /* of the worker: lanes x warps */
	uint32_t op;                                /* LSCHED_I_OP_... */
	uint64_t (*reduce)(uint64_t a, uint64_t b); /* LSCHED_I_OP_USER */
	uint64_t value;                             /* returned to the root by this thread */
	uint32_t join_free, join_word; /* slots reserved by this thread, of which bitmap word */
} lsched_i_items;

/* One lane: reserves a slot; lanes may diverge. On the CPU a worker is one thread. */
LSCHED_WORKER_FN uint32_t lsched_i_level_claim(uint32_t *top)
{
	return lsched_i_local_add(top, 1u);
}

LSCHED_WORKER_FN void lsched_i_level_put(
	const lsched_i_items *x, uint32_t proc, uint32_t place, const uint32_t *v)
{
	uint32_t *to = x->stack + (size_t)proc * x->words * x->cap + (place & (x->cap - 1u));

	for (uint32_t j = 0; j < x->words; j++)
		to[j * x->cap] = v[j];
}

LSCHED_WORKER_FN void lsched_i_level_get(
	const lsched_i_items *x, uint32_t proc, uint32_t place, uint32_t *v)
{
	const uint32_t *from =
		x->stack + (size_t)proc * x->words * x->cap + (place & (x->cap - 1u));

	for (uint32_t j = 0; j < x->words; j++)
		v[j] = from[j * x->cap];
}

LSCHED_WORKER_FN void lsched_i_emit_words(lsched_i_items *x, uint32_t proc, const uint32_t *v)
{
	lsched_i_level_put(x, proc, lsched_i_level_claim(&x->level->top[proc]), v);
}

LSCHED_WORKER_FN void lsched_i_emit(
	lsched_i_items *x, uint32_t proc, const void *item, uint32_t words)
{
	uint32_t v[LSCHED_I_ITEM_WORDS_MAX];

	memcpy(v, item, words * sizeof(uint32_t));
	lsched_i_emit_words(x, proc, v);
}

/* Barrier of the threads that share an item. */
LSCHED_WORKER_FN void lsched_i_sync_item(lsched_i_items *x)
{
	if (x->threads > LSCHED_LANES)
		lsched_i_group_sync(x->w->pair, x->threads);
	else
		lsched_sync_worker();
}

#endif
