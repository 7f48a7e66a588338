/* Joins: the number of children that have not returned, the reduction of their values, and the join
 * or item that receives the result.
 *
 * A thread reserves the slot of a join from bitmap words of its own (bitmap.h); when these are used
 * up it searches those of all threads. The thread that reads the result releases the slot. */
#ifndef LIBSCHED_ITEMS_JOIN_H
#define LIBSCHED_ITEMS_JOIN_H

#include "libsched/items/local.h"
#include "libsched/items/bitmap.h"

#define LSCHED_JOIN_ROOT 0u /* the run's own value */
#define LSCHED_JOIN_NONE 0xffffffffu

enum lsched_i_op { LSCHED_I_OP_SUM, LSCHED_I_OP_MAX, LSCHED_I_OP_MIN, LSCHED_I_OP_USER };

/* A minimum is kept as the maximum of complements, so that zero is the neutral value of all. */
LSCHED_WORKER_FN uint64_t lsched_i_op_code(uint32_t op, uint64_t v)
{
	return op == LSCHED_I_OP_MIN ? ~v : v;
}

LSCHED_WORKER_FN uint64_t lsched_i_op_pair(const lsched_i_items *x, uint64_t a, uint64_t b)
{
	if (x->op == LSCHED_I_OP_SUM)
		return a + b;
	if (x->op == LSCHED_I_OP_USER)
		return x->reduce(a, b);
	return a > b ? a : b;
}

LSCHED_WORKER_FN void lsched_i_op_into(const lsched_i_items *x, uint64_t *p, uint64_t v)
{
	if (x->op == LSCHED_I_OP_SUM) {
		(void)lsched_add(p, v, rlx, dev);
	} else if (x->op == LSCHED_I_OP_USER) {
		uint64_t old = lsched_ld(p, rlx, dev);

		while (!lsched_cas(p, &old, x->reduce(old, v), rlx, dev))
			;
	} else {
		(void)lsched_max(p, v, rlx, dev);
	}
}

/* Reserves a slot in the bitmap words of any thread, beginning with the own ones. Returns
 * LSCHED_NONE if no slot is free. */
LSCHED_WORKER_FN uint32_t lsched_i_join_search(lsched_i_items *x, uint32_t own)
{
	const lsched_i_args *a = x->w->a;

	for (uint32_t k = 0; k < a->items_join_words; k++) {
		uint32_t word = own + k, bit;

		if (word >= a->items_join_words)
			word -= a->items_join_words;
		bit = lsched_i_bitmap_reserve(&a->items_join_bitmap[word]);
		if (bit)
			return word * 32u + lsched_i_bitmap_lowest(bit);
	}
	return LSCHED_NONE;
}

/* Reserves the slot of a join; returns its number, or LSCHED_NONE if no slot is free. */
LSCHED_WORKER_FN uint32_t lsched_i_join_reserve_slot(lsched_i_items *x)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t each = a->items_thread_join_words; /* words of a thread */
	const uint32_t own = (x->w->index * x->threads_all + x->thread_all) * each;
	uint32_t bit;

	for (uint32_t k = 0; !x->join_free && k < each; k++) {
		x->join_word = x->join_word + 1 >= own + each || x->join_word < own
				       ? own
				       : x->join_word + 1;
		x->join_free = lsched_i_bitmap_reserve_word(&a->items_join_bitmap[x->join_word]);
	}
	if (!x->join_free)
		return lsched_i_join_search(x, own);
	bit = x->join_free & (0u - x->join_free);
	x->join_free ^= bit;
	return x->join_word * 32u + lsched_i_bitmap_lowest(bit);
}

/* Makes a join of n children that returns to the join `up`, complemented with LSCHED_I_JOIN_NOT in
 * it; fails the run if no slot is free. */
LSCHED_WORKER_FN uint32_t lsched_i_join_new(lsched_i_items *x, uint32_t n, uint32_t up)
{
	const uint32_t place = lsched_i_join_reserve_slot(x);
	lsched_i_join *j;

	if (place == LSCHED_NONE) {
		lsched_i_fail(x->w, LSCHED_I_FAIL_JOINS, LSCHED_NONE, 0);
		return LSCHED_JOIN_NONE;
	}
	j = x->w->a->items_joins + place;
	x->joins_open++;
	j->value = 0;
	j->pending = n | x->proc << LSCHED_I_JOIN_PROC_SHIFT;
	j->up = up;
	return place + 1u;
}

/* The same with the complement of its value. */
LSCHED_WORKER_FN uint32_t lsched_i_join_new_not(lsched_i_items *x, uint32_t n, uint32_t up)
{
	return lsched_i_join_new(x, n, up | LSCHED_I_JOIN_NOT);
}

/* Makes a join of n children after which `item` is emitted to `proc`; *set_join, a word of the
 * item, becomes the join. */
LSCHED_WORKER_FN uint32_t lsched_i_join_then(lsched_i_items *x, uint32_t n, uint32_t proc,
	const void *item, uint32_t *set_join, uint32_t words)
{
	const uint32_t join = lsched_i_join_new(x, n, LSCHED_I_JOIN_THEN | proc);

	if (join == LSCHED_JOIN_NONE)
		return join;
	if (set_join)
		*set_join = join;
	memcpy(x->w->a->items_continuations + (size_t)(join - 1u) * x->words, item,
		words * sizeof(uint32_t));
	return join;
}

/* Releases the slot of a join. */
LSCHED_WORKER_FN void lsched_i_join_free(lsched_i_items *x, uint32_t join)
{
	x->joins_open--;
	lsched_i_bitmap_release(
		&x->w->a->items_join_bitmap[(join - 1u) / 32u], 1u << ((join - 1u) & 31u));
}

/* Returns a child's value to its join. The last child emits the continuation, or returns the
 * reduced value to the next join, up to the root. */
LSCHED_WORKER_FN void lsched_i_join_return(
	lsched_i_items *x, uint32_t table, uint32_t join, uint64_t value)
{
	const lsched_i_args *a = x->w->a;
	uint64_t v = lsched_i_op_code(x->op, value);

	while (join != LSCHED_JOIN_ROOT) {
		lsched_i_join *j = a->items_joins + (join - 1u);
		uint32_t up, left, item[LSCHED_I_ITEM_WORDS_MAX];

		if (join == LSCHED_JOIN_NONE) /* no join was free: the run has failed */
			return;
		lsched_i_op_into(x, &j->value, v);
		left = lsched_add(&j->pending, 0xffffffffu, ar, dev) & LSCHED_I_JOIN_CHILDREN_MAX;
		if (left != 1u) {
			if (LSCHED_I_UNLIKELY(left == 0)) /* its slot may be in use again */
				lsched_i_fail(x->w, LSCHED_I_FAIL_RETURNS, LSCHED_NONE, x->proc);
			return;
		}
		up = j->up;
		if (up & LSCHED_I_JOIN_THEN) {
			if (up == LSCHED_JOIN_NONE) /* the parent had none: likewise */
				return;
			memcpy(item, a->items_continuations + (size_t)(join - 1u) * x->words,
				x->words * sizeof(uint32_t));
			lsched_i_emit_words(x, table, up & ~LSCHED_I_JOIN_THEN, item);
			return;
		}
		v = lsched_ld(&j->value, rlx, dev);
		lsched_i_join_free(x, join);
		if (up & LSCHED_I_JOIN_NOT)
			v = ~v; /* a minimum, kept as a maximum of complements, likewise */
		join = up & ~LSCHED_I_JOIN_NOT;
	}
	x->value = lsched_i_op_pair(x, x->value, v);
}

/* Returns the value so far of a join that is in use; that of the root is not kept in one place. */
LSCHED_WORKER_FN uint64_t lsched_i_join_peek(const lsched_i_items *x, uint32_t join)
{
	if (join == LSCHED_JOIN_ROOT || join == LSCHED_JOIN_NONE)
		return lsched_i_op_code(x->op, 0);
	return lsched_i_op_code(x->op, lsched_ld(&x->w->a->items_joins[join - 1u].value, rlx, dev));
}

/* Returns the join above one that is in use. */
LSCHED_WORKER_FN uint32_t lsched_i_join_up(const lsched_i_items *x, uint32_t join)
{
	uint32_t up;

	if (join == LSCHED_JOIN_ROOT || join == LSCHED_JOIN_NONE)
		return LSCHED_JOIN_ROOT;
	up = x->w->a->items_joins[join - 1u].up;
	return up & LSCHED_I_JOIN_THEN ? LSCHED_JOIN_ROOT : up & ~LSCHED_I_JOIN_NOT;
}

LSCHED_WORKER_FN uint64_t lsched_i_join_take(lsched_i_items *x, uint32_t join)
{
	const uint64_t v = lsched_ld(&x->w->a->items_joins[join - 1u].value, rlx, dev);

	lsched_i_join_free(x, join);
	return lsched_i_op_code(x->op, v);
}

#endif
