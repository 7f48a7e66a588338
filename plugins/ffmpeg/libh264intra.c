/* FFmpeg's encoder libh264intra: H.264, every picture an IDR picture. patch.sh adds this file to
 * libavcodec 59 to 63 (FFmpeg 5.1 to 9.0).
 *
 * Copyright (c) 2026, the gputasks authors. BSD 2-Clause License, see LICENSE. */
#include <h264intra/h264intra.h>

#include "config.h"
#include "libavutil/buffer.h"
#include "libavutil/common.h"
#include "libavutil/internal.h"
#include "libavutil/mem.h"
#include "libavutil/pixdesc.h"
#include "avcodec.h"
#include "codec_internal.h"
#include "encode.h"
#include "version.h"
#include "libh264intra_frames.h"
#include "libh264intra_options.h"
#include "libh264intra_pass.h"
#if CONFIG_CUDA
#include "hwconfig.h"
#endif

/* What differs between the versions of libavcodec. */
#ifdef CODEC_LONG_NAME
#define LONG_NAME(text) CODEC_LONG_NAME(text)
#else
#define LONG_NAME(text) .p.long_name = NULL_IF_CONFIG_SMALL(text)
#endif
#ifdef CODEC_PIXFMTS_ARRAY
#define PIXEL_FORMATS(list) CODEC_PIXFMTS_ARRAY(list)
#else
#define PIXEL_FORMATS(list) .p.pix_fmts = (list)
#endif
#ifdef FF_CODEC_CAP_INIT_THREADSAFE
#define CAPS_INTERNAL FF_CODEC_CAP_INIT_THREADSAFE
#else
#define CAPS_INTERNAL 0
#endif
/* 7.1 and later: the command asks for the ranges before it inserts a conversion. */
#define HAS_COLOR_RANGES (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 19, 100))

typedef struct h264intra_context {
	h264intra_settings set; /* first, for its AVClass */
	h264i_encoder *enc;
	AVFrame *frame;     /* not yet accepted by the encoder; empty: none */
	frame_props *props; /* ring of props_count: frames in the encoder, oldest at received */
	uint32_t props_count;
	uint64_t sent, received;
	int64_t next_pts;        /* of a frame without one */
	int flushed, ended;      /* h264i_flush was called; every packet was received */
	AVBufferRef *device_ref; /* CUDA frames: their device */
	pass_plan plan;
	rates rates; /* that the encoder has */
} h264intra_context;

static int to_averror(h264i_status s)
{
	switch (s) {
	case H264I_ERR_ARG:
	case H264I_ERR_LIMIT:
		return AVERROR(EINVAL);
	case H264I_ERR_NOMEM:
		return AVERROR(ENOMEM);
	case H264I_ERR_UNSUPPORTED:
		return AVERROR(ENOSYS);
	case H264I_ERR_NO_DEVICE:
		return AVERROR(ENODEV);
	case H264I_ERR_STATE:
		return AVERROR_BUG;
	default:
		return AVERROR_EXTERNAL;
	}
}

/* Reports the failure of a call on the open encoder. */
static int fail(AVCodecContext *avctx, h264i_status s)
{
	h264intra_context *ctx = avctx->priv_data;
	const char *text = h264i_last_error(ctx->enc);

	av_log(avctx, AV_LOG_ERROR, "%s\n", *text ? text : h264i_strstatus(s));
	return to_averror(s);
}

static void log_text(void *opaque, h264i_log_level level, const char *text)
{
	/* The function that fails returns the error's text, too. */
	static const int levels[] = { [H264I_LOG_ERROR] = AV_LOG_DEBUG,
		[H264I_LOG_WARN] = AV_LOG_WARNING,
		[H264I_LOG_INFO] = AV_LOG_VERBOSE,
		[H264I_LOG_DEBUG] = AV_LOG_DEBUG };

	av_log(opaque, levels[level], "%s\n", text);
}

static int open_encoder(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;
	char msg[600] = "";
	h264i_options o;
	h264i_status s;
	int ret;

	ret = set_options(avctx, &ctx->set, &o);
	if (ret >= 0)
		ret = set_pass(avctx, &ctx->plan, &o);
	if (ret < 0)
		return ret;
	o.log = log_text;
	o.log_opaque = avctx;
	o.odd_size = 1;
	ctx->rates = rates_of(avctx, &ctx->set);
	if (is_rgb(memory_format(avctx)))
		convert_rgb(avctx, &o);
	if (avctx->pix_fmt == AV_PIX_FMT_CUDA) {
		ret = take_device(avctx, &ctx->device_ref, &o);
		if (ret < 0)
			return ret;
		s = open_on_device(avctx, ctx->device_ref, &ctx->enc, &o, msg, sizeof(msg));
	} else {
		s = h264i_open(&ctx->enc, &o, msg, sizeof(msg));
	}
	if (s != H264I_OK) {
		av_log(avctx, AV_LOG_ERROR, "%s\n", *msg ? msg : h264i_strstatus(s));
		return to_averror(s);
	}
	avctx->profile = profile_number(o.profile);
	return 0;
}

/* Removes the frames that are in the encoder. */
static void drop_frames(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;

	h264i_close(&ctx->enc); /* releases the CUDA frames */
	av_frame_unref(ctx->frame);
	for (uint32_t i = 0; i < ctx->props_count; i++)
		av_buffer_unref(&ctx->props[i].opaque_ref);
	ctx->sent = ctx->received = 0;
	ctx->flushed = ctx->ended = 0;
}

static av_cold int encode_close(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;

	if (ctx->frame)
		drop_frames(avctx);
	av_frame_free(&ctx->frame);
	av_freep(&ctx->props);
	av_buffer_unref(&ctx->device_ref);
	free_pass(avctx, &ctx->plan);
	return 0;
}

static int set_extradata(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;
	const uint8_t *headers;
	size_t bytes;
	h264i_status s = h264i_headers(ctx->enc, &headers, &bytes);

	if (s != H264I_OK)
		return fail(avctx, s);
	avctx->extradata = av_mallocz(bytes + AV_INPUT_BUFFER_PADDING_SIZE);
	if (!avctx->extradata)
		return AVERROR(ENOMEM);
	memcpy(avctx->extradata, headers, bytes);
	avctx->extradata_size = (int)bytes;
	return 0;
}

static void warn_of_ignored(AVCodecContext *avctx)
{
	if (avctx->gop_size > 1 || avctx->max_b_frames > 0)
		av_log(avctx, AV_LOG_WARNING,
			"-g and -bf are ignored: every picture is a key frame\n");
}

static av_cold int encode_init(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;
	h264i_stats stats;
	int ret;

	warn_of_ignored(avctx);
	ctx->frame = av_frame_alloc();
	if (!ctx->frame)
		return AVERROR(ENOMEM);
	ret = open_encoder(avctx);
	if (ret < 0)
		return ret;
	h264i_stats_init(&stats);
	h264i_get_stats(ctx->enc, &stats);
	ctx->props_count = FFMAX(stats.frames_in_flight, 1);
	ctx->props = av_calloc(ctx->props_count, sizeof(*ctx->props));
	if (!ctx->props) {
		ctx->props_count = 0;
		return AVERROR(ENOMEM);
	}
	avctx->level = h264i_level(ctx->enc);
	av_log(avctx, AV_LOG_VERBOSE, "libh264intra %s, backend %s, %" PRIu32 " frames in flight\n",
		h264i_version(), stats.backend == H264I_BACKEND_CUDA ? "cuda" : "cpu",
		stats.frames_in_flight);
	return avctx->flags & AV_CODEC_FLAG_GLOBAL_HEADER ? set_extradata(avctx) : 0;
}

/* avcodec_flush_buffers(): begins a new stream. An encoder that has frames cannot drop them: it is
 * closed, and the next frame opens another one. */
static av_cold void encode_flush(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;

	if (ctx->ended && h264i_restart(ctx->enc) == H264I_OK) {
		ctx->sent = ctx->received = 0;
		ctx->flushed = ctx->ended = 0;
		return;
	}
	drop_frames(avctx);
}

/* The time of a picture at the stated frame rate, in units of pts. */
static int64_t picture_ticks(const AVCodecContext *avctx)
{
	if (avctx->framerate.num <= 0 || avctx->framerate.den <= 0)
		return 1;
	return FFMAX(1, av_rescale_q(1, av_inv_q(avctx->framerate), avctx->time_base));
}

/* Applies what has changed of the rates in the context, and of -crf, as libx264 does. */
static void apply_rates(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;
	const rates now = rates_of(avctx, &ctx->set);
	h264i_options o;

	if (same_rates(&now, &ctx->rates))
		return;
	ctx->rates = now;
	if (set_options(avctx, &ctx->set, &o) >= 0 && h264i_reconfigure(ctx->enc, &o) == H264I_OK)
		return;
	av_log(avctx, AV_LOG_WARNING, "the rates stay as they were: %s\n",
		h264i_last_error(ctx->enc));
}

/* Sends ctx->frame. It stays there if the encoder is full. */
static int send_frame(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;
	AVFrame *held = NULL;
	sei_list sei = { 0 };
	h264i_frame f;
	h264i_status s;
	int ret;

	ret = collect_sei(&sei, ctx->frame, ctx->set.a53cc, ctx->set.udu_sei);
	if (ret < 0)
		goto out;
	ret = describe_frame(avctx, ctx->device_ref, ctx->frame, &f, &held);
	if (ret >= 0)
		ret = set_planned(avctx, &ctx->plan, ctx->sent, &f);
	if (ret < 0) {
		av_frame_free(&held);
		goto out;
	}
	if (f.pts == AV_NOPTS_VALUE)
		f.pts = ctx->next_pts;
	f.sei = sei.messages;
	f.sei_count = sei.count;
	s = h264i_send_frame(ctx->enc, &f);
	if (s == H264I_OK) {
		ctx->next_pts = f.pts + picture_ticks(avctx);
		keep_props(avctx, &ctx->props[ctx->sent++ % ctx->props_count], ctx->frame);
		av_frame_unref(ctx->frame);
	} else {
		av_frame_free(&held);
		ret = s == H264I_AGAIN ? 0 : fail(avctx, s);
	}
out:
	free_sei(&sei);
	return ret;
}

/* Gets a frame, unless one waits, and sends it; at the end of the input flushes the encoder.
 * Returns 0 if there is no frame, too. */
static int feed(AVCodecContext *avctx)
{
	h264intra_context *ctx = avctx->priv_data;
	h264i_status s;
	int ret;

	if (!ctx->frame->buf[0]) {
		ret = ff_encode_get_frame(avctx, ctx->frame);
		if (ret == AVERROR_EOF && !ctx->flushed) {
			ctx->flushed = 1;
			s = h264i_flush(ctx->enc);
			return s == H264I_OK ? 0 : fail(avctx, s);
		}
		if (ret < 0)
			return ret == AVERROR_EOF || ret == AVERROR(EAGAIN) ? 0 : ret;
		ret = check_frame(avctx, ctx->frame);
		if (ret >= 0)
			ret = turn_rows(ctx->frame);
		if (ret < 0) {
			av_frame_unref(ctx->frame);
			return ret;
		}
		apply_rates(avctx);
	}
	return send_frame(avctx);
}

static int fill_packet(AVCodecContext *avctx, AVPacket *pkt, const h264i_packet *p)
{
	h264intra_context *ctx = avctx->priv_data;
	/* With a global header the parameter sets are in extradata only. */
	const size_t skip = avctx->flags & AV_CODEC_FLAG_GLOBAL_HEADER ? p->headers_bytes : 0;
	frame_props *props = &ctx->props[ctx->received % ctx->props_count];
	int ret;

	write_pass(avctx, ctx->received++, p);
	ret = ff_get_encode_buffer(avctx, pkt, (int64_t)(p->data_bytes - skip), 0);
	if (ret < 0) {
		av_buffer_unref(&props->opaque_ref);
		return ret;
	}
	memcpy(pkt->data, p->data + skip, p->data_bytes - skip);
	pkt->pts = pkt->dts = p->pts;
	pkt->flags |= AV_PKT_FLAG_KEY;
	pass_props(avctx, props, pkt);
	return 0;
}

static int encode_receive_packet(AVCodecContext *avctx, AVPacket *pkt)
{
	h264intra_context *ctx = avctx->priv_data;
	h264i_packet p;
	h264i_status s;
	int ret;

	if (!ctx->enc) { /* after encode_flush() */
		ret = open_encoder(avctx);
		if (ret < 0)
			return ret;
	}
	for (;;) {
		ret = feed(avctx);
		if (ret < 0)
			return ret;
		h264i_packet_init(&p);
		s = h264i_receive_packet(ctx->enc, &p);
		if (s == H264I_OK)
			return fill_packet(avctx, pkt, &p);
		if (s == H264I_END) {
			if (!ctx->ended)
				write_pass(avctx, ctx->received, NULL);
			ctx->ended = 1;
			return AVERROR_EOF;
		}
		if (s != H264I_AGAIN)
			return fail(avctx, s);
		if (!ctx->frame->buf[0])
			return AVERROR(EAGAIN);
		/* The encoder has room for the frame that waits. */
	}
}

static const enum AVPixelFormat pixel_formats[] = {
	AV_PIX_FMT_YUV420P,
	AV_PIX_FMT_NV12,
	AV_PIX_FMT_YUVJ420P,
	AV_PIX_FMT_GRAY8,
	AV_PIX_FMT_P010,
	AV_PIX_FMT_YUYV422,
	AV_PIX_FMT_UYVY422,
	AV_PIX_FMT_RGB24,
	AV_PIX_FMT_BGR24,
	AV_PIX_FMT_RGBA,
	AV_PIX_FMT_BGRA,
	AV_PIX_FMT_ARGB,
	AV_PIX_FMT_ABGR,
	AV_PIX_FMT_RGB0,
	AV_PIX_FMT_BGR0,
	AV_PIX_FMT_0RGB,
	AV_PIX_FMT_0BGR,
	AV_PIX_FMT_GBRP,
#if CONFIG_CUDA
	AV_PIX_FMT_CUDA,
#endif
	AV_PIX_FMT_NONE,
};

#if CONFIG_CUDA
static const AVCodecHWConfigInternal *const hw_configs[] = {
	HW_CONFIG_ENCODER_FRAMES(CUDA, CUDA),
	NULL,
};
#endif

const FFCodec ff_libh264intra_encoder = {
	.p.name = "libh264intra",
	LONG_NAME("H.264 all-intra (gputasks)"),
	.p.type = AVMEDIA_TYPE_VIDEO,
	.p.id = AV_CODEC_ID_H264,
	.p.capabilities = AV_CODEC_CAP_DELAY | AV_CODEC_CAP_OTHER_THREADS | AV_CODEC_CAP_DR1 |
			  AV_CODEC_CAP_ENCODER_FLUSH | AV_CODEC_CAP_ENCODER_REORDERED_OPAQUE,
	.p.priv_class = &h264intra_class,
	.p.wrapper_name = "libh264intra",
	PIXEL_FORMATS(pixel_formats),
#if HAS_COLOR_RANGES
	.color_ranges = AVCOL_RANGE_MPEG | AVCOL_RANGE_JPEG,
#endif
	.caps_internal = CAPS_INTERNAL | FF_CODEC_CAP_INIT_CLEANUP | FF_CODEC_CAP_AUTO_THREADS,
	.priv_data_size = sizeof(h264intra_context),
	.defaults = defaults,
	.init = encode_init,
	FF_CODEC_RECEIVE_PACKET_CB(encode_receive_packet),
	.close = encode_close,
	.flush = encode_flush,
#if CONFIG_CUDA
	.hw_configs = hw_configs,
#endif
};
