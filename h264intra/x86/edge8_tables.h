/* Bytes of the edge P', F2 and F3 of predict/edge8x8.h that make each Intra8x8 mode, as byte
 * shuffles of 16 bytes from a position on: 0x80 where the sample comes from another part. */
#ifndef H264INTRA_X86_EDGE8_TABLES_H
#define H264INTRA_X86_EDGE8_TABLES_H

#include "h264intra/predict/edge8x8.h"

/* Where vertical left starts in F2, and diagonal down left and vertical left in F3. */
enum { E8_VL_F2 = 9, E8_DL_F3 = 10 };

#define E8_FROM(pos, base) ((pos) >= (base) && (pos) < (base) + 16 ? (pos) - (base) : 0x80)

#define E8_H_P(x, y)      E8_FROM(E8_H_AT(x, y), E8_P)
#define E8_DDL_F3(x, y)   E8_FROM(E8_DDL_AT(x, y), E8_F3 + E8_DL_F3)
#define E8_DDR_F3(x, y)   E8_FROM(E8_DDR_AT(x, y), E8_F3)
#define E8_VR_F2(x, y)    E8_FROM(E8_VR_AT(x, y), E8_F2)
#define E8_VR_F3(x, y)    E8_FROM(E8_VR_AT(x, y), E8_F3)
#define E8_HD_F2(x, y)    E8_FROM(E8_HD_AT(x, y), E8_F2)
#define E8_HD_F3(x, y)    E8_FROM(E8_HD_AT(x, y), E8_F3)
#define E8_VL_AT_F2(x, y) E8_FROM(E8_VL_AT(x, y), E8_F2 + E8_VL_F2)
#define E8_VL_AT_F3(x, y) E8_FROM(E8_VL_AT(x, y), E8_F3 + E8_DL_F3)
#define E8_HU_P(x, y)     E8_FROM(E8_HU_AT(x, y), E8_P)
#define E8_HU_F2(x, y)    E8_FROM(E8_HU_AT(x, y), E8_F2)
#define E8_HU_F3(x, y)    E8_FROM(E8_HU_AT(x, y), E8_F3)

static const uint8_t e8_h_p[64] = E8_MODE(E8_H_P), e8_ddl_f3[64] = E8_MODE(E8_DDL_F3),
		     e8_ddr_f3[64] = E8_MODE(E8_DDR_F3), e8_vr_f2[64] = E8_MODE(E8_VR_F2),
		     e8_vr_f3[64] = E8_MODE(E8_VR_F3), e8_hd_f2[64] = E8_MODE(E8_HD_F2),
		     e8_hd_f3[64] = E8_MODE(E8_HD_F3), e8_vl_f2[64] = E8_MODE(E8_VL_AT_F2),
		     e8_vl_f3[64] = E8_MODE(E8_VL_AT_F3), e8_hu_p[64] = E8_MODE(E8_HU_P),
		     e8_hu_f2[64] = E8_MODE(E8_HU_F2), e8_hu_f3[64] = E8_MODE(E8_HU_F3);

#endif
