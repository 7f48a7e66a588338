/* The encoder with input that pauses: groups that are not full, drains, latency. CPU threads
 * only. */
#include "h264intra/core/backend.h"
#include "tests/h264intra/live_common.h"
#include "tests/common/testmain.h"

#include <stdio.h>

enum { W = 66, H = 50, HOUR_MS = 3600000 };
#define HOUR_NS (HOUR_MS * UINT64_C(1000000))

static h264i_options cpu_options(uint32_t frames_in_flight)
{
	h264i_options o = test_cpu_options(W, H);

	o.frames_in_flight = frames_in_flight;
	return o;
}

/* ---- a pattern that would stall if only full groups started ---- */

static void test_one_frame_for_a_packet(void)
{
	static const uint32_t flights[] = { 0, 2, 3, 8, 72 }, latencies[] = { 0, 2, 30 };
	test_video v = test_video_make(W, H, 12, TEST_NATURAL);
	test_stream want, got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	CU_ASSERT_EQUAL(test_encode(&v, cpu_options(0), &want), H264I_OK);
	for (int i = 0; i < 15; i++) {
		h264i_options o = cpu_options(flights[i / 3]);

		o.latency_ms = latencies[i % 3];
		CU_ASSERT_EQUAL(live_encode(&v, o, &got), H264I_OK);
		CU_ASSERT_EQUAL(got.frames, v.frames);
		CU_ASSERT_TRUE(test_same_bytes(&got, &want));
		free(got.data);
	}
	free(want.data);
	free(v.pixels);
}

/* ---- which groups start ---- */

enum { STARTS = 16 };

static struct {
	h264i_backend_ops ops;
	const h264i_backend_ops *real;
	uint32_t starts, frames[STARTS];
} watch;

static h264i_status watched_start(h264i_encoder *enc, h264i_group *g)
{
	if (watch.starts < STARTS)
		watch.frames[watch.starts++] = g->frames;
	return watch.real->start(enc, g);
}

static h264i_encoder *open_watched(const h264i_options *o)
{
	h264i_encoder *enc = test_open_ok(o);

	memset(&watch, 0, sizeof(watch));
	watch.real = enc->ops;
	watch.ops = *enc->ops;
	watch.ops.start = watched_start;
	enc->ops = &watch.ops;
	return enc;
}

/* Frames that are sent faster than options.latency_ms fill their groups, however often
 * h264i_receive_packet is called. */
static void test_full_groups(void)
{
	test_video v = test_video_make(W, H, 20, TEST_NATURAL);
	h264i_options o = cpu_options(8);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc;
	h264i_status s;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.latency_ms = HOUR_MS;
	enc = open_watched(&o);
	for (uint32_t i = 0; i < v.frames; i++) {
		while ((s = live_send(enc, &v, i)) == H264I_AGAIN)
			h264i_receive_packet(enc, &pkt);
		CU_ASSERT_EQUAL(s, H264I_OK);
		h264i_receive_packet(enc, &pkt);
	}
	CU_ASSERT_EQUAL(watch.starts, 5);
	for (uint32_t i = 0; i < watch.starts; i++)
		CU_ASSERT_EQUAL(watch.frames[i], 4);
	h264i_close(&enc);
	free(v.pixels);
}

/* Time that passes in the encoder or while the caller receives packets is no pause of the input. */
static void test_time_of_the_encoder(void)
{
	test_video v = test_video_make(W, H, 10, TEST_NATURAL);
	h264i_options o = cpu_options(8);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.latency_ms = HOUR_MS;
	enc = open_watched(&o);
	for (uint32_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(live_send(enc, &v, i), H264I_OK);
	enc->pause_from_ns -= HOUR_NS;
	for (uint32_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(live_receive(enc, &pkt), H264I_OK);
	CU_ASSERT_EQUAL(live_send(enc, &v, 4), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_AGAIN);
	CU_ASSERT_EQUAL(watch.starts, 1);
	for (uint32_t i = 5; i < 8; i++)
		CU_ASSERT_EQUAL(live_send(enc, &v, i), H264I_OK);
	CU_ASSERT_EQUAL(watch.starts, 2);
	h264i_close(&enc);
	free(v.pixels);
}

/* When the next frame is expected after the bound, a group starts at once. */
static void test_slow_pace(void)
{
	test_video v = test_video_make(W, H, 4, TEST_NATURAL);
	h264i_options o = cpu_options(8);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.latency_ms = HOUR_MS;
	enc = open_watched(&o);
	CU_ASSERT_EQUAL(live_send(enc, &v, 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_AGAIN);
	CU_ASSERT_EQUAL(watch.starts, 0);
	enc->pause_from_ns -= HOUR_NS; /* an hour passes */
	CU_ASSERT_EQUAL(live_send(enc, &v, 1), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_AGAIN);
	CU_ASSERT_EQUAL(watch.starts, 1);
	CU_ASSERT_EQUAL(watch.frames[0], 2);
	CU_ASSERT_EQUAL(live_receive(enc, &pkt), H264I_OK);
	CU_ASSERT_EQUAL(pkt.index, 0);
	h264i_close(&enc);
	/* With H264I_LATENCY_FULL no incomplete group starts. */
	o.latency_ms = H264I_LATENCY_FULL;
	enc = open_watched(&o);
	CU_ASSERT_EQUAL(live_send(enc, &v, 0), H264I_OK);
	enc->pause_from_ns -= HOUR_NS;
	enc->group[0].first_ns -= HOUR_NS;
	CU_ASSERT_EQUAL(live_send(enc, &v, 1), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_AGAIN);
	CU_ASSERT_EQUAL(watch.starts, 0);
	h264i_close(&enc);
	free(v.pixels);
}

/* ---- drains ---- */

static void take_all(h264i_encoder *enc, test_stream *out, h264i_status end)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_status s;

	while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK)
		CU_ASSERT_EQUAL(test_stream_take(out, &pkt), 0);
	CU_ASSERT_EQUAL(s, end);
}

/* Parts of 0 to 11 frames; after each drain all their packets are received, and encoding
 * continues. */
static void test_drain(void)
{
	static const uint32_t flights[] = { 1, 2, 3, 5, 8, 16 };
	test_video v = test_video_make(W, H, 66, TEST_NATURAL);
	test_stream want, got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	CU_ASSERT_EQUAL(test_encode(&v, cpu_options(0), &want), H264I_OK);
	for (int i = 0; i < 6; i++) {
		h264i_options o = cpu_options(flights[i]);
		uint32_t sent = 0;
		h264i_encoder *enc;

		o.latency_ms = H264I_LATENCY_FULL;
		enc = test_open_ok(&o);
		memset(&got, 0, sizeof(got));
		for (uint32_t part = 0; part < 12; part++) {
			for (uint32_t k = 0; k < part; k++, sent++) {
				h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
				h264i_status s;

				while ((s = live_send(enc, &v, sent)) == H264I_AGAIN)
					if (h264i_receive_packet(enc, &pkt) == H264I_OK)
						CU_ASSERT_EQUAL(test_stream_take(&got, &pkt), 0);
				CU_ASSERT_EQUAL(s, H264I_OK);
			}
			CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
			CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
			take_all(enc, &got, H264I_AGAIN);
			CU_ASSERT_EQUAL(got.frames, sent);
		}
		CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		take_all(enc, &got, H264I_END);
		CU_ASSERT_EQUAL(h264i_drain(enc), H264I_ERR_STATE);
		CU_ASSERT_TRUE(strstr(h264i_last_error(enc), "flushed") != NULL);
		CU_ASSERT_TRUE(test_same_bytes(&got, &want));
		h264i_close(&enc);
		free(got.data);
	}
	CU_ASSERT_EQUAL(h264i_drain(NULL), H264I_ERR_ARG);
	free(want.data);
	free(v.pixels);
}

/* ---- frames in flight ---- */

/* Exactly as many frames as the option sets are accepted before packets must be received. */
static void test_frames_in_flight(void)
{
	for (uint32_t n = 1; n <= 17; n++) {
		test_video v = test_video_make(W, H, 20, TEST_NATURAL);
		h264i_options o = cpu_options(n);
		h264i_stats st = { .struct_bytes = sizeof(st) };
		h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
		h264i_encoder *enc = test_open_ok(&o);
		uint32_t sent = 0;
		h264i_status s;

		CU_ASSERT_EQUAL(h264i_get_stats(enc, &st), H264I_OK);
		CU_ASSERT_EQUAL(st.frames_in_flight, n);
		CU_ASSERT_EQUAL(h264i_latency_frames(enc), n - 1);
		while (sent < v.frames && (s = live_send(enc, &v, sent)) == H264I_OK)
			sent++;
		CU_ASSERT_EQUAL(s, H264I_AGAIN);
		CU_ASSERT_EQUAL(sent, h264i_latency_frames(enc) + 1);
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
		CU_ASSERT_EQUAL(pkt.index, 0);
		h264i_close(&enc);
		free(v.pixels);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "frame n+2 may wait for packet n", test_one_frame_for_a_packet },
		{ "fast input fills groups", test_full_groups },
		{ "time spent in the encoder does not count as a pause of the input",
			test_time_of_the_encoder },
		{ "slow input starts incomplete groups", test_slow_pace },
		{ "after a drain all packets are received, and encoding continues", test_drain },
		{ "the encoder accepts exactly as many frames as the option sets",
			test_frames_in_flight },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("encode_live", tests);
}
