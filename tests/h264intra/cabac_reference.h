/* A decoder of CABAC in I slices of 8-bit 4:2:0 frames, written from the text of ITU-T H.264
 * clauses 7.3.5 and 9.3 without regard to speed. It shares no table and no function with the
 * encoder. */
#ifndef TESTS_H264INTRA_CABAC_REFERENCE_H
#define TESTS_H264INTRA_CABAC_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum { REF_CONTEXTS = 460 };

typedef struct ref_cabac {
	const uint8_t *data;
	size_t at, end; /* in bits; the next bit to read, and the number of bits */
	unsigned range, offset;
	struct {
		int state, mps;
	} ctx[REF_CONTEXTS];
	uint64_t bins; /* decoded */
	int bad;       /* 1: read beyond the end, or a value that cannot be */
} ref_cabac;

/* Contexts at the start of a slice (clause 9.3.1.1), without the engine. */
void ref_cabac_contexts(ref_cabac *r, int slice_qp);
/* The arithmetic decoding engine (clause 9.3.1.2), at bit r->at. */
void ref_cabac_start(ref_cabac *r);
int ref_cabac_decision(ref_cabac *r, int ctx);
int ref_cabac_bypass(ref_cabac *r);
int ref_cabac_terminate(ref_cabac *r);

typedef struct ref_cabac_mb {
	int type; /* of table 7-11: 0 I_NxN, 1..24 I_16x16, 25 I_PCM */
	int t8x8, chroma_mode, cbp, qp_delta;
	int mode[4][4];                                 /* of 4x4 blocks, [y][x]; 2 without any */
	int coded_dc[3], coded[4][4], coded_c[2][2][2]; /* coded_block_flag, [plane][y][x] */
	int luma_dc[16], luma[4][4][16];                /* [y][x]; AC lists from 1 */
	int luma_8x8[4][64], chroma_dc[2][4], chroma_ac[2][2][2][16];
	uint8_t pcm[384];
} ref_cabac_mb;

/* Parses the macroblock at address `at` of a picture `width` macroblocks wide, whose slice began at
 * address `first`. t8x8: transform_8x8_mode_flag. */
void ref_cabac_macroblock(
	ref_cabac *r, ref_cabac_mb *picture, int width, int first, int at, int t8x8);

#endif
