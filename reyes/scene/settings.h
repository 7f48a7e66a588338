/* The options of a scene (RISpec 3.2, "Options"): what FrameBegin saves and FrameEnd restores. */
#ifndef REYES_SCENE_SETTINGS_H
#define REYES_SCENE_SETTINGS_H

#include <stddef.h>
#include <stdint.h>
#include "reyes/image/display.h"
#include "reyes/scene/frame.h"

enum {
	REYES_I_COLOR_SAMPLES_MAX = 32,
	REYES_I_SEARCH_PATHS = 5,
	REYES_I_SIZE_MAX_PX = 65536,
	REYES_I_SAMPLES_MAX = 64
};

/* A Display request, shared between options and frames. */
typedef struct reyes_i_shared_display {
	reyes_i_display display;
	uint32_t refs;
	uint32_t is_written; /* its file, of at least one frame */
} reyes_i_shared_display;

typedef struct reyes_i_settings {
	int width_px, height_px;
	float pixel_aspect;
	float frame_aspect; /* 0: that of the format */
	int has_window;
	float window[4]; /* left right bottom top */
	float crop[4];   /* xmin xmax ymin ymax */
	int perspective;
	float fov_degrees;
	double screen[4]; /* transforms before Projection: x' = x s[0] + s[1], y' = y s[2] + s[3] */
	float hither, yon;
	float fstop, focal_length, focal_distance;
	float shutter_open, shutter_close;
	uint32_t samples_x, samples_y;
	uint32_t filter;
	float filter_width[2];
	reyes_i_encoding encoding;
	uint32_t has_background, clamp_to_alpha;
	float background[3];
	uint32_t depth_filter, jitter;
	uint32_t eye_splits, max_grid;
	float z_threshold[3];
	float relative_detail;
	float shadow_bias;
	uint32_t color_samples;
	float to_rgb[3 * REYES_I_COLOR_SAMPLES_MAX];
	char *search_paths[REYES_I_SEARCH_PATHS]; /* enum reyes_i_path_kind; NULL: none */
	reyes_i_shared_display **displays;
	size_t display_count;
} reyes_i_settings;

/* The defaults of the specification; NULL: no memory. */
reyes_i_settings *reyes_i_settings_new(void);
reyes_i_settings *reyes_i_settings_copy(const reyes_i_settings *s);
void reyes_i_settings_free(reyes_i_settings *s);

/* Copies a list of displays; returns 0 if there is no memory. */
int reyes_i_displays_copy(
	reyes_i_shared_display ***to, reyes_i_shared_display **from, size_t count);
void reyes_i_displays_free(reyes_i_shared_display **list, size_t count);

#endif
