/* Boxes of 16 bits a coordinate, in which the construction decides: integers, so that CPU and GPU
 * make the same tree. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_BOXES_H
#define COLLIDE_BVH_BOXES_H

#include <string.h>
#include <collide/collide.h>
#include <libsched/range.h>

typedef collide_box bvh_box;

/* The grid of a range of primitives: (v - lo) * scale is in 0 .. 65535. The scale is that of the
 * longest axis, because areas are compared. */
typedef struct bvh_frame {
	float lo[3], scale;
} bvh_frame;

#define BVH_ALIGN16 __attribute__((aligned(16)))

/* A primitive's box on the grid as six halves of words: 65535 - lo of x and y, hi of x and y, then
 * both of z, so that the union of boxes is the maximum of each half, and zero the empty box. */
typedef struct bvh_record {
	uint32_t word[3];
	uint32_t number; /* of the primitive */
} BVH_ALIGN16 bvh_record;

/* Returns the maximum of both halves. */
LSCHED_FN uint32_t bvh_max2(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
	return __vmaxu2(a, b);
#else
	const uint32_t lo = (a & 0xffffu) > (b & 0xffffu) ? a & 0xffffu : b & 0xffffu;
	const uint32_t hi = a >> 16 > b >> 16 ? a >> 16 : b >> 16;

	return hi << 16 | lo;
#endif
}

LSCHED_FN void bvh_extend(uint32_t to[3], const uint32_t w[3])
{
	to[0] = bvh_max2(to[0], w[0]);
	to[1] = bvh_max2(to[1], w[1]);
	to[2] = bvh_max2(to[2], w[2]);
}

LSCHED_FN uint32_t bvh_lo(const uint32_t w[3], uint32_t axis)
{
	return 65535u - (axis == 0 ? w[0] & 0xffffu : axis == 1 ? w[0] >> 16 : w[2] & 0xffffu);
}

LSCHED_FN uint32_t bvh_hi(const uint32_t w[3], uint32_t axis)
{
	return axis == 0 ? w[1] & 0xffffu : axis == 1 ? w[1] >> 16 : w[2] >> 16;
}

LSCHED_FN void bvh_pack(uint32_t w[3], const uint32_t lo[3], const uint32_t hi[3])
{
	w[0] = (65535u - lo[0]) | (65535u - lo[1]) << 16;
	w[1] = hi[0] | hi[1] << 16;
	w[2] = (65535u - lo[2]) | hi[2] << 16;
}

/* The middle of a box. */
LSCHED_FN uint32_t bvh_centre(const uint32_t w[3], uint32_t axis)
{
	return (bvh_lo(w, axis) + bvh_hi(w, axis)) >> 1;
}

/* Half the surface of a box that is not empty. */
LSCHED_FN uint64_t bvh_area(const uint32_t w[3])
{
	/* 65535 - lo + hi + 1 of x carries into y's, and y's out of the word */
	const uint32_t sides = w[0] + w[1] + 1, x = sides & 0xffffu, y = sides >> 16;
	const uint32_t z = bvh_hi(w, 2) - bvh_lo(w, 2);

	return (uint64_t)x * y + (uint64_t)z * (x + y);
}

/* A float as an unsigned number in the same order. */
LSCHED_FN uint32_t bvh_key(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits >> 31 ? ~bits : bits | 0x80000000u;
}

LSCHED_FN float bvh_unkey(uint32_t key)
{
	const uint32_t bits = key >> 31 ? key & 0x7fffffffu : ~key;
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Bounds of boxes as keys that grow: the complements of lo, then hi; zero at first. */
typedef struct bvh_bounds {
	uint32_t key[6];
} bvh_bounds;

LSCHED_FN void bvh_bounds_add(bvh_bounds *b, const bvh_box *box)
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const uint32_t lo = ~bvh_key(box->lo[k]), hi = bvh_key(box->hi[k]);

		b->key[k] = lo > b->key[k] ? lo : b->key[k];
		b->key[k + 3] = hi > b->key[k + 3] ? hi : b->key[k + 3];
	}
}

/* Differences and one division: IEEE rounding, the same on both backends. */
LSCHED_FN bvh_frame bvh_make_frame(const bvh_bounds *b)
{
	double most = 0, scale;
	bvh_frame f;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		double extent;

		f.lo[k] = bvh_unkey(~b->key[k]);
		extent = (double)bvh_unkey(b->key[k + 3]) - (double)f.lo[k];
		most = extent > most ? extent : most;
	}
	scale = most > 0 ? 65535.0 / most : 0;
	f.scale = (float)(scale < 1e38 ? scale : 1e38);
	return f;
}

/* Rounds down; what is no number is 0. */
LSCHED_FN uint32_t bvh_round(float v)
{
	return v > 0 ? v < 65535.0f ? (uint32_t)v : 65535u : 0u;
}

LSCHED_FN bvh_record bvh_quantise(const bvh_box *box, const bvh_frame *f, uint32_t number)
{
	uint32_t lo[3], hi[3];
	bvh_record r;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const float a = (box->lo[k] - f->lo[k]) * f->scale;
		const float b = (box->hi[k] - f->lo[k]) * f->scale;

		lo[k] = bvh_round(a);
		hi[k] = bvh_round(b);
		hi[k] += hi[k] < 65535u && (float)hi[k] < b;
		hi[k] = hi[k] < lo[k] ? lo[k] : hi[k];
	}
	bvh_pack(r.word, lo, hi);
	r.number = number;
	return r;
}

LSCHED_FN void bvh_box_extend(bvh_box *a, const bvh_box *b)
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		a->lo[k] = b->lo[k] < a->lo[k] ? b->lo[k] : a->lo[k];
		a->hi[k] = b->hi[k] > a->hi[k] ? b->hi[k] : a->hi[k];
	}
}

#endif
