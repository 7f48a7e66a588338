/* h264i_reconfigure: QP, quality and bit rate in the middle of a stream. CPU, and CUDA if there is
 * a device. */
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

#include <math.h>

enum { FRAMES = 90, CHANGE_1 = 25, CHANGE_2 = 60 };

typedef struct coded {
	test_stream stream;
	int qp[FRAMES];
	double bits[FRAMES];
} coded;

/* The value of picture n of three. */
static int step_of(uint32_t n)
{
	return n < CHANGE_1 ? 0 : n < CHANGE_2 ? 1 : 2;
}

static void take(h264i_encoder *enc, coded *c)
{
	h264i_packet p;

	h264i_packet_init(&p);
	while (h264i_receive_packet(enc, &p) == H264I_OK) {
		CU_ASSERT_FATAL(c->stream.frames < FRAMES);
		c->qp[c->stream.frames] = p.qp;
		c->bits[c->stream.frames] = 8.0 * (double)p.data_bytes;
		CU_ASSERT_EQUAL(test_stream_take(&c->stream, &p), 0);
	}
}

/* Encodes the same picture FRAMES times, with o[0], from the changes on with o[1] and o[2]. With
 * RATE_FRAME the frames have their QPs. */
static void encode_steps(const h264i_options o[3], coded *c)
{
	test_video v = test_video_make(o[0].width, o[0].height, 1, TEST_NATURAL);
	h264i_encoder *enc = test_open_ok(&o[0]);

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	memset(c, 0, sizeof(*c));
	for (uint32_t n = 0; n < FRAMES; n++) {
		h264i_frame f = test_frame(&v, 0);

		f.qp = o[step_of(n)].qp;
		if (o[0].rate_mode != H264I_RATE_FRAME && n && step_of(n) != step_of(n - 1))
			CHECK(h264i_reconfigure(enc, &o[step_of(n)]) == H264I_OK, "%s",
				h264i_last_error(enc));
		while (h264i_send_frame(enc, &f) == H264I_AGAIN)
			take(enc, c);
	}
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	take(enc, c);
	CU_ASSERT_EQUAL(c->stream.frames, FRAMES);
	h264i_close(&enc);
	free(v.pixels);
}

static h264i_options options_of(uint32_t in_flight)
{
	h264i_options o = test_cpu_options(96, 80);

	o.frames_in_flight = in_flight;
	o.vui.fps_num = 25;
	o.vui.fps_den = 1;
	return o;
}

/* The options with three values of a member. */
#define STEPS(name, o, member, a, b, c)            \
	h264i_options name[3] = { (o), (o), (o) }; \
	name[0].member = (a);                      \
	name[1].member = (b);                      \
	name[2].member = (c)

/* Encodes with other numbers of frames in flight, and with CUDA: the bytes are the same. */
static void check_same(const h264i_options from[3], const coded *want)
{
	static const uint32_t in_flight[] = { 1, 3, 16, 16 };
	const int cases = h264i_cuda_usable(NULL, 0) ? 4 : 3;

	for (int i = 0; i < cases; i++) {
		h264i_options o[3] = { from[0], from[1], from[2] };
		coded got;

		o[0].frames_in_flight = in_flight[i];
		o[0].vary_qp = 1;
		o[0].backend = i == 3 ? H264I_BACKEND_CUDA : H264I_BACKEND_CPU;
		encode_steps(o, &got);
		CHECK(test_same_bytes(&got.stream, &want->stream), "case %d", i);
		free(got.stream.data);
	}
}

static void test_qp(void)
{
	STEPS(o, options_of(4), qp, 22, 40, 9);
	coded got, want;

	encode_steps(o, &got);
	check_same(o, &got);
	for (uint32_t n = 0; n < FRAMES; n++)
		CHECK(got.qp[n] == o[step_of(n)].qp, "picture %u has QP %d", n, got.qp[n]);
	for (int i = 0; i < 3; i++)
		o[i].rate_mode = H264I_RATE_FRAME;
	encode_steps(o, &want);
	CU_ASSERT_TRUE(test_same_bytes(&got.stream, &want.stream));
	free(got.stream.data);
	free(want.stream.data);
}

static void test_quality(void)
{
	h264i_options base = options_of(4);
	coded got;

	base.rate_mode = H264I_RATE_QUALITY;
	{
		STEPS(o, base, crf, 20, 32, 14);

		encode_steps(o, &got);
		check_same(o, &got);
		for (uint32_t n = 1; n < FRAMES; n++) {
			const double step = o[step_of(n)].crf - o[step_of(n - 1)].crf;

			CHECK(fabs(got.qp[n] - got.qp[n - 1] - step) < 1.5,
				"picture %u: QP %d after %d", n, got.qp[n], got.qp[n - 1]);
		}
	}
	free(got.stream.data);
}

/* The rate from picture `from` on, in kbit/s. */
static double rate_of(const coded *c, uint32_t from, uint32_t to)
{
	double bits = 0;

	for (uint32_t n = from; n < to; n++)
		bits += c->bits[n];
	return bits / (to - from) * 25 / 1000;
}

static void check_rates(h264i_options base, const char *name)
{
	static const uint32_t at[] = { 0, CHANGE_1, CHANGE_2, FRAMES };
	STEPS(o, base, bitrate, 800, 250, 1500);
	coded got;

	o[0].vbv_bufsize /= 2;
	encode_steps(o, &got);
	check_same(o, &got);
	for (int i = 0; i < 3; i++) {
		/* At once, not after a second: the first three pictures. */
		const double first = rate_of(&got, at[i], at[i] + 3);
		const double all = rate_of(&got, at[i], at[i + 1]);

		CHECK(fabs(first / o[i].bitrate - 1) < 0.1, "%s, step %d: %.0f kbit/s at first",
			name, i, first);
		CHECK(fabs(all / o[i].bitrate - 1) < 0.05, "%s, step %d: %.0f kbit/s", name, i,
			all);
	}
	free(got.stream.data);
}

static void test_bitrate(void)
{
	h264i_options o = options_of(4);

	o.rate_mode = H264I_RATE_BITRATE;
	check_rates(o, "bit rate");
	o.rate_delay = 8;
	check_rates(o, "bit rate, delay 8");
	o.vbv_bufsize = 1000;
	check_rates(o, "buffer");
}

/* Sends the picture `frames` times and receives all packets. */
static void send_all(h264i_encoder *enc, const test_video *v, uint32_t frames, coded *c)
{
	h264i_frame f = test_frame(v, 0);

	memset(c, 0, sizeof(*c));
	for (uint32_t n = 0; n < frames; n++)
		while (h264i_send_frame(enc, &f) == H264I_AGAIN)
			take(enc, c);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	take(enc, c);
}

/* Changes the rates between two streams, or before the first one (way 3). */
static void change_between(
	h264i_encoder *enc, const test_video *v, const h264i_options *to, int way)
{
	h264i_packet p = { .struct_bytes = sizeof(p) };
	h264i_frame f = test_frame(v, 0);
	coded c = { 0 };

	if (way < 3)
		CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	if (way == 1) { /* nothing is in flight */
		CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p), H264I_OK);
	}
	CHECK(h264i_reconfigure(enc, to) == H264I_OK, "%s", h264i_last_error(enc));
	if (way < 2)
		CU_ASSERT_EQUAL(h264i_restart_substream(enc, 0), H264I_OK);
	if (way == 0)
		while (h264i_receive_packet(enc, &p) == H264I_AGAIN)
			continue;
	if (way != 2)
		return;
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	take(enc, &c);
	free(c.stream.data);
	CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
}

/* The buffer is full as vbv_init says, and rate_delay is that of the first rates. */
static void test_streams_after(void)
{
	const test_video v = test_video_make(96, 80, 1, TEST_NATURAL);
	h264i_options o = options_of(4), to, alone;
	h264i_encoder *enc;
	coded want, got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.level = 40;
	o.rate_mode = H264I_RATE_QUALITY;
	o.crf = 8;
	o.vbv_maxrate = 200;
	o.vbv_bufsize = 200;
	to = o;
	to.vbv_bufsize = 500;
	alone = to;
	alone.rate_delay = 12; /* half of the pictures in a buffer of 200 kbit */
	enc = test_open_ok(&alone);
	send_all(enc, &v, 40, &want);
	h264i_close(&enc);
	for (int way = 0; way < 4; way++) {
		enc = test_open_ok(&o);
		change_between(enc, &v, &to, way);
		send_all(enc, &v, 40, &got);
		CHECK(test_same_bytes(&got.stream, &want.stream), "way %d", way);
		free(got.stream.data);
		h264i_close(&enc);
	}
	free(want.stream.data);
	free(v.pixels);
}

static void refuse(
	h264i_encoder *enc, const h264i_options *o, h264i_status status, const char *word)
{
	CU_ASSERT_EQUAL(h264i_reconfigure(enc, o), status);
	CHECK(strstr(h264i_last_error(enc), word), "%s: %s", word, h264i_last_error(enc));
}

static void test_refused(void)
{
	h264i_options o = options_of(1), to;
	h264i_encoder *enc;

	CU_ASSERT_EQUAL(h264i_reconfigure(NULL, &o), H264I_ERR_ARG);
	o.rate_mode = H264I_RATE_BITRATE;
	o.bitrate = 500;
	o.vbv_bufsize = 500;
	o.hrd = 1;
	enc = test_open_ok(&o);
	refuse(enc, NULL, H264I_ERR_ARG, "NULL");
	to = o;
	to.rate_mode = H264I_RATE_QP;
	refuse(enc, &to, H264I_ERR_STATE, "rate_mode cannot change from 2 to 0");
	to = o;
	to.vbv_bufsize = 0;
	refuse(enc, &to, H264I_ERR_STATE, "vbv_bufsize cannot change from 500 to 0");
	to.vbv_bufsize = 600;
	refuse(enc, &to, H264I_ERR_STATE, "hrd");
	to = o;
	to.frame_bytes_max = 6000;
	refuse(enc, &to, H264I_ERR_STATE, "frame_bytes_max cannot change from 0 to 6000");
	to = o;
	to.bitrate = to.vbv_maxrate = 0;
	refuse(enc, &to, H264I_ERR_STATE, "hrd");
	to.vbv_maxrate = 500;
	refuse(enc, &to, H264I_ERR_ARG, "bitrate");
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	refuse(enc, &o, H264I_ERR_STATE, "flushed");
	h264i_close(&enc);
	o = options_of(1);
	enc = test_open_ok(&o);
	o.qp = 52;
	refuse(enc, &o, H264I_ERR_ARG, "52");
	h264i_close(&enc);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a QP is that of the frames sent after the call", test_qp },
		{ "a quality likewise", test_quality },
		{ "a bit rate holds at once, whatever was in flight", test_bitrate },
		{ "a stream that begins after the call has the bytes of these rates alone",
			test_streams_after },
		{ "what needs a new encoder is refused", test_refused },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("reconfigure", tests);
}
