/* Oriented boxes of the nodes and leaves of a tree of collide/bvh (Lauterbach, Mo, Manocha 2009:
 * axis-aligned splits, then a box is fitted to the triangles of each node by principal components).
 * Compiled for CPU and GPU.
 *
 * Integers throughout, so that neither the schedule nor the backend changes a bit: corners are
 * rounded to a grid of 16 bits over the scene, and a node has the sums of its corners' coordinates
 * and of their products, which add up from its children. Their covariance gives the axes
 * (obb_axes.h), a pass over the node's triangles the extents.
 *
 * The box of a node is the set of points p with lo[k] <= axis[k] . g(p) <= hi[k], k = 0 .. 2, where
 * g(p) = (p - least corner of the scene) * scale - 32768, a real number in each coordinate, and
 * scale = 65535 / longest side of the scene. It contains all corners exactly: lo and hi include
 * half a step of the grid in each coordinate, and are tight but for that. An axis has length
 * OBB_UNIT, each component rounded once. Where the fitted box has no less area than the
 * axis-aligned one (both rounded up to 1/16384 of a step), the latter is taken. */
#ifndef WORKLOADS_BVH_OBB_H
#define WORKLOADS_BVH_OBB_H

#include "collide/bvh/bins.h"

enum { OBB_UNIT = 32767 };

/* A triangle: [corner][axis], finite. */
typedef struct obb_triangle {
	float at[3][3];
} obb_triangle;

/* The same on the grid, -32768 .. 32767. */
typedef struct obb_corners {
	int16_t at[3][3], pad;
} __attribute__((aligned(4))) obb_corners;

typedef struct obb_frame {
	double lo[3], scale;
} obb_frame;

/* Of the corners of a node or leaf. */
typedef struct obb_sums {
	int64_t sum[3], product[6]; /* xx, yy, zz, xy, xz, yz */
	uint32_t word[3];           /* their bounds, as of bvh_record */
	uint32_t first, end;        /* positions of the triangles */
} obb_sums;

typedef struct obb_box {
	int16_t axis[3][3];
	uint16_t is_oriented; /* 0: axis-aligned */
	int32_t lo[3], hi[3];
} obb_box;

typedef struct obb_extent {
	int32_t lo[3], hi[3];
} obb_extent;

/* Zero before each execution. */
typedef struct obb_counts {
	uint32_t moved;        /* refit: triangles in leaves that have their boxes */
	uint32_t nodes, parts; /* in `list` */
	uint32_t done;         /* nodes or parts, in a step of obb_upper.h */
} obb_counts;

typedef struct obb_ctx {
	bvh_ctx tree;
	const obb_triangle *triangle; /* [n] whose boxes are tree.box */
	obb_corners *corners;         /* [n] by position */
	obb_sums *sums;    /* [2 n] obb_at; a block sets those of parts and of nodes above them */
	obb_box *box;      /* [2 n] obb_at */
	uint32_t *arrived; /* [n] children with their sums, modulo 2; zero at first */
	uint32_t *list;    /* [2 n] nodes above parts; from n on, links of parts */
	obb_counts *counts;
} obb_ctx;

/* The entry of a node or leaf: those of a subtree follow one another. */
LSCHED_FN uint32_t obb_at(uint32_t name)
{
	return name & BVH_LEAF ? (name & ~BVH_LEAF) * 2 : name * 2 - 1;
}

/* Every leaf but the first one begins at the position that names a node. */
LSCHED_FN int obb_is_leaf(const obb_ctx *c, uint32_t position)
{
	return c->tree.leaf[position].count != 0;
}

/* The grid, when the bounds of the scene are known. One rounding for each operation: no sum of
 * products that a compiler might contract. */
LSCHED_FN obb_frame obb_make_frame(const obb_ctx *c)
{
	double most = 0;
	obb_frame f;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const uint32_t lo = lsched_ld(&c->tree.top->bounds.key[k], rlx, dev);
		const uint32_t hi = lsched_ld(&c->tree.top->bounds.key[k + 3], rlx, dev);
		double extent;

		f.lo[k] = (double)bvh_unkey(~lo);
		extent = (double)bvh_unkey(hi) - f.lo[k];
		most = extent > most ? extent : most;
	}
	f.scale = most > 0 ? 65535.0 / most : 0;
	return f;
}

/* Rounds to the nearest step, halves up; what is no number is the least one. The product by four is
 * exact; one by two may become a sum, which is contracted with the product before it. */
LSCHED_FN int32_t obb_round(double v)
{
	const uint32_t fourfold = v > 0 ? v < 65535.0 ? (uint32_t)(v * 4) : 262140u : 0u;

	return (int32_t)((fourfold + 2) >> 2) - 32768;
}

/* Rounds the corners of a triangle, and adds them to *s. */
LSCHED_FN void obb_add_triangle(
	obb_sums *s, obb_corners *g, const obb_frame *f, const obb_triangle *t)
{
	g->pad = 0;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		uint32_t at[3], word[3];
		int32_t v[3];

		LSCHED_UNROLL
		for (uint32_t j = 0; j < 3; j++) {
			v[j] = obb_round(((double)t->at[k][j] - f->lo[j]) * f->scale);
			g->at[k][j] = (int16_t)v[j];
			at[j] = (uint32_t)(v[j] + 32768);
			s->sum[j] += v[j];
			s->product[j] += v[j] * v[j];
		}
		s->product[3] += v[0] * v[1];
		s->product[4] += v[0] * v[2];
		s->product[5] += v[1] * v[2];
		bvh_pack(word, at, at);
		bvh_extend(s->word, word);
	}
}

/* Rounds the corners of a leaf's triangles and adds them up. */
LSCHED_FN void obb_leaf_sums(const obb_ctx *c, const obb_frame *f, uint32_t first)
{
	const uint32_t end = first + c->tree.leaf[first].count;
	obb_sums s = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, first, end };

	for (uint32_t i = first; i < end; i++) {
		obb_corners g;

		obb_add_triangle(&s, &g, f, &c->triangle[c->tree.order[i]]);
		c->corners[i] = g;
	}
	c->sums[obb_at(first | BVH_LEAF)] = s;
}

/* Both children of a node have their sums: makes the node's. */
LSCHED_FN void obb_unite(const obb_ctx *c, uint32_t node)
{
	const uint32_t *child = c->tree.node[node].child;
	const obb_sums *right;
	obb_sums s;

	s = c->sums[obb_at(child[0])];
	right = &c->sums[obb_at(child[1])];
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		s.sum[k] += right->sum[k];
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		s.product[k] += right->product[k];
	bvh_extend(s.word, right->word);
	s.end = right->end;
	c->sums[obb_at(node)] = s;
}

/* A child of the node has its sums. The second one makes the node's: returns 1. */
LSCHED_FN int obb_arrive(const obb_ctx *c, uint32_t node)
{
	if (!(lsched_add(&c->arrived[node], 1u, ar, dev) & 1u))
		return 0;
	obb_unite(c, node);
	return 1;
}

/* The sums of a leaf are known: those of nodes above it. */
LSCHED_FN void obb_climb(const obb_ctx *c, uint32_t link)
{
	while (link != BVH_NONE && obb_arrive(c, link >> 1))
		link = c->tree.up[link >> 1];
}

LSCHED_FN void obb_load_axes(int32_t axis[3][3], const int16_t from[3][3])
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 9; k++)
		axis[k / 3][k % 3] = from[k / 3][k % 3];
}

LSCHED_FN void obb_store_axes(int16_t to[3][3], const int32_t axis[3][3])
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 9; k++)
		to[k / 3][k % 3] = (int16_t)axis[k / 3][k % 3];
}

LSCHED_FN obb_extent obb_no_extent(void)
{
	const int32_t most = 0x7fffffff;
	const obb_extent e = { { most, most, most }, { -most, -most, -most } };

	return e;
}

/* An extent as keys that grow. */
LSCHED_FN uint32_t obb_key(const obb_extent *e, uint32_t k)
{
	return k < 3 ? ~((uint32_t)e->lo[k % 3] ^ 0x80000000u)
		     : (uint32_t)e->hi[k % 3] ^ 0x80000000u;
}

LSCHED_FN void obb_set_key(obb_extent *e, uint32_t k, uint32_t key)
{
	if (k < 3)
		e->lo[k % 3] = (int32_t)(~key ^ 0x80000000u);
	else
		e->hi[k % 3] = (int32_t)(key ^ 0x80000000u);
}

/* Extends to a triangle's corners. Sums fit: an axis is at most 32768 long, a corner 56756 from
 * the origin. */
LSCHED_FN void obb_extend(obb_extent *e, const int32_t axis[3][3], const obb_corners *g)
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const int32_t a = axis[k][0], b = axis[k][1], c = axis[k][2];
		const int32_t u = a * g->at[0][0] + b * g->at[0][1] + c * g->at[0][2];
		const int32_t v = a * g->at[1][0] + b * g->at[1][1] + c * g->at[1][2];
		const int32_t w = a * g->at[2][0] + b * g->at[2][1] + c * g->at[2][2];
		const int32_t lo = u < v ? u : v, hi = u > v ? u : v;
		const int32_t least = lo < w ? lo : w, most = hi > w ? hi : w;

		e->lo[k] = least < e->lo[k] ? least : e->lo[k];
		e->hi[k] = most > e->hi[k] ? most : e->hi[k];
	}
}

/* Half a step of the grid in each coordinate, along an axis, rounded up. */
LSCHED_FN int32_t obb_margin(const int32_t axis[3])
{
	const int32_t x = axis[0] < 0 ? -axis[0] : axis[0], y = axis[1] < 0 ? -axis[1] : axis[1];

	return (x + y + (axis[2] < 0 ? -axis[2] : axis[2])) / 2 + 1;
}

/* Half the surface, in units of (2 / OBB_UNIT)^2 steps. Ends are within 56756 x 32768 and a margin,
 * so that a side has 32 bits, half of it 31. */
LSCHED_FN uint64_t obb_area(const obb_extent *e)
{
	uint32_t side[3];

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		side[k] = ((uint32_t)e->hi[k] - (uint32_t)e->lo[k] + 1) >> 1;
	return (uint64_t)side[0] * side[1] + (uint64_t)side[1] * side[2] +
	       (uint64_t)side[2] * side[0];
}

/* The box of a node whose extents along its axes are known; word: as of its sums. */
LSCHED_FN obb_box obb_finish(const uint32_t word[3], const int32_t axis[3][3], obb_extent fitted)
{
	const int32_t margin = OBB_UNIT / 2 + 1;
	obb_extent plain;
	obb_box b;

	/* a bvh_lo of the grid is 32768 more than the coordinate */
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const int32_t m = obb_margin(axis[k]);

		fitted.lo[k] -= m;
		fitted.hi[k] += m;
		plain.lo[k] = ((int32_t)bvh_lo(word, k) - 32768) * OBB_UNIT - margin;
		plain.hi[k] = ((int32_t)bvh_hi(word, k) - 32768) * OBB_UNIT + margin;
	}
	b.is_oriented = obb_area(&fitted) < obb_area(&plain);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		b.lo[k] = b.is_oriented ? fitted.lo[k] : plain.lo[k];
		b.hi[k] = b.is_oriented ? fitted.hi[k] : plain.hi[k];
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 9; k++) {
		const int32_t same = k % 4 == 0 ? OBB_UNIT : 0;

		b.axis[k / 3][k % 3] = (int16_t)(b.is_oriented ? axis[k / 3][k % 3] : same);
	}
	return b;
}

#endif
