/* Texture files: pictures become mipmap pyramids of a frame, or files for later frames. */
#ifndef REYES_IMAGE_TEXTURE_H
#define REYES_IMAGE_TEXTURE_H

#include <reyes/reyes.h>
#include "reyes/image/picture.h"
#include "reyes/image/rules.h"
#include "reyes/scene/frame.h"

enum reyes_i_texture_kind {
	REYES_I_TEXTURE_COLOR,
	REYES_I_TEXTURE_SHADOW,
	REYES_I_TEXTURE_ENVIRONMENT
};

/* Reads a picture file (PNG, TIFF, EXR; recognised by its contents) into f->textures and f->texels
 * and writes the texture's index to *index (REYES_I_NONE on failure). Color is multiplied by alpha.
 * A wrap mode that the file does not state is black.
 *
 * SHADOW: the file must have a depth channel and both matrices of a shadow map; the texture has one
 * level. ENVIRONMENT: a file of reyes_i_make_cube is a cube, every other picture a panorama. The
 * matrices of both kinds then map WORLD space; call reyes_i_texture_to_camera. */
reyes_status reyes_i_texture_load(reyes_i_frame *f, const char *path,
	enum reyes_i_texture_kind kind, uint32_t *index, char *message, size_t bytes);

/* Puts camera_to_world (row vectors, 16 floats) in front of the matrices of a shadow map or an
 * environment, so that they map the camera space of this frame. */
void reyes_i_texture_to_camera(reyes_i_texture *t, const float camera_to_world[16]);

/* Writes the picture `from` as the texture file `to` with its wrap modes: "black", "periodic" or
 * "clamp"; NULL: "black". The format follows the suffix of `to`: .exr EXR, all others TIFF; EXR if
 * libtiff is not compiled in. `to` may be `from`. */
reyes_status reyes_i_make_texture(const reyes_i_file_rules *rules, const char *from, const char *to,
	const char *s_wrap, const char *t_wrap, char *message, size_t bytes);
/* Writes six square pictures of one size, in the order +x, -x, +y, -y, +z, -z, as the environment
 * map `to`. fov_degrees: the angle that each shows, from 90 to 179; the map has the part of 90. */
reyes_status reyes_i_make_cube(const reyes_i_file_rules *rules, const char *const from[6],
	const char *to, double fov_degrees, char *message, size_t bytes);
/* Writes the depth channel of `from` with its matrices as the shadow map `to`. */
reyes_status reyes_i_make_shadow(const reyes_i_file_rules *rules, const char *from, const char *to,
	char *message, size_t bytes);

/* Writes a texture file with the precision that the source has: half floats become floats in TIFF,
 * integers become floats in EXR, because 16 bits do not fit into half floats. */
reyes_status reyes_i_texture_write(const reyes_i_picture *p, const reyes_i_file_rules *rules,
	const char *to, char *message, size_t bytes);

#endif
