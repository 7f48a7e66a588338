/* Layers of transparent surfaces and of solids: each crossing of a surface counts once, at any
 * distance of the camera, and the time for many layers does not grow with their square. */
#include <unistd.h>
#include "tests/common/rng.h"
#include "tests/reyes/render_setup.h"

/* The part of the pixels that differ by more than 8 of 255 in a channel. */
static double differing(const shot *a, const shot *b)
{
	const size_t n = (size_t)a->width * a->height;
	size_t count = 0;

	for (size_t k = 0; k < n; k++) {
		float most = 0;

		for (size_t c = 4 * k; c < 4 * k + 4; c++)
			most = fmaxf(most, fabsf(a->rgba[c] - b->rgba[c]));
		count += most > 8.0f / 255;
	}
	return (double)count / (double)n;
}

/* The number of pixels that `layers` layers of opacity 0.4 cover. */
static size_t pixels_with(const shot *s, int layers)
{
	const double alpha = 1 - pow(0.6, layers);
	size_t count = 0;

	for (size_t k = 0; k < (size_t)s->width * s->height; k++)
		count += fabs((double)s->rgba[4 * k + 3] - alpha) < 1e-3;
	return count;
}

#define TORUS                                                                           \
	"WorldBegin\nLightSource \"distantlight\" 1 \"from\" [1 1 -1] \"to\" [0 0 0]\n" \
	"Opacity [.4 .4 .4]\nSurface \"matte\"\nRotate 80 1 0 0\nTorus 1 .4 0 360 360\nWorldEnd\n"

static void layers_are_the_same_at_any_distance(void)
{
	static const char window[] =
		"Projection \"orthographic\"\nScreenWindow -1.6 1.6 -1.6 1.6\n";
	shot near, far;

	CHECK(!shot_of(&near, SHOT_FORMAT "%sTranslate 0 0 6\n" TORUS, 150, 150, window), "%s",
		near.message);
	CHECK(!shot_of(&far, SHOT_FORMAT "%sTranslate 0 0 2000\n" TORUS, 150, 150, window), "%s",
		far.message);
	CHECK(pixels_with(&near, 4) > 1000, "%zu pixels have four layers", pixels_with(&near, 4));
	CHECK(differing(&near, &far) < 1e-3, "%.4f of the pixels differ", differing(&near, &far));
	shot_free(&far);
	CHECK(!shot_of(&far,
		      SHOT_FORMAT "Projection \"perspective\" \"fov\" [.0307]\n"
				  "Translate 0 0 6000\n" TORUS,
		      150, 150),
		"%s", far.message);
	CHECK(pixels_with(&far, 4) > 1000, "%zu pixels have four layers in perspective",
		pixels_with(&far, 4));
	shot_free(&far);
	shot_free(&near);
}

static void solids_are_the_same_at_any_distance(void)
{
	static const int distances[] = { 6, 2000, 20000 };
	shot near, far;

	for (int k = 0; k < 3; k++) {
		CHECK(!shot_of(&far,
			      SHOT_FORMAT
			      "Projection \"orthographic\"\nScreenWindow -1.6 1.6 -1.6 1.6\n"
			      "Translate 0 0 %d\nWorldBegin\n"
			      "LightSource \"distantlight\" 1 \"from\" [1 1 -1] \"to\" [0 0 0]\n"
			      "Surface \"matte\"\nRotate 80 1 0 0\nSolidBegin \"difference\"\n"
			      "SolidBegin \"primitive\"\nColor [1 .5 .2]\nTorus 1 .4 0 360 360\n"
			      "SolidEnd\nSolidBegin \"primitive\"\nColor [.2 .5 1]\n"
			      "Translate 0 -1.2 0\nSphere .6 -.6 .6 360\nSolidEnd\nSolidEnd\n"
			      "WorldEnd\n",
			      200, 200, distances[k]),
			"%s", far.message);
		if (k == 0) {
			near = far;
			continue;
		}
		/* at 20,000 the depths are rounded to 0.002 */
		CHECK(differing(&near, &far) < 0.005, "%.4f of the pixels differ at %d",
			differing(&near, &far), distances[k]);
		shot_free(&far);
	}
	shot_free(&near);
}

/* Faces in random places, as one request or as one for each. */
static char *faces(int together)
{
	enum { FACES = 200, TEXT = FACES * 200 };
	char *text = malloc(TEXT), *points = malloc(TEXT);
	size_t n = 0, p = 0;

	rng_state = 0x2545f4914f6cdd1du;
	n += (size_t)snprintf(text + n, TEXT - n,
		"Format 96 72 1\nPixelSamples 2 2\nProjection \"perspective\" \"fov\" [1]\n"
		"Translate 0 0 300\nWorldBegin\nSurface \"constant\"\nOpacity [.3 .3 .3]\n");
	for (int k = 0; k < FACES; k++) {
		const double x = (double)rng_below(4000) / 1000 - 2;
		const double y = (double)rng_below(4000) / 1000 - 2;
		const double z = (double)rng_below(4000) / 1000 - 2;

		p += (size_t)snprintf(points + p, TEXT - p,
			"%s%g %g %g %g %g %g %g %g %g %g %g %g%s",
			together ? " " : "Polygon \"P\" [", x, y, z, x, y + 0.4, z, x + 0.4,
			y + 0.4, z, x + 0.4, y, z, together ? "" : "]\n");
	}
	if (together) {
		n += (size_t)snprintf(text + n, TEXT - n, "PointsPolygons [");
		for (int k = 0; k < FACES; k++)
			n += (size_t)snprintf(text + n, TEXT - n, "4 ");
		n += (size_t)snprintf(text + n, TEXT - n, "] [");
		for (int k = 0; k < 4 * FACES; k++)
			n += (size_t)snprintf(text + n, TEXT - n, "%d ", k);
	}
	snprintf(text + n, TEXT - n, "%s%s%sWorldEnd\n", together ? "] \"P\" [" : "", points,
		together ? "]\n" : "");
	free(points);
	return text;
}

static void faces_of_a_request_are_layers_as_those_of_several(void)
{
	reyes_options o;
	shot s[2];

	reyes_options_init(&o);
	for (int k = 0; k < 2; k++) {
		char *text = faces(k);

		CHECK(!shot_with(&s[k], &o, text), "%s", s[k].message);
		free(text);
	}
	CHECK(fabs(shot_sum(&s[0], 3) - shot_sum(&s[1], 3)) < 1, "alpha %.1f and %.1f",
		shot_sum(&s[0], 3), shot_sum(&s[1], 3));
	CHECK(differing(&s[0], &s[1]) < 1e-3, "%.4f of the pixels differ", differing(&s[0], &s[1]));
	shot_free(&s[0]);
	shot_free(&s[1]);
}

/* A closed surface has an even number of layers. Some pixels at silhouettes have not: rims are
 * grown. */
static void displaced_shapes_have_even_numbers_of_layers(void)
{
	char folder[] = "/tmp/reyes_layers.XXXXXX", file[64];
	size_t odd = 0, all = 0;
	shot s;

	CHECK(mkdtemp(folder) != NULL, "no folder");
	snprintf(file, sizeof(file), "%s/bumps.tif", folder);
	CHECK(!shot_of(&s,
		      "Format 64 64 1\nPixelSamples 4 4\nPixelFilter \"gaussian\" 2 2\n"
		      "Display \"%s\" \"file\" \"rgb\"\nWorldBegin\nSurface \"constant\"\n"
		      "Translate 0 0 3\nDisk 0 .5 360\nTranslate .5 .4 0\nDisk 0 .3 360\n"
		      "Translate -1.1 .1 0\nDisk 0 .3 360\nWorldEnd\n",
		      file),
		"%s", s.message);
	shot_free(&s);
	CHECK(!shot_of(&s,
		      SHOT_FORMAT "PixelSamples 1 1\nProjection \"perspective\" \"fov\" 50\n"
				  "Translate .01 .02 2.4\nRotate 74 1 .3 .2\nWorldBegin\n"
				  "Surface \"constant\"\nOpacity .4 .4 .4\n"
				  "Attribute \"displacementbound\" \"float sphere\" [.2]\n"
				  "Displacement \"bumpy\" \"string texturename\" \"%s\" "
				  "\"float Km\" [.12]\nSphere .75 -.75 .75 360\nWorldEnd\n",
		      250, 250, file),
		"%s", s.message);
	for (int layers = 1; layers < 7; layers++) {
		all += pixels_with(&s, layers);
		odd += layers % 2 ? pixels_with(&s, layers) : 0;
	}
	CHECK(all > 20000, "%zu pixels are covered", all);
	CHECK(odd < all / 150, "%zu of %zu pixels have an odd number of layers", odd, all);
	shot_free(&s);
	unlink(file);
	rmdir(folder);
}

/* The time of a frame with the square of the layers would exceed the limit of a task. */
static void thousands_of_layers_are_resolved(void)
{
	enum { LAYERS = 8000, TEXT = LAYERS * 100 };
	char *text = malloc(TEXT);
	reyes_options o;
	double passed = 1, red = 0;
	size_t n;
	shot s;

	n = (size_t)snprintf(text, TEXT,
		"Format 8 8 1\nPixelSamples 1 1\nPixelFilter \"box\" 1 1\nShadingRate 64\n"
		"Projection \"orthographic\"\nWorldBegin\nSurface \"constant\"\n"
		"Opacity [.0005 .0005 .0005]\n");
	for (int k = 0; k < LAYERS; k++) {
		/* not in the order of their depths */
		const int place = k * 3 % LAYERS;

		n += (size_t)snprintf(text + n, TEXT - n,
			"Color [%d 1 0]\nPolygon \"P\" [-2 -2 %d 2 -2 %d 2 2 %d -2 2 %d]\n",
			place % 2, place + 2, place + 2, place + 2, place + 2);
		red += k % 2 ? passed * 0.0005 : 0;
		passed *= 1 - 0.0005;
	}
	snprintf(text + n, TEXT - n, "WorldEnd\n");
	reyes_options_init(&o);
	CHECK(!shot_with(&s, &o, text), "%s", s.message);
	CHECK(fabs(pixel(&s, 3, 5)[0] - red) < 1e-3 && fabs(pixel(&s, 3, 5)[3] - 1 + passed) < 1e-3,
		"red %g, alpha %g instead of %g, %g", (double)pixel(&s, 3, 5)[0],
		(double)pixel(&s, 3, 5)[3], red, 1 - passed);
	shot_free(&s);
	free(text);
}

/* Floats have no fractions of a pixel there: lengths that are all rounding made 489,513 grids. */
static void a_path_to_far_away_makes_few_grids(void)
{
	shot s;

	CHECK(!shot_of(&s,
		      "Format 32 24 1\nShutter 0 1\nProjection \"perspective\" \"fov\" 30\n"
		      "Translate 0 0 6\nWorldBegin\nSurface \"constant\"\nMotionBegin [0 .5 1]\n"
		      "Translate -1.7 1 0\nTranslate 1e26 .8 0\nTranslate -1.3 .2 0\nMotionEnd\n"
		      "Sphere .4 -.4 .4 360\nWorldEnd\n"),
		"%s", s.message);
	CHECK(s.stats.grids > 0 && s.stats.grids < 1000, "%llu grids",
		(unsigned long long)s.stats.grids);
	shot_free(&s);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "layers are the same at any distance", layers_are_the_same_at_any_distance },
		{ "solids are the same at any distance", solids_are_the_same_at_any_distance },
		{ "faces of a request are layers as those of several",
			faces_of_a_request_are_layers_as_those_of_several },
		{ "displaced shapes have even numbers of layers",
			displaced_shapes_have_even_numbers_of_layers },
		{ "thousands of layers are resolved", thousands_of_layers_are_resolved },
		{ "a path to far away makes few grids", a_path_to_far_away_makes_few_grids },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("layers", tests);
}
