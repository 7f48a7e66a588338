/* Texture files: names, loading into the frame, and the requests that make them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/image/texture.h"
#include "reyes/scene/draw.h"
#include "reyes/scene/matrix.h"
#include "reyes/scene/params.h"

enum { PATH_BYTES = 4096, MESSAGE_BYTES = 512 };

/* The first letters of renderer.texture_names, by kind. */
static const char kind_letters[] = { 'c', 's', 'e' };

uint32_t reyes_i_texture_number(reyes_renderer *r, const char *name, enum reyes_i_texture_kind kind)
{
	const size_t bytes = strlen(name) + 2;
	char *key = malloc(bytes);
	uint32_t number;

	if (!key)
		return REYES_I_NONE;
	key[0] = kind_letters[kind];
	memcpy(key + 1, name, bytes - 1);
	number = reyes_i_names_add(&r->texture_names, key, NULL);
	free(key);
	if (number == REYES_I_NONE || !reyes_i_reserve(&r->textures, &r->texture_room,
					      (size_t)number + 1, sizeof(*r->textures)))
		return REYES_I_NONE;
	return number;
}

/* Converts the matrices of a shadow map or an environment from world space to the camera space of
 * this frame. */
static void place_map(reyes_renderer *r, reyes_i_texture *t)
{
	double world[16], inverse[16];
	float camera_to_world[16];

	reyes_i_xform_at(r->base, r->settings->shutter_open, world);
	reyes_i_matrix_invert(inverse, world);
	reyes_i_matrix_to_float(camera_to_world, inverse);
	reyes_i_texture_to_camera(t, camera_to_world);
}

/* Bytes of a name before its suffix. */
static size_t stem_bytes(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && !strchr(dot, '/') ? (size_t)(dot - name) : strlen(name);
}

/* Finds a texture file. Scenes name textures that a tool of another renderer has made from a
 * picture (NAME.tex of NAME.tif): without the texture, the picture is used. */
static int find_texture(reyes_renderer *r, const char *name, char path[PATH_BYTES])
{
	static const char *const suffixes[] = { ".tif", ".tiff", ".png", ".exr" };
	const size_t stem = stem_bytes(name);
	char other[PATH_BYTES];
	size_t i;

	if (reyes_i_find_file(r, REYES_I_PATH_TEXTURE, name, path, PATH_BYTES))
		return 1;
	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (stem >= sizeof(other) - 8)
			return 0;
		memcpy(other, name, stem);
		memcpy(other + stem, suffixes[i], strlen(suffixes[i]) + 1);
		if (reyes_i_find_file(r, REYES_I_PATH_TEXTURE, other, path, PATH_BYTES)) {
			reyes_i_info_once(r, name,
				"texture \"%.200s\" is not found; \"%.200s\" is used", name, path);
			return 1;
		}
	}
	return 0;
}

/* Why a file is not found: the picture of a frame before was not written, of which it is a copy or
 * a texture; else it is not in the folders. */
static const char *why_missing(const reyes_renderer *r, const char *name)
{
	const size_t n = stem_bytes(name), before = r->unwritten.count;

	for (size_t i = 0; i < before + r->display_count; i++) {
		const reyes_i_shared_display *d = i < before ? NULL : r->displays[i - before];
		const char *display = d ? d->display.name : r->unwritten.list[i];

		if (stem_bytes(display) == n && strncmp(display, name, n) == 0 &&
			!(d && (d->is_written || !r->frame_ready)))
			return "the scene makes it of the picture of a Display, which was not "
			       "written, because --output replaces it or --frames leaves it out";
	}
	return "set Option \"searchpath\" \"texture\" to its folder";
}

/* Loads a file into the frame; NONE, after a warning, if it cannot be read. */
static uint32_t load(reyes_renderer *r, const char *name, enum reyes_i_texture_kind kind)
{
	char path[PATH_BYTES], message[MESSAGE_BYTES], key[PATH_BYTES + 16];
	uint32_t index = REYES_I_NONE;
	reyes_status s;

	snprintf(key, sizeof(key), "texture %s", name);
	if (!(kind == REYES_I_TEXTURE_SHADOW
			    ? reyes_i_find_file(r, REYES_I_PATH_TEXTURE, name, path, sizeof(path))
			    : find_texture(r, name, path))) {
		reyes_i_warn_once(r, key, "texture \"%.200s\" is not found and is not used: %s",
			name, why_missing(r, name));
		return REYES_I_NONE;
	}
	message[0] = '\0';
	s = reyes_i_texture_load(&r->frame, path, kind, &index, message, sizeof(message));
	if (s != REYES_OK) {
		if (s == REYES_ERR_NOMEM || s == REYES_ERR_FILE)
			r->texture_status = reyes_i_file_failure(r, s, message);
		else
			reyes_i_warn_once(r, key, "file \"%.200s\" is not used: %s", path,
				message[0] ? message : reyes_strstatus(s));
		return REYES_I_NONE;
	}
	if (kind != REYES_I_TEXTURE_COLOR && index < r->frame.textures.count)
		place_map(r, &r->frame.textures.list[index]);
	return index;
}

uint32_t reyes_i_texture_index(reyes_renderer *r, uint32_t number)
{
	reyes_i_texture_use *use = &r->textures[number];
	const char *name = r->texture_names.list[number];

	if (use->world != r->world) {
		use->world = r->world;
		use->index = load(r, name + 1,
			name[0] == 's'   ? REYES_I_TEXTURE_SHADOW
			: name[0] == 'e' ? REYES_I_TEXTURE_ENVIRONMENT
					 : REYES_I_TEXTURE_COLOR);
	}
	return use->index;
}

/* ---- requests ---- */

/* Checks the names of a request, and finds its first file. */
static reyes_status check_names(
	reyes_renderer *r, const char *picture, const char *texture, char path[PATH_BYTES])
{
	if (!picture || !*picture || !texture || !*texture)
		return reyes_i_error(r, "needs the names of two files");
	if (!reyes_i_find_file(r, REYES_I_PATH_TEXTURE, picture, path, PATH_BYTES))
		return reyes_i_error(
			r, "file \"%.200s\" is not found: %s", picture, why_missing(r, picture));
	return REYES_OK;
}

/* Returns the status of a request that makes a file. */
static reyes_status finish_make(reyes_renderer *r, reyes_status s, const char *message)
{
	if (s == REYES_OK)
		return s;
	return s == REYES_ERR_NOMEM || s == REYES_ERR_FILE || s == REYES_CANCELLED
		       ? reyes_i_file_failure(r, s, message)
		       : reyes_i_error(r, "%s", message);
}

static int is_wrap(const char *wrap)
{
	return wrap && (strcmp(wrap, "black") == 0 || strcmp(wrap, "periodic") == 0 ||
			       strcmp(wrap, "clamp") == 0);
}

static reyes_status make(reyes_renderer *r, const char *picture, const char *texture,
	const char *swrap, const char *twrap)
{
	const reyes_i_file_rules rules = reyes_i_rules_of(r);
	char path[PATH_BYTES], message[MESSAGE_BYTES];
	reyes_status s = check_names(r, picture, texture, path);

	if (s != REYES_OK)
		return s;
	if (!is_wrap(swrap) || !is_wrap(twrap))
		return reyes_i_error(r, "a wrap mode is none of black, periodic and clamp");
	message[0] = '\0';
	s = reyes_i_make_texture(&rules, path, texture, swrap, twrap, message, sizeof(message));
	return finish_make(r, s, message);
}

reyes_status reyes_make_texture(reyes_renderer *r, const char *picture, const char *texture,
	const char *swrap, const char *twrap, const char *filter, float swidth, float twidth,
	const reyes_params *p)
{
	REYES_I_ENTER(r, "MakeTexture", REYES_I_ANYWHERE, REYES_I_STATIC);
	/* The filter of the mipmap is the renderer's. */
	(void)filter;
	(void)swidth;
	(void)twidth;
	(void)p;
	return make(r, picture, texture, swrap, twrap);
}

reyes_status reyes_make_bump(reyes_renderer *r, const char *picture, const char *texture,
	const char *swrap, const char *twrap, const char *filter, float swidth, float twidth,
	const reyes_params *p)
{
	REYES_I_ENTER(r, "MakeBump", REYES_I_ANYWHERE, REYES_I_STATIC);
	(void)filter;
	(void)swidth;
	(void)twidth;
	(void)p;
	return make(r, picture, texture, swrap, twrap);
}

reyes_status reyes_make_shadow(
	reyes_renderer *r, const char *picture, const char *texture, const reyes_params *p)
{
	char path[PATH_BYTES], message[MESSAGE_BYTES];
	reyes_i_file_rules rules;
	reyes_status s;

	REYES_I_ENTER(r, "MakeShadow", REYES_I_ANYWHERE, REYES_I_STATIC);
	(void)p;
	rules = reyes_i_rules_of(r);
	s = check_names(r, picture, texture, path);
	if (s != REYES_OK)
		return s;
	message[0] = '\0';
	s = reyes_i_make_shadow(&rules, path, texture, message, sizeof(message));
	return finish_make(r, s, message);
}

reyes_status reyes_make_lat_long_environment(reyes_renderer *r, const char *picture,
	const char *texture, const char *filter, float swidth, float twidth, const reyes_params *p)
{
	REYES_I_ENTER(r, "MakeLatLongEnvironment", REYES_I_ANYWHERE, REYES_I_STATIC);
	(void)filter;
	(void)swidth;
	(void)twidth;
	(void)p;
	return make(r, picture, texture, "periodic", "clamp");
}

reyes_status reyes_make_cube_face_environment(reyes_renderer *r, const char *const pictures[6],
	const char *texture, float fov, const char *filter, float swidth, float twidth,
	const reyes_params *p)
{
	char paths[6][PATH_BYTES], message[MESSAGE_BYTES];
	const char *found[6];
	reyes_i_file_rules rules;
	reyes_status s = REYES_OK;
	int i;

	REYES_I_ENTER(r, "MakeCubeFaceEnvironment", REYES_I_ANYWHERE, REYES_I_STATIC);
	(void)filter;
	(void)swidth;
	(void)twidth;
	(void)p;
	rules = reyes_i_rules_of(r);
	for (i = 0; s == REYES_OK && i < 6; i++) {
		s = check_names(r, pictures ? pictures[i] : NULL, texture, paths[i]);
		found[i] = paths[i];
	}
	if (s != REYES_OK)
		return s;
	message[0] = '\0';
	s = reyes_i_make_cube(&rules, found, texture, (double)fov, message, sizeof(message));
	return finish_make(r, s, message);
}
