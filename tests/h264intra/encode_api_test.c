/* The encoder's interface: ownership, order of calls, errors. CPU threads only. */
#include <libsched/sched.h>
#include "tests/h264intra/encode_common.h"
#include "tests/common/json.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <pthread.h>
#include <stdio.h>

/* ---- ownership of frames ---- */

enum { W = 66, H = 50, FRAMES = 9, FRAME_BYTES = W * H * 3 / 2 };

typedef struct {
	uint8_t pixels[FRAME_BYTES];
	int released;
} lent_frame;

/* The planes are the test's again: later reads by the encoder get wrong samples. */
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
		for (uint32_t i = 0; i <= pkt.index; i++) /* a packet is made of what was read */
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
		CU_ASSERT_TRUE(got.bytes == want.bytes && !memcmp(got.data, want.data, got.bytes));
		CU_ASSERT_EQUAL(memcmp(got.sse, want.sse, sizeof(got.sse)), 0);
		free(got.data);
	}
	free(want.data);
	free(v.pixels);
}

/* A frame that was refused is not released either. */
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
	g.format = H264I_NV12; /* whose second plane is W wide */
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	g = f;
	g.format = (h264i_format)7;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	g = f;
	g.memory = (h264i_memory)-1;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	g = f;
	g.memory = H264I_MEM_CUDA;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &g), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(lent[0].released, 0);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK); /* nothing was broken by that */
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

/* Random calls against a model: frames come back in order, and every state can be left. */
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

/* ---- errors ---- */

static void expect_error(const h264i_options *o, h264i_status want, const char *word)
{
	h264i_encoder *enc = (h264i_encoder *)&enc;
	char msg[256] = "?", small[8] = "???????";

	CU_ASSERT_EQUAL(h264i_open(&enc, o, msg, sizeof(msg)), want);
	CU_ASSERT_PTR_NULL(enc);
	CU_ASSERT_TRUE(strstr(msg, word) != NULL);
	CU_ASSERT_TRUE(strchr(msg, '\n') == NULL);
	if (!strstr(msg, word))
		printf("\n  \"%s\" does not say \"%s\"\n", msg, word);
	CU_ASSERT_EQUAL(h264i_open(&enc, o, small, sizeof(small)), want);
	CU_ASSERT_EQUAL(small[7], 0);
	CU_ASSERT_EQUAL(h264i_open(&enc, o, NULL, 0), want);
}

static void expect_size_error(uint32_t w, uint32_t h, h264i_status want, const char *word)
{
	h264i_options o = test_cpu_options(w, h);

	expect_error(&o, want, word);
}

static void test_option_errors(void)
{
	h264i_options o;

	expect_error(NULL, H264I_ERR_ARG, "h264i_options is NULL");
	o = test_cpu_options(W, H);
	CU_ASSERT_EQUAL(h264i_open(NULL, &o, NULL, 0), H264I_ERR_ARG);
	o.struct_bytes--;
	expect_error(&o, H264I_ERR_ARG, "init function");
	expect_size_error(0, 0, H264I_ERR_ARG, "0x0");
	expect_size_error(14, 14, H264I_ERR_ARG, "14x14");
	expect_size_error(16, 14, H264I_ERR_ARG, "16");
	expect_size_error(65, 48, H264I_ERR_ARG, "even");
	expect_size_error(64, 49, H264I_ERR_ARG, "even");
	expect_size_error(16882, 16, H264I_ERR_LIMIT, "1055");
	expect_size_error(16, 16882, H264I_ERR_LIMIT, "1055");
	expect_size_error(8192, 4384 * 16, H264I_ERR_LIMIT, "");
	expect_size_error(16000, 16000, H264I_ERR_LIMIT, "139264");
	expect_size_error(UINT32_MAX - 1, 16, H264I_ERR_LIMIT, "6.2");
	o = test_cpu_options(W, H);
	o.qp = 52;
	expect_error(&o, H264I_ERR_ARG, "52");
	o.qp = -1;
	expect_error(&o, H264I_ERR_ARG, "-1");
	o = test_cpu_options(W, H);
	o.slices = 0;
	expect_error(&o, H264I_ERR_ARG, "0 slices");
	o.slices = 5;
	expect_error(&o, H264I_ERR_ARG, "5 slices");
	o = test_cpu_options(1920, 1080);
	o.level = 9;
	expect_error(&o, H264I_ERR_LIMIT, "1b");
	o.level = 39;
	expect_error(&o, H264I_ERR_ARG, "39");
	o = test_cpu_options(W, H);
	o.disable_modes = H264I_DISABLE_I4_ALL | H264I_DISABLE_I16_ALL;
	expect_error(&o, H264I_ERR_ARG, "disables both");
	o = test_cpu_options(W, H);
	o.sched = (h264i_sched)3;
	expect_error(&o, H264I_ERR_ARG, "unknown sched");
	o = test_cpu_options(W, H);
	o.backend = (h264i_backend)-1;
	expect_error(&o, H264I_ERR_ARG, "backend");
	o = test_cpu_options(W, H);
	o.frames_in_flight = 1025;
	expect_error(&o, H264I_ERR_ARG, "1025");
	o = test_cpu_options(W, H);
	o.threads = 1u << 31;
	expect_error(&o, H264I_ERR_ARG, "workers");
}

static void test_nulls(void)
{
	h264i_options o = test_cpu_options(W, H);
	h264i_encoder *enc = test_open_ok(&o), *none = NULL;
	const uint8_t *data;
	size_t bytes;
	h264i_frame f;
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_stats st = { .struct_bytes = sizeof(st) };
	void *p;

	h264i_frame_init(&f);
	CU_ASSERT_EQUAL(h264i_send_frame(NULL, &f), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_receive_packet(NULL, &pkt), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_flush(NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_headers(NULL, &data, &bytes), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_headers(enc, NULL, &bytes), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_headers(enc, &data, NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_host_alloc(enc, &p, 0), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_host_alloc(enc, NULL, 1), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_host_alloc(NULL, &p, 1), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_host_alloc(enc, &p, 1 << 20), H264I_OK);
	memset(p, 1, 1 << 20);
	CU_ASSERT_EQUAL((uintptr_t)p % 4096, 0);
	h264i_host_free(NULL);
	CU_ASSERT_EQUAL(h264i_level(NULL), 0);
	CU_ASSERT_STRING_EQUAL(h264i_last_error(NULL), "");
	CU_ASSERT_EQUAL(h264i_write_trace(enc, NULL, NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_trace_runs(NULL, NULL, 1), 0);
	CU_ASSERT_EQUAL(h264i_trace_runs(enc, NULL, 1), 0);
	h264i_get_stats(NULL, &st);
	CU_ASSERT_EQUAL(st.frames, 0);
	h264i_get_stats(enc, NULL);
	CU_ASSERT_EQUAL(h264i_latency_frames(NULL), 0);
	h264i_close(NULL);
	h264i_close(&none);
	h264i_close(&enc);
	memset(p, 2, 1 << 20); /* it outlives the encoder */
	h264i_host_free(p);
}

static void test_texts(void)
{
	for (int s = -9; s < 4; s++)
		CU_ASSERT_TRUE(strlen(h264i_strstatus((h264i_status)s)) > 1);
	CU_ASSERT_STRING_NOT_EQUAL(h264i_strstatus(H264I_AGAIN), h264i_strstatus(H264I_END));
	CU_ASSERT_STRING_EQUAL(h264i_version(), "0.1.0");
}

/* ---- log and level ---- */

typedef struct {
	int count[4];
	char last[256];
} log_book;

static void note(void *opaque, h264i_log_level level, const char *text)
{
	log_book *b = opaque;

	b->count[level]++;
	snprintf(b->last, sizeof(b->last), "%s", text);
}

static void test_log(void)
{
	h264i_options o = test_cpu_options(1920, 1080);
	log_book book;
	h264i_encoder *enc;

	memset(&book, 0, sizeof(book));
	o.log = note;
	o.log_opaque = &book;
	o.level = 40;
	o.frames_in_flight = 1;
	o.vui.fps_num = 25;
	o.vui.fps_den = 1;
	enc = test_open_ok(&o); /* level 4 holds the size and not the rate */
	CU_ASSERT_EQUAL(h264i_level(enc), 40);
	CU_ASSERT_EQUAL(book.count[H264I_LOG_WARN], 1);
	CU_ASSERT_TRUE(strstr(book.last, "level 4") != NULL);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CU_ASSERT_EQUAL(book.count[H264I_LOG_ERROR], 0);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &(h264i_frame){ 0 }), H264I_ERR_STATE);
	CU_ASSERT_EQUAL(book.count[H264I_LOG_ERROR], 1);
	CU_ASSERT_STRING_EQUAL(book.last, h264i_last_error(enc));
	h264i_close(&enc);
	o = test_cpu_options(W, H);
	enc = test_open_ok(&o);
	CU_ASSERT_TRUE(h264i_level(enc) >= 9 && h264i_level(enc) <= 20);
	h264i_close(&enc);
}

/* ---- several at once ---- */

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
		CU_ASSERT_TRUE(a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes));
		free(a->data);
		free(b->data);
	}
}

/* ---- the timeline ---- */

typedef struct {
	char *text;
	size_t bytes, fail_after;
} text_sink;

static int collect(void *opaque, const char *text, size_t bytes)
{
	text_sink *t = opaque;
	char *more;

	if (t->bytes + bytes > t->fail_after)
		return -1;
	more = realloc(t->text, t->bytes + bytes + 1);
	if (!more)
		return -1;
	t->text = more;
	memcpy(t->text + t->bytes, text, bytes);
	t->bytes += bytes;
	t->text[t->bytes] = 0;
	return 0;
}

static void test_trace(void)
{
	test_video v = test_video_make(W, H, 4, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	text_sink t = { NULL, 0, SIZE_MAX };
	lsched_run *runs[8];
	const lsched_event *event;
	size_t events = 0, n;
	h264i_encoder *enc = test_open_ok(&o);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	const char *end;

	CU_ASSERT_EQUAL(h264i_write_trace(enc, collect, &t), H264I_ERR_STATE);
	CU_ASSERT_EQUAL(h264i_trace_runs(enc, runs, 8), 0);
	h264i_close(&enc);
	o.trace = 1;
	o.slices = 2;
	o.frames_in_flight = 4;
	enc = test_open_ok(&o);
	for (uint32_t i = 0; i < 4; i++) {
		h264i_frame f = test_frame(&v, i);

		CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	}
	CU_ASSERT_EQUAL(h264i_write_trace(enc, collect, &t), H264I_ERR_SCHED); /* still at work */
	h264i_flush(enc);
	while (h264i_receive_packet(enc, &pkt) == H264I_OK)
		;
	free(t.text);
	memset(&t, 0, sizeof(t));
	t.fail_after = 500;
	CU_ASSERT_EQUAL(h264i_write_trace(enc, collect, &t), H264I_ERR_SCHED);
	CU_ASSERT_TRUE(strlen(h264i_last_error(enc)) > 0);
	free(t.text);
	memset(&t, 0, sizeof(t));
	t.fail_after = SIZE_MAX;
	CU_ASSERT_EQUAL(h264i_write_trace(enc, collect, &t), H264I_OK);
	CU_ASSERT_EQUAL(h264i_trace_runs(enc, runs, 1), 1);
	n = h264i_trace_runs(enc, runs, 8);
	CU_ASSERT_EQUAL(n, 2); /* groups of frames */
	for (size_t i = 0; i < n; i++)
		events += lsched_run_events(runs[i], &event);
	CU_ASSERT_EQUAL(events, 4 * (20 + 2));
	events = 0;
	h264i_close(&enc);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t.text);
	end = json_value(t.text);
	CU_ASSERT_TRUE(end && *json_space(end) == 0);
	for (const char *p = t.text; (p = strstr(p, "\"ph\":\"X\"")); p++)
		events++;
	CU_ASSERT_EQUAL(events, 4 * (20 + 2)); /* two runs, each with all its tasks */
	free(t.text);
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "frames are read only while they are lent", test_frame_memory },
		{ "refused frames stay the caller's", test_refused_frames },
		{ "a packet lives until the next one is received", test_packet_lifetime },
		{ "calls in any order keep the order of frames", test_any_order },
		{ "the end is the end", test_ends },
		{ "wrong options are refused with a reason", test_option_errors },
		{ "NULL is refused or harmless", test_nulls },
		{ "every status has a text", test_texts },
		{ "warnings and errors reach the log", test_log },
		{ "encoders in several threads are independent", test_several_encoders },
		{ "the timeline is JSON and holds every task", test_trace },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "encode_api", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
