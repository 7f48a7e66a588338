/* The encoder's interface: ownership of frames and packets, order of calls, several encoders. CPU
 * threads only. */
#include <pthread.h>
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

/* ---- ownership of frames ---- */

enum { W = 66, H = 50, FRAMES = 9, FRAME_BYTES = W * H * 3 / 2 };

typedef struct {
	uint8_t pixels[FRAME_BYTES];
	int released;
} lent_frame;

/* The planes belong to the test again: the encoder would read wrong samples from now on. */
static void take_back(void *opaque)
{
	lent_frame *l = opaque;

	l->released++;
	memset(l->pixels, 0x5a, sizeof(l->pixels));
}

static h264i_frame lend(lent_frame *l, const test_video *v, uint32_t i, h264i_memory memory)
{
	test_video one = { W, H, 1, l->pixels };
	h264i_frame f;

	memcpy(l->pixels, v->pixels + i * FRAME_BYTES, FRAME_BYTES);
	l->released = 0;
	f = test_frame(&one, 0);
	f.pts = 100 + (int64_t)i;
	f.memory = memory;
	f.release = take_back;
	f.release_opaque = l;
	return f;
}

/* Sends FRAMES frames from lent memory; overwrites MEM_HOST ones at once. */
static void encode_lent(const test_video *v, h264i_options o, h264i_memory memory, test_stream *out)
{
	static lent_frame lent[FRAMES];
	h264i_encoder *enc = test_open_ok(&o);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < FRAMES; i++) {
		h264i_frame f = lend(&lent[i], v, i, memory);
		h264i_status s;

		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN) {
			CU_ASSERT_EQUAL(lent[i].released, 0);
			if (h264i_receive_packet(enc, &pkt) == H264I_OK)
				CU_ASSERT_EQUAL(test_stream_take(out, &pkt), 0);
		}
		CU_ASSERT_EQUAL(s, H264I_OK);
		if (memory == H264I_MEM_HOST)
			memset(lent[i].pixels, 0xa5, FRAME_BYTES);
	}
	h264i_flush(enc);
	while (h264i_receive_packet(enc, &pkt) == H264I_OK) {
		CU_ASSERT_EQUAL(test_stream_take(out, &pkt), 0);
		for (uint32_t i = 0; i <= pkt.index;
			i++) /* the encoder has read all frames of its packets */
			CU_ASSERT_EQUAL(lent[i].released, 1);
	}
	h264i_close(&enc);
	for (int i = 0; i < FRAMES; i++)
		CU_ASSERT_EQUAL(lent[i].released, 1);
}

static void test_frame_memory(void)
{
	static const uint32_t flights[] = { 1, 2, 5, 16 };
	test_video v = test_video_make(W, H, FRAMES, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	test_stream want, got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.recon = 1;
	CU_ASSERT_EQUAL(test_encode(&v, o, &want), H264I_OK);
	for (int i = 0; i < 8; i++) {
		o.frames_in_flight = flights[i / 2];
		encode_lent(&v, o, i & 1 ? H264I_MEM_HOST_PINNED : H264I_MEM_HOST, &got);
		CU_ASSERT_EQUAL(got.frames, FRAMES);
		CU_ASSERT_EQUAL(got.bytes, want.bytes);
		CU_ASSERT_TRUE(test_same_bytes(&got, &want));
		CU_ASSERT_EQUAL(memcmp(got.sse, want.sse, sizeof(got.sse)), 0);
		free(got.data);
	}
	free(want.data);
	free(v.pixels);
}

/* A frame that was refused is not released. */
static void test_refused_frames(void)
{
	static lent_frame lent[2];
	test_video v = test_video_make(W, H, 1, TEST_BLACK);
	h264i_options o = test_cpu_options(W, H);
	h264i_encoder *enc = test_open_ok(&o);
	h264i_frame f = lend(&lent[0], &v, 0, H264I_MEM_HOST_PINNED), g = f;

	g.plane[1] = NULL;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	CU_ASSERT_TRUE(strlen(h264i_last_error(enc)) > 0);
	g = f;
	g.pitch_bytes[2] = W / 2 - 1;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	g = f;
	g.format = H264I_NV12; /* the second plane of NV12 is W bytes wide */
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	g = f;
	g.format = (h264i_format)7;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	g = f;
	g.memory = (h264i_memory)-1;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	g = f;
	g.substream = 1;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	g = f;
	g.memory = H264I_MEM_CUDA;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(lent[0].released, 0);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK); /* the encoder is usable after that */
	CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), "");
	h264i_flush(enc);
	g = lend(&lent[1], &v, 0, H264I_MEM_HOST_PINNED);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_STATE);
	h264i_close(&enc);
	CU_ASSERT_EQUAL(lent[0].released, 1);
	CU_ASSERT_EQUAL(lent[1].released, 0);
	free(v.pixels);
}

/* ---- packets ---- */

/* A packet's memory stays as it is while frames are sent and encoded, until the next receive. */
static void test_packet_lifetime(void)
{
	test_video v = test_video_make(W, H, 40, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	uint32_t sent = 0, received = 0;
	h264i_encoder *enc;
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.recon = 1;
	o.frames_in_flight = 6;
	enc = test_open_ok(&o);
	while (received < v.frames) {
		h264i_status s = h264i_receive_packet(enc, &pkt);
		uint8_t *copy = NULL;

		if (s == H264I_OK) {
			CU_ASSERT_EQUAL(pkt.index, received);
			CU_ASSERT_EQUAL(pkt.pts, 100 + (int64_t)received);
			received++;
			copy = malloc(pkt.data_bytes + W);
			CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
			memcpy(copy, pkt.data, pkt.data_bytes);
			memcpy(copy + pkt.data_bytes, pkt.recon[0], W);
		} else {
			CU_ASSERT_EQUAL(s, H264I_AGAIN);
		}
		for (s = H264I_OK; sent < v.frames && s == H264I_OK; sent += s == H264I_OK) {
			h264i_frame f = test_frame(&v, sent);

			s = h264i_send_frame(enc, &f);
			CU_ASSERT_TRUE(s == H264I_OK || s == H264I_AGAIN);
		}
		if (sent == v.frames)
			CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		if (copy) {
			CU_ASSERT_EQUAL(memcmp(copy, pkt.data, pkt.data_bytes), 0);
			CU_ASSERT_EQUAL(memcmp(copy + pkt.data_bytes, pkt.recon[0], W), 0);
			free(copy);
		}
	}
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_END);
	h264i_close(&enc);
	free(v.pixels);
}

/* ---- calls in any order ---- */

/* Random calls against a model: packets are received in the order of the frames, and no state is
 * final. */
static void random_session(const test_video *v, uint32_t max_calls)
{
	static const uint32_t flights[] = { 1, 2, 3, 8, 0 },
			      latencies[] = { 0, 2, H264I_LATENCY_FULL };
	h264i_options o = test_cpu_options(v->width, v->height);
	uint64_t sent = 0, received = 0;
	int flushed = 0, stuck = 0;
	h264i_encoder *enc;

	o.sched = (h264i_sched)rng_below(3);
	o.frames_in_flight = flights[rng_below(5)];
	o.latency_ms = latencies[rng_below(3)];
	enc = test_open_ok(&o);
	for (uint32_t call = 0; call < max_calls; call++) {
		uint32_t what = rng_below(16);
		h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
		h264i_status s;

		if (what < 8) {
			h264i_frame f = test_frame(v, (uint32_t)(sent % v->frames));

			s = h264i_send_frame(enc, &f);
			sent += s == H264I_OK;
			stuck = s == H264I_AGAIN ? stuck + 1 : 0;
			CU_ASSERT_TRUE(
				flushed ? s == H264I_ERR_STATE : s == H264I_OK || s == H264I_AGAIN);
		} else if (what < 15) {
			s = h264i_receive_packet(enc, &pkt);
			if (s == H264I_OK) {
				CU_ASSERT_EQUAL(pkt.index, received);
				CU_ASSERT_TRUE(pkt.data_bytes > pkt.headers_bytes);
				received++;
				stuck = 0;
			} else {
				CU_ASSERT_EQUAL(s, flushed ? H264I_END : H264I_AGAIN);
				CU_ASSERT_TRUE(s != H264I_END || received == sent);
				CU_ASSERT_PTR_NULL(pkt.data);
				/* Both returned AGAIN: a send must work now, unless work runs. */
				if (stuck && !flushed) {
					h264i_frame f = test_frame(v, 0);

					s = h264i_send_frame(enc, &f);
					CU_ASSERT_EQUAL(s, H264I_OK);
					sent += s == H264I_OK;
					stuck = 0;
				}
			}
		} else if (call > max_calls / 2) {
			CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
			flushed = 1;
		} else {
			CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
		}
	}
	h264i_close(&enc);
	CU_ASSERT_PTR_NULL(enc);
	h264i_close(&enc);
}

static void test_any_order(void)
{
	test_video v = test_video_make(34, 50, 4, TEST_NATURAL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	for (uint32_t i = 0; i < 150; i++)
		random_session(&v, i);
	free(v.pixels);
}

static void test_ends(void)
{
	test_video v = test_video_make(W, H, 3, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	h264i_encoder *enc = test_open_ok(&o);
	h264i_frame f = test_frame(&v, 0);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };

	/* Nothing sent. */
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_AGAIN);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_END);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_END);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_STATE);
	CU_ASSERT_TRUE(strstr(h264i_last_error(enc), "flushed") != NULL);
	h264i_close(&enc);
	/* A flush in the middle of a group. */
	o.frames_in_flight = 8;
	enc = test_open_ok(&o);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_AGAIN);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_END);
	h264i_close(&enc);
	/* With one frame in flight, its packet can be received at once. */
	o.frames_in_flight = 1;
	enc = test_open_ok(&o);
	for (int i = 0; i < 3; i++) {
		while (h264i_send_frame(enc, &f) == H264I_AGAIN)
			CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_AGAIN);
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
		CU_ASSERT_EQUAL(pkt.index, (uint64_t)i);
	}
	h264i_close(&enc);
	free(v.pixels);
}

/* ---- several encoders ---- */

typedef struct {
	pthread_t thread;
	int scheme, pattern, started;
	test_stream alone, together;
	h264i_status status;
} session;

static void run_session(const session *s, test_stream *out, h264i_status *status)
{
	test_video v = test_video_make(80, 64, 8, s->pattern);
	h264i_options o = test_cpu_options(80, 64);

	o.sched = (h264i_sched)s->scheme;
	o.threads = 3;
	*status = v.pixels ? test_encode(&v, o, out) : H264I_ERR_NOMEM;
	free(v.pixels);
}

static void *session_main(void *p)
{
	session *s = p;

	run_session(s, &s->together, &s->status);
	return NULL;
}

static void test_several_encoders(void)
{
	static session all[6];

	for (int i = 0; i < 6; i++) {
		h264i_status s;

		all[i].scheme = i % 3;
		all[i].pattern = i % TEST_PATTERNS;
		run_session(&all[i], &all[i].alone, &s);
		CU_ASSERT_EQUAL(s, H264I_OK);
	}
	for (int i = 0; i < 6; i++)
		all[i].started = !pthread_create(&all[i].thread, NULL, session_main, &all[i]);
	for (int i = 0; i < 6; i++) {
		test_stream *a = &all[i].alone, *b = &all[i].together;

		CU_ASSERT_TRUE_FATAL(all[i].started);
		pthread_join(all[i].thread, NULL);
		CU_ASSERT_EQUAL(all[i].status, H264I_OK);
		CU_ASSERT_TRUE(test_same_bytes(a, b));
		free(a->data);
		free(b->data);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "frames are read only while they are lent", test_frame_memory },
		{ "refused frames stay the caller's", test_refused_frames },
		{ "a packet stays valid until the next one is received", test_packet_lifetime },
		{ "calls in any order keep the order of frames", test_any_order },
		{ "after a flush no frame is accepted, and the packets end with END", test_ends },
		{ "encoders in several threads are independent", test_several_encoders },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("encode_calls", tests);
}
