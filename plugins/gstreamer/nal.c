/* NAL units in packets of the library. */
#include "config.h"

#include "plugins/gstreamer/nal.h"

#include <string.h>

enum { START_CODE_BYTES = 4 };

/* Returns the offset of the next start code at or behind `from`, or `bytes`. Emulation prevention
 * excludes three zero bytes inside a NAL unit. */
static gsize next_start(const guint8 *stream, gsize bytes, gsize from)
{
	static const guint8 code[START_CODE_BYTES] = { 0, 0, 0, 1 };
	const guint8 *found = memmem(stream + from, bytes - from, code, sizeof(code));

	return found ? (gsize)(found - stream) : bytes;
}

/* Writes a big-endian number of `count` bytes. GST_WRITE_UINT32_BE may write a misaligned word. */
static guint8 *write_number(guint8 *to, gsize number, int count)
{
	for (int i = count - 1; i >= 0; i--)
		*to++ = (guint8)(number >> 8 * i);
	return to;
}

gboolean gst_gpuintra_find_nal(const guint8 *stream, gsize bytes, guint type, gst_gpuintra_nal *nal)
{
	gsize at = next_start(stream, bytes, 0);

	while (at < bytes) {
		gsize begin = at + START_CODE_BYTES;

		at = next_start(stream, bytes, begin);
		if (at - begin >= 4 && (stream[begin] & 31) == type) {
			*nal = (gst_gpuintra_nal){ stream + begin, at - begin };
			return TRUE;
		}
	}
	return FALSE;
}

void gst_gpuintra_to_lengths(guint8 *stream, gsize bytes)
{
	gsize at = next_start(stream, bytes, 0);

	while (at < bytes) {
		gsize begin = at + START_CODE_BYTES, end = next_start(stream, bytes, begin);

		write_number(stream + at, end - begin, START_CODE_BYTES);
		at = end;
	}
}

GstBuffer *gst_gpuintra_avc_record(
	const gst_gpuintra_nal *sps, const gst_gpuintra_nal *pps, gboolean gray)
{
	const gboolean high = sps->data[1] == 100;
	gsize bytes = 6 + 2 + sps->bytes + 1 + 2 + pps->bytes + (high ? 4 : 0);
	guint8 *record = g_malloc(bytes), *p = record;

	*p++ = 1;            /* configurationVersion */
	*p++ = sps->data[1]; /* AVCProfileIndication */
	*p++ = sps->data[2]; /* profile_compatibility */
	*p++ = sps->data[3]; /* AVCLevelIndication */
	*p++ = 0xff;         /* lengthSizeMinusOne = 3 */
	*p++ = 0xe1;         /* one SPS */
	p = write_number(p, sps->bytes, 2);
	memcpy(p, sps->data, sps->bytes);
	p += sps->bytes;
	*p++ = 1; /* one PPS */
	p = write_number(p, pps->bytes, 2);
	memcpy(p, pps->data, pps->bytes);
	p += pps->bytes;
	if (high) {                           /* with the reserved bits, 1 each */
		*p++ = 0xfc | (gray ? 0 : 1); /* chroma_format */
		*p++ = 0xf8;                  /* bit_depth_luma_minus8 */
		*p++ = 0xf8;                  /* bit_depth_chroma_minus8 */
		*p = 0;                       /* no SPS extension */
	}
	return gst_buffer_new_wrapped(record, bytes);
}
