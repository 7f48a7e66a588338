/* NAL units in packets of the library: start codes of 4 bytes to lengths of 4 bytes, and the record
 * of parameter sets that goes with them (ISO/IEC 14496-15). */
#ifndef PLUGINS_GSTREAMER_NAL_H
#define PLUGINS_GSTREAMER_NAL_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A NAL unit without its start code, in memory of the caller. */
typedef struct gst_gpuintra_nal {
	const guint8 *data;
	gsize bytes;
} gst_gpuintra_nal;

/* Finds the first NAL unit of this nal_unit_type that has 4 bytes or more. */
gboolean gst_gpuintra_find_nal(
	const guint8 *stream, gsize bytes, guint type, gst_gpuintra_nal *nal);

/* Replaces each start code by the length of the NAL unit behind it. */
void gst_gpuintra_to_lengths(guint8 *stream, gsize bytes);

/* Returns an AVCDecoderConfigurationRecord, which the caller unrefs. gray: the stream is 4:0:0. */
GstBuffer *gst_gpuintra_avc_record(
	const gst_gpuintra_nal *sps, const gst_gpuintra_nal *pps, gboolean gray);

G_END_DECLS

#endif
