/* Caps: encoders for the input's caps, from their headers to the output's caps. */
#include "config.h"

#include <gst/pbutils/codec-utils.h>

#include "plugins/gstreamer/cuda.h"
#include "plugins/gstreamer/element.h"

/* GStreamer sets the same caps several times after a failure. */
void gst_gpuintra_refuse(GstGpuintraH264Enc *self, GQuark domain, gint code, const gchar *text)
{
	if (self->failed)
		GST_WARNING_OBJECT(self, "%s", text);
	else
		gst_element_message_full(GST_ELEMENT(self), GST_MESSAGE_ERROR, domain, code,
			g_strdup(text), NULL, __FILE__, GST_FUNCTION, __LINE__);
	self->failed = TRUE;
}

gboolean gst_gpuintra_open_encoder(GstGpuintraH264Enc *self)
{
	gboolean pushed = gst_gpuintra_cuda_push(self->context);
	gchar message[512];
	h264i_status status = h264i_open(&self->encoder, &self->options, message, sizeof(message));

	/* The encoder makes this context current by itself from now on. */
	if (pushed)
		gst_gpuintra_cuda_pop();
	self->ended = FALSE;
	if (status == H264I_ERR_NO_DEVICE || status == H264I_ERR_UNSUPPORTED)
		gst_gpuintra_refuse(
			self, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, message);
	else if (status != H264I_OK)
		gst_gpuintra_refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, message);
	self->failed = status != H264I_OK;
	return !self->failed;
}

void gst_gpuintra_close_encoder(GstGpuintraH264Enc *self)
{
	h264i_close(&self->encoder);
	self->ended = FALSE;
}

/* Selects stream-format. Returns what downstream prefers of what it accepts; the caller frees it.
 * NULL: it accepts nothing. */
static GstStructure *choose_output(GstGpuintraH264Enc *self)
{
	GstPad *pad = GST_VIDEO_ENCODER_SRC_PAD(self);
	GstCaps *allowed = gst_pad_get_allowed_caps(pad);
	GstStructure *preferred = NULL, *fixed;

	if (!allowed)
		allowed = gst_pad_get_pad_template_caps(pad);
	if (!gst_caps_is_empty(allowed)) {
		preferred = gst_structure_copy(gst_caps_get_structure(allowed, 0));
		fixed = gst_structure_copy(preferred);
		gst_structure_fixate(fixed);
		self->avc = g_strcmp0(gst_structure_get_string(fixed, "stream-format"), "avc") == 0;
		gst_structure_free(fixed);
	}
	gst_caps_unref(allowed);
	return preferred;
}

/* Returns 1 if the caps field, a string or a list of strings, has this value; NULL has any. */
static int has_string(const GValue *field, const gchar *text)
{
	if (!field || G_VALUE_HOLDS_STRING(field))
		return !field || g_strcmp0(g_value_get_string(field), text) == 0;
	for (guint i = 0; GST_VALUE_HOLDS_LIST(field) && i < gst_value_list_get_size(field); i++)
		if (has_string(gst_value_list_get_value(field, i), text))
			return 1;
	return 0;
}

#define CONSTRAINED "constrained-baseline"

/* Selects the lowest profile that downstream accepts and that has what the properties and the
 * preset require. If downstream accepts only lower ones, it is the highest of these, and
 * h264i_open has the error. */
static void choose_profile(h264i_options *o, const GstStructure *output)
{
	static const gchar *const names[] = { CONSTRAINED, "main", "high" };
	const GValue *accepted = gst_structure_get_value(output, "profile");
	const int two_offsets =
		o->cr_qp_offset != H264I_CR_AS_CB && o->cr_qp_offset != o->chroma_qp_offset;
	const int high = o->transform8x8 == 1 || o->scaling != H264I_SCALING_FLAT || o->chroma ||
			 two_offsets;
	const int required = high            ? H264I_PROFILE_HIGH
			     : o->cabac == 1 ? H264I_PROFILE_MAIN
					     : H264I_PROFILE_BASELINE;
	const int least = MAX(required, (int)o->profile); /* the preset's */

	for (int i = H264I_PROFILE_BASELINE; i <= H264I_PROFILE_HIGH; i++) {
		if (!has_string(accepted, names[i]) &&
			!(i == H264I_PROFILE_BASELINE && has_string(accepted, "baseline")))
			continue;
		o->profile = (h264i_profile)i;
		if (i >= least)
			return;
	}
}

/* Level 1b, level_idc 9, is between 1 (10) and 1.1 (11). */
static int level_rank(int level_idc)
{
	return level_idc == 9 ? 21 : 2 * level_idc;
}

/* Returns the lowest level of the list from `least` on, else the highest one; 0: none is known. */
static int level_of_list(const GValue *list, int least)
{
	int best = 0;

	for (guint i = 0; i < gst_value_list_get_size(list); i++) {
		const GValue *v = gst_value_list_get_value(list, i);
		const int idc = G_VALUE_HOLDS_STRING(v)
					? gst_codec_utils_h264_get_level_idc(g_value_get_string(v))
					: 0;
		const int fits = level_rank(idc) >= level_rank(least);
		const int best_fits = level_rank(best) >= level_rank(least);

		if (idc &&
			(fits != best_fits ? fits : fits == (level_rank(idc) < level_rank(best))))
			best = idc;
	}
	return best;
}

/* Opens the encoder with a level that downstream accepts. Of a list, which is in no order of
 * preference, this is the automatic level or the next higher one. */
static gboolean open_with_level(GstGpuintraH264Enc *self, const GstStructure *output)
{
	const GValue *list = gst_structure_get_value(output, "level");
	const gchar *only = gst_structure_get_string(output, "level");
	const gboolean failed = self->failed;
	int level;

	self->options.level = only ? gst_codec_utils_h264_get_level_idc(only) : 0;
	if (!gst_gpuintra_open_encoder(self))
		return FALSE;
	if (!list || !GST_VALUE_HOLDS_LIST(list))
		return TRUE;
	level = level_of_list(list, h264i_level(self->encoder));
	if (!level || level == h264i_level(self->encoder))
		return TRUE;
	gst_gpuintra_close_encoder(self);
	self->options.level = level;
	self->failed = failed; /* of the last caps, not of the automatic level */
	return gst_gpuintra_open_encoder(self);
}

/* Constrained Baseline streams are Baseline streams, too. */
static void name_profile(GstCaps *caps, const GstStructure *output)
{
	const GValue *accepted = gst_structure_get_value(output, "profile");
	const gchar *profile = gst_structure_get_string(gst_caps_get_structure(caps, 0), "profile");

	if (g_strcmp0(profile, CONSTRAINED) == 0 && !has_string(accepted, CONSTRAINED))
		gst_caps_set_simple(caps, "profile", G_TYPE_STRING, "baseline", NULL);
}

/* The stream of an odd size is one sample larger. */
static void set_output_state(GstGpuintraH264Enc *self, GstCaps *caps)
{
	/* Copies size, rate, aspect, colours and HDR metadata of the input's caps. */
	GstVideoCodecState *state =
		gst_video_encoder_set_output_state(GST_VIDEO_ENCODER(self), caps, self->input);

	if (GST_VIDEO_INFO_IS_RGB(&self->input->info)) {
		/* as the conversion makes them */
		state->info.colorimetry.range = GST_VIDEO_COLOR_RANGE_16_235;
		state->info.colorimetry.matrix =
			gst_video_color_matrix_from_iso((guint)self->options.vui.matrix);
	}
	state->info.width += state->info.width % 2;
	state->info.height += state->info.height % 2;
	gst_video_codec_state_unref(state);
}

static gboolean set_output_caps(GstGpuintraH264Enc *self, const GstStructure *output)
{
	const uint8_t *headers = NULL;
	size_t headers_bytes = 0, bytes;
	guint8 *record;
	GstCaps *caps;

	(void)h264i_headers(self->encoder, &headers, &headers_bytes);
	bytes = h264i_mp4_avcc(headers, headers_bytes, NULL, 0);
	if (!bytes) {
		GST_ELEMENT_ERROR(
			self, LIBRARY, INIT, ("the encoder has no parameter sets"), (NULL));
		return FALSE;
	}
	record = g_malloc(bytes);
	h264i_mp4_avcc(headers, headers_bytes, record, bytes);
	caps = gst_caps_new_simple("video/x-h264", "stream-format", G_TYPE_STRING,
		self->avc ? "avc" : "byte-stream", "alignment", G_TYPE_STRING, "au", NULL);
	/* profile, constraints and level, in the record as in the SPS */
	gst_codec_utils_h264_caps_set_level_and_profile(caps, record + 1, 3);
	name_profile(caps, output);
	if (self->avc) {
		GstBuffer *buffer = gst_buffer_new_wrapped(record, bytes);

		gst_caps_set_simple(caps, "codec_data", GST_TYPE_BUFFER, buffer, NULL);
		gst_buffer_unref(buffer);
	} else {
		g_free(record);
	}
	set_output_state(self, caps);
	return gst_video_encoder_negotiate(GST_VIDEO_ENCODER(self));
}

static void set_latency(GstGpuintraH264Enc *self)
{
	const GstVideoInfo *info = &self->input->info;
	guint64 frames = h264i_latency_frames(self->encoder);
	gboolean known = info->fps_n > 0 && info->fps_d > 0;
	GstClockTime latency = gst_util_uint64_scale(frames * GST_SECOND,
		known ? (guint64)info->fps_d : 1, known ? (guint64)info->fps_n : 25);

	GST_INFO_OBJECT(self, "latency: %" G_GUINT64_FORMAT " frames, %" GST_TIME_FORMAT, frames,
		GST_TIME_ARGS(latency));
	gst_video_encoder_set_latency(GST_VIDEO_ENCODER(self), latency, latency);
}

static void set_tags(GstGpuintraH264Enc *self)
{
	GstTagList *tags = gst_tag_list_new_empty();
	guint version =
		H264I_VERSION_MAJOR * 10000 + H264I_VERSION_MINOR * 100 + H264I_VERSION_PATCH;

	gst_tag_list_add(tags, GST_TAG_MERGE_REPLACE, GST_TAG_ENCODER, "gpuintra",
		GST_TAG_ENCODER_VERSION, version, NULL);
	gst_video_encoder_merge_tags(GST_VIDEO_ENCODER(self), tags, GST_TAG_MERGE_REPLACE);
	gst_tag_list_unref(tags);
}

/* Opens an encoder for the format and describes its stream downstream. */
static gboolean open_format(GstGpuintraH264Enc *self, GstVideoCodecState *state)
{
	GstStructure *output;
	gboolean opened;

	if (GST_VIDEO_INFO_IS_INTERLACED(&state->info)) {
		GST_ELEMENT_ERROR(self, STREAM, FORMAT,
			("interlaced video cannot be encoded; put deinterlace before the encoder"),
			(NULL));
		return FALSE;
	}
	output = choose_output(self);
	if (!output)
		return FALSE;
	self->input = gst_video_codec_state_ref(state);
	opened = gst_gpuintra_set_options(self, &state->info);
	if (opened) {
		choose_profile(&self->options, output);
		opened = gst_gpuintra_check_options(self) && gst_gpuintra_open_passes(self) &&
			 open_with_level(self, output) && set_output_caps(self, output);
	}
	gst_structure_free(output);
	if (!opened)
		return FALSE;
	set_latency(self);
	set_tags(self);
	return TRUE;
}

gboolean gst_gpuintra_apply_change(GstGpuintraH264Enc *self)
{
	const h264i_options before = self->options;
	GstVideoCodecState *state;
	h264i_status status;
	gchar *log;
	gboolean done;

	if (!gst_gpuintra_take_change(self))
		return TRUE;
	done = gst_gpuintra_pass(self, &log) == 0;
	g_free(log);
	if (!done) {
		GST_WARNING_OBJECT(self, "rates do not change in one of two passes");
		return TRUE;
	}
	if (!gst_gpuintra_set_options(self, &self->input->info))
		return FALSE;
	self->options.profile = before.profile;
	self->options.level = before.level;
	self->options.first_index = before.first_index;
	self->options.frames_in_flight = before.frames_in_flight;
	if (!gst_gpuintra_check_options(self))
		return FALSE;
	status = h264i_reconfigure(self->encoder, &self->options);
	if (status != H264I_ERR_STATE)
		return status == H264I_OK ? TRUE : (gst_gpuintra_fail(self), FALSE);
	/* The next change of this kind keeps the encoder. */
	self->vary_qp = TRUE;
	state = gst_video_codec_state_ref(self->input);
	done = gst_gpuintra_set_format(GST_VIDEO_ENCODER(self), state);
	gst_video_codec_state_unref(state);
	return done;
}

gboolean gst_gpuintra_set_format(GstVideoEncoder *base, GstVideoCodecState *state)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(base);

	/* The base class has not finished the frames of the previous format. */
	if (self->encoder && gst_gpuintra_finish(base) == GST_FLOW_ERROR)
		return FALSE;
	gst_gpuintra_close_encoder(self);
	g_clear_pointer(&self->input, gst_video_codec_state_unref);
	if (open_format(self, state))
		return TRUE;
	gst_gpuintra_close_encoder(self);
	g_clear_pointer(&self->input, gst_video_codec_state_unref);
	return FALSE;
}
