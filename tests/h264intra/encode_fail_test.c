/* The encoder after a failure of its backend: finished packets are received, lent frames are
 * released. CPU threads only; the backend fails where a test sets it. */
#include "h264intra/core/backend.h"
#include "tests/h264intra/encode_common.h"
#include "tests/common/testmain.h"

enum { W = 66, H = 50, FRAMES = 12 };

/* Calls that succeed before one fails; negative: none fails. */
static struct {
	h264i_backend_ops ops;
	const h264i_backend_ops *real;
	int uploads, starts, finishes;
	uint32_t waited; /* bits: slots whose input was waited for */
} fake;

static int released[FRAMES];

static int fails_now(int *left)
{
	return *left >= 0 && (*left)-- == 0;
}

static h264i_status fake_upload(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	if (fails_now(&fake.uploads))
		return h264i_i_fail(enc, H264I_ERR_DEVICE, "no upload");
	return fake.real->upload(enc, g, i);
}

static h264i_status fake_start(h264i_encoder *enc, h264i_group *g)
{
	if (fails_now(&fake.starts))
		return h264i_i_fail(enc, H264I_ERR_SCHED, "no start");
	return fake.real->start(enc, g);
}

static void fake_wait_input(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	fake.waited |= 1u << i;
	fake.real->wait_input(enc, g, i);
}

static h264i_status fake_finish(h264i_encoder *enc, h264i_group *g)
{
	h264i_status s = fake.real->finish(enc, g);

	return fails_now(&fake.finishes) ? h264i_i_fail(enc, H264I_ERR_DEVICE, "no finish") : s;
}

/* Two groups of two frames. */
static h264i_encoder *open_fake(uint32_t latency_ms)
{
	h264i_encoder *enc = NULL;
	h264i_options o = test_cpu_options(W, H);

	o.frames_in_flight = 4;
	o.latency_ms = latency_ms;
	enc = test_open_ok(&o);
	memset(&fake, 0, sizeof(fake));
	memset(released, 0, sizeof(released));
	fake.uploads = fake.starts = fake.finishes = -1;
	fake.real = enc->ops;
	fake.ops = *enc->ops;
	fake.ops.upload = fake_upload;
	fake.ops.start = fake_start;
	fake.ops.wait_input = fake_wait_input;
	fake.ops.finish = fake_finish;
	enc->ops = &fake.ops;
	return enc;
}

static void count_release(void *opaque)
{
	++*(int *)opaque;
}

static test_video video;

static h264i_status send(h264i_encoder *enc, uint32_t i)
{
	h264i_frame f = test_frame(&video, i);

	f.memory = H264I_MEM_HOST_PINNED;
	f.release = count_release;
	f.release_opaque = &released[i];
	return h264i_send_frame(enc, &f);
}

/* Receives `packets` packets, then the failure, and no packet after it. */
static void expect_end(
	h264i_encoder *enc, uint64_t first, uint64_t end, h264i_status failure, const char *why)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };

	for (uint64_t n = first; n < end; n++) {
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
		CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), "");
		CU_ASSERT_EQUAL(pkt.index, n);
		CU_ASSERT_TRUE(pkt.data_bytes > pkt.headers_bytes);
	}
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), failure);
		CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), why);
		CU_ASSERT_PTR_NULL(pkt.data);
		CU_ASSERT_EQUAL(send(enc, FRAMES - 1), H264I_ERR_STATE);
		CU_ASSERT_TRUE(strstr(h264i_last_error(enc), why) != NULL);
		CU_ASSERT_EQUAL(h264i_drain(enc), H264I_ERR_STATE);
	}
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_ERR_STATE);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), failure);
}

static void expect_released(uint32_t taken)
{
	for (uint32_t i = 0; i < FRAMES; i++)
		CU_ASSERT_EQUAL(released[i], i < taken);
}

static void test_start_fails_in_send(void)
{
	h264i_encoder *enc = open_fake(H264I_LATENCY_FULL);

	fake.starts = 1;
	for (uint32_t i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(send(enc, i), H264I_OK);
	CU_ASSERT_EQUAL(send(enc, 3), H264I_ERR_SCHED);
	CU_ASSERT_STRING_EQUAL(h264i_last_error(enc), "no start");
	CU_ASSERT_EQUAL(fake.waited,
		2); /* its planes belong to the caller now, those of the other frames do not */
	expect_end(enc, 0, 2, H264I_ERR_SCHED, "no start");
	h264i_close(&enc);
	expect_released(3);
}

static void test_start_fails_in_flush_and_drain(void)
{
	for (int drain = 0; drain < 2; drain++) {
		h264i_encoder *enc = open_fake(H264I_LATENCY_FULL);

		fake.starts = 1;
		for (uint32_t i = 0; i < 3; i++)
			CU_ASSERT_EQUAL(send(enc, i), H264I_OK);
		CU_ASSERT_EQUAL(drain ? h264i_drain(enc) : h264i_flush(enc), H264I_ERR_SCHED);
		if (drain) {
			expect_end(enc, 0, 2, H264I_ERR_SCHED, "no start");
		} else {
			h264i_packet pkt = { .struct_bytes = sizeof(pkt) };

			CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
			CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
			CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_ERR_SCHED);
		}
		h264i_close(&enc);
		expect_released(3);
	}
}

/* A group that h264i_receive_packet starts fails: finished packets are received before the
 * error. */
static void test_start_fails_in_receive(void)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc = open_fake(0);

	fake.starts = 1;
	for (uint32_t i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(send(enc, i), H264I_OK);
	while (h264i_receive_packet(enc, &pkt) == H264I_AGAIN)
		;
	CU_ASSERT_EQUAL(pkt.index, 0);
	CU_ASSERT_EQUAL(pkt.struct_bytes, sizeof(pkt));
	expect_end(enc, 1, 2, H264I_ERR_SCHED, "no start");
	h264i_close(&enc);
	expect_released(3);
}

static void test_finish_fails(void)
{
	h264i_encoder *enc = open_fake(H264I_LATENCY_FULL);

	fake.finishes = 1;
	for (uint32_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(send(enc, i), H264I_OK);
	CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK); /* no AGAIN */
	expect_end(enc, 0, 2, H264I_ERR_DEVICE, "no finish");
	h264i_close(&enc);
	expect_released(4);
}

/* A frame that could not be copied is refused; the stream continues without it. */
static void test_upload_fails(void)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc = open_fake(H264I_LATENCY_FULL);

	fake.uploads = 1;
	CU_ASSERT_EQUAL(send(enc, 0), H264I_OK);
	CU_ASSERT_EQUAL(send(enc, 9), H264I_ERR_DEVICE);
	CU_ASSERT_EQUAL(send(enc, 1), H264I_OK);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	for (uint64_t n = 0; n < 2; n++) {
		CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_OK);
		CU_ASSERT_EQUAL(pkt.index, n);
		CU_ASSERT_EQUAL(pkt.pts, 100 + (int64_t)n);
	}
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &pkt), H264I_END);
	h264i_close(&enc);
	expect_released(2);
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
		{ "finished packets are received after a start failed in send",
			test_start_fails_in_send },
		{ "finished packets are received after a start failed in flush or drain",
			test_start_fails_in_flush_and_drain },
		{ "finished packets are received after a start failed in receive",
			test_start_fails_in_receive },
		{ "finished packets are received before the error of a failed group",
			test_finish_fails },
		{ "a frame whose copy failed is not accepted", test_upload_fails },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "encode_fail", make_video, free_video, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
