/* Streams with rate control, for the suites of it. */
#ifndef TESTS_H264INTRA_RATE_ENCODE_H
#define TESTS_H264INTRA_RATE_ENCODE_H

#include "tests/h264intra/encode_common.h"

/* Pictures of all patterns, each for ten frames. */
static inline test_video scenes(void)
{
	test_video v = { 128, 96, 80, NULL }, part;
	size_t bytes = test_frame_bytes(&v);

	v.pixels = malloc(v.frames * bytes);
	for (uint32_t f = 0; v.pixels && f < v.frames; f += 10) {
		part = test_video_make(v.width, v.height, 10, f / 10 % TEST_PATTERNS);
		if (part.pixels)
			memcpy(v.pixels + f * bytes, part.pixels, 10 * bytes);
		free(part.pixels);
	}
	return v;
}

typedef struct sent {
	double bits[80];
	int qp[80];
	uint32_t detail[80][52];
	uint64_t time_ns[80];
	uint32_t hash;
	h264i_stats stats;
} sent;

/* Encodes v, with `plan` and timestamps if they are not NULL; packets in *s. Returns H264I_OK or
 * what h264i_open said. */
static inline h264i_status encode_timed(const test_video *v, h264i_options o,
	const h264i_pass_picture *plan, const int64_t *pts, sent *s)
{
	h264i_encoder *enc;
	h264i_packet p;
	h264i_frame f;
	h264i_status st;
	uint32_t in = 0, out = 0;

	memset(s, 0, sizeof(*s));
	o.width = v->width;
	o.height = v->height;
	o.backend = H264I_BACKEND_CPU;
	st = h264i_open(&enc, &o, NULL, 0);
	if (st != H264I_OK)
		return st;
	h264i_packet_init(&p);
	h264i_stats_init(&s->stats);
	while (out < v->frames) {
		h264i_frame_init(&f);
		f.plane[0] = v->pixels + (in % v->frames) * test_frame_bytes(v);
		f.plane[1] = f.plane[0] + v->width * v->height;
		f.plane[2] = f.plane[1] + v->width * v->height / 4;
		f.pitch_bytes[0] = v->width;
		f.pitch_bytes[1] = f.pitch_bytes[2] = v->width / 2;
		f.pts = pts ? pts[in % v->frames] : 0;
		if (plan) {
			f.qp = plan[in % v->frames].plan_qp;
			f.bytes_expected = plan[in % v->frames].plan_bytes;
		}
		if (in < v->frames && h264i_send_frame(enc, &f) == H264I_OK && ++in == v->frames)
			h264i_flush(enc);
		while (h264i_receive_packet(enc, &p) == H264I_OK) {
			s->bits[out] = 8.0 * (double)p.data_bytes;
			if (p.detail)
				memcpy(s->detail[out], p.detail, sizeof(s->detail[out]));
			s->time_ns[out] = p.time_ns;
			s->qp[out++] = p.qp;
			for (size_t k = 0; k < p.data_bytes; k++)
				s->hash = test_hash(s->hash * 31 + p.data[k]);
		}
	}
	h264i_get_stats(enc, &s->stats);
	h264i_close(&enc);
	return H264I_OK;
}

static inline h264i_status encode_plan(
	const test_video *v, h264i_options o, const h264i_pass_picture *plan, sent *s)
{
	return encode_timed(v, o, plan, NULL, s);
}

static inline h264i_status encode(const test_video *v, h264i_options o, sent *s)
{
	return encode_plan(v, o, NULL, s);
}

/* Codes v at a constant QP and then by a plan. Returns the bits of all pictures. */
static inline double two_passes_timed(
	const test_video *v, h264i_options o, const int64_t *pts, sent *s)
{
	static uint32_t detail[80][52];
	h264i_pass_picture p[80];
	h264i_options first = o;
	double bits = 0;
	char msg[200];

	first.rate_mode = H264I_RATE_QP;
	first.vbv_bufsize = first.vbv_maxrate = 0;
	first.hrd = 0;
	first.detail = 1;
	CU_ASSERT_EQUAL_FATAL(encode_timed(v, first, NULL, pts, s), H264I_OK);
	memset(p, 0, sizeof(p));
	for (uint32_t n = 0; n < v->frames; n++) {
		p[n].qp = s->qp[n];
		p[n].bytes = (uint64_t)(s->bits[n] / 8);
		p[n].time_ns = s->time_ns[n];
		p[n].detail = memcpy(detail[n], s->detail[n], sizeof(detail[n]));
		p[n].detail_count = 52;
	}
	CU_ASSERT_EQUAL_FATAL(h264i_plan_pictures(&o, p, v->frames, msg, sizeof(msg)), H264I_OK);
	o.rate_mode = H264I_RATE_FRAME;
	CU_ASSERT_EQUAL_FATAL(encode_timed(v, o, p, pts, s), H264I_OK);
	for (uint32_t n = 0; n < v->frames; n++)
		bits += s->bits[n];
	return bits;
}

static inline h264i_options options_of(h264i_rate_control mode)
{
	h264i_options o;

	h264i_options_init(&o);
	o.rate_mode = mode;
	o.vui.fps_num = 25;
	o.vui.fps_den = 1;
	o.threads = 2;
	return o;
}

#endif
