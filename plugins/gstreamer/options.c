/* Options of the encoder: those of the properties, and what the input's caps say. */
#include "config.h"

#include <string.h>

#include "plugins/gstreamer/element.h"

static void log_message(void *opaque, h264i_log_level level, const char *text)
{
	static const GstDebugLevel levels[] = { GST_LEVEL_ERROR, GST_LEVEL_WARNING, GST_LEVEL_INFO,
		GST_LEVEL_DEBUG };

	GST_CAT_LEVEL_LOG(GST_CAT_DEFAULT, levels[level], opaque, "%s", text);
}

/* Returns chroma_sample_loc_type (figure E-1), -1 if it is unknown. */
static int chroma_location(GstVideoChromaSite site)
{
	switch ((guint)site) {
	case GST_VIDEO_CHROMA_SITE_H_COSITED:
		return 0;
	case GST_VIDEO_CHROMA_SITE_NONE:
		return 1;
	case GST_VIDEO_CHROMA_SITE_COSITED:
		return 2;
	case GST_VIDEO_CHROMA_SITE_V_COSITED:
		return 3;
	default:
		return -1;
	}
}

static void describe_video(GstGpuintraH264Enc *self, const GstVideoInfo *info, h264i_vui *vui)
{
	const GstVideoColorimetry *c = &info->colorimetry;

	vui->full_range = c->range == GST_VIDEO_COLOR_RANGE_0_255    ? 1
			  : c->range == GST_VIDEO_COLOR_RANGE_16_235 ? 0
								     : -1;
	vui->primaries = (int)gst_video_color_primaries_to_iso(c->primaries);
	vui->transfer = (int)gst_video_transfer_function_to_iso(c->transfer);
	vui->matrix = (int)gst_video_color_matrix_to_iso(c->matrix);
	vui->chroma_loc = chroma_location(info->chroma_site);
	if (info->par_n > 0 && info->par_d > 0 && info->par_n <= G_MAXUINT16 &&
		info->par_d <= G_MAXUINT16) {
		vui->sar_num = (uint32_t)info->par_n;
		vui->sar_den = (uint32_t)info->par_d;
	} else {
		GST_WARNING_OBJECT(self, "pixel-aspect-ratio %d/%d exceeds 16 bits; left out",
			info->par_n, info->par_d);
	}
	if (info->fps_n > 0 && info->fps_d > 0) {
		vui->fps_num = (uint32_t)info->fps_n;
		vui->fps_den = (uint32_t)info->fps_d;
	}
}

static gboolean upstream_is_live(GstGpuintraH264Enc *self)
{
	GstQuery *query = gst_query_new_latency();
	gboolean live = FALSE;

	if (gst_pad_peer_query(GST_VIDEO_ENCODER_SINK_PAD(self), query))
		gst_query_parse_latency(query, &live, NULL, NULL);
	gst_query_unref(query);
	return live;
}

/* Sets the scaling matrices of the property cqm. Posts an error if it names no such file. */
static gboolean set_matrices(GstGpuintraH264Enc *self, const gchar *cqm)
{
	h264i_options *o = &self->options;
	GError *error = NULL;
	gchar *text = NULL, *what = NULL;
	char why[300];

	if (!cqm || g_str_equal(cqm, "flat"))
		return TRUE;
	if (g_str_equal(cqm, "jvt")) {
		o->scaling = H264I_SCALING_DEFAULT;
		return TRUE;
	}
	if (!g_file_get_contents(cqm, &text, NULL, &error)) {
		what = g_strdup_printf(
			"cqm: %s; use flat, jvt or a file of matrices", error->message);
		gst_gpuintra_refuse(self, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, what);
	} else if (h264i_options_read_scaling(o, text, why, sizeof(why)) != H264I_OK) {
		what = g_strdup_printf("cqm %s: %s", cqm, why);
		gst_gpuintra_refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, what);
	}
	g_clear_error(&error);
	g_free(text);
	g_free(what);
	return !what;
}

/* Replaces the preset's disabled modes by those of the property, if it is set. Posts an error if it
 * is wrong. */
static gboolean set_modes(GstGpuintraH264Enc *self, const gchar *modes)
{
	gchar *what;
	char why[300];

	if (!modes || h264i_options_read_modes(&self->options, modes, why, sizeof(why)) == H264I_OK)
		return TRUE;
	what = g_strdup_printf("disable-modes: %s", why);
	gst_gpuintra_refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, what);
	g_free(what);
	return FALSE;
}

/* Refuses properties of the GPU with backend=cpu, and of the CPU with backend=cuda: they would have
 * no effect. Posts an error. */
static gboolean check_backend(GstGpuintraH264Enc *self, const gst_gpuintra_settings *s)
{
	const gboolean cpu = s->backend == H264I_BACKEND_CPU;
	const struct {
		const gchar *name;
		gboolean refused;
	} properties[] = {
		{ "cuda-device-id", cpu && s->cuda_device_id >= 0 },
		{ "gpu-workers", cpu && s->gpu_workers },
		{ "sm-limit", cpu && s->sm_limit },
		{ "stream-priority", cpu && s->stream_priority },
		{ "threads", s->backend == H264I_BACKEND_CUDA && s->threads },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(properties); i++) {
		gchar *what;

		if (!properties[i].refused)
			continue;
		what = g_strdup_printf("%s has no effect with backend=%s; leave one of them out, "
				       "or use backend=auto",
			properties[i].name, cpu ? "cpu" : "cuda");
		gst_gpuintra_refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, what);
		g_free(what);
		return FALSE;
	}
	return TRUE;
}

/* Posts an error if two properties select the rate control. */
static gboolean check_rate(GstGpuintraH264Enc *self, const gst_gpuintra_settings *s)
{
	if (s->crf < 0 || !s->bitrate)
		return TRUE;
	gst_gpuintra_refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
		"crf and bitrate exclude each other; leave one of them out");
	return FALSE;
}

gboolean gst_gpuintra_set_options(GstGpuintraH264Enc *self, const GstVideoInfo *info)
{
	h264i_options *o = &self->options;
	gst_gpuintra_settings s;
	gboolean good;

	GST_OBJECT_LOCK(self);
	s = self->settings;
	s.cqm = g_strdup(s.cqm);
	s.disable_modes = g_strdup(s.disable_modes);
	GST_OBJECT_UNLOCK(self);
	h264i_options_init(o);
	o->width = (uint32_t)info->width;
	o->height = (uint32_t)info->height;
	o->qp = (int)s.qp;
	o->slices = s.slices;
	o->gray = s.gray;
	o->odd_size = 1;
	o->deblock = s.deblock;
	if (s.preset)
		h264i_options_set_preset(o, h264i_preset_name((unsigned)s.preset - 1));
	if (s.tune)
		h264i_options_set_tune(o, h264i_tune_name((unsigned)s.tune - 1));
	if (s.deblock_alpha != DEBLOCK_TUNE)
		o->deblock_alpha = s.deblock_alpha;
	if (s.deblock_beta != DEBLOCK_TUNE)
		o->deblock_beta = s.deblock_beta;
	o->chroma_qp_offset = s.chroma_qp_offset;
	o->cr_qp_offset = s.cr_qp_offset;
	o->cabac = s.cabac;
	if (s.dct8x8 >= 0)
		o->transform8x8 = s.dct8x8;
	if (s.rd >= 0)
		o->rd = s.rd;
	if (s.trellis >= 0)
		o->trellis = s.trellis;
	gst_gpuintra_rate_options(&s, o);
	o->backend = (h264i_backend)s.backend;
	/* With a context the device is that of the context, which is current at h264i_open. */
	o->device = self->context ? -1 : s.cuda_device_id;
	o->threads = s.threads;
	o->gpu_workers = s.gpu_workers;
	o->sm_limit = s.sm_limit;
	o->stream_priority = s.stream_priority;
	o->sched = (h264i_sched)s.sched;
	o->aud = s.aud;
	o->frames_in_flight = s.frames_in_flight;
	if (!o->frames_in_flight && upstream_is_live(self))
		o->frames_in_flight = 1;
	describe_video(self, info, &o->vui);
	o->time_base_num = 1;
	o->time_base_den = GST_SECOND;
	o->log = log_message;
	o->log_opaque = self;
	good = check_backend(self, &s) && check_rate(self, &s) && set_matrices(self, s.cqm) &&
	       set_modes(self, s.disable_modes);
	g_free(s.cqm);
	g_free(s.disable_modes);
	return good;
}
