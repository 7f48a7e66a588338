/* Pan and zoom of a picture in a window, and drawing. */
#ifndef REYES_PREVIEW_PAN_ZOOM_H
#define REYES_PREVIEW_PAN_ZOOM_H

#include "reyes/preview/window.h"

/* Pixel (x, y) of the picture covers the window from (left + scale x, top + scale y), for a side of
 * scale pixels. */
typedef struct reyes_i_pan_zoom {
	double scale, left, top;
	int is_fit; /* the scale follows the size of the window */
} reyes_i_pan_zoom;

typedef struct reyes_i_picture_rgb {
	uint32_t width_px, height_px;
	const uint8_t *rgb; /* [height][width][3] */
} reyes_i_picture_rgb;

/* The largest scale at which the whole picture is visible, in the centre. */
void reyes_i_pan_zoom_fit(
	reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, uint32_t width_px, uint32_t height_px);
/* Scale 1, in the centre. */
void reyes_i_pan_zoom_full(
	reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, uint32_t width_px, uint32_t height_px);
/* Multiplies the scale (1/64 to 256); the point (x, y) of the window remains where it is. */
void reyes_i_pan_zoom_by(reyes_i_pan_zoom *v, double factor, double x, double y);
/* The pixel of the picture at (x, y) of the window. Returns 0 if there is none. */
int reyes_i_pan_zoom_pixel(const reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, int x, int y,
	uint32_t *px, uint32_t *py);
/* Draws the picture, and gray around it. A scale of 1 or more repeats pixels, a smaller one draws
 * the mean of those that a pixel of the window covers. p->rgb NULL: no picture. */
void reyes_i_pan_zoom_draw(
	const reyes_i_pan_zoom *v, const reyes_i_picture_rgb *p, const reyes_i_window_pixels *to);

#endif
