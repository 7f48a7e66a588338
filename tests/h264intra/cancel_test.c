/* h264i_cancel: from another thread at random moments, before and after a stream, and in a
 * callback. On CPU threads; the first also on a GPU, if there is one. */
#include "h264intra/cpu/group.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { W = 66, H = 50, FRAMES = 6, SENT_MAX = 4096, MOMENTS = 50, SUBSTREAMS = 3 };

static test_video video;

/* ---- another thread ---- */

/* An encoder that is used until it is cancelled. */
typedef struct user {
	h264i_encoder *enc;
	int flushes; /* 1: flushes and restarts now and then */
	atomic_uint calls;
	uint32_t sent;
	uint8_t accepted[SENT_MAX];
	atomic_uchar released[SENT_MAX];
	h264i_status end;
	int empty; /* packets without slices */
} user;

static void count_release(void *opaque)
{
	atomic_fetch_add((atomic_uchar *)opaque, 1);
}

static h264i_status send_next(user *u, h264i_memory memory)
{
	h264i_frame f = test_frame(&video, u->sent % FRAMES);
	h264i_status s;

	f.memory = memory;
	f.substream = u->sent % SUBSTREAMS;
	f.release = count_release;
	f.release_opaque = &u->released[u->sent];
	s = h264i_send_frame(u->enc, &f);
	u->accepted[u->sent] = s == H264I_OK;
	u->sent += s != H264I_AGAIN;
	return s;
}

/* Sends, receives, drains, flushes and restarts until a call fails. */
static void *use_encoder(void *opaque)
{
	user *u = opaque;
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_status s = H264I_OK;

	for (uint32_t n = 0; s >= 0; n++) {
		atomic_fetch_add(&u->calls, 1);
		if (u->sent < SENT_MAX)
			s = send_next(u, n & 1 ? H264I_MEM_HOST : H264I_MEM_HOST_PINNED);
		if (s >= 0 && n % 7 == 6)
			s = h264i_drain(u->enc);
		if (s >= 0 && n % 5 == 4)
			s = h264i_restart_substream(u->enc, n % SUBSTREAMS);
		if (s >= 0 && u->flushes && n % 23 == 22)
			s = h264i_flush(u->enc);
		while (s >= 0 && (s = h264i_receive_packet(u->enc, &pkt)) == H264I_OK)
			u->empty += pkt.data_bytes <= pkt.headers_bytes;
		if (s == H264I_END)
			s = h264i_restart(u->enc);
	}
	u->end = s;
	return NULL;
}

/* Cancels after a random number of the other thread's calls, and a random pause. */
static void cancel_at_random(user *u)
{
	const uint32_t calls = rng_below(60), pause = rng_below(3000);
	pthread_t thread;

	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, use_encoder, u), 0);
	while (atomic_load(&u->calls) < calls)
		(void)sched_yield();
	for (uint32_t i = 0; i < pause; i++)
		(void)atomic_load(&u->calls);
	CU_ASSERT_EQUAL(h264i_cancel(u->enc), H264I_OK);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(u->empty, 0);
	CHECK(u->end == H264I_ERR_CANCELLED, "after %u calls and %u: %s", calls, pause,
		h264i_strstatus(u->end));
}

static void expect_cancelled(h264i_encoder *enc)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_frame f = test_frame(&video, 0);

	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_CANCELLED);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_ERR_CANCELLED);
	CU_ASSERT_PTR_NULL(pkt.data);
	CU_ASSERT_EQUAL(h264i_drain(enc), H264I_ERR_CANCELLED);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_ERR_CANCELLED);
	CU_ASSERT_TRUE(strstr(h264i_last_error(enc), "cancelled") != NULL);
}

static void expect_released(const user *u)
{
	for (uint32_t i = 0; i < u->sent; i++)
		CHECK(u->released[i] == u->accepted[i], "frame %u: accepted %d, released %d times",
			i, u->accepted[i], u->released[i]);
}

/* Encodes the video after a restart. */
static void encode_again(h264i_encoder *enc, const test_stream *want)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	test_stream got = { 0 };
	h264i_status s;

	CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
	CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), "");
	for (uint32_t i = 0; i < FRAMES; i++) {
		h264i_frame f = test_frame(&video, i);

		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			if (h264i_receive_packet(enc, &pkt) == H264I_OK)
				CU_ASSERT_EQUAL(test_stream_take(&got, &pkt), 0);
		CU_ASSERT_EQUAL(s, H264I_OK);
	}
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK)
		CU_ASSERT_EQUAL(test_stream_take(&got, &pkt), 0);
	CU_ASSERT_EQUAL(s, H264I_END);
	CU_ASSERT_TRUE(test_same_bytes(&got, want));
	free(got.data);
}

/* With a bit rate pictures are planned, and coded again. */
static h264i_options options_of(h264i_backend backend, uint32_t moment)
{
	static const char *const presets[] = { "ultrafast", "medium" };
	h264i_options o = test_options(backend, W, H);

	o.threads = backend == H264I_BACKEND_CPU ? 2 : 0;
	h264i_options_set_preset(&o, presets[moment / 2 % 2]);
	o.substreams = SUBSTREAMS;
	o.frames_in_flight = moment % 5 * 3;
	o.sched = (h264i_sched)(moment % 3);
	o.aq_mode = moment % 3 == 1;
	o.recon = moment % 4 == 3;
	o.latency_ms = moment % 2 ? 0 : H264I_LATENCY_FULL;
	if (moment % 5 < 2) {
		o.rate_mode = H264I_RATE_BITRATE;
		o.bitrate = 200;
		o.frame_bytes_max = 900;
		o.vui.fps_num = 25;
		o.vui.fps_den = 1;
	}
	return o;
}

static void cancel_often(h264i_backend backend)
{
	for (uint32_t i = 0; i < MOMENTS; i++) {
		h264i_options o = options_of(backend, i);
		test_stream want;
		static user u;

		memset(&u, 0, sizeof(u));
		u.flushes = i % 2 == 1;
		u.enc = test_open_ok(&o);
		cancel_at_random(&u);
		expect_cancelled(u.enc);
		if (i % 2) {
			CU_ASSERT_EQUAL(test_encode(&video, o, &want), H264I_OK);
			encode_again(u.enc, &want);
			expect_released(&u);
			free(want.data);
		}
		h264i_close(&u.enc);
		expect_released(&u);
	}
}

static void test_random_moments(void)
{
	cancel_often(H264I_BACKEND_CPU);
}

static void test_gpu(void)
{
	char why[200];

	if (h264i_cuda_usable(why, sizeof(why)))
		cancel_often(H264I_BACKEND_CUDA);
	else
		printf(" (not run: %s) ", why);
}

/* ---- the workers ---- */

/* Pictures that take seconds: the run of each group is cancelled, so that closing waits for at most
 * a macroblock of each worker. */
static void test_workers_stop(void)
{
	test_video v = test_video_make(1280, 720, 2, TEST_NOISE);
	h264i_options o = test_cpu_options(v.width, v.height);
	h264i_encoder *enc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	h264i_options_set_preset(&o, "veryslow");
	o.frames_in_flight = 2;
	enc = test_open_ok(&o);
	test_send_all(enc, &v);
	CU_ASSERT_EQUAL(h264i_cancel(enc), H264I_OK);
	for (uint32_t i = 0; i < enc->group_count; i++) {
		lsched_run_progress_info p;

		lsched_run_progress_info_init(&p);
		CU_ASSERT_EQUAL(lsched_run_progress(((cpu_group *)enc->group[i].backend)->run, &p),
			LSCHED_OK);
		CU_ASSERT_TRUE(p.cancelled);
	}
	expect_cancelled(enc);
	h264i_close(&enc);
	free(v.pixels);
}

/* ---- other moments ---- */

static void test_idle_encoder(void)
{
	h264i_options o = test_cpu_options(W, H);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	test_stream want;
	h264i_encoder *enc;

	CU_ASSERT_EQUAL(h264i_cancel(NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(test_encode(&video, o, &want), H264I_OK);
	/* Twice before the first frame. */
	enc = test_open_ok(&o);
	CU_ASSERT_EQUAL(h264i_cancel(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_cancel(enc), H264I_OK);
	expect_cancelled(enc);
	encode_again(enc, &want);
	/* After the end; with frames that no group was started for; with packets to receive. */
	CU_ASSERT_EQUAL(h264i_cancel(enc), H264I_OK);
	expect_cancelled(enc);
	encode_again(enc, &want);
	CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
	test_send_all(enc, &(test_video){ W, H, 2, video.pixels });
	CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
	test_send_all(enc, &(test_video){ W, H, 1, video.pixels });
	CU_ASSERT_EQUAL(h264i_cancel(enc), H264I_OK);
	expect_cancelled(enc);
	encode_again(enc, &want);
	h264i_close(&enc);
	free(want.data);
}

/* The statistics continue, those of a stream that was replaced, too. */
static void test_statistics(void)
{
	h264i_options o = test_cpu_options(W, H);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_stats st = { .struct_bytes = sizeof(st) };
	h264i_encoder *enc = test_open_ok(&o);
	double largest_kbit;

	test_send_all(enc, &(test_video){ W, H, 2, video.pixels });
	CU_ASSERT_EQUAL(h264i_restart_substream(enc, 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
	largest_kbit = 8.0 * (double)pkt.data_bytes / 1000;
	CU_ASSERT_EQUAL(h264i_cancel(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_get_stats(enc, &st), H264I_OK);
	CHECK(st.largest_picture_kbit >= 0.9 * largest_kbit, "%g, not %g kbit",
		st.largest_picture_kbit, largest_kbit);
	h264i_close(&enc);
}

static void cancel_in_callback(void *opaque)
{
	CU_ASSERT_EQUAL(h264i_cancel(opaque), H264I_OK);
}

static void test_callback(void)
{
	h264i_options o = test_cpu_options(W, H);
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc = test_open_ok(&o);
	h264i_frame f = test_frame(&video, 0);
	h264i_status s = h264i_send_frame(enc, &f);

	CU_ASSERT_EQUAL(s, H264I_OK);
	f.memory = H264I_MEM_HOST_PINNED;
	f.release = cancel_in_callback;
	f.release_opaque = enc;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK)
		;
	CU_ASSERT_EQUAL(s, H264I_ERR_CANCELLED);
	h264i_close(&enc);
}

static int make_video(void)
{
	video = test_video_make(W, H, FRAMES, TEST_NATURAL);
	return video.pixels ? 0 : 1;
}

static int free_video(void)
{
	free(video.pixels);
	return 0;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a cancel at random moments ends the calls of another thread, and each accepted "
		  "frame is released once",
			test_random_moments },
		{ "the same on a GPU", test_gpu },
		{ "a cancel stops the workers", test_workers_stop },
		{ "an idle encoder is cancelled, and begins a new stream", test_idle_encoder },
		{ "a cancel loses no statistics of the packets received", test_statistics },
		{ "a callback cancels", test_callback },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "cancel", make_video, free_video, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
