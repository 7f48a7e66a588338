/* The class of gpuintrah264enc: pads, properties, states, queries. */
#include "config.h"

#include "plugins/gstreamer/cuda.h"
#include "plugins/gstreamer/element.h"

G_DEFINE_TYPE(GstGpuintraH264Enc, gst_gpuintra_h264_enc, GST_TYPE_VIDEO_ENCODER)

#define parent_class GST_VIDEO_ENCODER_CLASS(gst_gpuintra_h264_enc_parent_class)

/* 16,880 = 1,055 macroblocks, the longest side of level 6.2; the library checks the area. */
#define SIZES "width = (int) [ 16, 16880, 2 ], height = (int) [ 16, 16880, 2 ]"
#define RAW                                        \
	"format = (string) { NV12, I420 }, " SIZES \
	", framerate = (fraction) [ 0/1, 2147483647/1 ], interlace-mode = (string) progressive"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK,
	GST_PAD_ALWAYS,
	GST_STATIC_CAPS("video/x-raw(" GST_GPUINTRA_CUDA_MEMORY "), " RAW "; video/x-raw, " RAW));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
	GST_PAD_ALWAYS,
	GST_STATIC_CAPS("video/x-h264, " SIZES ", framerate = (fraction) [ 0/1, 2147483647/1 ], "
			"stream-format = (string) { byte-stream, avc }, alignment = (string) au, "
			"profile = (string) constrained-baseline"));

typedef enum property_id {
	PROP_QP = 1,
	PROP_SLICES,
	PROP_DEBLOCK,
	PROP_FRAMES_IN_FLIGHT,
	PROP_BACKEND,
	PROP_CUDA_DEVICE_ID,
	PROP_THREADS,
	PROP_SM_LIMIT,
	PROP_STREAM_PRIORITY,
	PROP_SCHED,
	PROP_AUD,
	PROP_STATS
} property_id;

static GType backend_type(void)
{
	static const GEnumValue values[] = {
		{ H264I_BACKEND_AUTO, "CUDA if a device is usable, else CPU threads", "auto" },
		{ H264I_BACKEND_CPU, "CPU threads", "cpu" },
		{ H264I_BACKEND_CUDA, "CUDA device", "cuda" },
		{ 0, NULL, NULL },
	};
	static gsize type;

	if (g_once_init_enter(&type))
		g_once_init_leave(&type, g_enum_register_static("GstGpuintraBackend", values));
	return type;
}

static GType sched_type(void)
{
	static const GEnumValue values[] = {
		{ H264I_SCHED_DYNAMIC, "Counters; any idle worker runs a ready macroblock",
			"dynamic" },
		{ H264I_SCHED_STATIC, "Workers take rows in a fixed order", "static" },
		{ H264I_SCHED_SYNC, "A barrier after each step of the wavefront", "sync" },
		{ 0, NULL, NULL },
	};
	static gsize type;

	if (g_once_init_enter(&type))
		g_once_init_leave(&type, g_enum_register_static("GstGpuintraSched", values));
	return type;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(object);
	gst_gpuintra_settings *s = &self->settings;

	GST_OBJECT_LOCK(self);
	switch ((property_id)id) {
	case PROP_QP:
		s->qp = g_value_get_uint(value);
		break;
	case PROP_SLICES:
		s->slices = g_value_get_uint(value);
		break;
	case PROP_DEBLOCK:
		s->deblock = g_value_get_boolean(value);
		break;
	case PROP_FRAMES_IN_FLIGHT:
		s->frames_in_flight = g_value_get_uint(value);
		break;
	case PROP_BACKEND:
		s->backend = g_value_get_enum(value);
		break;
	case PROP_CUDA_DEVICE_ID:
		s->cuda_device_id = g_value_get_int(value);
		break;
	case PROP_THREADS:
		s->threads = g_value_get_uint(value);
		break;
	case PROP_SM_LIMIT:
		s->sm_limit = g_value_get_uint(value);
		break;
	case PROP_STREAM_PRIORITY:
		s->stream_priority = g_value_get_int(value);
		break;
	case PROP_SCHED:
		s->sched = g_value_get_enum(value);
		break;
	case PROP_AUD:
		s->aud = g_value_get_boolean(value);
		break;
	case PROP_STATS:
	default:
		G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
	}
	GST_OBJECT_UNLOCK(self);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(object);
	const gst_gpuintra_settings *s = &self->settings;

	GST_OBJECT_LOCK(self);
	switch ((property_id)id) {
	case PROP_QP:
		g_value_set_uint(value, s->qp);
		break;
	case PROP_SLICES:
		g_value_set_uint(value, s->slices);
		break;
	case PROP_DEBLOCK:
		g_value_set_boolean(value, s->deblock);
		break;
	case PROP_FRAMES_IN_FLIGHT:
		g_value_set_uint(value, s->frames_in_flight);
		break;
	case PROP_BACKEND:
		g_value_set_enum(value, s->backend);
		break;
	case PROP_CUDA_DEVICE_ID:
		g_value_set_int(value, s->cuda_device_id);
		break;
	case PROP_THREADS:
		g_value_set_uint(value, s->threads);
		break;
	case PROP_SM_LIMIT:
		g_value_set_uint(value, s->sm_limit);
		break;
	case PROP_STREAM_PRIORITY:
		g_value_set_int(value, s->stream_priority);
		break;
	case PROP_SCHED:
		g_value_set_enum(value, s->sched);
		break;
	case PROP_AUD:
		g_value_set_boolean(value, s->aud);
		break;
	case PROP_STATS:
		g_value_take_boxed(
			value, gst_structure_new("application/x-gpuintra-stats", "frames",
				       G_TYPE_UINT64, self->frames, "device-frames", G_TYPE_UINT64,
				       self->device_frames, NULL));
		break;
	default:
		G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
	}
	GST_OBJECT_UNLOCK(self);
}

/* Finds the CUDA context of the pipeline, or makes one. Without it frames of host memory are
 * encoded, on the backend that the library selects when it opens the encoder. */
static gboolean open_device(GstVideoEncoder *base)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);
	gchar why[256] = "backend=cpu";

	if (self->settings.backend == H264I_BACKEND_CPU || !h264i_cuda_usable(why, sizeof(why)))
		GST_INFO_OBJECT(self, "no CUDA memory: %s", why);
	else
		gst_gpuintra_cuda_open(
			GST_ELEMENT(self), self->settings.cuda_device_id, &self->context);
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
	self->failed = FALSE;
	return TRUE;
}

static gboolean stop(GstVideoEncoder *base)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);

	gst_gpuintra_close_encoder(self);
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

	gst_gpuintra_cuda_set_context(
		element, context, self->settings.cuda_device_id, &self->context);
	GST_ELEMENT_CLASS(gst_gpuintra_h264_enc_parent_class)->set_context(element, context);
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

static void install_properties(GObjectClass *object_class)
{
	const GParamFlags flags =
		G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
	GObjectClass *c = object_class;

	g_object_class_install_property(c, PROP_QP,
		g_param_spec_uint("qp", "QP",
			"Quantisation parameter, 0 (best quality) to 51 (smallest stream)", 0, 51,
			27, flags));
	g_object_class_install_property(c, PROP_SLICES,
		g_param_spec_uint("slices", "Slices",
			"Slices per picture, at most one per macroblock row", 1, 1055, 1, flags));
	g_object_class_install_property(c, PROP_DEBLOCK,
		g_param_spec_boolean("deblock", "Deblock",
			"Enable the deblocking filter in decoders", TRUE, flags));
	g_object_class_install_property(c, PROP_FRAMES_IN_FLIGHT,
		g_param_spec_uint("frames-in-flight", "Frames in flight",
			"Frames encoded at the same time; 0: 1 if upstream is live, else as many "
			"as "
			"occupy the device",
			0, 1024, 0, flags));
	g_object_class_install_property(c, PROP_BACKEND,
		g_param_spec_enum("backend", "Backend", "Backend of the encoder", backend_type(),
			H264I_BACKEND_AUTO, flags));
	g_object_class_install_property(c, PROP_CUDA_DEVICE_ID,
		g_param_spec_int("cuda-device-id", "CUDA device ID",
			"CUDA device number; -1: that of the pipeline's CUDA context, else 0", -1,
			G_MAXINT, -1, flags));
	g_object_class_install_property(c, PROP_THREADS,
		g_param_spec_uint("threads", "Threads",
			"Threads of the CPU backend; 0: one per processor", 0, 1 << 20, 0, flags));
	g_object_class_install_property(c, PROP_SM_LIMIT,
		g_param_spec_uint("sm-limit", "Multiprocessor limit",
			"Use at most this many multiprocessors of the GPU, rounded up to what it "
			"can separate; 0: all",
			0, 4096, 0, flags));
	g_object_class_install_property(c, PROP_STREAM_PRIORITY,
		g_param_spec_int("stream-priority", "Stream priority",
			"Priority of the CUDA streams: 0 lowest, negative numbers higher", -100, 0,
			0, flags));
	g_object_class_install_property(c, PROP_SCHED,
		g_param_spec_enum("sched", "Scheme", "Dependency scheme of macroblocks",
			sched_type(), H264I_SCHED_DYNAMIC, flags));
	g_object_class_install_property(c, PROP_AUD,
		g_param_spec_boolean("aud", "AUD",
			"Begin each packet of a byte-stream with an access unit delimiter", TRUE,
			flags));
	g_object_class_install_property(c, PROP_STATS,
		g_param_spec_boxed("stats", "Statistics",
			"Frames since the start: frames, and device-frames that were not copied to "
			"the host",
			GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void gst_gpuintra_h264_enc_class_init(GstGpuintraH264EncClass *klass)
{
	GObjectClass *object_class = G_OBJECT_CLASS(klass);
	GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
	GstVideoEncoderClass *encoder_class = GST_VIDEO_ENCODER_CLASS(klass);

	object_class->set_property = set_property;
	object_class->get_property = get_property;
	install_properties(object_class);
	gst_type_mark_as_plugin_api(backend_type(), 0);
	gst_type_mark_as_plugin_api(sched_type(), 0);

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
	encoder_class->sink_query = sink_query;
	encoder_class->src_query = src_query;
	encoder_class->propose_allocation = propose_allocation;
}

static void gst_gpuintra_h264_enc_init(GstGpuintraH264Enc *self)
{
	self->settings = (gst_gpuintra_settings){ .qp = 27,
		.slices = 1,
		.backend = H264I_BACKEND_AUTO,
		.sched = H264I_SCHED_DYNAMIC,
		.cuda_device_id = -1,
		.deblock = TRUE,
		.aud = TRUE };
	/* Caps without interlace-mode are progressive, but no subset of the template's. */
	GST_PAD_SET_ACCEPT_INTERSECT(GST_VIDEO_ENCODER_SINK_PAD(self));
}
