/* The GPU's streams equal the CPU's: schemes, slices, QPs, CABAC, sizes, frames in flight, pictures
 * that cause I_PCM, substreams. */
#include "tests/common/testmain.h"
#include "tests/h264intra/substream_common.h"

#include <stdio.h>

static const char *const scheme_names[] = { "dynamic", "static", "sync" };

/* Encodes on both backends and prints the difference. Returns whether the streams are equal. */
static int same_on_both(const test_video *v, h264i_options o)
{
	test_stream cpu, gpu;
	h264i_status a, b;
	int same;

	o.recon = 1;
	o.stats = 1;
	o.backend = H264I_BACKEND_CPU;
	a = test_encode(v, o, &cpu);
	o.backend = H264I_BACKEND_CUDA;
	b = test_encode(v, o, &gpu);
	same = a == H264I_OK && b == H264I_OK && test_same_bytes(&cpu, &gpu) &&
	       memcmp(cpu.sse, gpu.sse, sizeof(cpu.sse)) == 0 &&
	       cpu.stats.mb_i4x4 == gpu.stats.mb_i4x4 && cpu.stats.mb_pcm == gpu.stats.mb_pcm &&
	       memcmp(cpu.stats.i4_mode, gpu.stats.i4_mode, sizeof(cpu.stats.i4_mode)) == 0 &&
	       cpu.stats.mb_i8x8 == gpu.stats.mb_i8x8 &&
	       memcmp(cpu.stats.i8_mode, gpu.stats.i8_mode, sizeof(cpu.stats.i8_mode)) == 0;
	if (!same) {
		size_t at = 0;

		while (at < cpu.bytes && at < gpu.bytes && cpu.data[at] == gpu.data[at])
			at++;
		printf("\n  %ux%u qp %d slices %u %s: cpu %s %zu bytes, gpu %s %zu bytes, first "
		       "difference at %zu; i4x4 %llu/%llu pcm %llu/%llu\n",
			v->width, v->height, o.qp, o.slices, scheme_names[o.sched],
			h264i_strstatus(a), cpu.bytes, h264i_strstatus(b), gpu.bytes, at,
			(unsigned long long)cpu.stats.mb_i4x4,
			(unsigned long long)gpu.stats.mb_i4x4, (unsigned long long)cpu.stats.mb_pcm,
			(unsigned long long)gpu.stats.mb_pcm);
	}
	free(cpu.data);
	free(gpu.data);
	return same;
}

/* The same with one frame in flight, which several warps encode, and with as many as there may be.
 */
static int same_few_and_many(const test_video *v, h264i_options o)
{
	int same;

	o.frames_in_flight = 1;
	same = same_on_both(v, o);
	o.frames_in_flight = 0;
	return same_on_both(v, o) && same;
}

/* Calls a test with each pattern at QPs 0, 3 .. 51 and the other options at their defaults. */
static void each_qp(uint32_t width, uint32_t height, uint32_t frames,
	void (*encode)(const test_video *v, h264i_options o, int qp))
{
	for (int p = 0; p < TEST_PATTERNS; p++) {
		test_video v = test_video_make(width, height, frames, p);

		for (int qp = 0; qp < 52; qp += 3) {
			h264i_options o = test_options(H264I_BACKEND_CPU, width, height);

			o.qp = qp;
			encode(&v, o, qp);
		}
		free(v.pixels);
	}
}

static void test_qps_and_slices(void)
{
	static const int qps[] = { 0, 5, 10, 22, 27, 37, 51 };
	static const uint32_t slices[] = { 1, 2, 4, 8 };

	for (int p = 0; p < TEST_PATTERNS; p++) {
		test_video v = test_video_make(240, 176, 5, p);

		for (unsigned q = 0; q < sizeof(qps) / sizeof(qps[0]); q++)
			for (unsigned s = 0; s < sizeof(slices) / sizeof(slices[0]); s++) {
				h264i_options o =
					test_options(H264I_BACKEND_CPU, v.width, v.height);

				o.qp = qps[q];
				o.slices = slices[s];
				o.sched = (h264i_sched)((q + s) % 3);
				CU_ASSERT_TRUE(same_on_both(&v, o));
			}
		free(v.pixels);
	}
}

static void test_sizes(void)
{
	static const uint32_t sizes[][2] = { { 16, 16 }, { 18, 18 }, { 16, 64 }, { 64, 16 },
		{ 34, 98 }, { 176, 144 }, { 1080, 720 }, { 1920, 1080 } };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		test_video v = test_video_make(sizes[i][0], sizes[i][1], 3, TEST_NATURAL);

		for (int sched = 0; sched < 3; sched++) {
			h264i_options o = test_options(H264I_BACKEND_CPU, v.width, v.height);

			o.sched = (h264i_sched)sched;
			o.slices = sizes[i][1] > 64 ? 3 : 1;
			CU_ASSERT_TRUE(same_on_both(&v, o));
		}
		free(v.pixels);
	}
}

static void test_frames_in_flight(void)
{
	test_video v = test_video_make(352, 288, 11, TEST_NATURAL);
	static const uint32_t flights[] = { 1, 2, 3, 4, 7, 16, 100 };

	for (unsigned i = 0; i < sizeof(flights) / sizeof(flights[0]); i++)
		for (int sched = 0; sched < 3; sched++) {
			h264i_options o = test_options(H264I_BACKEND_CPU, v.width, v.height);

			o.frames_in_flight = flights[i];
			o.sched = (h264i_sched)sched;
			o.gpu_workers = sched == 1 ? 1 + 37 * i : 0;
			CU_ASSERT_TRUE(same_on_both(&v, o));
		}
	free(v.pixels);
}

/* Noise of about 20, 10 and 6 million bins a frame: chunks of 256, 128 and 64 operations in the
 * arithmetic coder of the GPU, which has 32 in the other tests. Groups of one frame and, with more
 * than 32,768 macroblocks, of five: these release the memory that groups share earlier
 * (cuda/slices.cu). */
static void test_many_bins(void)
{
	static const int qps[] = { 24, 36, 46 };
	test_video v = test_video_make(1920, 1080, 5, TEST_NOISE);

	for (unsigned i = 0; i < 2 * sizeof(qps) / sizeof(qps[0]); i++) {
		h264i_options o = test_options(H264I_BACKEND_CPU, v.width, v.height);

		o.qp = qps[i / 2];
		o.slices = 1 + i;
		o.profile = i < 4 ? H264I_PROFILE_MAIN : H264I_PROFILE_HIGH;
		o.cabac = 1;
		o.frames_in_flight = i % 2 ? 25 : 1; /* five groups */
		CU_ASSERT_TRUE(same_on_both(&v, o));
	}
	free(v.pixels);
}

static void test_disabled_modes(void)
{
	test_video v = test_video_make(240, 176, 2, TEST_NATURAL);

	for (unsigned bit = 0; bit < 20; bit++) {
		h264i_options o = test_options(H264I_BACKEND_CPU, v.width, v.height);

		o.disable_modes = 1u << bit;
		CU_ASSERT_TRUE(same_on_both(&v, o));
	}
	free(v.pixels);
}

/* Without modes that read the macroblock to the upper right, with each kind of kernel; the first of
 * which, three warps a macroblock, waits for the one above alone. */
static void test_upright(void)
{
	static const uint32_t widths[] = { 212, 16, 32, 1280 };

	for (unsigned i = 0; i < 4 * TEST_PATTERNS; i++) {
		test_video v = test_video_make(widths[i % 4], 180, 3, (int)(i / 4));

		for (int qp = 1; qp < 52; qp += 5) {
			h264i_options o = test_options(H264I_BACKEND_CPU, v.width, v.height);

			h264i_options_set_preset(&o, "ultrafast");
			o.qp = qp;
			o.slices = 1 + (uint32_t)qp % 4;
			o.aq_mode = qp / 5 % 3;
			o.sched = (h264i_sched)(qp / 5 % 4);
			CU_ASSERT_TRUE(same_few_and_many(&v, o));
			o.rd = 1 + qp % 3;
			o.trellis = qp % 2;
			o.cabac = qp % 2;
			CU_ASSERT_TRUE(same_few_and_many(&v, o));
		}
		free(v.pixels);
	}
}

/* CABAC and Intra8x8 at every QP, with many and with few slices, and where most macroblocks are
 * I_PCM, which end arithmetic codes. */
static void encode_profiles(const test_video *v, h264i_options o, int qp)
{
	o.slices = 1 + (uint32_t)qp % 15;
	o.sched = (h264i_sched)(qp % 2);
	o.profile = H264I_PROFILE_MAIN;
	o.cabac = 1;
	CU_ASSERT_TRUE(same_on_both(v, o));
	o.profile = H264I_PROFILE_HIGH;
	CU_ASSERT_TRUE(same_on_both(v, o));
	o.frames_in_flight = 1; /* pairs of warps */
	o.cabac = 0;
	CU_ASSERT_TRUE(same_on_both(v, o));
}

static void test_profiles(void)
{
	each_qp(304, 240, 4, encode_profiles);
}

/* Decisions and quantisation by rate and distortion, each alone and together. */
static void encode_by_cost(const test_video *v, h264i_options o, int qp)
{
	static const int tools[][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 2 }, { 4, 1 },
		{ 9, 2 } };

	o.slices = 1 + (uint32_t)qp % 5;
	o.profile = H264I_PROFILE_HIGH;
	o.rd = tools[qp / 3 % 6][0];
	o.trellis = tools[qp / 3 % 6][1];
	CU_ASSERT_TRUE(same_on_both(v, o));
	o.cabac = 0;
	CU_ASSERT_TRUE(same_on_both(v, o));
	o.cabac = qp % 2 ? -1 : 0;
	o.frames_in_flight = 1; /* pairs of warps */
	o.profile = (h264i_profile)(qp / 3 % 3);
	o.disable_modes = qp % 2 ? H264I_DISABLE_I16_ALL : 0;
	CU_ASSERT_TRUE(same_on_both(v, o));
	o.disable_modes = qp % 2 ? H264I_DISABLE_I4_ALL : H264I_DISABLE_I4(0);
	CU_ASSERT_TRUE(same_on_both(v, o));
}

static void test_rate_distortion(void)
{
	each_qp(208, 176, 3, encode_by_cost);
}

/* A QP for each macroblock, with each kind of kernel. */
static void encode_adaptively(const test_video *v, h264i_options o, int qp)
{
	o.slices = 1 + (uint32_t)qp % 5;
	o.profile = (h264i_profile)(qp / 3 % 3);
	o.aq_mode = 1 + qp / 9 % 2;
	o.aq_strength = qp % 4 + 0.5 > 3 ? 3 : qp % 4 + 0.5;
	o.sse = qp % 2;
	CU_ASSERT_TRUE(same_few_and_many(v, o));
	o.disable_modes = H264I_DISABLE_I16_ALL; /* more without mb_qp_delta */
	o.rd = qp % 4;
	o.trellis = qp % 2;
	CU_ASSERT_TRUE(same_few_and_many(v, o));
}

static void test_adaptive_quantisation(void)
{
	each_qp(212, 180, 5, encode_adaptively);
}

/* Scaling matrices, the offsets of chroma and 4:0:0, with each kind of kernel. */
static void encode_by_matrices(const test_video *v, h264i_options o, int qp)
{
	o.slices = 1 + (uint32_t)qp % 4;
	o.profile = H264I_PROFILE_HIGH;
	o.scaling = (h264i_scaling)(qp / 3 % 3);
	for (int k = 0; k < 64; k++) {
		o.scaling_luma8[k] = (uint8_t)(4 + (unsigned)(k * qp) % 252);
		o.scaling_luma4[k % 16] = (uint8_t)(255 - (unsigned)(k * qp) % 252);
		o.scaling_chroma4[k % 16] = (uint8_t)(4 + 5 * (k % 16));
	}
	o.chroma_qp_offset = qp % 25 - 12;
	if (qp % 4) /* else that of Cb */
		o.cr_qp_offset = 12 - qp * 7 % 25;
	o.deblock_alpha = qp % 13 - 6;
	o.deblock_beta = 6 - qp % 11;
	o.transform8x8 = qp % 2;
	o.chroma = qp / 6 % 2 ? H264I_CHROMA_400 : H264I_CHROMA_420;
	o.cabac = qp % 4 ? 1 : 0;
	CU_ASSERT_TRUE(same_on_both(v, o));
	o.rd = qp % 4;
	o.trellis = 1;
	o.aq_mode = qp / 3 % 2;
	CU_ASSERT_TRUE(same_on_both(v, o));
	o.frames_in_flight = 1; /* pairs of warps */
	CU_ASSERT_TRUE(same_on_both(v, o));
	o.rd = o.trellis = 0;
	CU_ASSERT_TRUE(same_on_both(v, o));
}

static void test_matrices(void)
{
	each_qp(212, 180, 3, encode_by_matrices);
}

/* Rate control: pictures that are coded again, groups of other sizes on both backends. */
static void test_rate_control(void)
{
	for (int p = 0; p < TEST_PATTERNS; p++) {
		test_video v = test_video_make(212, 180, 40, p);

		for (uint32_t n = 0; n < 12; n++) {
			h264i_options o = test_options(H264I_BACKEND_CPU, v.width, v.height);

			o.vui.fps_num = 25;
			o.vui.fps_den = 1;
			o.slices = 1 + n % 3;
			o.profile = (h264i_profile)(n % 3);
			o.rd = n % 2;
			o.aq_mode = (int)n % 3;
			o.rate_mode = n % 4 ? H264I_RATE_BITRATE : H264I_RATE_QUALITY;
			o.crf = 20.5;
			o.bitrate = 400 << n % 5;
			o.vbv_maxrate = n % 2 ? 0 : 2 * o.bitrate;
			o.vbv_bufsize = n % 3 ? (200 << n % 5) * n : 0;
			o.vbv_maxrate = o.vbv_bufsize ? o.vbv_maxrate : 0;
			if (o.vbv_bufsize && !o.vbv_maxrate)
				o.vbv_maxrate = o.bitrate;
			o.frame_bytes_max = n % 5 == 1 ? 3000 : 0;
			o.frames_in_flight = n % 4 == 3 ? 7 : 0;
			CU_ASSERT_TRUE(same_on_both(&v, o));
		}
		free(v.pixels);
	}
}

/* Substreams on the GPU, each alone on the CPU. */
static void test_substreams(void)
{
	static const uint32_t counts[] = { 1, 2, 7, 64 }, flights[] = { 0, 1, 70, 3 };
	test_video pool = sub_pool(50, 34);

	CU_ASSERT_PTR_NOT_NULL_FATAL(pool.pixels);
	for (unsigned i = 0; i < SUB_CASES; i++)
		for (unsigned n = 0; n < 4; n++) {
			h264i_options o = sub_case(H264I_BACKEND_CUDA, i);

			o.frames_in_flight = flights[(i + n) % 4];
			o.latency_ms = n % 2 ? 0 : H264I_LATENCY_FULL;
			o.sched = (h264i_sched)(i % 3);
			o.device = i % 4 == 1 ? H264I_DEVICE_ALL : -1;
			CHECK(sub_same(&pool, o, sub_case(H264I_BACKEND_CPU, i), counts[n]),
				"case %u", i);
		}
	free(pool.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "same bytes at every QP and slice count", test_qps_and_slices },
		{ "same bytes in Main and High", test_profiles },
		{ "same bytes by rate and distortion", test_rate_distortion },
		{ "same bytes with adaptive quantisation", test_adaptive_quantisation },
		{ "same bytes with scaling matrices and offsets", test_matrices },
		{ "same bytes with rate control", test_rate_control },
		{ "same bytes of substreams", test_substreams },
		{ "same bytes at every size", test_sizes },
		{ "same bytes with any number of frames in flight", test_frames_in_flight },
		{ "same bytes with many bins", test_many_bins },
		{ "same bytes with modes disabled", test_disabled_modes },
		{ "same bytes without modes that read UP-RIGHT", test_upright },
		CU_TEST_INFO_NULL,
	};
	const int skip = test_skip_encoder_gpu();

	return skip ? skip : test_run_one("parity", tests);
}
