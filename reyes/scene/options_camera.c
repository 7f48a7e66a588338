/* Options of the camera and of the picture's geometry. */
#include <math.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/matrix.h"
#include "reyes/scene/params.h"

reyes_status reyes_format(reyes_renderer *r, int width, int height, float pixel_aspect)
{
	reyes_i_settings *s;

	REYES_I_ENTER(r, "Format", REYES_I_OPTION, REYES_I_STATIC);
	s = r->settings;
	/* Negative values select the display's default. */
	if (width < 0)
		width = 640;
	if (height < 0)
		height = 480;
	if (pixel_aspect < 0)
		pixel_aspect = 1;
	if (width < 1 || height < 1 || width > REYES_I_SIZE_MAX_PX || height > REYES_I_SIZE_MAX_PX)
		return reyes_i_error(
			r, "%d x %d pixels are not within 1 x 1 .. 65536 x 65536", width, height);
	if (!(pixel_aspect >= 1e-3f && pixel_aspect <= 1e3f))
		return reyes_i_error(
			r, "pixel aspect %g is not within 0.001 .. 1000", (double)pixel_aspect);
	s->width_px = width;
	s->height_px = height;
	s->pixel_aspect = pixel_aspect;
	return REYES_OK;
}

reyes_status reyes_frame_aspect_ratio(reyes_renderer *r, float aspect)
{
	REYES_I_ENTER(r, "FrameAspectRatio", REYES_I_OPTION, REYES_I_STATIC);
	if (!(aspect >= 1e-4f && aspect <= 1e4f))
		return reyes_i_error(r, "%g is not within 0.0001 .. 10000", (double)aspect);
	r->settings->frame_aspect = aspect;
	return REYES_OK;
}

reyes_status reyes_screen_window(
	reyes_renderer *r, float left, float right, float bottom, float top)
{
	const float window[4] = { left, right, bottom, top };

	REYES_I_ENTER(r, "ScreenWindow", REYES_I_OPTION, REYES_I_STATIC);
	if (!reyes_i_all_finite(window, 4) || !isfinite(right - left) || !isfinite(top - bottom) ||
		left == right || bottom == top)
		return reyes_i_error(r, "window %g %g %g %g is empty or not finite", (double)left,
			(double)right, (double)bottom, (double)top);
	memcpy(r->settings->window, window, sizeof(window));
	r->settings->has_window = 1;
	return REYES_OK;
}

reyes_status reyes_crop_window(reyes_renderer *r, float xmin, float xmax, float ymin, float ymax)
{
	const float crop[4] = { xmin, xmax, ymin, ymax };

	REYES_I_ENTER(r, "CropWindow", REYES_I_OPTION, REYES_I_STATIC);
	if (!(xmin >= 0 && xmin < xmax && xmax <= 1 && ymin >= 0 && ymin < ymax && ymax <= 1))
		return reyes_i_error(r, "%g %g %g %g is not a window within 0..1", (double)xmin,
			(double)xmax, (double)ymin, (double)ymax);
	memcpy(r->settings->crop, crop, sizeof(crop));
	return REYES_OK;
}

/* Takes over the current transform as a transform of the screen: RISpec 3.2, "RiProjection",
 * appends the projection to it. Only scales and translations in the picture are supported. */
static void keep_screen_transform(reyes_renderer *r)
{
	const double *m = r->ctm->matrix[0];
	double rest = 0;
	int i;

	for (i = 0; i < 16; i++) {
		if (i != 0 && i != 5 && i != 10 && i != 12 && i != 13 && i != 14 && i != 15)
			rest = fmax(rest, fabs(m[i]));
	}
	r->settings->screen[0] = r->settings->screen[2] = 1;
	r->settings->screen[1] = r->settings->screen[3] = 0;
	if (r->ctm->count > 1 || rest > 1e-9 || m[0] == 0 || m[5] == 0) {
		reyes_i_warn(r,
			"the transforms before it are ignored: of these only Translate and "
			"Scale in the picture are supported; transforms of the camera follow "
			"Projection");
		return;
	}
	r->settings->screen[0] = m[0];
	r->settings->screen[1] = m[12];
	r->settings->screen[2] = m[5];
	r->settings->screen[3] = m[13];
}

reyes_status reyes_projection(reyes_renderer *r, const char *name, const reyes_params *p)
{
	float fov = 90;
	reyes_i_xform *identity;
	int perspective;
	size_t i;

	REYES_I_ENTER(r, "Projection", REYES_I_OPTION, REYES_I_FIRST);
	if (!name || !*name || strcmp(name, "orthographic") == 0) {
		perspective = 0;
	} else if (strcmp(name, "perspective") == 0) {
		perspective = 1;
	} else {
		return reyes_i_error(r,
			"there is no projection \"%.100s\"; use perspective or orthographic", name);
	}
	for (i = 0; i < reyes_i_param_count(p); i++) {
		reyes_i_param param;

		if (!reyes_i_param_read(r, p, i, &param))
			continue;
		if (strcmp(param.name, "fov") != 0)
			reyes_i_param_unused(r, &param);
		else if (reyes_i_param_floats(r, &param, &fov, 1) && !(fov > 0 && fov < 180)) {
			reyes_i_error(r, "fov %g is not between 0 and 180 degrees; 90 is used",
				(double)fov);
			fov = 90;
		}
	}
	identity = reyes_i_xform_new(1);
	if (!identity)
		return reyes_i_no_memory(r);
	keep_screen_transform(r);
	reyes_i_matrix_identity(identity->matrix[0]);
	reyes_i_xform_unref(r->ctm);
	r->ctm = identity;
	r->settings->perspective = perspective;
	r->settings->fov_degrees = fov;
	return REYES_OK;
}

reyes_status reyes_clipping(reyes_renderer *r, float hither, float yon)
{
	REYES_I_ENTER(r, "Clipping", REYES_I_OPTION, REYES_I_FIRST);
	/* RI_EPSILON and RI_INFINITY of the specification. */
	if (hither >= 0 && hither < 1e-10f)
		hither = 1e-10f;
	if (yon >= 1e38f)
		yon = INFINITY;
	if (!(hither >= 0 && hither < yon) || isinf(hither))
		return reyes_i_error(r, "planes %g and %g: 0 <= hither < yon is required",
			(double)hither, (double)yon);
	r->settings->hither = hither;
	r->settings->yon = yon;
	return REYES_OK;
}

reyes_status reyes_clipping_plane(
	reyes_renderer *r, float x, float y, float z, float nx, float ny, float nz)
{
	const float all[6] = { x, y, z, nx, ny, nz };

	REYES_I_ENTER(r, "ClippingPlane", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!reyes_i_all_finite(all, 6))
		return reyes_i_error(r, "a value is not finite");
	reyes_i_warn_once(
		r, "clipping plane", "clipping planes are not supported; nothing is clipped");
	return REYES_OK;
}

reyes_status reyes_depth_of_field(
	reyes_renderer *r, float fstop, float focal_length, float focal_distance)
{
	REYES_I_ENTER(r, "DepthOfField", REYES_I_OPTION, REYES_I_FIRST);
	/* A pinhole: RI_INFINITY, also as a float that was printed, or a lens without size. */
	if (fstop >= 9.99e37f || focal_length == 0)
		fstop = focal_length = focal_distance = INFINITY;
	if (!(fstop > 0) || !(focal_length >= 0) || !(focal_distance > 0))
		return reyes_i_error(r,
			"fstop %g, focal length %g, focal distance %g: all must be positive",
			(double)fstop, (double)focal_length, (double)focal_distance);
	r->settings->fstop = fstop;
	r->settings->focal_length = focal_length;
	r->settings->focal_distance = focal_distance;
	return REYES_OK;
}

reyes_status reyes_shutter(reyes_renderer *r, float open, float close)
{
	REYES_I_ENTER(r, "Shutter", REYES_I_OPTION, REYES_I_STATIC);
	if (!isfinite(open) || !isfinite(close) || close < open)
		return reyes_i_error(r, "times %g and %g: open <= close is required", (double)open,
			(double)close);
	r->settings->shutter_open = open;
	r->settings->shutter_close = close;
	return REYES_OK;
}
