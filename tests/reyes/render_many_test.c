/* Scenes of many small primitives in a grid that covers the window without a hole: most are
 * visible, more than one canvas has grids. SCENE_PRIMITIVES sets another number than a million, for
 * `make check-long`. */
#include <reyes/ri.h>
#include "tests/reyes/render_setup.h"
#include "tests/common/effort.h"

enum { SIZE = 64, DEFAULT_PRIMITIVES = 1000000 };

/* Half the width of the grid; that of the window is 1. */
#define REACH 1.1f

/* Returns the number of points or squares along a side of the grid. */
static uint32_t grid_side(void)
{
	const char *text = getenv("SCENE_PRIMITIVES");
	const double n = text ? strtod(text, NULL) : DEFAULT_PRIMITIVES / (TEST_SANITIZED ? 4 : 1);

	return n >= 100 && n <= 1e8 ? (uint32_t)ceil(sqrt(n)) : 0;
}

/* Begins a world in which the window, -1 .. 1, has SIZE x SIZE pixels. */
static reyes_renderer *begin(shot *log)
{
	reyes_renderer *r = NULL;
	reyes_options o;

	memset(log, 0, sizeof(*log));
	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CPU;
	o.log = keep_message;
	o.log_user = log;
	CU_ASSERT_EQUAL_FATAL(reyes_open(&r, &o, log->message, sizeof(log->message)), REYES_OK);
	CU_ASSERT_EQUAL(reyes_format(r, SIZE, SIZE, 1), REYES_OK);
	CU_ASSERT_EQUAL(reyes_pixel_samples(r, 1, 1), REYES_OK);
	CU_ASSERT_EQUAL(reyes_pixel_filter(r, "box", 1, 1), REYES_OK);
	CU_ASSERT_EQUAL(reyes_world_begin(r), REYES_OK);
	CU_ASSERT_EQUAL(reyes_surface(r, "constant", NULL), REYES_OK);
	return r;
}

/* Renders; the picture has no hole, and as many primitives as expected. */
static void check_picture(reyes_renderer *r, shot *log, size_t primitives)
{
	reyes_image image;
	reyes_stats stats;

	reyes_image_init(&image);
	CHECK(reyes_render(r, &image) == REYES_OK, "%s", reyes_last_error(r));
	CHECK(!log->message[0], "%s", log->message);
	reyes_stats_init(&stats);
	CU_ASSERT_EQUAL(reyes_get_stats(r, &stats), REYES_OK);
	CHECK(stats.primitives == primitives, "%llu primitives, not %zu",
		(unsigned long long)stats.primitives, primitives);
	for (size_t k = 0; k < (size_t)SIZE * SIZE; k++)
		CHECK(image.rgba[4 * k + 3] == 1 && image.rgba[4 * k] == 1, "pixel %zu: alpha %g",
			k, (double)image.rgba[4 * k + 3]);
}

/* Points of a grid over the window and a margin, at z = 2, with `side` of them along a side. */
static float *grid_points(uint32_t side)
{
	float *p = malloc(sizeof(float[3]) * side * side);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	for (uint32_t j = 0; j < side; j++)
		for (uint32_t i = 0; i < side; i++) {
			float *at = p + 3 * ((size_t)j * side + i);

			at[0] = REACH * (2 * (float)i / (float)(side - 1) - 1);
			at[1] = REACH * (2 * (float)j / (float)(side - 1) - 1);
			at[2] = 2;
		}
	return p;
}

/* Draws side x side points and ends the world. */
static void draw_points(reyes_renderer *r, uint32_t side)
{
	/* disks of one and a half times the distance of two points */
	const float width = 2 * REACH * 1.5f / (float)(side - 1);
	const size_t count = (size_t)side * side;
	float *p = grid_points(side);
	const reyes_param list[] = { { "P", p, NULL, 3 * count },
		{ "constantwidth", &width, NULL, 1 } };

	CU_ASSERT_EQUAL(reyes_points(r, count, &(reyes_params){ 2, list }), REYES_OK);
	CU_ASSERT_EQUAL(reyes_world_end(r), REYES_OK);
	free(p);
}

static void points_of_a_grid_have_no_hole(void)
{
	const uint32_t side = grid_side();
	reyes_renderer *r;
	shot log;

	CHECK(side > 0, "SCENE_PRIMITIVES must be a number of 100 to 1e8");
	r = begin(&log);
	draw_points(r, side);
	check_picture(r, &log, (size_t)side * side);
	reyes_close(&r);
}

static void squares_of_a_grid_have_no_hole(void)
{
	const uint32_t side = grid_side(), n = side * side;
	int32_t *counts = malloc(sizeof(*counts) * n), *corners = malloc(sizeof(*corners) * 4 * n);
	reyes_param points = { "P", NULL, NULL, 0 };
	shot log;
	reyes_renderer *r;
	float *p;

	CHECK(side > 0 && counts && corners, "no grid of %u squares a side", side);
	p = grid_points(side + 1);
	points.floats = p;
	points.count = (size_t)3 * (side + 1) * (side + 1);
	for (uint32_t k = 0; k < n; k++) {
		const int32_t row = (int32_t)side + 1;
		const int32_t first = (int32_t)(k / side) * row + (int32_t)(k % side);
		const int32_t square[] = { first, first + 1, first + row + 1, first + row };

		counts[k] = 4;
		memcpy(corners + 4 * (size_t)k, square, sizeof(square));
	}
	r = begin(&log);
	CU_ASSERT_EQUAL(reyes_points_polygons(r, n, counts, 4 * (size_t)n, corners,
				&(reyes_params){ 1, &points }),
		REYES_OK);
	free(p);
	free(counts);
	free(corners);
	CU_ASSERT_EQUAL(reyes_world_end(r), REYES_OK);
	check_picture(r, &log, n);
	reyes_close(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "points of a grid have no hole", points_of_a_grid_have_no_hole },
		{ "squares of a grid have no hole", squares_of_a_grid_have_no_hole },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("many primitives", tests);
}
