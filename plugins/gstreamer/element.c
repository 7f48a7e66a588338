/* The class of gpuintrah264enc: pads, states, queries. */
#include "config.h"

#include "plugins/gstreamer/cuda.h"
#include "plugins/gstreamer/element.h"

G_DEFINE_TYPE(GstGpuintraH264Enc, gst_gpuintra_h264_enc, GST_TYPE_VIDEO_ENCODER)

#define parent_class GST_VIDEO_ENCODER_CLASS(gst_gpuintra_h264_enc_parent_class)

/* 16,880 = 1,055 macroblocks, the longest side of level 6.2; the library checks the area. */
#define SIZES "width = (int) [ 16, 16880 ], height = (int) [ 16, 16880 ]"
/* In the order of preference; those behind GRAY8 are converted (gst_gpuintra_format). */
#define FORMATS                                                                                \
	"{ NV12, I420, GRAY8, P010_10LE, YUY2, UYVY, RGB, BGR, RGBA, BGRA, ARGB, ABGR, RGBx, " \
	"BGRx, xRGB, xBGR, RGBP, BGRP, GBR }"
#define RAW                                     \
	"format = (string) " FORMATS ", " SIZES \
	", framerate = (fraction) [ 0/1, 2147483647/1 ], interlace-mode = (string) progressive"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK,
	GST_PAD_ALWAYS,
	GST_STATIC_CAPS("video/x-raw(" GST_GPUINTRA_CUDA_MEMORY "), " RAW "; video/x-raw, " RAW));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
	GST_PAD_ALWAYS,
	GST_STATIC_CAPS("video/x-h264, " SIZES ", framerate = (fraction) [ 0/1, 2147483647/1 ], "
			"stream-format = (string) { byte-stream, avc }, alignment = (string) au, "
			"profile = (string) { constrained-baseline, baseline, main, high }"));

static gint device_of(GstGpuintraH264Enc *self)
{
	gint device;

	g_object_get(self, "cuda-device-id", &device, NULL);
	return device;
}

/* Finds the CUDA context of the pipeline, or makes one. Without it frames of host memory are
 * encoded, on the backend that the library selects when it opens the encoder. */
static gboolean open_device(GstVideoEncoder *base)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);
	gchar why[256] = "backend=cpu";
	gint backend;

	g_object_get(self, "backend", &backend, NULL);
	if (backend == H264I_BACKEND_CPU || !h264i_cuda_usable(why, sizeof(why)))
		GST_INFO_OBJECT(self, "no CUDA memory: %s", why);
	else
		gst_gpuintra_cuda_open(GST_ELEMENT(self), device_of(self), &self->context);
	self->opened = TRUE;
	return TRUE;
}

static gboolean close_device(GstVideoEncoder *base)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);

	self->opened = FALSE;
	gst_clear_object(&self->context);
	return TRUE;
}

static gboolean start(GstVideoEncoder *base)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);

	GST_OBJECT_LOCK(self);
	self->frames = self->device_frames = 0;
	GST_OBJECT_UNLOCK(self);
	self->failed = self->vary_qp = FALSE;
	return TRUE;
}

static gboolean stop(GstVideoEncoder *base)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);

	gst_gpuintra_close_encoder(self);
	gst_gpuintra_close_passes(self);
	g_clear_pointer(&self->input, gst_video_codec_state_unref);
	return TRUE;
}

/* The next frame opens an encoder again. */
static gboolean flush(GstVideoEncoder *base)
{
	gst_gpuintra_close_encoder(GST_GPUINTRA_H264_ENC(base));
	return TRUE;
}

static void set_context(GstElement *element, GstContext *context)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(element);

	gst_gpuintra_cuda_set_context(element, context, device_of(self), &self->context);
	GST_ELEMENT_CLASS(gst_gpuintra_h264_enc_parent_class)->set_context(element, context);
}

/* At the end of a segment seek there is no EOS. The base class drains at EOS alone. */
static gboolean sink_event(GstVideoEncoder *base, GstEvent *event)
{
	GstFlowReturn flow;

	if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT_DONE) {
		GST_VIDEO_ENCODER_STREAM_LOCK(base);
		flow = gst_gpuintra_finish(base);
		GST_VIDEO_ENCODER_STREAM_UNLOCK(base);
		if (flow == GST_FLOW_ERROR) {
			gst_event_unref(event);
			return FALSE;
		}
	}
	return parent_class->sink_event(base, event);
}

static gboolean sink_query(GstVideoEncoder *base, GstQuery *query)
{
	return gst_gpuintra_cuda_query(
		       GST_ELEMENT(base), query, GST_GPUINTRA_H264_ENC(base)->context) ||
	       parent_class->sink_query(base, query);
}

static gboolean src_query(GstVideoEncoder *base, GstQuery *query)
{
	return gst_gpuintra_cuda_query(
		       GST_ELEMENT(base), query, GST_GPUINTRA_H264_ENC(base)->context) ||
	       parent_class->src_query(base, query);
}

static gboolean is_host_memory(GstCapsFeatures *features, GstStructure *structure, gpointer unused)
{
	(void)structure;
	(void)unused;
	return !gst_caps_features_contains(features, GST_GPUINTRA_CUDA_MEMORY);
}

/* Leaves CUDA memory out of the caps if there is no context to read it in. Pads are linked in the
 * state NULL, where this is not known yet. */
static GstCaps *getcaps(GstVideoEncoder *base, GstCaps *filter)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);
	GstCaps *caps = gst_video_encoder_proxy_getcaps(base, NULL, filter);

	if (self->opened && !self->context) {
		caps = gst_caps_make_writable(caps);
		gst_caps_filter_and_map_in_place(caps, is_host_memory, NULL);
	}
	return caps;
}

static gboolean propose_allocation(GstVideoEncoder *base, GstQuery *query)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);
	GstCaps *caps = NULL;
	GstVideoInfo info;

	gst_query_parse_allocation(query, &caps, NULL);
	if (!caps || !gst_video_info_from_caps(&info, caps))
		return FALSE;
	if (gst_caps_features_contains(gst_caps_get_features(caps, 0), GST_GPUINTRA_CUDA_MEMORY) &&
		!gst_gpuintra_cuda_propose_pool(self->context, query, caps, &info)) {
		GST_WARNING_OBJECT(self, "no buffer pool for %" GST_PTR_FORMAT, caps);
		return FALSE;
	}
	gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
	return parent_class->propose_allocation(base, query);
}

static void finalize(GObject *object)
{
	gst_gpuintra_free_properties(GST_GPUINTRA_H264_ENC(object));
	G_OBJECT_CLASS(parent_class)->finalize(object);
}

static void gst_gpuintra_h264_enc_class_init(GstGpuintraH264EncClass *klass)
{
	GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
	GstVideoEncoderClass *encoder_class = GST_VIDEO_ENCODER_CLASS(klass);

	gst_gpuintra_install_properties(G_OBJECT_CLASS(klass));
	G_OBJECT_CLASS(klass)->finalize = finalize;

	element_class->set_context = set_context;
	gst_element_class_add_static_pad_template(element_class, &sink_template);
	gst_element_class_add_static_pad_template(element_class, &src_template);
	gst_element_class_set_static_metadata(element_class, "gpuintra H.264 encoder",
		"Codec/Encoder/Video", "Encodes all-intra H.264 on a CUDA device or on CPU threads",
		"gputasks");

	encoder_class->open = open_device;
	encoder_class->close = close_device;
	encoder_class->start = start;
	encoder_class->stop = stop;
	encoder_class->flush = flush;
	encoder_class->set_format = gst_gpuintra_set_format;
	encoder_class->handle_frame = gst_gpuintra_handle_frame;
	encoder_class->finish = gst_gpuintra_finish;
	encoder_class->getcaps = getcaps;
	encoder_class->sink_event = sink_event;
	encoder_class->sink_query = sink_query;
	encoder_class->src_query = src_query;
	encoder_class->propose_allocation = propose_allocation;
}

static void gst_gpuintra_h264_enc_init(GstGpuintraH264Enc *self)
{
	gst_gpuintra_init_properties(self);
	/* Caps without interlace-mode are progressive, but no subset of the template's. */
	GST_PAD_SET_ACCEPT_INTERSECT(GST_VIDEO_ENCODER_SINK_PAD(self));
}
