/* MakeTexture and MakeShadow: a picture becomes a texture file, which is a picture with wrap modes
 * or with the matrices of a shadow map. */
#include <config.h>
#include "reyes/image/formats.h"
#include "reyes/image/texture.h"

#include <stdio.h>
#include <string.h>

/* Format of a texture file by its name. */
static enum reyes_i_file_format texture_format(const char *to)
{
	return reyes_i_format_of_name(to) == REYES_I_FORMAT_EXR ||
			       !reyes_i_format_exists(REYES_I_FORMAT_TIFF)
		       ? REYES_I_FORMAT_EXR
		       : REYES_I_FORMAT_TIFF;
}

reyes_status reyes_i_texture_write(const reyes_i_picture *p, const reyes_i_file_rules *rules,
	const char *to, char *message, size_t bytes)
{
	reyes_i_write_options o = { .type = p->type, .rules = rules };
	const enum reyes_i_file_format f = texture_format(to);

	if (f == REYES_I_FORMAT_TIFF && o.type == REYES_I_SAMPLE_HALF)
		o.type = REYES_I_SAMPLE_FLOAT;
	if (f == REYES_I_FORMAT_EXR && o.type != REYES_I_SAMPLE_HALF)
		o.type = REYES_I_SAMPLE_FLOAT;
	return reyes_i_picture_write(p, to, f, &o, message, bytes);
}

static int is_mode(const char *mode)
{
	return !strcmp(mode, "black") || !strcmp(mode, "periodic") || !strcmp(mode, "clamp");
}

reyes_status reyes_i_make_texture(const reyes_i_file_rules *rules, const char *from, const char *to,
	const char *s_wrap, const char *t_wrap, char *message, size_t bytes)
{
	const char *s_mode = s_wrap ? s_wrap : "black", *t_mode = t_wrap ? t_wrap : "black";
	reyes_i_note note = { "" };
	reyes_i_picture p;
	char modes[40];
	reyes_status s;

	if (!is_mode(s_mode) || !is_mode(t_mode)) {
		s = reyes_i_note_fail(&note, REYES_ERR_ARG,
			"wrap modes \"%.40s\", \"%.40s\": use black, periodic or clamp", s_mode,
			t_mode);
		return reyes_i_explain(&note, s, to, message, bytes);
	}
	s = reyes_i_picture_read(&p, from, message, bytes);
	if (s != REYES_OK)
		return s;
	snprintf(modes, sizeof(modes), "%s,%s", s_mode, t_mode);
	s = reyes_i_picture_set(&p, REYES_I_META_WRAP, modes);
	if (s == REYES_OK)
		s = reyes_i_picture_set(&p, REYES_I_META_TEXTURE, "Plain Texture");
	s = s == REYES_OK ? reyes_i_texture_write(&p, rules, to, message, bytes)
			  : reyes_i_explain(&note, s, to, message, bytes);
	reyes_i_picture_free(&p);
	return s;
}

/* Keeps the depth channel only. */
static reyes_status keep_depth(reyes_i_picture *p, reyes_i_note *note)
{
	const uint32_t z = reyes_i_picture_channel(p, "Z");
	const size_t n = (size_t)p->width_px * p->height_px;

	if (z == REYES_I_NO_CHANNEL || !p->has_matrices)
		return reyes_i_note_fail(note, REYES_ERR_SCENE,
			"has no %s; render it with Display type \"zfile\" and mode \"z\"",
			p->has_matrices ? "depth channel Z" : "matrices of a camera");
	for (size_t i = 0; i < n; i++)
		p->data[i] = p->data[i * p->channels + z];
	p->channels = 1;
	memset(p->names[0], 0, sizeof(p->names[0]));
	p->names[0][0] = 'Z';
	p->type = REYES_I_SAMPLE_FLOAT;
	return reyes_i_picture_set(p, REYES_I_META_TEXTURE, "Shadow");
}

reyes_status reyes_i_make_shadow(const reyes_i_file_rules *rules, const char *from, const char *to,
	char *message, size_t bytes)
{
	reyes_i_note note = { "" };
	reyes_i_picture p;
	reyes_status s = reyes_i_picture_read(&p, from, message, bytes);

	if (s != REYES_OK)
		return s;
	s = keep_depth(&p, &note);
	s = s == REYES_OK ? reyes_i_texture_write(&p, rules, to, message, bytes)
			  : reyes_i_explain(&note, s, from, message, bytes);
	reyes_i_picture_free(&p);
	return s;
}
