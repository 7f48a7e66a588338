/* Picture files: the formats, and reading and writing by path. */
#ifndef REYES_IMAGE_FORMATS_H
#define REYES_IMAGE_FORMATS_H

#include "reyes/image/picture.h"
#include "reyes/image/rules.h"

enum reyes_i_file_format {
	REYES_I_FORMAT_UNKNOWN,
	REYES_I_FORMAT_WINDOW, /* a display without a file */
	REYES_I_FORMAT_PNG,
	REYES_I_FORMAT_TIFF,
	REYES_I_FORMAT_EXR
};

typedef struct reyes_i_write_options {
	enum reyes_i_sample_type type; /* PNG: 8 or 16; TIFF: not half; EXR: half or float */
	const char *compression;       /* TIFF: none, lzw, deflate; EXR: none, rle, zips, zip, piz;
				  * NULL or a name that the format does not have: lzw, zip */
	const reyes_i_file_rules *rules; /* NULL: none */
} reyes_i_write_options;

/* Encodes a picture. PNG takes the channels Y, YA, RGB and RGBA; it holds color divided by alpha.
 * EXR stores channel Z, and all channels of type FLOAT, with 32 bits. */
typedef reyes_status reyes_i_encode(const reyes_i_picture *p, const reyes_i_write_options *o,
	reyes_i_bytes *out, reyes_i_note *note);
/* Decodes a file. Overwrites *p, which is zero after a failure. */
typedef reyes_status reyes_i_decode(
	reyes_i_picture *p, const uint8_t *data, size_t count, reyes_i_note *note);

/* Each exists only if its library is compiled in: HAVE_PNG, HAVE_TIFF, HAVE_OPENEXR. */
reyes_i_encode reyes_i_png_encode, reyes_i_tiff_encode, reyes_i_exr_encode;
reyes_i_decode reyes_i_png_decode, reyes_i_tiff_decode, reyes_i_exr_decode;

/* 1: the format's library is compiled in. */
int reyes_i_format_exists(enum reyes_i_file_format f);
/* PNG, TIFF or EXR by the suffix of the name in any case (.png, .tif, .tiff, .exr); else
 * UNKNOWN. */
enum reyes_i_file_format reyes_i_format_of_name(const char *path);
/* The same by the first bytes of a file. */
enum reyes_i_file_format reyes_i_format_of_bytes(const uint8_t *data, size_t count);

/* Writes a picture file; see reyes_i_file_write. On failure message has path and reason. */
reyes_status reyes_i_picture_write(const reyes_i_picture *p, const char *path,
	enum reyes_i_file_format f, const reyes_i_write_options *o, char *message, size_t bytes);
/* Reads a picture file, whose format is recognised by its first bytes. Overwrites *p. Returns
 * REYES_ERR_SCENE if the file does not exist or is damaged, REYES_ERR_FILE if the system fails. */
reyes_status reyes_i_picture_read(
	reyes_i_picture *p, const char *path, char *message, size_t bytes);
/* The same from memory, without a path in the note. */
reyes_status reyes_i_picture_decode(
	reyes_i_picture *p, const uint8_t *data, size_t count, reyes_i_note *note);

#endif
