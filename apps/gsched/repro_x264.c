/* libx264 by libavcodec, which is loaded when it is needed: linked to gsched it would make every
 * start slower by the hundred libraries that it depends on. */
#include <config.h>
#include "apps/gsched/repro_encoder.h"

#ifdef HAVE_FFMPEG
#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <string.h>
#include "apps/common/progress.h"

#define CALLS(X)                        \
	X(avcodec_find_encoder_by_name) \
	X(avcodec_alloc_context3)       \
	X(avcodec_open2)                \
	X(avcodec_free_context)         \
	X(avcodec_send_frame)           \
	X(avcodec_receive_packet)       \
	X(av_packet_alloc)              \
	X(av_packet_free)               \
	X(av_packet_unref)              \
	X(av_frame_alloc)               \
	X(av_frame_free)                \
	X(av_dict_set)                  \
	X(av_dict_free)                 \
	X(av_log_set_level)

#define MEMBER(name) __typeof__(name) *name;
typedef struct ffmpeg {
	CALLS(MEMBER)
} ffmpeg;

/* Loads libavcodec of the version whose headers this file was compiled with. Its handle also finds
 * the symbols of libavutil, on which it depends. It stays loaded, because not all libraries below
 * it release their memory. Returns 0 or -1. */
static int load(ffmpeg *f)
{
	void *library = dlopen(
		"libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return -1;
#define LOAD(name)                                         \
	{                                                  \
		void *symbol = dlsym(library, #name);      \
                                                           \
		if (!symbol)                               \
			return -1;                         \
		memcpy(&f->name, &symbol, sizeof(symbol)); \
	}
	CALLS(LOAD)
	f->av_log_set_level(AV_LOG_ERROR);
	return 0;
}

static AVCodecContext *open_encoder(const ffmpeg *f, const repro_clip *c, uint32_t slices)
{
	const AVCodec *codec = f->avcodec_find_encoder_by_name("libx264");
	AVCodecContext *enc = codec ? f->avcodec_alloc_context3(codec) : NULL;
	AVDictionary *options = NULL;
	int bad;

	if (!enc)
		return NULL;
	enc->width = (int)c->width;
	enc->height = (int)c->height;
	enc->pix_fmt = AV_PIX_FMT_YUV420P;
	enc->time_base = (AVRational){ 1, 25 };
	enc->gop_size = 1;
	enc->thread_count = 1;
	enc->slices = (int)slices;
	/* zerolatency: a packet for each frame at once. ipratio: else I pictures have a lower QP */
	bad = f->av_dict_set(&options, "preset", "superfast", 0) < 0 ||
	      f->av_dict_set(&options, "tune", "zerolatency", 0) < 0 ||
	      f->av_dict_set(&options, "profile", "baseline", 0) < 0 ||
	      f->av_dict_set(&options, "qp", AV_STRINGIFY(REPRO_QP), 0) < 0 ||
	      f->av_dict_set(&options, "x264-params", "ipratio=1", 0) < 0 ||
	      f->avcodec_open2(enc, codec, &options) < 0;
	f->av_dict_free(&options);
	if (bad)
		f->avcodec_free_context(&enc);
	return enc;
}

/* Encodes frame i. Returns the nanoseconds, or -1. */
static int64_t encode(const ffmpeg *f, AVCodecContext *enc, const repro_clip *c, uint32_t i,
	AVFrame *frame, AVPacket *packet)
{
	const size_t luma = (size_t)c->width * c->height;
	int64_t begin;
	int bad;

	frame->format = AV_PIX_FMT_YUV420P;
	frame->width = (int)c->width;
	frame->height = (int)c->height;
	frame->pts = i;
	frame->data[0] = repro_clip_frame(c, i);
	frame->data[1] = frame->data[0] + luma;
	frame->data[2] = frame->data[1] + luma / 4;
	frame->linesize[0] = (int)c->width;
	frame->linesize[1] = frame->linesize[2] = (int)c->width / 2;
	begin = progress_now_ns();
	bad = f->avcodec_send_frame(enc, frame) < 0 || f->avcodec_receive_packet(enc, packet) < 0;
	begin = progress_now_ns() - begin;
	f->av_packet_unref(packet);
	return bad ? -1 : begin;
}

static int measure(const ffmpeg *f, const repro_clip *c, uint32_t slices, uint32_t count,
	double ms[REPRO_FRAMES_MAX])
{
	AVCodecContext *enc = open_encoder(f, c, slices);
	AVFrame *frame = f->av_frame_alloc();
	AVPacket *packet = f->av_packet_alloc();
	int bad = !enc || !frame || !packet;

	for (uint32_t i = 0; !bad && i < REPRO_WARM_FRAMES + count; i++) {
		const int64_t ns = encode(f, enc, c, i, frame, packet);

		bad = ns < 0;
		if (i >= REPRO_WARM_FRAMES)
			ms[i - REPRO_WARM_FRAMES] = (double)ns * 1e-6;
	}
	if (enc)
		f->avcodec_free_context(&enc);
	f->av_frame_free(&frame);
	f->av_packet_free(&packet);
	return bad ? -1 : 0;
}

int repro_x264(const repro_clip *c, uint32_t slices, uint32_t count, double ms[REPRO_FRAMES_MAX])
{
	ffmpeg f;

	return load(&f) || measure(&f, c, slices, count, ms) ? -1 : 0;
}
#else
int repro_x264(const repro_clip *c, uint32_t slices, uint32_t count, double ms[REPRO_FRAMES_MAX])
{
	(void)c, (void)slices, (void)count, (void)ms;
	return -1;
}
#endif
