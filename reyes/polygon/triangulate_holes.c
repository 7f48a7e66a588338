/* Holes of polygons: each hole is connected with the loop to its right by a bridge of two edges
 * (method of D. Eberly, "Triangulation by Ear Clipping"). */
#include <math.h>
#include <stdlib.h>
#include "reyes/polygon/triangulate_node.h"

#define NONE UINT32_MAX

/* Links nodes first .. first + n - 1 to a loop in the wanted direction. Returns the area, twice. */
static double link_loop(reyes_i_triangulator *t, uint32_t first, uint32_t n, int clockwise)
{
	reyes_i_node *a = t->nodes + first;
	double area = 0;
	uint32_t i;
	int turned;

	for (i = 0; i < n; i++) {
		const reyes_i_node *p = &a[i], *q = &a[(i + 1) % n];

		/* Relative to a vertex, for precision far from the origin. */
		area += (p->x - a->x) * (q->y - a->y) - (p->y - a->y) * (q->x - a->x);
	}
	turned = clockwise ? area > 0 : area < 0;
	for (i = 0; i < n; i++) {
		uint32_t after = first + (i + 1) % n, before = first + (i + n - 1) % n;

		a[i].next = turned ? before : after;
		a[i].previous = turned ? after : before;
	}
	return area;
}

static uint32_t rightmost(const reyes_i_triangulator *t, uint32_t first, uint32_t n)
{
	uint32_t i, best = first;

	for (i = first; i < first + n; i++)
		if (t->nodes[i].x > t->nodes[best].x ||
			(t->nodes[i].x == t->nodes[best].x && t->nodes[i].y < t->nodes[best].y))
			best = i;
	return best;
}

static int from_the_right(const void *left, const void *right)
{
	const reyes_i_hole *a = left, *b = right;

	if (a->x != b->x)
		return a->x > b->x ? -1 : 1;
	if (a->y != b->y)
		return a->y < b->y ? -1 : 1;
	return a->node < b->node ? -1 : 1;
}

/* Decides if the direction from node c to m leads into the inside of the polygon. */
static int leads_inside(const reyes_i_triangulator *t, const reyes_i_node *c, const reyes_i_node *m)
{
	const reyes_i_node *before = &t->nodes[c->previous], *after = &t->nodes[c->next];

	if (reyes_i_turn(before, c, after) > 0)
		return reyes_i_turn(c, after, m) >= 0 && reyes_i_turn(c, m, before) >= 0;
	return !(reyes_i_turn(c, before, m) > 0 && reyes_i_turn(c, m, after) > 0);
}

/* Finds the end of the first edge that the ray from m to the right meets; *at is the x of the
 * intersection. NONE: there is no edge, m is outside. */
static uint32_t first_edge(const reyes_i_triangulator *t, const reyes_i_node *m, double *at)
{
	uint32_t i = 0, found = NONE;

	*at = INFINITY;
	do {
		const reyes_i_node *p = &t->nodes[i], *q = &t->nodes[p->next];

		/* The inside is to the left of an edge: only edges upward can come first. */
		if (p->y <= m->y && m->y < q->y) {
			double x = p->y == m->y
					   ? p->x
					   : p->x + (q->x - p->x) * ((m->y - p->y) / (q->y - p->y));

			if (x >= m->x && x < *at) {
				*at = x;
				found = p->x > q->x || p->y == m->y ? i : p->next;
			}
		}
		i = p->next;
	} while (i != 0);
	return found;
}

/* Returns the node of the loop that sees m: the end of the first edge to the right, or the reflex
 * node between m and that edge with the least angle to the ray. */
static uint32_t visible_node(const reyes_i_triangulator *t, const reyes_i_node *m)
{
	double x, best_slope = INFINITY, best_distance = INFINITY;
	uint32_t end = first_edge(t, m, &x), best, i = 0;
	reyes_i_node corner[3];

	if (end == NONE)
		return NONE;
	best = end;
	corner[0] = *m;
	corner[1] = t->nodes[end];
	corner[2] = *m;
	corner[2].x = x;
	do {
		const reyes_i_node *c = &t->nodes[i];
		double dx = c->x - m->x, dy = fabs(c->y - m->y), slope, distance;

		if (dx >= 0 && c->x <= fmax(x, t->nodes[end].x)) {
			double a = reyes_i_turn(&corner[0], &corner[1], c);
			double b = reyes_i_turn(&corner[1], &corner[2], c);
			double d = reyes_i_turn(&corner[2], &corner[0], c);
			int inside = (a >= 0 && b >= 0 && d >= 0) || (a <= 0 && b <= 0 && d <= 0);

			slope = dx > 0 ? dy / dx : dy > 0 ? INFINITY : 0;
			distance = dx + dy;
			if (inside &&
				(slope < best_slope ||
					(slope == best_slope && distance < best_distance)) &&
				leads_inside(t, c, m)) {
				best = i;
				best_slope = slope;
				best_distance = distance;
			}
		}
		i = c->next;
	} while (i != 0);
	return best;
}

/* Adds a bridge between node a of the outer loop and node b of a hole: both nodes are doubled. */
static void add_bridge(reyes_i_triangulator *t, uint32_t a, uint32_t b, size_t *n)
{
	uint32_t a2 = (uint32_t)(*n)++, b2 = (uint32_t)(*n)++;

	t->nodes[a2] = t->nodes[a];
	t->nodes[b2] = t->nodes[b];
	t->nodes[t->nodes[a].next].previous = a2;
	t->nodes[t->nodes[b].previous].next = b2;
	t->nodes[a].next = b;
	t->nodes[b].previous = a;
	t->nodes[b2].next = a2;
	t->nodes[a2].previous = b2;
}

static void ignore_hole(reyes_i_triangulator *t, uint32_t node)
{
	uint32_t i = node;

	do {
		t->nodes[i].clipped = 1;
		i = t->nodes[i].next;
	} while (i != node);
	t->bad_holes++;
}

size_t reyes_i_join_loops(
	reyes_i_triangulator *t, const int32_t *counts, size_t loop_count, size_t *n)
{
	uint32_t first = (uint32_t)counts[0];
	size_t left = first, k, hole_count = loop_count - 1;
	reyes_i_hole *holes = t->holes;

	if (link_loop(t, 0, first, 0) == 0)
		return 0;
	if (!hole_count)
		return left;
	for (k = 1; k < loop_count; k++) {
		uint32_t count = (uint32_t)counts[k];

		link_loop(t, first, count, 1);
		holes[k - 1].node = rightmost(t, first, count);
		holes[k - 1].x = t->nodes[holes[k - 1].node].x;
		holes[k - 1].y = t->nodes[holes[k - 1].node].y;
		first += count;
	}
	qsort(holes, hole_count, sizeof(*holes), from_the_right);
	for (k = 0; k < hole_count; k++) {
		uint32_t seen = visible_node(t, &t->nodes[holes[k].node]), i = holes[k].node;

		if (seen == NONE) {
			ignore_hole(t, i);
			continue;
		}
		do {
			left++;
			i = t->nodes[i].next;
		} while (i != holes[k].node);
		left += 2;
		add_bridge(t, seen, holes[k].node, n);
	}
	return left;
}
