#include "h264intra/io/hwdec.h"
#include "libsched/core/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>

/* AV_CUDA_USE_PRIMARY_CONTEXT, whose header includes those of CUDA: the context that the CUDA
 * runtime of the encoder uses, so that no other has to be made current. */
enum { USE_PRIMARY_CONTEXT = 1 };

/* What FFmpeg returns if it does not find libcuda. */
enum { DRIVER_MISSING = -1 };

/* Frames of the decoder that exist at the same time beside its references: it copies each of them
 * at once. */
enum { EXTRA_FRAMES = 4 };

static int has_cuda(const AVCodec *codec)
{
	const AVCodecHWConfig *config;

	for (int i = 0; (config = avcodec_get_hw_config(codec, i)) != NULL; i++)
		if (config->device_type == AV_HWDEVICE_TYPE_CUDA &&
			(config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX))
			return 1;
	return 0;
}

int h264i_i_hwdec_attach(
	io_hwdec *h, AVCodecContext *dec, const AVCodec *codec, int device, char *why)
{
	char text[AV_ERROR_MAX_STRING_SIZE] = "", number[16];
	int e;

	memset(h, 0, sizeof(*h));
	atomic_init(&h->keep, 0);
	if (!has_cuda(codec))
		return lsched_i_say(-1, why, IO_HWDEC_WHY_BYTES,
			"this FFmpeg has no CUDA decoder for %s", codec->name);
	snprintf(number, sizeof(number), "%d", device < 0 ? 0 : device);
	e = av_hwdevice_ctx_create(
		&h->device, AV_HWDEVICE_TYPE_CUDA, number, NULL, USE_PRIMARY_CONTEXT);
	if (e == AVERROR(ENOTSUP)) {
		/* The primary context is in use, with other flags than FFmpeg sets. */
		h->is_apart = 1;
		e = av_hwdevice_ctx_create(&h->device, AV_HWDEVICE_TYPE_CUDA, number, NULL, 0);
	}
	if (e < 0) {
		av_strerror(e, text, sizeof(text));
		return lsched_i_say(-1, why, IO_HWDEC_WHY_BYTES,
			"CUDA device %s cannot be opened: %s", number,
			e == DRIVER_MISSING ? "the NVIDIA driver cannot be loaded" : text);
	}
	dec->hw_device_ctx = av_buffer_ref(h->device);
	dec->extra_hw_frames = EXTRA_FRAMES;
	if (dec->hw_device_ctx)
		return 0;
	snprintf(why, IO_HWDEC_WHY_BYTES, "out of memory");
	h264i_i_hwdec_close(h);
	return -1;
}

/* Moves `copy` with the properties of `frame` to `frame`. */
static int replace(AVFrame *frame, AVFrame *copy)
{
	const int e = av_frame_copy_props(copy, frame);

	if (e < 0)
		return e;
	av_frame_unref(frame);
	av_frame_move_ref(frame, copy);
	return 0;
}

int h264i_i_hwdec_download(AVFrame *frame)
{
	AVFrame *copy = av_frame_alloc();
	int e = copy ? av_hwframe_transfer_data(copy, frame, 0) : AVERROR(ENOMEM);

	if (e >= 0)
		e = replace(frame, copy);
	av_frame_free(&copy);
	return e;
}

static int make_pool(io_hwdec *h, const AVFrame *frame)
{
	AVHWFramesContext *c;
	int e;

	h->frames = av_hwframe_ctx_alloc(h->device);
	if (!h->frames)
		return AVERROR(ENOMEM);
	c = (AVHWFramesContext *)(void *)h->frames->data;
	c->format = AV_PIX_FMT_CUDA;
	c->sw_format = AV_PIX_FMT_NV12;
	c->width = frame->width;
	c->height = frame->height;
	e = av_hwframe_ctx_init(h->frames);
	if (e < 0)
		av_buffer_unref(&h->frames);
	return e;
}

/* Copies within the device, on the stream of the decoder: the legacy default stream. */
static int copy_on_device(io_hwdec *h, AVFrame *frame)
{
	AVFrame *copy = av_frame_alloc();
	int e = copy ? 0 : AVERROR(ENOMEM);

	if (e >= 0 && !h->frames)
		e = make_pool(h, frame);
	if (e >= 0)
		e = av_hwframe_get_buffer(h->frames, copy, 0);
	if (e >= 0)
		e = av_hwframe_transfer_data(copy, frame, 0);
	if (e >= 0) {
		copy->width = frame->width;
		copy->height = frame->height;
		e = replace(frame, copy);
	}
	av_frame_free(&copy);
	return e;
}

static int is_kept(const io_hwdec *h, const AVFrame *frame)
{
	const AVHWFramesContext *from, *to;

	if (!atomic_load(&h->keep) || h->is_apart || !frame->hw_frames_ctx)
		return 0;
	from = (const AVHWFramesContext *)(const void *)frame->hw_frames_ctx->data;
	if (from->sw_format != AV_PIX_FMT_NV12)
		return 0;
	if (!h->frames)
		return 1;
	to = (const AVHWFramesContext *)(const void *)h->frames->data;
	return to->width == frame->width && to->height == frame->height;
}

int h264i_i_hwdec_fetch(io_hwdec *h, AVFrame *frame)
{
	if (frame->format != AV_PIX_FMT_CUDA)
		return 0;
	h->used = 1;
	/* Without device memory the frame goes through host memory. */
	if (is_kept(h, frame) && copy_on_device(h, frame) >= 0)
		return 0;
	return h264i_i_hwdec_download(frame);
}

void h264i_i_hwdec_close(io_hwdec *h)
{
	av_buffer_unref(&h->frames);
	av_buffer_unref(&h->device);
}
