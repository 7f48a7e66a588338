/* The axes of an oriented box from the sums of its corners, in integers: the rotations of Jacobi's
 * method, angles and vectors as multiples of 2^-30. Compiled for CPU and GPU. */
#ifndef WORKLOADS_BVH_OBB_AXES_H
#define WORKLOADS_BVH_OBB_AXES_H

#include <math.h>
#include "workloads/bvh/obb.h"

enum {
	OBB_BITS = 30,   /* behind the point of a vector */
	OBB_TOP = 28,    /* the highest bit of the covariance */
	OBB_SWEEPS = 6,  /* at most; three are usual */
	OBB_ENOUGH = 17, /* a rotation by less than 2^-17 changes no rounded axis much */
};

/* The root of v < 2^62, rounded down: exact, however sqrt() rounds, which is off by one at most. */
LSCHED_FN uint64_t obb_root(uint64_t v)
{
	uint64_t r = (uint64_t)sqrt((double)v);

	r -= r * r > v;
	r += (r + 1) * (r + 1) <= v;
	return r;
}

/* a / b rounded towards zero, |a| < 2^62, b > 0, quotients of less than 2^40: exact, since that of
 * the rounded numbers is off by one at most. */
LSCHED_FN int64_t obb_quotient(int64_t a, int64_t b)
{
	const int64_t size = a < 0 ? -a : a;
	int64_t q = (int64_t)((double)size / (double)b);
	const int64_t rest = size - q * b;

	q -= rest < 0;
	q += rest >= b;
	return a < 0 ? -q : q;
}

/* The same; GPUs have no division of integers. */
LSCHED_FN int64_t obb_divide(int64_t a, int64_t b)
{
#ifdef __CUDA_ARCH__
	return obb_quotient(a, b);
#else
	return a / b;
#endif
}

/* v * 2^-30, rounded; shifts of negative numbers are arithmetic in all compilers of this text. */
LSCHED_FN int64_t obb_scaled(int64_t v)
{
	return (v + (INT64_C(1) << (OBB_BITS - 1))) >> OBB_BITS;
}

LSCHED_FN int64_t obb_abs(int64_t v)
{
	return v < 0 ? -v : v;
}

/* The covariance of n corners: a = xx, yy, zz, xy, xz, yz, scaled so that the largest variance has
 * OBB_TOP + 1 bits. Returns 0 if all corners are equal. The means are split into integers and
 * rests, so that nothing exceeds 2^62: n < 2^30, coordinates have 15 bits and a sign. */
LSCHED_FN int obb_covariance(const obb_sums *s, int64_t a[6])
{
	const int64_t n = 3 * (int64_t)(s->end - s->first);
	int64_t mean[3], rest[3], most = 0;
	uint32_t bits = 0;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		mean[k] = obb_divide(s->sum[k], n);
		rest[k] = s->sum[k] - mean[k] * n;
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++) {
		const uint32_t i = k < 3 ? k : k < 5 ? 0 : 1, j = k < 3 ? k : k < 4 ? 1 : 2;

		a[k] = s->product[k] - mean[i] * s->sum[j] - mean[j] * s->sum[i] +
		       n * mean[i] * mean[j] - obb_divide(rest[i] * rest[j], n);
		if (k < 3)
			most = a[k] > most ? a[k] : most;
	}
	if (most <= 0)
		return 0;
	for (uint32_t step = 32; step; step /= 2)
		if (most >> step) {
			most >>= step;
			bits += step;
		}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		a[k] = bits > OBB_TOP ? a[k] >> (bits - OBB_TOP)
				      : a[k] * (INT64_C(1) << (OBB_TOP - bits));
	return 1;
}

/* Rotates axes p and q so that a[p][q] becomes zero; r: the third one. Returns 0 if it was as good
 * as zero. The three are constants. */
LSCHED_FN int obb_rotate(int64_t a[3][3], int64_t v[3][3], uint32_t p, uint32_t q, uint32_t r)
{
	const int64_t d = a[q][q] - a[p][p], e = 2 * a[p][q], one = INT64_C(1) << OBB_BITS;
	const int64_t size = obb_abs(e);
	int64_t tangent, cosine, sine, change, x, y;

	if (size == 0 || size <= obb_abs(d) >> OBB_ENOUGH)
		return 0;
	/* Of the smaller angle. The cosine is that of the rounded tangent: of small d and e it must
	 * be a rotation, too. */
	tangent = obb_divide(size * one, obb_abs(d) + (int64_t)obb_root((uint64_t)(d * d + e * e)));
	cosine =
		obb_divide(one * one, (int64_t)obb_root((uint64_t)(one * one + tangent * tangent)));
	sine = obb_scaled(tangent * cosine);
	if ((d < 0) != (e < 0)) {
		tangent = -tangent;
		sine = -sine;
	}
	change = obb_scaled(tangent * a[p][q]);
	a[p][p] -= change;
	a[q][q] += change;
	a[p][q] = a[q][p] = 0;
	x = a[r][p];
	y = a[r][q];
	a[r][p] = a[p][r] = obb_scaled(cosine * x - sine * y);
	a[r][q] = a[q][r] = obb_scaled(sine * x + cosine * y);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		x = v[p][k];
		y = v[q][k];
		v[p][k] = obb_scaled(cosine * x - sine * y);
		v[q][k] = obb_scaled(sine * x + cosine * y);
	}
	return 1;
}

/* The principal axes, OBB_UNIT long. */
LSCHED_FN void obb_axes(const obb_sums *s, int32_t axis[3][3])
{
	const int64_t one = INT64_C(1) << OBB_BITS;
	int64_t v[3][3] = { { one, 0, 0 }, { 0, one, 0 }, { 0, 0, one } }, c[6];
	int more = obb_covariance(s, c);
	int64_t a[3][3] = { { c[0], c[3], c[4] }, { c[3], c[1], c[5] }, { c[4], c[5], c[2] } };

	LSCHED_NO_UNROLL
	for (uint32_t sweep = 0; more && sweep < OBB_SWEEPS; sweep++) {
		more = obb_rotate(a, v, 0, 1, 2);
		more |= obb_rotate(a, v, 0, 2, 1);
		more |= obb_rotate(a, v, 1, 2, 0);
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 9; k++)
		axis[k / 3][k % 3] = (int32_t)obb_scaled(v[k / 3][k % 3] * OBB_UNIT);
}

/* The box of a node or leaf along given axes, by one thread. */
LSCHED_FN void obb_fit_along(const obb_ctx *c, uint32_t at, const int32_t axis[3][3])
{
	const obb_sums *s = &c->sums[at];
	obb_extent e = obb_no_extent();

	for (uint32_t i = s->first; i < s->end; i++)
		obb_extend(&e, axis, &c->corners[i]);
	c->box[at] = obb_finish(s, axis, e);
}

/* Fits the box of a node or leaf whose sums are known, by one thread. */
LSCHED_FN void obb_fit(const obb_ctx *c, uint32_t at)
{
	int32_t axis[3][3];

	obb_axes(&c->sums[at], axis);
	obb_fit_along(c, at, axis);
}

#endif
