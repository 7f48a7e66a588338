/* An encoder that shares a GPU with other work, or frames among GPUs: options.sm_limit,
 * stream_priority and H264I_DEVICE_ALL leave the stream as it is. Skipped without a device. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

#include <libsched/sched.h>
#include <stdio.h>
#include <sys/param.h>

#ifdef HAVE_CUDA
#include "tests/h264intra/frames_gpu.h"

enum { W = 354, H = 290, FRAMES = 23 };

static test_video video;
static test_stream want; /* of the CPU */
static char warning[300];

static int make_reference(void)
{
	h264i_options o = test_options(H264I_BACKEND_CPU, W, H);

	video = test_video_make(W, H, FRAMES, TEST_NATURAL);
	o.sse = o.stats = 1;
	return video.pixels && test_encode(&video, o, &want) == H264I_OK ? 0 : 1;
}

static int free_reference(void)
{
	free(video.pixels);
	free(want.data);
	return 0;
}

static void keep_warning(void *opaque, h264i_log_level level, const char *text)
{
	(void)opaque;
	if (level == H264I_LOG_WARN)
		snprintf(warning, sizeof(warning), "%s", text);
}

/* Stream, errors and counts of modes equal those of the CPU. */
static int same_as_cpu(h264i_options o)
{
	test_stream got;
	int same;

	warning[0] = 0;
	o.log = keep_warning;
	o.backend = H264I_BACKEND_CUDA;
	o.sse = o.stats = 1;
	same = test_encode(&video, o, &got) == H264I_OK && test_same_bytes(&got, &want) &&
	       !memcmp(got.sse, want.sse, sizeof(got.sse)) &&
	       got.stats.mb_i4x4 == want.stats.mb_i4x4 &&
	       !memcmp(got.stats.i4_mode, want.stats.i4_mode, sizeof(got.stats.i4_mode));
	free(got.data);
	return same;
}

static void test_sm_limit(void)
{
	static const uint32_t limits[] = { 1, 8, 9, 40, 128, 131, 132, 100000 };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		for (int flight = 0; flight < 4; flight++) {
			h264i_options o = test_options(H264I_BACKEND_CUDA, W, H);

			o.sm_limit = limits[i];
			o.frames_in_flight = (uint32_t)(flight * flight * 2);
			o.sched = (h264i_sched)(flight % 3);
			CHECK(same_as_cpu(o), "sm_limit %u, %u in flight", o.sm_limit,
				o.frames_in_flight);
			CHECK(!warning[0], "%s", warning);
		}
}

/* A context of cuCtxCreate cannot be divided: a warning, and the stream stays the same. */
static void test_sm_limit_in_own_context(void)
{
	h264i_options o = test_options(H264I_BACKEND_CUDA, W, H);
	void *mine;

	foreign_init();
	mine = foreign_make(0);
	o.sm_limit = 16;
	CU_ASSERT_TRUE(same_as_cpu(o));
	CHECK(strstr(warning, "sm_limit 16"), "warning: %s", warning);
	CU_ASSERT_PTR_EQUAL(foreign_current(), mine);
	foreign_destroy(mine);
	(void)foreign_primary(0);
}

static void test_priorities(void)
{
	static const int priorities[] = { -1, -5, -100, 7 };

	for (size_t i = 0; i < sizeof(priorities) / sizeof(priorities[0]); i++) {
		h264i_options o = test_options(H264I_BACKEND_CUDA, W, H);

		o.stream_priority = priorities[i];
		CU_ASSERT_TRUE(same_as_cpu(o));
		o.sm_limit = 24;
		CU_ASSERT_TRUE(same_as_cpu(o));
	}
}

static void test_all_devices(void)
{
	static const uint32_t flights[] = { 0, 1, 2, 3, 5, 6, 7, 24 };
	void *before;

	foreign_init();
	before = foreign_current();
	for (size_t i = 0; i < sizeof(flights) / sizeof(flights[0]); i++)
		for (int sched = 0; sched < 3; sched++) {
			h264i_options o = test_options(H264I_BACKEND_CUDA, W, H);

			o.device = H264I_DEVICE_ALL;
			o.frames_in_flight = flights[i];
			o.sched = (h264i_sched)sched;
			o.slices = 1;
			CHECK(same_as_cpu(o), "%u in flight, sched %d", flights[i], sched);
			CU_ASSERT_PTR_EQUAL(foreign_current(), before);
		}
}

/* Planes in device memory belong to one device. */
static void test_device_frames(void)
{
	h264i_options o = test_options(H264I_BACKEND_CUDA, W, H);
	h264i_frame f = test_frame(&video, 0);
	h264i_encoder *enc;

	if (foreign_devices() < 2) {
		printf(" (not run: one device) ");
		return;
	}
	o.device = H264I_DEVICE_ALL;
	enc = test_open_ok(&o);
	f.memory = H264I_MEM_CUDA;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_last_error(enc), "options.device"));
	f.memory = H264I_MEM_HOST;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	h264i_close(&enc);
}

typedef struct task_count {
	size_t tasks;
	char last[8]; /* a task's text may be in two writes */
} task_count;

static int count_tasks(void *opaque, const char *text, size_t bytes)
{
	task_count *c = opaque;

	for (size_t i = 0; i < bytes; i++) {
		memmove(c->last, c->last + 1, 7);
		c->last[7] = text[i];
		c->tasks += memcmp(c->last, "\"ph\":\"X\"", 8) == 0;
	}
	return 0;
}

/* Four GPUs and more have more than 16 groups of frames. */
static void test_trace(void)
{
	h264i_options o = test_options(H264I_BACKEND_CUDA, W, H);
	lsched_run *runs[100];
	const lsched_event *event;
	h264i_packet packet;
	h264i_encoder *enc;
	task_count found = { 0 };
	size_t n, want_tasks = 0;

	o.device = H264I_DEVICE_ALL;
	o.frames_in_flight = FRAMES;
	o.trace = 1;
	enc = test_open_ok(&o);
	test_send_all(enc, &video);
	h264i_flush(enc);
	h264i_packet_init(&packet);
	while (h264i_receive_packet(enc, &packet) == H264I_OK)
		;
	n = h264i_trace_runs(enc, runs, 100);
	CHECK(n == (size_t)MIN(5 * foreign_devices(), FRAMES), "%zu runs", n);
	for (size_t i = 0; i < n; i++)
		want_tasks += lsched_run_events(runs[i], &event);
	CU_ASSERT_EQUAL(h264i_write_trace(enc, count_tasks, &found), H264I_OK);
	CHECK(found.tasks == want_tasks && want_tasks > 0, "%zu tasks of %zu", found.tasks,
		want_tasks);
	h264i_close(&enc);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "any number of multiprocessors", test_sm_limit },
		{ "a context that cannot be divided", test_sm_limit_in_own_context },
		{ "any priority", test_priorities },
		{ "all devices", test_all_devices },
		{ "frames in device memory with all devices", test_device_frames },
		{ "the timeline of all devices has every task", test_trace },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "shared GPUs", make_reference, free_reference, NULL, NULL,
					  tests },
		CU_SUITE_INFO_NULL };
	const int skip = test_skip_encoder_gpu();

	return skip ? skip : test_run(suites);
}
#else
TEST_WITHOUT_CUDA
#endif
