/* Stand-ins for reyes/geom, reyes/image and reyes/rib: they record calls. */
#include <stdio.h>
#include <stdlib.h>
#include "reyes/image/texture.h"
#include "reyes/scene/frame_arrays.h"
#include "reyes/scene/rib_seam.h"
#include "tests/reyes/scene_setup.h"

scene_record scene;

static void on_log(void *user, reyes_level level, const char *message)
{
	const size_t n = strlen(scene.log);

	(void)user;
	scene.messages[level]++;
	snprintf(scene.log + n, sizeof(scene.log) - n, "%s\n", message);
}

reyes_renderer *scene_open_with(reyes_options *o)
{
	reyes_renderer *r = NULL;
	char message[256];

	memset(&scene, 0, sizeof(scene));
	o->log = on_log;
	CU_ASSERT_EQUAL_FATAL(reyes_open(&r, o, message, sizeof(message)), REYES_OK);
	return r;
}

reyes_renderer *scene_open(void)
{
	reyes_options o;

	reyes_options_init(&o);
	return scene_open_with(&o);
}

size_t scene_logged_count(const char *text)
{
	const char *at = scene.log;
	size_t n = 0;

	while ((at = strstr(at, text)) != NULL) {
		at += strlen(text);
		n++;
	}
	return n;
}

int scene_logged(const char *text)
{
	return scene_logged_count(text) > 0;
}

const reyes_i_attr *scene_attr(const reyes_renderer *r, size_t i)
{
	static const reyes_i_attr none;

	CU_ASSERT_TRUE(i < scene.lowered && i < SCENE_LOWERED_MAX);
	if (i >= SCENE_LOWERED_MAX || scene.list[i].attr >= r->frame.attrs.count)
		return &none;
	return &r->frame.attrs.list[scene.list[i].attr];
}

const reyes_i_shader *scene_shader(const reyes_renderer *r, uint32_t i)
{
	static const reyes_i_shader none;

	CU_ASSERT_TRUE(i < r->frame.shaders.count);
	return i < r->frame.shaders.count ? &r->frame.shaders.list[i] : &none;
}

const reyes_i_texture *scene_texture(const reyes_renderer *r, uint32_t i)
{
	static const reyes_i_texture none;

	CU_ASSERT_TRUE(i < r->frame.textures.count);
	return i < r->frame.textures.count ? &r->frame.textures.list[i] : &none;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void record_vars(lowered_shape *l, const reyes_i_shape_key *key)
{
	size_t i;

	for (i = 0; i < key->var_count; i++) {
		const reyes_i_primvar *v = &key->vars[i];

		if (strcmp(v->name, "P") == 0) {
			l->point_floats = v->count;
			memcpy(l->points, v->floats, least(v->count, 64) * sizeof(float));
		}
		if (strcmp(v->name, "Cs") == 0) {
			l->color_floats = v->count;
			memcpy(l->colors, v->floats, least(v->count, 16) * sizeof(float));
		}
	}
}

reyes_status reyes_i_lower(reyes_i_frame *f, const reyes_i_shape *s, const reyes_i_placement *where)
{
	lowered_shape *l = &scene.list[least(scene.lowered, SCENE_LOWERED_MAX - 1)];
	reyes_i_prim *prim;
	size_t k;

	scene.lowered++;
	memset(l, 0, sizeof(*l));
	l->kind = s->kind;
	l->attr = where->attr;
	snprintf(l->request, sizeof(l->request), "%s", s->request);
	memcpy(l->args, s->keys[0].args, sizeof(l->args));
	l->key_count = s->key_count;
	l->var_count = s->keys[0].var_count;
	l->int_count = s->int_count;
	l->float_count = s->float_count;
	l->motion = *where->to_camera;
	l->interpolate_boundary = s->interpolate_boundary;
	memcpy(l->counts, s->counts, sizeof(l->counts));
	if (s->int_count)
		memcpy(l->ints, s->ints, least(s->int_count, 32) * sizeof(int32_t));
	for (k = 0; k < least(s->key_count, REYES_I_KEYS_MAX); k++) {
		l->key_times[k] = s->keys[k].time;
		l->key_args[k] = s->keys[k].args[0];
	}
	record_vars(l, &s->keys[0]);
	if (s->kind == REYES_I_SHAPE_SPHERE && s->keys[0].args[0] == 0)
		where->complain(where->user, REYES_LEVEL_WARN, "Sphere: radius 0");
	prim = reyes_i_add(f, prims, 1, NULL);
	if (!prim)
		return REYES_ERR_NOMEM;
	prim->attr = where->attr;
	return REYES_OK;
}

reyes_status reyes_i_texture_load(reyes_i_frame *f, const char *path,
	enum reyes_i_texture_kind kind, uint32_t *index, char *message, size_t bytes)
{
	scene.loads++;
	scene.shadow_loads += kind == REYES_I_TEXTURE_SHADOW;
	snprintf(scene.loaded, sizeof(scene.loaded), "%s", path);
	*index = REYES_I_NONE;
	if (strstr(path, "broken")) {
		snprintf(message, bytes, "not a picture");
		return REYES_ERR_SCENE;
	}
	return reyes_i_add(f, textures, 1, index) ? REYES_OK : REYES_ERR_NOMEM;
}

void reyes_i_texture_to_camera(reyes_i_texture *t, const float camera_to_world[16])
{
	memcpy(t->to_screen, camera_to_world, sizeof(t->to_screen));
}

reyes_status reyes_i_make_texture(const reyes_i_file_rules *rules, const char *from, const char *to,
	const char *s_wrap, const char *t_wrap, char *message, size_t bytes)
{
	(void)rules;
	(void)message;
	(void)bytes;
	scene.textures_made++;
	snprintf(scene.made, sizeof(scene.made), "%s > %s %s %s", from, to, s_wrap, t_wrap);
	return REYES_OK;
}

reyes_status reyes_i_make_cube(const reyes_i_file_rules *rules, const char *const from[6],
	const char *to, double fov_degrees, char *message, size_t bytes)
{
	(void)rules;
	(void)message;
	(void)bytes;
	scene.textures_made++;
	snprintf(scene.made, sizeof(scene.made), "%s .. %s > %s %g", from[0], from[5], to,
		fov_degrees);
	return REYES_OK;
}

reyes_status reyes_i_make_shadow(const reyes_i_file_rules *rules, const char *from, const char *to,
	char *message, size_t bytes)
{
	(void)rules;
	scene.shadows_made++;
	snprintf(scene.made, sizeof(scene.made), "%s > %s", from, to);
	if (strstr(to, "forbidden")) {
		snprintf(message, bytes, "cannot be written");
		return REYES_ERR_FILE;
	}
	return REYES_OK;
}

void reyes_i_encoding_init(reyes_i_encoding *e)
{
	memset(e, 0, sizeof(*e));
	e->gain = e->gamma = 1;
	e->color.one = e->color.max = 255;
	e->color.dither = 0.5f;
}

reyes_status reyes_i_display_init(reyes_i_display *d, const char *name, const char *type,
	const char *mode, char *message, size_t bytes)
{
	memset(d, 0, sizeof(*d));
	if (strcmp(mode, "nothing") == 0) {
		snprintf(message, bytes, "mode \"%s\" is wrong", mode);
		return REYES_ERR_ARG;
	}
	d->name = reyes_i_copy_string(name);
	d->type = reyes_i_copy_string(type);
	d->mode = reyes_i_copy_string(mode);
	if (d->name && d->type && d->mode)
		return REYES_OK;
	reyes_i_display_free(d);
	return REYES_ERR_NOMEM;
}

reyes_status reyes_i_display_set(
	reyes_i_display *d, const reyes_params *p, char *message, size_t bytes)
{
	(void)p;
	(void)message;
	(void)bytes;
	d->own = REYES_I_OWN_DITHER;
	return REYES_OK;
}

enum reyes_i_file_format reyes_i_display_format(const reyes_i_display *d)
{
	return strcmp(d->type, "framebuffer") == 0 ? REYES_I_FORMAT_WINDOW : REYES_I_FORMAT_TIFF;
}

void reyes_i_display_free(reyes_i_display *d)
{
	free(d->name);
	free(d->type);
	free(d->mode);
	memset(d, 0, sizeof(*d));
}

void reyes_i_rib_where(const struct reyes_i_rib *rib, char *text, size_t bytes)
{
	(void)rib;
	snprintf(text, bytes, "a.rib:1:2: ");
}

void reyes_i_rib_destroy(struct reyes_i_rib *rib)
{
	(void)rib;
	scene.rib_destroyed++;
}
