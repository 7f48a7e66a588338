/* The tables of CABAC (ITU-T H.264 clauses 9.3.1.1 and 9.3.4) for I slices of frame macroblocks,
 * 8-bit 4:2:0. */
#ifndef H264INTRA_ENTROPY_CABAC_TABLES_H
#define H264INTRA_ENTROPY_CABAC_TABLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	H264I_CTX = 460,           /* contexts 0..459 */
	H264I_CTX_TERMINATE = 276, /* end_of_slice_flag, and the bin of mb_type that is I_PCM */
	H264I_CTX_STATES = 512     /* bytes of an array of states: records have 9 bits of context */
};

/* (m, n) of tables 9-12 to 9-33; 0, 0 where no such slice uses the context. */
extern const int8_t h264i_i_cabac_init[H264I_CTX][2];

/* Table 9-44, rangeTabLPS by pStateIdx; byte q (bits 8q..) is for qCodIRangeIdx q. State 63 is that
 * of bins before termination: always 2. */
#define H264I_RANGE_LPS_INIT                                                                    \
	{                                                                                       \
		0xf0d0b080, 0xe3c5a780, 0xd8bb9e80, 0xcdb2967b, 0xc3a98e74, 0xb9a0876f,         \
			0xaf988069, 0xa6907a64, 0x9e89745f, 0x96826e5a, 0x8e7b6855, 0x87756351, \
			0x806f5e4d, 0x7a695949, 0x74645545, 0x6e5f5042, 0x685a4c3e, 0x6356483b, \
			0x5e514538, 0x594d4135, 0x55493e33, 0x50453b30, 0x4c42382e, 0x483f352b, \
			0x453b3229, 0x41383027, 0x3e362d25, 0x3b332b23, 0x38302921, 0x352e2720, \
			0x322b251e, 0x3029231d, 0x2d27211b, 0x2b251f1a, 0x29231e18, 0x27211c17, \
			0x25201b16, 0x231e1a15, 0x211d1814, 0x1f1b1713, 0x1e1a1612, 0x1c191511, \
			0x1b171410, 0x1916130f, 0x1815120e, 0x1714110e, 0x1613100d, 0x15120f0c, \
			0x14110e0c, 0x13100e0b, 0x120f0d0b, 0x110f0c0a, 0x100e0c0a, 0x0f0d0b09, \
			0x0e0c0b09, 0x0e0c0a08, 0x0d0b0908, 0x0c0b0907, 0x0c0a0907, 0x0b0a0807, \
			0x0b090806, 0x0a090706, 0x09080706, 0x02020202                          \
	}

/* Table 9-45, transIdxLPS by pStateIdx; transIdxMPS is pStateIdx + 1, but 62 and 63 stay. */
#define H264I_NEXT_LPS_INIT                                                                        \
	{                                                                                          \
		0, 0, 1, 2, 2, 4, 4, 5, 6, 7, 8, 9, 9, 11, 11, 12, 13, 13, 15, 15, 16, 16, 18, 18, \
			19, 19, 21, 21, 22, 22, 23, 24, 24, 25, 26, 26, 27, 27, 28, 29, 29, 30,    \
			30, 30, 31, 32, 32, 33, 33, 33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37,    \
			37, 38, 38, 63                                                             \
	}

/* Sets the states at the start of a slice of QP slice_qp (clause 9.3.1.1): pStateIdx << 1 | valMPS.
 * Those of H264I_CTX_TERMINATE and of the bytes after the contexts get pStateIdx 63, which never
 * changes: rangeTabLPS makes it the arithmetic of DecodeTerminate (clause 9.3.3.2.2.3). */
void h264i_i_cabac_states(uint8_t state[H264I_CTX_STATES], int qp);

#ifdef __cplusplus
}
#endif
#endif
