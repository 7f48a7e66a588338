/* Shapes and lenses that are far larger than the picture: bounded work, and the right picture. */
#include "reyes/hide/hide_static.h"
#include "reyes/render/tables.h"
#include "tests/reyes/render_setup.h"

#define HEAD                                                                     \
	"Format 64 48 1\nPixelSamples 2 2\nPixelFilter \"box\" 1 1\n"            \
	"Projection \"perspective\" \"fov\" [60]\nTranslate 0 0 5\nWorldBegin\n" \
	"Surface \"constant\"\n"

/* Coordinates below this have finite squares. */
#define MEASURED_MAX 1e19

static const double radii[] = { 1e5, 1e7, 1e8, 1e9, 1e12, 1e15, 1e20, 1e25, 1e30 };

enum { RADII = sizeof(radii) / sizeof(radii[0]), GRIDS_MAX = 4000, SPLITS_MAX = 8000 };

/* #: the radius. Coverage of the picture, by geometry; -1: other than 0 and 1. */
static const struct huge {
	const char *shape;
	int covers;
} shapes[] = {
	{ "Disk 0 # 360", 1 },
	{ "Rotate 180 1 0 0 Cone 1 # 360", 1 },
	{ "Cone 1 # 360", 1 },
	{ "Paraboloid # 0 1 360", 1 },
	{ "Sphere # -# # 360", 1 },
	{ "Sphere # -1 1 360", 0 },
	{ "Cylinder # -1 1 360", 0 },
	{ "Torus # 1 0 360 360", 0 },
	{ "Hyperboloid # 0 -1 # 1 1 360", 0 },
	{ "Rotate 80 1 0 0 Disk 0 # 360", -1 },
	{ "Rotate 90 1 0 0 Cylinder 1 -# # 360", -1 },
	{ "Patch \"bilinear\" \"P\" [-# -# 0 # -# 0 -# # 0 # # 0]", 1 },
};

static double coverage(const shot *s)
{
	return shot_sum(s, 3) / (s->width * s->height);
}

/* Writes the scene of a shape with a radius for each #. */
static void write_scene(char *text, size_t bytes, const char *shape, double radius)
{
	size_t n = (size_t)snprintf(text, bytes, "%s", HEAD);

	for (; *shape; shape++)
		n += (size_t)(*shape == '#' ? snprintf(text + n, bytes - n, "%g", radius)
					    : snprintf(text + n, bytes - n, "%c", *shape));
	snprintf(text + n, bytes - n, "\nWorldEnd\n");
}

static void a_huge_shape_becomes_few_grids(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (size_t k = 0; k < RADII; k++) {
			const double r = radii[k];
			char text[1000];
			shot s;

			write_scene(text, sizeof(text), shapes[i].shape, r);
			/* pieces at the camera plane are dropped with a warning */
			(void)shot_of(&s, "%s", text);
			CHECK(s.rgba && s.stats.grids <= GRIDS_MAX && s.stats.splits <= SPLITS_MAX,
				"%s, %g: %s: %llu grids, %llu splits", shapes[i].shape, r,
				s.message, (unsigned long long)s.stats.grids,
				(unsigned long long)s.stats.splits);
			if (s.rgba && shapes[i].covers >= 0 && r < MEASURED_MAX)
				CHECK(coverage(&s) == shapes[i].covers, "%s, %g: coverage %g",
					shapes[i].shape, r, coverage(&s));
			shot_free(&s);
		}
}

/* A tube around the y axis, at distance 5 from the camera, has tangents of slope 1 / sqrt(24). */
static void a_tube_of_any_length_keeps_its_silhouette(void)
{
	const double wide = 2 / sqrt(24) / tan(30 * PI / 180) * 24; /* pixels */

	for (size_t k = 0; radii[k] < MEASURED_MAX; k++) {
		double mean;
		shot s;

		(void)shot_of(&s, HEAD "Rotate 90 1 0 0 Cylinder 1 -%g %g 360\nWorldEnd\n",
			radii[k], radii[k]);
		mean = s.rgba ? shot_sum(&s, 3) / 48 : 0;
		/* the rims of grids that are long are grown by up to a pixel */
		CHECK(mean > wide - 0.25 && mean < wide + 3, "length %g: %s: %g pixels, not %g",
			radii[k], s.message, mean, wide);
		shot_free(&s);
	}
}

/* The camera is in a sphere that a large lens blurs: fstop, focal length. */
static void a_lens_larger_than_the_scene_costs_few_points(void)
{
	static const char *const lenses[] = { "1e-2 .2", "1e-6 .2", "1e-30 .2", "1e-38 1e30" };

	for (size_t k = 0; k < sizeof(lenses) / sizeof(lenses[0]); k++) {
		shot s;

		(void)shot_of(&s,
			"Format 16 12 1\nPixelSamples 2 2\nDepthOfField %s 5\n"
			"Projection \"perspective\" \"fov\" [90]\nTranslate .2 .1 .3\n"
			"WorldBegin\nSurface \"constant\"\nSphere 1 -1 1 360\nWorldEnd\n",
			lenses[k]);
		CHECK(s.rgba && s.stats.points < 100000, "lens %s: %s: %llu points", lenses[k],
			s.message, (unsigned long long)s.stats.points);
		for (uint32_t i = 0; s.rgba && i < s.width * s.height; i++)
			CHECK(s.rgba[4 * i + 3] >= 0 && s.rgba[4 * i + 3] <= 1.0001f,
				"lens %s: pixel %u has coverage %g", lenses[k], i,
				(double)s.rgba[4 * i + 3]);
		shot_free(&s);
	}
}

static void positions_beyond_the_raster_are_limited(void)
{
	const int32_t most = (int32_t)REYES_I_RASTER_MAX * REYES_I_SUBPIXEL;

	CU_ASSERT_EQUAL(reyes_i_to_subpixel(INFINITY), most);
	CU_ASSERT_EQUAL(reyes_i_to_subpixel(-INFINITY), -most);
	CU_ASSERT_EQUAL(reyes_i_to_subpixel(NAN), most);
	CU_ASSERT_EQUAL(reyes_i_to_subpixel(3e6f), most);
	CU_ASSERT_EQUAL(reyes_i_to_subpixel(-1.5f), -384);
}

static void pixels_of_a_large_canvas_are_counted(void)
{
	const reyes_i_pixels few = { -1, 2, 5, 7 }, most = { -16, 65535 - 16, 0, 65537 };
	const reyes_i_pixels more = { -16, 65552, -16, 65552 };

	CU_ASSERT_EQUAL(reyes_i_pixel_count(&few), 6);
	CU_ASSERT_EQUAL(reyes_i_pixel_count(&most), UINT32_MAX);
	CU_ASSERT_EQUAL(reyes_i_pixel_count(&more), UINT32_MAX);
}

/* The tables of 64 x 64 samples and a filter of 64 x 64 pixels take a minute. */
static void a_cancelled_frame_makes_no_tables(void)
{
	const atomic_int cancelled = 1;
	reyes_i_camera c;
	reyes_i_tables t;

	memset(&c, 0, sizeof(c));
	c.samples_x = c.samples_y = c.jitter = 64;
	c.filter = REYES_I_FILTER_GAUSSIAN;
	c.filter_width[0] = c.filter_width[1] = 64;
	CU_ASSERT_EQUAL(reyes_i_tables_make(&t, &c, &cancelled), REYES_I_TABLES_CANCELLED);
	CU_ASSERT_PTR_NULL(t.memory);
	c.samples_x = c.samples_y = 2;
	c.filter_width[0] = c.filter_width[1] = 2;
	CU_ASSERT_EQUAL(reyes_i_tables_make(&t, &c, NULL), REYES_I_TABLES_MADE);
	free(t.memory);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a huge shape becomes few grids", a_huge_shape_becomes_few_grids },
		{ "a tube of any length keeps its silhouette",
			a_tube_of_any_length_keeps_its_silhouette },
		{ "a lens larger than the scene costs few points",
			a_lens_larger_than_the_scene_costs_few_points },
		{ "positions beyond the raster are limited",
			positions_beyond_the_raster_are_limited },
		{ "pixels of a large canvas are counted", pixels_of_a_large_canvas_are_counted },
		{ "a cancelled frame makes no tables", a_cancelled_frame_makes_no_tables },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("huge shapes", tests);
}
