/* Decoding on a CUDA device (NVDEC) by FFmpeg's hardware acceleration. */
#ifndef H264INTRA_IO_HWDEC_H
#define H264INTRA_IO_HWDEC_H

#include <stdatomic.h>
#include "h264intra/io/compat.h"

enum { IO_HWDEC_WHY_BYTES = 160 };

typedef struct io_hwdec {
	AVBufferRef *device; /* NULL: the decoder uses the CPU */
	AVBufferRef *frames; /* copies that may be held for long, unlike the decoder's frames */
	atomic_int keep;     /* 1: frames stay in device memory if they are 8-bit 4:2:0 */
	int used;            /* 1: a frame came from the device */
	int is_apart; /* 1: another context than that of the CUDA runtime; frames are not kept */
} io_hwdec;

/* Prepares a decoder that is not open yet for CUDA device number `device` (-1: 0). Returns 0, or -1
 * with the reason in why (IO_HWDEC_WHY_BYTES); the decoder then uses the CPU. */
int h264i_i_hwdec_attach(
	io_hwdec *h, AVCodecContext *dec, const AVCodec *codec, int device, char *why);

/* Replaces a frame of the device's decoder by a copy: NV12 in device memory (AV_PIX_FMT_CUDA), or a
 * frame in host memory. Other frames stay as they are. Returns 0 or AVERROR. */
int h264i_i_hwdec_fetch(io_hwdec *h, AVFrame *frame);

/* Replaces a frame in device memory by one in host memory. Returns 0 or AVERROR. */
int h264i_i_hwdec_download(AVFrame *frame);

void h264i_i_hwdec_close(io_hwdec *h);
#endif
