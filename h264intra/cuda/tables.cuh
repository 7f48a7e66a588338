/* Tables in device memory, computed once by the host: the rows of Intra4x4 modes as byte shuffles,
 * and the code tables of CAVLC. */
#ifndef H264INTRA_CUDA_TABLES_CUH
#define H264INTRA_CUDA_TABLES_CUH

#include "h264intra/cuda/cavlc_runs.cuh"
#include "h264intra/decide/cost.h"
#include "h264intra/predict/edge8x8.h"
#include "h264intra/transform/dct8x8.h"

#include <stddef.h>
#include <string.h>

/* Layout of the edge of a block (predict/edge4x4.h) in shared memory, in samples. A row of any mode
 * is in two aligned groups of four: groups begin at P[5], F2[0], F3[-1] and F3[3].
 * F3[-1] is L. F3 is stored twice, the second time with a group at F3[2], for row 2 of horizontal
 * down. */
enum {
	EDGE4_P = 3,
	EDGE4_F2 = 20,
	EDGE4_F3 = 37,
	EDGE4_F3B = 54,
	EDGE4_UNUSED = 68,
	EDGE4_SAMPLES = 84
};

/* The reconstruction in shared memory: rows of 48 samples, so that one is aligned to 16. */
enum { REC_PITCH = 48 };

/* Step s of Intra4x4 for one half warp, by the available neighbours of the macroblock (H264I_LEFT
 * ...). */
typedef struct i4_step {
	uint32_t flags;   /* 0..8 allowed modes; then STEP_* */
	uint32_t offsets; /* 0..9 in rec, 10..17 in src, 18..27 rounding of DC, 28..30 its shift */
} i4_step;

enum {
	STEP_LEFT_BIT = 9,
	STEP_UP_BIT = 10,
	STEP_UPRIGHT = 1 << 11,
	STEP_BLOCK = 12, /* 4 bits: block number */
	STEP_PLACE = 16  /* 6 bits: 8 * (by + 1) + bx + 1, in modes[][] */
};

typedef struct gpu_tables {
	/* [mode].x .. .w: rows 0..3; which samples in bits 0..15 (px4_select), positions of the two
	 * groups of four in bits 16..23 and 24..31. Modes 9..15 repeat DC. */
	uint4 mode_rows[16];
	i4_step step[16][2][10];
	uint4 places8[I4_MODES][4]; /* Intra8x8: positions in the edge (predict/edge8x8.h) */
	uint2 forward8[8];          /* rows of the 8x8 forward transform, eight signed bytes */
	uint8_t zigzag8[64];        /* raster position by index in the scan of 8x8 blocks */
	cavlc_device_tables cavlc;
	const h264i_qparams *by_qp; /* [H264I_QPS] in device memory */
} gpu_tables;

static_assert(offsetof(gpu_tables, cavlc) % 4 == 0, "cuda/cavlc_count.cuh reads words of it");

static inline int edge4_position(int mode, int row, int p)
{
	if (mode == I4_HU && p == E4_p(0))
		return EDGE4_F3 - 1;
	if (p == E4_DC)
		return EDGE4_P; /* not read: DC is not taken from the edge */
	if (p >= E4_F3)
		return (mode == I4_HD && row == 2 ? EDGE4_F3B : EDGE4_F3) + p - E4_F3;
	if (p >= E4_F2)
		return EDGE4_F2 + p - E4_F2;
	return EDGE4_P + p;
}

/* The first half codes row 0, then the right ends of rows 1..3; the second half codes their left
 * ends. In a step with one block both halves code it. Where the modes that read UP-RIGHT are
 * disabled (of options.disable_modes), its samples are as if they were not available: they may not
 * have arrived. */
static inline i4_step i4_step_of(int mb_avail, uint32_t disable, int half, int step)
{
	int two = step >= 2 && step <= 7, second = half && two;
	int by = second ? step >> 1 : step < 4 ? 0 : (step - 2) >> 1;
	int bx = second ? step & 1 : step - 2 * by;
	int b = h264i_blk_at(bx, by), avail = h264i_i4_avail(b, mb_avail);
	int left = avail & H264I_LEFT, up = avail & H264I_UP;
	uint32_t without = h264i_i4_upright(b, mb_avail, disable);
	i4_step s;

	if (without)
		avail &= ~H264I_UPRIGHT;
	s.flags = (h264i_i4_allowed(avail) & ~without) | (left ? 1u << STEP_LEFT_BIT : 0) |
		  (up ? 1u << STEP_UP_BIT : 0) | (avail & H264I_UPRIGHT ? STEP_UPRIGHT : 0) |
		  (uint32_t)b << STEP_BLOCK | (uint32_t)(8 * (by + 1) + bx + 1) << STEP_PLACE;
	s.offsets = (uint32_t)(4 * by * REC_PITCH + 4 * bx) | (uint32_t)(64 * by + 4 * bx) << 10 |
		    (uint32_t)(left && up   ? 4
			       : left || up ? 2
					    : 512)
			    << 18 |
		    (uint32_t)(left && up ? 3 : 2) << 28;
	return s;
}

/* Host: returns 0, or -1 if a row needs a third word, which is an error of the layout above. */
static inline int gpu_tables_init(gpu_tables *t, uint32_t disable)
{
	static const uint8_t table[I4_MODES][16] = H264I_E4_TABLE_INIT;
	static const uint8_t places8[I4_MODES][64] = H264I_E8_TABLE_INIT;
	static const uint8_t zigzag8[64] = H264I_ZIGZAG8_INIT;
	/* See h264i_fdct8(). */
	static const int8_t forward8[8][8] = {
		{ 1, 1, 1, 1, 1, 1, 1, 1 },
		{ 12, 10, 6, 3, -3, -6, -10, -12 },
		{ 2, 1, -1, -2, -2, -1, 1, 2 },
		{ 10, -3, -12, -6, 6, 12, 3, -10 },
		{ 1, -1, -1, 1, 1, -1, -1, 1 },
		{ 6, -12, 3, 10, -10, -3, 12, -6 },
		{ 1, -2, 2, -1, -1, 2, -2, 1 },
		{ 3, -6, 10, -12, 12, -10, 6, -3 },
	};

	cavlc_device_tables_init(&t->cavlc);
	for (int m = 0; m < 16; m++) {
		int mode = m < I4_MODES ? m : I4_DC;
		uint32_t row[4];

		for (int y = 0; y < 4; y++) {
			int a = -1, b = -1;

			row[y] = 0;
			for (int x = 0; x < 4; x++) {
				int at = edge4_position(mode, y, table[mode][4 * y + x]),
				    word = at & ~3;

				if (a < 0)
					a = word;
				else if (word != a && b < 0)
					b = word;
				if (word != a && word != b)
					return -1;
				row[y] |= (uint32_t)((at & 3) | (word == a ? 0 : 4)) << (4 * x);
			}
			row[y] |= (uint32_t)a << 16 | (uint32_t)(b < 0 ? a : b) << 24;
		}
		t->mode_rows[m] = make_uint4(row[0], row[1], row[2], row[3]);
	}
	memcpy(t->places8, places8, sizeof(t->places8));
	memcpy(t->forward8, forward8, sizeof(t->forward8));
	memcpy(t->zigzag8, zigzag8, sizeof(t->zigzag8));
	for (int a = 0; a < 16; a++)
		for (int i = 0; i < 20; i++)
			t->step[a][i / 10][i % 10] = i4_step_of(a, disable, i / 10, i % 10);
	return 0;
}

#endif
