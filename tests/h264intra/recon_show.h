/* The output of one encode with options.recon or options.sse, in memory. */
#ifndef TESTS_H264INTRA_RECON_SHOW_H
#define TESTS_H264INTRA_RECON_SHOW_H

#include "tests/h264intra/encode_common.h"

#include <CUnit/CUnit.h>

typedef struct shown {
	test_stream stream;
	uint8_t *pixels; /* planes, cropped, frame after frame */
	size_t bytes;
	uint64_t sse[3];
	int pictures; /* planes that came */
} shown;

static inline void shown_free(shown *s)
{
	free(s->stream.data);
	free(s->pixels);
}

static inline void show_packet(shown *r, const test_video *v, const h264i_packet *pkt)
{
	CU_ASSERT_EQUAL(test_stream_take(&r->stream, pkt), 0);
	for (int p = 0; p < 3; p++) {
		uint32_t w = v->width >> (p > 0), h = v->height >> (p > 0);

		r->sse[p] += pkt->sse[p];
		for (uint32_t y = 0; pkt->recon[p] && y < h; y++, r->bytes += w)
			memcpy(r->pixels + r->bytes, pkt->recon[p] + y * pkt->recon_pitch_bytes[p],
				w);
		r->pictures += pkt->recon[p] != NULL;
	}
}

/* Frame i as NV12; the chroma pairs are written to `pairs`. */
static inline h264i_frame show_nv12(const test_video *v, uint32_t i, uint8_t *pairs)
{
	h264i_frame f = test_frame(v, i);
	size_t n = (size_t)v->width * v->height / 4;

	for (size_t k = 0; k < n; k++) {
		pairs[2 * k] = f.plane[1][k];
		pairs[2 * k + 1] = f.plane[2][k];
	}
	f.format = H264I_NV12;
	f.plane[1] = pairs;
	f.plane[2] = NULL;
	f.pitch_bytes[1] = v->width;
	f.pitch_bytes[2] = 0;
	return f;
}

/* Encodes v; free with shown_free. */
static inline shown show(const test_video *v, h264i_options o, h264i_format format)
{
	uint8_t *pairs = malloc(test_frame_bytes(v));
	h264i_encoder *enc;
	h264i_packet pkt;
	shown r;

	memset(&r, 0, sizeof(r));
	h264i_packet_init(&pkt);
	r.pixels = malloc(v->frames * test_frame_bytes(v));
	CU_ASSERT_FATAL(pairs && r.pixels);
	o.width = v->width;
	o.height = v->height;
	enc = test_open_ok(&o);
	for (uint32_t i = 0; i < v->frames; i++) {
		h264i_frame f = format == H264I_NV12 ? show_nv12(v, i, pairs) : test_frame(v, i);
		h264i_status s;

		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			if (h264i_receive_packet(enc, &pkt) == H264I_OK)
				show_packet(&r, v, &pkt);
		CU_ASSERT_EQUAL(s, H264I_OK);
	}
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	while (h264i_receive_packet(enc, &pkt) == H264I_OK)
		show_packet(&r, v, &pkt);
	CU_ASSERT_EQUAL(r.stream.frames, v->frames);
	h264i_close(&enc);
	free(pairs);
	return r;
}

static inline int shown_same(const shown *a, const shown *b)
{
	return a->stream.bytes == b->stream.bytes && a->bytes == b->bytes &&
	       a->pictures == b->pictures && memcmp(a->sse, b->sse, sizeof(a->sse)) == 0 &&
	       memcmp(a->stream.data, b->stream.data, a->stream.bytes) == 0 &&
	       memcmp(a->pixels, b->pixels, a->bytes) == 0;
}

#endif
