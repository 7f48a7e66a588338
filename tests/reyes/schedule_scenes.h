/* Small scenes with transparency, motion, depth of field, solids, opacities that vary and level of
 * detail, and the hash of a picture: it must be the same for every queue, number of workers and
 * backend. */
#ifndef TESTS_REYES_SCHEDULE_SCENES_H
#define TESTS_REYES_SCHEDULE_SCENES_H

#include "tests/reyes/render_setup.h"

/* The bits of colour, alpha and depth. */
static inline uint64_t hash_of(const shot *s)
{
	uint64_t h = 1469598103934665603u;

	for (size_t k = 0; k < (size_t)s->width * s->height; k++) {
		uint32_t word[5];

		memcpy(word, s->rgba + 4 * k, 16);
		memcpy(word + 4, s->z + k, 4);
		for (int n = 0; n < 5; n++)
			h = (h ^ word[n]) * 1099511628211u;
	}
	return h;
}

static const char *const schedule_scenes[] = {
	"LightSource \"distantlight\" 1\nSurface \"plastic\"\nSphere .7 -.7 .7 360\n"
	"Translate .2 .1 0\nColor 1 .3 .2\nTorus .6 .3 0 360 360\n",
	"Surface \"constant\"\nOpacity .4 .5 .6\nSphere .7 -.7 .7 360\nSphere .7 -.7 .7 360\n"
	"Translate .2 .1 0\nColor 1 .3 .2\nTorus .6 .3 0 360 360\n",
	"LightSource \"pointlight\" 1 \"from\" [0 0 -4]\nSurface \"matte\"\n"
	"MotionBegin [0 .4 1]\nTranslate -.3 0 0\nTranslate 0 .2 0\nTranslate .5 0 -.3\nMotionEnd\n"
	"Sphere .5 -.5 .5 360\nOpacity .5 .5 .5\nColor 0 1 0\nTorus .6 .3 0 360 360\n",
	"Surface \"constant\"\nSolidBegin \"difference\"\nSolidBegin \"primitive\"\n"
	"Sphere .7 -.7 .7 360\nSolidEnd\nSolidBegin \"primitive\"\nColor 0 0 1\n"
	"Translate .3 0 -.3\nSphere .6 -.6 .6 360\nSolidEnd\nSolidEnd\n",
	"Surface \"constant\"\nPatch \"bilinear\" \"P\" [-.8 -.6 0 .7 -.7 .3 -.7 .6 -.2 .8 .7 0] "
	"\"Os\" [.1 .2 .3 .9 .8 .7 .5 .5 .5 0 1 .2]\nOpacity .3 .6 .9\nSphere .4 -.4 .4 360\n"
	"Atmosphere \"fog\" \"distance\" 4 \"background\" [.4 .2 .1]\nTorus .6 .2 0 360 360\n",
	"Surface \"constant\"\nDetail [-1 1 -1 1 -1 1]\nDetailRange 0 0 100 9000\n"
	"Sphere .7 -.7 .7 360\nDetailRange 100 9000 1e38 1e38\nColor 1 .3 .2\n"
	"Curves \"linear\" [4] \"nonperiodic\" \"P\" [-.8 0 0 -.2 .7 0 .3 -.6 -.2 .8 .3 0] "
	"\"constantwidth\" [.01]\nPoints \"P\" [.1 .5 -.9 -.3 -.2 -.9] \"constantwidth\" [.03]\n"
	"Opacity .6 .6 .6\nTorus .6 .3 0 360 360\n",
	/* more layers than are sorted in a thread's memory, and a solid among them */
	"Surface \"constant\"\nOpacity .1 .2 .1\nTorus .6 .3 0 360 360\nTranslate .02 .01 .01\n"
	"Torus .6 .3 0 360 360\nTranslate .02 .01 .01\nTorus .6 .3 0 360 360\n"
	"Translate .02 .01 .01\nTorus .6 .3 0 360 360\nRotate 70 1 0 0\nTorus .6 .3 0 360 360\n"
	"Translate .02 .01 .01\nTorus .6 .3 0 360 360\nTranslate .02 .01 .01\n"
	"Torus .6 .3 0 360 360\nSolidBegin \"intersection\"\nSolidBegin \"primitive\"\n"
	"Sphere .5 -.5 .5 360\nSolidEnd\nSolidBegin \"primitive\"\nTranslate .2 0 0\n"
	"Sphere .5 -.5 .5 360\nSolidEnd\nSolidEnd\n",
};

/* Each with and without depth of field. */
enum { SCHEDULE_SCENES = 2 * sizeof(schedule_scenes) / sizeof(schedule_scenes[0]) };

/* Writes scene k with n x n samples as RIB, 5/4 as wide as high. */
static inline void schedule_scene_px(char *text, size_t bytes, size_t k, int height_px, int n)
{
	snprintf(text, bytes,
		"Format %d %d 1\nPixelSamples %d %d\nShutter 0 1\n%s"
		"Projection \"perspective\" \"fov\" 40\n"
		"Hider \"hidden\" \"depthfilter\" \"%s\"\n"
		"Translate 0 0 3\nWorldBegin\n%sWorldEnd\n",
		height_px * 5 / 4, height_px, n, n, k % 2 ? "DepthOfField 2 .5 2.5\n" : "",
		k % 3 ? "min" : "midpoint", schedule_scenes[k / 2]);
}

/* The same with 60 x 48 pixels. */
static inline void schedule_scene(char *text, size_t bytes, size_t k, int n)
{
	schedule_scene_px(text, bytes, k, 48, n);
}

#endif
