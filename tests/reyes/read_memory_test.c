/* Out of memory at every allocation while a scene is read: the call fails with REYES_ERR_NOMEM, or
 * the picture is that of the whole scene. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <reyes/reyes.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/reyes/count_alloc.h"

enum { SIDE_PX = 16, PIXELS = SIDE_PX * SIDE_PX };

static const char texture[] = "read_memory_test.png";

static const char scene[] =
	"Option \"searchpath\" \"string texture\" [\"@:.:nowhere\"]\n"
	"Format 16 16 1 PixelSamples 1 1\n"
	"Declare \"heat\" \"uniform float\"\n"
	"ArchiveBegin \"ball\" Sphere 0.5 -0.5 0.5 360 ArchiveEnd\n"
	"Projection \"perspective\" \"fov\" 40 Translate 0 0 4\n"
	"WorldBegin\n"
	"Imager \"background\" \"color background\" [0.2 0.4 0.6]\n"
	"LightSource \"distantlight\" \"sun\"\n"
	"Surface \"paintedplastic\" \"texturename\" [\"read_memory_test.png\"]\n"
	"AttributeBegin Attribute \"user\" \"string kind\" [\"ball\"]\n"
	"IfBegin \"$user:kind == 'ball'\" ReadArchive \"ball\" IfEnd AttributeEnd\n"
	"Color [1 0 0]\n"
	"PointsPolygons [3 3] [0 1 2 0 2 3] \"P\" [-1 -1 1 1 -1 1 1 1 1 -1 1 1] \"heat\" [1 2]\n"
	"MotionBegin [0 1] Translate 0 0 0 Translate 0.1 0 0 MotionEnd\n"
	"Curves \"cubic\" [4] \"nonperiodic\" \"P\" [0 0 0 1 0 0 1 1 0 0 1 0]\n"
	"\"constantwidth\" [0.1]\n"
	"WorldEnd\n";

/* Reads the scene while the allocation `at` fails (0: none), then renders it into rgba. Returns the
 * status of the reading. */
static reyes_status read_scene(size_t at, float rgba[4 * PIXELS])
{
	reyes_options o;
	reyes_renderer *r;
	reyes_image image;
	reyes_status s;

	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CPU;
	o.threads = 1;
	CU_ASSERT_EQUAL_FATAL(reyes_open(&r, &o, NULL, 0), REYES_OK);
	allocations = 0;
	fail_at = at;
	counting = 1;
	s = reyes_rib_open_memory(r, "scene", scene, strlen(scene));
	if (s == REYES_OK)
		s = reyes_rib_next_frame(r);
	counting = 0;
	reyes_image_init(&image);
	if (s == REYES_OK && reyes_render(r, &image) == REYES_OK)
		memcpy(rgba, image.rgba, 4 * PIXELS * sizeof(*rgba));
	reyes_close(&r);
	return s;
}

static void test_all(void)
{
	static float whole[4 * PIXELS], part[4 * PIXELS];
	static uint8_t rgb[3 * 4] = { 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0 };
	size_t total, lost = 0;

	if (reyes_write_png(texture, 2, 2, rgb, NULL, 0) != REYES_OK)
		printf("(without a texture) ");
	CU_ASSERT_EQUAL_FATAL(read_scene(0, whole), REYES_OK);
	total = allocations;
	CU_ASSERT_TRUE(total > 50);
	for (size_t i = 1; i <= total; i++) {
		const reyes_status s = read_scene(i, part);

		lost += s == REYES_ERR_NOMEM;
		CHECK(s == REYES_ERR_NOMEM ||
				(s == REYES_OK && memcmp(part, whole, sizeof(whole)) == 0),
			"allocation %zu of %zu: %s", i, total, reyes_strstatus(s));
	}
	CU_ASSERT_TRUE(lost > total / 2);
	unlink(texture);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "no allocation that fails changes a picture", test_all },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("memory of a scene", tests);
}
