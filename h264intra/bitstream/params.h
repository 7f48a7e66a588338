/* Sequence and picture parameter set (ITU-T H.264 clauses 7.3.2.1, 7.3.2.2 and Annex E) of a stream
 * whose pictures are all IDR pictures. */
#ifndef H264INTRA_BITSTREAM_PARAMS_H
#define H264INTRA_BITSTREAM_PARAMS_H

#include "h264intra/bitstream/bits.h"
#include "h264intra/bitstream/hrd.h"
#include "h264intra/bitstream/nal.h"
#include "h264intra/core/mb.h"
#include "h264intra/transform/quant.h"
#include <h264intra/h264intra.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct h264i_params {
	h264i_geom geom;
	int qp;    /* pic_init_qp + H264I_QP_OFFSET */
	int level; /* level_idc; 9 is level 1b (h264i_i_choose_level) */
	h264i_filter filter;
	h264i_vui vui;
	int profile;      /* profile_idc: 66 with constraint_set1_flag, 77 or 100 */
	int cabac;        /* 1: entropy_coding_mode_flag; not with profile 66 */
	int transform8x8; /* 1: transform_8x8_mode_flag; only with profile 100 */
	int gray;         /* 1: chroma_format_idc 0; only with profile 100 */
	h264i_hrd hrd;
	/* chroma_qp_index_offset and second_chroma_qp_index_offset, -12..12; different ones only
	 * with profile 100 */
	int chroma_qp_offset[2];
	/* With profile 100: scaling matrices, of which `weights` has those of intra blocks */
	h264i_scaling scaling;
	h264i_weights weights;
} h264i_params;

/* Of H264I_SYNTAX_8X8, _GRAY and _CAVLC. */
static inline int h264i_i_syntax(const h264i_params *p)
{
	return (p->transform8x8 ? H264I_SYNTAX_8X8 : 0) | (p->gray ? H264I_SYNTAX_GRAY : 0) |
	       (p->cabac ? 0 : H264I_SYNTAX_CAVLC);
}

/* Enough words of 32 bits for either parameter set; custom matrices take up to 52. */
enum { H264I_PARAM_SET_WORDS = 96 };

/* Write seq_parameter_set_rbsp() and pic_parameter_set_rbsp(), trailing bits included. Of the VUI,
 * values outside the tables of Annex E are written as unspecified. */
void h264i_i_sps_put(h264i_bits *out, const h264i_params *p);
void h264i_i_pps_put(h264i_bits *out, const h264i_params *p);

/* Appends an access unit delimiter with a 4-byte start code. Returns 0, or -1 without memory. */
int h264i_i_delimiter_append(h264i_buf *out);

/* Appends both as NAL units with 4-byte start codes. Returns 0, or -1 without memory. */
int h264i_i_param_sets_append(h264i_buf *out, const h264i_params *p);

#ifdef __cplusplus
}
#endif
#endif
