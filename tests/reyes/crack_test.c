/* Closed white shapes over black have no hole: pixels with a sample that misses the shape are at
 * its silhouette only. Shading rates make grids of many sizes; neighbouring grids have different
 * rates. Then the same bits for every schedule. TEST_FULL=1 renders every combination. */
#include <unistd.h>
#include <libsched/sched.h>
#include "tests/common/effort.h"
#include "tests/reyes/schedule_scenes.h"

enum { LEAST_REGION = 40 };

/* Marks the empty pixels that are connected with pixel k; returns their number. */
static size_t flood(const shot *s, unsigned char *mark, size_t k, unsigned char with, size_t *stack)
{
	size_t count = 0, depth = 0;

	stack[depth++] = k;
	mark[k] = with;
	while (depth > 0) {
		const size_t at = stack[--depth];
		const long x = (long)(at % s->width), y = (long)(at / s->width);

		count++;
		for (long j = y - 1; j <= y + 1; j++)
			for (long i = x - 1; i <= x + 1; i++) {
				const size_t next = (size_t)j * s->width + (size_t)i;

				if (i < 0 || j < 0 || i >= (long)s->width || j >= (long)s->height ||
					mark[next] || s->rgba[4 * next + 3] > 0)
					continue;
				mark[next] = with;
				stack[depth++] = next;
			}
	}
	return count;
}

/* Returns the number of pixels that are not completely covered and not within four pixels of the
 * background, which is any large empty region: silhouettes have narrow corners. */
static size_t holes(const shot *s)
{
	const size_t n = (size_t)s->width * s->height;
	unsigned char *mark = calloc(n, 1);
	size_t *stack = malloc(n * sizeof(*stack)), count = 0;

	for (size_t k = 0; k < n; k++)
		if (s->rgba[4 * k + 3] <= 0 && !mark[k] &&
			flood(s, mark, k, 1, stack) < LEAST_REGION)
			count++;
	for (size_t k = 0; k < n; k++) {
		const long x = (long)(k % s->width), y = (long)(k / s->width);
		int near = 0;

		for (long j = y - 4; j <= y + 4; j++)
			for (long i = x - 4; i <= x + 4; i++)
				near |= i >= 0 && j >= 0 && i < (long)s->width &&
					j < (long)s->height &&
					mark[(size_t)j * s->width + (size_t)i];
		if (s->rgba[4 * k + 3] < 1 - 1e-5f && !near)
			count++;
	}
	free(stack);
	free(mark);
	return count;
}

static void check_picture(const char *name, const char *before, const char *shape, double rate,
	int n, int perspective)
{
	const int size = test_effort(160, 80, 64);
	shot s;

	CHECK(!shot_of(&s,
		      SHOT_FORMAT "PixelSamples %d %d\nShadingRate %g\n%s"
				  "Translate 0.01 0.02 %g\nRotate %d 1 0.3 0.2\n"
				  "WorldBegin\nSurface \"constant\"\n%s%s"
				  "WorldEnd\n",
		      size, size, n, n, rate,
		      perspective ? "Projection \"perspective\" \"fov\" 50\n" : "",
		      perspective ? 2.4 : 5.0, 37 * n, before, shape),
		"%s: %s", name, s.message);
	CHECK(holes(&s) == 0, "%s: %zu holes at shading rate %g, %d x %d samples, %s", name,
		holes(&s), rate, n, n, perspective ? "perspective" : "orthographic");
	CHECK(shot_sum(&s, 3) > size * size / 20, "%s is visible", name);
	shot_free(&s);
}

/* Renders a shape at several shading rates, sample counts, attitudes and projections: each
 * combination in full size, else each pair of a rate and a sample count, and under a sanitizer each
 * rate. */
static void check_closed(const char *name, const char *before, const char *shape)
{
	static const double rates[] = { 0.1, 0.37, 1, 5, 40 };
	static const int samples[] = { 1, 3, 4 };

	for (int r = 0; r < 5; r++)
		for (int n = 0; n < 3; n++) {
			if (!test_full() && TEST_SANITIZED && n != r % 3)
				continue;
			check_picture(name, before, shape, rates[r], samples[n], (r + n) % 2);
			if (test_full())
				check_picture(
					name, before, shape, rates[r], samples[n], (r + n + 1) % 2);
		}
}

static void quadrics_have_no_cracks(void)
{
	check_closed("sphere", "", "Sphere .9 -.9 .9 360\n");
	check_closed("sphere of parts", "", "Sphere .9 -.9 .2 360\nSphere .9 .2 .9 360\n");
	check_closed("torus", "", "Torus .6 .3 0 360 360\n");
	check_closed("ellipsoid", "", "Scale .2 1 .6\nSphere .9 -.9 .9 360\n");
}

/* A closed mesh: a tube of uneven radius around a circle. */
static const char *tube(const char *basis, int nu, int nv)
{
	static char text[60000];
	size_t n = (size_t)snprintf(text, sizeof(text),
		"Basis \"%s\" %d \"%s\" %d\nPatchMesh \"bicubic\" %d \"periodic\" %d \"periodic\" "
		"\"P\" [",
		basis, strcmp(basis, "bezier") ? 1 : 3, basis, strcmp(basis, "bezier") ? 1 : 3, nu,
		nv);

	for (int j = 0; j < nv; j++)
		for (int i = 0; i < nu; i++) {
			const double a = 2 * PI * i / nu, b = 2 * PI * j / nv;
			const double r = 0.3 + 0.08 * sin(3 * b) * cos(a);

			n += (size_t)snprintf(text + n, sizeof(text) - n, "%.6f %.6f %.6f ",
				(0.6 + r * cos(a)) * cos(b), (0.6 + r * cos(a)) * sin(b),
				r * sin(a));
		}
	snprintf(text + n, sizeof(text) - n, "]\n");
	return text;
}

static void meshes_have_no_cracks(void)
{
	check_closed("B-spline mesh", "", tube("b-spline", 8, 13));
	check_closed("Bezier mesh", "", tube("bezier", 9, 15));
	check_closed("Catmull-Rom mesh", "", tube("catmull-rom", 7, 11));
	check_closed("cube", "",
		"PointsPolygons [4 4 4 4 4 4] [0 2 3 1 0 1 5 4 1 3 7 5 3 2 6 7 2 0 4 6 4 5 7 6]\n"
		"\"P\" [-.5 -.5 -.5 .5 -.5 -.5 -.5 .5 -.5 .5 .5 -.5 -.5 -.5 .5 .5 -.5 .5 -.5 .5 .5 "
		".5 .5 .5]\n");
	check_closed("subdivision cube", "",
		"SubdivisionMesh \"catmull-clark\" [4 4 4 4 4 4] "
		"[0 2 3 1 0 1 5 4 1 3 7 5 3 2 6 7 2 0 4 6 4 5 7 6]\n"
		"[\"crease\"] [5 1] [0 1 3 2 0] [2.5]\n"
		"\"P\" [-.7 -.7 -.7 .7 -.7 -.7 -.7 .7 -.7 .7 .7 -.7 -.7 -.7 .7 .7 -.7 .7 -.7 .7 .7 "
		".7 .7 .7]\n");
}

static void moving_and_blurred_shapes_have_no_cracks(void)
{
	check_closed("moving torus",
		"MotionBegin [0 1]\nRotate 0 0 0 1\nRotate 20 1 0 1\nMotionEnd\n",
		"Torus .6 .3 0 360 360\n");
}

/* A texture of bumps, rendered by the library itself. */
static void displaced_surfaces_have_no_cracks(void)
{
	char folder[] = "/tmp/reyes_crack.XXXXXX", file[64], before[400];
	shot s;

	CHECK(mkdtemp(folder) != NULL, "no folder");
	snprintf(file, sizeof(file), "%s/bumps.tif", folder);
	CHECK(!shot_of(&s,
		      "Format 64 64 1\nPixelSamples 4 4\nPixelFilter \"gaussian\" 2 2\n"
		      "Display \"%s\" \"file\" \"rgb\"\nWorldBegin\nSurface \"constant\"\n"
		      "Translate 0 0 3\nDisk 0 .5 360\nTranslate .5 .4 0\nDisk 0 .3 360\n"
		      "Translate -1.1 0.1 0\nDisk 0 .3 360\nTranslate .2 -1.2 0\nDisk 0 .3 360\n"
		      "WorldEnd\n",
		      file),
		"%s", s.message);
	shot_free(&s);
	snprintf(before, sizeof(before),
		"Attribute \"displacementbound\" \"float sphere\" [.2]\n"
		"Displacement \"bumpy\" \"string texturename\" \"%s\" \"float Km\" [.12]\n",
		file);
	check_closed("displaced sphere", before, "Sphere .75 -.75 .75 360\n");
	check_closed("displaced torus", before, "Torus .55 .25 0 360 360\n");
	unlink(file);
	rmdir(folder);
}

/* ---- the same bits ---- */

/* In full size each scene with each queue and 1, 2 and 4 threads; else with the default queue and
 * these, and with every second other queue and one of these in turn. */
static void a_picture_has_the_same_bits_for_every_schedule(void)
{
	const int height_px = test_effort(80, 32, 32), samples = test_effort(3, 2, 2);
	char text[2000];

	for (size_t k = 0; k < SCHEDULE_SCENES; k++) {
		uint64_t first = 0;
		size_t runs = 0;

		schedule_scene_px(text, sizeof(text), k, height_px, samples);
		for (size_t q = 0; q < LSCHED_QUEUE_COUNT; q++)
			for (uint32_t threads = 1; threads <= 4; threads += threads) {
				reyes_options o;
				shot s;

				if (!test_full() && q != LSCHED_QUEUE_DONATE &&
					((k + q) % 2 || threads != 1u << (k + q) % 3))
					continue;
				reyes_options_init(&o);
				o.threads = threads;
				o.queue = lsched_queue_name((lsched_queue)q);
				CHECK(shot_with(&s, &o, text) == 0, "%s: %s", o.queue, s.message);
				if (runs++ == 0)
					first = hash_of(&s);
				CHECK(hash_of(&s) == first, "scene %zu: queue %s, %u threads", k,
					o.queue, threads);
				shot_free(&s);
			}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "quadrics have no cracks", quadrics_have_no_cracks },
		{ "meshes have no cracks", meshes_have_no_cracks },
		{ "moving and blurred shapes have no cracks",
			moving_and_blurred_shapes_have_no_cracks },
		{ "displaced surfaces have no cracks", displaced_surfaces_have_no_cracks },
		{ "a picture has the same bits for every schedule",
			a_picture_has_the_same_bits_for_every_schedule },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("cracks", tests);
}
