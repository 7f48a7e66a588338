/* MakeCubeFaceEnvironment: six pictures become one, in two rows of three: +x +y +z, -x -y -z. */
#include <config.h>
#include "reyes/image/formats.h"
#include "reyes/image/texture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Channel c of pixel (x, y) of the display window, which is black outside of the data window. The
 * coordinates are limited to the display window. */
static double pixel_at(const reyes_i_picture *p, int64_t x, int64_t y, uint32_t c)
{
	const int64_t last_x = (int64_t)p->full_width_px - 1,
		      last_y = (int64_t)p->full_height_px - 1;

	x = (x < 0 ? 0 : x > last_x ? last_x : x) - p->x_px;
	y = (y < 0 ? 0 : y > last_y ? last_y : y) - p->y_px;
	if (x < 0 || y < 0 || x >= p->width_px || y >= p->height_px)
		return 0;
	return (double)p->data[((size_t)y * p->width_px + (size_t)x) * p->channels + c];
}

/* The bilinear value at a place in pixels. */
static double value_at(const reyes_i_picture *p, double x, double y, uint32_t c)
{
	const double left = floor(x), top = floor(y), a = x - left, b = y - top;
	const int64_t i = (int64_t)left, j = (int64_t)top;

	return (pixel_at(p, i, j, c) * (1 - a) + pixel_at(p, i + 1, j, c) * a) * (1 - b) +
	       (pixel_at(p, i, j + 1, c) * (1 - a) + pixel_at(p, i + 1, j + 1, c) * a) * b;
}

/* Copies the central part of a face to its place. part: of the face's width, 1: all. */
static void put_face(reyes_i_picture *to, const reyes_i_picture *face, uint32_t place, double part)
{
	const uint32_t side = face->full_width_px, left = place % 3 * side, top = place / 3 * side;
	const double first = 0.5 * side * (1 - part) + 0.5 * part - 0.5;

	for (uint32_t y = 0; y < side; y++)
		for (uint32_t x = 0; x < side; x++) {
			float *out = to->data +
				     ((size_t)(top + y) * to->width_px + left + x) * to->channels;

			for (uint32_t c = 0; c < to->channels; c++)
				out[c] = (float)value_at(
					face, first + part * x, first + part * y, c);
		}
}

/* Makes the picture of all faces, with the channels of the first one. */
static reyes_status begin(reyes_i_picture *to, const reyes_i_picture *face, reyes_i_note *note)
{
	char names[REYES_I_PICTURE_CHANNELS_MAX * REYES_I_PICTURE_NAME_BYTES] = "";
	const uint32_t side = face->full_width_px;
	size_t n = 0;
	reyes_status s;

	for (uint32_t c = 0; c < face->channels; c++)
		n += (size_t)snprintf(
			names + n, sizeof(names) - n, "%s%s", c ? " " : "", face->names[c]);
	if (side > REYES_I_PICTURE_SIDE_MAX / 3)
		return reyes_i_note_fail(note, REYES_ERR_SCENE,
			"faces of %u pixels are too large; use at most %d", side,
			REYES_I_PICTURE_SIDE_MAX / 3);
	s = reyes_i_picture_init(to, 3 * side, 2 * side, names, note);
	if (s != REYES_OK)
		return s;
	to->type = face->type;
	return reyes_i_picture_set(to, REYES_I_META_TEXTURE, REYES_I_CUBE_FORMAT);
}

/* Reads a face, checks it and puts it in its place. number: 0 .. 5 in the order of the request. */
static reyes_status add_face(reyes_i_picture *to, const char *path, uint32_t number, double part,
	char *message, size_t bytes)
{
	reyes_i_note note = { "" };
	reyes_i_picture face;
	reyes_status s = reyes_i_picture_read(&face, path, message, bytes);

	if (s != REYES_OK)
		return s;
	if (face.full_width_px != face.full_height_px)
		s = reyes_i_note_fail(&note, REYES_ERR_SCENE,
			"has %u x %u pixels; the face of a cube is a square", face.full_width_px,
			face.full_height_px);
	else if (number == 0)
		s = begin(to, &face, &note);
	else if (face.full_width_px * 3 != to->width_px || face.channels != to->channels)
		s = reyes_i_note_fail(&note, REYES_ERR_SCENE,
			"has %u pixels a side and %u channels; the first face has %u and %u",
			face.full_width_px, face.channels, to->width_px / 3, to->channels);
	if (s == REYES_OK)
		put_face(to, &face, number / 2 + number % 2 * 3, part);
	else
		s = reyes_i_explain(&note, s, path, message, bytes);
	reyes_i_picture_free(&face);
	return s;
}

reyes_status reyes_i_make_cube(const reyes_i_file_rules *rules, const char *const from[6],
	const char *to, double fov_degrees, char *message, size_t bytes)
{
	const double part = fov_degrees == 90 ? 1 : 1 / tan(fov_degrees * 0.00872664625997164788);
	reyes_i_note note = { "" };
	reyes_i_picture all;
	reyes_status s = REYES_OK;

	memset(&all, 0, sizeof(all));
	if (!(fov_degrees >= 90 && fov_degrees <= 179)) {
		s = reyes_i_note_fail(&note, REYES_ERR_ARG,
			"fov %g: six pictures show all directions from 90 degrees on; use 90 to "
			"179",
			fov_degrees);
		return reyes_i_explain(&note, s, to, message, bytes);
	}
	for (uint32_t k = 0; s == REYES_OK && k < 6; k++)
		s = add_face(&all, from[k], k, part, message, bytes);
	if (s == REYES_OK)
		s = reyes_i_texture_write(&all, rules, to, message, bytes);
	reyes_i_picture_free(&all);
	return s;
}
