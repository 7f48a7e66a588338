/* Options of the encoder libh264intra in FFmpeg, its own and those of AVCodecContext, and the
 * h264i_options that follow from them. Included by libh264intra.c only.
 *
 * Copyright (c) 2026, the gputasks authors. BSD 2-Clause License, see LICENSE. */
#ifndef AVCODEC_LIBH264INTRA_OPTIONS_H
#define AVCODEC_LIBH264INTRA_OPTIONS_H

#include <h264intra/h264intra.h>

#include "libavutil/common.h"
#include "libavutil/file.h"
#include "libavutil/mem.h"
#include "libavutil/opt.h"
#include "avcodec.h"
#include "codec_internal.h"

enum {
	QP_DEFAULT = 27,
	LEVEL_UNSET = -99,
	/* Values of AVCodecContext.profile, whose macros have other names since libavcodec 61. */
	H264_PROFILE_UNSET = -99,
	H264_PROFILE_BASELINE = 66,
	H264_PROFILE_CONSTRAINED_BASELINE = 66 | 1 << 9,
	H264_PROFILE_MAIN = 77,
	H264_PROFILE_HIGH = 100,
};

enum { DEBLOCK_TUNE = -7 };

/* What the table below sets. */
typedef struct h264intra_settings {
	const AVClass *class;
	int qp, level, profile, coder, dct8x8, deblock, backend, device, frames_in_flight;
	int gpu_workers, sm_limit, stream_priority, sched, aud, gray, a53cc, udu_sei, rd;
	int aq_mode, frame_size_max, rate_delay, nal_hrd;
	double aq_strength, crf;
	int deblock_alpha, deblock_beta, chroma_qp_offset, cr_qp_offset;
	char *preset, *tune, *cqm, *disable_modes;
} h264intra_settings;

/* Fills the VUI. FFmpeg numbers colours as Annex E does, chroma locations one higher. */
static void set_vui(const AVCodecContext *avctx, h264i_vui *vui)
{
	int num, den;

	if (avctx->pix_fmt == AV_PIX_FMT_YUVJ420P || avctx->color_range == AVCOL_RANGE_JPEG)
		vui->full_range = 1;
	else if (avctx->color_range == AVCOL_RANGE_MPEG)
		vui->full_range = 0;
	if (avctx->color_primaries > 0 && avctx->color_primaries <= 255)
		vui->primaries = (int)avctx->color_primaries;
	if (avctx->color_trc > 0 && avctx->color_trc <= 255)
		vui->transfer = (int)avctx->color_trc;
	if (avctx->colorspace > 0 && avctx->colorspace <= 255)
		vui->matrix = (int)avctx->colorspace;
	if (avctx->chroma_sample_location >= AVCHROMA_LOC_LEFT &&
		avctx->chroma_sample_location <= AVCHROMA_LOC_BOTTOM)
		vui->chroma_loc = (int)avctx->chroma_sample_location - 1;
	if (avctx->sample_aspect_ratio.num > 0 && avctx->sample_aspect_ratio.den > 0) {
		/* sar_width is u(16) */
		av_reduce(&num, &den, avctx->sample_aspect_ratio.num,
			avctx->sample_aspect_ratio.den, 65535);
		vui->sar_num = (uint32_t)num;
		vui->sar_den = (uint32_t)den;
	}
	if (avctx->framerate.num > 0 && avctx->framerate.den > 0) {
		/* VUI timing counts fields in 32 bits. */
		av_reduce(&num, &den, avctx->framerate.num, avctx->framerate.den, 1000000000);
		vui->fps_num = (uint32_t)num;
		vui->fps_den = (uint32_t)den;
	}
}

/* The value of AVCodecContext.profile. */
static int profile_number(h264i_profile profile)
{
	return profile == H264I_PROFILE_HIGH   ? H264_PROFILE_HIGH
	       : profile == H264I_PROFILE_MAIN ? H264_PROFILE_MAIN
					       : H264_PROFILE_CONSTRAINED_BASELINE;
}

/* Replaces the profile, which is the preset's, by that of the options; without one by the lowest
 * that has what they require, if it is higher. */
static int choose_profile(AVCodecContext *avctx, const h264intra_settings *set, h264i_options *o)
{
	const int number = set->profile != H264_PROFILE_UNSET ? set->profile : avctx->profile;

	switch (number) {
	case H264_PROFILE_UNSET:
		if (set->dct8x8 == 1 || o->scaling != H264I_SCALING_FLAT || o->gray ||
			(o->cr_qp_offset != H264I_CR_AS_CB &&
				o->cr_qp_offset != o->chroma_qp_offset))
			o->profile = H264I_PROFILE_HIGH;
		else if (set->coder == 1 && o->profile == H264I_PROFILE_BASELINE)
			o->profile = H264I_PROFILE_MAIN;
		return 0;
	case H264_PROFILE_BASELINE:
	case H264_PROFILE_CONSTRAINED_BASELINE:
		o->profile = H264I_PROFILE_BASELINE;
		return 0;
	case H264_PROFILE_MAIN:
		o->profile = H264I_PROFILE_MAIN;
		return 0;
	case H264_PROFILE_HIGH:
		o->profile = H264I_PROFILE_HIGH;
		return 0;
	default:
		av_log(avctx, AV_LOG_ERROR,
			"profile %d is not supported; use baseline, main or high\n", number);
		return AVERROR(EINVAL);
	}
}

/* Rate control: -crf, -b, -maxrate, -bufsize. Returns 0, or a negative error that was logged. */
static int set_rate(AVCodecContext *avctx, const h264intra_settings *set, h264i_options *o)
{
	const int64_t most = (int64_t)4000000 * 1000;

	if (avctx->bit_rate > most || avctx->rc_max_rate > most || avctx->rc_buffer_size < 0) {
		av_log(avctx, AV_LOG_ERROR, "a bit rate above 4 Gbit/s is not supported\n");
		return AVERROR(EINVAL);
	}
	if (avctx->rc_max_rate > 0 && avctx->rc_buffer_size == 0)
		av_log(avctx, AV_LOG_WARNING, "-maxrate has no effect without -bufsize\n");
	/* The library refuses what is between -1, not set, and 0. */
	if (set->crf != -1) {
		o->rate_mode = H264I_RATE_QUALITY;
		o->crf = set->crf;
	} else if (avctx->bit_rate > 0 && set->qp < 0 &&
		   !(avctx->flags & AV_CODEC_FLAG_QSCALE)) { /* as libx264 does */
		o->rate_mode = H264I_RATE_BITRATE;
		o->bitrate = (uint32_t)(avctx->bit_rate / 1000);
	}
	if (avctx->rc_buffer_size > 0) {
		o->vbv_bufsize = (uint32_t)(avctx->rc_buffer_size / 1000);
		o->vbv_maxrate = (uint32_t)(avctx->rc_max_rate / 1000);
		if (avctx->rc_initial_buffer_occupancy > 0)
			o->vbv_init = FFMIN(1.0,
				(double)avctx->rc_initial_buffer_occupancy / avctx->rc_buffer_size);
	}
	o->hrd = set->nal_hrd;
	o->frame_bytes_max = (uint32_t)set->frame_size_max;
	o->rate_delay = (uint32_t)set->rate_delay;
	if (set->aq_mode >= 0)
		o->aq_mode = set->aq_mode;
	if (set->aq_strength != -1)
		o->aq_strength = set->aq_strength;
	return 0;
}

/* Sets the scaling matrices of -cqm. Returns 0, or a negative error that was logged. */
static int set_matrices(AVCodecContext *avctx, const char *cqm, h264i_options *o)
{
	char why[300] = "", *text;
	uint8_t *file;
	size_t bytes;
	int result;

	if (!cqm || !strcmp(cqm, "flat"))
		return 0;
	if (!strcmp(cqm, "jvt")) {
		o->scaling = H264I_SCALING_DEFAULT;
		return 0;
	}
	result = av_file_map(cqm, &file, &bytes, 0, avctx); /* logs */
	if (result < 0) {
		av_log(avctx, AV_LOG_ERROR, "cqm %s: use flat, jvt or a file of matrices\n", cqm);
		return result;
	}
	text = av_strndup((const char *)file, bytes);
	av_file_unmap(file, bytes);
	if (!text)
		return AVERROR(ENOMEM);
	result = h264i_options_read_scaling(o, text, why, sizeof(why)) == H264I_OK
			 ? 0
			 : AVERROR(EINVAL);
	if (result < 0)
		av_log(avctx, AV_LOG_ERROR, "cqm %s: %s\n", cqm, why);
	av_free(text);
	return result;
}

/* Replaces the preset's disabled modes by those of -disable_modes. Returns 0, or a negative error
 * that was logged. */
static int set_modes(AVCodecContext *avctx, const char *modes, h264i_options *o)
{
	char why[300] = "";

	if (!modes || h264i_options_read_modes(o, modes, why, sizeof(why)) == H264I_OK)
		return 0;
	av_log(avctx, AV_LOG_ERROR, "disable_modes: %s\n", why);
	return AVERROR(EINVAL);
}

/* Warns of options of the GPU with -backend cpu. */
static void check_backend(AVCodecContext *avctx, const h264intra_settings *set)
{
	const struct {
		const char *name;
		int value;
	} gpu[] = {
		{ "device", set->device != -1 },
		{ "gpu_workers", set->gpu_workers },
		{ "sm_limit", set->sm_limit },
		{ "stream_priority", set->stream_priority },
	};

	if (set->backend != H264I_BACKEND_CPU)
		return;
	for (size_t i = 0; i < FF_ARRAY_ELEMS(gpu); i++)
		if (gpu[i].value)
			av_log(avctx, AV_LOG_WARNING, "-%s has no effect with -backend cpu\n",
				gpu[i].name);
}

/* Fills *o, except for the log. Returns 0, or a negative error that was logged. */
static int set_options(AVCodecContext *avctx, const h264intra_settings *set, h264i_options *o)
{
	h264i_options_init(o);
	o->width = (uint32_t)avctx->width;
	o->height = (uint32_t)avctx->height;
	if (set->qp >= 0)
		o->qp = set->qp;
	else if (avctx->flags & AV_CODEC_FLAG_QSCALE)
		o->qp = avctx->global_quality / FF_QP2LAMBDA;
	else
		o->qp = QP_DEFAULT;
	if (avctx->slices > 0)
		o->slices = (uint32_t)avctx->slices;
	o->deblock = set->deblock;
	if (set->level > 0)
		o->level = set->level;
	else if (avctx->level != LEVEL_UNSET)
		o->level = avctx->level;
	check_backend(avctx, set);
	o->backend = (h264i_backend)set->backend;
	o->device = set->device;
	o->threads = (uint32_t)FFMAX(avctx->thread_count, 0);
	o->frames_in_flight = (uint32_t)set->frames_in_flight;
	if (!set->frames_in_flight && avctx->flags & AV_CODEC_FLAG_LOW_DELAY)
		o->frames_in_flight = 1;
	o->sched = (h264i_sched)set->sched;
	o->aud = set->aud;
	set_vui(avctx, &o->vui);
	if (avctx->time_base.num > 0 && avctx->time_base.den > 0) {
		o->time_base_num = (uint32_t)avctx->time_base.num;
		o->time_base_den = (uint32_t)avctx->time_base.den;
	}
	if (set->preset && h264i_options_set_preset(o, set->preset) != H264I_OK) {
		av_log(avctx, AV_LOG_ERROR,
			"preset %s: use ultrafast, superfast, veryfast, "
			"faster, fast, medium, slow, slower or veryslow\n",
			set->preset);
		return AVERROR(EINVAL);
	}
	if (set->tune && h264i_options_set_tune(o, set->tune) != H264I_OK) {
		av_log(avctx, AV_LOG_ERROR, "tune %s: use psnr, ssim, film, grain or animation\n",
			set->tune);
		return AVERROR(EINVAL);
	}
	if (set->deblock_alpha != DEBLOCK_TUNE)
		o->deblock_alpha = set->deblock_alpha;
	if (set->deblock_beta != DEBLOCK_TUNE)
		o->deblock_beta = set->deblock_beta;
	o->chroma_qp_offset = set->chroma_qp_offset;
	o->cr_qp_offset = set->cr_qp_offset;
	o->gray = set->gray;
	o->cabac = set->coder;
	if (set->dct8x8 >= 0)
		o->transform8x8 = set->dct8x8;
	if (set->rd >= 0)
		o->rd = set->rd;
	if (avctx->trellis >= 0) /* default: see defaults[] */
		o->trellis = avctx->trellis;
	o->gpu_workers = (uint32_t)set->gpu_workers;
	o->sm_limit = (uint32_t)set->sm_limit;
	o->stream_priority = set->stream_priority;
	if (set_rate(avctx, set, o) < 0 || set_matrices(avctx, set->cqm, o) < 0 ||
		set_modes(avctx, set->disable_modes, o) < 0)
		return AVERROR(EINVAL);
	return choose_profile(avctx, set, o);
}

#define OFFSET(member) offsetof(h264intra_settings, member)
#define VE             (AV_OPT_FLAG_VIDEO_PARAM | AV_OPT_FLAG_ENCODING_PARAM)
#define INTEGER(name_, help_, member, default_, min_, max_, unit_)                     \
	{                                                                              \
		.name = (name_), .help = (help_), .offset = OFFSET(member),            \
		.type = AV_OPT_TYPE_INT, .default_val.i64 = (default_), .min = (min_), \
		.max = (max_), .flags = VE, .unit = (unit_)                            \
	}
#define BOOLEAN(name_, help_, member, default_)                                                  \
	{                                                                                        \
		.name = (name_), .help = (help_), .offset = OFFSET(member),                      \
		.type = AV_OPT_TYPE_BOOL, .default_val.i64 = (default_), .max = 1,               \
		.min = (default_) < 0 ? -1 : 0, .flags = VE /* -1: auto, if it is the default */ \
	}
#define REAL(name_, help_, member, default_, min_, max_)                                  \
	{                                                                                 \
		.name = (name_), .help = (help_), .offset = OFFSET(member),               \
		.type = AV_OPT_TYPE_DOUBLE, .default_val.dbl = (default_), .min = (min_), \
		.max = (max_), .flags = VE                                                \
	}
#define NAMED(name_, help_, value, unit_)                                    \
	{                                                                    \
		.name = (name_), .help = (help_), .type = AV_OPT_TYPE_CONST, \
		.default_val.i64 = (value), .flags = VE, .unit = (unit_)     \
	}
#define LEVEL(name_, idc) NAMED(name_, NULL, idc, "level")

static const AVOption options[] = {
	INTEGER("qp", "set the quantiser, -1: -q:v, or 27 without it", qp, -1, -1, 51, NULL),
	INTEGER("level", "set the H.264 level", level, 0, 0, 62, "level"),
	NAMED("auto", "from size, rate and quantiser", 0, "level"),
	LEVEL("1", 10),
	LEVEL("1.0", 10),
	LEVEL("1b", 9),
	LEVEL("1.1", 11),
	LEVEL("1.2", 12),
	LEVEL("1.3", 13),
	LEVEL("2", 20),
	LEVEL("2.0", 20),
	LEVEL("2.1", 21),
	LEVEL("2.2", 22),
	LEVEL("3", 30),
	LEVEL("3.0", 30),
	LEVEL("3.1", 31),
	LEVEL("3.2", 32),
	LEVEL("4", 40),
	LEVEL("4.0", 40),
	LEVEL("4.1", 41),
	LEVEL("4.2", 42),
	LEVEL("5", 50),
	LEVEL("5.0", 50),
	LEVEL("5.1", 51),
	LEVEL("5.2", 52),
	LEVEL("6", 60),
	LEVEL("6.0", 60),
	LEVEL("6.1", 61),
	LEVEL("6.2", 62),
	INTEGER("profile",
		"set the H.264 profile (without it constrained_baseline, or the lowest that has "
		"what coder and 8x8dct require)",
		profile, H264_PROFILE_UNSET, H264_PROFILE_UNSET, 0xffff, "profile"),
	NAMED("baseline", "as constrained_baseline", H264_PROFILE_BASELINE, "profile"),
	NAMED("constrained_baseline", NULL, H264_PROFILE_CONSTRAINED_BASELINE, "profile"),
	NAMED("main", NULL, H264_PROFILE_MAIN, "profile"),
	NAMED("high", NULL, H264_PROFILE_HIGH, "profile"),
	INTEGER("coder", "select the entropy coder", coder, -1, -1, 1, "coder"),
	NAMED("default", "cabac in the profiles main and high from quantiser 14 on", -1, "coder"),
	NAMED("cavlc", "codes of variable length", 0, "coder"),
	NAMED("cabac", "arithmetic coding", 1, "coder"),
	NAMED("vlc", "as cavlc", 0, "coder"),
	NAMED("ac", "as cabac", 1, "coder"),
	BOOLEAN("8x8dct", "allow the 8x8 transform, in the profile high", dct8x8, -1),
	{ .name = "preset",
		.help = "set profile, rd and -trellis by a name: ultrafast to veryslow",
		.offset = OFFSET(preset),
		.type = AV_OPT_TYPE_STRING,
		.flags = VE },
	{ .name = "tune",
		.help = "set aq-mode, aq-strength and the offsets of deblock by a name: psnr, "
			"ssim, film, grain, animation",
		.offset = OFFSET(tune),
		.type = AV_OPT_TYPE_STRING,
		.flags = VE },
	INTEGER("rd",
		"decide by rate and distortion: 0 nothing, 1 types, N also N modes of a block, -1: "
		"as the preset",
		rd, -1, -1, 9, NULL),
	REAL("crf", "choose the quantiser of each picture for constant quality, -1: no", crf, -1,
		-1, 51),
	INTEGER("aq-mode",
		"adapt the quantiser to each macroblock: 0 no, 1 by its variance, 2 in relation to "
		"the picture's, -1: as the tune, or 0",
		aq_mode, -1, -1, 2, NULL),
	REAL("aq-strength", "set how much -aq-mode changes, -1: as the tune, or 1", aq_strength, -1,
		-1, 3),
	INTEGER("nal-hrd", "write the buffer and its state to the stream", nal_hrd, 0, 0, 1,
		"nal-hrd"),
	NAMED("none", NULL, 0, "nal-hrd"),
	NAMED("vbr", NULL, 1, "nal-hrd"),
	INTEGER("frame_size_max",
		"give pictures that would have more bytes, or have, a higher quantiser, 0: no "
		"limit",
		frame_size_max, 0, 0, INT_MAX, NULL),
	INTEGER("rate_delay",
		"set how many pictures later a size changes the quantiser, 0: 32, or half of the "
		"buffer",
		rate_delay, 0, 0, 1024, NULL),
	BOOLEAN("deblock", "let decoders apply the deblocking filter", deblock, 1),
	INTEGER("deblock_alpha",
		"set the offset of the filter's strength, -7: that of the tune, or 0",
		deblock_alpha, DEBLOCK_TUNE, DEBLOCK_TUNE, 6, NULL),
	INTEGER("deblock_beta",
		"set the offset of the filter's detail threshold, -7: that of the tune, or 0",
		deblock_beta, DEBLOCK_TUNE, DEBLOCK_TUNE, 6, NULL),
	INTEGER("chromaoffset", "add this to the quantiser of chroma", chroma_qp_offset, 0, -12, 12,
		NULL),
	INTEGER("cr_qp_offset",
		"add this to the quantiser of Cr, in the profile high, -13: as chromaoffset",
		cr_qp_offset, H264I_CR_AS_CB, H264I_CR_AS_CB, 12, NULL),
	{ .name = "cqm",
		.help = "set the scaling matrices: flat, jvt or a file, in the profile high",
		.offset = OFFSET(cqm),
		.type = AV_OPT_TYPE_STRING,
		.flags = VE },
	{ .name = "disable_modes",
		.help = "leave out prediction modes, such as i4:3,i16:plane,i4:upright,i16:all; "
			"none: none, not those of the preset either",
		.offset = OFFSET(disable_modes),
		.type = AV_OPT_TYPE_STRING,
		.flags = VE },
	INTEGER("backend", "select where to encode", backend, H264I_BACKEND_AUTO,
		H264I_BACKEND_AUTO, H264I_BACKEND_CUDA, "backend"),
	NAMED("auto", "CUDA if a device is usable, else CPU", H264I_BACKEND_AUTO, "backend"),
	NAMED("cpu", "CPU threads", H264I_BACKEND_CPU, "backend"),
	NAMED("cuda", "CUDA device", H264I_BACKEND_CUDA, "backend"),
	INTEGER("device", "set the CUDA device for frames in host memory, -1: the current one",
		device, -1, H264I_DEVICE_ALL, INT_MAX, "device"),
	NAMED("all", "all devices share the frames", H264I_DEVICE_ALL, "device"),
	INTEGER("frames_in_flight",
		"set the frames in the encoder, 0: automatic (1 with low_delay)", frames_in_flight,
		0, 0, 1024, NULL),
	INTEGER("gpu_workers", "set the number of worker warps on the GPU, 0: automatic",
		gpu_workers, 0, 0, 1000000, NULL),
	INTEGER("sm_limit", "use at most this many multiprocessors of the GPU, 0: all", sm_limit, 0,
		0, 4096, NULL),
	INTEGER("stream_priority",
		"set the priority of the CUDA streams, 0 lowest, negative numbers higher",
		stream_priority, 0, -100, 0, NULL),
	INTEGER("sched", "select the dependency scheme of macroblocks", sched, H264I_SCHED_AUTO,
		H264I_SCHED_DYNAMIC, H264I_SCHED_AUTO, "sched"),
	NAMED("dynamic", "counters; any idle worker runs a ready macroblock", H264I_SCHED_DYNAMIC,
		"sched"),
	NAMED("static", "rows in a fixed order", H264I_SCHED_STATIC, "sched"),
	NAMED("sync", "a barrier after each step of the wavefront", H264I_SCHED_SYNC, "sched"),
	NAMED("auto", "the fastest: static on CUDA, dynamic on CPU threads", H264I_SCHED_AUTO,
		"sched"),
	BOOLEAN("aud", "begin each packet with an access unit delimiter", aud, 0),
	BOOLEAN("gray", "luma alone (4:0:0), in the profile high", gray, 0),
	BOOLEAN("a53cc", "write captions (A/53) as SEI", a53cc, 1),
	BOOLEAN("udu_sei", "write unregistered user data as SEI", udu_sei, 0),
	{ NULL },
};

static const AVClass h264intra_class = {
	.class_name = "libh264intra",
	.item_name = av_default_item_name,
	.option = options,
	.version = LIBAVUTIL_VERSION_INT,
};

/* Without them FFmpeg's defaults would look like options that the user has set. */
static const FFCodecDefault defaults[] = {
	{ "trellis", "-1" },
	{ "b", "0" },
	{ "g", "1" },
	{ "bf", "0" },
	{ NULL },
};

#endif
