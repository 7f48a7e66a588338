/* Pictures of random decisions through the entropy kernels of the CUDA backend: the bytes of the
 * CPU backend's entropy coders, whose streams of such pictures two decoders read
 * (random_stream_test.sh). TEST_FULL=1: more pictures. */
#include <config.h>

#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"
#include "tests/h264intra/random_gpu.h"
#include "tests/h264intra/random_picture.h"

#include <stdio.h>

#ifndef HAVE_CUDA
int main(void)
{
	return test_skip_gpu("built without CUDA");
}
#else
typedef struct shape {
	uint32_t width, height, slices;
} shape;

static const shape shapes[] = { { 160, 96, 2 }, { 16, 16, 1 }, { 64, 128, 8 }, { 96, 80, 1 },
	{ 320, 16, 1 }, { 640, 208, 3 },
	/* more macroblocks in a slice than a block of a kernel has threads */
	{ 656, 416, 1 } };
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

/* An encoder on the device whose pictures have QPs of their own. */
static h264i_encoder *open_encoder(const shape *f, h264i_profile profile, int cabac, int filter,
	h264i_scaling scaling, int gray)
{
	h264i_options o = test_options(H264I_BACKEND_CUDA, f->width, f->height);

	o.slices = f->slices;
	o.profile = profile;
	o.cabac = cabac;
	o.transform8x8 = profile == H264I_PROFILE_HIGH;
	o.deblock = filter;
	o.aq_mode = 1;
	o.frames_in_flight = 2;
	o.scaling = scaling;
	o.chroma_qp_offset = scaling ? -5 : 0;
	o.cr_qp_offset = scaling ? 3 : H264I_CR_AS_CB;
	o.chroma = gray ? H264I_CHROMA_400 : H264I_CHROMA_420;
	if (scaling == H264I_SCALING_CUSTOM) {
		for (int k = 0; k < 16; k++)
			o.scaling_luma4[k] = o.scaling_chroma4[k] = (uint8_t)(8 + 2 * k);
		for (int k = 0; k < 64; k++)
			o.scaling_luma8[k] = (uint8_t)(8 + k / 2);
	}
	return test_open_ok(&o);
}

/* Codes the picture on the CPU. Returns the NAL units, to be freed by the caller. */
static uint8_t *code_on_cpu(random_source *s, int slice_qp, uint32_t number, size_t *bytes)
{
	uint8_t *all = NULL;

	*bytes = 0;
	for (uint32_t i = 0; i < s->params.geom.slices; i++) {
		uint8_t *more;

		if (random_slice(s, slice_qp, number, i) != 0)
			break;
		more = realloc(all, *bytes + s->slice.nal.bytes);
		if (!more)
			abort();
		all = more;
		memcpy(all + *bytes, s->slice.nal.data, s->slice.nal.bytes);
		*bytes += s->slice.nal.bytes;
	}
	return all;
}

/* One random picture through both coders. */
static int picture_agrees(h264i_encoder *enc, random_source *s, uint32_t number)
{
	const int slice_qp = random_picture(s);
	size_t got_bytes = 0, want_bytes = 0;
	/* the device first: the CPU's coder changes the macroblocks */
	const uint8_t *got = random_gpu_code(
		enc, s->mb, s->levels, s->pixels, (uint32_t)slice_qp, number, &got_bytes);
	uint8_t *want = code_on_cpu(s, slice_qp, number, &want_bytes);
	size_t at = 0;
	int same;

	while (got && at < got_bytes && at < want_bytes && got[at] == want[at])
		at++;
	same = got && got_bytes == want_bytes && at == got_bytes;
	if (!same)
		printf("\n  %ux%u, profile %d, cabac %d, picture %u, QP %d: byte %zu of %zu and "
		       "%zu differs\n",
			s->width, s->height, s->params.profile, s->params.cabac, number, slice_qp,
			at, got_bytes, want_bytes);
	free(want);
	return same;
}

static void compare(h264i_profile profile, int cabac, int gray)
{
	const uint32_t pictures = (uint32_t)test_effort(100, 16, 16);

	for (uint32_t k = 0; k < SHAPES; k++)
		for (int scaling = H264I_SCALING_FLAT; scaling <= H264I_SCALING_CUSTOM; scaling++) {
			h264i_encoder *enc;
			random_source s;
			int same = 1;

			if (scaling != H264I_SCALING_FLAT && profile != H264I_PROFILE_HIGH)
				continue;
			enc = open_encoder(&shapes[k], profile, cabac, (int)(k & 1),
				(h264i_scaling)scaling, gray);
			CU_ASSERT_PTR_NOT_NULL_FATAL(enc);
			random_begin(1000 * k + 10 * (uint32_t)scaling + (uint32_t)cabac);
			random_open(&s, &enc->params, H264I_QPS);
			for (uint32_t i = 0; i < pictures && same; i++)
				same = picture_agrees(enc, &s, i);
			CU_ASSERT_TRUE(same);
			random_close(&s);
			h264i_close(&enc);
		}
}

static void test_baseline(void)
{
	compare(H264I_PROFILE_BASELINE, 0, 0);
}

static void test_main(void)
{
	compare(H264I_PROFILE_MAIN, 0, 0);
	compare(H264I_PROFILE_MAIN, 1, 0);
}

static void test_high(void)
{
	compare(H264I_PROFILE_HIGH, 0, 0);
	compare(H264I_PROFILE_HIGH, 1, 0);
}

static void test_gray(void)
{
	compare(H264I_PROFILE_HIGH, 0, 1);
	compare(H264I_PROFILE_HIGH, 1, 1);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "Constrained Baseline", test_baseline },
		{ "Main, CAVLC and CABAC", test_main },
		{ "High, CAVLC and CABAC, three kinds of scaling matrices", test_high },
		{ "4:0:0, CAVLC and CABAC", test_gray },
		CU_TEST_INFO_NULL,
	};
	const int skip = test_skip_encoder_gpu();

	return skip ? skip : test_run_one("random GPU", tests);
}
#endif
