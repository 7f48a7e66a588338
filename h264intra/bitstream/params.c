#include "h264intra/bitstream/params.h"

#include "h264intra/transform/dct8x8.h"

enum { EXTENDED_SAR = 255, UNSPECIFIED = 2 };

/* Table E-1; aspect_ratio_idc is the index + 1. */
static const struct {
	uint8_t num, den;
} sar_table[] = {
	{ 1, 1 },
	{ 12, 11 },
	{ 10, 11 },
	{ 16, 11 },
	{ 40, 33 },
	{ 24, 11 },
	{ 20, 11 },
	{ 32, 11 },
	{ 80, 33 },
	{ 18, 11 },
	{ 15, 11 },
	{ 64, 33 },
	{ 160, 99 },
	{ 4, 3 },
	{ 3, 2 },
	{ 2, 1 },
};

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static void put_sar(h264i_bits *out, uint32_t num, uint32_t den)
{
	uint32_t common, i;

	h264i_bits_put(out, num && den, 1); /* aspect_ratio_info_present_flag */
	if (!num || !den)
		return;
	common = gcd(num, den);
	num /= common;
	den /= common;
	for (i = 0; i < sizeof(sar_table) / sizeof(sar_table[0]); i++) {
		if (num == sar_table[i].num && den == sar_table[i].den) {
			h264i_bits_put(out, i + 1, 8);
			return;
		}
	}
	/* Both have 16 bits: longer values are halved, rounded down. */
	while (num > 65535 || den > 65535) {
		num = num / 2 + !(num / 2);
		den = den / 2 + !(den / 2);
	}
	h264i_bits_put(out, EXTENDED_SAR, 8);
	h264i_bits_put(out, num, 16);
	h264i_bits_put(out, den, 16);
}

/* A code of tables E-3 to E-5. 0 is reserved; for the matrix it is RGB, which 4:2:0 excludes. */
static uint32_t colour_code(int v)
{
	return v < 1 || v > 255 ? UNSPECIFIED : (uint32_t)v;
}

static void put_video_signal(h264i_bits *out, const h264i_vui *v)
{
	uint32_t primaries = colour_code(v->primaries), transfer = colour_code(v->transfer);
	uint32_t matrix = colour_code(v->matrix);
	uint32_t described =
		primaries != UNSPECIFIED || transfer != UNSPECIFIED || matrix != UNSPECIFIED;
	uint32_t present = described || v->full_range >= 0;

	h264i_bits_put(out, present, 1); /* video_signal_type_present_flag */
	if (!present)
		return;
	h264i_bits_put(out, 5, 3); /* video_format: unspecified */
	h264i_bits_put(out, v->full_range > 0, 1);
	h264i_bits_put(out, described, 1);
	if (described) {
		h264i_bits_put(out, primaries, 8);
		h264i_bits_put(out, transfer, 8);
		h264i_bits_put(out, matrix, 8);
	}
}

static void put_timing(h264i_bits *out, const h264i_vui *v)
{
	uint32_t num = v->fps_num, den = v->fps_den;

	h264i_bits_put(out, num && den, 1); /* timing_info_present_flag */
	if (!num || !den)
		return;
	if (num > UINT32_MAX / 2) { /* time_scale is twice that */
		uint32_t common = gcd(num, den);

		num /= common;
		den /= common;
		if (num > UINT32_MAX / 2) {
			num /= 2;
			den = den / 2 + !(den / 2);
		}
	}
	/* A frame lasts two ticks (clause E.2.1). */
	h264i_bits_put(out, den, 32);     /* num_units_in_tick */
	h264i_bits_put(out, 2 * num, 32); /* time_scale */
	h264i_bits_put(out, v->fixed_rate != 0, 1);
}

static void put_vui(h264i_bits *out, const h264i_vui *v, const h264i_hrd *hrd)
{
	uint32_t chroma_loc = v->chroma_loc >= 0 && v->chroma_loc <= 5;

	put_sar(out, v->sar_num, v->sar_den);
	h264i_bits_put(out, 0, 1); /* overscan_info_present_flag */
	put_video_signal(out, v);
	h264i_bits_put(out, chroma_loc, 1);
	if (chroma_loc) {
		h264i_bits_ue(out, (uint32_t)v->chroma_loc); /* top field */
		h264i_bits_ue(out, (uint32_t)v->chroma_loc); /* bottom field: the same in frames */
	}
	put_timing(out, v);
	h264i_bits_put(out, hrd->rate != 0, 1); /* nal_hrd_parameters_present_flag */
	if (hrd->rate)
		h264i_i_hrd_put(out, hrd);
	h264i_bits_put(out, 0, 1); /* vcl_hrd_parameters_present_flag */
	if (hrd->rate)
		h264i_bits_put(out, 0, 1); /* low_delay_hrd_flag */
	h264i_bits_put(out, 0, 1);         /* pic_struct_present_flag */
	/* Without these a decoder may delay pictures, because the level would allow reordering. */
	h264i_bits_put(out, 1, 1); /* bitstream_restriction_flag */
	h264i_bits_put(out, 1, 1); /* motion_vectors_over_pic_boundaries_flag */
	h264i_bits_ue(out, 0);     /* max_bytes_per_pic_denom: no limit given */
	h264i_bits_ue(out, 0);     /* max_bits_per_mb_denom: no limit given */
	h264i_bits_ue(out, 15);    /* log2_max_mv_length_horizontal: no limit given */
	h264i_bits_ue(out, 15);    /* log2_max_mv_length_vertical */
	h264i_bits_ue(out, 0);     /* max_num_reorder_frames */
	h264i_bits_ue(out, 1);     /* max_dec_frame_buffering: not below max_num_ref_frames */
}

/* profile_idc, the constraint flags, level_idc. */
static void put_profile(h264i_bits *out, const h264i_params *p)
{
	/* In High, constraint_set3_flag is another promise, and level 1b has a number (A.3.4). */
	int old_1b = p->level == 9 && p->profile != 100;

	h264i_bits_put(out, (uint32_t)p->profile, 8);
	h264i_bits_put(out, p->profile == 66, 1);  /* set0 */
	h264i_bits_put(out, p->profile != 100, 1); /* set1; with 66: Constrained Baseline */
	h264i_bits_put(out, 0, 1);                 /* set2 */
	h264i_bits_put(out, (uint32_t)old_1b, 1);  /* set3: level 1b is coded as 1.1 with it */
	h264i_bits_put(out, 0, 4);                 /* set4, set5, reserved_zero_2bits */
	h264i_bits_put(out, old_1b ? 11 : (uint32_t)p->level, 8);
}

/* scaling_list() (clause 7.3.2.1.1.1); weight: by position, order: of the scan. */
static void put_list(h264i_bits *out, const uint8_t *weight, const uint8_t *order, int n)
{
	int last = 8;

	for (int k = 0; k < n; k++) {
		int next = weight[order[k]], delta = next - last;

		/* modulo 256, so that it is in -128..127 */
		h264i_bits_se(out, delta > 127 ? delta - 256 : delta < -128 ? delta + 256 : delta);
		last = next;
	}
}

/* The scaling matrices. An absent list follows fall-back rule A (table 7-2): that of Cr is that of
 * Cb, that of Cb is that of Y, and others are the default. Those of inter blocks are not used. */
static void put_matrices(h264i_bits *out, const h264i_params *p)
{
	static const uint8_t zigzag[16] = H264I_ZIGZAG_INIT, zigzag8[64] = H264I_ZIGZAG8_INIT;
	const h264i_weights *w = &p->weights;

	h264i_bits_put(out, p->scaling != H264I_SCALING_FLAT, 1); /* ..._present_flag */
	if (p->scaling == H264I_SCALING_FLAT)
		return;
	if (p->scaling == H264I_SCALING_DEFAULT) {
		h264i_bits_put(out, 0, 8);
		return;
	}
	h264i_bits_put(out, 1, 1); /* Intra Y */
	put_list(out, w->luma4, zigzag, 16);
	h264i_bits_put(out, 1, 1); /* Intra Cb */
	put_list(out, w->chroma4, zigzag, 16);
	h264i_bits_put(out, 0, 4); /* Intra Cr, Inter Y, Cb, Cr */
	h264i_bits_put(out, 1, 1); /* Intra Y of 8x8 */
	put_list(out, w->luma8, zigzag8, 64);
	h264i_bits_put(out, 0, 1); /* Inter Y of 8x8 */
}

void h264i_i_sps_put(h264i_bits *out, const h264i_params *p)
{
	const h264i_geom *g = &p->geom;
	/* frame_crop_offset counts chroma samples, of 4:0:0 luma samples. */
	uint32_t right = (g->mb_width * 16 - g->width) / (p->gray ? 1 : 16 / H264I_CHROMA_W);
	uint32_t bottom = (g->mb_height * 16 - g->height) / (p->gray ? 1 : 16 / H264I_CHROMA_H);

	put_profile(out, p);
	h264i_bits_ue(out, 0); /* seq_parameter_set_id */
	if (p->profile == 100) {
		h264i_bits_ue(out, p->gray ? 0 : H264I_CHROMA_FORMAT); /* chroma_format_idc */
		h264i_bits_ue(out, H264I_DEPTH_SHIFT);                 /* bit_depth_luma_minus8 */
		h264i_bits_ue(out, H264I_DEPTH_SHIFT);                 /* bit_depth_chroma_minus8 */
		h264i_bits_put(out, 0, 1); /* qpprime_y_zero_transform_bypass_flag */
		put_matrices(out, p);
	}
	h264i_bits_ue(out, 0);     /* log2_max_frame_num_minus4 */
	h264i_bits_ue(out, 2);     /* pic_order_cnt_type: output order is decoding order */
	h264i_bits_ue(out, 1);     /* max_num_ref_frames: IDR pictures are reference pictures */
	h264i_bits_put(out, 0, 1); /* gaps_in_frame_num_value_allowed_flag */
	h264i_bits_ue(out, g->mb_width - 1);
	h264i_bits_ue(out, g->mb_height - 1);
	h264i_bits_put(out, 1, 1);               /* frame_mbs_only_flag */
	h264i_bits_put(out, 1, 1);               /* direct_8x8_inference_flag */
	h264i_bits_put(out, right || bottom, 1); /* frame_cropping_flag */
	if (right || bottom) {
		h264i_bits_ue(out, 0);
		h264i_bits_ue(out, right);
		h264i_bits_ue(out, 0);
		h264i_bits_ue(out, bottom);
	}
	h264i_bits_put(out, 1, 1); /* vui_parameters_present_flag */
	put_vui(out, &p->vui, &p->hrd);
	h264i_bits_trailing(out);
}

void h264i_i_pps_put(h264i_bits *out, const h264i_params *p)
{
	h264i_bits_ue(out, 0);              /* pic_parameter_set_id */
	h264i_bits_ue(out, 0);              /* seq_parameter_set_id */
	h264i_bits_put(out, !!p->cabac, 1); /* entropy_coding_mode_flag */
	h264i_bits_put(out, 0, 1);          /* bottom_field_pic_order_in_frame_present_flag */
	h264i_bits_ue(out, 0);              /* num_slice_groups_minus1 */
	h264i_bits_ue(out, 0);              /* num_ref_idx_l0_default_active_minus1 */
	h264i_bits_ue(out, 0);              /* num_ref_idx_l1_default_active_minus1 */
	h264i_bits_put(out, 0, 3);          /* weighted_pred_flag, weighted_bipred_idc */
	h264i_bits_se(out, p->qp - H264I_QP_OFFSET - 26); /* pic_init_qp_minus26 */
	h264i_bits_se(out, 0);                            /* pic_init_qs_minus26 */
	h264i_bits_se(out, p->chroma_qp_offset[0]);
	h264i_bits_put(out, 1, 1); /* deblocking_filter_control_present_flag */
	h264i_bits_put(out, 0, 1); /* constrained_intra_pred_flag */
	h264i_bits_put(out, 0, 1); /* redundant_pic_cnt_present_flag */
	/* Without these the second offset is the first one. */
	if (p->transform8x8 || p->chroma_qp_offset[0] != p->chroma_qp_offset[1]) {
		h264i_bits_put(out, !!p->transform8x8, 1);  /* transform_8x8_mode_flag */
		h264i_bits_put(out, 0, 1);                  /* pic_scaling_matrix_present_flag */
		h264i_bits_se(out, p->chroma_qp_offset[1]); /* second_chroma_qp_index_offset */
	}
	h264i_bits_trailing(out);
}

int h264i_i_delimiter_append(h264i_buf *out)
{
	/* primary_pic_type 0 (I slices only) in 3 bits, then the trailing bits */
	static const uint8_t rbsp[1] = { 0x10 };

	return h264i_i_buf_nal(out, 1, H264I_NAL_DELIMITER, rbsp, sizeof(rbsp));
}

int h264i_i_param_sets_append(h264i_buf *out, const h264i_params *p)
{
	static void (*const put[2])(
		h264i_bits *, const h264i_params *) = { h264i_i_sps_put, h264i_i_pps_put };
	static const int type[2] = { H264I_NAL_SPS, H264I_NAL_PPS };
	size_t before = out->bytes;
	int i;

	for (i = 0; i < 2; i++) {
		uint32_t word[H264I_PARAM_SET_WORDS];
		uint8_t rbsp[4 * H264I_PARAM_SET_WORDS];
		h264i_bits bits;
		size_t bytes;

		h264i_bits_init(&bits, word, 1, H264I_PARAM_SET_WORDS);
		put[i](&bits, p);
		h264i_bits_flush(&bits);
		bytes = (size_t)(h264i_bits_position(&bits) / 8);
		h264i_i_bits_to_bytes(rbsp, word, bytes);
		if (h264i_i_buf_nal(out, 1, type[i], rbsp, bytes)) {
			out->bytes = before;
			return -1;
		}
	}
	return 0;
}
