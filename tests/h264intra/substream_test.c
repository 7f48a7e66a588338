/* Many streams in one encoder (options.substreams): each has the bytes that it has alone. CPU
 * threads only. */
#include "h264intra/core/backend.h"
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/substream_common.h"

#include <stdio.h>

enum { W = 50, H = 34 };

static test_video pool;

static void test_same_bytes_as_alone(void)
{
	static const uint32_t counts[] = { 1, 2, 7, 64 }, flights[] = { 0, 1, 5, 16 };
	const unsigned large = (unsigned)test_effort(1, 2, 8); /* each so many cases with 64 */

	for (unsigned i = 0; i < SUB_CASES; i++)
		for (unsigned n = 0; n < 4 - (i % large > 0); n++) {
			h264i_options o = sub_case(H264I_BACKEND_CPU, i), alone = o;

			o.frames_in_flight = flights[(i + n) % 4];
			o.latency_ms = n % 2 ? 0 : H264I_LATENCY_FULL;
			o.sched = (h264i_sched)(i % 3);
			CHECK(sub_same(&pool, o, alone, counts[n]), "case %u", i);
		}
}

/* ---- groups ---- */

static struct {
	h264i_backend_ops ops;
	const h264i_backend_ops *real;
	uint32_t starts, frames;
} watch;

static h264i_status watched_start(h264i_encoder *enc, h264i_group *g)
{
	watch.starts++;
	watch.frames = g->frames;
	return watch.real->start(enc, g);
}

/* A picture of each substream fits into a group, also with a bit rate, whose frames in flight are
 * bounded. */
static void test_one_group(void)
{
	h264i_options o = sub_case(H264I_BACKEND_CPU, 9);
	h264i_packet p = { .struct_bytes = sizeof(p) };
	h264i_encoder *enc;

	o.width = W;
	o.height = H;
	o.substreams = 64;
	o.frames_in_flight = 128;
	o.latency_ms = H264I_LATENCY_FULL;
	enc = test_open_ok(&o);
	watch.real = enc->ops;
	watch.ops = *enc->ops;
	watch.ops.start = watched_start;
	enc->ops = &watch.ops;
	for (uint32_t i = 0; i < 5; i++) {
		watch.starts = watch.frames = 0;
		for (uint32_t k = 0; k < 64; k++) {
			h264i_frame f = sub_frame(&pool, k, i);

			f.substream = k;
			CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
		}
		CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
		CU_ASSERT_EQUAL(watch.starts, 1);
		CU_ASSERT_EQUAL(watch.frames, 64);
		for (uint32_t k = 0; k < 64; k++) {
			CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p), H264I_OK);
			CU_ASSERT_EQUAL(p.substream, k);
			CU_ASSERT_EQUAL(p.index, i);
		}
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p), H264I_AGAIN);
	}
	h264i_close(&enc);
}

/* ---- calls ---- */

/* A substream whose plans need sizes in flight blocks itself only until they are received. */
static void test_full_substream(void)
{
	h264i_options o = sub_case(H264I_BACKEND_CPU, 9);
	h264i_packet p = { .struct_bytes = sizeof(p) };
	h264i_frame f = sub_frame(&pool, 0, 0);
	h264i_encoder *enc;

	o.width = W;
	o.height = H;
	o.substreams = 3;
	o.rate_delay = 2;
	o.frames_in_flight = 100;
	o.latency_ms = H264I_LATENCY_FULL;
	enc = test_open_ok(&o);
	CU_ASSERT_EQUAL(h264i_latency_frames(enc), 5);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_AGAIN);
	f.substream = 2;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p), H264I_OK);
	f.substream = 0;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	h264i_close(&enc);
}

static void test_wrong_calls(void)
{
	h264i_options o = test_cpu_options(W, H);
	h264i_packet p = { .struct_bytes = sizeof(p) };
	h264i_frame f = sub_frame(&pool, 0, 0);
	h264i_encoder *enc;

	o.substreams = 7;
	enc = test_open_ok(&o);
	f.substream = 7;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), "substream 7 of a frame is not in 0..6");
	f.substream = UINT32_MAX;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_restart_substream(enc, 7), H264I_ERR_ARG);
	CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), "substream 7 to restart is not in 0..6");
	CU_ASSERT_EQUAL(h264i_restart_substream(NULL, 0), H264I_ERR_ARG);
	f.substream = 6;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	for (uint32_t i = 0; i < 3; i++) /* streams without pictures */
		CU_ASSERT_EQUAL(h264i_restart_substream(enc, 6), H264I_OK);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_restart_substream(enc, 0), H264I_ERR_STATE);
	for (uint32_t i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p), H264I_OK);
		CU_ASSERT_EQUAL(p.index, 0);
		CU_ASSERT_EQUAL(p.substream, 6);
	}
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p), H264I_END);
	/* A restart of all ends those that were replaced, too. */
	CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_restart_substream(enc, 6), H264I_OK);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_cancel(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_restart_substream(enc, 6), H264I_ERR_CANCELLED);
	CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &p), H264I_OK);
	CU_ASSERT_EQUAL(p.index, 0);
	h264i_close(&enc);
}

/* The level is checked for each stream: two that it allows do not add up. */
static void test_level(void)
{
	h264i_stats one = { .struct_bytes = sizeof(one) }, two = one;

	for (uint32_t n = 1; n <= 2; n++) {
		h264i_options o = sub_case(H264I_BACKEND_CPU, 0);
		h264i_packet p = { .struct_bytes = sizeof(p) };
		h264i_encoder *enc;

		o.width = W;
		o.height = H;
		o.substreams = n;
		enc = test_open_ok(&o);
		for (uint32_t i = 0; i < 20 * n; i++) {
			h264i_frame f = sub_frame(&pool, 0, i / n);

			f.substream = i % n;
			while (h264i_send_frame(enc, &f) == H264I_AGAIN)
				CU_ASSERT_TRUE(h264i_receive_packet(enc, &p) >= 0);
		}
		CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		while (h264i_receive_packet(enc, &p) == H264I_OK)
			;
		CU_ASSERT_EQUAL(h264i_get_stats(enc, n == 1 ? &one : &two), H264I_OK);
		h264i_close(&enc);
	}
	CU_ASSERT_EQUAL(two.frames, 2 * one.frames);
	CU_ASSERT_TRUE(one.peak_kbit_per_s > 0);
	CU_ASSERT_EQUAL(two.peak_kbit_per_s, one.peak_kbit_per_s);
	CU_ASSERT_EQUAL(two.level_needed, one.level_needed);
}

/* Pictures that QP 51 does not make small enough: a warning for each stream, the one that was
 * replaced, too, with the bit rate of each. */
static unsigned warnings, old_rates, new_rates;

static void count_warnings(void *opaque, h264i_log_level level, const char *text)
{
	(void)opaque;
	warnings += level == H264I_LOG_WARN && strncmp(text, "substream 1: ", 13) == 0;
	old_rates += strstr(text, " instead of 8:") != NULL;
	new_rates += strstr(text, " instead of 9:") != NULL;
}

static void test_warnings(void)
{
	h264i_options o = sub_case(H264I_BACKEND_CPU, 8);
	h264i_packet p = { .struct_bytes = sizeof(p) };
	h264i_encoder *enc;

	o.width = W;
	o.height = H;
	o.substreams = 2;
	o.bitrate = 8;
	o.log = count_warnings;
	enc = test_open_ok(&o);
	o.bitrate = 9;
	for (uint32_t i = 0; i < 9; i++) {
		h264i_frame f = sub_frame(&pool, 0, i);

		f.substream = 1;
		if (i == 4)
			CU_ASSERT_EQUAL(h264i_restart_substream(enc, 1), H264I_OK);
		if (i == 4)
			CU_ASSERT_EQUAL(h264i_reconfigure(enc, &o), H264I_OK);
		while (h264i_send_frame(enc, &f) == H264I_AGAIN)
			CU_ASSERT_TRUE(h264i_receive_packet(enc, &p) >= 0);
	}
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	while (h264i_receive_packet(enc, &p) == H264I_OK)
		;
	CU_ASSERT_EQUAL(warnings, 2);
	CU_ASSERT_EQUAL(old_rates, 1);
	CU_ASSERT_EQUAL(new_rates, 1);
	h264i_close(&enc);
}

static int make_pool(void)
{
	pool = sub_pool(W, H);
	return pool.pixels ? 0 : 1;
}

static int free_pool(void)
{
	free(pool.pixels);
	return 0;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the streams of an encoder have the bytes, times and QPs that they have alone",
			test_same_bytes_as_alone },
		{ "a picture of each stream is one group", test_one_group },
		{ "a stream waits for its own sizes only", test_full_substream },
		{ "wrong numbers are refused, streams without pictures are not", test_wrong_calls },
		{ "the level is that of each stream", test_level },
		{ "each stream that misses its bit rate is logged", test_warnings },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "substream", make_pool, free_pool, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
