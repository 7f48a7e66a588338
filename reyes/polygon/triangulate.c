/* Triangulation of polygons with holes: ear clipping. Bridges connect the holes with the outer
 * loop (triangulate_holes.c). A grid finds the reflex vertices inside of an ear. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reyes/polygon/triangulate.h"
#include "reyes/polygon/triangulate_node.h"

#define NONE        UINT32_MAX
#define REPETITIONS 64 /* bounds the time for loops that intersect themselves */

/* Enlarges the array to which *list points. */
static int reserve(void *list, size_t *room, size_t n, size_t element_bytes)
{
	void *old, *grown;

	if (n <= *room)
		return 1;
	memcpy(&old, list, sizeof(old));
	n += n / 2;
	grown = n <= SIZE_MAX / 2 / element_bytes ? realloc(old, n * element_bytes) : NULL;
	if (!grown)
		return 0;
	memcpy(list, &grown, sizeof(grown));
	*room = n;
	return 1;
}

void reyes_i_triangulator_free(reyes_i_triangulator *t)
{
	free(t->nodes);
	free(t->queue);
	free(t->holes);
	free(t->cells);
	free(t->triangles);
	memset(t, 0, sizeof(*t));
}

static uint32_t column_of(const reyes_i_triangulator *t, double x)
{
	double c = (x - t->x0) / t->cell_width;

	return c <= 0 ? 0 : c >= t->columns - 1 ? t->columns - 1 : (uint32_t)c;
}

static uint32_t row_of(const reyes_i_triangulator *t, double y)
{
	double r = (y - t->y0) / t->cell_height;

	return r <= 0 ? 0 : r >= t->rows - 1 ? t->rows - 1 : (uint32_t)r;
}

/* Makes a grid with about one cell for each node. */
static int make_grid(reyes_i_triangulator *t, size_t n)
{
	double x1 = t->nodes[0].x, y1 = t->nodes[0].y, width, height;
	uint32_t side = (uint32_t)sqrt((double)n) + 1;
	size_t i;

	t->x0 = x1;
	t->y0 = y1;
	for (i = 1; i < n; i++) {
		t->x0 = fmin(t->x0, t->nodes[i].x);
		t->y0 = fmin(t->y0, t->nodes[i].y);
		x1 = fmax(x1, t->nodes[i].x);
		y1 = fmax(y1, t->nodes[i].y);
	}
	width = x1 - t->x0;
	height = y1 - t->y0;
	t->columns = t->rows = side;
	t->cell_width = width > 0 ? width / side : 1;
	t->cell_height = height > 0 ? height / side : 1;
	if (!reserve(&t->cells, &t->cell_room, (size_t)side * side, sizeof(*t->cells)))
		return 0;
	memset(t->cells, 0xff, (size_t)side * side * sizeof(*t->cells));
	return 1;
}

/* A vertex that is not strictly convex can lie in an ear. */
static void list_reflex(reyes_i_triangulator *t, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		reyes_i_node *a = &t->nodes[i];
		uint32_t *cell;

		if (a->clipped)
			continue;
		a->listed = reyes_i_turn(&t->nodes[a->previous], a, &t->nodes[a->next]) <= 0;
		if (!a->listed)
			continue;
		cell = &t->cells[(size_t)row_of(t, a->y) * t->columns + column_of(t, a->x)];
		a->cell_next = *cell;
		*cell = (uint32_t)i;
	}
}

/* Decides if the direction from the corner `at` to q points into the open wedge between the
 * directions to `from` and, counterclockwise of it, `to`; the wedge is convex. */
static int in_wedge(const reyes_i_node *at, const reyes_i_node *from, const reyes_i_node *to,
	const reyes_i_node *q)
{
	return reyes_i_turn(at, from, q) > 0 && reyes_i_turn(at, q, to) > 0;
}

static int same_place(const reyes_i_node *a, const reyes_i_node *b)
{
	return a->x == b->x && a->y == b->y;
}

/* Decides if vertex p prevents that the triangle a b c is cut off. strict: 0 points on the
 * diagonal prevent it, too; 1 interior points only. */
static int blocks(const reyes_i_triangulator *t, const reyes_i_node *p,
	const reyes_i_node *const ear[3], int strict)
{
	const reyes_i_node *next = &t->nodes[p->next], *previous = &t->nodes[p->previous];
	double side[3];
	int k;

	for (k = 0; k < 3; k++) {
		const reyes_i_node *at = ear[k], *from = ear[(k + 1) % 3], *to = ear[(k + 2) % 3];

		if (p == at)
			return 0;
		if (same_place(p, at))
			return in_wedge(at, from, to, next) || in_wedge(at, from, to, previous);
	}
	for (k = 0; k < 3; k++) {
		side[k] = reyes_i_turn(ear[k], ear[(k + 1) % 3], p);
		if (side[k] < 0)
			return 0;
	}
	/* A vertex on one of the two edges matters if its own edges lead into the triangle. */
	for (k = 0; k < 2; k++)
		if (side[k] == 0 && reyes_i_turn(ear[k], ear[k + 1], next) <= 0 &&
			reyes_i_turn(ear[k], ear[k + 1], previous) <= 0)
			return 0;
	return !strict || side[2] > 0;
}

/* Widens [*lo, *hi] by the x of the part of a segment with y in [y0, y1]. */
static void clip_x(
	const reyes_i_node *p, const reyes_i_node *q, double y0, double y1, double *lo, double *hi)
{
	double ya = p->y, yb = q->y, xa = p->x, xb = q->x;
	int k;

	if (fmax(ya, yb) < y0 || fmin(ya, yb) > y1)
		return;
	for (k = 0; k < 2; k++) {
		double y = k ? yb : ya, x = k ? xb : xa, edge = y < y0 ? y0 : y > y1 ? y1 : y;

		if (edge != y)
			x = xa + (xb - xa) * ((edge - ya) / (yb - ya));
		*lo = fmin(*lo, x);
		*hi = fmax(*hi, x);
	}
}

/* Decides if no reflex vertex lies in the triangle. */
static int is_empty(const reyes_i_triangulator *t, const reyes_i_node *const ear[3], int strict)
{
	double low = fmin(ear[0]->y, fmin(ear[1]->y, ear[2]->y));
	double high = fmax(ear[0]->y, fmax(ear[1]->y, ear[2]->y));
	uint32_t row, last_row = row_of(t, high), column, last, i;

	for (row = row_of(t, low); row <= last_row; row++) {
		double y0 = t->y0 + row * t->cell_height, y1 = y0 + t->cell_height;
		double margin = t->cell_height * 1e-3, lo = INFINITY, hi = -INFINITY;
		int k;

		/* The border rows also hold what rounding puts outside of the box. */
		y0 = row == 0 ? -INFINITY : y0 - margin;
		y1 = row == t->rows - 1 ? INFINITY : y1 + margin;
		for (k = 0; k < 3; k++)
			clip_x(ear[k], ear[(k + 1) % 3], y0, y1, &lo, &hi);
		if (lo > hi)
			continue;
		last = column_of(t, hi + t->cell_width * 1e-3);
		column = column_of(t, lo - t->cell_width * 1e-3);
		for (; column <= last; column++)
			for (i = t->cells[(size_t)row * t->columns + column]; i != NONE;
				i = t->nodes[i].cell_next)
				if (t->nodes[i].listed && blocks(t, &t->nodes[i], ear, strict))
					return 0;
	}
	return 1;
}

static void add_triangle(reyes_i_triangulator *t, const reyes_i_node *const ear[3])
{
	int k;

	for (k = 0; k < 3; k++)
		t->triangles[t->triangle_count][k] = ear[k]->corner;
	t->triangle_count++;
}

/* A queue of the nodes that may be ears: each at most once. */
typedef struct waiting {
	size_t head, count, room;
} waiting;

static void enqueue(reyes_i_triangulator *t, waiting *w, uint32_t node)
{
	if (t->nodes[node].queued || t->nodes[node].clipped)
		return;
	t->nodes[node].queued = 1;
	t->queue[(w->head + w->count++) % w->room] = node;
}

/* Removes node b from its loop; the vertices beside it may have become convex. */
static void clip(reyes_i_triangulator *t, waiting *w, uint32_t b)
{
	uint32_t side[2] = { t->nodes[b].previous, t->nodes[b].next };
	int k;

	t->nodes[b].clipped = 1;
	t->nodes[b].listed = 0;
	t->nodes[side[0]].next = side[1];
	t->nodes[side[1]].previous = side[0];
	for (k = 0; k < 2; k++) {
		reyes_i_node *a = &t->nodes[side[k]];

		if (a->listed && reyes_i_turn(&t->nodes[a->previous], a, &t->nodes[a->next]) > 0)
			a->listed = 0;
		enqueue(t, w, side[k]);
	}
}

/* Tries to cut off the triangle at node b. level: 0 and 1 as in blocks; 2 also vertices without an
 * area, and strictly convex ones that are not empty, for loops that intersect themselves; 3 any
 * vertex. Returns 1 if the node is removed. */
static int try_ear(reyes_i_triangulator *t, waiting *w, uint32_t b, int level)
{
	const reyes_i_node *ear[3] = { &t->nodes[t->nodes[b].previous], &t->nodes[b],
		&t->nodes[t->nodes[b].next] };
	double turn = reyes_i_turn(ear[0], ear[1], ear[2]);

	if (turn > 0 && (level >= 2 || is_empty(t, ear, level)))
		add_triangle(t, ear);
	else if (!(level >= 2 && turn == 0) && level < 3)
		return 0;
	clip(t, w, b);
	return 1;
}

/* Cuts ears off a loop of `left` of the n nodes. After each one only its neighbours can become
 * ears, as long as the loop is simple; if the queue ends early, all remaining nodes are tried
 * again, less strictly. */
static void clip_ears(reyes_i_triangulator *t, size_t n, size_t left)
{
	waiting w = { 0, 0, n };
	uint32_t i, any = 0, repetitions = 0;
	int level = 0;

	for (i = 0; i < n; i++)
		enqueue(t, &w, i);
	while (left > 2) {
		uint32_t b;
		int removed;

		if (!w.count) {
			/* Here `any` is not clipped: the last node that was tried and stays. */
			level = repetitions++ < REPETITIONS ? level + 1 : 3;
			for (i = any, b = 0; b < left; b++, i = t->nodes[i].next)
				enqueue(t, &w, i);
		}
		b = t->queue[w.head];
		w.head = (w.head + 1) % w.room;
		w.count--;
		t->nodes[b].queued = 0;
		if (t->nodes[b].clipped)
			continue;
		removed = try_ear(t, &w, b, level);
		left -= (size_t)removed;
		any = removed ? t->nodes[b].next : b;
		if (removed && level)
			level = repetitions > REPETITIONS ? 3 : level > 1;
	}
}

static void make_nodes(reyes_i_triangulator *t, const double (*points)[2], size_t n)
{
	size_t i;

	memset(t->nodes, 0, n * sizeof(*t->nodes));
	for (i = 0; i < n; i++) {
		t->nodes[i].x = points[i][0];
		t->nodes[i].y = points[i][1];
		t->nodes[i].corner = (uint32_t)i;
	}
}

int reyes_i_triangulate(reyes_i_triangulator *t, const int32_t *counts, size_t loop_count,
	const double (*points)[2])
{
	size_t n = 0, left, k, room;

	t->triangle_count = t->bad_holes = 0;
	for (k = 0; k < loop_count; k++)
		n += (size_t)counts[k];
	room = n + 2 * loop_count;
	if (room >= NONE || !reserve(&t->nodes, &t->node_room, room, sizeof(*t->nodes)) ||
		!reserve(&t->holes, &t->hole_room, loop_count, sizeof(*t->holes)) ||
		!reserve(&t->queue, &t->queue_room, room, sizeof(*t->queue)) ||
		!reserve(&t->triangles, &t->triangle_room, room, sizeof(*t->triangles)))
		return 0;
	make_nodes(t, points, n);
	left = reyes_i_join_loops(t, counts, loop_count, &n);
	if (left < 3)
		return 1;
	if (!make_grid(t, n))
		return 0;
	list_reflex(t, n);
	clip_ears(t, n, left);
	return 1;
}
