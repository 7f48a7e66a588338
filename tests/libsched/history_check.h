/* Reads the record of a queue's operations (history.h) and counts what a correct queue cannot do.
 *
 * For a FIFO this is complete: a history in which all values differ is possible for a queue exactly
 * if no value is popped twice or without a push, no value is popped before a value that was pushed
 * before it, and no pop returns "empty" while the queue held an item all the time (Henzinger,
 * Sezgin, Vafeiadis, "Aspect-oriented linearizability proofs", CONCUR 2013). The last condition is
 * checked for operations without overlap only: libsched's queues may return 0 during other
 * operations. */
#ifndef TESTS_LIBSCHED_HISTORY_CHECK_H
#define TESTS_LIBSCHED_HISTORY_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include "tests/libsched/history.h"

/* Guarantees of the queue. */
enum {
	HISTORY_FIFO = 1,
	HISTORY_FULL = 2,    /* without overlap a push adds as many items as there are free slots */
	HISTORY_PARTIAL = 4, /* without overlap a pop returns min(items, wanted) */
	HISTORY_EMPTY = 8    /* without overlap a pop returns 0 only if the queue is empty */
};

typedef struct history {
	const history_op *op;
	size_t ops;
	const history_item *item;
	size_t items;
	uint32_t alone_until; /* operations that ended before this number are all recorded */
	uint32_t limit;       /* items the queue has room for */
	uint32_t guarantees;
	int ordered; /* start and end are sequence numbers */
} history;

typedef struct history_faults {
	uint64_t pushed, popped;
	uint64_t lost, doubled, invented;
	uint64_t early;      /* popped before the push began */
	uint64_t overtaken;  /* popped before an item that was pushed before it */
	uint64_t disordered; /* the same among items of one batch */
	uint64_t false_full, false_empty;
	uint64_t alone; /* operations without overlap, to which the last two apply */
} history_faults;

/* Returns the sum of the faults, or UINT64_MAX when out of memory. */
uint64_t history_check(const history *h, history_faults *f);

#endif
