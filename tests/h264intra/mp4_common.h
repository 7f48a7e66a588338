/* Packets of the encoder and sinks in memory, for the suites of the MP4 writer. */
#ifndef TESTS_H264INTRA_MP4_COMMON_H
#define TESTS_H264INTRA_MP4_COMMON_H

#include <h264intra/mp4.h>
#include "tests/h264intra/encode_common.h"

enum { CLIP_FRAMES = 12, CLIP_WIDTH = 32, CLIP_HEIGHT = 18 };

/* A coded clip; packets are references. */
typedef struct test_clip {
	h264i_vui vui;
	h264i_packet packet[CLIP_FRAMES];
	uint8_t headers[128];
	size_t headers_bytes;
} test_clip;

/* Encodes the clip, if *c is empty: 30000/1001 frames a second, BT.709 in full range, aspect 4:3,
 * with delimiters and SEI. */
static inline void test_clip_make(test_clip *c)
{
	static const uint8_t payload[20] = { 1, 2, 3 };
	const h264i_sei sei = { 5, payload, sizeof(payload) };
	const test_video v = test_video_make(CLIP_WIDTH, CLIP_HEIGHT, CLIP_FRAMES, TEST_NATURAL);
	h264i_options o = test_cpu_options(CLIP_WIDTH, CLIP_HEIGHT);
	h264i_packet p;
	h264i_encoder *enc;
	const uint8_t *headers;

	if (c->headers_bytes) {
		free(v.pixels);
		return;
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.qp = 40;
	o.aud = 1;
	o.slices = 2;
	o.vui.full_range = 1;
	o.vui.primaries = o.vui.transfer = o.vui.matrix = 1;
	o.vui.sar_num = 4;
	o.vui.sar_den = 3;
	o.vui.fps_num = 30000;
	o.vui.fps_den = 1001;
	o.frames_in_flight = CLIP_FRAMES;
	c->vui = o.vui;
	enc = test_open_ok(&o);
	CU_ASSERT_EQUAL_FATAL(h264i_headers(enc, &headers, &c->headers_bytes), H264I_OK);
	CU_ASSERT_FATAL(c->headers_bytes <= sizeof(c->headers));
	memcpy(c->headers, headers, c->headers_bytes);
	for (uint32_t i = 0; i < CLIP_FRAMES; i++) {
		h264i_frame f = test_frame(&v, i);

		f.sei = &sei;
		f.sei_count = 1;
		f.pts = i;
		CU_ASSERT_EQUAL_FATAL(h264i_send_frame(enc, &f), H264I_OK);
	}
	CU_ASSERT_EQUAL_FATAL(h264i_flush(enc), H264I_OK);
	h264i_packet_init(&p);
	for (uint32_t i = 0; i < CLIP_FRAMES; i++) {
		h264i_packet_init(&c->packet[i]);
		CU_ASSERT_EQUAL_FATAL(h264i_receive_packet(enc, &p), H264I_OK);
		CU_ASSERT_EQUAL_FATAL(h264i_packet_ref(&c->packet[i], &p), H264I_OK);
	}
	h264i_close(&enc);
	free(v.pixels);
}

static inline void test_clip_free(test_clip *c)
{
	for (int i = 0; i < CLIP_FRAMES; i++)
		h264i_packet_unref(&c->packet[i]);
}

static inline h264i_mp4_options test_mp4_options(const test_clip *c)
{
	h264i_mp4_options o;

	h264i_mp4_options_init(&o);
	o.width = CLIP_WIDTH;
	o.height = CLIP_HEIGHT;
	o.vui = c->vui;
	o.headers = c->headers;
	o.headers_bytes = c->headers_bytes;
	o.fragment_frames = 4;
	return o;
}

/* A file in memory. `changed` is called before and after each write to it. */
typedef struct test_file {
	uint8_t *data;
	size_t bytes, room;
	long reads, calls,
		fail_at; /* the call with this number fails; calls count from 0; -1: none */
	void (*changed)(struct test_file *f, void *opaque);
	void *opaque;
} test_file;

static inline int test_file_fails(test_file *f)
{
	return f->calls++ == f->fail_at;
}

static inline int test_file_write(void *opaque, const void *data, size_t bytes)
{
	test_file *f = opaque;

	if (test_file_fails(f))
		return 28; /* ENOSPC */
	if (f->bytes + bytes > f->room) {
		f->room = 2 * (f->bytes + bytes);
		f->data = realloc(f->data, f->room);
	}
	memcpy(f->data + f->bytes, data, bytes);
	/* Each part of what is appended can be the end of a file. */
	for (size_t n = 0; n < bytes; n++) {
		f->bytes++;
		if (f->changed)
			f->changed(f, f->opaque);
	}
	return 0;
}

static inline int test_file_pwrite(void *opaque, uint64_t offset, const void *data, size_t bytes)
{
	test_file *f = opaque;

	if (test_file_fails(f) || offset + bytes > f->bytes)
		return 28;
	/* A write of at most 16 bytes is done at once, a larger one also in halves. */
	if (bytes > 16) {
		memcpy(f->data + offset, data, bytes / 2);
		if (f->changed)
			f->changed(f, f->opaque);
	}
	memcpy(f->data + offset, data, bytes);
	if (f->changed)
		f->changed(f, f->opaque);
	return 0;
}

static inline int test_file_read(void *opaque, uint64_t offset, void *data, size_t bytes)
{
	test_file *f = opaque;

	if (test_file_fails(f) || offset + bytes > f->bytes)
		return -1;
	f->reads++;
	memcpy(data, f->data + offset, bytes);
	return 0;
}

static inline int test_file_truncate(void *opaque, uint64_t bytes)
{
	test_file *f = opaque;

	if (test_file_fails(f) || bytes > f->bytes)
		return -1;
	f->bytes = (size_t)bytes;
	if (f->changed)
		f->changed(f, f->opaque);
	return 0;
}

static inline int test_file_flush(void *opaque)
{
	return test_file_fails(opaque) ? 5 : 0;
}

/* A sink with all functions. */
static inline h264i_mp4_sink test_file_sink(test_file *f)
{
	h264i_mp4_sink s;

	memset(f, 0, sizeof(*f));
	f->fail_at = -1;
	h264i_mp4_sink_init(&s);
	s.opaque = f;
	s.write = test_file_write;
	s.pwrite = test_file_pwrite;
	s.read = test_file_read;
	s.truncate = test_file_truncate;
	s.flush = test_file_flush;
	return s;
}

#endif
