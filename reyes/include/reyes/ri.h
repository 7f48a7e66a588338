/* The RI C binding (RI Specification 3.2), as calls on a renderer. Names are those of the
 * specification without "Ri"; a parameter list is an array of token, values and number of values.
 * Each call returns REYES_OK, or REYES_ERR_SCENE after it has logged the error: the request is then
 * ignored and the scene remains valid. Other statuses: REYES_ERR_ARG without a renderer,
 * REYES_ERR_NOMEM. Tokens may have inline declarations ("uniform float Kd"). All arrays are
 * copied. */
#ifndef REYES_RI_H
#define REYES_RI_H

#include <reyes/reyes.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* One token of a parameter list. Exactly one of floats and strings is not NULL, unless count is
 * 0. Integers are given as floats. */
typedef struct reyes_param {
	const char *token;
	const float *floats;
	const char *const *strings;
	size_t count;
} reyes_param;

typedef struct reyes_params {
	size_t count;
	const reyes_param *list;
} reyes_params;

typedef float reyes_matrix[4][4]; /* row vectors: p' = p M */

/* ---- blocks ---- */
/* A handle of an object or of a light is a name that the caller selects. */
reyes_status reyes_frame_begin(reyes_renderer *r, int number);
reyes_status reyes_frame_end(reyes_renderer *r);
reyes_status reyes_world_begin(reyes_renderer *r);
reyes_status reyes_world_end(reyes_renderer *r);
reyes_status reyes_attribute_begin(reyes_renderer *r);
reyes_status reyes_attribute_end(reyes_renderer *r);
reyes_status reyes_transform_begin(reyes_renderer *r);
reyes_status reyes_transform_end(reyes_renderer *r);
reyes_status reyes_solid_begin(reyes_renderer *r, const char *operation);
reyes_status reyes_solid_end(reyes_renderer *r);
reyes_status reyes_object_begin(reyes_renderer *r, const char *handle);
reyes_status reyes_object_end(reyes_renderer *r);
reyes_status reyes_object_instance(reyes_renderer *r, const char *handle);
/* times: `count` of them, ascending, in the units of reyes_shutter. With other ones, which are an
 * error, the first request of the block counts. */
reyes_status reyes_motion_begin(reyes_renderer *r, size_t count, const float *times);
reyes_status reyes_motion_end(reyes_renderer *r);

/* ---- options ---- */
reyes_status reyes_declare(reyes_renderer *r, const char *name, const char *declaration);
reyes_status reyes_format(reyes_renderer *r, int width, int height, float pixel_aspect);
reyes_status reyes_frame_aspect_ratio(reyes_renderer *r, float aspect);
reyes_status reyes_screen_window(
	reyes_renderer *r, float left, float right, float bottom, float top);
reyes_status reyes_crop_window(reyes_renderer *r, float xmin, float xmax, float ymin, float ymax);
reyes_status reyes_projection(reyes_renderer *r, const char *name, const reyes_params *p);
reyes_status reyes_clipping(reyes_renderer *r, float hither, float yon);
reyes_status reyes_clipping_plane(
	reyes_renderer *r, float x, float y, float z, float nx, float ny, float nz);
reyes_status reyes_depth_of_field(
	reyes_renderer *r, float fstop, float focal_length, float focal_distance);
reyes_status reyes_shutter(reyes_renderer *r, float open, float close);
reyes_status reyes_pixel_variance(reyes_renderer *r, float variance);
reyes_status reyes_pixel_samples(reyes_renderer *r, float x, float y);
reyes_status reyes_pixel_filter(reyes_renderer *r, const char *name, float xwidth, float ywidth);
reyes_status reyes_exposure(reyes_renderer *r, float gain, float gamma);
reyes_status reyes_imager(reyes_renderer *r, const char *name, const reyes_params *p);
reyes_status reyes_quantize(
	reyes_renderer *r, const char *type, int one, int min, int max, float dither);
/* "+name" adds a display, another name replaces those before. type: file, tiff, png, exr, zfile,
 * framebuffer; mode: as in reyes_display_info. */
reyes_status reyes_display(reyes_renderer *r, const char *name, const char *type, const char *mode,
	const reyes_params *p);
reyes_status reyes_hider(reyes_renderer *r, const char *type, const reyes_params *p);
reyes_status reyes_color_samples(
	reyes_renderer *r, size_t count, const float *to_rgb, const float *from_rgb);
reyes_status reyes_relative_detail(reyes_renderer *r, float relative);
reyes_status reyes_option(reyes_renderer *r, const char *name, const reyes_params *p);

/* ---- attributes ---- */
reyes_status reyes_attribute(reyes_renderer *r, const char *name, const reyes_params *p);
/* count: 3, or the number of color samples. */
reyes_status reyes_color(reyes_renderer *r, const float *values, size_t count);
reyes_status reyes_opacity(reyes_renderer *r, const float *values, size_t count);
reyes_status reyes_texture_coordinates(reyes_renderer *r, const float st[8]);
reyes_status reyes_light_source(
	reyes_renderer *r, const char *shader, const char *handle, const reyes_params *p);
reyes_status reyes_area_light_source(
	reyes_renderer *r, const char *shader, const char *handle, const reyes_params *p);
reyes_status reyes_illuminate(reyes_renderer *r, const char *handle, int on);
reyes_status reyes_surface(reyes_renderer *r, const char *shader, const reyes_params *p);
reyes_status reyes_displacement(reyes_renderer *r, const char *shader, const reyes_params *p);
reyes_status reyes_atmosphere(reyes_renderer *r, const char *shader, const reyes_params *p);
reyes_status reyes_interior(reyes_renderer *r, const char *shader, const reyes_params *p);
reyes_status reyes_exterior(reyes_renderer *r, const char *shader, const reyes_params *p);
reyes_status reyes_deformation(reyes_renderer *r, const char *shader, const reyes_params *p);
/* Area of a micropolygon, pixels; above 0. */
reyes_status reyes_shading_rate(reyes_renderer *r, float area_px);
reyes_status reyes_shading_interpolation(reyes_renderer *r, const char *type);
reyes_status reyes_matte(reyes_renderer *r, int on);
reyes_status reyes_bound(reyes_renderer *r, const float bound[6]);
reyes_status reyes_detail(reyes_renderer *r, const float bound[6]);
reyes_status reyes_detail_range(reyes_renderer *r, float min_visible, float lower_transition,
	float upper_transition, float max_visible);
reyes_status reyes_geometric_approximation(reyes_renderer *r, const char *type, float value);
reyes_status reyes_geometric_representation(reyes_renderer *r, const char *type);
reyes_status reyes_orientation(reyes_renderer *r, const char *orientation);
reyes_status reyes_reverse_orientation(reyes_renderer *r);
reyes_status reyes_sides(reyes_renderer *r, int sides);

/* ---- transformations ---- */
reyes_status reyes_identity(reyes_renderer *r);
reyes_status reyes_transform(reyes_renderer *r, reyes_matrix m);
reyes_status reyes_concat_transform(reyes_renderer *r, reyes_matrix m);
reyes_status reyes_perspective(reyes_renderer *r, float fov_degrees);
reyes_status reyes_translate(reyes_renderer *r, float dx, float dy, float dz);
reyes_status reyes_rotate(reyes_renderer *r, float degrees, float dx, float dy, float dz);
reyes_status reyes_scale(reyes_renderer *r, float sx, float sy, float sz);
/* Angles are in degrees, here and in quadrics. */
reyes_status reyes_skew(reyes_renderer *r, float degrees, float dx1, float dy1, float dz1,
	float dx2, float dy2, float dz2);
reyes_status reyes_coordinate_system(reyes_renderer *r, const char *space);
reyes_status reyes_scoped_coordinate_system(reyes_renderer *r, const char *space);
reyes_status reyes_coord_sys_transform(reyes_renderer *r, const char *space);

/* ---- geometry ---- */
/* Faces and curves of too few vertices, and faces with a vertex that "P" does not have, are left
 * out with a warning; without any face, curve or point a request draws nothing. */
reyes_status reyes_polygon(reyes_renderer *r, const reyes_params *p);
reyes_status reyes_general_polygon(
	reyes_renderer *r, size_t loop_count, const int32_t *vertex_counts, const reyes_params *p);
reyes_status reyes_points_polygons(reyes_renderer *r, size_t polygon_count,
	const int32_t *vertex_counts, size_t vertex_count, const int32_t *vertices,
	const reyes_params *p);
reyes_status reyes_points_general_polygons(reyes_renderer *r, size_t polygon_count,
	const int32_t *loop_counts, size_t loop_count, const int32_t *vertex_counts,
	size_t vertex_count, const int32_t *vertices, const reyes_params *p);
reyes_status reyes_basis(reyes_renderer *r, reyes_matrix u, int u_step, reyes_matrix v, int v_step);
/* bezier, b-spline, catmull-rom, hermite, power: writes the matrix and its step. */
reyes_status reyes_basis_by_name(const char *name, reyes_matrix m, int *step);
reyes_status reyes_patch(reyes_renderer *r, const char *type, const reyes_params *p);
reyes_status reyes_patch_mesh(reyes_renderer *r, const char *type, int u_count, const char *u_wrap,
	int v_count, const char *v_wrap, const reyes_params *p);
reyes_status reyes_nu_patch(reyes_renderer *r, int u_count, int u_order, const float *u_knots,
	float u_min, float u_max, int v_count, int v_order, const float *v_knots, float v_min,
	float v_max, const reyes_params *p);
/* curve_counts: curves of each loop; order, min, max: one a curve; knots: counts[i] + order[i] a
 * curve; u, v, w: counts[i] a curve. */
reyes_status reyes_trim_curve(reyes_renderer *r, size_t loop_count, const int32_t *curve_counts,
	const int32_t *order, size_t knot_count, const float *knots, const float *min,
	const float *max, const int32_t *counts, size_t point_count, const float *u, const float *v,
	const float *w);
reyes_status reyes_subdivision_mesh(reyes_renderer *r, const char *scheme, size_t face_count,
	const int32_t *vertex_counts, size_t vertex_count, const int32_t *vertices,
	size_t tag_count, const char *const *tags, const int32_t *arg_counts /* [2 tag_count] */,
	size_t int_count, const int32_t *ints, size_t float_count, const float *floats,
	const reyes_params *p);
reyes_status reyes_sphere(reyes_renderer *r, float radius, float zmin, float zmax, float thetamax,
	const reyes_params *p);
reyes_status reyes_cone(
	reyes_renderer *r, float height, float radius, float thetamax, const reyes_params *p);
reyes_status reyes_cylinder(reyes_renderer *r, float radius, float zmin, float zmax, float thetamax,
	const reyes_params *p);
reyes_status reyes_hyperboloid(reyes_renderer *r, const float point1[3], const float point2[3],
	float thetamax, const reyes_params *p);
reyes_status reyes_paraboloid(reyes_renderer *r, float rmax, float zmin, float zmax, float thetamax,
	const reyes_params *p);
reyes_status reyes_disk(
	reyes_renderer *r, float height, float radius, float thetamax, const reyes_params *p);
reyes_status reyes_torus(reyes_renderer *r, float major_radius, float minor_radius, float phimin,
	float phimax, float thetamax, const reyes_params *p);
reyes_status reyes_points(reyes_renderer *r, size_t count, const reyes_params *p);
reyes_status reyes_curves(reyes_renderer *r, const char *type, size_t curve_count,
	const int32_t *vertex_counts, const char *wrap, const reyes_params *p);
reyes_status reyes_blobby(reyes_renderer *r, int leaf_count, size_t int_count, const int32_t *ints,
	size_t float_count, const float *floats, size_t string_count, const char *const *strings,
	const reyes_params *p);
reyes_status reyes_geometry(reyes_renderer *r, const char *type, const reyes_params *p);

/* ---- textures ---- */
reyes_status reyes_make_texture(reyes_renderer *r, const char *picture, const char *texture,
	const char *swrap, const char *twrap, const char *filter, float swidth, float twidth,
	const reyes_params *p);
reyes_status reyes_make_lat_long_environment(reyes_renderer *r, const char *picture,
	const char *texture, const char *filter, float swidth, float twidth, const reyes_params *p);
reyes_status reyes_make_cube_face_environment(reyes_renderer *r, const char *const pictures[6],
	const char *texture, float fov, const char *filter, float swidth, float twidth,
	const reyes_params *p);
reyes_status reyes_make_bump(reyes_renderer *r, const char *picture, const char *texture,
	const char *swrap, const char *twrap, const char *filter, float swidth, float twidth,
	const reyes_params *p);
reyes_status reyes_make_shadow(
	reyes_renderer *r, const char *picture, const char *texture, const reyes_params *p);

/* ---- others ---- */
/* "ignore" logs no errors, "print" and "printonce" log them, "abort" is options.strict from now
 * on. */
reyes_status reyes_error_handler(reyes_renderer *r, const char *style);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
