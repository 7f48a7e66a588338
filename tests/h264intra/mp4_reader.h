/* Files of the MP4 writer read by libavformat, from memory. */
#ifndef TESTS_H264INTRA_MP4_READER_H
#define TESTS_H264INTRA_MP4_READER_H

#include "tests/common/check.h"
#include "tests/h264intra/mp4_common.h"
#include "tests/h264intra/nal_split.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/mem.h>

typedef struct reader {
	const uint8_t *data;
	int64_t bytes, at;
	AVIOContext *io;
	AVFormatContext *fmt;
	AVPacket *packet;
} reader;

/* Set-up of a suite: FFmpeg prints nothing. */
static inline int be_quiet(void)
{
	av_log_set_level(AV_LOG_QUIET);
	return 0;
}

static inline int read_bytes(void *opaque, uint8_t *to, int room)
{
	reader *r = opaque;
	const int64_t left = r->bytes - r->at;
	const int n = left < room ? (int)left : room;

	if (n <= 0)
		return AVERROR_EOF;
	memcpy(to, r->data + r->at, (size_t)n);
	r->at += n;
	return n;
}

static inline int64_t seek_bytes(void *opaque, int64_t offset, int whence)
{
	reader *r = opaque;

	if (whence & AVSEEK_SIZE)
		return r->bytes;
	r->at = (whence & 3) == SEEK_CUR   ? r->at + offset
		: (whence & 3) == SEEK_END ? r->bytes + offset
					   : offset;
	return r->at;
}

static inline void reader_close(reader *r)
{
	avformat_close_input(&r->fmt);
	if (r->io)
		av_freep(&r->io->buffer);
	avio_context_free(&r->io);
	av_packet_free(&r->packet);
}

/* Returns 0, or -1 if FFmpeg cannot read the file. */
static inline int reader_open_with(reader *r, const uint8_t *data, uint64_t bytes,
	int (*read)(void *opaque, uint8_t *to, int room))
{
	const int buffer_bytes = 4096;

	memset(r, 0, sizeof(*r));
	r->data = data;
	r->bytes = (int64_t)bytes;
	r->io = avio_alloc_context(
		av_malloc(buffer_bytes), buffer_bytes, 0, r, read, NULL, seek_bytes);
	r->fmt = avformat_alloc_context();
	r->packet = av_packet_alloc();
	r->fmt->pb = r->io;
	if (avformat_open_input(&r->fmt, NULL, av_find_input_format("mov"), NULL) == 0 &&
		r->fmt->nb_streams >= 1)
		return 0;
	reader_close(r);
	return -1;
}

static inline int reader_open(reader *r, const uint8_t *data, size_t bytes)
{
	return reader_open_with(r, data, bytes, read_bytes);
}

/* 1 if the sample is the packet without delimiter and parameter sets, with lengths. */
static inline int is_sample(const AVPacket *got, const h264i_packet *want)
{
	const uint8_t *at = got->data, *end = at + got->size;
	test_nal nal[16];
	const int count = test_split_nals(want->data, want->data_bytes, nal, 16);

	for (int i = 0; i < count; i++) {
		const int type = nal[i].data[0] & 31;

		if (type >= 7 && type <= 9)
			continue;
		if (end - at < 4 + (int64_t)nal[i].bytes || at[0] || at[1] ||
			(size_t)(at[2] << 8 | at[3]) != nal[i].bytes ||
			memcmp(at + 4, nal[i].data, nal[i].bytes) != 0)
			return 0;
		at += 4 + nal[i].bytes;
	}
	return count >= 4 && at == end;
}

/* Number of packets that FFmpeg reads and that are those of the clip from the first one on; -1 if
 * it cannot open the file, -2 after a wrong packet. */
static inline int readable(const test_clip *c, const uint8_t *data, size_t bytes)
{
	reader r;
	int n = 0;

	if (reader_open(&r, data, bytes) != 0)
		return -1;
	while (n >= 0 && av_read_frame(r.fmt, r.packet) == 0) {
		const int cut = r.packet->flags & AV_PKT_FLAG_CORRUPT;

		if (!cut && (n >= CLIP_FRAMES || !is_sample(r.packet, &c->packet[n])))
			n = -2;
		else if (!cut)
			n++;
		av_packet_unref(r.packet);
	}
	reader_close(&r);
	return n;
}

static inline void write_clip(h264i_mp4 *mp4, const test_clip *c, const int64_t *pts, int64_t last)
{
	for (int i = 0; i < CLIP_FRAMES; i++) {
		h264i_packet p = c->packet[i];

		if (pts)
			p.pts = pts[i];
		CU_ASSERT_EQUAL_FATAL(
			h264i_mp4_write(mp4, &p, i == CLIP_FRAMES - 1 ? last : 0), H264I_OK);
	}
}

static inline void make_with(test_file *f, const test_clip *c, const h264i_mp4_sink *sink,
	const h264i_mp4_options *o, const int64_t *pts, int64_t last)
{
	h264i_mp4 *mp4;
	char msg[256];

	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, o, sink, msg, sizeof(msg)), H264I_OK);
	write_clip(mp4, c, pts, last);
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	CU_ASSERT_STRING_EQUAL(h264i_mp4_last_error(mp4), "");
	CU_ASSERT_EQUAL(h264i_mp4_bytes(mp4), f->bytes);
	CU_ASSERT_EQUAL(h264i_mp4_frames(mp4), CLIP_FRAMES);
	h264i_mp4_close(&mp4);
	CU_ASSERT_PTR_NULL(mp4);
}

/* Writes the clip to f. */
static inline void make_file(test_file *f, const test_clip *c, const h264i_mp4_options *o,
	const int64_t *pts, int64_t last)
{
	const h264i_mp4_sink sink = test_file_sink(f);

	make_with(f, c, &sink, o, pts, last);
}

/* The same to a sink that only appends. */
static inline void make_stream(test_file *f, const test_clip *c, const h264i_mp4_options *o)
{
	h264i_mp4_sink sink = test_file_sink(f);

	sink.pwrite = NULL;
	sink.read = NULL;
	sink.truncate = NULL;
	sink.flush = NULL;
	make_with(f, c, &sink, o, NULL, 0);
}

/* The types of the boxes of the file, one after the other. */
static inline const char *boxes(const test_file *f)
{
	static char list[400];
	size_t n = 0;
	uint64_t at = 0, size;

	while (at + 8 <= f->bytes && n + 5 < sizeof(list)) {
		const uint8_t *p = f->data + at;

		size = (uint64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
		if (size < 8 || at + size > f->bytes)
			return "broken";
		memcpy(list + n, p + 4, 4);
		n += 4;
		list[n++] = ' ';
		at += size;
	}
	list[n] = '\0';
	return at == f->bytes ? list : "bytes after the last box";
}

#endif
