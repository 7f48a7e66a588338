/* Split and dice alone on CPU threads. */
#include <stdlib.h>
#include <string.h>
#include "reyes/alone/scenes.h"
#include "tests/common/effort.h"
#include "tests/common/sched_setup.h"
#include "tests/reyes/alone_suite.h"

/* The renderer makes as many micropolygons of the same scene. */
static void the_renderer_makes_as_many_micropolygons(void)
{
	reyes_i_alone_options o = { .form = REYES_I_ALONE_LIST };
	char *text = reyes_i_scene_pot(150, REYES_I_POT_STILL), message[400] = "";
	uint64_t micropolygons = 0, points = 0;
	reyes_i_alone_figures g;
	const reyes_i_frame *f;
	reyes_options ro;
	reyes_renderer *r;
	reyes_image image;
	reyes_stats stats;
	reyes_i_alone *a;

	reyes_options_init(&ro);
	ro.backend = REYES_BACKEND_CPU;
	f = reyes_i_scene_read(&r, &ro, text, NULL, message, sizeof(message));
	NEED(f, "%s", message);
	NEED(reyes_i_alone_open(&a, aplace.ctx, f, message, sizeof(message)) == LSCHED_OK, "%s",
		message);
	NEED(reyes_i_alone_prepare(a, &o) == LSCHED_OK &&
			reyes_i_alone_execute(a, &g) == LSCHED_OK &&
			reyes_i_alone_count(a, &micropolygons, &points) == LSCHED_OK,
		"%s", reyes_i_alone_error(a));
	reyes_image_init(&image);
	reyes_stats_init(&stats);
	NEED(reyes_render(r, &image) == REYES_OK && reyes_get_stats(r, &stats) == REYES_OK, "%s",
		reyes_last_error(r));
	NEED(micropolygons > 1000 && micropolygons == stats.micropolygons &&
			g.grids == stats.grids && points == stats.points,
		"%llu micropolygons, not %llu", (unsigned long long)micropolygons,
		(unsigned long long)stats.micropolygons);
	reyes_i_alone_close(&a);
	reyes_close(&r);
	free(text);
}

/* The lattice that split measures, of any rectangle of a patch. */
static void the_lattice_of_a_patch_has_the_bits_of_single_points(void)
{
	char *text = reyes_i_scene_layers(1, 2, 100), message[400] = "";
	const reyes_i_frame *f;
	reyes_renderer *r;
	reyes_i_view view;
	uint32_t rectangles = 0, wrong = 0;

	f = reyes_i_scene_read(&r, NULL, text, NULL, message, sizeof(message));
	NEED(f, "%s", message);
	view = reyes_i_view_of(f);
	for (uint32_t k = 0; k < view.prim_count; k++)
		for (uint32_t u = 0; u < 8; u++)
			for (uint32_t v = 0; v < 4; v++, rectangles++) {
				const reyes_i_rect rect = reyes_i_rect_of(u, 3, v, 2);
				reyes_i_vec p[REYES_I_LATTICE];

				reyes_i_lattice(&view, view.prims + k, &rect, 0, p);
				for (int m = 0; m < REYES_I_LATTICE; m++) {
					reyes_i_surf at;

					reyes_i_eval(&view, view.prims + k, 0,
						rect.u0 + 0.03125f * (float)(m % 5),
						rect.v0 + 0.0625f * (float)(m / 5), &at);
					wrong += memcmp(&at.p, &p[m], sizeof(at.p)) != 0;
				}
			}
	CHECK(rectangles == 128 && wrong == 0, "%u of %u rectangles, %u points differ", rectangles,
		128u, wrong);
	reyes_close(&r);
	free(text);
}

int main(void)
{
	static const uint32_t workers[] = { 3, 1, 2 };
	CU_TestInfo more[] = { { "the renderer makes as many micropolygons",
				       the_renderer_makes_as_many_micropolygons },
		{ "the lattice of a patch has the bits of single points",
			the_lattice_of_a_patch_has_the_bits_of_single_points },
		CU_TEST_INFO_NULL };
	CU_SuiteInfo suites[] = { TEST_SUITE("split and dice alone", alone_tests),
		TEST_SUITE("beside the renderer", more), CU_SUITE_INFO_NULL };
	int rc = test_open(&aplace.ctx, LSCHED_BACKEND_CPU, 3);

	if (rc)
		return rc;
	aplace.workers = workers;
	aplace.worker_counts = (size_t)test_effort(3, 3, 1);
	aplace.side_px = (uint32_t)test_effort(100, 100, 50);
	rc = test_run(suites);
	lsched_close(&aplace.ctx);
	return rc;
}
