/* The cost of a tree by all planes between the centres of boxes, from floats, without bins and
 * without a grid: what the construction by bins is measured by. */
#include "workloads/bvh/host.h"

#include <stdlib.h>

typedef struct sweep {
	const bvh_box *box;
	uint32_t leaf_most;
	uint32_t *order[3], *rest;
	double *right;       /* area x primitives to the right of a plane */
	unsigned char *left; /* of a primitive: it is left of the plane */
	double cost;
} sweep;

typedef struct entry {
	double place;
	uint32_t number;
} entry;

static int by_place(const void *pa, const void *pb)
{
	const entry *a = pa, *b = pb;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Finds the plane of least cost of n primitives; returns the cost. */
static double best_plane(
	sweep *s, uint32_t first, uint32_t n, int *best_axis, uint32_t *best_left, double *area)
{
	double best = 0;

	*best_left = 0;
	for (int axis = 0; axis < 3; axis++) {
		const uint32_t *order = s->order[axis] + first;
		bvh_box box = s->box[order[n - 1]];

		for (uint32_t i = n - 1; i > 0; i--) {
			bvh_box_extend(&box, &s->box[order[i]]);
			s->right[i] = bvh_half_area(&box) * (n - i);
		}
		box = s->box[order[0]];
		for (uint32_t i = 1; i < n; i++) {
			const double cost = bvh_half_area(&box) * i + s->right[i];

			/* of equal ones the most even: equal boxes make no list */
			if (*best_left == 0 || cost < best ||
				(cost == best && i <= n / 2 && i > *best_left)) {
				best = cost;
				*best_axis = axis;
				*best_left = i;
			}
			bvh_box_extend(&box, &s->box[order[i]]);
		}
		*area = bvh_half_area(&box);
	}
	return best;
}

/* Divides the three orders of a range. */
static void divide(sweep *s, uint32_t first, uint32_t n, int axis, uint32_t left)
{
	for (uint32_t i = 0; i < n; i++)
		s->left[s->order[axis][first + i]] = i < left;
	for (int k = 0; k < 3; k++) {
		uint32_t *order = s->order[k] + first, a = 0, b = 0;

		for (uint32_t i = 0; i < n; i++)
			if (s->left[order[i]])
				order[a++] = order[i];
			else
				s->rest[b++] = order[i];
		memcpy(order + a, s->rest, b * sizeof(*order));
	}
}

/* A tree of this mean depth is a list, for which n steps a level take too long. */
enum { DEPTH_MOST = 200 };

/* Adds up the costs of the tree; `stack` has room for n ranges. Returns 0, or -1 if it gives up. */
static int walk(sweep *s, uint32_t n, uint32_t (*stack)[2])
{
	uint64_t steps = 0;
	uint32_t depth = 0;

	stack[depth][0] = 0;
	stack[depth++][1] = n;
	while (depth) {
		const uint32_t first = stack[--depth][0], count = stack[depth][1];
		uint32_t left = 0;
		double area, cost;
		int axis = 0;

		steps += count;
		if (steps > (uint64_t)DEPTH_MOST * n)
			return -1;
		if (count == 1) {
			s->cost += bvh_half_area(&s->box[s->order[0][first]]);
			continue;
		}
		cost = best_plane(s, first, count, &axis, &left, &area);
		if (count <= s->leaf_most && count * area <= area + cost) {
			s->cost += count * area;
			continue;
		}
		s->cost += area;
		divide(s, first, count, axis, left);
		stack[depth][0] = first;
		stack[depth++][1] = left;
		stack[depth][0] = first + left;
		stack[depth++][1] = count - left;
	}
	return 0;
}

static double cost_of(sweep *s, uint32_t n, entry *e, uint32_t (*stack)[2])
{
	bvh_box all = s->box[0];

	for (int axis = 0; axis < 3; axis++) {
		for (uint32_t i = 0; i < n; i++) {
			const bvh_box *b = &s->box[i];

			e[i].place = (double)b->lo[axis] + (double)b->hi[axis];
			e[i].number = i;
			bvh_box_extend(&all, b);
		}
		qsort(e, n, sizeof(*e), by_place);
		for (uint32_t i = 0; i < n; i++)
			s->order[axis][i] = e[i].number;
	}
	if (walk(s, n, stack) || !(bvh_half_area(&all) > 0))
		return 0;
	return s->cost / bvh_half_area(&all);
}

double bvh_sweep_cost(const bvh_box *box, uint32_t n, uint32_t leaf_most)
{
	sweep s = { .box = box, .leaf_most = leaf_most };
	entry *e = malloc(((size_t)n + 1) * sizeof(*e));
	uint32_t(*stack)[2] = malloc(((size_t)n + 1) * sizeof(*stack));
	double cost = -1;
	int bad = !e || !stack;

	for (int axis = 0; axis < 3; axis++)
		bad |= !(s.order[axis] = malloc(((size_t)n + 1) * sizeof(uint32_t)));
	s.rest = malloc(((size_t)n + 1) * sizeof(*s.rest));
	s.right = malloc(((size_t)n + 1) * sizeof(*s.right));
	s.left = malloc((size_t)n + 1);
	if (!bad && s.rest && s.right && s.left)
		cost = n ? cost_of(&s, n, e, stack) : 0;
	for (int axis = 0; axis < 3; axis++)
		free(s.order[axis]);
	free(s.rest);
	free(s.right);
	free(s.left);
	free(e);
	free(stack);
	return cost;
}
