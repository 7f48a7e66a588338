/* Generated scenes, as RIB text, and the frame of a scene. */
#ifndef REYES_ALONE_SCENES_H
#define REYES_ALONE_SCENES_H

#include <reyes/reyes.h>
#include "reyes/scene/frame.h"

/* Layers of sheets that fill the picture one behind the other, each of `patches` x `patches`
 * bicubic patches with waves in depth; ShadingRate 1. The depth complexity is the number of layers:
 * 16 layers of 10 x 10 patches at 800 x 800 have about 11 M micropolygons. Returns the text, which
 * the caller frees, or NULL without memory. */
char *reyes_i_scene_layers(uint32_t layers, uint32_t patches, uint32_t side_px);

enum reyes_i_pot {
	REYES_I_POT_STILL,
	REYES_I_POT_MOVES,  /* by about a fifteenth of the picture during the shutter time */
	REYES_I_POT_BLURRED /* by a lens: up to about 1/100 of the picture */
};

/* A pot of quadrics in perspective, with 4 x 4 samples a pixel: few primitives, which split to
 * different depths. */
char *reyes_i_scene_pot(uint32_t side_px, enum reyes_i_pot kind);

/* Reads the first frame of RIB text, or of a file if text is NULL, with the options in *o, or the
 * defaults. Returns its frame, which *r owns; close *r with reyes_close. NULL: message has the
 * reason. */
const reyes_i_frame *reyes_i_scene_read(reyes_renderer **r, const reyes_options *o,
	const char *text, const char *path, char *message, size_t message_bytes);

#endif
