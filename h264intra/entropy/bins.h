/* Bins of CABAC as records: binarisation (cabac_mb.h) writes them, the arithmetic coder reads them,
 * one after another on a CPU (cabac.h), in chunks on a GPU (cabac_chunk.h). Binarisation of a block
 * depends on no other block's bins, so blocks can be binarised in parallel. */
#ifndef H264INTRA_ENTROPY_BINS_H
#define H264INTRA_ENTROPY_BINS_H

#include <stdint.h>

#include "h264intra/core/language.h"

/* The context of a bypass bin in a record; it is none of the standard's. */
enum { H264I_BIN_BYPASS = 511 };

/* A record is ctx << 1 | bin. */
typedef struct h264i_bins {
	uint16_t *bin; /* NULL with capacity 0: records are only counted */
	uint32_t count, capacity;
} h264i_bins;

/* The cabac_zero_words behind a slice of `bins` bins, `mbs` macroblocks and `nal_bytes` bytes
 * without start code: a picture has at most 32 / 3 bins a byte, and a 32nd of the bits of its
 * samples, pcm_bytes a macroblock (clause 7.4.2.10). If each slice keeps this for its macroblocks,
 * the picture does. A word has three bytes in the NAL unit, and so allows 32 bins more. */
LSCHED_FN uint32_t h264i_cabac_zero_words(
	uint64_t bins, uint64_t nal_bytes, uint32_t mbs, uint32_t pcm_bytes)
{
	uint64_t allowed = nal_bytes * 32 / 3 + (uint64_t)mbs * (pcm_bytes / 4);

	return bins <= allowed ? 0 : (uint32_t)((bins - allowed + 31) / 32);
}

/* Stores a record if the capacity allows, and counts it in any case. */
H264I_INLINE_FN void h264i_bin(h264i_bins *b, int ctx, int v)
{
	if (b->count < b->capacity)
		b->bin[b->count] = (uint16_t)(ctx << 1 | v);
	b->count++;
}

#endif
