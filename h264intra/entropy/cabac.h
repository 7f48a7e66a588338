/* The arithmetic coder of CABAC (ITU-T H.264 clause 9.3.4.2), which codes bin records (bins.h) into
 * bytes. It runs on the host.
 *
 * codILow of the standard is the low end of the interval after the bits that are resolved. Here it
 * is kept with up to 32 bits above it; a carry out of them is added to the bytes stored before, so
 * there are no outstanding bits to count. A carry never leaves the first byte, because the interval
 * starts within [0, 2^9). */
#ifndef H264INTRA_ENTROPY_CABAC_H
#define H264INTRA_ENTROPY_CABAC_H

#include <stddef.h>
#include <stdint.h>

#include "h264intra/entropy/bins.h"
#include "h264intra/entropy/cabac_tables.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct h264i_cabac {
	uint64_t low;
	uint32_t range;
	uint32_t pending;  /* bits of low above the 9 of the range that are not stored, 0..31 */
	uint8_t *at, *end; /* the next byte, and the end of the buffer */
	int overflow;      /* 1: a byte did not fit; nothing is stored after that */
	uint64_t bins;     /* coded, for the bound on bins of clause 7.4.2.10 */
} h264i_cabac;

/* Starts a codeword at `at`, to where `capacity` bytes can be stored. */
void h264i_i_cabac_begin(h264i_cabac *c, uint8_t *at, size_t capacity);

/* Codes `count` records. Terminate bins (H264I_CTX_TERMINATE) are coded as any other; after one of
 * value 1 only h264i_i_cabac_end() may follow. */
void h264i_i_cabac_code(
	h264i_cabac *c, uint8_t state[H264I_CTX_STATES], const uint16_t *bins, uint32_t count);

/* Ends the codeword after a terminate bin of 1 (EncodeFlush): the last bit is 1, which at the end
 * of a slice is rbsp_stop_one_bit, and zero bits follow up to a byte. `at` is then the byte after
 * it. */
void h264i_i_cabac_end(h264i_cabac *c);

/* Stores the samples of an I_PCM macroblock (h264i_pcm_pack) after h264i_i_cabac_end(), and starts
 * the next codeword. Contexts keep their states (clause 9.3.1.2). */
void h264i_i_cabac_pcm(h264i_cabac *c, const uint8_t *samples, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
