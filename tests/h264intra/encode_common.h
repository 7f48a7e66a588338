/* Synthetic pictures, options, and a whole encode in memory, for the encoder's suites. */
#ifndef TESTS_H264INTRA_ENCODE_COMMON_H
#define TESTS_H264INTRA_ENCODE_COMMON_H

#include <CUnit/CUnit.h>
#include <h264intra/h264intra.h>
#include "tests/common/testmain.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns 0 if the encoder can use a GPU, else the exit code of the suite, after the reason. */
static inline int test_skip_encoder_gpu(void)
{
	char why[256];

	return h264i_cuda_usable(why, sizeof(why)) ? 0 : test_skip_gpu(why);
}

typedef struct test_video {
	uint32_t width, height, frames;
	uint8_t *pixels; /* I420, dense, frame after frame */
} test_video;

enum test_pattern {
	TEST_NATURAL, /* smooth shapes, edges at many angles, some texture */
	TEST_NOISE,   /* every sample random */
	TEST_FLAT,    /* 16x16 squares of 0 and 255, the largest steps */
	TEST_BLACK,   /* all 0 */
	TEST_PATTERNS
};

static inline size_t test_frame_bytes(const test_video *v)
{
	return (size_t)v->width * v->height * 3 / 2;
}

static inline uint32_t test_hash(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

static inline uint8_t test_sample(int pattern, uint32_t x, uint32_t y, uint32_t seed)
{
	uint32_t h = test_hash(x * 73856093u ^ y * 19349663u ^ seed * 83492791u);
	int v;

	switch (pattern) {
	case TEST_NOISE:
		return (uint8_t)h;
	case TEST_FLAT:
		return (x / 16 + y / 16 + seed) & 1 ? 255 : 0;
	case TEST_BLACK:
		return 0;
	default:
		/* Stripes of several slopes by regions of 48 pixels, a gradient, a little grain. */
		switch (test_hash(x / 48 + 131 * (y / 48) + 7 * seed) % 6) {
		case 0:
			v = (int)(x * 2 + y);
			break;
		case 1:
			v = (x + seed) % 24 < 12 ? 60 : 180;
			break;
		case 2:
			v = (y + seed) % 20 < 9 ? 40 : 200;
			break;
		case 3:
			v = (x + y + seed) % 22 < 11 ? 70 : 160;
			break;
		case 4:
			v = (x + 3 * y) % 64 * 3;
			break;
		default:
			v = (2 * x + 512 - y + seed) % 40 < 20 ? 90 : 130;
			break;
		}
		v += (int)(h % 7) - 3;
		return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
	}
}

/* Free with free(v.pixels); pixels is NULL when memory ran out. */
static inline test_video test_video_make(
	uint32_t width, uint32_t height, uint32_t frames, int pattern)
{
	test_video v = { width, height, frames, NULL };
	uint8_t *p = malloc(frames * test_frame_bytes(&v));

	v.pixels = p;
	for (uint32_t f = 0; p && f < frames; f++)
		for (uint32_t pl = 0; pl < 3; pl++)
			for (uint32_t y = 0; y < height >> (pl > 0); y++)
				for (uint32_t x = 0; x < width >> (pl > 0); x++)
					*p++ = test_sample(pattern, x, y, 3 * f + pl);
	return v;
}

static inline h264i_options test_options(h264i_backend backend, uint32_t width, uint32_t height)
{
	h264i_options o;

	h264i_options_init(&o);
	o.backend = backend;
	o.width = width;
	o.height = height;
	return o;
}

/* Two threads on every machine. */
static inline h264i_options test_cpu_options(uint32_t width, uint32_t height)
{
	h264i_options o = test_options(H264I_BACKEND_CPU, width, height);

	o.threads = 2;
	return o;
}

/* Ends the test if the encoder cannot be opened. */
static inline h264i_encoder *test_open_ok(const h264i_options *o)
{
	h264i_encoder *enc = NULL;
	char msg[256];

	CU_ASSERT_EQUAL_FATAL(h264i_open(&enc, o, msg, sizeof(msg)), H264I_OK);
	CU_ASSERT_EQUAL(msg[0], 0);
	CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), "");
	return enc;
}

typedef struct test_stream {
	uint8_t *data;
	size_t bytes, capacity;
	uint64_t frames, sse[3];
	h264i_stats stats;
} test_stream;

static inline int test_stream_take(test_stream *s, const h264i_packet *p)
{
	if (s->bytes + p->data_bytes > s->capacity) {
		size_t want = 2 * (s->bytes + p->data_bytes);
		uint8_t *more = realloc(s->data, want);

		if (!more)
			return -1;
		s->data = more;
		s->capacity = want;
	}
	memcpy(s->data + s->bytes, p->data, p->data_bytes);
	s->bytes += p->data_bytes;
	for (int i = 0; i < 3; i++)
		s->sse[i] += p->sse[i];
	return p->index == s->frames++ ? 0 : -1;
}

static inline int test_same_bytes(const test_stream *a, const test_stream *b)
{
	return a->bytes && a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

static inline h264i_frame test_frame(const test_video *v, uint32_t i)
{
	h264i_frame f;

	h264i_frame_init(&f);
	f.plane[0] = v->pixels + i * test_frame_bytes(v);
	f.plane[1] = f.plane[0] + (size_t)v->width * v->height;
	f.plane[2] = f.plane[1] + (size_t)v->width * v->height / 4;
	f.pitch_bytes[0] = v->width;
	f.pitch_bytes[1] = f.pitch_bytes[2] = v->width / 2;
	f.pts = 100 + (int64_t)i;
	return f;
}

/* Sends all frames; there must be a free group for each. */
static inline void test_send_all(h264i_encoder *enc, const test_video *v)
{
	for (uint32_t i = 0; i < v->frames; i++) {
		h264i_frame f = test_frame(v, i);

		CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	}
}

/* Encodes one frame and copies the packet to `out`. Returns its size, 0 on failure. sse may be
 * NULL. */
static inline size_t test_encode_one(
	h264i_options o, const h264i_frame *f, uint8_t *out, size_t room, uint64_t sse[3])
{
	h264i_encoder *enc;
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	size_t n = 0;

	if (h264i_open(&enc, &o, NULL, 0) != H264I_OK)
		return 0;
	if (h264i_send_frame(enc, f) == H264I_OK && h264i_flush(enc) == H264I_OK &&
		h264i_receive_packet(enc, &pkt) == H264I_OK && pkt.data_bytes <= room) {
		n = pkt.data_bytes;
		memcpy(out, pkt.data, n);
		if (sse)
			memcpy(sse, pkt.sse, sizeof(pkt.sse));
	}
	h264i_close(&enc);
	return n;
}

/* Encodes all frames; o's size is set from v. Free with free(out->data). */
static inline h264i_status test_encode(const test_video *v, h264i_options o, test_stream *out)
{
	h264i_encoder *enc;
	h264i_packet pkt;
	h264i_status s;

	memset(out, 0, sizeof(*out));
	h264i_packet_init(&pkt);
	h264i_stats_init(&out->stats);
	o.width = v->width;
	o.height = v->height;
	s = h264i_open(&enc, &o, NULL, 0);
	if (s != H264I_OK)
		return s;
	for (uint32_t i = 0; i < v->frames && s >= 0; i++) {
		h264i_frame f = test_frame(v, i);

		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			if (h264i_receive_packet(enc, &pkt) == H264I_OK &&
				test_stream_take(out, &pkt))
				s = H264I_ERR_NOMEM;
	}
	if (s >= 0)
		s = h264i_flush(enc);
	while (s >= 0 && (s = h264i_receive_packet(enc, &pkt)) == H264I_OK)
		if (test_stream_take(out, &pkt))
			s = H264I_ERR_NOMEM;
	h264i_get_stats(enc, &out->stats);
	h264i_close(&enc);
	return s == H264I_END ? H264I_OK : s;
}

#endif
