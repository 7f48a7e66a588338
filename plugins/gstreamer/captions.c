/* Closed captions: CEA-708 triplets of a buffer as SEI messages (ATSC A/53 part 4, clause 6.2). */
#include "config.h"

#include <string.h>

#include "plugins/gstreamer/element.h"

enum {
	SEI_T35 = 4, /* user_data_registered_itu_t_t35 */
	MAX_TRIPLETS = 31,
	HEAD_BYTES = 10
};

/* Country (USA), provider (ATSC), user_identifier "GA94", user_data_type_code 3 (cc_data). */
static const guint8 head[] = { 0xb5, 0x00, 0x31, 'G', 'A', '9', '4', 0x03 };

_Static_assert(sizeof(head) + 2 == HEAD_BYTES, "two bytes follow: flags with cc_count, em_data");
_Static_assert(HEAD_BYTES + 3 * MAX_TRIPLETS + 1 <= GST_GPUINTRA_CAPTION_BYTES,
	"the payload of 31 triplets fits");

static gsize write_payload(guint8 *out, const guint8 *triplets, gsize count)
{
	memcpy(out, head, sizeof(head));
	out[8] = (guint8)(0xc0 | count); /* reserved bit, process_cc_data_flag, cc_count */
	out[9] = 0xff;                   /* em_data */
	memcpy(out + HEAD_BYTES, triplets, 3 * count);
	out[HEAD_BYTES + 3 * count] = 0xff; /* marker_bits */
	return HEAD_BYTES + 3 * count + 1;
}

void gst_gpuintra_read_captions(
	GstGpuintraH264Enc *self, GstBuffer *buffer, gst_gpuintra_captions *out)
{
	gpointer state = NULL;
	GstMeta *meta;

	out->count = 0;
	while (out->count < GST_GPUINTRA_MAX_CAPTIONS &&
		(meta = gst_buffer_iterate_meta_filtered(
			 buffer, &state, GST_VIDEO_CAPTION_META_API_TYPE))) {
		const GstVideoCaptionMeta *caption = (const GstVideoCaptionMeta *)meta;
		gsize count = caption->size / 3, bytes;

		if (caption->caption_type != GST_VIDEO_CAPTION_TYPE_CEA708_RAW || !count) {
			GST_LOG_OBJECT(self,
				"captions of type %d are left out; convert them by "
				"ccconverter to cc_data",
				(int)caption->caption_type);
			continue;
		}
		if (count > MAX_TRIPLETS) {
			GST_WARNING_OBJECT(self,
				"%" G_GSIZE_FORMAT " caption triplets in a frame, 31 are allowed; "
				"the others are left out",
				count);
			count = MAX_TRIPLETS;
		}
		bytes = write_payload(out->payload[out->count], caption->data, count);
		out->sei[out->count] = (h264i_sei){ SEI_T35, out->payload[out->count], bytes };
		out->count++;
	}
}
