/* Reads the record of a queue's operations (history.h) and says what no right queue can have done.
 *
 * For a FIFO this is complete: a history whose values are all different is one of a queue exactly
 * if no value comes out twice or without having gone in, no value comes out before one that went in
 * before it, and no pop finds the queue empty while it held something all along (Henzinger, Sezgin,
 * Vafeiadis, "Aspect-oriented linearizability proofs", CONCUR 2013). Of the last, only the case of
 * an operation that nothing overlaps is looked at here: libsched's queues may say "not now" when
 * others are at it. */
#ifndef TESTS_SCHED_HISTORY_CHECK_H
#define TESTS_SCHED_HISTORY_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include "tests/libsched/history.h"

/* What the queue promises. */
enum {
	HISTORY_FIFO = 1,
	HISTORY_FULL = 2,    /* alone, a push takes in exactly what there is room for */
	HISTORY_PARTIAL = 4, /* alone, a pop gives exactly what there is of what was wanted */
	HISTORY_EMPTY = 8    /* alone, a pop gives nothing only if there is nothing */
};

typedef struct history {
	const history_op *op;
	size_t ops;
	const history_item *item;
	size_t items;
	uint32_t alone_until; /* operations that ended before this number are all recorded */
	uint32_t limit;       /* items the queue has room for */
	uint32_t promises;
	int ordered; /* start and end mean something */
} history;

typedef struct history_faults {
	uint64_t pushed, popped;
	uint64_t lost, doubled, invented;
	uint64_t early;      /* out before the push had begun */
	uint64_t overtaken;  /* out before an item that went in before it */
	uint64_t disordered; /* the same among items of one batch */
	uint64_t false_full, false_empty;
	uint64_t alone; /* operations that nothing overlapped: of these the last two speak */
} history_faults;

/* Returns the sum of the faults, or UINT64_MAX when out of memory. */
uint64_t history_check(const history *h, history_faults *f);

#endif
