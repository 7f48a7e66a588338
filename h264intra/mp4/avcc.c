/* H.264 in the file format of ISO/IEC 14496-15: decoder configuration and samples. */
#include "h264intra/mp4/avcc.h"
#include "h264intra/bitstream/nal.h"
#include <h264intra/mp4.h>

#include <string.h>

typedef struct nal_unit {
	const uint8_t *data; /* from the header byte */
	size_t bytes;
} nal_unit;

/* Position of the next start code prefix 00 00 01 at or after `at`, or `end`. */
static const uint8_t *find_prefix(const uint8_t *at, const uint8_t *end)
{
	while (end - at >= 3) {
		const uint8_t *one = memchr(at + 2, 1, (size_t)(end - at - 2));

		if (!one)
			return end;
		if (!one[-1] && !one[-2])
			return one - 2;
		at = one - 1;
	}
	return end;
}

/* Sets the next NAL unit of *at..end and moves *at behind it. Returns 0 at the end, and -1 if the
 * bytes do not begin with a start code or the NAL unit is empty. Zero bytes after it belong to the
 * next start code or are trailing_zero_8bits (clause B.1.1). */
static int next_nal(const uint8_t **at, const uint8_t *end, nal_unit *nal)
{
	const uint8_t *begin = *at, *stop;

	if (begin == end)
		return 0;
	while (begin < end && !*begin)
		begin++;
	if (begin - *at < 2 || begin == end || *begin != 1 || ++begin == end)
		return -1;
	stop = *at = find_prefix(begin, end);
	while (stop > begin && !stop[-1])
		stop--;
	nal->data = begin;
	nal->bytes = (size_t)(stop - begin);
	return nal->bytes ? 1 : -1;
}

static int nal_type(const nal_unit *nal)
{
	return nal->data[0] & 31;
}

/* Appends count and NAL units of one type. Returns their number, 0 also if they are too many or too
 * large for the record. */
static uint32_t put_sets(mp4_buf *out, const uint8_t *at, const uint8_t *end, int type)
{
	const size_t count_at = out->bytes;
	uint32_t count = 0;
	nal_unit nal;

	h264i_i_mp4_u8(out, 0);
	while (next_nal(&at, end, &nal) == 1) {
		if (nal_type(&nal) != type)
			continue;
		if (nal.bytes > 65535 || count == 31)
			return 0;
		count++;
		h264i_i_mp4_u16(out, (uint32_t)nal.bytes);
		h264i_i_mp4_put(out, nal.data, nal.bytes);
	}
	if (!out->failed)
		out->data[count_at] = (uint8_t)(count | (type == H264I_NAL_SPS ? 0xe0 : 0));
	return count;
}

/* Sets the first SPS with profile, constraint flags and level. Returns 1, or 0 if there is none. */
static int first_sps(const uint8_t *at, const uint8_t *end, nal_unit *nal)
{
	while (next_nal(&at, end, nal) == 1)
		if (nal_type(nal) == H264I_NAL_SPS && nal->bytes >= 4)
			return 1;
	return 0;
}

/* ue(v) at bit *at of a NAL unit, or UINT32_MAX beyond its end or a value above 254. */
static uint32_t read_ue(const nal_unit *nal, size_t *at)
{
	uint32_t zeros = 0, v = 1, more;

	for (; *at < 8 * nal->bytes && zeros < 8; zeros++, ++*at)
		if (nal->data[*at / 8] >> (7 - *at % 8) & 1)
			break;
	++*at;
	if (zeros == 8 || *at + zeros > 8 * nal->bytes)
		return UINT32_MAX;
	for (more = zeros; more; more--, ++*at)
		v = 2 * v | (nal->data[*at / 8] >> (7 - *at % 8) & 1u);
	return v - 1;
}

/* chroma_format_idc of an SPS of High with 8 bits a sample, 0 (4:0:0) or 1 (4:2:0), else -1. The
 * values are too small for bytes of emulation prevention. */
static int chroma_format(const nal_unit *sps)
{
	size_t at = 8 * 4;
	uint32_t id = read_ue(sps, &at), format = read_ue(sps, &at);

	return id < 32 && format < 2 && read_ue(sps, &at) == 0 && read_ue(sps, &at) == 0
		       ? (int)format
		       : -1;
}

h264i_status h264i_i_mp4_avcc(
	mp4_buf *out, const uint8_t *headers, size_t headers_bytes, const char **why)
{
	const uint8_t *end = headers + headers_bytes;
	nal_unit sps;
	int high;

	*why = "options.headers has no SPS and PPS in Annex B format: pass those of h264i_headers";
	if (!first_sps(headers, end, &sps))
		return H264I_ERR_ARG;
	high = sps.data[1] == 100;
	if (sps.data[1] != 66 && sps.data[1] != 77 && !(high && chroma_format(&sps) >= 0)) {
		*why = "options.headers has an SPS that is neither Baseline, Main nor High with "
		       "8-bit 4:2:0 or 4:0:0";
		return H264I_ERR_UNSUPPORTED;
	}
	h264i_i_mp4_u8(out, 1);
	h264i_i_mp4_put(out, sps.data + 1, 3);
	h264i_i_mp4_u8(out, 0xff); /* lengths have 4 bytes */
	if (!put_sets(out, headers, end, H264I_NAL_SPS) ||
		!put_sets(out, headers, end, H264I_NAL_PPS))
		return H264I_ERR_ARG;
	if (high) { /* with the reserved bits, 1 each; no SPS extension */
		h264i_i_mp4_u8(out, 0xfc | (uint8_t)chroma_format(&sps));
		h264i_i_mp4_u8(out, 0xf8); /* bit_depth_luma_minus8 */
		h264i_i_mp4_u8(out, 0xf8); /* bit_depth_chroma_minus8 */
		h264i_i_mp4_u8(out, 0);
	}
	*why = "out of memory";
	return out->failed ? H264I_ERR_NOMEM : H264I_OK;
}

size_t h264i_mp4_avcc(const uint8_t *headers, size_t headers_bytes, uint8_t *record, size_t room)
{
	mp4_buf b = { 0 };
	const char *why;
	size_t bytes = 0;

	if (headers && h264i_i_mp4_avcc(&b, headers, headers_bytes, &why) == H264I_OK) {
		bytes = b.bytes;
		if (record)
			memcpy(record, b.data, bytes < room ? bytes : room);
	}
	h264i_i_mp4_free(&b);
	return bytes;
}

h264i_status h264i_mp4_lengths(uint8_t *packet, size_t packet_bytes)
{
	const uint8_t *at = packet, *end = packet ? packet + packet_bytes : packet;
	uint8_t *length = packet;
	nal_unit nal;
	int more;

	while ((more = next_nal(&at, end, &nal)) == 1) {
		if (nal.data != length + 4)
			return H264I_ERR_ARG;
		for (int i = 0; i < 4; i++)
			length[i] = (uint8_t)(nal.bytes >> (24 - 8 * i));
		length += 4 + nal.bytes;
	}
	return more == 0 && length == end ? H264I_OK : H264I_ERR_ARG;
}

h264i_status h264i_i_mp4_sample(
	mp4_buf *out, const uint8_t *data, size_t data_bytes, const char **why)
{
	const uint8_t *at = data, *end = data + data_bytes;
	int more, slices = 0;
	nal_unit nal;

	*why = "out of memory";
	/* Lengths are at most one byte longer than start codes. */
	if (h264i_i_mp4_reserve(out, data_bytes + data_bytes / 4 + 4) != 0)
		return H264I_ERR_NOMEM;
	while ((more = next_nal(&at, end, &nal)) == 1) {
		const int type = nal_type(&nal);

		if (type == H264I_NAL_SPS || type == H264I_NAL_PPS || type == H264I_NAL_DELIMITER)
			continue;
		slices += type == H264I_NAL_IDR;
		h264i_i_mp4_u32(out, (uint32_t)nal.bytes);
		h264i_i_mp4_put(out, nal.data, nal.bytes);
	}
	*why = more < 0 ? "the packet is not in Annex B format"
			: "the packet has no slice of an IDR picture";
	return more < 0 || !slices ? H264I_ERR_ARG : H264I_OK;
}
