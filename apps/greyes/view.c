/* The window's state: the picture, pan and zoom, exposure and gamma, the title. */
#include "apps/greyes/view.h"
#include "apps/greyes/fly.h"
#include "reyes/preview/pan_zoom.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_WIDTH_PX = 640, FIRST_HEIGHT_PX = 480, SAVED_MAX = 9999 };

struct gr_view {
	reyes_i_window *window;
	const gr_options *o;
	gr_shown shown; /* its arrays belong to this struct */
	uint8_t *rgb;   /* what the window shows of it */
	reyes_i_pan_zoom place;
	double stops; /* exposure, as a power of two */
	double gamma; /* beside the display's */
	int mouse_x_px, mouse_y_px, has_mouse;
	int draws; /* the window is out of date */
	gr_phase phase;
	float progress;
	int is_last;
	gr_fly fly;
	int64_t shown_ns; /* when the picture came */
	double rate;      /* frames/s of the last two pictures of --fly; 0: none */
	char title[640];
};

gr_view *gr_view_open(const gr_options *o, char *why, size_t why_bytes)
{
	const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	gr_view *v;

	why[0] = '\0';
	if (o->no_window || o->output || !((x11 && *x11) || (wayland && *wayland)))
		return NULL;
	v = calloc(1, sizeof(*v));
	if (!v) {
		snprintf(why, why_bytes, "out of memory");
		return NULL;
	}
	v->o = o;
	v->gamma = 1;
	v->place.scale = 1;
	v->place.is_fit = 1;
	if (reyes_i_window_open(&v->window, "greyes", FIRST_WIDTH_PX, FIRST_HEIGHT_PX, why,
		    why_bytes) == REYES_OK)
		return v;
	if (!reyes_i_window_exists())
		why[0] = '\0';
	free(v);
	return NULL;
}

static void free_picture(gr_view *v)
{
	free((float *)(uintptr_t)v->shown.image.rgba);
	free((float *)(uintptr_t)v->shown.image.z);
	free(v->rgb);
	v->rgb = NULL;
	memset(&v->shown, 0, sizeof(v->shown));
}

void gr_view_close(gr_view *v)
{
	if (!v)
		return;
	free_picture(v);
	reyes_i_window_close(&v->window);
	free(v);
}

static reyes_i_picture_rgb picture_of(const gr_view *v)
{
	return (reyes_i_picture_rgb){ v->shown.image.width_px, v->shown.image.height_px, v->rgb };
}

/* Converts the image with the view's exposure and gamma. */
static void encode(gr_view *v)
{
	reyes_encoding e = v->shown.encoding;

	if (!v->rgb)
		return;
	e.gain *= (float)exp2(v->stops);
	e.gamma *= (float)v->gamma;
	(void)reyes_encode_rgb(&e, &v->shown.image, v->rgb);
	v->draws = 1;
}

/* The camera orbits the point in the middle of the picture. */
static void begin_flight(gr_view *v)
{
	const reyes_image *image = &v->shown.image;
	const float z =
		image->z[(size_t)(image->height_px / 2) * image->width_px + image->width_px / 2];

	gr_fly_init(&v->fly, z > 0 && z < 1e20f ? (double)z : 5);
}

/* Takes a new picture from the job. */
static void take_picture(gr_view *v, gr_job *j)
{
	const uint32_t width = v->shown.image.width_px, height = v->shown.image.height_px;
	reyes_i_window_pixels to;
	reyes_i_picture_rgb p;

	pthread_mutex_lock(&j->lock);
	if (j->phase == GR_PHASE_RENDERING && j->r)
		v->progress = reyes_progress(j->r);
	v->phase = j->phase;
	v->is_last = j->is_last;
	if (j->shown.serial == v->shown.serial) {
		pthread_mutex_unlock(&j->lock);
		return;
	}
	v->rate = v->shown.serial ? 1e9 / (double)(progress_now_ns() - v->shown_ns) : 0;
	v->shown_ns = progress_now_ns();
	free_picture(v);
	v->shown = j->shown;
	j->shown.image.rgba = j->shown.image.z = NULL; /* the arrays belong to the view now */
	pthread_mutex_unlock(&j->lock);
	p = picture_of(v);
	if (v->o->fly && v->fly.distance == 0)
		begin_flight(v);
	v->rgb = malloc((size_t)p.width_px * p.height_px * 3);
	encode(v);
	if (p.width_px == width && p.height_px == height)
		return;
	reyes_i_window_resize(v->window, p.width_px, p.height_px);
	to = reyes_i_window_begin(v->window);
	if (to.width_px >= p.width_px && to.height_px >= p.height_px)
		reyes_i_pan_zoom_full(&v->place, &p, to.width_px, to.height_px);
	else
		reyes_i_pan_zoom_fit(&v->place, &p, to.width_px, to.height_px);
	v->place.is_fit = 1;
}

/* Values of the pixel under the mouse. */
static void describe_pixel(const gr_view *v, char *text, size_t bytes)
{
	const reyes_i_picture_rgb p = picture_of(v);
	const float *at;
	uint32_t x, y;
	size_t i;

	text[0] = '\0';
	if (!v->rgb || !v->has_mouse ||
		!reyes_i_pan_zoom_pixel(&v->place, &p, v->mouse_x_px, v->mouse_y_px, &x, &y))
		return;
	i = (size_t)y * p.width_px + x;
	at = v->shown.image.rgba + 4 * i;
	snprintf(text, bytes,
		" | %" PRIu32 ",%" PRIu32 ": %u %u %u (%.4g %.4g %.4g, alpha %.3g, z %.5g)",
		x + v->shown.image.x_px, y + v->shown.image.y_px, v->rgb[3 * i], v->rgb[3 * i + 1],
		v->rgb[3 * i + 2], (double)at[0], (double)at[1], (double)at[2], (double)at[3],
		(double)v->shown.image.z[i]);
}

static void set_title(gr_view *v)
{
	static const char *const phases[] = { "reading", NULL, "writing", NULL, "ended" };
	char title[sizeof(v->title)], state[60] = "", pixel[160], view[60] = "", rate[40] = "";
	const char *name = strrchr(v->o->scene, '/');

	if (v->phase == GR_PHASE_RENDERING)
		snprintf(state, sizeof(state), ", rendering %.0f %%", 100 * (double)v->progress);
	else if (phases[v->phase])
		snprintf(state, sizeof(state), ", %s", phases[v->phase]);
	else
		snprintf(state, sizeof(state), ", %s, q: quit",
			v->is_last ? "no further frame" : "n: next frame");
	if (v->o->fly && v->rate > 0)
		snprintf(rate, sizeof(rate), ", %.1f frames/s", v->rate);
	if (fabs(v->stops) > 1e-9 || fabs(v->gamma - 1) > 1e-9)
		snprintf(view, sizeof(view), ", exposure %+.2f, gamma %.2f", v->stops, v->gamma);
	describe_pixel(v, pixel, sizeof(pixel));
	if (v->shown.serial)
		snprintf(title, sizeof(title), "%.100s frame %" PRIu32 ", %.3g %%%s%s%s%s",
			name ? name + 1 : v->o->scene, v->shown.frame, 100 * v->place.scale, rate,
			view, state, pixel);
	else
		snprintf(title, sizeof(title), "%.100s%s", name ? name + 1 : v->o->scene, state);
	if (strcmp(title, v->title) == 0)
		return;
	memcpy(v->title, title, sizeof(title));
	reyes_i_window_set_title(v->window, title);
}

static void draw(gr_view *v)
{
	const reyes_i_window_pixels to = reyes_i_window_begin(v->window);
	const reyes_i_picture_rgb p = picture_of(v);

	v->draws = 0;
	if (!to.width_px)
		return;
	/* A window that was resized shows the whole picture, unless the user has zoomed. */
	if (v->place.is_fit &&
		!(v->place.scale == 1 && to.width_px == p.width_px && to.height_px == p.height_px))
		reyes_i_pan_zoom_fit(&v->place, &p, to.width_px, to.height_px);
	reyes_i_pan_zoom_draw(&v->place, &p, &to);
	reyes_i_window_end(v->window);
}

/* Writes what the window shows, at scale 1, to the first free name SCENE-N.png in the current
 * folder, or in that of --confine. */
static void save(const gr_view *v, gr_job *j)
{
	const char *base = strrchr(v->o->scene, '/');
	const reyes_i_picture_rgb p = picture_of(v);
	char path[1300], why[GR_WHY_BYTES];
	int n = 1, bytes;

	base = base ? base + 1 : v->o->scene;
	if (strcmp(base, "-") == 0)
		base = "greyes";
	bytes = (int)strcspn(base, ".");
	if (bytes == 0 || bytes > 200)
		base = "greyes", bytes = 6;
	do
		snprintf(path, sizeof(path), "%.1000s/%.*s-%d.png",
			v->o->confine ? v->o->confine : ".", bytes, base, n);
	while (access(path, F_OK) == 0 && ++n <= SAVED_MAX);
	if (!v->rgb || n > SAVED_MAX)
		return;
	if (reyes_write_png(path, p.width_px, p.height_px, p.rgb, why, sizeof(why)) == REYES_OK)
		log_print(j->log, LOG_LEVEL_INFO, "saved %s", v->o->confine ? path : path + 2);
	else
		log_print(j->log, LOG_LEVEL_ERROR, "%s", why);
}

static void press_key(gr_view *v, gr_job *j, int key)
{
	const reyes_i_picture_rgb p = picture_of(v);
	const reyes_i_window_pixels to = reyes_i_window_begin(v->window);
	const double x = to.width_px / 2.0, y = to.height_px / 2.0;

	v->draws = 1;
	if (key == 'q' || key == REYES_I_KEY_ESCAPE)
		gr_job_step(j, GR_STEP_END);
	else if (key == 'n' && v->phase == GR_PHASE_WAITING)
		gr_job_step(j, GR_STEP_NEXT);
	else if (key == 'r' && v->phase == GR_PHASE_WAITING)
		gr_job_step(j, GR_STEP_AGAIN);
	else if (key == 's' || key == 'S')
		save(v, j);
	else if (key == 'f')
		reyes_i_pan_zoom_fit(&v->place, &p, to.width_px, to.height_px);
	else if (key == '1')
		reyes_i_pan_zoom_full(&v->place, &p, to.width_px, to.height_px);
	else if (key == '+' || key == '=')
		reyes_i_pan_zoom_by(&v->place, 2, x, y);
	else if (key == '-')
		reyes_i_pan_zoom_by(&v->place, 0.5, x, y);
	else if (key == ']' || key == '[')
		v->stops += key == ']' ? 0.25 : -0.25;
	else if (key == '.' || key == ',')
		v->gamma = fmin(fmax(v->gamma + (key == '.' ? 0.1 : -0.1), 0.1), 10);
	else if (key == '0')
		v->stops = 0, v->gamma = 1;
	if (strchr("[].,0", key))
		encode(v);
}

/* Executes input that moves the camera. Returns 0 if it does not. */
static int fly(gr_view *v, gr_job *j, const reyes_i_window_event *e)
{
	const double step = v->fly.distance / 20, turn = 3.0 / (v->shown.image.width_px + 1.0);

	if (!v->o->fly || v->fly.distance == 0)
		return 0;
	if (e->kind == REYES_I_INPUT_DRAG)
		gr_fly_orbit(&v->fly, turn * e->dx_px, turn * e->dy_px);
	else if (e->kind == REYES_I_INPUT_WHEEL)
		gr_fly_walk(&v->fly, 0, 0, step * e->dy_px);
	else if (e->kind == REYES_I_INPUT_KEY && (e->key == 'w' || e->key == 's'))
		gr_fly_walk(&v->fly, 0, 0, e->key == 'w' ? step : -step);
	else if (e->kind == REYES_I_INPUT_KEY && (e->key == 'a' || e->key == 'd'))
		gr_fly_walk(&v->fly, e->key == 'd' ? step : -step, 0, 0);
	else if (e->kind == REYES_I_INPUT_KEY && (e->key == 'u' || e->key == 'j'))
		gr_fly_walk(&v->fly, 0, e->key == 'u' ? step : -step, 0);
	else if (e->kind == REYES_I_INPUT_KEY && e->key == 'h')
		gr_fly_init(&v->fly, v->fly.distance);
	else
		return 0;
	gr_job_fly(j, v->fly.m);
	return 1;
}

static void handle(gr_view *v, gr_job *j, const reyes_i_window_event *e)
{
	if (fly(v, j, e))
		return;
	switch (e->kind) {
	case REYES_I_INPUT_CLOSE:
		gr_job_step(j, GR_STEP_END);
		break;
	case REYES_I_INPUT_KEY:
		press_key(v, j, e->key);
		break;
	case REYES_I_INPUT_WHEEL:
		reyes_i_pan_zoom_by(&v->place, exp2(e->dy_px / 4.0), e->x_px, e->y_px);
		v->draws = 1;
		break;
	case REYES_I_INPUT_DRAG:
		v->place.left += e->dx_px;
		v->place.top += e->dy_px;
		v->place.is_fit = 0;
		v->draws = 1;
		/* fall through */
	case REYES_I_INPUT_MOVE:
		v->has_mouse = 1;
		v->mouse_x_px = e->x_px;
		v->mouse_y_px = e->y_px;
		break;
	case REYES_I_INPUT_LEAVE:
		v->has_mouse = 0;
		break;
	case REYES_I_INPUT_DRAW:
		v->draws = 1;
		break;
	}
}

void gr_view_update(gr_view *v, gr_job *j, int limit_ms)
{
	reyes_i_window_event e;

	while (reyes_i_window_wait(v->window, limit_ms, &e)) {
		handle(v, j, &e);
		limit_ms = 0;
	}
	take_picture(v, j);
	if (v->draws)
		draw(v);
	set_title(v);
}
