/* Generated scenes, and the frame of a scene. */
#include "reyes/alone/scenes.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reyes/scene/renderer.h"

/* A text that grows. */
typedef struct growing_text {
	FILE *f;
	char *chars;
	size_t bytes;
	int failed; /* ferror() does not report memory that was missing for a while */
} growing_text;

static void put(growing_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(growing_text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->failed |= vfprintf(t->f, format, args) < 0;
	va_end(args);
}

/* Returns the text, or NULL if there was no memory for it. */
static char *ended(growing_text *t)
{
	if (!fclose(t->f) && !t->failed)
		return t->chars;
	free(t->chars);
	return NULL;
}

char *reyes_i_scene_layers(uint32_t layers, uint32_t patches, uint32_t side_px)
{
	const uint32_t points = 3 * patches + 1;
	growing_text t = { 0 };

	t.f = open_memstream(&t.chars, &t.bytes);
	if (!t.f)
		return NULL;
	put(&t,
		"##RenderMan RIB-Structure 1.0\n"
		"# %u sheets of %u x %u bicubic patches, one behind the other.\n"
		"Format %u %u 1\nPixelSamples 4 4\nShadingRate 1\nDisplay \"layers.png\" \"file\" "
		"\"rgb\"\nProjection \"orthographic\"\nWorldBegin\nLightSource \"distantlight\" 1\n"
		"Surface \"matte\"\nBasis \"bezier\" 3 \"bezier\" 3\n",
		layers, patches, patches, side_px, side_px);
	for (uint32_t k = 0; k < layers; k++) {
		put(&t,
			"Color %g %g %g\nPatchMesh \"bicubic\" %u \"nonperiodic\" %u "
			"\"nonperiodic\" \"P\" [\n",
			0.4 + 0.6 * (k % 3) / 2.0, 0.4 + 0.6 * (k % 4) / 3.0,
			0.4 + 0.6 * (k % 5) / 4.0, points, points);
		for (uint32_t j = 0; j < points; j++)
			for (uint32_t i = 0; i < points; i++) {
				const double x = 2.0 * i / (points - 1) - 1;
				const double y = 2.0 * j / (points - 1) - 1;

				put(&t, "%.6f %.6f %.6f%c", x, y,
					1 + k + 0.05 * sin(9 * x + k) * cos(7 * y - k),
					i + 1 == points ? '\n' : ' ');
			}
		put(&t, "]\n");
	}
	put(&t, "WorldEnd\n");
	return ended(&t);
}

char *reyes_i_scene_pot(uint32_t side_px, enum reyes_i_pot kind)
{
	const char *options = kind == REYES_I_POT_BLURRED ? "DepthOfField 1 0.1 3\n"
			      : kind == REYES_I_POT_MOVES ? "Shutter 0 1\n"
							  : "";
	const char *motion = kind == REYES_I_POT_MOVES ? "MotionBegin [0 1]\nTranslate 0 0 0\n"
							 "Translate 0.2 0.05 0\nMotionEnd\n"
						       : "";
	growing_text t = { 0 };

	t.f = open_memstream(&t.chars, &t.bytes);
	if (!t.f)
		return NULL;
	put(&t,
		"##RenderMan RIB-Structure 1.0\n"
		"Format %u %u 1\nPixelSamples 4 4\nShadingRate 1\nDisplay \"pot.png\" \"file\" "
		"\"rgb\"\nProjection \"perspective\" \"fov\" 40\n%sTranslate 0 -0.1 4\n"
		"Rotate -70 1 0 0\nRotate 25 0 0 1\nWorldBegin\n%sLightSource \"distantlight\" 1\n"
		"Surface \"plastic\"\nSides 2\nColor .8 .6 .4\n"
		"Sphere 1 -0.8 0.8 360\nDisk -0.8 0.6 360\n"
		"AttributeBegin\nTranslate 0 0 0.75\nSphere 0.65 0 0.65 360\nTranslate 0 0 0.75\n"
		"Sphere 0.14 -0.14 0.14 360\nAttributeEnd\n"
		"AttributeBegin\nTranslate -1.05 0 0.1\nRotate 90 1 0 0\nTorus 0.5 0.09 0 360 360\n"
		"AttributeEnd\n"
		"AttributeBegin\nTranslate 0.8 0 -0.1\nRotate 50 0 1 0\n"
		"Hyperboloid 0.28 0 0 0.13 0.05 0.9 360\nAttributeEnd\n"
		"AttributeBegin\nTranslate 0 0 -0.85\nParaboloid 1.5 0 0.05 360\nAttributeEnd\n"
		"WorldEnd\n",
		side_px, side_px, options, motion);
	return ended(&t);
}

const reyes_i_frame *reyes_i_scene_read(reyes_renderer **r, const reyes_options *o,
	const char *text, const char *path, char *message, size_t message_bytes)
{
	reyes_options defaults;
	reyes_status st;

	if (!o) {
		reyes_options_init(&defaults);
		o = &defaults;
	}
	if (reyes_open(r, o, message, message_bytes) != REYES_OK)
		return NULL;
	st = text ? reyes_rib_open_memory(*r, "generated", text, strlen(text))
		  : reyes_rib_open(*r, path);
	if (st == REYES_OK)
		st = reyes_rib_next_frame(*r);
	if (st == REYES_OK)
		return &(*r)->frame;
	snprintf(message, message_bytes, "%s",
		st == REYES_END ? "the scene has no frame" : reyes_last_error(*r));
	reyes_close(r);
	return NULL;
}
