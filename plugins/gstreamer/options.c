/* Options of the encoder: those of the properties, and what the input's caps say. */
#include "config.h"

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
	if (GST_VIDEO_INFO_IS_RGB(info)) {
		/* those of the conversion; the library adds what is unknown */
		vui->full_range = 0;
		vui->matrix = vui->primaries == 9 ? 9 : 1;
	}
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

/* The frames in flight of a live source: the last of a group waits for none, the first for those
 * that arrive in the latency. */
static uint32_t live_frames(const GstVideoInfo *info, uint32_t latency_ms)
{
	guint64 n = 0;

	if (info->fps_n > 0 && info->fps_d > 0)
		n = gst_util_uint64_scale(
			latency_ms, (guint64)info->fps_n, (guint64)info->fps_d * 1000);
	return 1 + (uint32_t)MIN(n, 1023);
}

h264i_format gst_gpuintra_format(const GstVideoInfo *info)
{
	switch (GST_VIDEO_INFO_FORMAT(info)) {
	case GST_VIDEO_FORMAT_I420:
		return H264I_I420;
	case GST_VIDEO_FORMAT_NV12:
		return H264I_NV12;
	case GST_VIDEO_FORMAT_GRAY8:
		return H264I_GRAY;
	case GST_VIDEO_FORMAT_YUY2:
		return H264I_YUY2;
	case GST_VIDEO_FORMAT_UYVY:
		return H264I_UYVY;
	default:
		return GST_VIDEO_INFO_IS_RGB(info) ? H264I_RGB : H264I_P010;
	}
}

/* Sets the option of a property. Posts an error if its value is wrong. */
static gboolean set_option(GstGpuintraH264Enc *self, const h264i_option *d, const gchar *text)
{
	gchar why[400], name[60], *what;
	const h264i_status s = h264i_set_option(&self->options, d->name, text, why, sizeof(why));

	if (s == H264I_OK)
		return TRUE;
	what = g_strdup_printf("{%s}", d->name);
	h264i_spell_options(&gst_gpuintra_spelling, what, name, sizeof(name));
	g_free(what);
	what = g_strdup_printf("%s%s %s", name, d->type == H264I_OPTION_FILE ? "" : ":", why);
	if (s == H264I_ERR_IO)
		gst_gpuintra_refuse(self, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, what);
	else
		gst_gpuintra_refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, what);
	g_free(what);
	return FALSE;
}

gboolean gst_gpuintra_set_options(GstGpuintraH264Enc *self, const GstVideoInfo *info)
{
	h264i_options *o = &self->options;
	const h264i_option *d;
	gboolean good = TRUE;

	h264i_options_init(o);
	(void)gst_gpuintra_take_change(self);
	for (guint i = 0; good && (d = h264i_get_option(i)) != NULL; i++) {
		gchar *text = gst_gpuintra_option_text(self, d, i);
		const uint64_t given = o->given;

		good = !text || set_option(self, d, text);
		g_free(text);
		/* Applications set all properties: most of those without an effect are no error. */
		if (!d->execution && !g_str_equal(d->name, "crf") &&
			!g_str_equal(d->name, "bitrate"))
			o->given = given;
	}
	o->width = (uint32_t)info->width;
	o->height = (uint32_t)info->height;
	o->odd_size = 1;
	o->rgb = GST_VIDEO_INFO_IS_RGB(info);
	o->first_index = self->frames; /* idr_pic_id continues after a change of caps */
	o->vary_qp = self->vary_qp;
	/* With a context the device is that of the context, which is current at h264i_open. */
	if (self->context)
		o->device = -1;
	if (!o->frames_in_flight && upstream_is_live(self))
		o->frames_in_flight = live_frames(info, o->latency_ms);
	describe_video(self, info, &o->vui);
	o->time_base_num = 1;
	o->time_base_den = GST_SECOND;
	o->log = log_message;
	o->log_opaque = self;
	return good;
}

gboolean gst_gpuintra_check_options(GstGpuintraH264Enc *self)
{
	gchar why[400];

	if (h264i_check_options(&self->options, &gst_gpuintra_spelling, why, sizeof(why)) ==
		H264I_OK)
		return TRUE;
	gst_gpuintra_refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, why);
	return FALSE;
}
