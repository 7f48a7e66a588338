/* Camera of a frame: from Format, FrameAspectRatio, ScreenWindow, CropWindow and Projection to the
 * scale and offset of raster coordinates. */
#include <math.h>
#include <string.h>
#include "reyes/scene/camera.h"
#include "reyes/scene/matrix.h"

/* What RISpec 3.2, "Camera", calls the format, frame aspect ratio and screen window. */
typedef struct picture {
	uint32_t width_px, height_px;
	double pixel_aspect;
	double window[4]; /* left right bottom top */
} picture;

/* The format: that of the scene, or the sizes of the renderer's options. One size alone scales the
 * other in proportion. */
static void choose_format(const reyes_renderer *r, picture *p)
{
	const reyes_i_settings *s = r->settings;
	double width = s->width_px, height = s->height_px;

	if (r->options.width_px && r->options.height_px) {
		width = r->options.width_px;
		height = r->options.height_px;
	} else if (r->options.width_px) {
		height = fmax(1, floor(height * r->options.width_px / width + 0.5));
		width = r->options.width_px;
	} else if (r->options.height_px) {
		width = fmax(1, floor(width * r->options.height_px / height + 0.5));
		height = r->options.height_px;
	}
	p->width_px = (uint32_t)fmin(width, REYES_I_SIZE_MAX_PX);
	p->height_px = (uint32_t)fmin(height, REYES_I_SIZE_MAX_PX);
	p->pixel_aspect = s->pixel_aspect;
}

static picture compute_picture(const reyes_renderer *r)
{
	const reyes_i_settings *s = r->settings;
	picture p;
	double format_aspect, aspect;
	int i;

	choose_format(r, &p);
	format_aspect = p.width_px * p.pixel_aspect / p.height_px;
	aspect = s->frame_aspect > 0 ? s->frame_aspect : format_aspect;
	/* RISpec 3.2, "RiFormat": a frame of another aspect ratio is the largest picture of that
	 * ratio within the format. */
	if (aspect > format_aspect * (1 + 1e-6))
		p.height_px = (uint32_t)fmax(1, floor(p.width_px * p.pixel_aspect / aspect + 0.5));
	else if (aspect < format_aspect * (1 - 1e-6))
		p.width_px = (uint32_t)fmax(1, floor(p.height_px * aspect / p.pixel_aspect + 0.5));
	for (i = 0; i < 4; i++) {
		const double side = i % 2 == 0 ? -1 : 1;
		const double length = i < 2 ? fmax(aspect, 1) : fmax(1 / aspect, 1);

		p.window[i] = s->has_window ? s->window[i] : side * length;
	}
	return p;
}

/* RISpec 3.2, "RiCropWindow": the pixels from ceil(min * size) to ceil(max * size - 1). The
 * products are rounded to float as the limits are: 0.1 of 640 pixels begins at 64. */
static void crop(float least, float most, uint32_t size, uint32_t *first, uint32_t *end)
{
	const float from = least * (float)size, to = most * (float)size;

	*first = (uint32_t)fmin(fmax(ceil((double)from), 0), size - 1);
	*end = (uint32_t)fmin(fmax(ceil((double)to - 1), 0), size - 1) + 1;
	if (*end <= *first)
		*end = *first + 1;
}

static void compute_raster(reyes_renderer *r, const picture *p)
{
	const reyes_i_settings *s = r->settings;
	const float *o = r->options.crop;
	reyes_i_camera *c = &r->frame.camera;
	const double width = p->window[1] - p->window[0], height = p->window[3] - p->window[2];
	const double pi = 3.14159265358979323846;
	/* fov is the angle that the screen window from -1 to 1 spans. */
	const double tangent = s->perspective ? tan(s->fov_degrees * pi / 360) : 1;

	c->perspective = s->perspective != 0;
	c->width_px = p->width_px;
	c->height_px = p->height_px;
	c->scale[0] = (float)(s->screen[0] / tangent / width * p->width_px);
	c->offset[0] = (float)((s->screen[1] - p->window[0]) / width * p->width_px);
	c->scale[1] = (float)(-s->screen[2] / tangent / height * p->height_px);
	c->offset[1] = (float)((p->window[3] - s->screen[3]) / height * p->height_px);
	if (o[0] == 0 && o[1] == 0 && o[2] == 0 && o[3] == 0)
		o = s->crop;
	crop(o[0], o[1], p->width_px, &c->crop_x0, &c->crop_x1);
	crop(o[2], o[3], p->height_px, &c->crop_y0, &c->crop_y1);
}

/* The largest radius of the lens: its products with a scale and an inverse depth are finite. */
#define LENS_MAX 1e10f

/* Depth of field. RISpec 3.2, "RiDepthOfField": the circle of confusion on the image plane, which
 * is at the distance v = focal_distance focal_length / (focal_distance - focal_length) behind the
 * lens, has the diameter (focal_length / fstop) v |1/z - 1/focal_distance|. A length on the image
 * plane is v times the length in x/z, so in x/z the radius is
 * (focal_length / fstop / 2) |1/z - 1/focal_distance|. */
static void compute_lens(reyes_renderer *r)
{
	const reyes_i_settings *s = r->settings;
	reyes_i_camera *c = &r->frame.camera;

	c->lens = 0;
	c->focus = s->focal_distance;
	if (!isfinite(s->fstop) || !isfinite(s->focal_length))
		return;
	c->lens = s->focal_length / s->fstop / 2;
	if (c->lens > LENS_MAX) {
		reyes_i_warn_once(r, "large lens",
			"the lens of DepthOfField has a radius of %g; it is reduced to %g",
			(double)c->lens, (double)LENS_MAX);
		c->lens = LENS_MAX;
	}
	if (c->lens > 0 && !s->perspective) {
		reyes_i_warn_once(r, "orthographic depth of field",
			"DepthOfField has no effect with an orthographic projection");
		c->lens = 0;
	}
}

void reyes_i_camera_matrices(reyes_renderer *r, const double world[16])
{
	const reyes_i_camera *c = &r->frame.camera;
	double ndc[16], screen[16];
	int axis;

	memset(ndc, 0, sizeof(ndc));
	memset(screen, 0, sizeof(screen));
	for (axis = 0; axis < 2; axis++) {
		const double size = axis == 0 ? c->width_px : c->height_px;
		const double sign = axis == 0 ? 1 : -1; /* raster y runs down, screen y up */
		const int row = c->perspective ? 2 : 3;

		ndc[5 * axis] = c->scale[axis] / size;
		ndc[4 * row + axis] = c->offset[axis] / size;
		screen[5 * axis] = sign * 2 * ndc[5 * axis];
		screen[4 * row + axis] = sign * (2 * ndc[4 * row + axis] - 1);
	}
	ndc[10] = screen[10] = 1;
	ndc[c->perspective ? 11 : 15] = screen[c->perspective ? 11 : 15] = 1;
	reyes_i_matrix_multiply(ndc, world, ndc);
	reyes_i_matrix_multiply(screen, world, screen);
	reyes_i_matrix_to_float(r->world_to_camera, world);
	reyes_i_matrix_to_float(r->world_to_ndc, ndc);
	reyes_i_matrix_to_float(r->world_to_screen, screen);
}

/* Nonzero if raster coordinates are defined. Beyond 1e20, products in float would overflow. */
static int is_usable(const reyes_i_camera *c)
{
	int axis;

	for (axis = 0; axis < 2; axis++) {
		if (!(fabsf(c->scale[axis]) >= 1e-20f && fabsf(c->scale[axis]) <= 1e20f &&
			    fabsf(c->offset[axis]) <= 1e20f))
			return 0;
	}
	return 1;
}

void reyes_i_camera_imager(reyes_i_camera *c, const reyes_i_settings *s)
{
	memcpy(c->background, s->background, sizeof(c->background));
	c->has_background = s->has_background;
	c->clamp_to_alpha = s->clamp_to_alpha;
}

void reyes_i_camera_compute(reyes_renderer *r)
{
	reyes_i_settings *s = r->settings;
	reyes_i_camera *c = &r->frame.camera;
	picture p = compute_picture(r);

	memset(c, 0, sizeof(*c));
	compute_raster(r, &p);
	if (!is_usable(c)) {
		reyes_i_error(r, "the screen window and the projection are too small or too large; "
				 "the default window and 90 degrees are used");
		s->has_window = 0;
		s->fov_degrees = 90;
		s->screen[0] = s->screen[2] = 1;
		s->screen[1] = s->screen[3] = 0;
		p = compute_picture(r);
		compute_raster(r, &p);
	}
	compute_lens(r);
	c->hither = s->hither;
	c->yon = s->yon;
	c->samples_x = r->options.samples_x ? r->options.samples_x : s->samples_x;
	c->samples_y = r->options.samples_y ? r->options.samples_y : s->samples_y;
	c->filter = s->filter;
	memcpy(c->filter_width, s->filter_width, sizeof(c->filter_width));
	c->depth_filter = s->depth_filter;
	c->shutter_open = s->shutter_open;
	c->shutter_close = s->shutter_close;
	reyes_i_camera_imager(c, s);
	c->eye_splits = s->eye_splits;
	c->jitter = s->jitter;
	c->max_grid = s->max_grid;
	memcpy(c->z_threshold, s->z_threshold, sizeof(c->z_threshold));
	r->pixel_aspect = (float)p.pixel_aspect;
	r->encoding = s->encoding;
	reyes_i_xform_at(r->base, s->shutter_open, r->world_matrix);
	reyes_i_camera_matrices(r, r->world_matrix);
}

float reyes_i_camera_box_area(
	const reyes_i_camera *c, const double to_camera[16], const float box[6])
{
	double least[2] = { INFINITY, INFINITY }, most[2] = { -INFINITY, -INFINITY };
	int corner, axis;

	for (corner = 0; corner < 8; corner++) {
		const float p[3] = { box[corner & 1], box[2 + (corner >> 1 & 1)],
			box[4 + (corner >> 2 & 1)] };
		double q[3], w;

		reyes_i_matrix_point(q, to_camera, p);
		if (c->perspective && !(q[2] > 0))
			return INFINITY;
		w = c->perspective ? q[2] : 1;
		for (axis = 0; axis < 2; axis++) {
			const double x = q[axis] / w * c->scale[axis];

			least[axis] = fmin(least[axis], x);
			most[axis] = fmax(most[axis], x);
		}
	}
	return (float)((most[0] - least[0]) * (most[1] - least[1]));
}
