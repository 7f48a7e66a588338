/* slice_header() of ITU-T H.264 (clause 7.3.3) for I slices of IDR pictures that use the parameter
 * sets of params.h. */
#ifndef H264INTRA_BITSTREAM_SLICE_HDR_H
#define H264INTRA_BITSTREAM_SLICE_HDR_H

#include "h264intra/bitstream/bits.h"
#include "h264intra/core/mb.h"

/* A slice header is never longer. */
enum { H264I_SLICE_HDR_BITS_MAX = 88 };

/* `picture` is the number of the picture in the stream. Its lowest bit becomes idr_pic_id, which
 * must differ between consecutive IDR pictures (clause 7.4.3) and be the same in all slices of
 * one. qp_delta: SliceQPY - pic_init_qp. */
LSCHED_FN void h264i_slice_hdr_put(
	h264i_bits *out, uint32_t first_mb, uint32_t picture, int qp_delta, h264i_filter filter)
{
	h264i_bits_ue(out, first_mb);
	h264i_bits_ue(out, 7);     /* slice_type: I, as all slices of the picture */
	h264i_bits_ue(out, 0);     /* pic_parameter_set_id */
	h264i_bits_put(out, 0, 4); /* frame_num: 0 in an IDR picture; log2_max_frame_num is 4 */
	h264i_bits_ue(out, picture & 1); /* idr_pic_id */
	h264i_bits_put(out, 0, 2); /* no_output_of_prior_pics_flag, long_term_reference_flag */
	h264i_bits_se(out, qp_delta);
	if (filter.on) {
		h264i_bits_ue(out, 0); /* disable_deblocking_filter_idc: filter, across slices */
		h264i_bits_se(out, filter.alpha);
		h264i_bits_se(out, filter.beta);
	} else {
		h264i_bits_ue(out, 1);
	}
}

/* cabac_alignment_one_bit: slice_data() with CABAC begins at a byte (clause 7.3.4). */
LSCHED_FN void h264i_slice_hdr_align(h264i_bits *out)
{
	uint32_t n = (0u - out->fill) & 7;

	h264i_bits_put(out, (1u << n) - 1, n);
}

#endif
