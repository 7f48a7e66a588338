/* A plain decoder of CAVLC blocks, written from the decoding process of ITU-T H.264 clause 9.2 with
 * the code words typed as the standard prints them: the reference for the encoder's tables and bit
 * operations. */
#ifndef TESTS_H264INTRA_CAVLC_REFERENCE_H
#define TESTS_H264INTRA_CAVLC_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct ref_reader {
	const uint8_t *data;
	size_t at, end; /* in bits */
	int bad;        /* read beyond the end, or an unknown code word */
} ref_reader;

uint32_t ref_u(ref_reader *r, int bits);
uint32_t ref_ue(ref_reader *r);
int32_t ref_se(ref_reader *r);

/* Code words as strings of 0 and 1; NULL where there is none. column is 0..3 for nC 0..1, 2..3,
 * 4..7 and -1. */
const char *ref_token(int column, int total, int ones);
const char *ref_zeros(int total, int zeros, int chroma_dc);
const char *ref_run(int zeros_left, int run);
int ref_intra_cbp(int code_num); /* table 9-4, 4:2:0, Intra4x4 */

/* residual_block_cavlc(): level[0..max - 1]. Returns total_coeff. */
int ref_block(ref_reader *r, int16_t *level, int max, int nC);

#endif
