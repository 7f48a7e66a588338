/* What is visible: solids, sides of surfaces, matte objects, depth filters, level of detail. */
#include "tests/reyes/render_setup.h"

#define SMALL "Format 64 64 1\nPixelFilter \"box\" 1 1\nPixelSamples 3 3\n"
#define BALL  "Sphere 1 -1 1 360\n"

/* Two spheres of radius 0.6 around x = -0.3 and 0.3, at z = 3, as the children of a solid. */
static int two_balls(shot *s, const char *operation, const char *options, const char *attributes)
{
	return shot_of(s,
		"%s" SMALL
		"Translate 0 0 3\nWorldBegin\nSurface \"constant\"\n%s\nSolidBegin \"%s\"\n"
		"SolidBegin \"primitive\"\nTranslate -.3 0 0\nColor 1 0 0\n"
		"Sphere .6 -.6 .6 360\nSolidEnd\n"
		"SolidBegin \"primitive\"\nTranslate .3 0 0\nColor 0 1 0\n"
		"Sphere .6 -.6 .6 360\nSolidEnd\n"
		"SolidEnd\nWorldEnd\n",
		options, attributes, operation);
}

/* Whether the pixel is inside both spheres, one or none; -1: at a silhouette. */
static int balls_at(uint32_t x, uint32_t y, int *left)
{
	const double px = (x + 0.5) / 32 - 1, py = 1 - (y + 0.5) / 32;
	const double l = hypot(px + 0.3, py) - 0.6, r = hypot(px - 0.3, py) - 0.6;

	if (fabs(l) < 0.07 || fabs(r) < 0.07)
		return -1;
	*left = l < 0;
	return (l < 0) + (r < 0);
}

static void an_intersection_is_visible_where_both_are(void)
{
	shot s;
	int left;

	CHECK(!two_balls(&s, "intersection", "", ""), "%s", s.message);
	for (uint32_t y = 0; y < 64; y++)
		for (uint32_t x = 0; x < 64; x++) {
			const int n = balls_at(x, y, &left);

			if (n >= 0)
				CHECK(pixel(&s, x, y)[3] == (n == 2 ? 1.0f : 0.0f),
					"pixel %u %u: alpha %g in %d spheres", x, y,
					(double)pixel(&s, x, y)[3], n);
		}
	/* on the axis of the left half the right sphere's surface is the farther one */
	CHECK(pixel(&s, 24, 32)[1] == 1, "the surface of the smaller part is visible");
	shot_free(&s);
}

static void a_difference_has_the_minuend_without_the_subtrahend(void)
{
	shot s;
	int left;

	CHECK(!two_balls(&s, "difference", "", ""), "%s", s.message);
	for (uint32_t y = 0; y < 64; y++)
		for (uint32_t x = 0; x < 64; x++) {
			const int n = balls_at(x, y, &left);

			if (n >= 0 && (n == 0 || !left))
				CHECK(pixel(&s, x, y)[3] == 0, "pixel %u %u outside", x, y);
			if (n == 1 && left)
				CHECK(pixel(&s, x, y)[0] == 1 && pixel(&s, x, y)[1] == 0,
					"pixel %u %u: the minuend", x, y);
		}
	/* at x = -0.1 the minuend's chord along z is 2 sqrt(0.32), the subtrahend's 2 sqrt(0.2):
	 * the minuend's front remains */
	CHECK(fabs((double)depth_at(&s, 28, 32) - (3 - sqrt(0.36 - pow(28.5 / 32 - 1 + 0.3, 2)))) <
			5e-3,
		"depth %g", (double)depth_at(&s, 28, 32));
	/* at x = 0.1 the subtrahend removes all of the minuend */
	CHECK(pixel(&s, 40, 32)[3] == 0, "removed by the subtrahend");
	shot_free(&s);
}

static void a_union_has_no_surfaces_inside(void)
{
	shot s;
	int left;

	CHECK(!two_balls(&s, "union", "", "Opacity .5 .5 .5"), "%s", s.message);
	for (uint32_t y = 0; y < 64; y++)
		for (uint32_t x = 0; x < 64; x++) {
			const int n = balls_at(x, y, &left);

			/* in front and behind: two surfaces, also where there are two spheres */
			if (n >= 0)
				CHECK(fabs((double)pixel(&s, x, y)[3] - (n ? 0.75 : 0)) < 1e-6,
					"pixel %u %u: alpha %g", x, y, (double)pixel(&s, x, y)[3]);
		}
	shot_free(&s);
}

static void a_solid_may_contain_the_camera(void)
{
	shot s;

	/* the camera is inside of the minuend and of the subtrahend */
	CHECK(!shot_of(&s, SMALL
		      "Projection \"perspective\" \"fov\" 60\nWorldBegin\nSurface \"constant\"\n"
		      "SolidBegin \"difference\"\nSolidBegin \"primitive\"\nColor 1 0 0\n"
		      "Sphere 4 -4 4 360\nSolidEnd\nSolidBegin \"primitive\"\nColor 0 1 0\n"
		      "Sphere 2 -2 2 360\nSolidEnd\nSolidEnd\nWorldEnd\n"),
		"%s", s.message);
	for (uint32_t k = 0; k < 64 * 64; k++)
		CHECK(s.rgba[4 * k + 1] == 1 && s.z[k] < 2.01f, "pixel %u: the inner wall", k);
	shot_free(&s);
}

static void nested_solids_combine(void)
{
	shot s;

	/* (A - B) - (C - D): what D keeps of C is not removed */
	CHECK(!shot_of(&s, SMALL
		      "Translate 0 0 3\nWorldBegin\nSurface \"constant\"\nSolidBegin "
		      "\"difference\"\n"
		      "SolidBegin \"primitive\"\nSphere .9 -.9 .9 360\nSolidEnd\n"
		      "SolidBegin \"difference\"\n"
		      "SolidBegin \"primitive\"\nScale 1 1 9\nSphere .6 -.6 .6 360\nSolidEnd\n"
		      "SolidBegin \"primitive\"\nScale 1 1 50\nSphere .3 -.3 .3 360\nSolidEnd\n"
		      "SolidEnd\nSolidBegin \"union\"\nSolidEnd\nSolidEnd\nWorldEnd\n"),
		"%s", s.message);
	CHECK(pixel(&s, 32, 32)[3] == 1, "the core");
	CHECK(pixel(&s, 32 + 14, 32)[3] == 0, "the hole at radius 0.45");
	CHECK(pixel(&s, 32 + 24, 32)[3] == 1, "the ring at radius 0.77");
	CHECK(pixel(&s, 63, 32)[3] == 0, "outside");
	shot_free(&s);
}

static void a_surface_of_one_side_is_visible_from_its_front_only(void)
{
	static const struct {
		const char *text;
		double depth;
	} list[] = { { "Sides 2\n", 2 }, { "Sides 1\n", 2 }, { "Sides 1\nReverseOrientation\n", 4 },
		{ "Sides 1\nScale -1 1 1\n", 2 },
		{ "Sides 1\nReverseOrientation\nScale -1 1 1\n", 4 },
		{ "Sides 1\nOpacity .999 .999 .999\nReverseOrientation\n", 4 } };

	for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++)
		for (int perspective = 0; perspective < 2; perspective++) {
			shot s;

			CHECK(!shot_of(&s,
				      SMALL
				      "Option \"limits\" \"zthreshold\" [.5 .5 .5]\n%s"
				      "Translate 0 0 3\nWorldBegin\nSurface \"constant\"\n%s" BALL
				      "WorldEnd\n",
				      perspective ? "Projection \"perspective\" \"fov\" 40\n" : "",
				      list[k].text),
				"%s", s.message);
			CHECK(fabs((double)depth_at(&s, 32, 32) - list[k].depth) < 5e-3,
				"%s: depth %g, not %g", list[k].text, (double)depth_at(&s, 32, 32),
				list[k].depth);
			shot_free(&s);
		}
}

static void a_matte_object_leaves_a_hole(void)
{
	shot s;

	CHECK(!shot_of(&s, SMALL
		      "WorldBegin\nSurface \"constant\"\nAttributeBegin\nTranslate 0 0 5\n" BALL
		      "AttributeEnd\nMatte 1\nTranslate 0 0 2\nSphere .5 -.5 .5 360\nWorldEnd\n"),
		"%s", s.message);
	CHECK(pixel(&s, 32, 32)[0] == 0 && pixel(&s, 32, 32)[3] == 0, "the hole");
	CHECK(pixel(&s, 32, 10)[0] == 1 && pixel(&s, 32, 10)[3] == 1, "beside it");
	shot_free(&s);
	CHECK(!shot_of(&s, SMALL
		      "WorldBegin\nSurface \"constant\"\nAttributeBegin\nTranslate 0 0 5\n" BALL
		      "AttributeEnd\nMatte 1\nOpacity .25 .25 .25\nTranslate 0 0 2\n"
		      "Disk 0 .5 360\nWorldEnd\n"),
		"%s", s.message);
	CHECK(fabs((double)pixel(&s, 32, 32)[0] - 0.75) < 1e-6, "a transparent hole: %g",
		(double)pixel(&s, 32, 32)[0]);
	shot_free(&s);
}

static void depth_filters_combine_the_depths_of_a_pixel(void)
{
	static const struct {
		const char *name;
		double inside, half;
	} list[] = { { "min", 2, 2 }, { "max", 2, 4 }, { "average", 2, 3 }, { "midpoint", 3, 3 } };

	for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
		shot s;

		/* a square at depth 2 whose rim is in the middle of column 40, one at depth 4 that
		 * covers the picture, one at 9 */
		CHECK(!shot_of(&s,
			      SMALL "ScreenWindow 0 64 0 64\nPixelSamples 4 4\n"
				    "Hider \"hidden\" \"string depthfilter\" \"%s\"\n"
				    "WorldBegin\nSurface \"constant\"\n"
				    "Patch \"bilinear\" \"P\" [0 0 2 40.5 0 2 0 64 2 40.5 64 2]\n"
				    "Patch \"bilinear\" \"P\" [0 0 4 64 0 4 0 64 4 64 64 4]\n"
				    "Patch \"bilinear\" \"P\" [0 0 9 64 0 9 0 64 9 64 64 9]\n"
				    "WorldEnd\n",
			      list[k].name),
			"%s", s.message);
		CHECK(fabs((double)depth_at(&s, 20, 32) - list[k].inside) < 1e-4, "%s: %g",
			list[k].name, (double)depth_at(&s, 20, 32));
		CHECK(fabs((double)depth_at(&s, 40, 32) - list[k].half) < 1e-4, "%s: rim %g",
			list[k].name, (double)depth_at(&s, 40, 32));
		shot_free(&s);
	}
	{
		shot s;

		CHECK(!shot_of(&s,
			      SMALL "Hider \"hidden\" \"string depthfilter\" "
				    "\"midpoint\"\nTranslate 0 0 3\n"
				    "WorldBegin\nSurface \"constant\"\nDisk 0 .5 360\nWorldEnd\n"),
			"%s", s.message);
		CHECK(isinf(depth_at(&s, 32, 32)), "one surface: %g", (double)depth_at(&s, 32, 32));
		shot_free(&s);
	}
}

static void detail_chooses_a_representation_by_its_size(void)
{
	static const double sizes[] = { 1, 0.5, 0.1 };
	static const int visible[] = { 2, 1, 0 };

	for (int k = 0; k < 3; k++) {
		shot s;

		/* the box covers (64 size)^2 pixels: 4096, 1024, 41 */
		CHECK(!shot_of(&s,
			      SMALL "Translate 0 0 3\nWorldBegin\nSurface \"constant\"\n"
				    "Scale %g %g %g\nDetail [-1 1 -1 1 -1 1]\n"
				    "DetailRange 0 0 300 500\nColor 1 0 0\n" BALL
				    "DetailRange 300 500 2000 3000\nColor 0 1 0\n" BALL
				    "DetailRange 2000 3000 1e38 1e38\nColor 0 0 1\n" BALL
				    "WorldEnd\n",
			      sizes[k], sizes[k], sizes[k]),
			"%s", s.message);
		for (int c = 0; c < 3; c++)
			CHECK(pixel(&s, 32, 32)[c] == (c == visible[k] ? 1.0f : 0.0f),
				"size %g, channel %d: %g", sizes[k], c,
				(double)pixel(&s, 32, 32)[c]);
		shot_free(&s);
	}
}

/* A transition covers the square of 64 x 64 pixels: the part of the fine representation in it, and
 * what else the attributes have. */
typedef struct transition {
	const char *name;
	double part;
	const char *options, *attributes;
} transition;

/* RISpec 3.2, "RiDetailRange": the representations are mixed in proportion. The square's detail is
 * 4096; it is red in the coarse representation, green in the fine one, both in front of blue. */
static void check_transition(const transition *t)
{
	const double low = 4096 - 1000 * t->part, high = low + 1000;
	double sum[4];
	shot s;

	CHECK(!shot_of(&s,
		      SHOT_FORMAT "PixelSamples 4 4\nShutter 0 1\n%s\nTranslate 0 0 3\nWorldBegin\n"
				  "Surface \"constant\"\nColor 0 0 1\n"
				  "Polygon \"P\" [-9 -9 5 9 -9 5 9 9 5 -9 9 5]\n"
				  "Detail [-1 1 -1 1 0 0]\n%s\n"
				  "DetailRange 0 0 %.9g %.9g\nColor 1 0 0\n"
				  "Polygon \"P\" [-9 -9 0 9 -9 0 9 9 0 -9 9 0]\n"
				  "DetailRange %.9g %.9g 1e38 1e38\nColor 0 1 0\n"
				  "Polygon \"P\" [-9 -9 1 9 -9 1 9 9 1 -9 9 1]\nWorldEnd\n",
		      64, 64, t->options, t->attributes, low, high, low, high),
		"%s: %s", t->name, s.message);
	for (int c = 0; c < 4; c++)
		sum[c] = shot_sum(&s, c) / 4096;
	CHECK(fabs(sum[0] - (1 - t->part)) < 0.004 && fabs(sum[1] - t->part) < 0.004,
		"%s: red %g, green %g, should be %g, %g", t->name, sum[0], sum[1], 1 - t->part,
		t->part);
	CHECK(sum[2] < 1e-6 && sum[3] == 1, "%s: blue %g, alpha %g", t->name, sum[2], sum[3]);
	if (t->part * 16 == floor(t->part * 16))
		for (uint32_t k = 0; k < 64; k++)
			CHECK(fabs((double)pixel(&s, k, k)[1] - t->part) < 1e-5,
				"%s: %g of the samples of pixel %u", t->name,
				(double)pixel(&s, k, k)[1], k);
	shot_free(&s);
}

static void a_transition_mixes_representations_in_proportion(void)
{
	static const transition transitions[] = {
		{ "a quarter", 0.25, "", "" },
		{ "three quarters", 0.75, "", "" },
		{ "0.3", 0.3, "", "" },
		{ "0.02", 0.02, "", "" },
		{ "centres of strata", 0.5, "Hider \"hidden\" \"jitter\" [0]", "" },
		{ "depth of field", 0.5,
			"Projection \"perspective\" \"fov\" 90\nDepthOfField 2 .5 2",
			"Detail [-3 3 -3 3 0 0]" },
		{ "motion", 0.625,
			"MotionBegin [0 1]\nTranslate 0 0 0\nTranslate .3 .2 .1\nMotionEnd", "" },
		{ "level of detail times 2", 0.5, "RelativeDetail 2", "Detail [-.5 .5 -1 1 0 0]" },
	};

	for (size_t k = 0; k < sizeof(transitions) / sizeof(transitions[0]); k++)
		check_transition(&transitions[k]);
}

/* Opacity 1/2 of one representation, none of the other: over blue. */
static void a_transparent_surface_may_be_in_a_transition(void)
{
	shot s;

	CHECK(!shot_of(&s,
		      SHOT_FORMAT "PixelSamples 4 4\nTranslate 0 0 3\nWorldBegin\n"
				  "Surface \"constant\"\nColor 0 0 1\n"
				  "Polygon \"P\" [-9 -9 5 9 -9 5 9 9 5 -9 9 5]\n"
				  "Detail [-1 1 -1 1 0 0]\nDetailRange 3596 4596 1e38 1e38\n"
				  "Color 1 0 0\nOpacity .5 .5 .5\n"
				  "Polygon \"P\" [-9 -9 0 9 -9 0 9 9 0 -9 9 0]\nWorldEnd\n",
		      64, 64),
		"%s", s.message);
	CHECK(fabs(shot_sum(&s, 0) / 4096 - 0.25) < 1e-3, "red %g", shot_sum(&s, 0) / 4096);
	CHECK(fabs(shot_sum(&s, 2) / 4096 - 0.75) < 1e-3, "blue %g", shot_sum(&s, 2) / 4096);
	shot_free(&s);
}

/* The light comes from the right: the left half is dark. Micropolygons at the limb have corners on
 * the far side, where the shaders would turn the normal to the light. */
static void a_dark_limb_has_no_light(void)
{
	static const char *const kinds[] = { "constant", "smooth" };
	static const double rates[] = { 0.5, 1, 4, 9 };
	const int size = 120;
	shot s;

	for (int k = 0; k < 2; k++)
		for (int r = 0; r < 4; r++) {
			float most = 0;

			CHECK(!shot_of(&s,
				      SHOT_FORMAT
				      "Projection \"orthographic\"\n"
				      "ScreenWindow -1.2 1.2 -1.2 1.2\nPixelSamples 4 4\n"
				      "ShadingRate %g\nTranslate 0 0 5\nWorldBegin\n"
				      "LightSource \"distantlight\" 1 \"intensity\" 3 "
				      "\"from\" [1 0 0] \"to\" [0 0 0]\nSurface \"matte\"\n"
				      "ShadingInterpolation \"%s\"\nRotate 33 1 .4 .2\n"
				      "Sphere 1 -1 1 360\nWorldEnd\n",
				      size, size, rates[r], kinds[k]),
				"%s", s.message);
			for (uint32_t y = 0; y < s.height; y++)
				for (uint32_t x = 0; x < s.width / 2 - 10; x++)
					most = fmaxf(most, pixel(&s, x, y)[0]);
			CHECK(most < 0.05f, "%g at the limb, %s, shading rate %g", (double)most,
				kinds[k], rates[r]);
			CHECK(pixel(&s, 100, 60)[0] > 1, "the other limb has light");
			shot_free(&s);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "an intersection is visible where both are",
			an_intersection_is_visible_where_both_are },
		{ "a difference has the minuend without the subtrahend",
			a_difference_has_the_minuend_without_the_subtrahend },
		{ "a union has no surfaces inside", a_union_has_no_surfaces_inside },
		{ "a solid may contain the camera", a_solid_may_contain_the_camera },
		{ "nested solids combine", nested_solids_combine },
		{ "a surface of one side is visible from its front only",
			a_surface_of_one_side_is_visible_from_its_front_only },
		{ "a matte object leaves a hole", a_matte_object_leaves_a_hole },
		{ "depth filters combine the depths of a pixel",
			depth_filters_combine_the_depths_of_a_pixel },
		{ "detail chooses a representation by its size",
			detail_chooses_a_representation_by_its_size },
		{ "a transition mixes representations in proportion",
			a_transition_mixes_representations_in_proportion },
		{ "a transparent surface may be in a transition",
			a_transparent_surface_may_be_in_a_transition },
		{ "a dark limb has no light", a_dark_limb_has_no_light },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("visibility", tests);
}
