/* SEI messages of a frame (ITU-T H.264 clause 7.3.2.3) as one NAL unit. */
#include "h264intra/core/backend.h"

enum { SEI_BYTES_MAX = 1 << 20 };

/* Bytes of a number in the coding of clause 7.3.2.3.1: a byte 255 for each 255, then the rest. */
static size_t coded_bytes(size_t v)
{
	return v / 255 + 1;
}

static uint8_t *put_number(uint8_t *at, size_t v)
{
	for (; v >= 255; v -= 255)
		*at++ = 255;
	*at++ = (uint8_t)v;
	return at;
}

/* Sets the size of the payload of the NAL unit; 0 without messages. */
static h264i_status measure(h264i_encoder *enc, const h264i_frame *f, size_t *bytes)
{
	*bytes = 0;
	if (f->sei_count && !f->sei)
		return h264i_i_fail(
			enc, H264I_ERR_ARG, "%u SEI messages, but sei is NULL", f->sei_count);
	for (uint32_t i = 0; i < f->sei_count; i++) {
		const h264i_sei *m = &f->sei[i];

		if (m->bytes && !m->data)
			return h264i_i_fail(enc, H264I_ERR_ARG,
				"SEI message %u of %zu bytes is NULL", i, m->bytes);
		if (m->bytes > SEI_BYTES_MAX || m->type > SEI_BYTES_MAX)
			*bytes = SIZE_MAX / 2;
		else
			*bytes += coded_bytes(m->type) + coded_bytes(m->bytes) + m->bytes;
		if (*bytes > SEI_BYTES_MAX)
			return h264i_i_fail(enc, H264I_ERR_ARG,
				"SEI messages of a picture exceed %d bytes", SEI_BYTES_MAX);
	}
	return H264I_OK;
}

h264i_status h264i_i_sei_put(h264i_encoder *enc, h264i_buf *out, const h264i_frame *f)
{
	h264i_buf rbsp = { NULL, 0, 0 };
	h264i_status s;
	uint8_t *at;
	size_t bytes;
	int failed;

	out->bytes = 0;
	s = measure(enc, f, &bytes);
	if (s != H264I_OK || !bytes)
		return s;
	if (h264i_i_buf_reserve(&rbsp, bytes + 1) != 0)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory for SEI");
	at = rbsp.data;
	for (uint32_t i = 0; i < f->sei_count; i++) {
		at = put_number(at, f->sei[i].type);
		at = put_number(at, f->sei[i].bytes);
		if (f->sei[i].bytes)
			memcpy(at, f->sei[i].data, f->sei[i].bytes);
		at += f->sei[i].bytes;
	}
	*at++ = 0x80; /* rbsp_trailing_bits */
	failed = h264i_i_buf_nal(out, 1, H264I_NAL_SEI, rbsp.data, (size_t)(at - rbsp.data));
	h264i_i_buf_free(&rbsp);
	return failed ? h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory for SEI") : H264I_OK;
}
