/* The pairs of nodes from which the walk begins: a cut through the pairs that it may visit, made
 * level by level from the pairs of roots, whatever the boxes are. So it depends on the links of the
 * trees only, and stays valid when boxes change. From the roots alone some ten levels pass before
 * all lanes of a GPU have work. */
#include "workloads/collide/host.h"
#include "workloads/common/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* A pair's children, at most four; a pair of leaves is its own child, unless it is a leaf with
 * itself. Returns their number. */
static uint32_t children_of(const collide *c, col_item it, col_item out[4])
{
	const uint32_t kind = col_kind(it), b = col_node_b(it);
	const int *prims = col_prims_of[kind];
	const int same = (c->ctx.self >> kind & 1u) && it.a == b;
	const uint32_t *child_a = it.a & COL_LEAF ? &it.a : c->tree[prims[0]].node[it.a].child;
	const uint32_t *child_b = b & COL_LEAF ? &b : c->tree[prims[1]].node[b].child;
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
 * more than `most`, none has children, or memory is short; the old list is unchanged then. */
static col_item *next_level(const collide *c, const col_item *from, uint64_t *n, uint64_t most)
{
	col_item *to = malloc((4 * *n + 1) * sizeof(*to));
	uint64_t count = 0, inner = 0;

	for (uint64_t i = 0; to && i < *n && count <= most; i++) {
		inner += !(from[i].a & from[i].b & COL_LEAF);
		count += children_of(c, from[i], &to[count]);
	}
	if (!to || count > most || !inner) {
		free(to);
		return NULL;
	}
	*n = count;
	return to;
}

int col_make_front(wl_device *d, collide *c, uint64_t most, char *msg, size_t n)
{
	col_item *front = malloc((COL_KINDS + 1) * sizeof(*front)), *next;
	uint64_t count = 0;
	int bad;

	for (int i = 0; front && i < c->kinds; i++) {
		const uint32_t kind = (uint32_t)c->kind[i];
		const col_tree *t = c->ctx.tree[kind];

		front[count++] = col_item_of(kind, col_root_name(&t[0]), col_root_name(&t[1]));
	}
	if (!front) {
		snprintf(msg, n, "out of memory");
		return -1;
	}
	while ((next = next_level(c, front, &count, most)) != NULL) {
		free(front);
		front = next;
	}
	c->d_front = wl_alloc(d, count * sizeof(*front), msg, n);
	bad = !c->d_front ||
	      (count && wl_write(d, c->d_front, front, count * sizeof(*front), msg, n));
	free(front);
	c->ctx.front = c->d_front;
	c->roots = (uint32_t)count;
	return bad ? -1 : 0;
}
