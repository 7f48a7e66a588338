/* Out of memory at every allocation of a scene. */
#include <stdlib.h>
#include "tests/reyes/count_alloc.h"
#include "tests/reyes/scene_setup.h"

static const float points[48] = { 0, 1, 2 };
static const int32_t counts[] = { 4, 4 }, vertices[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

/* Requests before the world. Returns the number of calls without memory. */
static int options(reyes_renderer *r)
{
	const char *path = "a:&:b", *file = "local.mk";
	const reyes_param search = { "texture", NULL, &path, 1 };
	const reyes_param p = { "P", points, NULL, 12 };
	const reyes_param texture = { "texturename", NULL, &file, 1 };
	int bad = 0;

#define CALL(call) (bad += (call) == REYES_ERR_NOMEM)
	CALL(reyes_declare(r, "mine", "uniform float"));
	CALL(reyes_frame_begin(r, 1));
	CALL(reyes_display(r, "a.tif", "file", "rgba", NULL));
	CALL(reyes_display(r, "+b.tif", "file", "z", NULL));
	CALL(reyes_option(r, "searchpath", &(reyes_params){ 1, &search }));
	CALL(reyes_shutter(r, 0, 1));
	CALL(reyes_projection(r, "perspective", NULL));
	CALL(reyes_translate(r, 0, 0, 5));
	CALL(reyes_light_source(r, "spotlight", "1", NULL));
	CALL(reyes_surface(r, "paintedplastic", &(reyes_params){ 1, &texture }));
	CALL(reyes_object_begin(r, "o"));
	CALL(reyes_polygon(r, &(reyes_params){ 1, &p }));
	CALL(reyes_sphere(r, 1, -1, 1, 360, NULL));
	CALL(reyes_object_end(r));
	CALL(reyes_world_begin(r));
	return bad;
}

static int world(reyes_renderer *r)
{
	const float times[] = { 0, 1 };
	const reyes_param p4 = { "P", points, NULL, 12 }, p16 = { "P", points, NULL, 48 };
	const reyes_params quad = { 1, &p4 }, patch = { 1, &p16 };
	const char *const tags[] = { "hole" };
	const int32_t args[] = { 1, 0 }, zero = 0;
	const float turn[16] = { 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
	const char *name = "thing";
	const reyes_param label = { "name", NULL, &name, 1 };
	int bad = 0, i;

	CALL(reyes_attribute_begin(r));
	CALL(reyes_attribute(r, "identifier", &(reyes_params){ 1, &label }));
	CALL(reyes_area_light_source(r, "arealight", "2", NULL));
	CALL(reyes_coordinate_system(r, "here"));
	CALL(reyes_scoped_coordinate_system(r, "there"));
	CALL(reyes_motion_begin(r, 2, times));
	CALL(reyes_rotate(r, 0, 0, 0, 1));
	CALL(reyes_rotate(r, 90, 0, 0, 1));
	CALL(reyes_motion_end(r));
	CALL(reyes_motion_begin(r, 2, times));
	for (i = 0; i < 2; i++)
		CALL(reyes_patch(r, "bicubic", &patch));
	CALL(reyes_motion_end(r));
	CALL(reyes_object_instance(r, "o"));
	CALL(reyes_coord_sys_transform(r, "camera"));
	CALL(reyes_attribute_end(r));
	CALL(reyes_illuminate(r, "1", 0));
	CALL(reyes_solid_begin(r, "union"));
	CALL(reyes_solid_begin(r, "primitive"));
	CALL(reyes_points_polygons(r, 2, counts, 8, vertices, &patch));
	CALL(reyes_solid_end(r));
	CALL(reyes_solid_end(r));
	CALL(reyes_subdivision_mesh(r, "catmull-clark", 2, counts, 8, vertices, 1, tags, args, 1,
		&zero, 0, NULL, &patch));
	CALL(reyes_curves(r, "cubic", 1, counts, "nonperiodic", &quad));
	CALL(reyes_nu_patch(r, 2, 2, (const float[]){ 0, 0, 1, 1 }, 0, 1, 2, 2,
		(const float[]){ 0, 0, 1, 1 }, 0, 1, &quad));
	CALL(reyes_points(r, 4, &quad));
	CALL(reyes_world_end(r));
	CALL(reyes_move_frame(r, turn));
	CALL(reyes_frame_end(r));
	return bad;
#undef CALL
}

/* What a scene has become. */
typedef struct outcome {
	int reported;
	size_t prims, attrs, lights, messages;
	uint32_t is_moved;
} outcome;

static size_t messages;

static void on_log(void *user, reyes_level level, const char *message)
{
	(void)user;
	(void)level;
	(void)message;
	messages++;
}

/* Makes the scene with failure number n. */
static outcome attempt(size_t n)
{
	outcome result = { 0, 0, 0, 0, 0, 0 };
	reyes_options o;
	reyes_renderer *r;
	reyes_status s;

	reyes_options_init(&o);
	o.search_path = "x:y";
	o.log = on_log;
	allocations = messages = 0;
	fail_at = n;
	counting = 1;
	s = reyes_open(&r, &o, NULL, 0);
	if (s == REYES_OK)
		result.reported = options(r) + world(r);
	counting = 0;
	if (s != REYES_OK) {
		result.reported = s == REYES_ERR_NOMEM && !r;
		return result;
	}
	result.prims = r->frame.prims.count;
	result.attrs = r->frame.attrs.count;
	result.lights = r->frame.lights.count;
	result.messages = messages;
	result.is_moved = r->pose.is_moved;
	/* The renderer remains usable. */
	reyes_i_scene_end_of_input(r);
	SCENE_OK(reyes_world_begin(r));
	SCENE_OK(reyes_sphere(r, 1, -1, 1, 360, NULL));
	SCENE_OK(reyes_world_end(r));
	reyes_close(&r);
	return result;
}

static void every_failed_allocation_is_reported_or_without_effect(void)
{
	const outcome whole = attempt(0);
	const size_t count = allocations;
	size_t n;

	CHECK(count > 100 && whole.reported == 0 && whole.prims == 8 && whole.is_moved,
		"%zu allocations", count);
	for (n = 1; n <= count; n++) {
		const outcome o = attempt(n);

		CHECK(o.reported ||
				(o.prims == whole.prims && o.attrs == whole.attrs &&
					o.lights == whole.lights && o.messages >= whole.messages),
			"allocation %zu of %zu", n, count);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "every failed allocation is reported or without effect",
			every_failed_allocation_is_reported_or_without_effect },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("out of memory", tests);
}
