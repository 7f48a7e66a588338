/* The format of samples, which is constant for a compilation: bit depth and chroma format. The
 * includer may define H264I_BIT_DEPTH, 8 to 10, the same in all files of a program.
 *
 * QPs of the encoder are QP' = QP + QpBdOffset of the standard (clause 7.4.2.1.1), 0 to
 * H264I_QPS - 1: what the quantiser takes. Equal QP' is an equal quantiser step at every depth;
 * with 8 bits QP' is QP. Syntax and the deblocking filter subtract H264I_QP_OFFSET. */
#ifndef H264INTRA_CORE_FORMAT_H
#define H264INTRA_CORE_FORMAT_H

#include <stdint.h>

#ifndef H264I_BIT_DEPTH
#define H264I_BIT_DEPTH 8 /* of luma and of chroma */
#endif

/* Products of the quantiser have 32 bits, up to this depth. */
#if H264I_BIT_DEPTH < 8 || H264I_BIT_DEPTH > 10
#error "H264I_BIT_DEPTH is not in 8..10"
#endif

#if H264I_BIT_DEPTH == 8
typedef uint8_t h264i_px;
#else
typedef uint16_t h264i_px;
#endif

enum {
	H264I_DEPTH_SHIFT = H264I_BIT_DEPTH - 8,
	H264I_PX_MAX = (1 << H264I_BIT_DEPTH) - 1,
	H264I_PX_MID = 1 << (H264I_BIT_DEPTH - 1), /* without neighbours; grey as chroma */
	H264I_QP_OFFSET = 6 * H264I_DEPTH_SHIFT,   /* QpBdOffsetY and QpBdOffsetC */
	H264I_QPS = 52 + H264I_QP_OFFSET
};

/* chroma_format_idc 1: 4:2:0 (table 6-1). The chroma of a macroblock, per plane. */
enum {
	H264I_CHROMA_FORMAT = 1,
	H264I_CHROMA_W = 8, /* MbWidthC and MbHeightC: 4:2:2 has 8 and 16 */
	H264I_CHROMA_H = 8,
	H264I_CHROMA_PX = H264I_CHROMA_W * H264I_CHROMA_H,
	H264I_CHROMA_BLOCKS = H264I_CHROMA_PX / 16, /* 4x4 blocks */
	H264I_LUMA_PX = 16 * 16
};

/* The samples of an I_PCM macroblock (RawMbBits of clause 7.4.2.1.1). */
enum {
	H264I_PCM_PX = H264I_LUMA_PX + 2 * H264I_CHROMA_PX,
	H264I_PCM_BYTES = H264I_PCM_PX * H264I_BIT_DEPTH / 8
};

#endif
