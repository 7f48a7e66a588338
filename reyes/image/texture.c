/* Loads a texture: level 0 from the channels of a picture, then the other levels. */
#include <config.h>
#include "reyes/image/texture.h"
#include "reyes/image/formats.h"
#include "reyes/image/mipmap.h"
#include "reyes/scene/frame_arrays.h"

#include <stdlib.h>
#include <string.h>

static const float largest = 1e30f; /* of a texel; depth where nothing is visible */

enum { CHANNELS_MAX = 4 };

/* The channels of a picture that become a texture. */
typedef struct selection {
	uint32_t count;
	uint32_t channel[CHANNELS_MAX];
} selection;

static void select_channel(selection *s, const reyes_i_picture *p, const char *name)
{
	const uint32_t c = reyes_i_picture_channel(p, name);

	if (c != REYES_I_NO_CHANNEL)
		s->channel[s->count++] = c;
}

/* RGB or Y, and A; without these the first channels of the file, whatever their names. */
static selection select_channels(const reyes_i_picture *p, int shadow)
{
	selection s = { 0 };

	if (shadow) {
		select_channel(&s, p, "Z");
		return s;
	}
	select_channel(&s, p, "R");
	select_channel(&s, p, "G");
	select_channel(&s, p, "B");
	if (s.count == 0)
		select_channel(&s, p, "Y");
	select_channel(&s, p, "A");
	for (uint32_t c = 0; s.count == 0 && c < p->channels && c < CHANNELS_MAX; c++)
		s.channel[c] = c;
	if (s.count == 0)
		s.count = p->channels < CHANNELS_MAX ? p->channels : CHANNELS_MAX;
	return s;
}

static uint32_t wrap_mode(const char *text, size_t n)
{
	if (n == 8 && strncmp(text, "periodic", n) == 0)
		return REYES_I_WRAP_PERIODIC;
	return n == 5 && strncmp(text, "clamp", n) == 0 ? REYES_I_WRAP_CLAMP : REYES_I_WRAP_BLACK;
}

/* "periodic,clamp": s, t; a single mode is of both. */
static void set_wrap(reyes_i_texture *t, const char *modes)
{
	const size_t n = modes ? strcspn(modes, ", ") : 0;

	t->s_wrap = t->t_wrap = REYES_I_WRAP_BLACK;
	if (!modes)
		return;
	t->s_wrap = t->t_wrap = wrap_mode(modes, n);
	if (modes[n]) {
		modes += n + strspn(modes + n, ", ");
		t->t_wrap = wrap_mode(modes, strcspn(modes, ", "));
	}
}

/* World space to (s w, t w, z, w) from NP, whose x and y are in [-w, w]; depth from Nl. */
static void set_matrices(reyes_i_texture *t, const reyes_i_picture *p)
{
	for (int r = 0; r < 4; r++) {
		const float *m = p->world_to_screen + 4 * r;

		t->to_screen[4 * r] = 0.5f * (m[0] + m[3]);
		t->to_screen[4 * r + 1] = 0.5f * (m[3] - m[1]);
		t->to_screen[4 * r + 2] = m[2];
		t->to_screen[4 * r + 3] = m[3];
		t->to_depth[r] = p->world_to_camera[4 * r + 2];
	}
}

void reyes_i_texture_to_camera(reyes_i_texture *t, const float camera_to_world[16])
{
	float screen[16], depth[4];

	memset(screen, 0, sizeof(screen));
	memset(depth, 0, sizeof(depth));
	for (int r = 0; r < 4; r++)
		for (int k = 0; k < 4; k++) {
			const float m = camera_to_world[4 * r + k];

			for (int c = 0; c < 4; c++)
				screen[4 * r + c] += m * t->to_screen[4 * k + c];
			depth[r] += m * t->to_depth[k];
		}
	memcpy(t->to_screen, screen, sizeof(screen));
	memcpy(t->to_depth, depth, sizeof(depth));
}

/* Finite values: one texel that is no number would spread over the filter and the levels. */
static float limit_texel(float v, int shadow)
{
	if (v != v)
		return shadow ? largest : 0;
	return v > largest ? largest : v < -largest ? -largest : v;
}

/* Copies the data window into level 0, which has the size of the display window. */
static void fill_level(const reyes_i_picture *p, const selection *s, int shadow, float *to)
{
	const size_t n = (size_t)p->full_width_px * p->full_height_px * s->count;

	for (size_t i = 0; shadow && i < n; i++)
		to[i] = largest;
	for (uint32_t y = 0; y < p->height_px; y++)
		for (uint32_t x = 0; x < p->width_px; x++) {
			const int64_t fx = (int64_t)x + p->x_px, fy = (int64_t)y + p->y_px;
			const float *in = p->data + ((size_t)y * p->width_px + x) * p->channels;
			float *out;

			if (fx < 0 || fy < 0 || fx >= p->full_width_px || fy >= p->full_height_px)
				continue;
			out = to + ((size_t)fy * p->full_width_px + (size_t)fx) * s->count;
			for (uint32_t c = 0; c < s->count; c++)
				out[c] = limit_texel(in[s->channel[c]], shadow);
		}
}

/* Copies the faces of a cube, which are in two rows of three in the picture, into level 0. */
static void fill_faces(const reyes_i_texture *t, const float *from, float *to)
{
	const size_t row = (size_t)t->width * t->channels;

	for (uint32_t face = 0; face < 6; face++)
		for (uint32_t y = 0; y < t->height; y++, to += row)
			memcpy(to, from + ((face / 3 * t->height + y) * 3 + face % 3) * row,
				row * sizeof(*to));
}

/* Fills level 0 of a cube. Returns 0 if there is no memory. */
static int fill_cube(
	const reyes_i_picture *p, const selection *s, const reyes_i_texture *t, float *to)
{
	float *whole = calloc((size_t)p->full_width_px * p->full_height_px, s->count * sizeof(*to));

	if (!whole)
		return 0;
	fill_level(p, s, 0, whole);
	fill_faces(t, whole, to);
	free(whole);
	return 1;
}

/* Fills the levels after level 0, each of `faces` pictures. */
static void fill_levels(const reyes_i_texture *t, uint32_t faces, float *level)
{
	uint32_t w = t->width, h = t->height;

	for (uint32_t i = 1; i < t->levels; i++) {
		const uint32_t next_w = reyes_i_half_size(w), next_h = reyes_i_half_size(h);
		const size_t face = (size_t)w * h * t->channels;
		const size_t next_face = (size_t)next_w * next_h * t->channels;
		float *next = level + face * faces;

		for (uint32_t k = 0; k < faces; k++)
			reyes_i_next_level(
				next + k * next_face, level + k * face, w, h, t->channels);
		w = next_w;
		h = next_h;
		level = next;
	}
}

/* The sizes and modes of a texture. Returns the number of its faces. */
static uint32_t describe(const reyes_i_picture *p, const selection *s,
	enum reyes_i_texture_kind kind, reyes_i_texture *t)
{
	const char *format = reyes_i_picture_get(p, REYES_I_META_TEXTURE);
	const int cube = format && strcmp(format, REYES_I_CUBE_FORMAT) == 0 &&
			 p->full_width_px % 3 == 0 && p->full_height_px % 2 == 0;

	memset(t, 0, sizeof(*t));
	t->width = p->full_width_px;
	t->height = p->full_height_px;
	t->channels = s->count;
	t->is_shadow = kind == REYES_I_TEXTURE_SHADOW;
	if (kind != REYES_I_TEXTURE_ENVIRONMENT) {
		set_wrap(t, reyes_i_picture_get(p, REYES_I_META_WRAP));
	} else if (cube) {
		t->environment = REYES_I_ENVIRONMENT_CUBE;
		t->width /= 3;
		t->height /= 2;
		t->s_wrap = t->t_wrap = REYES_I_WRAP_CLAMP;
	} else {
		t->environment = REYES_I_ENVIRONMENT_PANORAMA;
		t->s_wrap = REYES_I_WRAP_PERIODIC;
		t->t_wrap = REYES_I_WRAP_CLAMP;
	}
	t->levels = t->is_shadow ? 1 : reyes_i_level_count(t->width, t->height);
	for (int k = 0; t->environment && k < 4; k++)
		t->to_screen[5 * k] = 1;
	return t->environment == REYES_I_ENVIRONMENT_CUBE ? 6 : 1;
}

/* Adds the texture and its texels to the frame. */
static reyes_status add_texture(reyes_i_frame *f, const reyes_i_picture *p,
	enum reyes_i_texture_kind kind, uint32_t *index, reyes_i_note *note)
{
	const int shadow = kind == REYES_I_TEXTURE_SHADOW;
	const selection s = select_channels(p, shadow);
	reyes_i_texture t, *place;
	const uint32_t faces = describe(p, &s, kind, &t);
	const uint64_t texels = reyes_i_level_texels(t.width, t.height, t.levels) * s.count * faces;
	uint32_t first = 0;
	float *level;

	if (shadow && (s.count == 0 || !p->has_matrices))
		return reyes_i_note_fail(note, REYES_ERR_SCENE,
			"is no shadow map: it has no %s; render it with Display type \"zfile\" and "
			"mode \"z\"",
			s.count ? "matrices of a camera" : "depth channel Z");
	if (texels > 2 * (uint64_t)REYES_I_PICTURE_SAMPLES_MAX)
		return reyes_i_note_fail(note, REYES_ERR_SCENE,
			"the display window of %u x %u pixels is too large", p->full_width_px,
			p->full_height_px);
	if (shadow)
		set_matrices(&t, p);
	level = reyes_i_add(f, texels, (size_t)texels, &first);
	place = level ? reyes_i_add(f, textures, 1, index) : NULL;
	if (!place)
		return reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
	t.data = first;
	*place = t;
	if (faces == 1)
		fill_level(p, &s, shadow, level);
	else if (!fill_cube(p, &s, &t, level))
		return reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
	fill_levels(&t, faces, level);
	return REYES_OK;
}

reyes_status reyes_i_texture_load(reyes_i_frame *f, const char *path,
	enum reyes_i_texture_kind kind, uint32_t *index, char *message, size_t bytes)
{
	reyes_i_note note = { "" };
	reyes_i_picture p;
	reyes_status s = reyes_i_picture_read(&p, path, message, bytes);

	*index = REYES_I_NONE;
	if (s != REYES_OK)
		return s;
	s = add_texture(f, &p, kind, index, &note);
	reyes_i_picture_free(&p);
	if (s == REYES_OK)
		return s;
	*index = REYES_I_NONE;
	return reyes_i_explain(&note, s, path, message, bytes);
}
