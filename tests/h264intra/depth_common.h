/* What the parts of the suite of bit depths share. The suite is compiled once for each depth, with
 * the sources that it tests. */
#ifndef TESTS_H264INTRA_DEPTH_COMMON_H
#define TESTS_H264INTRA_DEPTH_COMMON_H

#include <CUnit/CUnit.h>

#include <stdlib.h>
#include <string.h>

#include "h264intra/core/work.h"
#include "h264intra/cpu/dsp.h"
#include "tests/common/rng.h"
#include "tests/h264intra/predict_clause.h"

/* The standard's numbers, from the depth alone. */
enum {
	DEPTH = H264I_BIT_DEPTH,
	MOST = (1 << DEPTH) - 1,
	OFFSET = 6 * (DEPTH - 8), /* QpBdOffset */
	QPS = 52 + OFFSET
};

/* (5-5) */
static inline int clip3(int low, int high, int v)
{
	return v < low ? low : v > high ? high : v;
}

static inline int clip1(int v)
{
	return clip3(0, MOST, v);
}

/* Random samples, black and white ones, stripes, a few levels around a base, one value. */
static inline void depth_samples(h264i_px *s, int n)
{
	int kind = (int)rng_below(5), base = (int)rng_below(MOST + 1);

	for (int i = 0; i < n; i++) {
		int noise = rng_around(4 << (DEPTH - 8));

		s[i] = (h264i_px)(kind == 0   ? (int)rng_below(MOST + 1)
				  : kind == 1 ? (rng() & 1 ? MOST : 0)
				  : kind == 2 ? (i & 1 ? MOST : 0)
				  : kind == 3 ? clip1(base + noise)
					      : base);
	}
}

/* Parts of a decoder, from the standard's equations (depth_predict.c, depth_transform.c). */
int depth_plane_of(const around *p, int n, int x, int y);
int depth_chroma_dc_of(const around *p, int x0, int y0, int avail);
int depth_norm4(int m, int i, int j);
int depth_norm8(int m, int i, int j);
int depth_scaled(int level, int scale, int shift, int most);
int depth_inverse(int *d, int n, const h264i_px *pred, int *out);

/* Decodes macroblock `at` of p from its record and levels; counts the samples of p->recon, of which
 * it reads the neighbours, that differ (depth_decode.c). */
int depth_decode(const h264i_picture *p, uint32_t mb_width, int at);

void depth_predict4(void);
void depth_predict8(void);
void depth_predict16(void);
void depth_predict_chroma(void);
void depth_code4(void);
void depth_code8(void);
void depth_dc(void);
void depth_peak(void);
void depth_filter_line(void);
void depth_filter_picture(void);
void depth_encode(void);

#endif
