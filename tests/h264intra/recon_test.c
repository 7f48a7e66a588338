/* The decoded picture and its error: the device's order of deblocking, run here lane by lane,
 * against filter/deblock.c; sums of squared differences; and the CPU backend, whose workers compute
 * both. */
#include "h264intra/filter/deblock_lane.h"
#include "tests/h264intra/encode_common.h"
#include "tests/h264intra/recon_common.h"
#include "tests/h264intra/recon_show.h"
#include "tests/common/testmain.h"

#include <stdio.h>

/* One direction of all macroblocks of a step, rows and lanes from the last to the first or the
 * other way round: none of them may depend on another one. */
static void filter_step(const h264i_picture *p, const recon_case *c, uint32_t step, int vertical,
	int backwards, const h264i_strengths *s)
{
	uint32_t first = h264i_deblock_first_row(c->mb_width, step);
	uint32_t end = h264i_deblock_end_row(c->mb_height, step);

	for (uint32_t i = first; i < end; i++)
		for (int k = 0; k < H264I_DEBLOCK_LANES; k++) {
			uint32_t y = backwards ? first + end - 1 - i : i;
			int lane = backwards ? H264I_DEBLOCK_LANES - 1 - k : k;

			h264i_deblock_lane(p, c->mb_width, step - 2 * y, y, vertical, lane, s);
		}
}

static void filter_by_lanes(const h264i_picture *p, const recon_case *c, int backwards)
{
	h264i_strengths s = recon_strengths();

	for (uint32_t step = 0; step < h264i_deblock_steps(c->mb_width, c->mb_height); step++) {
		filter_step(p, c, step, 1, backwards, &s);
		filter_step(p, c, step, 0, backwards, &s);
	}
}

static int lanes_agree(uint32_t width, uint32_t height, int qp, uint32_t pcm_share)
{
	recon_case c = recon_case_make(width, height, pcm_share, 1);
	uint8_t *want = malloc(c.recon_bytes), *got = malloc(c.recon_bytes);
	h264i_picture p;
	int same = 1;

	if (!want || !got)
		abort();
	recon_set_qp(&c, qp);
	memcpy(want, c.recon, c.recon_bytes);
	p = recon_picture(&c, c.mb, want, c.src);
	recon_deblock(&p, &c);
	for (int backwards = 0; backwards < 2; backwards++) {
		memcpy(got, c.recon, c.recon_bytes);
		p = recon_picture(&c, c.mb, got, c.src);
		filter_by_lanes(&p, &c, backwards);
		same &= memcmp(want, got, c.recon_bytes) == 0;
	}
	if (!same)
		printf("\n  %ux%u, QP %d, %u/16 I_PCM\n", width, height, qp, pcm_share);
	free(want);
	free(got);
	recon_case_free(&c);
	return same;
}

static void test_lanes(void)
{
	for (int i = 0; i < RECON_SIZES; i++)
		for (int qp = 0; qp <= RECON_ANY_QP; qp += i < 6 ? 1 : 4)
			CU_ASSERT_TRUE(lanes_agree(recon_sizes[i][0], recon_sizes[i][1], qp,
				(uint32_t)(qp + i) % 3 * 4));
}

/* Every macroblock in one step, two columns from row to row. */
static void test_steps(void)
{
	for (uint32_t w = 1; w < 12; w++)
		for (uint32_t h = 1; h < 12; h++) {
			uint32_t found = 0, bad = 0;

			for (uint32_t s = 0; s < h264i_deblock_steps(w, h); s++)
				for (uint32_t y = h264i_deblock_first_row(w, s);
					y < h264i_deblock_end_row(h, s); y++, found++)
					bad += s < 2 * y || s - 2 * y >= w;
			CU_ASSERT_EQUAL(found, w * h);
			CU_ASSERT_EQUAL(bad, 0);
		}
}

static void test_sums(void)
{
	for (int i = 0; i < 2 * RECON_SIZES; i++) {
		recon_case c = recon_case_make(
			recon_sizes[i / 2][0], recon_sizes[i / 2][1], 0, 1 + (uint32_t)i % 2);
		h264i_picture p = recon_picture(&c, c.mb, c.recon, c.src);
		uint64_t sse[3];

		recon_sse(&p, &c, sse);
		for (int k = 0; k < 3; k++) {
			uint64_t sum = 0;

			for (uint32_t y = 0; y < c.height >> (k > 0); y++)
				for (uint32_t x = 0; x < c.width >> (k > 0); x++) {
					int d = p.src[k][(size_t)y * p.src_pitch[k] +
							 x * (k ? c.chroma_step : 1)] -
						p.recon[k][y * p.recon_pitch[k] + x];

					sum += (uint64_t)(d * d);
				}
			CU_ASSERT_EQUAL(sse[k], sum);
		}
		recon_case_free(&c);
	}
}

static h264i_options options_of(int scheme, uint32_t threads, int recon)
{
	h264i_options o;

	h264i_options_init(&o);
	o.sched = (h264i_sched)scheme;
	o.backend = H264I_BACKEND_CPU;
	o.threads = threads;
	o.recon = recon;
	o.sse = 1;
	o.qp = 33;
	return o;
}

static void check_workers(const test_video *v, uint32_t slices, int deblock)
{
	shown first = { 0 };

	for (int i = 0; i < 12; i++) {
		h264i_options o = options_of(i % 3, 1u << i / 3, 1);
		shown r;

		o.slices = slices;
		o.deblock = deblock;
		r = show(v, o, H264I_I420);
		if (i == 0) {
			first = r;
			continue;
		}
		CU_ASSERT_TRUE(shown_same(&first, &r));
		shown_free(&r);
	}
	CU_ASSERT_TRUE(first.bytes > 0 && first.sse[0] > 0);
	shown_free(&first);
}

static void test_workers(void)
{
	test_video v = test_video_make(70, 98, 4, TEST_NATURAL);

	for (int i = 0; i < 8; i++)
		check_workers(&v, 1 + (uint32_t)i / 2, i % 2);
	free(v.pixels);
}

static void test_sums_alone(void)
{
	test_video v = test_video_make(70, 98, 4, TEST_NATURAL);

	for (int scheme = 0; scheme < 3; scheme++) {
		shown with = show(&v, options_of(scheme, 2, 1), H264I_I420);
		shown without = show(&v, options_of(scheme, 2, 0), H264I_I420);

		CU_ASSERT_EQUAL(with.pictures, 12);
		CU_ASSERT_EQUAL(without.pictures, 0);
		CU_ASSERT_EQUAL(memcmp(with.sse, without.sse, sizeof(with.sse)), 0);
		shown_free(&with);
		shown_free(&without);
	}
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a step of the deblocking wavefront holds every macroblock once", test_steps },
		{ "lanes along the wavefront filter as macroblocks in raster order", test_lanes },
		{ "squared differences are summed over the cropped planes", test_sums },
		{ "workers and schemes give the same pictures and sums", test_workers },
		{ "squared errors are summed without storing pictures", test_sums_alone },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("recon", tests);
}
