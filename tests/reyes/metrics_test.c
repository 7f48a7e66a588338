/* bench/picture_compare: PSNR, SSIM and resampling against plain formulas. */
#include "bench/picture_metrics.h"
#include "tests/reyes/pictures.h"

#include <math.h>

static char message[600];

static metric_picture make(uint32_t width, uint32_t height, uint64_t seed)
{
	metric_picture p = { width, height, malloc((size_t)width * height * 3 * sizeof(float)) };

	rng_state = seed;
	for (size_t i = 0; i < (size_t)width * height * 3; i++)
		p.rgb[i] = (float)rng_below(256) / 255;
	return p;
}

/* Blends noise into a copy. */
static metric_picture disturb(const metric_picture *a, float part)
{
	metric_picture b = make(a->width, a->height, 99);

	for (size_t i = 0; i < (size_t)a->width * a->height * 3; i++)
		b.rgb[i] = (1 - part) * a->rgb[i] + part * b.rgb[i];
	return b;
}

static double luma(const metric_picture *p, uint32_t x, uint32_t y)
{
	const float *at = p->rgb + ((size_t)y * p->width + x) * 3;

	return 0.299 * (double)at[0] + 0.587 * (double)at[1] + 0.114 * (double)at[2];
}

/* SSIM of one window from its definition: weighted means, then weighted central moments. */
static double window_ssim(const metric_picture *a, const metric_picture *b, uint32_t x0,
	uint32_t y0, uint32_t nx, uint32_t ny)
{
	double total = 0, ma = 0, mb = 0, va = 0, vb = 0, cov = 0;

	for (int pass = 0; pass < 3; pass++)
		for (uint32_t j = 0; j < ny; j++)
			for (uint32_t i = 0; i < nx; i++) {
				const double dx = i - (nx - 1) / 2.0, dy = j - (ny - 1) / 2.0;
				const double w = exp(-(dx * dx + dy * dy) / 4.5);
				const double u = luma(a, x0 + i, y0 + j);
				const double v = luma(b, x0 + i, y0 + j);

				if (pass == 0) {
					total += w;
				} else if (pass == 1) {
					ma += w / total * u;
					mb += w / total * v;
				} else {
					va += w / total * (u - ma) * (u - ma);
					vb += w / total * (v - mb) * (v - mb);
					cov += w / total * (u - ma) * (v - mb);
				}
			}
	return (2 * ma * mb + 1e-4) * (2 * cov + 9e-4) /
	       ((ma * ma + mb * mb + 1e-4) * (va + vb + 9e-4));
}

static void ssim_is_the_mean_of_the_windows(void)
{
	static const uint32_t sizes[][2] = { { 11, 11 }, { 31, 24 }, { 5, 40 }, { 12, 3 },
		{ 1, 1 } };

	for (size_t k = 0; k < 5; k++)
		for (int part = 0; part <= 4; part++) {
			metric_picture a = make(sizes[k][0], sizes[k][1], k + 1);
			metric_picture b = disturb(&a, (float)part / 4);
			const uint32_t nx = a.width < 11 ? a.width : 11;
			const uint32_t ny = a.height < 11 ? a.height : 11;
			double sum = 0;
			unsigned count = 0;

			for (uint32_t y = 0; y + ny <= a.height; y++)
				for (uint32_t x = 0; x + nx <= a.width; x++, count++)
					sum += window_ssim(&a, &b, x, y, nx, ny);
			CHECK(fabs(metric_ssim(&a, &b) - sum / count) < 1e-9,
				"%u x %u, part %d: %.9f instead of %.9f", a.width, a.height, part,
				metric_ssim(&a, &b), sum / count);
			CU_ASSERT_EQUAL(part == 0, fabs(metric_ssim(&a, &b) - 1) < 1e-9);
			metric_free(&a);
			metric_free(&b);
		}
}

static void psnr_and_differing_pixels_follow_their_formulas(void)
{
	metric_picture a = make(40, 30, 3), b = make(40, 30, 3);
	double squares = 0;

	CU_ASSERT_TRUE(isinf(metric_psnr_db(metric_mse(&a, &b))));
	CU_ASSERT_EQUAL(metric_differing(&a, &b, 0), 0);
	/* 12 pixels of 1200 differ by 0.2 in one channel, which is 12 of 3600 values. */
	for (int i = 0; i < 12; i++) {
		float *at = &b.rgb[300 * i + 1];

		*at = *at > 0.5f ? *at - 0.2f : *at + 0.2f;
		squares += 0.04;
	}
	CU_ASSERT_DOUBLE_EQUAL(
		metric_psnr_db(metric_mse(&a, &b)), -10 * log10(squares / 3600), 1e-4);
	CU_ASSERT_DOUBLE_EQUAL(metric_differing(&a, &b, 0.1), 0.01, 1e-12);
	CU_ASSERT_EQUAL(metric_differing(&a, &b, 0.3), 0);
	metric_free(&a);
	metric_free(&b);
}

/* The value of the new pixel is the integral over its area, here by fine cells. */
static void resampling_takes_the_mean_of_areas(void)
{
	static const uint32_t sizes[][4] = { { 7, 5, 3, 2 }, { 8, 6, 4, 3 }, { 3, 4, 7, 9 },
		{ 5, 5, 1, 1 } };

	for (size_t k = 0; k < 4; k++) {
		const uint32_t w = sizes[k][0], h = sizes[k][1], tw = sizes[k][2], th = sizes[k][3];
		metric_picture a = make(w, h, k + 1), b = make(w, h, k + 1);

		CU_ASSERT_EQUAL_FATAL(metric_resize(&b, tw, th), 0);
		CU_ASSERT_EQUAL(b.width, tw);
		CU_ASSERT_EQUAL(b.height, th);
		for (uint32_t y = 0; y < th; y++)
			for (uint32_t x = 0; x < tw; x++) {
				double sum = 0;

				for (uint32_t j = y * h; j < (y + 1) * h; j++)
					for (uint32_t i = x * w; i < (x + 1) * w; i++)
						sum += (double)a.rgb[(j / th * w + i / tw) * 3 + 1];
				sum = sum / w / h - (double)b.rgb[(y * tw + x) * 3 + 1];
				CHECK(fabs(sum) < 1e-6, "size %zu, (%u, %u)", k, x, y);
			}
		metric_free(&a);
		metric_free(&b);
	}
}

/* Half transparent red over grey 0.5: (0.5 + 0.25, 0.25, 0.25). */
static void pictures_are_composited_over_the_background(void)
{
	const reyes_i_write_options o = { .type = REYES_I_SAMPLE_FLOAT };
	reyes_i_note note = { "" };
	metric_picture m;
	reyes_i_picture p;

	if (!reyes_i_format_exists(REYES_I_FORMAT_EXR))
		return;
	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, 1, 1, "R G B A", &note), REYES_OK);
	p.data[0] = 0.5f;
	p.data[3] = 0.5f;
	p.x_px = 1;
	p.full_width_px = 2;
	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_write(&p, in_folder("m.exr"), REYES_I_FORMAT_EXR, &o,
				      message, sizeof(message)),
		REYES_OK);
	reyes_i_picture_free(&p);
	CU_ASSERT_EQUAL_FATAL(
		metric_load(&m, in_folder("m.exr"), 0.5, message, sizeof(message)), 0);
	CU_ASSERT_EQUAL_FATAL(m.width, 2);
	CU_ASSERT_EQUAL(m.rgb[0], 0.5f);
	CU_ASSERT_EQUAL(m.rgb[3], 0.75f);
	CU_ASSERT_EQUAL(m.rgb[4], 0.25f);
	metric_free(&m);
	CU_ASSERT_EQUAL(metric_load(&m, in_folder("no"), 0, message, sizeof(message)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "no: No such file"));
}

static CU_TestInfo tests[] = {
	{ "SSIM is the mean over the windows of the definition", ssim_is_the_mean_of_the_windows },
	{ "PSNR and the share of differing pixels follow their formulas",
		psnr_and_differing_pixels_follow_their_formulas },
	{ "resampling takes the mean of areas", resampling_takes_the_mean_of_areas },
	{ "pictures are composited over the background",
		pictures_are_composited_over_the_background },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "measures of pictures", open_folder, close_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
