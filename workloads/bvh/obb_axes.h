/* The axes of an oriented box from the sums of its corners: the rotations of Jacobi's method on
 * integers of 32 bits with products of 64, angles and vectors as multiples of 2^-30. Compiled for
 * CPU and GPU.
 *
 * Where the last bits do not matter, numbers are floats: roots, quotients, conversions and products
 * are rounded by IEEE 754 everywhere, and no product has another number added, so that no compiler
 * can contract the two; nor is a product doubled, which compilers do by adding it to itself. */
#ifndef WORKLOADS_BVH_OBB_AXES_H
#define WORKLOADS_BVH_OBB_AXES_H

#include <math.h>
#include <string.h>
#include "workloads/bvh/obb.h"

enum {
	OBB_BITS = 30,   /* behind the point of a vector */
	OBB_TOP = 27,    /* the highest bit of the covariance */
	OBB_SWEEPS = 6,  /* at most; three are usual */
	OBB_ENOUGH = 17, /* a rotation by less than 2^-18 changes no rounded axis much */
};

/* A symmetric matrix and its rotation. off[k]: of both axes that are not k.
 *
 * The covariance has no entry beyond 2^28 + 32 (what floats round), so its norm, the root of the
 * sum of the squares of its nine entries, is below 3 * 2^28 + 96. A rotation keeps it but for
 * rounding, 2^-27 of it and a unit an entry: 18 rotations stay below 1.001 * 3 * 2^28. Twice an
 * entry off the diagonal, and the difference of two on it, are at most the root of two times the
 * norm: less than 2^31. */
typedef struct obb_matrix {
	int32_t on[3], off[3], v[3][3]; /* v: axes, at most 1.001 * 2^30 */
} obb_matrix;

/* a b + c in 64 bits. GPUs have one instruction for it, which nvcc does not find where several
 * products have a factor in common. */
LSCHED_FN int64_t obb_wide(int32_t a, int32_t b, int64_t c)
{
#if defined(__NVCC__) && defined(__CUDA_ARCH__)
	int64_t v;

	asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(v) : "r"(a), "r"(b), "l"(c));
	return v;
#else
	return (int64_t)a * b + c;
#endif
}

/* (a b + c d) 2^-30, rounded down; shifts of negative numbers are arithmetic in all compilers of
 * this text. */
LSCHED_FN int32_t obb_products(int32_t a, int32_t b, int32_t c, int32_t d)
{
	return (int32_t)(obb_wide(a, b, obb_wide(c, d, 0)) >> OBB_BITS);
}

LSCHED_FN int32_t obb_product(int32_t a, int32_t b)
{
	return (int32_t)(obb_wide(a, b, 0) >> OBB_BITS);
}

/* The cosine of the angle with a tangent of 0 to 1, within 2^-28: a rotation must not change
 * lengths. y = 1 / sqrt(1 + t t): a polynomial within 0.4 %, then twice Newton's method,
 * y (3 - (1 + t t) y y) / 2. */
LSCHED_FN int32_t obb_cosine(int32_t tangent)
{
	const int32_t one = 1 << OBB_BITS, u = obb_product(tangent, tangent);
	const int32_t half = one / 2 + u / 2;
	int32_t y = 1070319078 + obb_product(u, obb_product(u, 158577594) - 467226467);

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 2; k++)
		y = obb_product(y, one + one / 2 - obb_product(half, obb_product(y, y)));
	return y;
}

/* The highest bit of v > 0. */
LSCHED_FN uint32_t obb_top_bit(uint64_t v)
{
#if defined(__NVCC__) && defined(__CUDA_ARCH__)
	return 63u - (uint32_t)__clzll((long long)v);
#else
	return 63u - (uint32_t)__builtin_clzll(v);
#endif
}

/* The float 2^power, -126 <= power <= 127. */
LSCHED_FN float obb_power(int32_t power)
{
	const uint32_t bits = (uint32_t)(127 + power) << 23;
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* The covariance of n corners, scaled so that the largest variance has about OBB_TOP + 1 bits.
 * Returns 0 if all corners are equal.
 *
 * The second moments about a point of the grid next to the mean are exact: n < 2^30, coordinates
 * have 15 bits and a sign, so nothing exceeds 2^62; no mixed moment exceeds the largest one of an
 * axis. That point is at most 0.51 from the mean in each coordinate, and steps are integers, so
 * what moments about the mean have less, rest x rest / n, is at most 0.51 of an axis' own: floats
 * lose three bits of 24. */
LSCHED_FN int obb_covariance(const obb_sums *s, obb_matrix *m)
{
	const int32_t n = 3 * (int32_t)(s->end - s->first);
	const float inverse = 1.0f / (float)n;
	int32_t mean[3], rest[3];
	int64_t moment[6], most = 0;
	float scale;
	uint32_t top;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const int32_t fourfold = (int32_t)((float)s->sum[k] * inverse * 4);

		mean[k] = (fourfold + 2 - (fourfold < 0)) >> 2;
		rest[k] = (int32_t)(s->sum[k] - obb_wide(mean[k], n, 0));
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++) {
		const uint32_t i = k < 3 ? k : k < 5 ? 0 : 1, j = k < 3 ? k : k < 4 ? 1 : 2;

		moment[k] = obb_wide(-mean[j], rest[i], s->product[k]) - mean[i] * s->sum[j];
		if (k < 3)
			most = moment[k] > most ? moment[k] : most;
	}
	if (most <= 0)
		return 0;
	top = obb_top_bit((uint64_t)most);
	scale = inverse * obb_power(OBB_TOP - (int32_t)top);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++) {
		const uint32_t i = k < 3 ? k : k < 5 ? 0 : 1, j = k < 3 ? k : k < 4 ? 1 : 2;
		const int32_t high = (int32_t)((uint64_t)moment[k] << (62 - top) >> 32);
		const int32_t v = (high >> (30 - OBB_TOP)) -
				  (int32_t)((float)rest[i] * scale * (float)rest[j]);

		if (k < 3)
			m->on[k] = v;
		else
			m->off[5 - k] = v;
	}
	return 1;
}

/* Rotates axes p and q so that the entry of both becomes zero; r: the third one. Returns 0 if it
 * was as good as zero. The three are constants. */
LSCHED_FN int obb_rotate(obb_matrix *m, uint32_t p, uint32_t q, uint32_t r)
{
	const int32_t d = m->on[q] - m->on[p], e = 2 * m->off[r];
	const int32_t gap = d < 0 ? -d : d, size = e < 0 ? -e : e;
	int32_t tangent, cosine, sine, change, x, y;
	float root;

	if (size <= gap >> OBB_ENOUGH)
		return 0;
	/* of the smaller angle; the float of a tangent of 1 may be more by 2^-23 */
	root = sqrtf((float)obb_wide(d, d, obb_wide(e, e, 0)));
	tangent = (int32_t)((float)size / ((float)gap + root) * (float)(1 << OBB_BITS));
	cosine = obb_cosine(tangent);
	tangent = (d < 0) != (e < 0) ? -tangent : tangent;
	sine = obb_product(tangent, cosine);
	change = obb_product(tangent, m->off[r]);
	m->on[p] -= change;
	m->on[q] += change;
	m->off[r] = 0;
	x = m->off[q];
	y = m->off[p];
	m->off[q] = obb_products(cosine, x, -sine, y);
	m->off[p] = obb_products(sine, x, cosine, y);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		x = m->v[p][k];
		y = m->v[q][k];
		m->v[p][k] = obb_products(cosine, x, -sine, y);
		m->v[q][k] = obb_products(sine, x, cosine, y);
	}
	return 1;
}

/* Renames the axes: 1 becomes 0, 2 becomes 1, 0 becomes 2. */
LSCHED_FN void obb_turn(obb_matrix *m)
{
	const obb_matrix was = *m;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const uint32_t from = (k + 1) % 3;

		m->on[k] = was.on[from];
		m->off[k] = was.off[from];
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 3; j++)
			m->v[k][j] = was.v[from][j];
	}
}

/* The principal axes, OBB_UNIT long. */
LSCHED_FN void obb_axes(const obb_sums *s, int32_t axis[3][3])
{
	const int32_t one = 1 << OBB_BITS;
	obb_matrix m = { { 0, 0, 0 }, { 0, 0, 0 },
		{ { one, 0, 0 }, { 0, one, 0 }, { 0, 0, one } } };
	int more = obb_covariance(s, &m);

	LSCHED_NO_UNROLL
	for (uint32_t sweep = 0; more && sweep < OBB_SWEEPS; sweep++) {
		more = 0;
		/* one text of a rotation: three would not fit into the cache of instructions */
		LSCHED_NO_UNROLL
		for (uint32_t k = 0; k < 3; k++) {
			more |= obb_rotate(&m, 0, 1, 2);
			obb_turn(&m);
		}
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 9; k++)
		axis[k / 3][k % 3] = (int32_t)(obb_wide(m.v[k / 3][k % 3], OBB_UNIT,
						       INT64_C(1) << (OBB_BITS - 1)) >>
					       OBB_BITS);
}

/* The box of a node or leaf along given axes, by one thread. */
LSCHED_FN void obb_fit_along(const obb_ctx *c, uint32_t at, const int32_t axis[3][3])
{
	const obb_sums *s = &c->sums[at];
	obb_extent e = obb_no_extent();

	for (uint32_t i = s->first; i < s->end; i++)
		obb_extend(&e, axis, &c->corners[i]);
	c->box[at] = obb_finish(s->word, axis, e);
}

/* Fits the box of a node or leaf whose sums are known, by one thread. */
LSCHED_FN void obb_fit(const obb_ctx *c, uint32_t at)
{
	int32_t axis[3][3];

	obb_axes(&c->sums[at], axis);
	obb_fit_along(c, at, axis);
}

#endif
