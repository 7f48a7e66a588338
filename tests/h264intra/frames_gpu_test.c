/* The GPU's streams equal the CPU's for frames from device memory with every kind of
 * synchronisation, from pinned and plain host memory, in both formats and all layouts, with and
 * without reconstruction. The producer overwrites its buffers as soon as that is allowed. Skipped
 * without a device. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "tests/h264intra/live_common.h"
#include "tests/common/testmain.h"

#include <stdio.h>

#ifdef HAVE_CUDA
#include "tests/h264intra/frames_gpu.h"

enum { FRAMES = 8 };

static const char *const hand_names[] = { "events", "stream", "legacy stream", "event sync",
	"release", "copied" };
static const char *const layout_names[] = { "dense", "pitched", "gaps", "separate" };

/* The CPU's streams of v, with 1 and with 4 slices. */
typedef struct reference {
	test_video v;
	test_stream want[2];
} reference;

static int reference_make(reference *r, uint32_t width, uint32_t height, uint32_t frames)
{
	r->v = test_video_make(width, height, frames, TEST_NATURAL);
	if (!r->v.pixels)
		return -1;
	for (int four = 0; four < 2; four++) {
		h264i_options o = test_options(H264I_BACKEND_CPU, r->v.width, r->v.height);

		o.slices = four ? 4 : 1;
		o.recon = 1;
		if (test_encode(&r->v, o, &r->want[four]) != H264I_OK)
			return -1;
	}
	return 0;
}

static void reference_free(reference *r)
{
	free(r->want[0].data);
	free(r->want[1].data);
	free(r->v.pixels);
}

/* Slices, frames in flight and statistics, for the n-th session. */
static h264i_options options_of(uint32_t n, const test_video *v)
{
	static const uint32_t flights[] = { 1, 3, 0 };
	h264i_options o = test_options(H264I_BACKEND_CUDA, v->width, v->height);

	o.frames_in_flight = flights[n % 3];
	o.slices = n / 3 & 1 ? 4 : 1;
	o.recon = o.stats = n / 2 % 3 == 0;
	return o;
}

static int take(h264i_encoder *enc, test_stream *out, int all)
{
	h264i_packet pkt;
	h264i_status s;

	h264i_packet_init(&pkt);
	while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK) {
		if (test_stream_take(out, &pkt))
			return -1;
		if (!all)
			return 0;
	}
	return s < 0 ? -1 : 0;
}

/* Sends all frames of the producer; 0 or -1. */
static int encode_produced(h264i_encoder *enc, producer *p, const producer_params *of,
	h264i_memory memory, test_stream *out)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < of->frames; i++) {
		h264i_frame f;
		h264i_status s;

		producer_make(p, i, &f);
		f.memory = memory;
		f.pts = i;
		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			if (take(enc, out, 0))
				return -1;
		if (s != H264I_OK)
			return -1;
		producer_sent(p, i);
		if (take(enc, out, 1))
			return -1;
	}
	return h264i_flush(enc) == H264I_OK ? take(enc, out, 1) : -1;
}

static int same_stream(const test_stream *got, const test_stream *want, const h264i_options *o)
{
	return got->frames == want->frames && test_same_bytes(got, want) &&
	       (!o->recon || memcmp(got->sse, want->sse, sizeof(got->sse)) == 0);
}

/* One session; prints its parameters after a failure. own: pinned memory of h264i_host_alloc. */
static int session(
	const reference *r, h264i_options o, producer_params pp, h264i_memory memory, int own)
{
	h264i_encoder *enc = NULL;
	test_stream got;
	uint32_t wrong = 0;
	void *host = NULL;
	char why[256];
	producer *p;
	int same;

	if (h264i_open(&enc, &o, why, sizeof(why)) != H264I_OK) {
		printf("\n  %s\n", why);
		return 0;
	}
	if (memory != H264I_MEM_CUDA) {
		size_t bytes = producer_bytes(&pp);

		if (own && h264i_host_alloc(enc, &host, bytes) != H264I_OK)
			return 0;
		pp.host = own ? host : pinned_alloc(bytes);
	}
	p = producer_open(&pp);
	same = encode_produced(enc, p, &pp, memory, &got) == 0;
	if (!same)
		printf("\n  %s\n", h264i_last_error(enc));
	h264i_close(&enc);
	for (uint32_t i = 0; i < pp.frames; i++)
		wrong += producer_released(p, i) != 1;
	same = same && wrong == 0 && same_stream(&got, &r->want[o.slices == 4], &o);
	if (!same)
		printf("\n  %ux%u %s, %s, %s, memory %d%s, %u slices, %u in flight, recon %d: %llu "
		       "frames, %zu bytes for %zu, %u releases wrong\n",
			o.width, o.height, pp.format == H264I_NV12 ? "NV12" : "I420",
			layout_names[pp.layout], hand_names[pp.hand], (int)memory,
			own ? " of the encoder" : "", o.slices, o.frames_in_flight, o.recon,
			(unsigned long long)got.frames, got.bytes, r->want[o.slices == 4].bytes,
			wrong);
	producer_close(p);
	if (own)
		h264i_host_free(pp.host);
	else if (pp.host)
		pinned_free(pp.host);
	free(got.data);
	return same;
}

static producer_params params_of(const reference *r, h264i_format format, layout l, hand h)
{
	/* A buffer that is free by an event is used again at once; one that is released later,
	 * not. */
	producer_params p = { r->v.width, r->v.height, r->v.frames, r->v.pixels, format, l, h,
		h == HAND_RELEASE ? r->v.frames : 2, NULL };

	return p;
}

static void test_device_memory(void)
{
	reference r;
	uint32_t n = 0;

	CU_ASSERT_EQUAL_FATAL(reference_make(&r, 322, 186, FRAMES), 0);
	for (int h = 0; h < HAND_COPIED; h++)
		for (int l = 0; l < LAYOUTS; l++)
			for (int nv12 = 0; nv12 < 2; nv12++, n++)
				CU_ASSERT_TRUE(session(&r, options_of(n, &r.v),
					params_of(&r, nv12 ? H264I_NV12 : H264I_I420, (layout)l,
						(hand)h),
					H264I_MEM_CUDA, 0));
	reference_free(&r);
}

static void test_pinned_memory(void)
{
	reference r;
	uint32_t n = 0;

	CU_ASSERT_EQUAL_FATAL(reference_make(&r, 322, 186, FRAMES), 0);
	for (int own = 0; own < 2; own++)
		for (int l = 0; l < LAYOUT_SEPARATE; l++)
			for (int nv12 = 0; nv12 < 2; nv12++)
				for (int copied = 0; copied < 2; copied++, n++)
					CU_ASSERT_TRUE(session(&r, options_of(n + n / 6, &r.v),
						params_of(&r, nv12 ? H264I_NV12 : H264I_I420,
							(layout)l,
							copied ? HAND_COPIED : HAND_RELEASE),
						copied ? H264I_MEM_HOST : H264I_MEM_HOST_PINNED,
						own));
	reference_free(&r);
}

/* Adjacent planes in two page-locked allocations: CUDA refuses one copy of both. */
static void test_adjacent_allocations(void)
{
	reference r;

	CU_ASSERT_EQUAL_FATAL(reference_make(&r, 64, 64, FRAMES), 0);
	for (uint32_t n = 0; n < 6; n++) {
		h264i_options o = options_of(n, &r.v);
		size_t luma = 64 * 64, bytes = test_frame_bytes(&r.v);
		uint8_t *host[FRAMES];
		h264i_encoder *enc = NULL;
		h264i_status s = H264I_OK;
		test_stream got;

		CU_ASSERT_EQUAL_FATAL(h264i_open(&enc, &o, NULL, 0), H264I_OK);
		memset(&got, 0, sizeof(got));
		for (uint32_t i = 0; i < FRAMES; i++)
			host[i] = pinned_pair_alloc(luma, bytes - luma);
		for (uint32_t i = 0; i < FRAMES && s == H264I_OK; i++) {
			test_video one = { 64, 64, 1, host[i] };
			h264i_frame f = test_frame(&one, 0);

			memcpy(host[i], r.v.pixels + i * bytes, bytes);
			f.memory = H264I_MEM_HOST_PINNED;
			while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
				CU_ASSERT_EQUAL(take(enc, &got, 0), 0);
		}
		CU_ASSERT_EQUAL(s, H264I_OK);
		CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		CU_ASSERT_EQUAL(take(enc, &got, 1), 0);
		CU_ASSERT_TRUE(same_stream(&got, &r.want[o.slices == 4], &o));
		h264i_close(&enc);
		for (uint32_t i = 0; i < FRAMES; i++)
			pinned_pair_free(host[i], luma);
		free(got.data);
	}
	reference_free(&r);
}

static void test_sizes(void)
{
	static const uint32_t sizes[][2] = { { 64, 64 }, { 66, 82 }, { 18, 98 }, { 1000, 66 },
		{ 1920, 1080 } };

	for (uint32_t i = 0; i < 5; i++) {
		reference r;

		CU_ASSERT_EQUAL_FATAL(reference_make(&r, sizes[i][0], sizes[i][1], 4), 0);
		for (uint32_t k = 0; k < 4; k++) {
			h264i_format format = k & 1 ? H264I_NV12 : H264I_I420;

			CU_ASSERT_TRUE(session(&r, options_of(3 * i + k, &r.v),
				params_of(&r, format, k < 2 ? LAYOUT_SEPARATE : LAYOUT_DENSE,
					HAND_EVENTS),
				H264I_MEM_CUDA, 0));
		}
		reference_free(&r);
	}
}

/* Plain memory, which the host overwrites when h264i_send_frame has returned. */
static void test_plain_memory(void)
{
	reference r;

	CU_ASSERT_EQUAL_FATAL(reference_make(&r, 322, 186, FRAMES), 0);
	for (uint32_t n = 0; n < 12; n++) {
		h264i_options o = options_of(n, &r.v);
		size_t bytes = test_frame_bytes(&r.v);
		test_video one = { r.v.width, r.v.height, 1, malloc(bytes) };
		h264i_encoder *enc = NULL;
		test_stream got;
		h264i_status s = H264I_OK;

		CU_ASSERT_PTR_NOT_NULL_FATAL(one.pixels);
		enc = test_open_ok(&o);
		memset(&got, 0, sizeof(got));
		for (uint32_t i = 0; i < FRAMES && s == H264I_OK; i++) {
			h264i_frame f = test_frame(&one, 0);

			memcpy(one.pixels, r.v.pixels + i * bytes, bytes);
			while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN)
				CU_ASSERT_EQUAL(take(enc, &got, 0), 0);
			memset(one.pixels, 0x5a, bytes);
		}
		CU_ASSERT_EQUAL(s, H264I_OK);
		CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		CU_ASSERT_EQUAL(take(enc, &got, 1), 0);
		CU_ASSERT_TRUE(same_stream(&got, &r.want[o.slices == 4], &o));
		h264i_close(&enc);
		free(got.data);
		free(one.pixels);
	}
	reference_free(&r);
}

/* Frame n+2 is sent after packet n was received; default options. */
static void test_live(void)
{
	static const uint32_t sizes[][2] = { { 322, 186 }, { 1920, 1080 } };

	for (int i = 0; i < 2; i++) {
		reference r;
		h264i_options o;
		test_stream got;

		CU_ASSERT_EQUAL_FATAL(reference_make(&r, sizes[i][0], sizes[i][1], 6), 0);
		o = test_options(H264I_BACKEND_CUDA, r.v.width, r.v.height);
		CU_ASSERT_EQUAL(live_encode(&r.v, o, &got), H264I_OK);
		CU_ASSERT_TRUE(same_stream(&got, &r.want[0], &o));
		free(got.data);
		reference_free(&r);
	}
}

static void test_drain(void)
{
	reference r;

	CU_ASSERT_EQUAL_FATAL(reference_make(&r, 322, 186, FRAMES), 0);
	for (uint32_t n = 0; n < 6; n++) {
		h264i_options o = options_of(n, &r.v);
		h264i_encoder *enc = NULL;
		test_stream got;

		o.latency_ms = H264I_LATENCY_FULL;
		enc = test_open_ok(&o);
		memset(&got, 0, sizeof(got));
		for (uint32_t i = 0; i < FRAMES; i++) {
			h264i_status s;

			while ((s = live_send(enc, &r.v, i)) == H264I_AGAIN)
				CU_ASSERT_EQUAL(take(enc, &got, 0), 0);
			CU_ASSERT_EQUAL(s, H264I_OK);
			if (i == 0 || i == 3 || i == 4) {
				CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
				CU_ASSERT_EQUAL(take(enc, &got, 1), 0);
				CU_ASSERT_EQUAL(got.frames, i + 1);
			}
		}
		CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		CU_ASSERT_EQUAL(take(enc, &got, 1), 0);
		CU_ASSERT_TRUE(same_stream(&got, &r.want[o.slices == 4], &o));
		h264i_close(&enc);
		free(got.data);
	}
	reference_free(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "frames in device memory are encoded", test_device_memory },
		{ "frames in page-locked memory are encoded", test_pinned_memory },
		{ "frames in adjacent allocations are encoded", test_adjacent_allocations },
		{ "frames in plain memory are encoded", test_plain_memory },
		{ "frames of all sizes are encoded", test_sizes },
		{ "live input is encoded", test_live },
		{ "drains_may_come_at_any_place may come at any place", test_drain },
		CU_TEST_INFO_NULL,
	};
	const int skip = test_skip_encoder_gpu();

	return skip ? skip : test_run_one("frames_gpu", tests);
}
#else
TEST_WITHOUT_CUDA
#endif
