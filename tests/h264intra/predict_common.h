/* Memory and block numbers that the suites of intra prediction share. */
#ifndef TESTS_H264INTRA_PREDICT_COMMON_H
#define TESTS_H264INTRA_PREDICT_COMMON_H

#include "h264intra/cpu/mb_work.h"
#include "tests/common/rng.h"

static mb_work work;
static inline void work_init(int avail)
{
	memset(&work, 0, sizeof(work));
	work.avail = avail;
	for (unsigned i = 0; i < sizeof(work.rec_y); i++)
		work.rec_y[i] = (uint8_t)rng();
	for (int pl = 0; pl < 2; pl++) {
		for (int i = 0; i < 16; i++)
			work.edge_c.top[pl][i] = (uint8_t)rng();
		for (int i = 0; i < 8; i++)
			work.edge_c.left[pl][i] = (uint8_t)rng();
	}
}

/* Clause 6.4.3: the upper left sample of 4x4 block b, by the inverse raster scans of 6.4.1. */
static inline int scan_x(int b)
{
	return b / 4 % 2 * 8 + b % 4 % 2 * 4;
}

static inline int scan_y(int b)
{
	return b / 4 / 2 * 8 + b % 4 / 2 * 4;
}

static inline int block_number(int x, int y)
{
	for (int b = 0; b < 16; b++)
		if (scan_x(b) == x && scan_y(b) == y)
			return b;
	return -1;
}

#endif
