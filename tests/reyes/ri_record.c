/* The recording renderer: one row for each RI call. */
#include "tests/reyes/ri_record.h"
#include "reyes/rib/link.h"
#include "reyes/rib/rib.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static void put(reyes_renderer *r, const char *text)
{
	if (!r->is_silent)
		test_text_append(&r->calls, text, strlen(text));
}

static void begin(reyes_renderer *r, const char *name)
{
	r->call_count++;
	put(r, name);
}

static reyes_status end(reyes_renderer *r, const char *name)
{
	put(r, "\n");
	return r->rejected && strcmp(r->rejected, name) == 0 ? REYES_ERR_SCENE : REYES_OK;
}

static void put_number(reyes_renderer *r, double v)
{
	char text[40];

	/* Infinite numbers do not pass the reader. */
	if (!isfinite(v))
		abort();
	if (r->is_silent)
		return;
	snprintf(text, sizeof(text), " %.9g", v);
	put(r, text);
}

static void put_floats(reyes_renderer *r, size_t count, const float *v)
{
	put(r, " [");
	for (size_t i = 0; i < count; i++)
		put_number(r, (double)v[i]);
	put(r, " ]");
}

static void put_ints(reyes_renderer *r, size_t count, const int32_t *v)
{
	char text[40];

	put(r, " [");
	for (size_t i = 0; i < count && !r->is_silent; i++) {
		snprintf(text, sizeof(text), " %d", (int)v[i]);
		put(r, text);
	}
	put(r, " ]");
}

static void put_string(reyes_renderer *r, const char *s)
{
	char text[8];

	put(r, " \"");
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == '"' || *s == '\\')
			snprintf(text, sizeof(text), "\\%03o", (unsigned)(unsigned char)*s);
		else
			snprintf(text, sizeof(text), "%c", *s);
		put(r, text);
	}
	put(r, "\"");
}

static void put_strings(reyes_renderer *r, size_t count, const char *const *v)
{
	put(r, " [");
	for (size_t i = 0; i < count; i++)
		put_string(r, v[i]);
	put(r, " ]");
}

static void put_params(reyes_renderer *r, const reyes_params *p)
{
	for (size_t i = 0; i < p->count; i++) {
		const reyes_param *q = &p->list[i];

		put_string(r, q->token);
		if (q->strings)
			put_strings(r, q->count, q->strings);
		else
			put_floats(r, q->count, q->floats);
	}
}

#define R       reyes_renderer *r
#define PARAMS  const reyes_params *p
#define N(v)    put_number(r, (double)(v));
#define S(v)    put_string(r, v);
#define F(n, v) put_floats(r, n, v);
#define I(n, v) put_ints(r, n, v);
#define T(n, v) put_strings(r, n, v);
#define P       put_params(r, p);

/* Defines a call: function, request, parameters, text. */
#define CALL(function, name, parameters, ...)    \
	reyes_status reyes_##function parameters \
	{                                        \
		begin(r, name);                  \
		__VA_ARGS__                      \
		return end(r, name);             \
	}

CALL(frame_begin, "FrameBegin", (R, int number), r->blocks++; N(number))
CALL(frame_end, "FrameEnd", (R), r->blocks--;)
CALL(world_begin, "WorldBegin", (R), r->worlds++;)
CALL(attribute_begin, "AttributeBegin", (R), r->blocks++;)
CALL(attribute_end, "AttributeEnd", (R), r->blocks--;)
CALL(transform_begin, "TransformBegin", (R), r->blocks++;)
CALL(transform_end, "TransformEnd", (R), r->blocks--;)
CALL(solid_begin, "SolidBegin", (R, const char *s), r->blocks++; S(s))
CALL(solid_end, "SolidEnd", (R), r->blocks--;)
CALL(object_begin, "ObjectBegin", (R, const char *s), r->blocks++; S(s))
CALL(object_end, "ObjectEnd", (R), r->blocks--;)
CALL(object_instance, "ObjectInstance", (R, const char *s), S(s))
CALL(motion_begin, "MotionBegin", (R, size_t n, const float *t), r->blocks++; F(n, t))
CALL(motion_end, "MotionEnd", (R), r->blocks--;)

reyes_status reyes_world_end(R)
{
	begin(r, "WorldEnd");
	end(r, "WorldEnd");
	if (!r->worlds)
		return REYES_ERR_SCENE;
	r->worlds--;
	return REYES_OK;
}

CALL(declare, "Declare", (R, const char *s, const char *t), S(s) S(t))
CALL(format, "Format", (R, int w, int h, float a), N(w) N(h) N(a))
CALL(frame_aspect_ratio, "FrameAspectRatio", (R, float a), N(a))
CALL(screen_window, "ScreenWindow", (R, float a, float b, float c, float d), N(a) N(b) N(c) N(d))
CALL(crop_window, "CropWindow", (R, float a, float b, float c, float d), N(a) N(b) N(c) N(d))
CALL(projection, "Projection", (R, const char *s, PARAMS), S(s) P)
CALL(clipping, "Clipping", (R, float a, float b), N(a) N(b))
CALL(clipping_plane, "ClippingPlane", (R, float a, float b, float c, float d, float e, float f),
	N(a) N(b) N(c) N(d) N(e) N(f))
CALL(depth_of_field, "DepthOfField", (R, float a, float b, float c), N(a) N(b) N(c))
CALL(shutter, "Shutter", (R, float a, float b), N(a) N(b))
CALL(pixel_variance, "PixelVariance", (R, float a), N(a))
CALL(pixel_samples, "PixelSamples", (R, float a, float b), N(a) N(b))
CALL(pixel_filter, "PixelFilter", (R, const char *s, float a, float b), S(s) N(a) N(b))
CALL(exposure, "Exposure", (R, float a, float b), N(a) N(b))
CALL(imager, "Imager", (R, const char *s, PARAMS), S(s) P)
CALL(quantize, "Quantize", (R, const char *s, int a, int b, int c, float d),
	S(s) N(a) N(b) N(c) N(d))
CALL(display, "Display", (R, const char *s, const char *t, const char *u, PARAMS), S(s) S(t) S(u) P)
CALL(hider, "Hider", (R, const char *s, PARAMS), S(s) P)
CALL(color_samples, "ColorSamples", (R, size_t n, const float *a, const float *b),
	F(3 * n, a) F(3 * n, b))
CALL(relative_detail, "RelativeDetail", (R, float a), N(a))
CALL(option, "Option", (R, const char *s, PARAMS), S(s) P)
CALL(attribute, "Attribute", (R, const char *s, PARAMS), S(s) P)
CALL(color, "Color", (R, const float *v, size_t n), F(n, v))
CALL(opacity, "Opacity", (R, const float *v, size_t n), F(n, v))
CALL(texture_coordinates, "TextureCoordinates", (R, const float v[8]), F(8, v))
CALL(light_source, "LightSource", (R, const char *s, const char *h, PARAMS), S(s) S(h) P)
CALL(area_light_source, "AreaLightSource", (R, const char *s, const char *h, PARAMS), S(s) S(h) P)
CALL(illuminate, "Illuminate", (R, const char *h, int on), S(h) N(on))
CALL(surface, "Surface", (R, const char *s, PARAMS), S(s) P)
CALL(displacement, "Displacement", (R, const char *s, PARAMS), S(s) P)
CALL(atmosphere, "Atmosphere", (R, const char *s, PARAMS), S(s) P)
CALL(interior, "Interior", (R, const char *s, PARAMS), S(s) P)
CALL(exterior, "Exterior", (R, const char *s, PARAMS), S(s) P)
CALL(deformation, "Deformation", (R, const char *s, PARAMS), S(s) P)
CALL(shading_rate, "ShadingRate", (R, float a), N(a))
CALL(shading_interpolation, "ShadingInterpolation", (R, const char *s), S(s))
CALL(matte, "Matte", (R, int on), N(on))
CALL(bound, "Bound", (R, const float v[6]), F(6, v))
CALL(detail, "Detail", (R, const float v[6]), F(6, v))
CALL(detail_range, "DetailRange", (R, float a, float b, float c, float d), N(a) N(b) N(c) N(d))
CALL(geometric_approximation, "GeometricApproximation", (R, const char *s, float a), S(s) N(a))
CALL(geometric_representation, "GeometricRepresentation", (R, const char *s), S(s))
CALL(orientation, "Orientation", (R, const char *s), S(s))
CALL(reverse_orientation, "ReverseOrientation", (R), )
CALL(sides, "Sides", (R, int n), N(n))
CALL(identity, "Identity", (R), )
CALL(transform, "Transform", (R, reyes_matrix m), F(16, m[0]))
CALL(concat_transform, "ConcatTransform", (R, reyes_matrix m), F(16, m[0]))
CALL(perspective, "Perspective", (R, float a), N(a))
CALL(translate, "Translate", (R, float a, float b, float c), N(a) N(b) N(c))
CALL(rotate, "Rotate", (R, float a, float b, float c, float d), N(a) N(b) N(c) N(d))
CALL(scale, "Scale", (R, float a, float b, float c), N(a) N(b) N(c))
CALL(skew, "Skew", (R, float a, float b, float c, float d, float e, float f, float g),
	N(a) N(b) N(c) N(d) N(e) N(f) N(g))
CALL(coordinate_system, "CoordinateSystem", (R, const char *s), S(s))
CALL(scoped_coordinate_system, "ScopedCoordinateSystem", (R, const char *s), S(s))
CALL(coord_sys_transform, "CoordSysTransform", (R, const char *s), S(s))
CALL(polygon, "Polygon", (R, PARAMS), P)
CALL(general_polygon, "GeneralPolygon", (R, size_t n, const int32_t *a, PARAMS), I(n, a) P)
CALL(points_polygons, "PointsPolygons",
	(R, size_t n, const int32_t *a, size_t m, const int32_t *b, PARAMS), I(n, a) I(m, b) P)
CALL(points_general_polygons, "PointsGeneralPolygons",
	(R, size_t n, const int32_t *a, size_t m, const int32_t *b, size_t k, const int32_t *c,
		PARAMS),
	I(n, a) I(m, b) I(k, c) P)
CALL(basis, "Basis", (R, reyes_matrix u, int us, reyes_matrix v, int vs),
	F(16, u[0]) N(us) F(16, v[0]) N(vs))
CALL(patch, "Patch", (R, const char *s, PARAMS), S(s) P)
CALL(patch_mesh, "PatchMesh",
	(R, const char *s, int a, const char *t, int b, const char *u, PARAMS),
	S(s) N(a) S(t) N(b) S(u) P)
CALL(nu_patch, "NuPatch",
	(R, int a, int b, const float *u, float c, float d, int e, int f, const float *v, float g,
		float h, PARAMS),
	N(a) N(b) F((size_t)(a + b), u) N(c) N(d) N(e) N(f) F((size_t)(e + f), v) N(g) N(h) P)
CALL(subdivision_mesh, "SubdivisionMesh",
	(R, const char *s, size_t n, const int32_t *a, size_t m, const int32_t *b, size_t k,
		const char *const *t, const int32_t *c, size_t x, const int32_t *i, size_t y,
		const float *f, PARAMS),
	S(s) I(n, a) I(m, b) T(k, t) I(2 * k, c) I(x, i) F(y, f) P)
CALL(sphere, "Sphere", (R, float a, float b, float c, float d, PARAMS), N(a) N(b) N(c) N(d) P)
CALL(cone, "Cone", (R, float a, float b, float c, PARAMS), N(a) N(b) N(c) P)
CALL(cylinder, "Cylinder", (R, float a, float b, float c, float d, PARAMS), N(a) N(b) N(c) N(d) P)
CALL(hyperboloid, "Hyperboloid", (R, const float a[3], const float b[3], float c, PARAMS),
	F(3, a) F(3, b) N(c) P)
CALL(paraboloid, "Paraboloid", (R, float a, float b, float c, float d, PARAMS),
	N(a) N(b) N(c) N(d) P)
CALL(disk, "Disk", (R, float a, float b, float c, PARAMS), N(a) N(b) N(c) P)
CALL(torus, "Torus", (R, float a, float b, float c, float d, float e, PARAMS),
	N(a) N(b) N(c) N(d) N(e) P)
CALL(points, "Points", (R, size_t n, PARAMS), (void)n; P)
CALL(curves, "Curves", (R, const char *s, size_t n, const int32_t *a, const char *t, PARAMS),
	S(s) I(n, a) S(t) P)
CALL(blobby, "Blobby",
	(R, int a, size_t n, const int32_t *i, size_t m, const float *f, size_t k,
		const char *const *t, PARAMS),
	N(a) I(n, i) F(m, f) T(k, t) P)
CALL(geometry, "Geometry", (R, const char *s, PARAMS), S(s) P)
CALL(make_texture, "MakeTexture",
	(R, const char *a, const char *b, const char *c, const char *d, const char *e, float f,
		float g, PARAMS),
	S(a) S(b) S(c) S(d) S(e) N(f) N(g) P)
CALL(make_lat_long_environment, "MakeLatLongEnvironment",
	(R, const char *a, const char *b, const char *c, float f, float g, PARAMS),
	S(a) S(b) S(c) N(f) N(g) P)
CALL(make_cube_face_environment, "MakeCubeFaceEnvironment",
	(R, const char *const a[6], const char *b, float f, const char *c, float g, float h,
		PARAMS),
	S(a[0]) S(a[1]) S(a[2]) S(a[3]) S(a[4]) S(a[5]) S(b) N(f) S(c) N(g) N(h) P)
CALL(make_bump, "MakeBump",
	(R, const char *a, const char *b, const char *c, const char *d, const char *e, float f,
		float g, PARAMS),
	S(a) S(b) S(c) S(d) S(e) N(f) N(g) P)
CALL(make_shadow, "MakeShadow", (R, const char *a, const char *b, PARAMS), S(a) S(b) P)
CALL(error_handler, "ErrorHandler", (R, const char *s), S(s))

/* The lengths of these arrays follow from others: reads all that the interface promises. */
reyes_status reyes_trim_curve(R, size_t loop_count, const int32_t *curve_counts,
	const int32_t *order, size_t knot_count, const float *knots, const float *min,
	const float *max, const int32_t *counts, size_t point_count, const float *u, const float *v,
	const float *w)
{
	size_t curves = 0;

	for (size_t i = 0; i < loop_count; i++)
		curves += (size_t)curve_counts[i];
	begin(r, "TrimCurve");
	put_ints(r, loop_count, curve_counts);
	put_ints(r, curves, order);
	put_floats(r, knot_count, knots);
	put_floats(r, curves, min);
	put_floats(r, curves, max);
	put_ints(r, curves, counts);
	put_floats(r, point_count, u);
	put_floats(r, point_count, v);
	put_floats(r, point_count, w);
	return end(r, "TrimCurve");
}

/* Matrices that differ, instead of the real ones. */
reyes_status reyes_basis_by_name(const char *name, reyes_matrix m, int *step)
{
	static const char *const names[] = { "bezier", "b-spline", "catmull-rom", "hermite",
		"power" };

	for (int i = 0; i < 5; i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		for (int k = 0; k < 16; k++)
			m[k / 4][k % 4] = (float)(100 * i + k);
		*step = 1;
		return REYES_OK;
	}
	return REYES_ERR_SCENE;
}

/* ---- the renderer ---- */

reyes_i_rib_link reyes_i_rib_get_link(reyes_renderer *r)
{
	return (reyes_i_rib_link){
		.rib = &r->rib, .options = &r->options, .base_folder = &r->base_folder
	};
}

int reyes_i_scene_is_world_open(const reyes_renderer *r)
{
	return r->worlds > 0;
}

void reyes_i_log(reyes_renderer *r, reyes_level level, const char *format, ...)
{
	char place[300], text[1400];
	va_list list;
	int n;

	r->errors += level == REYES_LEVEL_ERROR;
	r->warnings += level == REYES_LEVEL_WARN;
	reyes_i_rib_where(r->rib, place, sizeof(place));
	r->unplaced += !place[0] && strncmp(format, "and ", 4) != 0;
	n = snprintf(text, sizeof(text), "%s %s", level == REYES_LEVEL_ERROR ? "error" : "warning",
		place);
	va_start(list, format);
	vsnprintf(text + n, sizeof(text) - (size_t)n - 1, format, list);
	va_end(list);
	strcat(text, "\n");
	if (!r->is_silent)
		test_text_append(&r->log, text, strlen(text));
}

reyes_status reyes_i_fail(reyes_renderer *r, reyes_status s, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(r->error, sizeof(r->error), format, list);
	va_end(list);
	return s;
}

void reyes_i_scene_end_of_input(reyes_renderer *r)
{
	r->ends_of_input++;
}

void record_init(reyes_renderer *r)
{
	memset(r, 0, sizeof(*r));
	r->options.struct_bytes = sizeof(r->options);
}

void record_clear(reyes_renderer *r)
{
	free(r->calls.s);
	free(r->log.s);
	memset(&r->calls, 0, sizeof(r->calls));
	memset(&r->log, 0, sizeof(r->log));
	r->errors = r->warnings = r->unplaced = 0;
	r->call_count = 0;
	r->worlds = r->blocks = r->ends_of_input = 0;
	r->error[0] = '\0';
}

void record_free(reyes_renderer *r)
{
	reyes_i_rib_destroy(r->rib);
	r->rib = NULL;
	free(r->base_folder);
	r->base_folder = NULL;
	record_clear(r);
}
