#include "apps/gpuintra/headers.h"

#include <string.h>

enum { NAL_PPS = 8, START_CODE_BYTES = 4, PPS_BYTES = 64 };

/* Bits of a parameter set without emulation prevention. */
typedef struct reader {
	uint8_t data[PPS_BYTES];
	size_t at, end; /* bits; end: the stop bit of rbsp_trailing_bits() */
} reader;

static uint32_t read_bit(reader *r)
{
	uint32_t bit;

	if (r->at >= r->end)
		return 0;
	bit = r->data[r->at / 8] >> (7 - r->at % 8) & 1u;
	r->at++;
	return bit;
}

/* Skips ue(v) or se(v). */
static void skip_code(reader *r)
{
	uint32_t zeros = 0;

	while (r->at < r->end && !read_bit(r))
		zeros++;
	r->at += zeros;
}

/* Sets up a reader of the bytes behind the NAL unit's header. */
static void start(reader *r, const uint8_t *data, size_t bytes)
{
	size_t n = 0;

	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < bytes && n < PPS_BYTES; i++)
		if (i < 2 || data[i] != 3 || data[i - 1] || data[i - 2])
			r->data[n++] = data[i];
	for (r->end = 8 * n; r->end > 0; r->end--)
		if (r->data[(r->end - 1) / 8] >> (7 - (r->end - 1) % 8) & 1)
			break;
	r->end -= r->end > 0;
}

/* pic_parameter_set_rbsp() (clause 7.3.2.2) with one slice group. */
static header_flags read_pps(const uint8_t *data, size_t bytes)
{
	header_flags f = { 0, 0 };
	reader r;

	start(&r, data, bytes);
	skip_code(&r); /* pic_parameter_set_id */
	skip_code(&r); /* seq_parameter_set_id */
	f.cabac = (int)read_bit(&r);
	r.at++; /* bottom_field_pic_order_in_frame_present_flag */
	for (int i = 0; i < 3; i++)
		skip_code(&r); /* num_slice_groups_minus1, num_ref_idx_l0, _l1 */
	r.at += 3;             /* weighted_pred_flag, weighted_bipred_idc */
	for (int i = 0; i < 3; i++)
		skip_code(&r); /* pic_init_qp, pic_init_qs, chroma_qp_index_offset */
	r.at += 3;             /* deblocking control, constrained_intra_pred, redundant_pic_cnt */
	f.transform8x8 = (int)read_bit(&r);
	return f;
}

header_flags headers_read(const uint8_t *headers, size_t bytes)
{
	static const uint8_t code[START_CODE_BYTES] = { 0, 0, 0, 1 };
	const header_flags none = { 0, 0 };
	const uint8_t *end = headers + bytes;

	for (const uint8_t *p = headers; (size_t)(end - p) > START_CODE_BYTES; p++)
		if (!memcmp(p, code, sizeof(code)) && (p[START_CODE_BYTES] & 31) == NAL_PPS)
			return read_pps(
				p + START_CODE_BYTES + 1, (size_t)(end - p) - START_CODE_BYTES - 1);
	return none;
}
