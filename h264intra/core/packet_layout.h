/* Layout of the packets of a group in page-locked memory (CUDA backend): consecutive, each preceded
 * by space for the parameter sets, its slices aligned to 16 bytes. The device computes the offsets,
 * the host computes them again. */
#ifndef H264INTRA_CORE_PACKET_LAYOUT_H
#define H264INTRA_CORE_PACKET_LAYOUT_H

#include "h264intra/core/mb.h"

enum { H264I_PACKET_HEADERS = 512, H264I_PACKET_ALIGN = 16 };

/* Offset of the slices of the next frame, if those of a frame start at `at`. The first frame's
 * start at H264I_PACKET_HEADERS. */
LSCHED_FN uint64_t h264i_packet_next(uint64_t at, uint32_t slices_bytes)
{
	return ((at + slices_bytes + H264I_PACKET_ALIGN - 1) &
		       ~(uint64_t)(H264I_PACKET_ALIGN - 1)) +
	       H264I_PACKET_HEADERS;
}

/* Bytes of the packets of a group, including the space in front of each. */
static inline uint64_t h264i_packet_sum(const uint32_t *slices_bytes, uint32_t frames)
{
	uint64_t at = H264I_PACKET_HEADERS;

	for (uint32_t i = 0; i < frames; i++)
		at = h264i_packet_next(at, slices_bytes[i]);
	return at - H264I_PACKET_HEADERS;
}

/* Estimate of these bytes, before a frame is coded: a third above the largest of the clips in
 * media/ (23 bytes per macroblock at QP 27, 60 at QP 12; nine steps of QP halve it). Noise needs up
 * to 400. */
static inline uint64_t h264i_packet_estimate(const h264i_geom *g, int qp, uint32_t frames)
{
	uint64_t mbs = (uint64_t)g->mb_width * g->mb_height;
	uint64_t mb_bytes = (uint64_t)(240 * (18 - qp % 9) / 18) >> qp / 9;

	return frames * (H264I_PACKET_HEADERS + H264I_PACKET_ALIGN + 16 * (uint64_t)g->slices +
				mbs * mb_bytes);
}

#endif
