/* Display requests: a rendered image becomes a file, after Exposure and Quantize (RI Specification
 * 3.2, "Exposure", "Quantize", "Display"). */
#ifndef REYES_IMAGE_DISPLAY_H
#define REYES_IMAGE_DISPLAY_H

#include <reyes/reyes.h>
#include <reyes/ri.h>
#include "reyes/image/formats.h"
#include "reyes/image/quantize.h"

/* What a display's parameters replace of the frame's Exposure and Quantize. */
enum reyes_i_display_own {
	REYES_I_OWN_EXPOSURE = 1,
	REYES_I_OWN_QUANTIZE = 2,
	REYES_I_OWN_DITHER = 4
};

/* A Display request. The strings belong to the struct. */
typedef struct reyes_i_display {
	char *name;          /* of the file, without the "+" of a further display */
	char *type;          /* "file", "tiff", .. see reyes_i_display_format */
	char *mode;          /* "rgb", "rgba", "a", "z", "rgbz", "rgbaz", "az" */
	char *compression;   /* "none", "lzw", "deflate", "zip", "zips", "rle", ..; NULL: default */
	uint32_t full_float; /* EXR: 32 bits instead of 16 for color and alpha */
	uint32_t own;        /* bits of reyes_i_display_own: members of encoding that count */
	reyes_i_encoding encoding;
} reyes_i_display;

/* Copies name, type and mode. Returns REYES_ERR_NOMEM, or REYES_ERR_ARG if one of them is NULL or
 * the mode is none of the modes above; message then has the reason, and *d is zero. A type that
 * does not exist is an error of reyes_i_display_write only. */
reyes_status reyes_i_display_init(reyes_i_display *d, const char *name, const char *type,
	const char *mode, char *message, size_t bytes);
/* Applies the parameters of the request: "compression" (string), "exposure" (gain, gamma),
 * "quantize" (zero, one, min, max), "dither", "exrpixeltype" ("half", "float"). The last word of
 * a token counts. Others are skipped. */
reyes_status reyes_i_display_set(
	reyes_i_display *d, const reyes_params *p, char *message, size_t bytes);
void reyes_i_display_free(reyes_i_display *d);

/* Format of the display's file. Types: "file" (suffix of the name: .png, .exr; all others: TIFF);
 * "tiff", "tif", "png", "exr", "openexr"; "zfile", "shadow", "z": TIFF, or EXR if libtiff is not
 * compiled in; "framebuffer", "it", "window", "x11": no file. */
enum reyes_i_file_format reyes_i_display_format(const reyes_i_display *d);

/* Properties of the frame that its files record. Matrices have row vectors, p' = p M; row r and
 * column c is m[4 r + c]. */
typedef struct reyes_i_display_camera {
	float pixel_aspect; /* width by height of a pixel */
	float hither, yon;
	float world_to_camera[16]; /* RenderMan's Nl */
	float world_to_screen[16]; /* NP: the screen window becomes [-1,1] x [-1,1], y up */
} reyes_i_display_camera;

/* The frame's encoding with what the display replaces. */
reyes_i_encoding reyes_i_display_encoding(const reyes_i_display *d, const reyes_i_encoding *frame);

/* Writes the file of a display. `encoding` is the frame's; camera may be NULL unless the mode has
 * z. image->z may be NULL unless the mode has z. An existing file is replaced by the rules (NULL:
 * none) when the new one is complete. Does nothing for REYES_I_FORMAT_WINDOW. On failure message
 * names the file and the reason.
 *
 * PNG and TIFF hold color after Exposure and Quantize and quantized alpha, with 8 bits if
 * Quantize's max is at most 255, else with 16. Exposure changes color that is multiplied by alpha,
 * as the specification states. TIFF keeps it so (associated alpha); PNG holds it divided by alpha,
 * as its standard requires, so that a viewer over black shows the same. A TIFF file has 32-bit
 * floats if Quantize's one is 0, or if the mode has z and "z" is not quantized; PNG has 16 bits if
 * one is 0, and no z unless "z" is quantized.
 *
 * EXR holds color * gain without gamma and without Quantize, multiplied by alpha: its values are
 * linear.
 *
 * z where nothing is visible is 1e30. Files with z have the matrices of the camera. */
reyes_status reyes_i_display_write(const reyes_i_display *d, const reyes_i_encoding *encoding,
	const reyes_image *image, const reyes_i_display_camera *camera,
	const reyes_i_file_rules *rules, char *message, size_t bytes);

#endif
