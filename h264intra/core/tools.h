/* The coding tools that a macroblock chooses from: its type and its prediction modes. This table
 * feeds the statistics of both backends, h264i_get_tool() and with it the option --disable-modes,
 * the report and bench/ablation.py. */
#ifndef H264INTRA_CORE_TOOLS_H
#define H264INTRA_CORE_TOOLS_H

#include <h264intra/h264intra.h>
#include "h264intra/core/mb.h"

/* X(kind, mode, name, disable): `mode` is the standard's number, -1 the macroblock type itself, -2
 * the modes of block 5 that may read UP-RIGHT;
 * `disable` its bit of options.disable_modes, 0: none. The modes of a kind are consecutive. */
#define H264I_TOOLS(X)                                                 \
	X("i4", -1, "all", H264I_DISABLE_I4_ALL)                       \
	X("i8", -1, "all", 0)                                          \
	X("i16", -1, "all", H264I_DISABLE_I16_ALL)                     \
	X("pcm", -1, "all", 0)                                         \
	X("i4", I4_V, "vertical", H264I_DISABLE_I4(I4_V))              \
	X("i4", I4_H, "horizontal", H264I_DISABLE_I4(I4_H))            \
	X("i4", I4_DC, "dc", 0)                                        \
	X("i4", I4_DDL, "ddl", H264I_DISABLE_I4(I4_DDL))               \
	X("i4", I4_DDR, "ddr", H264I_DISABLE_I4(I4_DDR))               \
	X("i4", I4_VR, "vr", H264I_DISABLE_I4(I4_VR))                  \
	X("i4", I4_HD, "hd", H264I_DISABLE_I4(I4_HD))                  \
	X("i4", I4_VL, "vl", H264I_DISABLE_I4(I4_VL))                  \
	X("i4", I4_HU, "hu", H264I_DISABLE_I4(I4_HU))                  \
	X("i8", I4_V, "vertical", 0)                                   \
	X("i8", I4_H, "horizontal", 0)                                 \
	X("i8", I4_DC, "dc", 0)                                        \
	X("i8", I4_DDL, "ddl", 0)                                      \
	X("i8", I4_DDR, "ddr", 0)                                      \
	X("i8", I4_VR, "vr", 0)                                        \
	X("i8", I4_HD, "hd", 0)                                        \
	X("i8", I4_VL, "vl", 0)                                        \
	X("i8", I4_HU, "hu", 0)                                        \
	X("i16", I16_V, "vertical", H264I_DISABLE_I16(I16_V))          \
	X("i16", I16_H, "horizontal", H264I_DISABLE_I16(I16_H))        \
	X("i16", I16_DC, "dc", 0)                                      \
	X("i16", I16_PLANE, "plane", H264I_DISABLE_I16(I16_PLANE))     \
	X("chroma", IC_DC, "dc", 0)                                    \
	X("chroma", IC_H, "horizontal", H264I_DISABLE_CHROMA(IC_H))    \
	X("chroma", IC_V, "vertical", H264I_DISABLE_CHROMA(IC_V))      \
	X("chroma", IC_PLANE, "plane", H264I_DISABLE_CHROMA(IC_PLANE)) \
	X("i4", -2, "upright", H264I_DISABLE_UPRIGHT)

/* The first entry of each kind in the table. */
enum {
	H264I_TOOL_I4X4,
	H264I_TOOL_I8X8,
	H264I_TOOL_I16X16,
	H264I_TOOL_PCM,
	H264I_TOOL_I4_MODE,
	H264I_TOOL_I8_MODE = H264I_TOOL_I4_MODE + I4_MODES,
	H264I_TOOL_I16_MODE = H264I_TOOL_I8_MODE + I4_MODES,
	H264I_TOOL_CHROMA_MODE = H264I_TOOL_I16_MODE + I16_MODES,
	H264I_TOOL_UPRIGHT = H264I_TOOL_CHROMA_MODE + IC_MODES,
	H264I_TOOL_COUNT
};

/* How often each tool was chosen: macroblocks, or blocks for the modes of Intra4x4 and Intra8x8. */
typedef struct h264i_tool_counts {
	uint64_t n[H264I_TOOL_COUNT];
} h264i_tool_counts;

/* A macroblock has at most so many: its type, 16 modes of luma blocks, one of chroma, UP-RIGHT. */
enum { H264I_MB_TOOLS_MAX = 19 };

/* Writes the tools of a macroblock, each as often as it was chosen, and returns their number.
 * `gray`: the stream has no chroma. */
LSCHED_FN int h264i_mb_tools(const h264i_mb *mb, int gray, uint8_t tool[H264I_MB_TOOLS_MAX])
{
	const int is_8x8 = (mb->flags & H264I_MB_T8X8) != 0;
	int n = 0;

	if (mb->type == H264I_MB_PCM) {
		tool[n++] = H264I_TOOL_PCM;
		return n;
	}
	if (!gray)
		tool[n++] = (uint8_t)(H264I_TOOL_CHROMA_MODE + mb->chroma_mode);
	if (mb->type == H264I_MB_I16X16) {
		tool[n++] = H264I_TOOL_I16X16;
		tool[n++] = (uint8_t)(H264I_TOOL_I16_MODE + mb->i16_mode);
		return n;
	}
	tool[n++] = is_8x8 ? H264I_TOOL_I8X8 : H264I_TOOL_I4X4;
	for (int b = 0; b < 16; b += is_8x8 ? 4 : 1)
		tool[n++] = (uint8_t)((is_8x8 ? H264I_TOOL_I8_MODE : H264I_TOOL_I4_MODE) +
				      mb->i4_mode[b]);
	if (!is_8x8 && H264I_UPRIGHT_MODES >> mb->i4_mode[H264I_UPRIGHT_BLOCK] & 1)
		tool[n++] = H264I_TOOL_UPRIGHT;
	return n;
}

#endif
