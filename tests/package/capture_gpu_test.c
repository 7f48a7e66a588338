/* The libraries are called while a stream is captured into a CUDA graph, as PyTorch does in the
 * global mode: their calls succeed, give the results that they give alone, and leave the capture
 * valid. Skipped without a device. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "tests/common/testmain.h"

#include <stdio.h>

#ifdef HAVE_CUDA
#include "tests/h264intra/encode_common.h"
#include "tests/nqueens/setup.h"
#include "tests/package/capture_gpu.h"
#include "tests/reyes/render_setup.h"

#include <collide/collide.h>
#include <libsched/sched.h>

static const capture_case cases[] = {
	{ "global, another thread's non-blocking stream", 0, 0, 0 },
	{ "thread-local, another thread's non-blocking stream", 1, 0, 0 },
	{ "relaxed, another thread's non-blocking stream", 2, 0, 0 },
	{ "global, another thread's blocking stream", 0, 1, 0 },
	{ "thread-local, another thread's blocking stream", 1, 1, 0 },
	{ "relaxed, another thread's blocking stream", 2, 1, 0 },
	{ "global, the caller's non-blocking stream", 0, 0, 1 },
	{ "thread-local, the caller's blocking stream", 1, 1, 1 },
};

static void around_all(void (*body)(void *))
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(capture_around(&cases[i], body) == 0, "%s", cases[i].name);
}

/* ---- libsched ---- */

static void use_memory(void *stream)
{
	uint32_t in[256], out[256] = { 0 };
	lsched_ctx *ctx = NULL;
	lsched_options o;
	void *memory = NULL;
	char why[256];

	(void)stream;
	for (uint32_t i = 0; i < 256; i++)
		in[i] = i * i;
	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CUDA;
	CHECK(lsched_open(&ctx, &o, why, sizeof(why)) == LSCHED_OK, "%s", why);
	if (!ctx)
		return;
	CU_ASSERT_EQUAL(lsched_mem_alloc(ctx, &memory, sizeof(in)), LSCHED_OK);
	CU_ASSERT_EQUAL(lsched_mem_write(ctx, memory, in, sizeof(in)), LSCHED_OK);
	CU_ASSERT_EQUAL(lsched_mem_read(ctx, out, memory, sizeof(in)), LSCHED_OK);
	CU_ASSERT_EQUAL(memcmp(in, out, sizeof(in)), 0);
	CU_ASSERT_EQUAL(lsched_mem_zero(ctx, memory, sizeof(in)), LSCHED_OK);
	lsched_mem_free(ctx, memory);
	lsched_close(&ctx);
}

static void libsched_beside_captures(void)
{
	around_all(use_memory);
}

/* ---- the encoder ---- */

enum { W = 128, H = 96, FRAMES = 8 };

static test_video video;
static h264i_options encoder_options;
static test_stream want;

static void encode(void *stream)
{
	test_stream got = { 0 };

	(void)stream;
	CU_ASSERT_EQUAL(test_encode(&video, encoder_options, &got), H264I_OK);
	CU_ASSERT(test_same_bytes(&got, &want));
	free(got.data);
}

static void encoder_beside_captures(void)
{
	static const char *const presets[] = { "ultrafast", "medium" };

	for (int i = 0; i < 2; i++) {
		encoder_options = test_options(H264I_BACKEND_CUDA, W, H);
		CU_ASSERT_EQUAL(h264i_options_set_preset(&encoder_options, presets[i]), H264I_OK);
		encoder_options.frames_in_flight = 8;
		memset(&want, 0, sizeof(want));
		CU_ASSERT_EQUAL(test_encode(&video, encoder_options, &want), H264I_OK);
		around_all(encode);
		free(want.data);
	}
}

static uint8_t *memory; /* of a frame, on the device */
static void *event;     /* recorded in the capture */

static h264i_frame device_frame(void)
{
	h264i_frame f = test_frame(&video, 0);

	f.memory = H264I_MEM_CUDA;
	for (int k = 0; k < 3; k++)
		f.plane[k] = memory + (f.plane[k] - video.pixels);
	return f;
}

/* The frame's stream, then its event, belongs to the capture. */
static void send_captured(void *stream)
{
	h264i_encoder *enc = test_open_ok(&encoder_options);
	h264i_frame f = device_frame();

	f.stream = stream;
	f.use_stream = 1;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CHECK(strstr(h264i_last_error(enc), "stream belongs to") != NULL, "%s",
		h264i_last_error(enc));
	f.ready_event = event = capture_event(stream);
	CU_ASSERT_PTR_NOT_NULL_FATAL(event);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CHECK(strstr(h264i_last_error(enc), "ready_event belongs to") != NULL, "%s",
		h264i_last_error(enc));
	h264i_close(&enc);
}

/* The event of a capture that has ended is refused, and frames after it are encoded. */
static void send_ended(void)
{
	h264i_encoder *enc = test_open_ok(&encoder_options);
	h264i_frame f = device_frame();
	h264i_packet p;

	h264i_packet_init(&p);
	f.ready_event = event;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CHECK(strstr(h264i_last_error(enc), "recorded again") != NULL, "%s", h264i_last_error(enc));
	f.ready_event = NULL;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CHECK(h264i_receive_packet(enc, &p) == H264I_OK, "%s", h264i_last_error(enc));
	h264i_close(&enc);
	capture_event_destroy(event);
}

static void frame_of_a_captured_stream_is_refused(void)
{
	encoder_options = test_options(H264I_BACKEND_CUDA, W, H);
	memory = capture_memory(test_frame_bytes(&video));
	CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
	for (int k = 2; k < 8; k++) {
		if (k == 3 || k == 4)
			continue; /* only the thread that captures may record an event */
		CHECK(capture_around(&cases[k], send_captured) == 0, "%s", cases[k].name);
		send_ended();
	}
}

/* ---- N-Queens ---- */

static void count(void *stream)
{
	static const struct {
		uint32_t n;
		nq_method method;
	} plans[] = { { 9, NQ_METHOD_TASKS }, { 11, NQ_METHOD_BACKTRACK }, { 14, NQ_METHOD_JOIN } };
	nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA);
	nq_join_sample sample;
	nq_plan *plan;

	(void)stream;
	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
		nq_ledger *ledger;
		nq_result result;

		plan = plan_of(plans[i].n, plans[i].method);
		ledger = ledger_of(plan);
		nq_result_init(&result);
		CHECK(nq_run(plan, ledger, &o, &result) == NQ_OK, "%s", result.message);
		CU_ASSERT(total_is_published(plan, ledger));
		nq_ledger_destroy(&ledger);
		nq_plan_destroy(&plan);
	}
	plan = plan_of(22, NQ_METHOD_JOIN);
	nq_join_sample_init(&sample);
	CHECK(nq_sample_join(plan, &o, 256, 1, 1, &sample) == NQ_OK, "%s", sample.message);
	nq_plan_destroy(&plan);
}

static void queens_beside_captures(void)
{
	around_all(count);
}

/* ---- the renderer ---- */

static void render(void *stream)
{
	reyes_options o;
	shot s;

	(void)stream;
	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CUDA;
	CHECK(shot_with(&s, &o,
		      "Format 64 48 1\nDisplay \"x\" \"framebuffer\" \"rgbaz\"\n"
		      "Translate 0 0 3\nWorldBegin\nColor [1 0 0]\nSphere 1 -1 1 360\n"
		      "WorldEnd\n") == 0,
		"%s", s.message);
	CU_ASSERT(shot_sum(&s, 3) > 0);
	shot_free(&s);
}

static void renderer_beside_captures(void)
{
	around_all(render);
}

/* ---- collisions ---- */

static void collide(void *stream)
{
	static const float xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	static const uint32_t index[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
	collide_options o;
	collide_mesh_options mo;
	collide_positions p;
	collide_find_options fo;
	collide_ctx *ctx = NULL;
	collide_mesh *mesh = NULL;
	const collide_pair *pairs;
	uint64_t found = 0;

	(void)stream;
	collide_options_init(&o);
	o.backend = COLLIDE_BACKEND_CUDA;
	CHECK(collide_open(&ctx, &o) == COLLIDE_OK, "%s", collide_last_error());
	collide_mesh_options_init(&mo);
	mo.vertices = mo.triangles = 4;
	mo.index = index;
	collide_positions_init(&p);
	p.start = xyz;
	collide_find_options_init(&fo);
	CHECK(ctx && collide_mesh_create(&mesh, ctx, &mo) == COLLIDE_OK &&
			collide_mesh_update(mesh, &p) == COLLIDE_OK &&
			collide_find_all(ctx, mesh, mesh, COLLIDE_VERTEX_FACE, &fo, &pairs,
				&found) == COLLIDE_OK,
		"%s", collide_last_error());
	collide_mesh_destroy(&mesh);
	collide_close(&ctx);
}

static void collisions_beside_captures(void)
{
	around_all(collide);
}
#endif

int main(void)
{
#ifdef HAVE_CUDA
	CU_TestInfo tests[] = {
		{ "libsched beside captures", libsched_beside_captures },
		{ "the encoder beside captures", encoder_beside_captures },
		{ "a frame of a captured stream is refused",
			frame_of_a_captured_stream_is_refused },
		{ "N-Queens beside captures", queens_beside_captures },
		{ "the renderer beside captures", renderer_beside_captures },
		{ "collisions beside captures", collisions_beside_captures },
		CU_TEST_INFO_NULL,
	};
	char why[256];

	if (!h264i_cuda_usable(why, sizeof(why)))
		return test_skip_gpu(why);
	video = test_video_make(W, H, FRAMES, 1);
	return test_run_one("CUDA graphs", tests);
#else
	return test_skip_gpu("built without CUDA");
#endif
}
