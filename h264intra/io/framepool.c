#include "h264intra/io/framepool.h"
#include "h264intra/io/compat.h"
#include "h264intra/io/convert.h"

#include <string.h>

#include <libavutil/buffer.h>

/* LINE_ALIGN: alignment of rows (chroma: half) for decoders and copy engines. TAIL_BYTES: decoders
 * may read and write vectors past the last sample. */
enum { LINE_ALIGN = 128, TAIL_BYTES = 256 };

/* AVFrame.opaque of a frame in the caller's memory. */
static char mark;

/* Opaque data of a buffer in the caller's memory. */
typedef struct block {
	h264i_source_memory memory;
} block;

static void free_block(void *opaque, uint8_t *data)
{
	block *b = opaque;

	b->memory.release(b->memory.opaque, data);
	av_free(b);
}

/* Allocation callback of the pool; the caller of the pool holds the lock. */
static AVBufferRef *alloc_block(void *opaque, size_t bytes)
{
	const io_framepool *p = opaque;
	block *b = av_malloc(sizeof(*b));
	AVBufferRef *ref = NULL;
	void *data;

	if (!b)
		return NULL;
	b->memory = p->memory;
	data = b->memory.alloc(b->memory.opaque, bytes);
	if (data)
		ref = av_buffer_create(data, bytes, free_block, b, 0);
	if (data && !ref)
		b->memory.release(b->memory.opaque, data);
	if (!ref)
		av_free(b);
	return ref;
}

static AVBufferRef *alloc_buffer(io_framepool *p, size_t bytes)
{
	AVBufferRef *ref = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->memory.alloc) {
		if (p->pool && p->bytes != bytes)
			av_buffer_pool_uninit(&p->pool);
		if (!p->pool)
			p->pool = av_buffer_pool_init2(bytes, p, alloc_block, NULL);
		p->bytes = bytes;
		if (p->pool)
			ref = av_buffer_pool_get(p->pool);
	}
	pthread_mutex_unlock(&p->lock);
	return ref;
}

static int get_buffer(AVCodecContext *dec, AVFrame *frame, int flags)
{
	int align[AV_NUM_DATA_POINTERS], width = frame->width, height = frame->height;
	size_t luma_line, luma, chroma;
	AVBufferRef *ref = NULL;

	if (h264i_i_is_i420((enum AVPixelFormat)frame->format)) {
		avcodec_align_dimensions2(dec, &width, &height, align);
		luma_line = ((size_t)width + LINE_ALIGN - 1) / LINE_ALIGN * LINE_ALIGN;
		luma = luma_line * (size_t)height;
		chroma = luma_line / 2 * (((size_t)height + 1) / 2);
		ref = alloc_buffer(dec->opaque, luma + 2 * chroma + TAIL_BYTES);
	}
	if (!ref) {
		frame->opaque = NULL;
		return avcodec_default_get_buffer2(dec, frame, flags);
	}
	frame->buf[0] = ref;
	frame->data[0] = ref->data;
	frame->data[1] = ref->data + luma;
	frame->data[2] = frame->data[1] + chroma;
	frame->linesize[0] = (int)luma_line;
	frame->linesize[1] = frame->linesize[2] = (int)(luma_line / 2);
	frame->extended_data = frame->data;
	frame->opaque = &mark;
	return 0;
}

void h264i_i_framepool_init(io_framepool *p)
{
	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
}

void h264i_i_framepool_attach(io_framepool *p, AVCodecContext *dec)
{
	if (!(dec->codec && (dec->codec->capabilities & AV_CODEC_CAP_DR1)))
		return;
	dec->opaque = p;
	dec->get_buffer2 = get_buffer;
	io_allow_threaded_callbacks(dec);
}

void h264i_i_framepool_use(io_framepool *p, const h264i_source_memory *memory)
{
	pthread_mutex_lock(&p->lock);
	p->memory = *memory;
	pthread_mutex_unlock(&p->lock);
}

int h264i_i_framepool_owns(const AVFrame *frame)
{
	return frame->opaque == &mark && frame->buf[0] != NULL;
}

void h264i_i_framepool_close(io_framepool *p)
{
	av_buffer_pool_uninit(&p->pool);
	pthread_mutex_destroy(&p->lock);
}
