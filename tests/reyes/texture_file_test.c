/* reyes/image: texture files, mipmaps, shadow maps. */
#include "reyes/image/mipmap.h"
#include "reyes/image/texture.h"
#include "reyes/scene/frame_arrays.h"
#include "tests/reyes/pictures.h"

#include <math.h>

static char message[600];

/* Mean of texel (i, j) of the next level: each axis is divided into n * half cells, of which a
 * texel of the level has `half` and one of the next level has n. */
static double mean_of_cells(const float *from, uint32_t w, uint32_t h, uint32_t channels,
	uint32_t i, uint32_t j, uint32_t c)
{
	const uint32_t half_w = w > 1 ? (w + 1) / 2 : 1, half_h = h > 1 ? (h + 1) / 2 : 1;
	double sum = 0;

	for (uint32_t y = j * h; y < (j + 1) * h; y++)
		for (uint32_t x = i * w; x < (i + 1) * w; x++)
			sum += (double)from[((size_t)(y / half_h) * w + x / half_w) * channels + c];
	return sum / w / h;
}

static void check_levels(const reyes_i_frame *f, const reyes_i_texture *t)
{
	const float *level = f->texels.list + t->data;
	uint32_t w = t->width, h = t->height;

	for (uint32_t k = 1; k < t->levels; k++) {
		const uint32_t next_w = w > 1 ? (w + 1) / 2 : 1, next_h = h > 1 ? (h + 1) / 2 : 1;
		const float *next = level + (size_t)w * h * t->channels;

		for (uint32_t j = 0; j < next_h; j++)
			for (uint32_t i = 0; i < next_w; i++)
				for (uint32_t c = 0; c < t->channels; c++) {
					const double mean =
						mean_of_cells(level, w, h, t->channels, i, j, c);
					const double got = (double)
						next[((size_t)j * next_w + i) * t->channels + c];

					CHECK(fabs(got - mean) < 1e-6,
						"%u x %u, level %u, (%u, %u): %.9g, not %.9g",
						t->width, t->height, k, i, j, got, mean);
				}
		level = next;
		w = next_w;
		h = next_h;
	}
	CHECK(w == 1 && h == 1, "the last level has %u x %u", w, h);
	CHECK((size_t)(level - f->texels.list) + t->channels == f->texels.count, "%zu texels",
		f->texels.count);
}

static void levels_are_means_of_areas(void)
{
	static const uint32_t sizes[][2] = { { 1, 1 }, { 2, 2 }, { 16, 16 }, { 5, 7 }, { 1, 9 },
		{ 33, 2 }, { 61, 47 } };
	static const char *const channels[] = { "Y", "R G B", "R G B A" };

	if (!reyes_i_format_exists(REYES_I_FORMAT_TIFF))
		return;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const reyes_i_write_options o = { .type = REYES_I_SAMPLE_8 };
		reyes_i_note note = { "" };
		reyes_i_frame f = { 0 };
		reyes_i_picture p;
		uint32_t index = 5;

		CU_ASSERT_EQUAL_FATAL(
			reyes_i_picture_init(&p, sizes[i][0], sizes[i][1], channels[i % 3], &note),
			REYES_OK);
		fill_picture(&p, REYES_I_SAMPLE_8, i + 1, 0);
		CU_ASSERT_EQUAL_FATAL(reyes_i_picture_write(&p, in_folder("t.tif"),
					      REYES_I_FORMAT_TIFF, &o, message, sizeof(message)),
			REYES_OK);
		CHECK(reyes_i_texture_load(&f, in_folder("t.tif"), 0, &index, message,
			      sizeof(message)) == REYES_OK,
			"%s", message);
		CU_ASSERT_EQUAL_FATAL(index, 0);
		CU_ASSERT_EQUAL(f.textures.list[0].channels, p.channels);
		CU_ASSERT_EQUAL(f.textures.list[0].s_wrap, REYES_I_WRAP_BLACK);
		for (size_t k = 0; k < (size_t)p.width_px * p.height_px * p.channels; k++)
			CU_ASSERT_DOUBLE_EQUAL(f.texels.list[k], p.data[k], 1e-7);
		check_levels(&f, &f.textures.list[0]);
		reyes_i_picture_free(&p);
		reyes_i_frame_free(&f);
	}
}

static void wrap_modes_are_in_the_file(void)
{
	static const char *const files[] = { "w.tif", "w.exr" };

	for (size_t i = 0; i < 2; i++) {
		const reyes_i_write_options o = { .type = REYES_I_SAMPLE_8 };
		reyes_i_note note = { "" };
		reyes_i_frame f = { 0 };
		reyes_i_picture p, q;
		uint32_t index;

		if (!reyes_i_format_exists(REYES_I_FORMAT_PNG) ||
			!reyes_i_format_exists(reyes_i_format_of_name(files[i])))
			continue;
		CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, 6, 5, "R G B", &note), REYES_OK);
		fill_picture(&p, REYES_I_SAMPLE_8, 3, 0);
		CU_ASSERT_EQUAL_FATAL(reyes_i_picture_write(&p, in_folder("from.png"),
					      REYES_I_FORMAT_PNG, &o, message, sizeof(message)),
			REYES_OK);
		CHECK(reyes_i_make_texture(NULL, in_folder("from.png"), in_folder(files[i]),
			      "clamp", "periodic", message, sizeof(message)) == REYES_OK,
			"%s", message);
		/* In place, with other modes. */
		CHECK(reyes_i_make_texture(NULL, in_folder(files[i]), in_folder(files[i]),
			      "periodic", "clamp", message, sizeof(message)) == REYES_OK,
			"%s", message);
		CU_ASSERT_EQUAL_FATAL(reyes_i_texture_load(&f, in_folder(files[i]), 0, &index,
					      message, sizeof(message)),
			REYES_OK);
		CU_ASSERT_EQUAL(f.textures.list[index].s_wrap, REYES_I_WRAP_PERIODIC);
		CU_ASSERT_EQUAL(f.textures.list[index].t_wrap, REYES_I_WRAP_CLAMP);
		CU_ASSERT_EQUAL_FATAL(
			reyes_i_picture_read(&q, in_folder(files[i]), message, sizeof(message)),
			REYES_OK);
		CU_ASSERT_EQUAL(picture_distance(&p, &q), 0);
		reyes_i_picture_free(&p);
		reyes_i_picture_free(&q);
		reyes_i_frame_free(&f);
	}
	CU_ASSERT_EQUAL(
		reyes_i_make_texture(NULL, "a", "b", "mirror", NULL, message, sizeof(message)),
		REYES_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "\"mirror\""));
}

/* A camera at (1, 2, -10) looking along +z: Nl is a translation; a perspective with the half angle
 * atan(1/2): NP = Nl times x, y scaled by 2 and w = z. */
static void fill_camera(reyes_i_picture *p)
{
	static const float nl[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -2, 10, 1 };
	static const float np[16] = { 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 1, -2, -4, 9, 10 };

	memcpy(p->world_to_camera, nl, sizeof(nl));
	memcpy(p->world_to_screen, np, sizeof(np));
	p->has_matrices = 1;
}

static void transform(const float p[4], const float m[16], double out[4])
{
	for (int c = 0; c < 4; c++) {
		out[c] = 0;
		for (int r = 0; r < 4; r++)
			out[c] += (double)p[r] * (double)m[4 * r + c];
	}
}

/* A point that is a quarter of the window right of the axis and an eighth above it. */
static void shadow_maps_project_points(void)
{
	static const char *const files[] = { "s.tif", "s.exr" };
	static const float c2w[16] = { 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1 };
	const float world[4] = { 1 + 5, 2 + 2.5f, 10, 1 };
	/* (x, y, z) c2w = (3 - y, 4 + x, 5 + z) = world */
	const float eye[4] = { world[1] - 4, 3 - world[0], world[2] - 5, 1 };

	for (size_t i = 0; i < 2; i++) {
		const reyes_i_write_options o = { .type = REYES_I_SAMPLE_FLOAT };
		reyes_i_note note = { "" };
		reyes_i_frame f = { 0 };
		reyes_i_texture *t;
		reyes_i_picture p;
		double q[4], d = 0;
		uint32_t index;

		if (!reyes_i_format_exists(reyes_i_format_of_name(files[i])))
			continue;
		CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, 3, 2, "A Z", &note), REYES_OK);
		fill_camera(&p);
		for (int k = 0; k < 6; k++)
			p.data[2 * k + 1] = (float)k + 0.5f;
		p.data[1] = NAN;
		p.full_width_px = 5;
		p.full_height_px = 4;
		p.x_px = p.y_px = 1;
		CU_ASSERT_EQUAL_FATAL(
			reyes_i_picture_write(&p, in_folder(files[i]),
				reyes_i_format_of_name(files[i]), &o, message, sizeof(message)),
			REYES_OK);
		CHECK(reyes_i_make_shadow(NULL, in_folder(files[i]), in_folder(files[i]), message,
			      sizeof(message)) == REYES_OK,
			"%s", message);
		CHECK(reyes_i_texture_load(&f, in_folder(files[i]), 1, &index, message,
			      sizeof(message)) == REYES_OK,
			"%s", message);
		t = &f.textures.list[index];
		CU_ASSERT_EQUAL(t->is_shadow, 1);
		CU_ASSERT_EQUAL(t->levels, 1);
		CU_ASSERT_EQUAL_FATAL(t->channels, 1);
		CU_ASSERT_EQUAL_FATAL(f.texels.count, 20);
		/* The display window, far outside of the data window, far for NaN. */
		CU_ASSERT_EQUAL(f.texels.list[0], 1e30f);
		CU_ASSERT_EQUAL(f.texels.list[6], 1e30f);
		CU_ASSERT_EQUAL(f.texels.list[7], 1.5f);
		CU_ASSERT_EQUAL(f.texels.list[13], 5.5f);
		CU_ASSERT_EQUAL(f.texels.list[14], 1e30f);
		transform(world, t->to_screen, q);
		CU_ASSERT_DOUBLE_EQUAL(q[0] / q[3], 0.75, 1e-6);
		CU_ASSERT_DOUBLE_EQUAL(q[1] / q[3], 0.375, 1e-6);
		reyes_i_texture_to_camera(t, c2w);
		transform(eye, t->to_screen, q);
		CU_ASSERT_DOUBLE_EQUAL(q[0] / q[3], 0.75, 1e-6);
		CU_ASSERT_DOUBLE_EQUAL(q[1] / q[3], 0.375, 1e-6);
		for (int k = 0; k < 4; k++)
			d += (double)eye[k] * (double)t->to_depth[k];
		CU_ASSERT_DOUBLE_EQUAL(d, 20, 1e-6);
		reyes_i_picture_free(&p);
		reyes_i_frame_free(&f);
	}
}

static void files_that_are_no_textures_have_a_reason(void)
{
	const reyes_i_write_options o = { .type = REYES_I_SAMPLE_8 };
	reyes_i_note note = { "" };
	reyes_i_frame f = { 0 };
	reyes_i_picture p;
	uint32_t index = 7;

	CU_ASSERT_EQUAL(
		reyes_i_texture_load(&f, in_folder("none"), 0, &index, message, sizeof(message)),
		REYES_ERR_SCENE);
	CU_ASSERT_EQUAL(index, REYES_I_NONE);
	if (!reyes_i_format_exists(REYES_I_FORMAT_TIFF))
		return;
	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, 3, 2, "R G B", &note), REYES_OK);
	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_write(&p, in_folder("rgb.tif"), REYES_I_FORMAT_TIFF,
				      &o, message, sizeof(message)),
		REYES_OK);
	reyes_i_picture_free(&p);
	CU_ASSERT_EQUAL(
		reyes_i_texture_load(&f, in_folder("rgb.tif"), 1, &index, message, sizeof(message)),
		REYES_ERR_SCENE);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "rgb.tif: is no shadow map"));
	CU_ASSERT_EQUAL(reyes_i_make_shadow(NULL, in_folder("rgb.tif"), in_folder("no.tif"),
				message, sizeof(message)),
		REYES_ERR_SCENE);
	CU_ASSERT_EQUAL(access(in_folder("no.tif"), F_OK), -1);
	CU_ASSERT_EQUAL(f.textures.count, 0);
	reyes_i_frame_free(&f);
}

static CU_TestInfo tests[] = {
	{ "each level has the means of the areas that its texels cover",
		levels_are_means_of_areas },
	{ "texture files have wrap modes and remain pictures", wrap_modes_are_in_the_file },
	{ "shadow maps project points of world and camera space", shadow_maps_project_points },
	{ "files that are no textures give the reason", files_that_are_no_textures_have_a_reason },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "textures", open_folder, close_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
