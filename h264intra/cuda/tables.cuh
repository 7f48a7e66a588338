/* Tables in device memory, made once by the host: the rows of Intra4x4 modes as byte shuffles, and
 * the code tables of CAVLC. */
#ifndef H264INTRA_CUDA_TABLES_CUH
#define H264INTRA_CUDA_TABLES_CUH

#include "h264intra/entropy/cavlc_tables.h"
#include "h264intra/predict/edge4x4.h"

/* Where the string of a block's neighbours (predict/edge4x4.h) lies in shared memory, in bytes,
 * placed so that a row of any mode comes out of two aligned words: word boundaries fall before
 * P[5], F2[0], F3[-1] and F3[3]. F3[-1] is L; F3 is there twice, the second copy with a boundary
 * before F3[2], for row 2 of horizontal down. */
enum { STR_P = 3, STR_F2 = 20, STR_F3 = 37, STR_F3B = 54, STR_DC = 68, STR_BYTES = 72 };

typedef struct gpu_tables {
	/* [mode].x .. .w: rows 0..3; byte selector in bits 0..15 (for __byte_perm), byte offsets of
	 * the two words in bits 16..23 and 24..31. Modes 9..15 repeat DC. */
	uint4 mode_rows[16];
	h264i_cavlc_tables cavlc;
} gpu_tables;

static inline int string_byte(int mode, int row, int p)
{
	if (mode == I4_HU && p == E4_p(0))
		return STR_F3 - 1;
	if (p == E4_DC)
		return STR_DC;
	if (p >= E4_F3)
		return (mode == I4_HD && row == 2 ? STR_F3B : STR_F3) + p - E4_F3;
	if (p >= E4_F2)
		return STR_F2 + p - E4_F2;
	return STR_P + p;
}

/* Host: 0, or -1 if a row needed a third word (a fault of the placement, found at open). */
static inline int gpu_tables_init(gpu_tables *t)
{
	static const uint8_t table[I4_MODES][16] = H264I_E4_TABLE_INIT;

	t->cavlc = h264i_cavlc;
	for (int m = 0; m < 16; m++) {
		int mode = m < I4_MODES ? m : I4_DC;
		uint32_t row[4];

		for (int y = 0; y < 4; y++) {
			int a = -1, b = -1;

			row[y] = 0;
			for (int x = 0; x < 4; x++) {
				int at = string_byte(mode, y, table[mode][4 * y + x]), word = at & ~3;

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
	return 0;
}

#endif
