/* Every call with unusual arguments, in every order: no crash, and the scene remains usable. */
#include "tests/reyes/scene_calls.h"

/* What later stages rely on: indices within the arrays, finite values. */
static int is_sound(const reyes_renderer *r)
{
	const reyes_i_frame *f = &r->frame;
	const reyes_i_camera *c = &f->camera;
	size_t i, k;
	int ok = 1;

	for (i = 0; i < f->attrs.count; i++) {
		const reyes_i_attr *a = &f->attrs.list[i];

		ok &= a->surface == REYES_I_NONE || a->surface < f->shaders.count;
		ok &= a->displacement == REYES_I_NONE || a->displacement < f->shaders.count;
		ok &= a->atmosphere == REYES_I_NONE || a->atmosphere < f->shaders.count;
		ok &= a->solid == REYES_I_NONE || a->solid < f->solids.count;
		ok &= (size_t)a->lights + a->light_count <= f->words.count;
		ok &= isfinite(a->shading_rate) && a->shading_rate > 0;
		ok &= isfinite(a->displacement_bound) && a->displacement_bound >= 0;
		for (k = 0; k < 3; k++)
			ok &= isfinite(a->color[k]) && a->opacity[k] >= 0 && a->opacity[k] <= 1;
	}
	for (i = 0; i < f->prims.count; i++)
		ok &= f->prims.list[i].attr < f->attrs.count;
	for (i = 0; i < f->lights.count; i++)
		ok &= isfinite(f->lights.list[i].from[0]) && isfinite(f->lights.list[i].color[0]) &&
		      isfinite(f->lights.list[i].cos_outer);
	for (i = 0; i < f->words.count; i++)
		ok &= f->words.list[i] < f->lights.count;
	for (i = 0; r->pose.is_moved && i < f->lights.count; i++)
		ok &= isfinite(r->pose.frame.lights.list[i].from[0]) &&
		      isfinite(r->pose.frame.lights.list[i].axis[1]);
	if (r->world > 0)
		ok &= c->crop_x0 < c->crop_x1 && c->crop_x1 <= c->width_px &&
		      c->crop_y0 < c->crop_y1 && c->crop_y1 <= c->height_px &&
		      isfinite(c->scale[0]) && isfinite(c->offset[1]) && c->samples_x >= 1 &&
		      c->shutter_open <= c->shutter_close && c->hither < c->yon;
	return ok;
}

static void no_order_of_calls_harms_the_scene(void)
{
	enum { ROUNDS = 1000, CALLS = 600 };
	garbage g;
	size_t ok = 0, bad = 0, moved = 0;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		const uint64_t seed = rng_state;
		reyes_renderer *r = scene_open();

		for (i = 0; i < CALLS; i++) {
			const uint32_t number = rng_below(SCENE_CALLS);
			const reyes_status s = make_call(r, &g, number);

			ok += s == REYES_OK;
			bad += s == REYES_ERR_SCENE;
			moved += r->pose.is_moved;
			CHECK(s == REYES_OK || (s == REYES_ERR_SCENE && reyes_last_error(r)[0]),
				"seed %llx call %d, number %u: %s", (unsigned long long)seed, i,
				number, reyes_strstatus(s));
		}
		CHECK(is_sound(r), "seed %llx", (unsigned long long)seed);
		reyes_i_scene_end_of_input(r);
		CHECK(is_sound(r) && r->block_count == 0, "seed %llx", (unsigned long long)seed);
		/* A proper scene follows. */
		reyes_move_camera(r, NULL);
		SCENE_OK(reyes_world_begin(r));
		SCENE_OK(reyes_surface(r, "matte", NULL));
		SCENE_OK(reyes_world_end(r));
		CHECK(is_sound(r) && r->frame_ready, "seed %llx", (unsigned long long)seed);
		reyes_close(&r);
	}
	/* Both ways are exercised. */
	CHECK(ok > ROUNDS * CALLS / 10 && bad > ROUNDS * CALLS / 10 && moved > 0,
		"%zu ok, %zu bad, %zu with a moved frame", ok, bad, moved);
}

static void every_call_refuses_no_renderer(void)
{
	garbage g;
	uint32_t number;

	for (number = 0; number < SCENE_CALLS; number++)
		CHECK(make_call(NULL, &g, number) == REYES_ERR_ARG, "call %u", number);
	CU_ASSERT_STRING_EQUAL(reyes_last_error(NULL), "the renderer is NULL");
	reyes_i_scene_end_of_input(NULL);
	reyes_close(NULL);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "no order of calls harms the scene", no_order_of_calls_harms_the_scene },
		{ "every call refuses no renderer", every_call_refuses_no_renderer },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("unusual arguments", tests);
}
