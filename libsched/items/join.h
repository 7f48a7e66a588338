/* Joins: a count of children still to come, the reduction of their values, and where it goes then.
 *
 * A join's place comes from the words of places that belong to the thread that makes it (bits.h), and
 * goes back there when the value has been picked up, by whoever does that. When a thread's own words
 * are used up it looks through all others. */
#ifndef LIBSCHED_ITEMS_JOIN_H
#define LIBSCHED_ITEMS_JOIN_H

#include "libsched/items/local.h"
#include "libsched/items/bits.h"

#define SCHED_JOIN_ROOT  0u /* the run's own value */
#define SCHED_JOIN_NONE  0xffffffffu
#define SCHED__JOIN_THEN 0x80000000u

enum { SCHED__OP_SUM, SCHED__OP_MAX, SCHED__OP_MIN, SCHED__OP_USER };

/* A minimum is kept as the maximum of complements, so that zero is the neutral value of all. */
SCHED_WORKER_FN uint64_t sched__op_code(uint32_t op, uint64_t v)
{
	return op == SCHED__OP_MIN ? ~v : v;
}

SCHED_WORKER_FN uint64_t sched__op_pair(const sched_items *x, uint64_t a, uint64_t b)
{
	if (x->op == SCHED__OP_SUM)
		return a + b;
	if (x->op == SCHED__OP_USER)
		return x->reduce(a, b);
	return a > b ? a : b;
}

SCHED_WORKER_FN void sched__op_into(const sched_items *x, uint64_t *p, uint64_t v)
{
	if (x->op == SCHED__OP_SUM) {
		(void)sched_add(p, v, rlx, dev);
	} else if (x->op == SCHED__OP_USER) {
		uint64_t old = sched_ld(p, rlx, dev);

		while (!sched_cas(p, &old, x->reduce(old, v), rlx, dev))
			;
	} else {
		sched__max_u64(p, v);
	}
}

/* Looks for a place in the words of others; SCHED_NONE: there is none. */
SCHED_WORKER_FN uint32_t sched__join_search(sched_items *x, uint32_t own)
{
	const sched__args *a = x->w->a;

	for (uint32_t k = 0; k < a->join_words; k++) {
		uint32_t word = own + k, bit;

		if (word >= a->join_words)
			word -= a->join_words;
		bit = sched__bits_take_one(&a->join_busy[word]);
		if (bit)
			return word * 32u + sched__bits_lowest(bit);
	}
	return SCHED_NONE;
}

SCHED_WORKER_FN uint32_t sched__join_place(sched_items *x)
{
	const sched__args *a = x->w->a;
	const uint32_t each = a->joins_each; /* words of a thread */
	const uint32_t own = (x->w->index * x->threads_all + x->thread_all) * each;
	uint32_t bit;

	for (uint32_t k = 0; !x->join_free && k < each; k++) {
		x->join_word = x->join_word + 1 >= own + each || x->join_word < own
				       ? own
				       : x->join_word + 1;
		x->join_free = sched__bits_take(&a->join_busy[x->join_word]);
	}
	if (!x->join_free)
		return sched__join_search(x, own);
	bit = x->join_free & (0u - x->join_free);
	x->join_free ^= bit;
	return x->join_word * 32u + sched__bits_lowest(bit);
}

SCHED_WORKER_FN uint32_t sched__join_new(sched_items *x, uint32_t n, uint32_t up)
{
	const uint32_t place = sched__join_place(x);
	sched__join *j;

	if (place == SCHED_NONE) {
		sched__fail(x->w, SCHED__FAIL_JOINS, SCHED_NONE, 0);
		return SCHED_JOIN_NONE;
	}
	j = x->w->a->joins + place;
	j->value = 0;
	j->pending = n;
	j->up = up;
	return place + 1u;
}

SCHED_WORKER_FN uint32_t sched__join_then(
	sched_items *x, uint32_t n, uint32_t proc, void *item, uint32_t *set_join, uint32_t words)
{
	const uint32_t join = sched__join_new(x, n, SCHED__JOIN_THEN | proc);

	if (join == SCHED_JOIN_NONE)
		return join;
	if (set_join)
		*set_join = join;
	memcpy(x->w->a->join_then + (size_t)(join - 1u) * words, item, words * sizeof(uint32_t));
	return join;
}

SCHED_WORKER_FN void sched__join_free(sched_items *x, uint32_t join)
{
	sched__bits_give(&x->w->a->join_busy[(join - 1u) / 32u], 1u << ((join - 1u) & 31u));
}

SCHED_WORKER_FN void sched__join_return(sched_items *x, uint32_t join, uint64_t value)
{
	const sched__args *a = x->w->a;
	uint64_t v = sched__op_code(x->op, value);

	while (join != SCHED_JOIN_ROOT) {
		sched__join *j = a->joins + (join - 1u);
		uint32_t up, item[SCHED__ITEM_WORDS_MAX];

		if (join == SCHED_JOIN_NONE) /* the run has failed for want of joins */
			return;
		sched__op_into(x, &j->value, v);
		if (sched_add(&j->pending, 0xffffffffu, ar, dev) != 1u)
			return;
		up = j->up;
		if (up & SCHED__JOIN_THEN) {
			memcpy(item, a->join_then + (size_t)(join - 1u) * x->words,
				x->words * sizeof(uint32_t));
			sched__emit_words(x, up & ~SCHED__JOIN_THEN, item);
			return;
		}
		v = sched_ld(&j->value, rlx, dev);
		sched__join_free(x, join);
		join = up;
	}
	x->value = sched__op_pair(x, x->value, v);
}

SCHED_WORKER_FN uint64_t sched__join_take(sched_items *x, uint32_t join)
{
	const uint64_t v = sched_ld(&x->w->a->joins[join - 1u].value, rlx, dev);

	sched__join_free(x, join);
	return sched__op_code(x->op, v);
}

#endif
