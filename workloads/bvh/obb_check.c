/* Oriented boxes against their triangles, and against a fit by another method: the covariance in
 * floating point about the mean, its eigenvalues as roots of the characteristic polynomial, its
 * eigenvectors as cross products. */
#include "workloads/bvh/host.h"
#include "workloads/common/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The triangles of a node or leaf: `name` and positions first .. end - 1. */
typedef struct visit {
	uint32_t name, first, end;
} visit;

typedef struct checker {
	const obb_ctx *c;
	double (*at)[3]; /* corners on the grid, three a position, not rounded */
	double margin;   /* of an axis-aligned box, in steps */
	obb_facts sum;   /* area: of oriented nodes, leaves: of leaves */
	double area, leaves;
	uint64_t boxes;
	char *why;
	size_t n;
} checker;

/* Right angles but for the rounding of six components. */
#define WORST_DOT (2.0 * 0.8661 * 32768 + 1)

static double area_of(const double side[3])
{
	return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static int wrong(const checker *k, const visit *v, const char *what)
{
	return wl_fail(k->why, k->n, "the oriented box of %s %" PRIu32 " %s",
		v->name & BVH_LEAF ? "the leaf at position" : "node", v->name & ~BVH_LEAF, what);
}

/* The extent of the corners along an axis of any length, in steps times that length. */
static void extent(const checker *k, const visit *v, const double axis[3], double *lo, double *hi)
{
	*lo = INFINITY;
	*hi = -INFINITY;
	for (size_t i = 3 * (size_t)v->first; i < 3 * (size_t)v->end; i++) {
		const double at = dot(axis, k->at[i]);

		*lo = at < *lo ? at : *lo;
		*hi = at > *hi ? at : *hi;
	}
}

/* The box contains all corners and not much more, its axes are orthogonal; sets its sides in
 * steps. */
static int check_box(const checker *k, const visit *v, const obb_box *b, double side[3])
{
	double axis[3][3];

	for (int j = 0; j < 9; j++)
		axis[j / 3][j % 3] = b->axis[j / 3][j % 3];
	for (int j = 0; j < 3; j++) {
		const double sum = fabs(axis[j][0]) + fabs(axis[j][1]) + fabs(axis[j][2]);
		const double length = sqrt(dot(axis[j], axis[j]));
		double lo, hi;

		if (fabs(length - OBB_UNIT) > 0.8661 + 1e-3)
			return wrong(k, v, "has an axis that is no unit vector");
		if (fabs(dot(axis[j], axis[(j + 1) % 3])) > WORST_DOT)
			return wrong(k, v, "has axes that are not orthogonal");
		extent(k, v, axis[j], &lo, &hi);
		if (!(b->lo[j] <= lo && b->hi[j] >= hi))
			return wrong(k, v, "does not contain its triangles");
		/* half a step of rounding, and half a step of margin */
		if (!(b->lo[j] >= lo - sum - 2 && b->hi[j] <= hi + sum + 2))
			return wrong(k, v, "is too large");
		side[j] = ((double)b->hi[j] - b->lo[j]) / length;
	}
	return 0;
}

/* The sides of the axis-aligned box, with the rounding and the margin that the others have. */
static double plain_area(const checker *k, const visit *v)
{
	double side[3];

	for (int j = 0; j < 3; j++) {
		const double axis[3] = { j == 0, j == 1, j == 2 };
		double lo, hi;

		extent(k, v, axis, &lo, &hi);
		side[j] = floor(hi + 0.5) - floor(lo + 0.5) + 2 * k->margin;
	}
	return area_of(side);
}

/* Eigenvalues of a symmetric matrix (xx, yy, zz, xy, xz, yz), descending. */
static void eigenvalues(const double m[6], double value[3])
{
	const double third = (m[0] + m[1] + m[2]) / 3;
	const double a = m[0] - third, b = m[1] - third, c = m[2] - third;
	const double off = m[3] * m[3] + m[4] * m[4] + m[5] * m[5];
	const double p = sqrt((a * a + b * b + c * c + 2 * off) / 6);
	const double det = a * (b * c - m[5] * m[5]) - m[3] * (m[3] * c - m[5] * m[4]) +
			   m[4] * (m[3] * m[5] - b * m[4]);
	double r = p > 0 ? det / (2 * p * p * p) : 0, angle;

	r = r < -1 ? -1 : r > 1 ? 1 : r;
	angle = acos(r) / 3;
	value[0] = third + 2 * p * cos(angle);
	value[2] = third + 2 * p * cos(angle + 2.0943951023931953);
	value[1] = 3 * third - value[0] - value[2];
}

static void cross(const double a[3], const double b[3], double r[3])
{
	r[0] = a[1] * b[2] - a[2] * b[1];
	r[1] = a[2] * b[0] - a[0] * b[2];
	r[2] = a[0] * b[1] - a[1] * b[0];
}

/* The unit eigenvector of a simple eigenvalue: the largest cross product of two rows of m - value.
 */
static void eigenvector(const double m[6], double value, double vector[3])
{
	const double row[3][3] = { { m[0] - value, m[3], m[4] }, { m[3], m[1] - value, m[5] },
		{ m[4], m[5], m[2] - value } };
	double most = 0;

	for (int k = 0; k < 3; k++) {
		double r[3], size;

		cross(row[k], row[(k + 1) % 3], r);
		size = dot(r, r);
		if (size <= most)
			continue;
		most = size;
		for (int j = 0; j < 3; j++)
			vector[j] = r[j] / sqrt(size);
	}
}

/* The covariance of the corners. */
static void covariance(const checker *k, const visit *v, double m[6])
{
	const double n = 3.0 * (v->end - v->first);
	double mean[3] = { 0, 0, 0 };

	memset(m, 0, 6 * sizeof(*m));
	for (size_t i = 3 * (size_t)v->first; i < 3 * (size_t)v->end; i++)
		for (int j = 0; j < 3; j++)
			mean[j] += k->at[i][j] / n;
	for (size_t i = 3 * (size_t)v->first; i < 3 * (size_t)v->end; i++) {
		const double x = k->at[i][0] - mean[0], y = k->at[i][1] - mean[1];
		const double z = k->at[i][2] - mean[2];
		const double p[6] = { x * x, y * y, z * z, x * y, x * z, y * z };

		for (int j = 0; j < 6; j++)
			m[j] += p[j] / n;
	}
}

/* The area of the box by the other method, with margins; 0: its axes are not unique, or the box is
 * so small that rounding changes them. */
static double other_area(const checker *k, const visit *v)
{
	double m[6], value[3], axis[3][3] = { { 0 } }, side[3];

	covariance(k, v, m);
	eigenvalues(m, value);
	if (!(value[1] > 400 && value[0] - value[1] > 0.2 * value[0] &&
		    value[1] - value[2] > 0.2 * value[0]))
		return 0;
	eigenvector(m, value[0], axis[0]);
	eigenvector(m, value[2], axis[2]);
	cross(axis[2], axis[0], axis[1]);
	for (int j = 0; j < 3; j++) {
		double lo, hi;

		extent(k, v, axis[j], &lo, &hi);
		side[j] = hi - lo + fabs(axis[j][0]) + fabs(axis[j][1]) + fabs(axis[j][2]);
	}
	return area_of(side);
}

static int check_one(checker *k, const visit *v)
{
	const obb_box *b = &k->c->box[obb_at(v->name)];
	const double plain = plain_area(k, v);
	double side[3] = { 0 }, area, other, most;

	if (check_box(k, v, b, side))
		return -1;
	area = area_of(side);
	if (area > plain * (1 + 2e-4))
		return wrong(k, v, "has more area than the axis-aligned one");
	other = other_area(k, v);
	/* rounding may change each side by one and a half steps */
	most = 0.03 * other + 3 * (side[0] + side[1] + side[2]);
	if (other > 0 && (area > other + most || (b->is_oriented && area < other - most)))
		return wrong(k, v, "is not that of its principal axes");
	if (v->name & BVH_LEAF) {
		k->sum.leaves += area;
		k->leaves += plain;
		k->sum.cost += area * (v->end - v->first);
	} else {
		k->sum.area += area;
		k->area += plain;
		k->sum.cost += area;
	}
	k->sum.oriented += b->is_oriented != 0;
	k->boxes++;
	return 0;
}

static int walk(checker *k, visit *stack)
{
	const bvh_ctx *t = &k->c->tree;
	uint32_t depth = 0;

	stack[depth++] = (visit){ t->top->root, 0, t->n };
	while (depth) {
		const visit v = stack[--depth];
		const bvh_node *node = &t->node[v.name];

		if (check_one(k, &v))
			return -1;
		if (v.name & BVH_LEAF)
			continue;
		stack[depth++] = (visit){ node->child[1], v.name, v.end };
		stack[depth++] = (visit){ node->child[0], v.first, v.name };
	}
	return 0;
}

/* Places corners on the grid. */
static void place(checker *k)
{
	const bvh_ctx *t = &k->c->tree;
	double lo[3] = { INFINITY, INFINITY, INFINITY }, most = 0;

	for (int axis = 0; axis < 3; axis++) {
		double hi = -INFINITY;

		for (size_t i = 0; i < 3 * (size_t)t->n; i++) {
			const double at = k->c->triangle[i / 3].at[i % 3][axis];

			lo[axis] = at < lo[axis] ? at : lo[axis];
			hi = at > hi ? at : hi;
		}
		most = hi - lo[axis] > most ? hi - lo[axis] : most;
	}
	for (size_t i = 0; i < 3 * (size_t)t->n; i++)
		for (int axis = 0; axis < 3; axis++) {
			const double at = k->c->triangle[t->order[i / 3]].at[i % 3][axis];

			k->at[i][axis] = most > 0 ? (at - lo[axis]) / most * 65535 - 32768 : -32768;
		}
}

int obb_check_boxes(const obb_ctx *c, obb_facts *f, char *why, size_t n)
{
	checker k = { .c = c, .margin = (OBB_UNIT / 2 + 1) / (double)OBB_UNIT, .why = why, .n = n };
	visit *stack;
	double root;
	int bad;

	memset(f, 0, sizeof(*f));
	if (c->tree.n == 0)
		return 0;
	k.at = malloc(3 * (size_t)c->tree.n * sizeof(*k.at));
	stack = malloc((2 * BVH_MAX_DEPTH + 4) * sizeof(*stack));
	if (!k.at || !stack) {
		free(k.at);
		free(stack);
		return wl_no_memory(3 * (size_t)c->tree.n * sizeof(*k.at), why, n);
	}
	place(&k);
	bad = walk(&k, stack);
	root = plain_area(&k, &(visit){ 0, 0, c->tree.n });
	*f = k.sum;
	f->cost /= root;
	f->area = k.area > 0 ? f->area / k.area : 1;
	f->leaves /= k.leaves;
	f->oriented /= (double)k.boxes;
	free(k.at);
	free(stack);
	return bad;
}

int obb_check_same(const obb_ctx *c, const obb_box *truth, char *why, size_t n)
{
	const size_t count = 2 * (size_t)c->tree.n;

	for (size_t i = 0; i < count; i++)
		if (memcmp(&c->box[i], &truth[i], sizeof(*truth)) != 0)
			return wl_fail(why, n,
				"the oriented box of %s %zu is not that of one thread",
				i % 2 ? "node" : "the leaf at position", (i + 1) / 2);
	return 0;
}
