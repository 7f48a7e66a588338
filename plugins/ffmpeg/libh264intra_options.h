/* Options of the encoder libh264intra in FFmpeg, its own and those of AVCodecContext, and the
 * h264i_options that follow from them. Included by libh264intra.c only.
 *
 * Copyright (c) 2026, the gputasks authors. BSD 2-Clause License, see LICENSE. */
#ifndef AVCODEC_LIBH264INTRA_OPTIONS_H
#define AVCODEC_LIBH264INTRA_OPTIONS_H

#include <h264intra/options.h>

#include <math.h>

#include "libavutil/common.h"
#include "libavutil/eval.h"
#include "libavutil/mem.h"
#include "libavutil/opt.h"
#include "avcodec.h"
#include "codec_internal.h"

enum {
	LEVEL_UNSET = -99,
	/* Values of AVCodecContext.profile, whose macros have other names since libavcodec 61. */
	H264_PROFILE_UNSET = -99,
	H264_PROFILE_BASELINE = 66,
	H264_PROFILE_CONSTRAINED_BASELINE = 66 | 1 << 9,
	H264_PROFILE_MAIN = 77,
	H264_PROFILE_HIGH = 100,
};

enum { OPTIONS_MAX = 60, ROWS_MAX = 200, NAME_BYTES = 32 };

/* A value as the table below sets it. */
typedef union option_value {
	int i;
	double d;
	char *s;
} option_value;

typedef struct h264intra_settings {
	const AVClass *class;
	option_value value[OPTIONS_MAX]; /* by h264i_get_option */
	int profile, coder, gray, a53cc, udu_sei;
} h264intra_settings;

/* Names in FFmpeg: those of libx264 and of AVCodecContext, else with underscores. */
static const char *const renamed[] = { "aq-mode", "aq-mode", "aq-strength", "aq-strength",
	"nal-hrd", "nal-hrd", "chroma-qp-offset", "chromaoffset", "cabac", "coder", "output-csp",
	"gray", "bitrate", "b:v", "vbv-maxrate", "maxrate", "vbv-bufsize", "bufsize", "vbv-init",
	"rc_init_occupancy", NULL };
static const h264i_spelling spelling = { .prefix = "-", .dash = '_', .renamed = renamed };

/* Options that AVCodecContext has, that FFmpeg has no use for, or that have rows of their own. */
static const char *const elsewhere[] = { "profile", "bitrate", "vbv-maxrate", "vbv-bufsize",
	"vbv-init", "slices", "threads", "trellis", "latency", "cabac", "output-csp" };

static int is_elsewhere(const h264i_option *d)
{
	for (size_t i = 0; i < FF_ARRAY_ELEMS(elsewhere); i++)
		if (!strcmp(elsewhere[i], d->name))
			return 1;
	return 0;
}

/* Whether a value leaves the choice to a preset or the encoder: the number below the range. */
static int is_open(const h264i_option *d)
{
	if (d->type == H264I_OPTION_NAME)
		return 0;
	return d->preset ? !strcmp(d->preset, "auto") : d->type == H264I_OPTION_REAL;
}

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

/* Sets what RGB is converted to: limited range, BT.709 unless the context has another matrix that
 * the library knows. FFmpeg describes RGB itself as of full range and without a matrix. The context
 * describes the stream then, for muxers. */
static void convert_rgb(AVCodecContext *avctx, h264i_options *o)
{
	h264i_vui *vui = &o->vui;

	o->rgb = 1;
	vui->full_range = 0;
	if (vui->matrix != 5 && vui->matrix != 6 && vui->matrix != 9)
		vui->matrix = vui->primaries == 9 ? 9 : 1;
	if (vui->chroma_loc < 0)
		vui->chroma_loc = 1;
	avctx->color_range = AVCOL_RANGE_MPEG;
	avctx->colorspace = (enum AVColorSpace)vui->matrix;
	avctx->chroma_sample_location = (enum AVChromaLocation)(vui->chroma_loc + 1);
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
		if (o->transform8x8 == 1 || o->scaling != H264I_SCALING_FLAT || o->chroma ||
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

/* Rate control: -b, unless there is -crf or a quantiser, -maxrate, -bufsize. Returns 0, or a
 * negative error that was logged. */
static int set_rate(AVCodecContext *avctx, int has_qp, h264i_options *o)
{
	const int64_t most = (int64_t)4000000 * 1000;

	if (avctx->bit_rate > most || avctx->rc_max_rate > most || avctx->rc_buffer_size < 0) {
		av_log(avctx, AV_LOG_ERROR, "a bit rate above 4 Gbit/s is not supported\n");
		return AVERROR(EINVAL);
	}
	if (avctx->rc_max_rate > 0 && avctx->rc_buffer_size == 0)
		av_log(avctx, AV_LOG_WARNING, "-maxrate has no effect without -bufsize\n");
	if (o->rate_mode == H264I_RATE_QP && avctx->bit_rate > 0 && !has_qp) { /* as libx264 does */
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
	return 0;
}

/* Writes the text of an option for h264i_set_option. Returns it, or NULL: it is not set. */
static const char *text_of(const h264i_option *d, const option_value *v, char *text, size_t bytes)
{
	long long millionths;

	switch (d->type) {
	case H264I_OPTION_TEXT:
	case H264I_OPTION_FILE:
		return v->s;
	case H264I_OPTION_SWITCH:
		return v->i < 0 ? NULL : v->i ? "on" : "off";
	case H264I_OPTION_REAL:
		if (is_open(d) && v->d == d->min - 1)
			return NULL;
		millionths = llrint(v->d * 1000000); /* with a point in any locale */
		snprintf(text, bytes, "%s%lld.%06lld", millionths < 0 ? "-" : "",
			llabs(millionths) / 1000000, llabs(millionths) % 1000000);
		return text;
	case H264I_OPTION_NAME:
		if (d->names[0].value == H264I_OPTION_OPEN)
			return v->s;
		break;
	default:
		if (is_open(d) && v->i == (int)d->min - 1)
			return NULL;
		break;
	}
	for (const h264i_option_name *n = d->names; n && n->name; n++)
		if (n->value == v->i)
			return n->name;
	/* A number is no name: level_idc 4 is not level 4. */
	snprintf(text, bytes, d->type == H264I_OPTION_NAME ? "number %d" : "%d", v->i);
	return text;
}

/* Sets the options of the table. Returns 0, or a negative error that was logged. */
static int set_named(AVCodecContext *avctx, const h264intra_settings *set, h264i_options *o)
{
	char number[40], name[NAME_BYTES], why[400];
	const h264i_option *d;

	for (unsigned i = 0; (d = h264i_get_option(i)) && i < OPTIONS_MAX; i++) {
		const char *text =
			is_elsewhere(d) ? NULL : text_of(d, &set->value[i], number, sizeof(number));

		if (!text || (d->preset && !strcmp(text, d->preset)) || !strcmp(d->name, "qp"))
			continue;
		snprintf(why, sizeof(why), "{%s}", d->name);
		h264i_spell_options(&spelling, why, name, sizeof(name));
		if (h264i_set_option(o, d->name, text, why, sizeof(why)) != H264I_OK) {
			av_log(avctx, AV_LOG_ERROR, "%s%s %s\n", name,
				d->type == H264I_OPTION_FILE ? "" : ":", why);
			return AVERROR(EINVAL);
		}
		/* An option without an effect is no error in FFmpeg. */
		o->given = 0;
		if (o->backend == H264I_BACKEND_CPU && d->needs && strstr(d->needs, "cuda"))
			av_log(avctx, AV_LOG_WARNING, "%s has no effect with -backend cpu\n", name);
	}
	return 0;
}

/* The value of an option that is an integer. */
static int integer_of(const h264intra_settings *set, const char *name)
{
	const h264i_option *d;

	for (unsigned i = 0; (d = h264i_get_option(i)) && i < OPTIONS_MAX; i++)
		if (!strcmp(d->name, name))
			return set->value[i].i;
	return 0;
}

/* What can change while frames are encoded. */
typedef struct rates {
	int64_t bit_rate, max_rate;
	int buffer_size;
	double crf;
} rates;

static rates rates_of(const AVCodecContext *avctx, const h264intra_settings *set)
{
	rates r = { avctx->bit_rate, avctx->rc_max_rate, avctx->rc_buffer_size, 0 };
	const h264i_option *d;

	for (unsigned i = 0; (d = h264i_get_option(i)) && i < OPTIONS_MAX; i++)
		if (!strcmp(d->name, "crf"))
			r.crf = set->value[i].d;
	return r;
}

static int same_rates(const rates *a, const rates *b)
{
	return a->bit_rate == b->bit_rate && a->max_rate == b->max_rate &&
	       a->buffer_size == b->buffer_size && a->crf == b->crf;
}

/* Fills *o, except for the log. Returns 0, or a negative error that was logged. */
static int set_options(AVCodecContext *avctx, const h264intra_settings *set, h264i_options *o)
{
	const int qp = integer_of(set, "qp"), is_scaled = avctx->flags & AV_CODEC_FLAG_QSCALE;
	char why[400];

	h264i_options_init(o);
	if (set_named(avctx, set, o) < 0)
		return AVERROR(EINVAL);
	o->width = (uint32_t)avctx->width;
	o->height = (uint32_t)avctx->height;
	if (qp >= 0)
		o->qp = qp;
	else if (is_scaled)
		o->qp = avctx->global_quality / FF_QP2LAMBDA;
	if (avctx->slices > 0)
		o->slices = (uint32_t)avctx->slices;
	if (!o->level && avctx->level != LEVEL_UNSET)
		o->level = avctx->level;
	o->threads = (uint32_t)FFMAX(avctx->thread_count, 0);
	if (!o->frames_in_flight && avctx->flags & AV_CODEC_FLAG_LOW_DELAY)
		o->frames_in_flight = 1;
	set_vui(avctx, &o->vui);
	if (avctx->time_base.num > 0 && avctx->time_base.den > 0) {
		o->time_base_num = (uint32_t)avctx->time_base.num;
		o->time_base_den = (uint32_t)avctx->time_base.den;
	}
	o->cabac = set->coder;
	o->chroma = set->gray ? H264I_CHROMA_400 : H264I_CHROMA_420;
	if (avctx->trellis >= 0) /* default: see defaults[] */
		o->trellis = avctx->trellis;
	if (set_rate(avctx, qp >= 0 || is_scaled, o) < 0 || choose_profile(avctx, set, o) < 0)
		return AVERROR(EINVAL);
	if (h264i_check_options(o, &spelling, why, sizeof(why)) == H264I_OK)
		return 0;
	av_log(avctx, AV_LOG_ERROR, "%s\n", why);
	return AVERROR(EINVAL);
}

#define OFFSET(member) offsetof(h264intra_settings, member)
#define VE             (AV_OPT_FLAG_VIDEO_PARAM | AV_OPT_FLAG_ENCODING_PARAM)
#define INTEGER(name_, help_, member, default_, min_, max_, unit_)                     \
	{                                                                              \
		.name = (name_), .help = (help_), .offset = OFFSET(member),            \
		.type = AV_OPT_TYPE_INT, .default_val.i64 = (default_), .min = (min_), \
		.max = (max_), .flags = VE, .unit = (unit_)                            \
	}
#define BOOLEAN(name_, help_, member, default_)                                                \
	{                                                                                      \
		.name = (name_), .help = (help_), .offset = OFFSET(member),                    \
		.type = AV_OPT_TYPE_BOOL, .default_val.i64 = (default_), .max = 1, .flags = VE \
	}
#define NAMED(name_, help_, value, unit_)                                    \
	{                                                                    \
		.name = (name_), .help = (help_), .type = AV_OPT_TYPE_CONST, \
		.default_val.i64 = (value), .flags = VE, .unit = (unit_)     \
	}

/* Rows that FFmpeg has in another form; behind them those of the library's table, and { NULL }. */
static AVOption options[ROWS_MAX] = {
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
	BOOLEAN("gray", "luma alone (4:0:0), in the profile high", gray, 0),
	BOOLEAN("a53cc", "write captions (A/53) as SEI", a53cc, 1),
	BOOLEAN("udu_sei", "write unregistered user data as SEI", udu_sei, 0),
};

/* Adds a row. The last one of the array stays { NULL }. */
static AVOption *add_row(size_t *n, const char *name, const char *help, enum AVOptionType type)
{
	AVOption *o = &options[*n];

	if (*n + 1 == ROWS_MAX)
		return o;
	++*n;
	o->name = name;
	o->help = help;
	o->type = type;
	o->flags = VE;
	return o;
}

/* Adds the names of an option's values, and "4.0" beside "4" of a level. */
static void add_names(size_t *n, const h264i_option *d, AVOption *o)
{
	static char levels[10][4];
	size_t used = 0;

	o->unit = d->name;
	for (const h264i_option_name *w = d->names; w && w->name; w++) {
		AVOption *row = add_row(n, w->name, w->help, AV_OPT_TYPE_CONST);

		row->default_val.i64 = w->value;
		row->unit = d->name;
		o->min = FFMIN(o->min, w->value);
		o->max = FFMAX(o->max, w->value);
		if (d->preset && !strcmp(d->preset, w->name))
			o->default_val.i64 = w->value;
		if (strcmp(d->name, "level") || w->name[1] || used == FF_ARRAY_ELEMS(levels))
			continue;
		snprintf(levels[used], sizeof(levels[used]), "%c.0", w->name[0]);
		row = add_row(n, levels[used++], NULL, AV_OPT_TYPE_CONST);
		row->default_val.i64 = w->value;
		row->unit = d->name;
	}
}

/* Adds the row of an option of the library. */
static void add_option(size_t *n, const h264i_option *d, const char *name, size_t offset)
{
	AVOption *o = add_row(n, name, d->help, AV_OPT_TYPE_INT);
	const int open = is_open(d);

	o->offset = (int)offset;
	o->min = open ? d->min - 1 : d->min;
	o->max = FFMIN(d->max, INT_MAX);
	if (d->type == H264I_OPTION_TEXT || d->type == H264I_OPTION_FILE ||
		(d->type == H264I_OPTION_NAME && d->names[0].value == H264I_OPTION_OPEN)) {
		o->type = AV_OPT_TYPE_STRING;
		o->min = o->max = 0;
		return;
	}
	if (d->type == H264I_OPTION_SWITCH) {
		o->type = AV_OPT_TYPE_BOOL;
		o->min = open ? -1 : 0;
		o->max = 1;
		o->default_val.i64 = open ? -1 : !strcmp(d->preset, "on");
	} else if (d->type == H264I_OPTION_REAL) {
		o->type = AV_OPT_TYPE_DOUBLE;
		o->default_val.dbl = open ? o->min : av_strtod(d->preset, NULL);
	} else {
		o->default_val.i64 = open ? (int)o->min : d->preset ? atoi(d->preset) : 0;
		if (d->names && !open)
			add_names(n, d, o);
	}
	if (open && d->preset && d->type != H264I_OPTION_SWITCH) {
		AVOption *row = add_row(n, "auto", NULL, AV_OPT_TYPE_CONST);

		row->default_val.i64 = (int)o->min;
		row->unit = o->unit = d->name;
	}
	if (!strcmp(d->name, "qp")) {
		o->help = "set the quantisation parameter, 0 to 51, -1: -q:v, or 27 without it";
		o->min = -1;
		o->default_val.i64 = -1;
	}
}

/* Before main(): FFmpeg has no call for it that all of its versions make. */
__attribute__((constructor)) static void fill_options(void)
{
	static char names[OPTIONS_MAX][NAME_BYTES];
	const h264i_spelling plain = { .dash = '_', .renamed = renamed };
	const h264i_option *d;
	char braced[NAME_BYTES + 2];
	size_t n = 0;

	while (options[n].name)
		n++;
	for (unsigned i = 0; (d = h264i_get_option(i)) && i < OPTIONS_MAX; i++) {
		if (is_elsewhere(d))
			continue;
		snprintf(braced, sizeof(braced), "{%s}", d->name);
		h264i_spell_options(&plain, braced, names[i], sizeof(names[i]));
		add_option(&n, d, names[i], OFFSET(value) + i * sizeof(option_value));
	}
}

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
