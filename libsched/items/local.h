/* The local level of an item program: stacks of items in a worker's fast memory, one for each
 * procedure. A stack is a ring of `cap` slots whose ends are counters that wrap. It is stored word
 * by word (all first words, then all second words), so that lanes with neighbouring items access
 * neighbouring words. All stacks have the same shape, or with LSCHED_PROCEDURES each its own. */
#ifndef LIBSCHED_ITEMS_LOCAL_H
#define LIBSCHED_ITEMS_LOCAL_H

#include <string.h>
#include "libsched/core/flow.h"

#define LSCHED_I_PROCS_MAX      LSCHED_MAX_PROCEDURES
#define LSCHED_I_ITEM_WORDS_MAX 16
#define LSCHED_I_CHUNK_ITEMS    32u

/* The head of a worker's fast memory; the stacks follow. */
typedef struct lsched_i_level {
	uint32_t top[LSCHED_I_PROCS_MAX];
	uint32_t go, proc; /* for the other warps of a group: items to run; 0: leave the loop */
	uint32_t item[LSCHED_I_ITEM_WORDS_MAX];
	uint32_t bad;   /* lanes of the other warps that failed */
	uint32_t job;   /* LSCHED_JOBS: number of the job that the items belong to */
	uint32_t yield; /* LSCHED_JOBS: an item has observed that the job is to pause */
	uint32_t pad[3];
} lsched_i_level;

/* State of a thread that runs items. Its constants fold into the code. A body finds it as the
 * member `any` of the type that LSCHED_DECLARE_ITEMS declares. */
typedef struct lsched_i_items {
	lsched_worker *w;
	lsched_i_level *level;
	uint32_t *stack;     /* [procedure][word][cap] */
	uint32_t cap, words; /* of each stack; with LSCHED_PROCEDURES: words of the largest item */
	uint32_t proc_at[LSCHED_I_PROCS_MAX], proc_cap[LSCHED_I_PROCS_MAX],
		proc_words[LSCHED_I_PROCS_MAX];     /* with LSCHED_PROCEDURES: offset and shape */
	struct lsched_i_pressure *pressure;         /* with LSCHED_PROCEDURES */
	uint32_t thread, threads;                   /* of those that share the item */
	uint32_t thread_all, threads_all;           /* of the worker: lanes x warps */
	uint32_t op;                                /* LSCHED_I_OP_... */
	uint64_t (*reduce)(uint64_t a, uint64_t b); /* LSCHED_I_OP_USER */
	uint64_t value;                             /* returned to the root by this thread */
	uint32_t join_free, join_word; /* slots reserved by this thread, of which bitmap word */
	uint32_t joins_open;           /* joins that it made, minus those that it freed; wraps */
	uint32_t proc, made; /* of the running item: its procedure; items that this thread emitted,
			      * without LSCHED_PROCEDURES */
} lsched_i_items;

/* Back-pressure of a worker with LSCHED_PROCEDURES (items/pressure.h), in its fast memory after the
 * level. The leader writes it. */
typedef struct lsched_i_pressure {
	uint32_t base[LSCHED_I_PROCS_MAX];  /* top of each stack when a turn's items are popped */
	uint32_t room[LSCHED_I_PROCS_MAX];  /* items that the turn may emit to each procedure */
	uint32_t known[LSCHED_I_PROCS_MAX]; /* the run's item counts, when last accessed */
	uint32_t delta[LSCHED_I_PROCS_MAX]; /* changes that are not added to these yet; wrap */
	uint32_t items;                     /* of the turn */
	uint32_t cause;     /* a procedure without room, plus one | 256 x target, plus one */
	uint32_t spins;     /* of this wait */
	uint32_t requested; /* 1: this wait has requested a chunk */
	uint32_t published; /* 1: state.blocked was set by this worker */
	uint32_t since_low, since_high; /* ticks at the beginning of the wait */
	uint32_t probe;                 /* bitmap words of other workers searched so far */
	uint32_t shared;                /* rounds: chunks enqueued in this launch */
	uint32_t asked;                 /* 1: an item of the turn has called lsched_room() */
	uint32_t pad[2];
} lsched_i_pressure;

/* Returns how many items an item may emit to procedure `proc` in this turn. */
LSCHED_WORKER_FN uint32_t lsched_i_room(const lsched_i_items *x, uint32_t proc)
{
	const uint32_t room = x->pressure->room[proc], n = x->pressure->items;

	x->pressure->asked = 1; /* lanes store the same */
	return n == 1 ? room : room / n;
}

/* One lane: reserves a slot; lanes may diverge. On the CPU a worker is one thread. */
LSCHED_WORKER_FN uint32_t lsched_i_level_claim(uint32_t *top)
{
	return lsched_i_local_add(top, 1u);
}

/* A stack of a program with LSCHED_PROCEDURES: slot k of word j is base[j * cap + k]. */
typedef struct lsched_i_stack {
	uint32_t *base;
	uint32_t cap, words;
} lsched_i_stack;

/* Returns it. The loop has constant bounds and is unrolled, so that the arrays of x stay
 * constants. */
LSCHED_WORKER_FN lsched_i_stack lsched_i_stack_of(const lsched_i_items *x, uint32_t proc)
{
	lsched_i_stack s = { x->stack, x->proc_cap[0], x->proc_words[0] };

	LSCHED_UNROLL
	for (uint32_t q = 1; q < LSCHED_I_PROCS_MAX; q++) {
		if (q == proc) {
			s.base = x->stack + x->proc_at[q];
			s.cap = x->proc_cap[q];
			s.words = x->proc_words[q];
		}
	}
	return s;
}

LSCHED_WORKER_FN void lsched_i_stack_put(const lsched_i_stack *s, uint32_t place, const uint32_t *v)
{
	uint32_t *to = s->base + (place & (s->cap - 1u));

	LSCHED_UNROLL
	for (uint32_t j = 0; j < LSCHED_I_ITEM_WORDS_MAX; j++)
		if (j < s->words)
			to[j * s->cap] = v[j];
}

LSCHED_WORKER_FN void lsched_i_stack_get(const lsched_i_stack *s, uint32_t place, uint32_t *v)
{
	const uint32_t *from = s->base + (place & (s->cap - 1u));

	LSCHED_UNROLL
	for (uint32_t j = 0; j < LSCHED_I_ITEM_WORDS_MAX; j++)
		if (j < s->words)
			v[j] = from[j * s->cap];
}

/* The following functions serve all item programs. `table`, a constant, is 1 with
 * LSCHED_PROCEDURES. It is an argument, because the compiler folds a condition on a constant
 * argument when it inlines the call, but one on a member of x so late that the code differs. */

/* Words of an item of `proc`. */
LSCHED_WORKER_FN uint32_t lsched_i_level_words(
	const lsched_i_items *x, uint32_t table, uint32_t proc)
{
	return table ? lsched_i_stack_of(x, proc).words : x->words;
}

LSCHED_WORKER_FN void lsched_i_level_put(
	const lsched_i_items *x, uint32_t table, uint32_t proc, uint32_t place, const uint32_t *v)
{
	uint32_t *to;

	if (table) {
		const lsched_i_stack s = lsched_i_stack_of(x, proc);

		lsched_i_stack_put(&s, place, v);
		return;
	}
	to = x->stack + (size_t)proc * x->words * x->cap + (place & (x->cap - 1u));
	for (uint32_t j = 0; j < x->words; j++)
		to[j * x->cap] = v[j];
}

LSCHED_WORKER_FN void lsched_i_level_get(
	const lsched_i_items *x, uint32_t table, uint32_t proc, uint32_t place, uint32_t *v)
{
	const uint32_t *from;

	if (table) {
		const lsched_i_stack s = lsched_i_stack_of(x, proc);

		lsched_i_stack_get(&s, place, v);
		return;
	}
	from = x->stack + (size_t)proc * x->words * x->cap + (place & (x->cap - 1u));
	for (uint32_t j = 0; j < x->words; j++)
		v[j] = from[j * x->cap];
}

LSCHED_WORKER_FN void lsched_i_emit_words(
	lsched_i_items *x, uint32_t table, uint32_t proc, const uint32_t *v)
{
	lsched_i_level_put(x, table, proc, lsched_i_level_claim(&x->level->top[proc]), v);
	if (!table)
		x->made++;
}

LSCHED_WORKER_FN void lsched_i_emit(
	lsched_i_items *x, uint32_t proc, const void *item, uint32_t words)
{
	uint32_t v[LSCHED_I_ITEM_WORDS_MAX];

	memcpy(v, item, words * sizeof(uint32_t));
	lsched_i_emit_words(x, 0, proc, v);
}

/* The same with LSCHED_PROCEDURES; proc and words are constants. */
LSCHED_WORKER_FN void lsched_i_emit_to(
	lsched_i_items *x, uint32_t proc, const void *item, uint32_t words)
{
	lsched_i_stack s;
	uint32_t v[LSCHED_I_ITEM_WORDS_MAX];

	s.base = x->stack + x->proc_at[proc];
	s.cap = x->proc_cap[proc];
	s.words = words;
	memcpy(v, item, words * sizeof(uint32_t));
	lsched_i_stack_put(&s, lsched_i_level_claim(&x->level->top[proc]), v);
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
