/* The properties of gpuintrah264enc. */
#include "config.h"

#include "plugins/gstreamer/element.h"

typedef enum property_id {
	PROP_QP = 1,
	PROP_SLICES,
	PROP_DEBLOCK,
	PROP_DEBLOCK_ALPHA,
	PROP_DEBLOCK_BETA,
	PROP_CHROMA_QP_OFFSET,
	PROP_CR_QP_OFFSET,
	PROP_CQM,
	PROP_PASS_LOG,
	PROP_DISABLE_MODES,
	PROP_CABAC,
	PROP_DCT8X8,
	PROP_PRESET,
	PROP_TUNE,
	PROP_RD,
	PROP_TRELLIS,
	PROP_FRAMES_IN_FLIGHT,
	PROP_BACKEND,
	PROP_CUDA_DEVICE_ID,
	PROP_THREADS,
	PROP_GPU_WORKERS,
	PROP_SM_LIMIT,
	PROP_STREAM_PRIORITY,
	PROP_SCHED,
	PROP_AUD,
	PROP_GRAY,
	PROP_STATS,
	PROP_RATE /* the first of those of rate.c */
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
		{ H264I_SCHED_AUTO, "The fastest: static on CUDA, dynamic on CPU threads", "auto" },
		{ 0, NULL, NULL },
	};
	static gsize type;

	if (g_once_init_enter(&type))
		g_once_init_leave(&type, g_enum_register_static("GstGpuintraSched", values));
	return type;
}

/* The values of x264enc's booleans of these names, and auto. */
enum { SWITCH_AUTO = -1, SWITCH_FALSE, SWITCH_TRUE };

/* none, and the names that a function of libh264intra lists. */
static GType names_type(
	const gchar *type_name, const char *name_of(unsigned), GEnumValue values[16])
{
	gint n = 0;

	values[n++] = (GEnumValue){ 0, "None: what the other properties say", "none" };
	for (const gchar *name; (name = name_of((unsigned)n - 1)) && n + 1 < 16; n++)
		values[n] = (GEnumValue){ n, name, name };
	return g_enum_register_static(type_name, values);
}

static GType preset_type(void)
{
	static GEnumValue values[16];
	static gsize type;

	if (g_once_init_enter(&type))
		g_once_init_leave(
			&type, names_type("GstGpuintraPreset", h264i_preset_name, values));
	return type;
}

static GType tune_type(void)
{
	static GEnumValue values[16];
	static gsize type;

	if (g_once_init_enter(&type))
		g_once_init_leave(&type, names_type("GstGpuintraTune", h264i_tune_name, values));
	return type;
}

static GType switch_type(void)
{
	static const GEnumValue values[] = {
		{ SWITCH_AUTO, "The encoder decides", "auto" },
		{ SWITCH_FALSE, "Off", "false" },
		{ SWITCH_TRUE, "On", "true" },
		{ 0, NULL, NULL },
	};
	static gsize type;

	if (g_once_init_enter(&type))
		g_once_init_leave(&type, g_enum_register_static("GstGpuintraSwitch", values));
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
	case PROP_DEBLOCK_ALPHA:
		s->deblock_alpha = g_value_get_int(value);
		break;
	case PROP_DEBLOCK_BETA:
		s->deblock_beta = g_value_get_int(value);
		break;
	case PROP_CHROMA_QP_OFFSET:
		s->chroma_qp_offset = g_value_get_int(value);
		break;
	case PROP_CR_QP_OFFSET:
		s->cr_qp_offset = g_value_get_int(value);
		break;
	case PROP_CQM:
		g_free(s->cqm);
		s->cqm = g_value_dup_string(value);
		break;
	case PROP_PASS_LOG:
		g_free(s->pass_log);
		s->pass_log = g_value_dup_string(value);
		break;
	case PROP_DISABLE_MODES:
		g_free(s->disable_modes);
		s->disable_modes = g_value_dup_string(value);
		break;
	case PROP_CABAC:
		s->cabac = g_value_get_enum(value);
		break;
	case PROP_DCT8X8:
		s->dct8x8 = g_value_get_enum(value);
		break;
	case PROP_PRESET:
		s->preset = g_value_get_enum(value);
		break;
	case PROP_TUNE:
		s->tune = g_value_get_enum(value);
		break;
	case PROP_RD:
		s->rd = g_value_get_int(value);
		break;
	case PROP_TRELLIS:
		s->trellis = g_value_get_int(value);
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
	case PROP_GPU_WORKERS:
		s->gpu_workers = g_value_get_uint(value);
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
	case PROP_GRAY:
		s->gray = g_value_get_boolean(value);
		break;
	case PROP_STATS:
	case PROP_RATE:
	default:
		if (id >= PROP_RATE && gst_gpuintra_set_rate(s, id - PROP_RATE, value))
			break;
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
	case PROP_DEBLOCK_ALPHA:
		g_value_set_int(value, s->deblock_alpha);
		break;
	case PROP_DEBLOCK_BETA:
		g_value_set_int(value, s->deblock_beta);
		break;
	case PROP_CHROMA_QP_OFFSET:
		g_value_set_int(value, s->chroma_qp_offset);
		break;
	case PROP_CR_QP_OFFSET:
		g_value_set_int(value, s->cr_qp_offset);
		break;
	case PROP_CQM:
		g_value_set_string(value, s->cqm ? s->cqm : "flat");
		break;
	case PROP_PASS_LOG:
		g_value_set_string(value, s->pass_log ? s->pass_log : GST_GPUINTRA_PASS_LOG);
		break;
	case PROP_DISABLE_MODES:
		g_value_set_string(value, s->disable_modes);
		break;
	case PROP_CABAC:
		g_value_set_enum(value, s->cabac);
		break;
	case PROP_DCT8X8:
		g_value_set_enum(value, s->dct8x8);
		break;
	case PROP_PRESET:
		g_value_set_enum(value, s->preset);
		break;
	case PROP_TUNE:
		g_value_set_enum(value, s->tune);
		break;
	case PROP_RD:
		g_value_set_int(value, s->rd);
		break;
	case PROP_TRELLIS:
		g_value_set_int(value, s->trellis);
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
	case PROP_GPU_WORKERS:
		g_value_set_uint(value, s->gpu_workers);
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
	case PROP_GRAY:
		g_value_set_boolean(value, s->gray);
		break;
	case PROP_STATS:
		g_value_take_boxed(
			value, gst_structure_new("application/x-gpuintra-stats", "frames",
				       G_TYPE_UINT64, self->frames, "device-frames", G_TYPE_UINT64,
				       self->device_frames, NULL));
		break;
	case PROP_RATE:
	default:
		if (id >= PROP_RATE && gst_gpuintra_get_rate(s, id - PROP_RATE, value))
			break;
		G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
	}
	GST_OBJECT_UNLOCK(self);
}

static const GParamFlags flags =
	G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

/* Properties of the stream. */
static void install_stream(GObjectClass *c)
{
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
	g_object_class_install_property(c, PROP_DEBLOCK_ALPHA,
		g_param_spec_int("deblock-alpha", "Deblock alpha",
			"Offset of the filter's strength, -6 to 6; -7: that of the tune, or 0",
			DEBLOCK_TUNE, 6, DEBLOCK_TUNE, flags));
	g_object_class_install_property(c, PROP_DEBLOCK_BETA,
		g_param_spec_int("deblock-beta", "Deblock beta",
			"Offset of the filter's detail threshold, -6 to 6; -7: that of the tune, "
			"or 0",
			DEBLOCK_TUNE, 6, DEBLOCK_TUNE, flags));
	g_object_class_install_property(c, PROP_CHROMA_QP_OFFSET,
		g_param_spec_int("chroma-qp-offset", "Chroma QP offset",
			"Added to the quantisation parameter of chroma", -12, 12, 0, flags));
	g_object_class_install_property(c, PROP_CR_QP_OFFSET,
		g_param_spec_int("cr-qp-offset", "Cr QP offset",
			"The same of Cr alone, in the profile high; -13: chroma-qp-offset",
			H264I_CR_AS_CB, 12, H264I_CR_AS_CB, flags));
	g_object_class_install_property(c, PROP_CQM,
		g_param_spec_string("cqm", "Scaling matrices",
			"flat, jvt (the standard's) or a file of matrices, in the profile high",
			"flat", flags));
	g_object_class_install_property(c, PROP_PASS_LOG,
		g_param_spec_string("pass-log", "Log of passes", "File between two passes",
			GST_GPUINTRA_PASS_LOG, flags));
	g_object_class_install_property(c, PROP_DISABLE_MODES,
		g_param_spec_string("disable-modes", "Disabled modes",
			"Prediction modes to leave out, such as i4:3,i16:plane,i4:upright,i16:all; "
			"none: none, not those of the preset either",
			NULL, flags));
	g_object_class_install_property(c, PROP_CABAC,
		g_param_spec_enum("cabac", "CABAC",
			"Code with CABAC, in the profiles main and high; auto: from QP 14 on",
			switch_type(), SWITCH_AUTO, flags));
	g_object_class_install_property(c, PROP_DCT8X8,
		g_param_spec_enum("dct8x8", "8x8 transform",
			"Allow the 8x8 transform and Intra 8x8; auto: in the profile high",
			switch_type(), SWITCH_AUTO, flags));
	g_object_class_install_property(c, PROP_PRESET,
		g_param_spec_enum("preset", "Preset",
			"Profile (if downstream accepts it), rd and trellis; the slower, the fewer "
			"bits",
			preset_type(), 0, flags));
	g_object_class_install_property(c, PROP_TUNE,
		g_param_spec_enum("tune", "Tune",
			"aq-mode, aq-strength and the offsets of the deblocking filter, for grain "
			"also trellis, by what the pictures are or how they are judged",
			tune_type(), 0, flags));
	g_object_class_install_property(c, PROP_RD,
		g_param_spec_int("rd", "Rate-distortion decisions",
			"0: none, 1: types, N: also N modes of a block; -1: the preset's", -1, 9,
			-1, flags));
	g_object_class_install_property(c, PROP_TRELLIS,
		g_param_spec_int("trellis", "Trellis",
			"Quantise by rate and distortion: 0 no, 1 one pass, 2 two; -1: the "
			"preset's",
			-1, 2, -1, flags));
	g_object_class_install_property(c, PROP_AUD,
		g_param_spec_boolean("aud", "AUD",
			"Begin each packet of a byte-stream with an access unit delimiter", TRUE,
			flags));
	g_object_class_install_property(c, PROP_GRAY,
		g_param_spec_boolean("gray", "Gray",
			"Luma alone (4:0:0), in the profile high, which not all decoders have; "
			"else the chroma of GRAY8 is neutral",
			FALSE, flags));
}

/* Properties of the execution, and the statistics. */
static void install_execution(GObjectClass *c)
{
	g_object_class_install_property(c, PROP_FRAMES_IN_FLIGHT,
		g_param_spec_uint("frames-in-flight", "Frames in flight",
			"Frames encoded at the same time, one more than the latency; 0: 1 if "
			"upstream is live, else as many as occupy the device",
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
	g_object_class_install_property(c, PROP_GPU_WORKERS,
		g_param_spec_uint("gpu-workers", "GPU workers",
			"Worker warps on the GPU; 0: automatic", 0, 1000000, 0, flags));
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
			sched_type(), H264I_SCHED_AUTO, flags));
	g_object_class_install_property(c, PROP_STATS,
		g_param_spec_boxed("stats", "Statistics",
			"Frames since the start: frames, and device-frames that were not copied to "
			"the host",
			GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

void gst_gpuintra_install_properties(GObjectClass *c)
{
	c->set_property = set_property;
	c->get_property = get_property;
	gst_type_mark_as_plugin_api(backend_type(), 0);
	gst_type_mark_as_plugin_api(sched_type(), 0);
	gst_type_mark_as_plugin_api(switch_type(), 0);
	gst_type_mark_as_plugin_api(preset_type(), 0);
	gst_type_mark_as_plugin_api(tune_type(), 0);
	install_stream(c);
	install_execution(c);
	gst_gpuintra_install_rate(c, PROP_RATE);
}

void gst_gpuintra_init_settings(gst_gpuintra_settings *s)
{
	*s = (gst_gpuintra_settings){ .qp = 27,
		.slices = 1,
		.backend = H264I_BACKEND_AUTO,
		.sched = H264I_SCHED_AUTO,
		.cuda_device_id = -1,
		.cabac = SWITCH_AUTO,
		.dct8x8 = SWITCH_AUTO,
		.rd = -1,
		.trellis = -1,
		.deblock = TRUE,
		.deblock_alpha = DEBLOCK_TUNE,
		.deblock_beta = DEBLOCK_TUNE,
		.cr_qp_offset = H264I_CR_AS_CB,
		.aud = TRUE };
	gst_gpuintra_init_rate(s);
}
