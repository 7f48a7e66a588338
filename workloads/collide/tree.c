#include "workloads/collide/tree.h"

#include <stdlib.h>

/* A leaf's place along the curve: 21 bits an axis, interleaved, then its number. */
typedef struct place {
	uint64_t code;
	uint32_t number;
} place;

static int by_code(const void *pa, const void *pb)
{
	const place *a = pa, *b = pb;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Spreads 21 bits: two zeros behind each. */
static uint64_t spread(uint64_t v)
{
	v &= 0x1fffff;
	v = (v | v << 32) & UINT64_C(0x001f00000000ffff);
	v = (v | v << 16) & UINT64_C(0x001f0000ff0000ff);
	v = (v | v << 8) & UINT64_C(0x100f00f00f00f00f);
	v = (v | v << 4) & UINT64_C(0x10c30c30c30c30c3);
	return (v | v << 2) & UINT64_C(0x1249249249249249);
}

/* The sum of a box's ends, twice its centre, in double. */
static double centre(const col_box *b, int axis)
{
	return (double)b->lo[axis] + (double)b->hi[axis];
}

static void make_places(const col_box *box, uint32_t n, place *out)
{
	double lo[3], scale = 0;

	for (int axis = 0; axis < 3; axis++) {
		double hi = lo[axis] = centre(&box[0], axis);

		for (uint32_t i = 1; i < n; i++) {
			const double c = centre(&box[i], axis);

			lo[axis] = c < lo[axis] ? c : lo[axis];
			hi = c > hi ? c : hi;
		}
		scale = hi - lo[axis] > scale ? hi - lo[axis] : scale;
	}
	scale = scale > 0 ? 2097151.0 / scale : 0;
	for (uint32_t i = 0; i < n; i++) {
		out[i].code = 0;
		for (int axis = 0; axis < 3; axis++)
			out[i].code |=
				spread((uint64_t)((centre(&box[i], axis) - lo[axis]) * scale))
				<< axis;
		out[i].number = i;
	}
	qsort(out, n, sizeof(*out), by_code);
}

static void extend(col_box *a, const col_box *b)
{
	for (int axis = 0; axis < 3; axis++) {
		a->lo[axis] = b->lo[axis] < a->lo[axis] ? b->lo[axis] : a->lo[axis];
		a->hi[axis] = b->hi[axis] > a->hi[axis] ? b->hi[axis] : a->hi[axis];
	}
}

/* The first position of the right half of [first, last]: where the highest bit that differs
 * changes; the middle of equal codes. */
static uint32_t split(const place *p, uint32_t first, uint32_t last)
{
	uint32_t lo = first, hi = last;
	uint64_t bit = p[first].code ^ p[last].code;

	if (!bit)
		return first + (last - first + 1) / 2;
	while (bit & (bit - 1))
		bit &= bit - 1;
	while (hi - lo > 1) { /* p[lo] has a 0 there, p[hi] a 1 */
		const uint32_t middle = lo + (hi - lo) / 2;

		if (p[middle].code & bit)
			hi = middle;
		else
			lo = middle;
	}
	return hi;
}

/* A range of leaves whose node is to be made. */
typedef struct range {
	uint32_t first, last, node;
} range;

/* An inner node is named by its split position s: s - 1 is its number, but the root's is 0. */
static uint32_t name_of(uint32_t position, uint32_t root_split)
{
	const uint32_t number = position - 1;

	return number == root_split - 1 ? 0 : number == 0 ? root_split - 1 : number;
}

/* Makes the links top down and returns the order of the nodes, parents first. */
static void make_links(const place *p, uint32_t n, col_node *node, uint32_t *order)
{
	range stack[128];
	const uint32_t root_split = split(p, 0, n - 1);
	uint32_t depth = 0, made = 0;

	stack[depth++] = (range){ 0, n - 1, 0 };
	while (depth) {
		const range r = stack[--depth];
		const uint32_t s = split(p, r.first, r.last);
		const uint32_t from[2] = { r.first, s }, to[2] = { s - 1, r.last };

		order[made++] = r.node;
		for (int k = 0; k < 2; k++) {
			uint32_t child = from[k] | COL_LEAF;

			if (from[k] != to[k]) {
				child = name_of(split(p, from[k], to[k]), root_split);
				stack[depth++] = (range){ from[k], to[k], child };
			}
			node[r.node].child[k] = child;
		}
	}
}

int col_tree_make(const col_box *box, uint32_t n, col_node *node, col_leaf *leaf)
{
	place *p = n ? malloc(n * sizeof(*p)) : NULL;
	uint32_t *order = n ? malloc(n * sizeof(*order)) : NULL;

	if (n && (!p || !order)) {
		free(p);
		free(order);
		return -1;
	}
	if (n)
		make_places(box, n, p);
	for (uint32_t i = 0; i < n; i++)
		leaf[i] = (col_leaf){ .box = box[p[i].number], .primitive = p[i].number };
	if (n > 1)
		make_links(p, n, node, order);
	for (uint32_t i = n > 1 ? n - 1 : 0; i-- > 0;) {
		col_node *to = &node[order[i]];

		for (int k = 0; k < 2; k++) {
			const uint32_t child = to->child[k];

			if (child & COL_LEAF) {
				to->box[k] = leaf[child & ~COL_LEAF].box;
				continue;
			}
			to->box[k] = node[child].box[0];
			extend(&to->box[k], &node[child].box[1]);
		}
		to->pad[0] = to->pad[1] = 0;
	}
	free(p);
	free(order);
	return 0;
}
