/* Input frames of the encoder libh264intra in FFmpeg: checks of size and format, SEI, what a
 * packet takes from its frame, frames in host memory and CUDA frames. Included by libh264intra.c
 * only.
 *
 * Copyright (c) 2026, the gputasks authors. BSD 2-Clause License, see LICENSE. */
#ifndef AVCODEC_LIBH264INTRA_FRAMES_H
#define AVCODEC_LIBH264INTRA_FRAMES_H

#include <h264intra/h264intra.h>

#include "config.h"
#include "libavutil/buffer.h"
#include "libavutil/frame.h"
#include "libavutil/mem.h"
#include "libavutil/pixdesc.h"
#include "atsc_a53.h"
#include "avcodec.h"
#include "version.h"
#if CONFIG_CUDA
#include "libavutil/cuda_check.h"
#include "libavutil/hwcontext.h"
#include "libavutil/hwcontext_cuda_internal.h"
#endif

/* payloadType, table of clause D.1 */
enum { SEI_T35 = 4, SEI_UNREGISTERED = 5 };

/* The SEI messages of one frame. */
typedef struct sei_list {
	h264i_sei *messages;
	uint32_t count;
	void *captions; /* payload that is no side data of the frame */
} sei_list;

static void free_sei(sei_list *l)
{
	av_freep(&l->messages);
	av_freep(&l->captions);
	l->count = 0;
}

static void add_sei(sei_list *l, uint32_t type, const uint8_t *data, size_t bytes)
{
	l->messages[l->count++] = (h264i_sei){ .type = type, .data = data, .bytes = bytes };
}

/* Collects SEI messages of the frame's side data; the payloads belong to the frame and to *l. On
 * failure, too, the caller frees *l. */
static int collect_sei(sei_list *l, const AVFrame *frame, int captions, int unregistered)
{
	size_t bytes = 0;
	int ret;

	if (frame->nb_side_data == 0)
		return 0;
	l->messages = av_calloc((size_t)frame->nb_side_data + 1, sizeof(*l->messages));
	if (!l->messages)
		return AVERROR(ENOMEM);
	if (captions) {
		ret = ff_alloc_a53_sei(frame, 0, &l->captions, &bytes);
		if (ret < 0)
			return ret;
		if (l->captions)
			add_sei(l, SEI_T35, l->captions, bytes);
	}
	for (int i = 0; unregistered && i < frame->nb_side_data; i++) {
		const AVFrameSideData *sd = frame->side_data[i];

		if (sd->type == AV_FRAME_DATA_SEI_UNREGISTERED)
			add_sei(l, SEI_UNREGISTERED, sd->data, sd->size);
	}
	return 0;
}

/* Since libavcodec 60 a frame has its duration, and opaque is copied on request. */
#define HAS_COPY_OPAQUE (LIBAVCODEC_VERSION_MAJOR >= 60)

/* What a frame passes to its packet, apart from the pts. */
typedef struct frame_props {
	int64_t duration;
	int64_t reordered_opaque;
	void *opaque;
	AVBufferRef *opaque_ref;
} frame_props;

static void keep_props(const AVCodecContext *avctx, frame_props *p, AVFrame *frame)
{
#if HAS_COPY_OPAQUE
	p->duration = frame->duration;
	if (avctx->flags & AV_CODEC_FLAG_COPY_OPAQUE) {
		p->opaque = frame->opaque;
		p->opaque_ref = frame->opaque_ref;
		frame->opaque_ref = NULL;
	}
#else
	p->reordered_opaque = frame->reordered_opaque;
#endif
}

static void pass_props(AVCodecContext *avctx, frame_props *p, AVPacket *pkt)
{
#if HAS_COPY_OPAQUE
	pkt->duration = p->duration;
	if (avctx->flags & AV_CODEC_FLAG_COPY_OPAQUE) {
		pkt->opaque = p->opaque;
		pkt->opaque_ref = p->opaque_ref;
		p->opaque_ref = NULL;
	}
#else
	avctx->reordered_opaque = p->reordered_opaque;
#endif
}

static int check_frame(AVCodecContext *avctx, const AVFrame *frame)
{
	const char *format = av_get_pix_fmt_name(frame->format);

	if (frame->width == avctx->width && frame->height == avctx->height &&
		frame->format == avctx->pix_fmt)
		return 0;
	av_log(avctx, AV_LOG_ERROR,
		"frame of %dx%d, %s, in a stream of %dx%d, %s; convert the frame or open another "
		"encoder\n",
		frame->width, frame->height, format ? format : "unknown format", avctx->width,
		avctx->height, av_get_pix_fmt_name(avctx->pix_fmt));
	return AVERROR(EINVAL);
}

/* Replaces a frame whose rows are stored upwards (filter vflip) by a copy: the encoder reads rows
 * downwards. */
static int turn_rows(AVFrame *frame)
{
	AVFrame *copy;
	int ret;

	if (frame->linesize[0] >= 0 && frame->linesize[1] >= 0 && frame->linesize[2] >= 0)
		return 0;
	copy = av_frame_alloc();
	if (!copy)
		return AVERROR(ENOMEM);
	copy->format = frame->format;
	copy->width = frame->width;
	copy->height = frame->height;
	ret = av_frame_get_buffer(copy, 0);
	if (ret >= 0)
		ret = av_frame_copy(copy, frame);
	if (ret >= 0)
		ret = av_frame_copy_props(copy, frame);
	if (ret >= 0) {
		av_frame_unref(frame);
		av_frame_move_ref(frame, copy);
	}
	av_frame_free(&copy);
	return ret;
}

/* 1: packed or planar R, G, B of 8 bits, also beside a fourth component. */
static int is_rgb(enum AVPixelFormat format)
{
	const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);

	return d && d->flags & AV_PIX_FMT_FLAG_RGB && d->nb_components >= 3 &&
	       d->comp[0].depth == 8 && !(d->flags & AV_PIX_FMT_FLAG_FLOAT);
}

/* The library's format of a frame's; -1: there is none. */
static int format_of(enum AVPixelFormat format)
{
	switch (format) {
	case AV_PIX_FMT_YUV420P:
	case AV_PIX_FMT_YUVJ420P:
		return H264I_I420;
	case AV_PIX_FMT_NV12:
		return H264I_NV12;
	case AV_PIX_FMT_GRAY8:
		return H264I_GRAY;
	case AV_PIX_FMT_P010:
		return H264I_P010;
	case AV_PIX_FMT_YUYV422:
		return H264I_YUY2;
	case AV_PIX_FMT_UYVY422:
		return H264I_UYVY;
	default:
		return is_rgb(format) ? H264I_RGB : -1;
	}
}

/* Sets format and planes of a frame that has this format in memory. */
static void set_planes(h264i_frame *f, const AVFrame *frame, enum AVPixelFormat format)
{
	const AVComponentDescriptor *comp = av_pix_fmt_desc_get(format)->comp;

	f->format = (h264i_format)format_of(format);
	for (int i = 0; i < 3 && f->format != H264I_RGB; i++) {
		f->plane[i] = frame->data[i];
		f->pitch_bytes[i] = (size_t)frame->linesize[i];
	}
	/* The components are R, G and B, in any order in memory. */
	for (int i = 0; i < 3 && f->format == H264I_RGB; i++)
		f->plane[i] = frame->data[comp[i].plane] + comp[i].offset;
	f->rgb.pixel_stride = comp[0].step;
	f->rgb.row_stride = frame->linesize[comp[0].plane];
}

#if CONFIG_CUDA
static const AVHWFramesContext *frames_context(const AVBufferRef *ref)
{
	return (const AVHWFramesContext *)(const void *)ref->data;
}

static const AVCUDADeviceContext *cuda_device(const AVBufferRef *device_ref)
{
	return ((const AVHWDeviceContext *)(const void *)device_ref->data)->hwctx;
}

static enum AVPixelFormat memory_format(const AVCodecContext *avctx)
{
	return avctx->pix_fmt == AV_PIX_FMT_CUDA && avctx->hw_frames_ctx
		       ? frames_context(avctx->hw_frames_ctx)->sw_format
		       : avctx->pix_fmt;
}

/* Takes a reference to the device of the CUDA frames that will be sent, and sets the backend. */
static int take_device(AVCodecContext *avctx, AVBufferRef **device_ref, h264i_options *o)
{
	const AVHWFramesContext *frames;
	const char *format;

	if (!avctx->hw_frames_ctx) {
		av_log(avctx, AV_LOG_ERROR, "pixel format cuda needs hw_frames_ctx\n");
		return AVERROR(EINVAL);
	}
	frames = frames_context(avctx->hw_frames_ctx);
	format = av_get_pix_fmt_name(frames->sw_format);
	if (format_of(frames->sw_format) < 0) {
		av_log(avctx, AV_LOG_ERROR,
			"CUDA frames of format %s cannot be encoded; convert them to nv12 or "
			"yuv420p, for example by -vf scale_cuda=format=nv12\n",
			format);
		return AVERROR(EINVAL);
	}
	if (o->backend == H264I_BACKEND_CPU) {
		av_log(avctx, AV_LOG_ERROR,
			"backend=cpu cannot read CUDA frames; remove the option or add -vf "
			"hwdownload,format=%s\n",
			format);
		return AVERROR(EINVAL);
	}
	o->backend = H264I_BACKEND_CUDA;
	o->device = -1; /* the device of the current context */
	if (!*device_ref)
		*device_ref = av_buffer_ref(frames->device_ref);
	return *device_ref ? 0 : AVERROR(ENOMEM);
}

/* Opens the encoder in the device's context. The encoder makes this context current in each later
 * call. */
static h264i_status open_on_device(AVCodecContext *avctx, const AVBufferRef *device_ref,
	h264i_encoder **enc, const h264i_options *o, char *msg, size_t msg_bytes)
{
	const AVCUDADeviceContext *device = cuda_device(device_ref);
	CudaFunctions *cu = device->internal->cuda_dl;
	CUcontext popped;
	h264i_status s;

	if (FF_CUDA_CHECK_DL(avctx, cu, cu->cuCtxPushCurrent(device->cuda_ctx)) < 0)
		return H264I_ERR_DEVICE;
	s = h264i_open(enc, o, msg, msg_bytes);
	FF_CUDA_CHECK_DL(avctx, cu, cu->cuCtxPopCurrent(&popped));
	return s;
}

static void release_frame(void *opaque)
{
	AVFrame *frame = opaque;

	av_frame_free(&frame);
}

/* Describes a CUDA frame. The encoder reads it after h264i_send_frame: *held is a reference to it
 * that the encoder releases. */
static int describe_cuda(AVCodecContext *avctx, const AVBufferRef *device_ref, const AVFrame *frame,
	h264i_frame *f, AVFrame **held)
{
	const AVHWFramesContext *frames;

	frames = frame->hw_frames_ctx ? frames_context(frame->hw_frames_ctx) : NULL;
	if (!frames || frames->device_ref->data != device_ref->data ||
		format_of(frames->sw_format) < 0) {
		av_log(avctx, AV_LOG_ERROR,
			"CUDA frame of another device or format than hw_frames_ctx\n");
		return AVERROR(EINVAL);
	}
	*held = av_frame_clone(frame);
	if (!*held)
		return AVERROR(ENOMEM);
	set_planes(f, frame, frames->sw_format);
	f->memory = H264I_MEM_CUDA;
	/* FFmpeg's filters and decoders enqueue their work on this stream. */
	f->stream = cuda_device(device_ref)->stream;
	f->use_stream = 1;
	f->release = release_frame;
	f->release_opaque = *held;
	return 0;
}
#else
static enum AVPixelFormat memory_format(const AVCodecContext *avctx)
{
	return avctx->pix_fmt;
}

static int take_device(AVCodecContext *avctx, AVBufferRef **device_ref, h264i_options *o)
{
	av_log(avctx, AV_LOG_ERROR, "this FFmpeg is built without CUDA (ffnvcodec)\n");
	return AVERROR(ENOSYS);
}

static h264i_status open_on_device(AVCodecContext *avctx, const AVBufferRef *device_ref,
	h264i_encoder **enc, const h264i_options *o, char *msg, size_t msg_bytes)
{
	return H264I_ERR_UNSUPPORTED;
}

static int describe_cuda(AVCodecContext *avctx, const AVBufferRef *device_ref, const AVFrame *frame,
	h264i_frame *f, AVFrame **held)
{
	return AVERROR(ENOSYS);
}
#endif

/* Fills *f. Frames in host memory are copied by h264i_send_frame; *held is set for others. */
static int describe_frame(AVCodecContext *avctx, const AVBufferRef *device_ref,
	const AVFrame *frame, h264i_frame *f, AVFrame **held)
{
	h264i_frame_init(f);
	f->pts = frame->pts;
	if (frame->format == AV_PIX_FMT_CUDA)
		return describe_cuda(avctx, device_ref, frame, f, held);
	set_planes(f, frame, frame->format);
	return 0;
}

#endif
