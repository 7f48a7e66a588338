/* A picture in memory: named channels of floats in a data window that lies in a display window. */
#ifndef REYES_IMAGE_PICTURE_H
#define REYES_IMAGE_PICTURE_H

#include "reyes/image/bytes.h"

enum {
	REYES_I_PICTURE_CHANNELS_MAX = 16,
	REYES_I_PICTURE_NAME_BYTES = 32,
	REYES_I_PICTURE_SIDE_MAX = 65536,
	REYES_I_PICTURE_SAMPLES_MAX = 1 << 28, /* width * height * channels */
	REYES_I_PICTURE_METADATA_MAX = 64
};
#define REYES_I_NO_CHANNEL 0xffffffffu

/* Type of the samples in a file. Integers are the value times 2^bits - 1, rounded. */
enum reyes_i_sample_type {
	REYES_I_SAMPLE_8,
	REYES_I_SAMPLE_16,
	REYES_I_SAMPLE_HALF,
	REYES_I_SAMPLE_FLOAT
};

typedef struct reyes_i_metadata {
	char *name, *value;
} reyes_i_metadata;

/* Color channels are multiplied by alpha (associated alpha). */
typedef struct reyes_i_picture {
	uint32_t width_px, height_px;           /* data window: the pixels in data */
	int32_t x_px, y_px;                     /* its place in the display window */
	uint32_t full_width_px, full_height_px; /* display window */
	float pixel_aspect;
	uint32_t channels;
	/* "R" "G" "B" "A", "Z" depth, "Y" luminance, others as in the file */
	char names[REYES_I_PICTURE_CHANNELS_MAX][REYES_I_PICTURE_NAME_BYTES];
	float *data;                   /* [height_px][width_px][channels], from the top */
	enum reyes_i_sample_type type; /* of the file that was read */
	uint32_t metadata_count;
	reyes_i_metadata metadata[REYES_I_PICTURE_METADATA_MAX];
	/* RenderMan's matrices, row vectors: Nl, and NP to x and y in [-1,1], y up. */
	uint32_t has_matrices;
	float world_to_camera[16], world_to_screen[16];
} reyes_i_picture;

/* Sets sizes and channel names (separated by blanks: "R G B A") and allocates data, all zero. The
 * display window is the data window. Checks the limits above before the allocation. Overwrites *p.
 * On failure *p is zero. */
reyes_status reyes_i_picture_init(reyes_i_picture *p, uint32_t width_px, uint32_t height_px,
	const char *names, reyes_i_note *note);
void reyes_i_picture_free(reyes_i_picture *p);

/* Index of the channel with this name, or REYES_I_NO_CHANNEL. */
uint32_t reyes_i_picture_channel(const reyes_i_picture *p, const char *name);

/* Sets a metadata string; value NULL removes it. Returns REYES_ERR_NOMEM, or REYES_ERR_ARG if there
 * are too many. */
reyes_status reyes_i_picture_set(reyes_i_picture *p, const char *name, const char *value);
/* Value of a metadata string, or NULL. */
const char *reyes_i_picture_get(const reyes_i_picture *p, const char *name);

/* Names of metadata that formats with fields of their own store there. */
#define REYES_I_META_SOFTWARE "Software"
#define REYES_I_META_WRAP     "wrapmodes"     /* "periodic,clamp": s, t */
#define REYES_I_META_TEXTURE  "textureformat" /* "Plain Texture", "Shadow", or: */
#define REYES_I_CUBE_FORMAT   "CubeFace Environment"

#endif
