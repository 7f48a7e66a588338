/* The encoder's interface: refused options and arguments, log, level, timeline. On CPU threads. */
#include <libsched/sched.h>
#include <stdio.h>
#include "tests/common/json.h"
#include "tests/common/testmain.h"
#include "tests/common/text.h"
#include "tests/h264intra/encode_common.h"

enum { W = 66, H = 50 };

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
	o.struct_bytes = offsetof(h264i_options, log_opaque);
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
	for (int k = 0; k < 2; k++) { /* of later versions */
		o = test_cpu_options(W, H);
		o.depth += 2 * (k == 0);
		o.keyint += k == 1;
		expect_error(&o, H264I_ERR_UNSUPPORTED, "this version has 8 and 1");
	}
	o = test_cpu_options(W, H);
	o.substreams = 0;
	expect_error(&o, H264I_ERR_ARG, "substreams 0 is not in 1..1024");
	o.substreams = 1025;
	expect_error(&o, H264I_ERR_ARG, "substreams 1025 is not in 1..1024");
	o = test_cpu_options(W, H);
	o.sched = (h264i_sched)4;
	expect_error(&o, H264I_ERR_ARG, "sched 4 is not in 0 (dynamic)");
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
	char version[40];

	for (int s = -9; s < 4; s++)
		CU_ASSERT_TRUE(strlen(h264i_strstatus((h264i_status)s)) > 1);
	CU_ASSERT_STRING_NOT_EQUAL(h264i_strstatus(H264I_AGAIN), h264i_strstatus(H264I_END));
	snprintf(version, sizeof(version), "%d.%d.%d", H264I_VERSION_MAJOR, H264I_VERSION_MINOR,
		H264I_VERSION_PATCH);
	CU_ASSERT_STRING_EQUAL(h264i_version(), version);
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
	enc = test_open_ok(&o); /* level 4 allows the size but not the rate */
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

/* ---- the timeline ---- */

static void test_trace(void)
{
	test_video v = test_video_make(W, H, 4, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	test_text t = { 0 };
	lsched_run *runs[8];
	const lsched_event *event;
	size_t events = 0, n;
	h264i_encoder *enc = test_open_ok(&o);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	const char *end;

	CU_ASSERT_EQUAL(h264i_write_trace(enc, test_text_append, &t), H264I_ERR_STATE);
	CU_ASSERT_EQUAL(h264i_trace_runs(enc, runs, 8), 0);
	h264i_close(&enc);
	o.trace = 1;
	o.slices = 2;
	o.frames_in_flight = 4;
	enc = test_open_ok(&o);
	test_send_all(enc, &v);
	CU_ASSERT_EQUAL(
		h264i_write_trace(enc, test_text_append, &t), H264I_ERR_SCHED); /* still at work */
	h264i_flush(enc);
	while (h264i_receive_packet(enc, &pkt) == H264I_OK)
		;
	free(t.s);
	memset(&t, 0, sizeof(t));
	t.limit = 500;
	CU_ASSERT_EQUAL(h264i_write_trace(enc, test_text_append, &t), H264I_ERR_SCHED);
	CU_ASSERT_TRUE(strlen(h264i_last_error(enc)) > 0);
	free(t.s);
	memset(&t, 0, sizeof(t));
	CU_ASSERT_EQUAL(h264i_write_trace(enc, test_text_append, &t), H264I_OK);
	CU_ASSERT_EQUAL(h264i_trace_runs(enc, runs, 1), 1);
	n = h264i_trace_runs(enc, runs, 8);
	CU_ASSERT_EQUAL(n, 2); /* groups of frames */
	for (size_t i = 0; i < n; i++)
		events += lsched_run_events(runs[i], &event);
	CU_ASSERT_EQUAL(events, 4 * (20 + 4));
	h264i_close(&enc);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t.s);
	end = json_value(t.s);
	CU_ASSERT_TRUE(end && *json_space(end) == 0);
	/* two runs, each with all its tasks */
	CU_ASSERT_EQUAL(occurrences(t.s, "\"ph\":\"X\""), 4 * (20 + 4));
	free(t.s);
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "wrong options are refused with a reason", test_option_errors },
		{ "NULL is refused or harmless", test_nulls },
		{ "every status has a text", test_texts },
		{ "warnings and errors reach the log", test_log },
		{ "the timeline is JSON and holds every task", test_trace },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("encode_api", tests);
}
