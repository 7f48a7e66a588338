/* The last pass, over nodes, end tags and attributes: parents and ends of nodes, equal names.
 * Compiled for CPU and GPU. */
#ifndef WORKLOADS_X3D_LINK_H
#define WORKLOADS_X3D_LINK_H

#include "workloads/x3d/walk.h"

enum { X3D_LINKS = 256 }; /* nodes, end tags and attributes of an item each */

/* The depth of a node, or the smallest one of those that a word of the level stands for. */
LSCHED_FN uint32_t x3d_least(const x3d_ctx *c, uint32_t level, uint32_t k)
{
	return level ? ~c->least[level][k] : c->node[k].depth;
}

/* Returns the last node before number `node` that is at most so deep, or X3D_NONE: up the levels
 * until one of the words before has it, and down again. */
LSCHED_FN uint32_t x3d_find(const x3d_ctx *c, uint32_t node, uint32_t depth)
{
	const uint32_t ways = 1u << X3D_WAY_BITS;
	uint32_t k = node;

	for (uint32_t level = 0; level < X3D_LEVELS; level++) {
		const uint32_t first = k & ~(ways - 1);

		while (k > first && x3d_least(c, level, k - 1) > depth)
			k--;
		if (k > first) {
			for (k--; level; level--) {
				k = k * ways + ways - 1;
				while (x3d_least(c, level - 1, k) > depth)
					k--;
			}
			return k;
		}
		k >>= X3D_WAY_BITS;
	}
	return X3D_NONE;
}

LSCHED_FN int x3d_same_bytes(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint32_t k = 0;

	while (k < n && a[k] == b[k])
		k++;
	return k == n;
}

/* The node that an end tag ends. */
LSCHED_TASK_FN void x3d_link_close(const x3d_ctx *c, uint32_t number)
{
	const x3d_close *close = &c->close[number];
	const uint8_t *s = x3d_bytes(c);
	const uint32_t node = x3d_find(c, close->before, close->depth);
	uint32_t end = close->at + 2;

	if (node == X3D_NONE || c->node[node].depth != close->depth ||
		!x3d_same_bytes(s + end, s + c->node[node].at + 1, c->node[node].name_bytes) ||
		x3d_is_name_byte(s[end + c->node[node].name_bytes])) {
		x3d_fail(c, close->at, X3D_E_CLOSE);
		return;
	}
	end += c->node[node].name_bytes;
	while (end < c->bytes && end - close->at <= X3D_GAP && s[end] != '>')
		end++;
	c->node[node].end = end + 1;
}

/* Is an attribute's name new in its tag? */
LSCHED_TASK_FN void x3d_link_attribute(const x3d_ctx *c, uint32_t number)
{
	const x3d_attribute *a = &c->attribute[number], *b;
	const uint8_t *s = x3d_bytes(c);
	uint32_t k = a->node == X3D_NONE ? number : c->node[a->node].attribute;

	if (number - k >= X3D_ATTRIBUTES) {
		x3d_fail(c, a->at, X3D_E_MANY);
		return;
	}
	for (; k < number; k++) {
		b = &c->attribute[k];
		if (a->name_bytes == b->name_bytes &&
			x3d_same_bytes(s + a->at, s + b->at, a->name_bytes))
			x3d_fail(c, a->at, X3D_E_DOUBLE);
	}
}

LSCHED_TASK_FN void x3d_link(const x3d_ctx *c, uint32_t number)
{
	const x3d_state *state = c->state;

	if (number < state->count[X3D_N_NODES])
		c->node[number].parent = x3d_find(c, number, c->node[number].depth - 1);
	if (number < state->count[X3D_N_CLOSES])
		x3d_link_close(c, number);
	if (number < state->count[X3D_N_ATTRIBUTES])
		x3d_link_attribute(c, number);
}

#endif
