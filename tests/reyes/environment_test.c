/* Environment maps: the direction of each face and of a panorama, by mirrors that reflect a known
 * direction, and the files that the requests make. */
#include "reyes/image/formats.h"
#include "reyes/image/texture.h"
#include "reyes/scene/frame_arrays.h"
#include "reyes/shade/environment.h"
#include "tests/reyes/pictures.h"
#include "tests/reyes/render_setup.h"

static char message[600];

/* The colors of an environment without a discontinuity: each direction has its own. */
static void color_of(const double d[3], double color[3])
{
	const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);

	for (int k = 0; k < 3; k++)
		color[k] = 0.5 + 0.5 * d[k] / length;
}

/* Row vectors: the transform Rotate of RISpec 3.2 by degrees around an axis. */
static void rotate(double d[3], double degrees, int axis)
{
	const double a = degrees * PI / 180, c = cos(a), s = sin(a);
	const int i = (axis + 1) % 3, j = (axis + 2) % 3;
	const double x = d[i], y = d[j];

	d[i] = x * c - y * s;
	d[j] = x * s + y * c;
}

/* The rotations from world to camera space with which a scene renders the faces. */
static const struct {
	const char *name;
	double degrees;
	int axis;
} faces[6] = { { "px.tif", -90, 1 }, { "nx.tif", 90, 1 }, { "py.tif", 90, 0 }, { "ny.tif", -90, 0 },
	{ "pz.tif", 0, 1 }, { "nz.tif", 180, 1 } };

static void write_picture(
	const char *name, uint32_t w, uint32_t h, void (*at)(double s, double t, double d[3]))
{
	const reyes_i_write_options o = { .type = REYES_I_SAMPLE_FLOAT };
	reyes_i_note note = { "" };
	reyes_i_picture p;

	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, w, h, "R G B", &note), REYES_OK);
	for (uint32_t y = 0; y < h; y++)
		for (uint32_t x = 0; x < w; x++) {
			double d[3], color[3];

			at((x + 0.5) / w, (y + 0.5) / h, d);
			color_of(d, color);
			for (int c = 0; c < 3; c++)
				p.data[(y * w + x) * 3 + (uint32_t)c] = (float)color[c];
		}
	CHECK(reyes_i_picture_write(&p, in_folder(name), REYES_I_FORMAT_TIFF, &o, message,
		      sizeof(message)) == REYES_OK,
		"%s", message);
	reyes_i_picture_free(&p);
}

static int face;
static double face_half; /* tangent of half the angle of a face */

/* The direction in the world that a camera sees at (s, t) of its picture. */
static void face_direction(double s, double t, double d[3])
{
	d[0] = (2 * s - 1) * face_half;
	d[1] = (1 - 2 * t) * face_half;
	d[2] = 1;
	rotate(d, -faces[face].degrees, faces[face].axis);
}

static void panorama_direction(double s, double t, double d[3])
{
	const double longitude = (2 * s - 1) * PI, polar = t * PI;

	d[0] = sin(polar) * cos(longitude);
	d[1] = sin(polar) * sin(longitude);
	d[2] = cos(polar);
}

static void write_faces(uint32_t side, double fov_degrees)
{
	face_half = tan(fov_degrees * PI / 360);
	for (face = 0; face < 6; face++)
		write_picture(faces[face].name, side, side, face_direction);
}

static reyes_status make_cube(const char *to, double fov_degrees)
{
	static char paths[6][600];
	const char *from[6];

	for (int k = 0; k < 6; k++) {
		snprintf(paths[k], sizeof(paths[k]), "%s", in_folder(faces[k].name));
		from[k] = paths[k];
	}
	message[0] = '\0';
	return reyes_i_make_cube(NULL, from, in_folder(to), fov_degrees, message, sizeof(message));
}

/* Compares lookups in all directions with the formula. */
static void check_map(const char *name, uint32_t kind, double tolerance)
{
	reyes_i_frame f = { 0 };
	reyes_i_view view;
	uint32_t index;

	CHECK(reyes_i_texture_load(&f, in_folder(name), REYES_I_TEXTURE_ENVIRONMENT, &index,
		      message, sizeof(message)) == REYES_OK,
		"%s", message);
	CU_ASSERT_EQUAL_FATAL(f.textures.count, 1);
	CU_ASSERT_EQUAL(f.textures.list[0].environment, kind);
	view = reyes_i_view_of(&f);
	for (int k = 0; k < 4000; k++) {
		/* the axes first, then a spiral over the sphere */
		const double z = 1 - 2 * (k + 0.5) / 4000, a = 2.39996 * k, r = sqrt(1 - z * z);
		double d[3] = { r * cos(a), r * sin(a), z }, expected[3];
		reyes_i_vec c;

		if (k < 6)
			for (int i = 0; i < 3; i++)
				d[i] = i == k / 2 ? 1 - 2 * (k % 2) : 0;
		color_of(d, expected);
		c = reyes_i_environment_at(&view, index,
			reyes_i_vec_of((float)(3 * d[0]), (float)(3 * d[1]), (float)(3 * d[2])), 0);
		CHECK(fabs((double)c.x - expected[0]) < tolerance &&
				fabs((double)c.y - expected[1]) < tolerance &&
				fabs((double)c.z - expected[2]) < tolerance,
			"%s, direction %g %g %g: %g %g %g, not %g %g %g", name, d[0], d[1], d[2],
			(double)c.x, (double)c.y, (double)c.z, expected[0], expected[1],
			expected[2]);
	}
	reyes_i_frame_free(&f);
}

static void a_cube_has_the_direction_of_each_face(void)
{
	write_faces(64, 90);
	CHECK(make_cube("cube.tif", 90) == REYES_OK, "%s", message);
	check_map("cube.tif", REYES_I_ENVIRONMENT_CUBE, 0.01);
	/* faces that overlap: the map has the part of 90 degrees */
	write_faces(96, 110);
	CHECK(make_cube("wide.tif", 110) == REYES_OK, "%s", message);
	check_map("wide.tif", REYES_I_ENVIRONMENT_CUBE, 0.01);
}

static void a_panorama_has_its_directions(void)
{
	write_picture("panorama.tif", 256, 128, panorama_direction);
	check_map("panorama.tif", REYES_I_ENVIRONMENT_PANORAMA, 0.015);
}

static void a_wide_filter_is_the_mean_of_a_face(void)
{
	reyes_i_frame f = { 0 };
	reyes_i_view view;
	uint32_t index;

	write_faces(48, 90);
	CHECK(make_cube("cube.tif", 90) == REYES_OK, "%s", message);
	CHECK(reyes_i_texture_load(&f, in_folder("cube.tif"), REYES_I_TEXTURE_ENVIRONMENT, &index,
		      message, sizeof(message)) == REYES_OK,
		"%s", message);
	view = reyes_i_view_of(&f);
	for (int k = 0; k < 6; k++) {
		const float sign = k % 2 ? -1 : 1;
		float d[3] = { 0.2f, 0.2f, 0.2f };
		reyes_i_vec c;
		double mean = 0;

		d[k / 2] = sign;
		for (int y = 0; y < 400; y++)
			for (int x = 0; x < 400; x++)
				mean += 1 /
					sqrt(1 + pow((x + 0.5) / 200 - 1, 2) +
						pow((y + 0.5) / 200 - 1, 2)) /
					160000;
		c = reyes_i_environment_at(&view, index, reyes_i_vec_of(d[0], d[1], d[2]), 10);
		d[0] = c.x;
		d[1] = c.y;
		d[2] = c.z;
		for (int i = 0; i < 3; i++)
			CHECK(fabs((double)d[i] -
				      (i == k / 2 ? 0.5 + 0.5 * (double)sign * mean : 0.5)) < 1e-3,
				"face %d, channel %d: %g", k, i, (double)d[i]);
	}
	reyes_i_frame_free(&f);
}

/* A mirror that faces the camera at an angle: world space is not camera space. */
static void a_mirror_shows_the_direction_of_its_reflection(void)
{
	static const double turns[] = { 0, 30, 45, 60, -75 };
	const char *const at = test_folder;

	write_faces(64, 90);
	for (size_t k = 0; k < sizeof(turns) / sizeof(turns[0]); k++) {
		/* World to camera: Rotate 40 around y. The mirror is turned around the camera's x
		 * axis, which turns the reflection of a ray along z by twice the angle. */
		double d[3] = { 0, 0, -1 }, expected[3];
		shot s;

		rotate(d, 2 * turns[k], 0);
		rotate(d, -40, 1);
		color_of(d, expected);
		CHECK(!shot_of(&s,
			      SHOT_FORMAT
			      "MakeCubeFaceEnvironment \"%s/px.tif\" \"%s/nx.tif\" \"%s/py.tif\" "
			      "\"%s/ny.tif\" \"%s/pz.tif\" \"%s/nz.tif\" \"%s/mirror.tif\" 90 "
			      "\"box\" 1 1\nTranslate 0 0 3\nRotate 40 0 1 0\nWorldBegin\n"
			      "Surface \"shinymetal\" \"Kr\" 0.5 \"texturename\" "
			      "\"%s/mirror.tif\"\n"
			      "Rotate -40 0 1 0\nRotate %g 1 0 0\nColor 1 .5 1\n"
			      "Polygon \"P\" [-9 -9 0 9 -9 0 9 9 0 -9 9 0]\nWorldEnd\n",
			      32, 32, at, at, at, at, at, at, at, at, turns[k]),
			"%s", s.message);
		for (int c = 0; c < 3; c++) {
			const double e = expected[c] * (c == 1 ? 0.25 : 0.5);

			CHECK(fabs((double)pixel(&s, 16, 16)[c] - e) < 0.006,
				"turned by %g, channel %d: %g, not %g", turns[k], c,
				(double)pixel(&s, 16, 16)[c], e);
		}
		shot_free(&s);
	}
}

static void wrong_faces_are_errors(void)
{
	write_faces(16, 90);
	CU_ASSERT_EQUAL(make_cube("bad.tif", 89), REYES_ERR_ARG);
	CU_ASSERT_EQUAL(make_cube("bad.tif", NAN), REYES_ERR_ARG);
	CU_ASSERT_EQUAL(make_cube("bad.tif", 180), REYES_ERR_ARG);
	face = 3;
	write_picture(faces[3].name, 15, 15, face_direction);
	CU_ASSERT_EQUAL(make_cube("bad.tif", 90), REYES_ERR_SCENE);
	CHECK(strstr(message, "ny.tif") && strstr(message, "15 pixels a side"), "%s", message);
	write_picture(faces[3].name, 16, 15, face_direction);
	CU_ASSERT_EQUAL(make_cube("bad.tif", 90), REYES_ERR_SCENE);
	CHECK(strstr(message, "the face of a cube is a square") != NULL, "%s", message);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a cube has the direction of each face", a_cube_has_the_direction_of_each_face },
		{ "a panorama has its directions", a_panorama_has_its_directions },
		{ "a wide filter is the mean of a face", a_wide_filter_is_the_mean_of_a_face },
		{ "a mirror shows the direction of its reflection",
			a_mirror_shows_the_direction_of_its_reflection },
		{ "wrong faces are errors", wrong_faces_are_errors },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "environment maps", open_folder, close_folder, NULL, NULL,
					  tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
