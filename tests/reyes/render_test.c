/* Rendered pictures against formulas: areas, motion blur, depth of field, patches. */
#include "libsched/core/backend.h"
#include "reyes/geom/eval_bezier.h"
#include "tests/common/rng.h"
#include "tests/reyes/render_setup.h"

static void a_sphere_covers_the_area_of_its_silhouette(void)
{
	for (int k = 0; k < 3; k++) {
		const double radius = k == 0 ? 0.8 : k == 1 ? 0.313 : 0.05, n = 200;
		const double area = PI * radius * radius * n * n / 4;
		shot s;

		CHECK(!shot_of(&s,
			      SHOT_FORMAT "PixelSamples 4 4\nTranslate 0.013 0.02 3\n"
					  "WorldBegin\nSurface \"constant\"\n"
					  "Sphere %.9g %.9g %.9g 360\nWorldEnd\n",
			      (int)n, (int)n, radius, -radius, radius),
			"%s", s.message);
		/* a silhouette of length 2 pi r crosses as many pixels, each with a sampling error
		 * of less than 1/8 of either sign; the polygon is inside of the circle */
		CHECK(fabs(shot_sum(&s, 3) - area) < 0.002 * area + 3, "radius %g: %g, not %g",
			radius, shot_sum(&s, 3), area);
		shot_free(&s);
	}
}

static void a_sphere_in_perspective_covers_the_cone_of_its_tangents(void)
{
	const double distance = 3, n = 240, tangent = tan(30 * PI / 180);
	/* the cone's half angle has the sine 1 / distance */
	const double radius = n / 2 / tangent / sqrt(distance * distance - 1);
	const double area = PI * radius * radius;
	shot s;

	CHECK(!shot_of(&s,
		      SHOT_FORMAT "PixelSamples 4 4\nProjection \"perspective\" \"fov\" 60\n"
				  "Translate 0 0 %g\nWorldBegin\nSurface \"constant\"\n"
				  "Sphere 1 -1 1 360\nWorldEnd\n",
		      (int)n, (int)n, distance),
		"%s", s.message);
	CHECK(fabs(shot_sum(&s, 3) - area) < 0.002 * area, "%g, not %g", shot_sum(&s, 3), area);
	CHECK(fabs((double)depth_at(&s, 120, 120) - 2) < 1e-3, "nearest depth %g",
		(double)depth_at(&s, 120, 120));
	shot_free(&s);
}

static void a_tube_thinner_than_a_pixel_keeps_its_width(void)
{
	/* four patches around, each one micropolygon wide: an inscribed square, and grown rims */
	static const double k = 0.5522847498, radius = 0.2, length = 80;
	const double angle[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
	char patches[8000] = "";
	size_t used = 0;
	double area;
	shot s;

	for (int q = 0; q < 4; q++)
		for (int j = 0; j < 4; j++) {
			const double *a = angle[q], *b = angle[(q + 1) % 4];

			used += (size_t)snprintf(patches + used, sizeof(patches) - used, "%s",
				j ? "" : "Patch \"bicubic\" \"P\" [");
			for (int i = 0; i < 4; i++) {
				const double x = i < 2 ? a[0] + (i ? k * b[0] : 0)
						       : b[0] + (i == 2 ? k * a[0] : 0);
				const double z = i < 2 ? a[1] + (i ? k * b[1] : 0)
						       : b[1] + (i == 2 ? k * a[1] : 0);

				used += (size_t)snprintf(patches + used, sizeof(patches) - used,
					"%g %g %g ", radius * x, length * j / 3, radius * z);
			}
			used += (size_t)snprintf(
				patches + used, sizeof(patches) - used, "%s", j < 3 ? "" : "]\n");
		}
	CHECK(!shot_of(&s,
		      SHOT_FORMAT "PixelSamples 8 8\nScreenWindow 0 120 0 120\n"
				  "Translate 40 20 5\nRotate 20 0 0 1\nRotate 30 0 1 0\n"
				  "WorldBegin\nSurface \"constant\"\n%sWorldEnd\n",
		      120, 120, patches),
		"%s", s.message);
	area = 2 * radius * length;
	CHECK(shot_sum(&s, 3) > 0.8 * area && shot_sum(&s, 3) < 1.1 * area, "area %g, not %g",
		shot_sum(&s, 3), area);
	shot_free(&s);
}

/* A square of side `a` pixels moves by `d` pixels along x: a column is covered for the part of the
 * time in which the square is over it. */
static double swept(double x, double a, double d)
{
	double sum = 0;

	for (int k = 0; k < 2000; k++) {
		const double t = (k + 0.5) / 2000, left = 20 + d * t, right = left + a;
		const double from = fmax(x, left), to = fmin(x + 1, right);

		sum += fmax(to - from, 0) / 2000;
	}
	return sum;
}

static void a_moving_square_covers_each_column_for_its_time(void)
{
	const double a = 24, d = 50, n = 120;
	shot s;

	CHECK(!shot_of(&s,
		      SHOT_FORMAT
		      "PixelSamples 4 4\nShutter 0 1\nScreenWindow 0 %g 0 %g\nWorldBegin\n"
		      "Surface \"constant\"\nMotionBegin [0 1]\nTranslate 20 20 5\n"
		      "Translate %g 20 5\nMotionEnd\n"
		      "Patch \"bilinear\" \"P\" [0 0 0 %g 0 0 0 %g 0 %g %g 0]\nWorldEnd\n",
		      (int)n, (int)n, n, n, 20 + d, a, a, a, a),
		"%s", s.message);
	for (uint32_t x = 0; x < s.width; x++) {
		const double expected = swept(x, a, d);
		double sum = 0;

		/* raster y runs down: the rows 76 .. 99 are the square's */
		for (uint32_t y = 76; y < 100; y++)
			sum += (double)pixel(&s, x, y)[3];
		CHECK(fabs(sum / a - expected) < 0.02, "column %u: %g, not %g", x, sum / a,
			expected);
	}
	CHECK(fabs(shot_sum(&s, 3) - a * a) < 0.01 * a * a, "area %g, not %g", shot_sum(&s, 3),
		a * a);
	shot_free(&s);
}

static void a_point_out_of_focus_is_a_uniform_circle_of_confusion(void)
{
	/* fstop 0.5, focal length 0.25: a lens of radius 1/4; scale of raster: 100 pixels at
	 * distance 1. The point at distance 4 with the focus at 2: radius 25 (1/2 - 1/4). */
	const double radius = 100 * 0.25 * (1.0 / 2 - 1.0 / 4), n = 101, point = 0.08;
	const double spot = point * 100 / 4, area = PI * spot * spot;
	double sum = 0, square = 0, far = 0, cx, cy;
	shot s;

	CHECK(!shot_of(&s,
		      SHOT_FORMAT
		      "PixelSamples 12 12\nDepthOfField 0.5 0.25 2\nShadingRate 0.25\n"
		      "GeometricApproximation \"focusfactor\" 0\n"
		      "ScreenWindow -.505 .505 -.505 .505\nProjection \"perspective\" \"fov\" 90\n"
		      "Translate 0 0 4\nWorldBegin\nSurface \"constant\"\nDisk 0 %g "
		      "360\nWorldEnd\n",
		      (int)n, (int)n, point),
		"%s", s.message);
	cx = cy = n / 2;
	for (uint32_t y = 0; y < s.height; y++)
		for (uint32_t x = 0; x < s.width; x++) {
			const double a = (double)pixel(&s, x, y)[3];
			const double r = hypot(x + 0.5 - cx, y + 0.5 - cy);

			sum += a;
			square += a * r * r;
			if (r > radius + spot + 1)
				far += a;
		}
	CHECK(fabs(sum - area) < 0.03 * area, "area %g, not %g", sum, area);
	CHECK(far == 0, "%g is outside of the circle of radius %g", far, radius);
	/* a uniform disk's mean square distance is half the square of its radius; the disk itself
	 * and the pixels, of 1/6, add theirs */
	CHECK(fabs(sqrt(2 * square / sum - spot * spot - 1.0 / 3) - radius) < 0.02 * radius,
		"radius %g, not %g", sqrt(2 * square / sum - spot * spot - 1.0 / 3), radius);
	shot_free(&s);
	CHECK(!shot_of(&s,
		      SHOT_FORMAT
		      "PixelSamples 4 4\nDepthOfField 0.5 0.25 2\n"
		      "Projection \"perspective\" \"fov\" 90\n"
		      "Translate 0 0 2\nWorldBegin\nSurface \"constant\"\nDisk 0 1 360\nWorldEnd\n",
		      (int)n, (int)n),
		"%s", s.message);
	for (uint32_t y = 0; y < s.height; y++)
		for (uint32_t x = 0; x < s.width; x++) {
			const double r = hypot(x + 0.5 - cx, y + 0.5 - cy) - n / 4;
			const double a = (double)pixel(&s, x, y)[3];

			CHECK(fabs(r) < 1 || fabs(a - (r < 0)) < 1e-6,
				"in focus: %g at %g pixels from the rim", a, r);
		}
	shot_free(&s);
}

/* de Casteljau's algorithm. */
static double casteljau(const double *p, size_t step, double t)
{
	double q[4];

	for (size_t k = 0; k < 4; k++)
		q[k] = p[k * step];
	for (size_t n = 3; n > 0; n--)
		for (size_t k = 0; k < n; k++)
			q[k] = q[k] * (1 - t) + q[k + 1] * t;
	return q[0];
}

static void a_bicubic_patch_is_the_one_of_de_casteljau(void)
{
	rng_state = 1;
	for (int k = 0; k < 2000; k++) {
		float g[48];
		double p[48], row[12];
		const float u = k % 7 == 0 ? 0 : (float)(rng() & 0xffff) / 65535;
		const float v = k % 11 == 0 ? 1 : (float)(rng() & 0xffff) / 65535;
		reyes_i_surf s;

		for (int n = 0; n < 48; n++)
			p[n] = (double)(g[n] = (float)(rng() & 0xffffff) / 8388608 - 1);
		reyes_i_eval_bicubic(g, u, v, &s);
		for (size_t c = 0; c < 3; c++) {
			const float got = c == 0 ? s.p.x : c == 1 ? s.p.y : s.p.z;

			for (size_t j = 0; j < 4; j++)
				row[3 * j + c] = casteljau(p + 12 * j + c, 3, (double)u);
			CHECK(fabs((double)got - casteljau(row + c, 3, (double)v)) < 1e-6,
				"case %d, coordinate %zu", k, c);
		}
	}
}

/* A square of 51.2 x 51.2 pixels that moves by 40 pixels: the shading rate is multiplied by 40/16
 * times "motionfactor", if that is more than 1. */
static void a_motion_factor_enlarges_the_micropolygons_that_move(void)
{
	static const struct {
		const char *request;
		double rate;
	} cases[] = { { "", 1 }, { "GeometricApproximation \"motionfactor\" 0", 1 },
		{ "GeometricApproximation \"motionfactor\" 0.3", 1 },
		{ "GeometricApproximation \"motionfactor\" 1.6", 4 },
		{ "GeometricApproximation \"motionfactor\" 6.4", 16 } };

	const double area = 51.2 * 51.2;

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		double count;
		shot s;

		/* three keys on one line; the middle of the way is at 0.7 of the time */
		CHECK(!shot_of(&s,
			      SHOT_FORMAT
			      "PixelSamples 4 4\nShutter 0 1\nTranslate 0 0 3\nWorldBegin\n"
			      "Surface \"constant\"\n%s\nMotionBegin [0 .7 1]\nTranslate 0 0 0\n"
			      "Translate .15 .2 0\nTranslate .3 .4 0\nMotionEnd\n"
			      "Polygon \"P\" [-.8 -.8 0 -.16 -.8 0 -.16 -.16 0 -.8 -.16 0]\n"
			      "WorldEnd\n",
			      200, 160, cases[k].request),
			"%s", s.message);
		count = (double)s.stats.micropolygons;
		CHECK(fabs(count - area / cases[k].rate) < 0.1 * count,
			"%s: %g micropolygons, not %g", cases[k].request, count,
			area / cases[k].rate);
		CHECK(fabs(shot_sum(&s, 3) - area) < 0.01 * area, "%s: area %g", cases[k].request,
			shot_sum(&s, 3));
		shot_free(&s);
	}
}

/* 15.2 x 15.2 pixels are a grid of 16 x 16 micropolygons. */
static void a_point_counts_once_in_the_statistics(void)
{
	static const char *const requests[] = { "", "Opacity .5 .5 .5",
		"MotionBegin [0 1]\nTranslate 0 0 0\nTranslate .1 0 0\nMotionEnd" };
	static const char *const variables[] = { "", "\"Os\" [0 0 0 .5 .5 .5 1 1 1 .5 .5 .5]" };

	for (int k = 0; k < 6; k++) {
		shot s;

		CHECK(!shot_of(&s,
			      SHOT_FORMAT
			      "PixelSamples 2 2\nShutter 0 1\nTranslate 0 0 3\nWorldBegin\n"
			      "Surface \"constant\"\n%s\n"
			      "Polygon \"P\" [-.8 -.8 0 -.61 -.8 0 -.61 -.61 0 -.8 -.61 0] %s\n"
			      "WorldEnd\n",
			      200, 160, requests[k % 3], variables[k / 3]),
			"%s", s.message);
		CHECK(s.stats.micropolygons == 256 && s.stats.points == 289,
			"%s %s: %llu micropolygons, %llu points", requests[k % 3], variables[k / 3],
			(unsigned long long)s.stats.micropolygons,
			(unsigned long long)s.stats.points);
		shot_free(&s);
	}
}

/* Calls of lsched_progress() in the tasks of a run. */
static uint32_t progress_of(const lsched_run *run)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < run->args.workers; k++)
		sum += run->args.marks[k * run->args.mark_words + 2];
	return sum;
}

/* The watchdog fails no frame for slowness: a micropolygon that covers the picture reports progress
 * at least once for each row of pixels, as do the stages that resolve and filter. */
static void tasks_that_take_long_report_progress(void)
{
	static const char scene[] =
		SHOT_FORMAT "PixelSamples 8 8\nShutter 0 1\nProjection \"perspective\"\n%s\n"
			    "ShadingRate 1e6\nWorldBegin\nSurface \"constant\"\n%s\n"
			    "Patch \"bilinear\" \"P\" [-8 -8 4 8 -8 4 -8 8 4 8 8 4]\nWorldEnd\n";
	static const char *const requests[][2] = { { "", "" }, { "", "Opacity .5 .5 .5" },
		{ "", "MotionBegin [0 1]\nTranslate 0 0 0\nTranslate .1 0 0\nMotionEnd" },
		{ "DepthOfField 8 1 2", "" } };
	enum { SIDE = 96, STAGES = 3 };

	for (size_t k = 0; k < sizeof(requests) / sizeof(requests[0]); k++) {
		lsched_run *run[REYES_TRACE_RUNS];
		reyes_renderer *r = NULL;
		reyes_options o;
		reyes_image image;
		char text[1000];
		size_t runs;

		snprintf(text, sizeof(text), scene, SIDE, SIDE, requests[k][0], requests[k][1]);
		reyes_options_init(&o);
		reyes_image_init(&image);
		o.backend = REYES_BACKEND_CPU;
		o.trace_events = 1;
		CU_ASSERT_FATAL(reyes_open(&r, &o, NULL, 0) == REYES_OK &&
				reyes_rib_open_memory(r, "test", text, strlen(text)) == REYES_OK &&
				reyes_rib_next_frame(r) == REYES_OK &&
				reyes_render(r, &image) == REYES_OK);
		runs = reyes_trace_runs(r, run, REYES_TRACE_RUNS);
		/* those before hide, resolve and filter have short tasks */
		CU_ASSERT_FATAL(runs >= STAGES);
		for (size_t s = runs - STAGES; s < runs; s++)
			CHECK(progress_of(run[s]) >= SIDE, "%s%s: %s: %u", requests[k][0],
				requests[k][1], run[s]->program->name, progress_of(run[s]));
		reyes_close(&r);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a sphere covers the area of its silhouette",
			a_sphere_covers_the_area_of_its_silhouette },
		{ "a sphere in perspective covers the cone of its tangents",
			a_sphere_in_perspective_covers_the_cone_of_its_tangents },
		{ "a tube thinner than a pixel keeps its width",
			a_tube_thinner_than_a_pixel_keeps_its_width },
		{ "a moving square covers each column for its time",
			a_moving_square_covers_each_column_for_its_time },
		{ "a point out of focus is a uniform circle of confusion",
			a_point_out_of_focus_is_a_uniform_circle_of_confusion },
		{ "a bicubic patch is the one of de Casteljau",
			a_bicubic_patch_is_the_one_of_de_casteljau },
		{ "a motion factor enlarges the micropolygons that move",
			a_motion_factor_enlarges_the_micropolygons_that_move },
		{ "a point counts once in the statistics", a_point_counts_once_in_the_statistics },
		{ "tasks that take long report progress", tasks_that_take_long_report_progress },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("pictures", tests);
}
