/* The variable-length code tables of CAVLC (ITU-T H.264 clauses 9.1.2 and 9.2), small enough for a
 * block's shared memory. A code word is one byte, length - 1 in the upper half and the bits in the
 * lower half: no code word of these tables is longer than 16 bits or has a bit set above its lowest
 * four. Entries that cannot occur are 0. */
#ifndef H264INTRA_ENTROPY_CAVLC_TABLES_H
#define H264INTRA_ENTROPY_CAVLC_TABLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct h264i_cavlc_tables {
	uint8_t token[3][68];  /* coeff_token, table 9-5: 0 <= nC < 2, 2 <= nC < 4, 4 <= nC < 8;
				   [4 * total_coeff + trailing_ones]. nC >= 8 is computed */
	uint8_t token_dc[20];  /* the same for nC = -1, chroma DC of 4:2:0 */
	uint8_t zeros[15][16]; /* total_zeros, tables 9-7 and 9-8: [total_coeff - 1][total_zeros] */
	uint8_t zeros_dc[3][4]; /* table 9-9 (a), chroma DC of 4:2:0 */
	uint8_t run[7][15];     /* run_before, table 9-10: [min(zeros_left, 7) - 1][run_before] */
	uint8_t cbp[48];        /* codeNum of coded_block_pattern, intra, 4:2:0 (table 9-4 (a)) */
	uint8_t pad[11];        /* to 640, a multiple of 16 */
} h264i_cavlc_tables;

/* The host's copy; the CUDA backend uploads it. */
extern const h264i_cavlc_tables h264i_i_cavlc;

#ifdef __cplusplus
}
#endif
#endif
