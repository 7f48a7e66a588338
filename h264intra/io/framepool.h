/* Buffers for a decoder in memory of the source's caller (h264i_source_use_memory). */
#ifndef H264INTRA_IO_FRAMEPOOL_H
#define H264INTRA_IO_FRAMEPOOL_H

#include <pthread.h>
#include <h264intra/source.h>
#include <libavcodec/avcodec.h>

typedef struct io_framepool {
	pthread_mutex_t lock;       /* guards all */
	h264i_source_memory memory; /* alloc is NULL: not set yet */
	AVBufferPool *pool;         /* NULL: none yet */
	size_t bytes;               /* of a buffer of the pool */
} io_framepool;

void h264i_i_framepool_init(io_framepool *p);

/* Makes a decoder that is not open yet allocate from the pool, if it supports that. */
void h264i_i_framepool_attach(io_framepool *p, AVCodecContext *dec);

/* Sets the memory of later buffers. Any thread. */
void h264i_i_framepool_use(io_framepool *p, const h264i_source_memory *memory);

/* 1 when the frame's samples are in the caller's memory. */
int h264i_i_framepool_owns(const AVFrame *frame);

/* Call it after the decoder is closed. Frames still in use keep their buffers. */
void h264i_i_framepool_close(io_framepool *p);
#endif
