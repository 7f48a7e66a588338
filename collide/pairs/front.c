#include "collide/pairs/front.h"

#include <stdlib.h>
#include <string.h>

/* A pair's children, at most four; a pair of leaves is its own child, unless it is a leaf with
 * itself. Returns their number. */
static uint32_t children_of(const col_front_trees *t, col_item it, col_item out[4])
{
	const uint32_t kind = col_kind(it), b = col_node_b(it);
	const int same = (t->self >> kind & 1u) && it.a == b;
	const uint32_t *child_a = it.a & COL_LEAF ? &it.a : t->node[kind][0][it.a].child;
	const uint32_t *child_b = b & COL_LEAF ? &b : t->node[kind][1][b].child;
	const uint32_t n = it.a & COL_LEAF ? 1 : 2, m = b & COL_LEAF ? 1 : 2;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < m; j++) {
			if (same && (i > j || (i == j && (child_a[i] & COL_LEAF))))
				continue;
			out[count++] = col_item_of(kind, child_a[i], child_b[j]);
		}
	return count;
}

/* Replaces all pairs by their children. Returns the new list, of *n pairs, or NULL: there would be
 * more than `most`, none has children, memory is short, or the poll ends it; the old list is
 * unchanged then. */
static col_item *next_level(
	const col_front_trees *t, const col_item *from, uint64_t *n, uint64_t most)
{
	col_item *to = malloc((4 * *n + 1) * sizeof(*to));
	uint64_t count = 0, inner = 0;
	int ended = 0;

	for (uint64_t i = 0; to && i < *n && count <= most && !ended; i++) {
		ended = i % COL_POLL_EVERY == 0 && col_poll_ended(&t->poll);
		inner += !(from[i].a & from[i].b & COL_LEAF);
		count += children_of(t, from[i], &to[count]);
	}
	if (!to || count > most || !inner || ended) {
		free(to);
		return NULL;
	}
	*n = count;
	return to;
}

col_item *collide_i_front_make(
	const col_front_trees *t, const col_item *roots, uint64_t *count, uint64_t most)
{
	col_item *front = malloc((*count + 1) * sizeof(*front)), *next;

	if (!front)
		return NULL;
	memcpy(front, roots, *count * sizeof(*front));
	while ((next = next_level(t, front, count, most)) != NULL) {
		free(front);
		front = next;
	}
	return front;
}
