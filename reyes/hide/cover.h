/* Coverage of samples by triangles: integer edge functions on a grid of 1/256 pixel, with a rule
 * for samples on an edge: a sample on the edge between two triangles is in exactly one of them. Two
 * versions, with 32 bits for corners at most REYES_I_SMALL apart, and with 64 bits. */
#ifndef REYES_HIDE_COVER_H
#define REYES_HIDE_COVER_H

#include "reyes/hide/canvas.h"

typedef struct reyes_i_corner {
	int32_t x, y;
} reyes_i_corner;

/* Largest extent of a triangle, with the pixels that its box touches, for the version with 32
 * bits: 2 * 20,000^2 and the growth are below 2^31. In 1/256 pixel. */
#define REYES_I_SMALL 20000

/* An upper bound of the length of a vector. */
LSCHED_FN int32_t reyes_i_long(int32_t x, int32_t y)
{
	const int32_t a = x < 0 ? -x : x, b = y < 0 ? -y : y;

	return a > b ? a + b / 2 : b + a / 2;
}

typedef struct reyes_i_hit {
	float w[3];     /* barycentric coordinates of the corners, in the order given */
	uint32_t high;  /* 1: of the second triangle */
	uint32_t flags; /* REYES_I_HIT_* */
} reyes_i_hit;

/* Edge k is opposite to corner k: e(x, y) = x a + y b + c >= 0 inside and in the growth. The bias
 * of -1 excludes samples on the edge for one half of the directions: the neighbour's edge has the
 * opposite direction. */
#define REYES_I_DEFINE_COVER(suffix, type)                                                         \
	typedef struct reyes_i_triangle##suffix {                                                  \
		int32_t a[3], b[3];                                                                \
		type c[3], growth[3];                                                              \
		float inv_area;    /* 0: degenerate or seen from behind */                         \
		uint32_t positive; /* REYES_I_HIT_POSITIVE or 0 */                                 \
	} reyes_i_triangle##suffix;                                                                \
                                                                                                   \
	/* grow[k]: distance in 1/256 pixel by which edge k is moved outwards; side: the sign of \
	 * visible areas, 0: both */ \
	LSCHED_FN void reyes_i_triangle_set##suffix(reyes_i_triangle##suffix *t,                   \
		reyes_i_corner p0, reyes_i_corner p1, reyes_i_corner p2, int32_t grow0,            \
		int32_t grow1, int32_t grow2, int32_t side)                                        \
	{                                                                                          \
		const reyes_i_corner p[3] = { p0, p1, p2 };                                        \
		const int32_t grow[3] = { grow0, grow1, grow2 };                                   \
		const type area =                                                                  \
			(type)(p1.x - p0.x) * (p2.y - p0.y) - (type)(p1.y - p0.y) * (p2.x - p0.x); \
                                                                                                   \
		t->inv_area = area == 0 || (side != 0 && (area > 0) != (side > 0))                 \
				      ? 0                                                          \
				      : 1.0f / (float)(area < 0 ? -area : area);                   \
		t->positive = area > 0 ? REYES_I_HIT_POSITIVE : 0;                                 \
		LSCHED_UNROLL                                                                      \
		for (int k = 0; k < 3; k++) {                                                      \
			const reyes_i_corner from = p[(k + 1) % 3], to = p[(k + 2) % 3];           \
			const int32_t dx = area > 0 ? from.x - to.x : to.x - from.x;               \
			const int32_t dy = area > 0 ? from.y - to.y : to.y - from.y;               \
                                                                                                   \
			t->a[k] = dy;                                                              \
			t->b[k] = -dx;                                                             \
			t->growth[k] = grow[k] ? (type)grow[k] * reyes_i_long(dx, dy) : 0;         \
			t->c[k] = (type)from.y * dx - (type)from.x * dy + t->growth[k] -           \
				  (dy > 0 || (dy == 0 && dx > 0) ? 0 : 1);                         \
		}                                                                                  \
	}                                                                                          \
                                                                                                   \
	/* Tests a sample. */                                                                      \
	LSCHED_FN int reyes_i_triangle_has##suffix(                                                \
		const reyes_i_triangle##suffix *t, type x, type y)                                 \
	{                                                                                          \
		return ((x * t->a[0] + y * t->b[0] + t->c[0]) |                                    \
			       (x * t->a[1] + y * t->b[1] + t->c[1]) |                             \
			       (x * t->a[2] + y * t->b[2] + t->c[2])) >= 0;                        \
	}                                                                                          \
                                                                                                   \
	/* Tests a sample against two triangles; the first one has precedence. Returns 0, \
	 * or 1 with *hit. Lanes take one path whichever triangle is hit. */        \
	LSCHED_FN int reyes_i_pair_hit##suffix(                                                    \
		const reyes_i_triangle##suffix t[2], type x, type y, reyes_i_hit *hit)             \
	{                                                                                          \
		const type a0 = x * t[0].a[0] + y * t[0].b[0] + t[0].c[0];                         \
		const type a1 = x * t[0].a[1] + y * t[0].b[1] + t[0].c[1];                         \
		const type a2 = x * t[0].a[2] + y * t[0].b[2] + t[0].c[2];                         \
		const type b0 = x * t[1].a[0] + y * t[1].b[0] + t[1].c[0];                         \
		const type b1 = x * t[1].a[1] + y * t[1].b[1] + t[1].c[1];                         \
		const type b2 = x * t[1].a[2] + y * t[1].b[2] + t[1].c[2];                         \
		const int in_a = (a0 | a1 | a2) >= 0 && t[0].inv_area != 0;                        \
		const int in_b = (b0 | b1 | b2) >= 0 && t[1].inv_area != 0;                        \
		const type g0 = in_a ? t[0].growth[0] : t[1].growth[0];                            \
		const type g1 = in_a ? t[0].growth[1] : t[1].growth[1];                            \
		const type g2 = in_a ? t[0].growth[2] : t[1].growth[2];                            \
		const type e0 = (in_a ? a0 : b0) - g0, e1 = (in_a ? a1 : b1) - g1;                 \
		const type e2 = (in_a ? a2 : b2) - g2;                                             \
		const float inv_area = in_a ? t[0].inv_area : t[1].inv_area;                       \
                                                                                                   \
		if (!in_a && !in_b)                                                                \
			return 0;                                                                  \
		hit->high = !in_a;                                                                 \
		hit->flags =                                                                       \
			(in_a ? t[0].positive : t[1].positive) | (e0 < 0 || e1 < 0 || e2 < 0);     \
		hit->w[0] = (float)e0 * inv_area;                                                  \
		hit->w[1] = (float)e1 * inv_area;                                                  \
		hit->w[2] = (float)e2 * inv_area;                                                  \
		return 1;                                                                          \
	}

REYES_I_DEFINE_COVER(, int32_t)
REYES_I_DEFINE_COVER(_large, int64_t)

#endif
