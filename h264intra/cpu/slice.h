/* The bits of a slice, row by row as its macroblocks are coded. */
#ifndef H264INTRA_CPU_SLICE_H
#define H264INTRA_CPU_SLICE_H

#include "h264intra/core/backend.h"
#include "h264intra/entropy/cabac.h"

enum { SLICE_WORDS_A_MB = 100, SLICE_EXTRA_WORDS = 8 };

/* A slice of a frame in flight. The members but nal are set by h264i_i_slice_begin(). */
typedef struct cpu_slice {
	const h264i_geom *geom;
	const h264i_picture *p;
	const h264i_params *params;
	uint32_t first, end, width; /* rows, and macroblocks of a row */
	uint32_t *word;             /* [words] */
	uint8_t *bytes;             /* [4 * words] */
	uint32_t words;
	int qp_before; /* of the last macroblock with mb_qp_delta, or the slice */
	h264i_bits out;
	h264i_cabac coder;
	uint8_t state[H264I_CTX_STATES];
	h264i_buf nal; /* the finished NAL unit */
} cpu_slice;

/* Word of the RBSP at which a slice starts; each slice has memory for the largest macroblocks. */
static inline uint32_t slice_word(const h264i_geom *g, uint32_t slice)
{
	return h264i_slice_first_row(g, slice) * g->mb_width * SLICE_WORDS_A_MB +
	       slice * SLICE_EXTRA_WORDS;
}

/* Begins slice `slice` of picture number `picture` modulo 2 and writes its header. rbsp and
 * rbsp_bytes are those of the frame. */
void h264i_i_slice_begin(cpu_slice *s, const h264i_geom *g, const h264i_picture *p,
	const h264i_params *params, uint32_t slice, uint32_t picture, uint32_t *rbsp,
	uint8_t *rbsp_bytes);

/* Codes a row, all macroblocks of which are known. After the last one the NAL unit is finished.
 * Returns 0, or -1 on overflow or without memory. */
int h264i_i_slice_row(cpu_slice *s, uint32_t row);

#endif
