/* Every call of ri.h with arguments drawn from pools of unusual values. Arrays have the sizes that
 * the interface requires; all else is arbitrary. */
#ifndef TESTS_REYES_SCENE_CALLS_H
#define TESTS_REYES_SCENE_CALLS_H

#include <limits.h>
#include "tests/common/rng.h"
#include "tests/reyes/scene_setup.h"

enum { SCENE_CALLS = 100, GARBAGE_COUNT = 64 };

typedef struct garbage {
	float floats[GARBAGE_COUNT];
	int32_t ints[GARBAGE_COUNT], counts[GARBAGE_COUNT];
	const char *strings[GARBAGE_COUNT];
	reyes_param list[8];
	reyes_params params;
	float matrix[2][4][4];
} garbage;

static uint32_t pick(uint32_t n)
{
	return rng_below(n);
}

static float any_float(void)
{
	static const float pool[] = { NAN, INFINITY, -INFINITY, 0, -0.0f, 1e38f, -1e38f, 1e-40f,
		3e38f, 1e-10f, 1, -1, 0.5f, 2, 3, 90, 360, 1000 };

	return pool[pick(sizeof(pool) / sizeof(pool[0]))];
}

static int any_int(void)
{
	static const int pool[] = { INT_MIN, INT_MAX, 0, -1, 1, 2, 3, 4, 7, 10, 16, 65536,
		1000000 };

	return pool[pick(sizeof(pool) / sizeof(pool[0]))];
}

static const char *any_string(void)
{
	static char lengthy[6000];
	static const char *const pool[] = { NULL, "", "bezier", "perspective", "orthographic",
		"hidden", "rgba", "z", "P", "Pw", "Cs", "primitive", "union", "difference", "a",
		"b", "world", "camera", "one", "matte", "plastic", "metal", "spotlight",
		"distantlight", "ambientlight", "bumpy", "fog", "outside", "rh", "lh", "inside",
		"bicubic", "bilinear", "cubic", "linear", "periodic", "nonperiodic", "black",
		"clamp", "catmull-clark", "loop", "\xff\xfe", "%s%n%d", "a b c", "float",
		"uniform float x", "vertex point[4]", "limits", "searchpath", "shadow",
		"identifier", "displacementbound", "visibility", "smooth", "constant", "gaussian",
		"box", "&:&:&", "/", "abort", "print", "framebuffer", "+more.png", "raster",
		"current", "null" };
	const uint32_t n = sizeof(pool) / sizeof(pool[0]), i = pick(n + 1);

	if (i < n)
		return pool[i];
	memset(lengthy, 'x', sizeof(lengthy) - 1);
	return lengthy;
}

static const char *any_token(void)
{
	static const char *const pool[] = { "P", "P", "P", "Pw", "Pz", "N", "Np", "Cs", "Os", "s",
		"t", "st", "width", "constantwidth", "fov", "Ka", "Kd", "Ks", "roughness",
		"specularcolor", "texturename", "shadowname", "from", "to", "intensity",
		"lightcolor", "coneangle", "lighttype", "falloff", "sphere", "coordinatesystem",
		"name", "gridsize", "eyesplits", "zthreshold", "texture", "archive", "bias",
		"depthfilter", "jitter", "camera", "background", "uniform float[3] x",
		"vertex color Cs", "string P", "matrix N", "float[1000000] P", "float[", "  ",
		"undeclared" };

	return pick(8) == 0 ? any_string() : pool[pick(sizeof(pool) / sizeof(pool[0]))];
}

/* Draws all arguments again. */
static void refill(garbage *g)
{
	size_t i;
	const uint32_t calm = pick(3); /* now and then arguments that pass the checks */

	for (i = 0; i < GARBAGE_COUNT; i++) {
		g->floats[i] = calm ? (float)i / 8 : any_float();
		g->ints[i] = calm ? (int32_t)pick(8) : any_int();
		g->counts[i] = calm ? 3 + (int32_t)pick(2) : any_int();
		g->strings[i] = any_string();
	}
	for (i = 0; i < 32; i++)
		g->matrix[i / 16][i / 4 % 4][i % 4] =
			calm ? (i % 5 == 0) + (float)i / 99 : any_float();
	for (i = 0; i < 2 && calm; i++) {
		g->matrix[i][0][3] = g->matrix[i][1][3] = g->matrix[i][2][3] = 0;
		g->matrix[i][3][3] = 1;
	}
	g->params.count = pick(5);
	g->params.list = g->list;
	for (i = 0; i < g->params.count; i++) {
		g->list[i].token = i == 0 && calm ? "P" : any_token();
		g->list[i].count = i == 0 && calm ? 48 : pick(GARBAGE_COUNT + 1);
		g->list[i].floats = pick(8) ? g->floats : NULL;
		g->list[i].strings = g->list[i].floats && pick(8) ? NULL : g->strings;
	}
}

#define F      any_float()
#define I      any_int()
#define S      any_string()
#define N      pick(9)
#define PARAMS (pick(8) ? &g->params : NULL)
#define FLOATS (pick(16) ? g->floats : NULL)
#define INTS   (pick(16) ? g->ints : NULL)
#define COUNTS (pick(16) ? g->counts : NULL)

static reyes_status call_options(reyes_renderer *r, garbage *g, uint32_t number)
{
	switch (number) {
	case 0:
		return reyes_format(r, I, I, F);
	case 1:
		return reyes_frame_aspect_ratio(r, F);
	case 2:
		return reyes_screen_window(r, F, F, F, F);
	case 3:
		return reyes_crop_window(r, F, F, F, F);
	case 4:
		return reyes_projection(r, S, PARAMS);
	case 5:
		return reyes_clipping(r, F, F);
	case 6:
		return reyes_clipping_plane(r, F, F, F, F, F, F);
	case 7:
		return reyes_depth_of_field(r, F, F, F);
	case 8:
		return reyes_shutter(r, F, F);
	case 9:
		return reyes_pixel_variance(r, F);
	case 10:
		return reyes_pixel_samples(r, F, F);
	case 11:
		return reyes_pixel_filter(r, S, F, F);
	case 12:
		return reyes_exposure(r, F, F);
	case 13:
		return reyes_imager(r, S, PARAMS);
	case 14:
		return reyes_quantize(r, S, I, I, I, F);
	case 15:
		return reyes_display(r, S, S, S, PARAMS);
	case 16:
		return reyes_hider(r, S, PARAMS);
	case 17:
		return reyes_color_samples(r, pick(8), FLOATS, FLOATS);
	case 18:
		return reyes_relative_detail(r, F);
	case 19:
		return reyes_option(r, S, PARAMS);
	case 20:
		return reyes_declare(r, S, S);
	default:
		return reyes_error_handler(r, pick(2) ? "print" : S);
	}
}

static reyes_status call_attributes(reyes_renderer *r, garbage *g, uint32_t number)
{
	switch (number) {
	case 22:
		return reyes_attribute(r, S, PARAMS);
	case 23:
		return reyes_color(r, FLOATS, pick(5));
	case 24:
		return reyes_opacity(r, FLOATS, pick(5));
	case 25:
		return reyes_texture_coordinates(r, FLOATS);
	case 26:
		return reyes_light_source(r, S, S, PARAMS);
	case 27:
		return reyes_area_light_source(r, S, S, PARAMS);
	case 28:
		return reyes_illuminate(r, S, I);
	case 29:
		return reyes_surface(r, S, PARAMS);
	case 30:
		return reyes_displacement(r, S, PARAMS);
	case 31:
		return reyes_atmosphere(r, S, PARAMS);
	case 32:
		return reyes_interior(r, S, PARAMS);
	case 33:
		return reyes_exterior(r, S, PARAMS);
	case 34:
		return reyes_deformation(r, S, PARAMS);
	case 35:
		return reyes_shading_rate(r, F);
	case 36:
		return reyes_shading_interpolation(r, S);
	case 37:
		return reyes_matte(r, I);
	case 38:
		return reyes_bound(r, FLOATS);
	case 39:
		return reyes_detail(r, FLOATS);
	case 40:
		return reyes_detail_range(r, F, F, F, F);
	case 41:
		return reyes_geometric_approximation(r, S, F);
	case 42:
		return reyes_geometric_representation(r, S);
	case 43:
		return reyes_orientation(r, S);
	case 44:
		return reyes_reverse_orientation(r);
	case 45:
		return reyes_sides(r, I);
	default:
		return reyes_basis(r, g->matrix[0], I, g->matrix[1], I);
	}
}

static reyes_status call_transforms(reyes_renderer *r, garbage *g, uint32_t number)
{
	switch (number) {
	case 47:
		return reyes_identity(r);
	case 48:
		return reyes_transform(r, pick(9) ? g->matrix[0] : NULL);
	case 49:
		return reyes_concat_transform(r, pick(9) ? g->matrix[0] : NULL);
	case 50:
		return reyes_perspective(r, F);
	case 51:
		return reyes_translate(r, F, F, F);
	case 52:
		return reyes_rotate(r, F, F, F, F);
	case 53:
		return reyes_scale(r, F, F, F);
	case 54:
		return reyes_skew(r, F, F, F, F, F, F, F);
	case 55:
		return reyes_coordinate_system(r, S);
	case 56:
		return reyes_scoped_coordinate_system(r, S);
	default:
		return reyes_coord_sys_transform(r, S);
	}
}

static reyes_status call_geometry(reyes_renderer *r, garbage *g, uint32_t number)
{
	const size_t n = pick(9);

	switch (number) {
	case 58:
		return reyes_polygon(r, PARAMS);
	case 59:
		return reyes_general_polygon(r, n, COUNTS, PARAMS);
	case 60:
		return reyes_points_polygons(r, n, COUNTS, pick(33), INTS, PARAMS);
	case 61:
		return reyes_points_general_polygons(
			r, n, INTS, pick(9), COUNTS, pick(33), INTS, PARAMS);
	case 62:
		return reyes_patch(r, S, PARAMS);
	case 63:
		return reyes_patch_mesh(r, S, I, S, I, S, PARAMS);
	case 64:
		return reyes_nu_patch(r, (int)pick(23) - 2, (int)pick(36) - 2, FLOATS, F, F,
			(int)pick(23) - 2, (int)pick(36) - 2, FLOATS, F, F, PARAMS);
	case 65:
		return reyes_trim_curve(r, n, COUNTS, INTS, 9, FLOATS, FLOATS, FLOATS, INTS, 9,
			FLOATS, FLOATS, FLOATS);
	case 66:
		return reyes_subdivision_mesh(r, S, n, COUNTS, pick(33), INTS, pick(9), g->strings,
			INTS, pick(9), INTS, pick(9), FLOATS, PARAMS);
	case 67:
		return reyes_sphere(r, F, F, F, F, PARAMS);
	case 68:
		return reyes_cone(r, F, F, F, PARAMS);
	case 69:
		return reyes_cylinder(r, F, F, F, F, PARAMS);
	case 70:
		return reyes_hyperboloid(r, FLOATS, FLOATS, F, PARAMS);
	case 71:
		return reyes_paraboloid(r, F, F, F, F, PARAMS);
	case 72:
		return reyes_disk(r, F, F, F, PARAMS);
	case 73:
		return reyes_torus(r, F, F, F, F, F, PARAMS);
	case 74:
		return reyes_points(r, pick(2) ? n : SIZE_MAX, PARAMS);
	case 75:
		return reyes_curves(r, S, n, COUNTS, S, PARAMS);
	case 76:
		return reyes_blobby(r, I, n, INTS, n, FLOATS, n, g->strings, PARAMS);
	default:
		return reyes_geometry(r, S, PARAMS);
	}
}

/* The frame is not moved before WorldEnd and by most matrices: no error of the scene. */
static reyes_status move_frame(reyes_renderer *r, const garbage *g)
{
	static const float turn[16] = { 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 1e20f, 0, 1 };
	const uint32_t choice = pick(4);
	const reyes_status s = reyes_move_frame(r, choice == 0   ? NULL
						   : choice == 1 ? (const float *)g->matrix
								 : turn);

	return r && (s == REYES_ERR_ARG || s == REYES_ERR_STATE) ? REYES_ERR_SCENE : s;
}

static reyes_status call_blocks(reyes_renderer *r, garbage *g, uint32_t number)
{
	switch (number) {
	case 78:
		return reyes_frame_begin(r, I);
	case 79:
		return reyes_frame_end(r);
	case 80:
		return reyes_world_begin(r);
	case 81:
		return r && pick(4) ? REYES_OK : reyes_world_end(r);
	case 82:
		return reyes_attribute_begin(r);
	case 83:
		return reyes_attribute_end(r);
	case 84:
		return reyes_transform_begin(r);
	case 85:
		return reyes_transform_end(r);
	case 86:
		return reyes_solid_begin(r, S);
	case 87:
		return reyes_solid_end(r);
	case 88:
		return reyes_object_begin(r, S);
	case 89:
		return reyes_object_end(r);
	case 90:
		return reyes_object_instance(r, S);
	case 91:
		return reyes_motion_begin(r, N, FLOATS);
	case 92:
		return reyes_motion_end(r);
	case 93:
		return reyes_make_texture(r, S, S, S, S, S, F, F, PARAMS);
	case 94:
		return reyes_make_bump(r, S, S, S, S, S, F, F, PARAMS);
	case 95:
		return reyes_make_shadow(r, S, S, PARAMS);
	case 96:
		return reyes_make_lat_long_environment(r, S, S, S, F, F, PARAMS);
	case 97:
		return reyes_make_cube_face_environment(r, g->strings, S, F, S, F, F, PARAMS);
	case 98:
		reyes_move_camera(r, pick(4) ? NULL : (const float *)g->matrix);
		return r ? REYES_OK : REYES_ERR_ARG;
	default:
		return move_frame(r, g);
	}
}

/* Makes the call with a number below SCENE_CALLS. */
static reyes_status make_call(reyes_renderer *r, garbage *g, uint32_t number)
{
	refill(g);
	if (number < 22)
		return call_options(r, g, number);
	if (number < 47)
		return call_attributes(r, g, number);
	if (number < 58)
		return call_transforms(r, g, number);
	if (number < 78)
		return call_geometry(r, g, number);
	return call_blocks(r, g, number);
}

#undef F
#undef I
#undef S
#undef N
#undef PARAMS
#undef FLOATS
#undef INTS
#undef COUNTS

#endif
