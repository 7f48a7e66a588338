/* The device's deblocking and sums against filter/deblock.c and filter/sse.c, on random pictures;
 * the decoded pictures of whole encodes against the CPU backend's; and packets that are larger than
 * the estimate. */
#include <config.h>

#include "h264intra/core/packet_layout.h"
#include "tests/h264intra/recon_common.h"
#include "tests/h264intra/recon_gpu.h"
#include "tests/h264intra/recon_show.h"
#include "tests/common/testmain.h"

#include <stdio.h>

#ifndef HAVE_CUDA
int main(void)
{
	return test_skip_gpu("built without CUDA");
}
#else
enum { PICTURES = 3 };

/* Random pictures of one size, through both; qp -1: not deblocked. */
static int kernels_agree(const uint32_t size[2], int qp, uint32_t pcm_share, uint32_t step)
{
	h264i_strengths s = recon_strengths();
	recon_case c[PICTURES];
	recon_gpu_picture p[PICTURES];
	recon_gpu_job job;
	int same = 1;

	for (int i = 0; i < PICTURES; i++) {
		c[i] = recon_case_make(size[0], size[1], pcm_share, step);
		if (qp >= 0)
			recon_set_qp(&c[i], qp);
		p[i].recon = malloc(c[i].recon_bytes);
		if (!p[i].recon)
			abort();
		memcpy(p[i].recon, c[i].recon, c[i].recon_bytes);
		p[i].src = c[i].src;
		p[i].p = recon_picture(&c[i], c[i].mb, p[i].recon, c[i].src);
	}
	job = (recon_gpu_job){ size[0], size[1], c->mb_width, c->mb_height, c->recon_bytes,
		c->src_bytes, qp < 0 ? NULL : &s };
	recon_gpu_run(&job, p, PICTURES);
	for (int i = 0; i < PICTURES; i++) {
		h264i_picture want = recon_picture(&c[i], c[i].mb, c[i].recon, c[i].src);
		uint64_t sse[3];

		if (qp >= 0)
			recon_deblock(&want, &c[i]);
		recon_sse(&want, &c[i], sse);
		same &= memcmp(c[i].recon, p[i].recon, c[i].recon_bytes) == 0 &&
			memcmp(sse, p[i].sse, sizeof(sse)) == 0;
		free(p[i].recon);
		recon_case_free(&c[i]);
	}
	if (!same)
		printf("\n  %ux%u, QP %d, %u/16 I_PCM, chroma step %u\n", size[0], size[1], qp,
			pcm_share, step);
	return same;
}

static void test_kernels(void)
{
	static const uint32_t large[][2] = { { 1920, 1080 }, { 16, 16880 }, { 16880, 16 },
		{ 1056, 1040 } };

	for (int i = 0; i < RECON_SIZES; i++)
		for (int qp = -1; qp <= RECON_ANY_QP; qp++)
			CU_ASSERT_TRUE(kernels_agree(recon_sizes[i], qp,
				(uint32_t)(qp + 1 + i) % 3 * 4, 1 + (uint32_t)(qp & 1)));
	for (unsigned i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		for (int qp = 20; qp <= RECON_ANY_QP; qp += 16)
			CU_ASSERT_TRUE(kernels_agree(large[i], qp, 2, 1));
}

/* Pictures, sums and streams of the CPU and of the device. */
static int backends_agree(const test_video *v, h264i_options o, h264i_format format)
{
	shown cpu, gpu;
	int same;

	o.backend = H264I_BACKEND_CPU;
	cpu = show(v, o, format);
	o.backend = H264I_BACKEND_CUDA;
	gpu = show(v, o, format);
	same = shown_same(&cpu, &gpu);
	if (!same)
		printf("\n  %ux%u, QP %d, %u slices, deblock %d, recon %d, format %d\n", v->width,
			v->height, o.qp, o.slices, o.deblock, o.recon, (int)format);
	shown_free(&cpu);
	shown_free(&gpu);
	return same;
}

static void test_encodes(void)
{
	static const uint32_t sizes[][2] = { { 16, 16 }, { 18, 34 }, { 16, 320 }, { 320, 16 },
		{ 240, 176 }, { 1080, 720 } };
	static const int qps[] = { 0, 14, 15, 16, 24, 27, 33, 40, 51 };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int k = 0; k < 9 * TEST_PATTERNS; k++) {
			test_video v =
				test_video_make(sizes[i][0], sizes[i][1], 4, k % TEST_PATTERNS);
			uint32_t rows = (sizes[i][1] + 15) / 16;
			h264i_options o;

			h264i_options_init(&o);
			o.qp = qps[k / TEST_PATTERNS];
			o.slices = 1 + (uint32_t)k % (rows < 5 ? rows : 5);
			o.deblock = k % 7 != 3;
			o.recon = k % 3 != 1;
			o.sse = 1;
			o.sched = (h264i_sched)(k / 3 % 3);
			CU_ASSERT_TRUE(backends_agree(&v, o, k & 1 ? H264I_NV12 : H264I_I420));
			free(v.pixels);
		}
}

/* Frames first..end - 1 become noise. */
static void add_noise(test_video *v, uint32_t first, uint32_t end)
{
	uint8_t *p = v->pixels + first * test_frame_bytes(v);

	for (size_t i = 0; i < (end - first) * test_frame_bytes(v); i++)
		p[i] = (uint8_t)rng();
}

/* With six frames in flight a group is two frames. Most frames of noise are larger than the
 * estimate, in a group alone and beside black ones, and later frames must fit the memory that is
 * allocated then. */
static void test_overflow(void)
{
	static const int qps[] = { 0, 20, 27, 37 };

	for (int i = 0; i < 12; i++) {
		test_video v = test_video_make(192, 144, 26, TEST_BLACK);
		const h264i_geom g = { 192, 144, 12, 9, 1 + (uint32_t)i / 4 };
		h264i_options o;
		shown r;

		add_noise(&v, 4, 7);
		add_noise(&v, 15, 22);
		h264i_options_init(&o);
		o.qp = qps[i % 4];
		o.slices = g.slices;
		o.frames_in_flight = 6;
		o.sse = 1;
		CU_ASSERT_TRUE(backends_agree(&v, o, H264I_I420));
		o.backend = H264I_BACKEND_CPU;
		r = show(&v, o, H264I_I420);
		/* Ten frames of noise: on average more than the estimate for a group of two. */
		CU_ASSERT_TRUE(r.stream.bytes / 10 * 2 > 1.5 * h264i_packet_estimate(&g, o.qp, 2));
		shown_free(&r);
		free(v.pixels);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the kernels give the decoded pictures and sums of the C functions",
			test_kernels },
		{ "encodes give the CPU's pictures, sums and streams", test_encodes },
		{ "packets larger than the guessed room are the same", test_overflow },
		CU_TEST_INFO_NULL,
	};
	const int skip = test_skip_encoder_gpu();

	return skip ? skip : test_run_one("recon on the device", tests);
}
#endif
