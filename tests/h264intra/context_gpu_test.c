/* A caller with its own CUDA contexts: libsched and the encoder use the context that was current at
 * open, and the caller's context is current again after every call. Skipped without a device. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "tests/h264intra/live_common.h"
#include "tests/common/testmain.h"

#include <libsched/sched.h>
#include <pthread.h>
#include <stdio.h>

#ifdef HAVE_CUDA
#include "tests/h264intra/frames_gpu.h"

enum { W = 322, H = 186, FRAMES = 8 };

static test_video video;
static test_stream want;
static uint32_t strays; /* calls after which another context was current */

/* Returns the value of a call; counts a failure if `context` is not current after it. */
#define STAYS(context, call) (stays((context), (int)(call), #call))

static int stays(void *context, int value, const char *call)
{
	if (foreign_current() == context)
		return value;
	if (!strays++)
		printf("\n  another context after %s\n", call);
	foreign_set(context);
	return value;
}

static int take(h264i_encoder *enc, void *context, test_stream *out, int all)
{
	h264i_packet pkt;
	h264i_status s;

	h264i_packet_init(&pkt);
	while ((s = (h264i_status)STAYS(context, h264i_receive_packet(enc, &pkt))) == H264I_OK) {
		if (test_stream_take(out, &pkt))
			return -1;
		if (!all)
			return 0;
	}
	return s < 0 ? -1 : 0;
}

static int same(const test_stream *got)
{
	return got->frames == want.frames && test_same_bytes(got, &want);
}

/* Encodes with `context` current, in the encoder's own or not; frames in pinned and in plain
 * memory. */
static void encode_host(h264i_encoder *enc, void *context, test_stream *out)
{
	size_t bytes = test_frame_bytes(&video);
	test_video pinned = { W, H, FRAMES, NULL };
	const uint8_t *headers;
	h264i_stats st;
	size_t n;
	void *p = NULL;

	memset(out, 0, sizeof(*out));
	h264i_stats_init(&st);
	CU_ASSERT_EQUAL(STAYS(context, h264i_host_alloc(enc, &p, bytes * FRAMES)), H264I_OK);
	pinned.pixels = p;
	memcpy(p, video.pixels, bytes * FRAMES);
	for (uint32_t i = 0; i < FRAMES; i++) {
		h264i_frame f = test_frame(&pinned, i);
		h264i_status s;

		f.memory = i & 1 ? H264I_MEM_HOST : H264I_MEM_HOST_PINNED;
		while ((s = (h264i_status)STAYS(context, h264i_send_frame(enc, &f))) == H264I_AGAIN)
			CU_ASSERT_EQUAL(take(enc, context, out, 0), 0);
		CU_ASSERT_EQUAL(s, H264I_OK);
		if (i == 4) {
			CU_ASSERT_EQUAL(STAYS(context, h264i_drain(enc)), H264I_OK);
			CU_ASSERT_EQUAL(take(enc, context, out, 1), 0);
		}
	}
	CU_ASSERT_EQUAL(STAYS(context, h264i_flush(enc)), H264I_OK);
	CU_ASSERT_EQUAL(take(enc, context, out, 1), 0);
	CU_ASSERT_EQUAL(STAYS(context, h264i_headers(enc, &headers, &n)), H264I_OK);
	CU_ASSERT_EQUAL(STAYS(context, h264i_get_stats(enc, &st)), H264I_OK);
	h264i_host_free(p);
	(void)STAYS(context, 0);
}

static h264i_encoder *open_in(void *context, int device, uint32_t frames_in_flight)
{
	h264i_encoder *enc = NULL;
	h264i_options o;
	char why[256];

	o = test_options(H264I_BACKEND_CUDA, W, H);
	o.device = device;
	o.frames_in_flight = frames_in_flight;
	CU_ASSERT_EQUAL_FATAL(STAYS(context, h264i_open(&enc, &o, why, sizeof(why))), H264I_OK);
	return enc;
}

/* In the caller's own context, with frames that were made there. */
static void test_own_context(void)
{
	void *own = foreign_make(0);

	strays = 0;
	for (int device = -1; device < 1; device++) {
		h264i_encoder *enc = open_in(own, device, 5);
		producer_params pp = { W, H, FRAMES, video.pixels, H264I_NV12, LAYOUT_SEPARATE,
			HAND_EVENTS, 2, NULL };
		producer *p = producer_open(&pp);
		test_stream got;

		memset(&got, 0, sizeof(got));
		for (uint32_t i = 0; i < FRAMES; i++) {
			h264i_frame f;
			h264i_status s;

			producer_make(p, i, &f);
			f.memory = H264I_MEM_CUDA;
			while ((s = (h264i_status)STAYS(own, h264i_send_frame(enc, &f))) ==
				H264I_AGAIN)
				CU_ASSERT_EQUAL(take(enc, own, &got, 0), 0);
			CU_ASSERT_EQUAL(s, H264I_OK);
			producer_sent(p, i);
		}
		CU_ASSERT_EQUAL(STAYS(own, h264i_flush(enc)), H264I_OK);
		CU_ASSERT_EQUAL(take(enc, own, &got, 1), 0);
		CU_ASSERT_TRUE(same(&got));
		h264i_close(&enc);
		(void)STAYS(own, 0);
		producer_close(p);
		free(got.data);
		enc = open_in(own, device, 1);
		encode_host(enc, own, &got);
		CU_ASSERT_TRUE(same(&got));
		h264i_close(&enc);
		(void)STAYS(own, 0);
		free(got.data);
	}
	CU_ASSERT_EQUAL(strays, 0);
	foreign_destroy(own);
}

/* The encoder is opened in one context and used while another or none is current; its memory
 * outlives it. */
static void test_other_context(void)
{
	void *primary = foreign_primary(0), *own = foreign_make(0), *left = NULL;

	strays = 0;
	for (int back = 0; back < 2; back++) {
		void *at_open = back ? primary : own, *later = back ? own : primary;
		h264i_encoder *enc;
		test_stream got;

		foreign_set(at_open);
		enc = open_in(at_open, 0, 3);
		foreign_set(later);
		encode_host(enc, later, &got);
		CU_ASSERT_TRUE(same(&got));
		CU_ASSERT_EQUAL(h264i_host_alloc(enc, &left, 1000), H264I_OK);
		h264i_close(&enc);
		(void)STAYS(later, 0);
		memset(left, 1, 1000);
		h264i_host_free(left);
		(void)STAYS(later, 0);
		free(got.data);
	}
	CU_ASSERT_EQUAL(strays, 0);
	foreign_destroy(own);
	foreign_set(primary);
}

typedef struct thread_work {
	h264i_encoder *enc;
	test_stream got;
} thread_work;

static void *work_without_context(void *opaque)
{
	thread_work *w = opaque;

	foreign_set(NULL);
	encode_host(w->enc, NULL, &w->got);
	h264i_close(&w->enc);
	(void)STAYS(NULL, 0);
	return NULL;
}

static void test_thread_without_context(void)
{
	void *own = foreign_make(0);
	thread_work w;
	pthread_t thread;

	strays = 0;
	memset(&w, 0, sizeof(w));
	w.enc = open_in(own, 0, 3);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, work_without_context, &w), 0);
	pthread_join(thread, NULL);
	CU_ASSERT_TRUE(same(&w.got));
	CU_ASSERT_EQUAL(strays, 0);
	free(w.got.data);
	foreign_destroy(own);
}

/* The caller's context is on another device than the encoder's. */
static void test_two_devices(void)
{
	h264i_encoder *enc;
	test_stream got;
	void *own;

	if (foreign_devices() < 2) {
		printf("(one device only) ");
		return;
	}
	strays = 0;
	own = foreign_make(1);
	enc = open_in(own, 0, 3);
	encode_host(enc, own, &got);
	CU_ASSERT_TRUE(same(&got));
	h264i_close(&enc);
	(void)STAYS(own, 0);
	CU_ASSERT_EQUAL(strays, 0);
	free(got.data);
	foreign_destroy(own);
	foreign_primary(0);
}

/* libsched alone, whose memory functions run in the context's CUDA context. */
static void test_libsched(void)
{
	void *primary = foreign_primary(0), *own = foreign_make(0), *memory = NULL;
	lsched_options o;
	lsched_ctx *ctx = NULL;
	uint32_t number = 5;

	strays = 0;
	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CUDA;
	CU_ASSERT_EQUAL_FATAL(STAYS(own, lsched_open(&ctx, &o, NULL, 0)), LSCHED_OK);
	foreign_set(primary);
	CU_ASSERT_EQUAL(STAYS(primary, lsched_mem_alloc(ctx, &memory, sizeof(number))), LSCHED_OK);
	CU_ASSERT_EQUAL(
		STAYS(primary, lsched_mem_read(ctx, &number, memory, sizeof(number))), LSCHED_OK);
	CU_ASSERT_EQUAL(number, 0);
	lsched_mem_free(ctx, memory);
	(void)STAYS(primary, 0);
	lsched_close(&ctx);
	(void)STAYS(primary, 0);
	CU_ASSERT_EQUAL(strays, 0);
	foreign_destroy(own);
	foreign_set(primary);
}

static int make_reference(void)
{
	h264i_options o;

	video = test_video_make(W, H, FRAMES, TEST_NATURAL);
	o = test_options(H264I_BACKEND_CPU, W, H);
	return video.pixels && test_encode(&video, o, &want) == H264I_OK ? 0 : 1;
}

static int free_reference(void)
{
	free(want.data);
	free(video.pixels);
	return 0;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the caller's own context stays current", test_own_context },
		{ "another context may be current after open", test_other_context },
		{ "frames are encoded in a thread without a context", test_thread_without_context },
		{ "frames are encoded with a context of another device current", test_two_devices },
		{ "libsched alone keeps the caller's context", test_libsched },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "context_gpu", make_reference, free_reference, NULL, NULL,
					  tests },
		CU_SUITE_INFO_NULL };
	char why[256];

	if (!h264i_cuda_usable(why, sizeof(why)))
		return test_skip_gpu(why);
	foreign_init();
	return test_run(suites);
}
#else
TEST_WITHOUT_CUDA
#endif
