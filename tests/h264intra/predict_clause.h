/* Intra prediction by the equations of clause 8.3, one sample at a time. */
#ifndef TESTS_H264INTRA_PREDICT_CLAUSE_H
#define TESTS_H264INTRA_PREDICT_CLAUSE_H

#include "h264intra/predict/edge4x4.h"

enum { N_MOST = 16 };

/* The samples p[x, y] of the standard around a block: top[1 + x] is p[x, -1], x from -1 on, and
 * left[1 + y] is p[-1, y]. top[0] and left[0] are p[-1, -1]. */
typedef struct around {
	int top[1 + 2 * N_MOST], left[1 + N_MOST];
	int avail; /* H264I_LEFT .. */
} around;

/* Set when a sample is read that is not available. */
static int read_missing;

static inline int top(const around *p, int x)
{
	read_missing |= !(p->avail & (x < 0 ? H264I_UPLEFT : H264I_UP));
	return p->top[1 + x];
}

static inline int left(const around *p, int y)
{
	read_missing |= !(p->avail & (y < 0 ? H264I_UPLEFT : H264I_LEFT));
	return p->left[1 + y];
}

/* The samples around an n x n block, 2 n of them above; rows of the picture are `pitch` apart. */
static inline around around_block(const h264i_px *at, int pitch, int n, int avail)
{
	around p = { .avail = avail };

	for (int x = -1; x < 2 * n; x++)
		p.top[1 + x] = at[x - pitch];
	for (int y = -1; y < n; y++)
		p.left[1 + y] = at[y * pitch - 1];
	/* Clauses 8.3.1.2 and 8.3.2.2. */
	for (int x = n; !(avail & H264I_UPRIGHT) && x < 2 * n; x++)
		p.top[1 + x] = p.top[n];
	return p;
}

static inline int mean3(int a, int b, int c)
{
	return (a + 2 * b + c + 2) >> 2;
}

/* The DC of n + n samples, n = 4, 8 or 16. */
static inline int pred_dc(const around *p, int n)
{
	const int up = p->avail & H264I_UP, beside = p->avail & H264I_LEFT;
	const int count = (up ? n : 0) + (beside ? n : 0);
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += (up ? top(p, i) : 0) + (beside ? left(p, i) : 0);
	return count ? (sum + count / 2) / count : 1 << (H264I_BIT_DEPTH - 1);
}

/* predNxN[x, y] of the modes of Intra_4x4 and Intra_8x8 (8-46 to 8-71, 8-83 to 8-110). */
static inline int pred_nxn(const around *p, int n, int mode, int x, int y)
{
	int z, k;

	switch (mode) {
	case 0:
		return top(p, x);
	case 1:
		return left(p, y);
	case 2:
		return pred_dc(p, n);
	case 3:
		if (x == n - 1 && y == n - 1)
			return (top(p, 2 * n - 2) + 3 * top(p, 2 * n - 1) + 2) >> 2;
		return mean3(top(p, x + y), top(p, x + y + 1), top(p, x + y + 2));
	case 4:
		if (x > y)
			return mean3(top(p, x - y - 2), top(p, x - y - 1), top(p, x - y));
		if (x < y)
			return mean3(left(p, y - x - 2), left(p, y - x - 1), left(p, y - x));
		return mean3(top(p, 0), top(p, -1), left(p, 0));
	case 5:
		z = 2 * x - y;
		k = x - (y >> 1);
		if (z >= 0 && z % 2 == 0)
			return (top(p, k - 1) + top(p, k) + 1) >> 1;
		if (z >= 0)
			return mean3(top(p, k - 2), top(p, k - 1), top(p, k));
		if (z == -1)
			return mean3(left(p, 0), top(p, -1), top(p, 0));
		k = y - 2 * x;
		return mean3(left(p, k - 1), left(p, k - 2), left(p, k - 3));
	case 6:
		z = 2 * y - x;
		k = y - (x >> 1);
		if (z >= 0 && z % 2 == 0)
			return (left(p, k - 1) + left(p, k) + 1) >> 1;
		if (z >= 0)
			return mean3(left(p, k - 2), left(p, k - 1), left(p, k));
		if (z == -1)
			return mean3(left(p, 0), top(p, -1), top(p, 0));
		k = x - 2 * y;
		return mean3(top(p, k - 1), top(p, k - 2), top(p, k - 3));
	case 7:
		k = x + (y >> 1);
		if (y % 2 == 0)
			return (top(p, k) + top(p, k + 1) + 1) >> 1;
		return mean3(top(p, k), top(p, k + 1), top(p, k + 2));
	default:
		z = x + 2 * y;
		k = y + (x >> 1);
		if (z > 2 * n - 3)
			return left(p, n - 1);
		if (z == 2 * n - 3)
			return (left(p, n - 2) + 3 * left(p, n - 1) + 2) >> 2;
		if (z % 2 == 0)
			return (left(p, k) + left(p, k + 1) + 1) >> 1;
		return mean3(left(p, k), left(p, k + 1), left(p, k + 2));
	}
}

/* The filtered samples p'[x, y] of clause 8.3.2.2.1. */
static inline around filtered(const around *p)
{
	int has_up = p->avail & H264I_UP, has_left = p->avail & H264I_LEFT;
	int has_corner = p->avail & H264I_UPLEFT;
	around f = *p;

	f.top[1] = has_corner ? mean3(top(p, -1), top(p, 0), top(p, 1))
			      : (3 * top(p, 0) + top(p, 1) + 2) >> 2;
	for (int x = 1; x < 15; x++)
		f.top[1 + x] = mean3(top(p, x - 1), top(p, x), top(p, x + 1));
	f.top[16] = (top(p, 14) + 3 * top(p, 15) + 2) >> 2;
	f.left[1] = has_corner ? mean3(left(p, -1), left(p, 0), left(p, 1))
			       : (3 * left(p, 0) + left(p, 1) + 2) >> 2;
	for (int y = 1; y < 7; y++)
		f.left[1 + y] = mean3(left(p, y - 1), left(p, y), left(p, y + 1));
	f.left[8] = (left(p, 6) + 3 * left(p, 7) + 2) >> 2;
	if (has_up && has_left)
		f.top[0] = mean3(top(p, 0), top(p, -1), left(p, 0));
	else if (has_up)
		f.top[0] = (3 * top(p, -1) + top(p, 0) + 2) >> 2;
	else if (has_left)
		f.top[0] = (3 * top(p, -1) + left(p, 0) + 2) >> 2;
	f.left[0] = f.top[0];
	return f;
}

#endif
