/* The deblocking filter of ITU-T H.264 (clause 8.7) for all-intra pictures, across slices
 * (disable_deblocking_filter_idc 0).
 *
 * Intra prediction reads unfiltered samples and no picture refers to another one, so the bits of a
 * stream do not depend on this filter: it computes the decoded picture from the reconstruction. */
#ifndef H264INTRA_FILTER_DEBLOCK_H
#define H264INTRA_FILTER_DEBLOCK_H

#include "h264intra/core/mb.h"
#include "h264intra/filter/deblock_line.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tables of the filter (8-15 to 8-17) with its offsets and the chroma QP offsets of Cb and Cr,
 * NULL: 0. */
h264i_strengths h264i_i_deblock_strengths(const h264i_filter *f, const int chroma_qp_offset[2]);

/* Returns 0 if the filter changes no sample of pictures of this QP. */
int h264i_i_deblock_changes(const h264i_strengths *s, int qp);

/* Filters a picture in place. plane[0..2] are Y, Cb and Cr, padded to whole macroblocks, rows
 * pitch[i] samples apart; of mbs[mb_width * mb_height], in raster order, only type, flags and
 * qp are read. */
void h264i_i_deblock_frame(h264i_px *const plane[3], const size_t pitch[3], uint32_t mb_width,
	uint32_t mb_height, const h264i_mb *mbs, const h264i_strengths *s);

/* Filters macroblock rows first..end - 1. A macroblock is filtered after its left, upper and upper
 * right neighbours, because it reads and changes samples that they filter: call this for one
 * picture from top to bottom, one call after the other. After the call all sample rows above the
 * last three luma rows and the last chroma row of macroblock row end - 1 are final. */
void h264i_i_deblock_rows(h264i_px *const plane[3], const size_t pitch[3], uint32_t mb_width,
	uint32_t first, uint32_t end, const h264i_mb *mbs, const h264i_strengths *s);

#ifdef __cplusplus
}
#endif
#endif
