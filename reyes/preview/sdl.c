/* The window by SDL 2. Pixels go to the window's surface without a GPU renderer, so that their
 * values are exact. */
#define SDL_MAIN_HANDLED
#include "reyes/preview/window.h"

#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time between two looks at the queue of events: short for the user, long for a processor. */
enum { POLL_MS = 4 };

struct reyes_i_window {
	SDL_Window *window;
	SDL_Surface *picture; /* XRGB, of the window's size */
};

int reyes_i_window_exists(void)
{
	return 1;
}

static reyes_status fail(reyes_i_window *w, char *message, size_t message_bytes)
{
	if (message && message_bytes)
		snprintf(message, message_bytes, "%s", SDL_GetError());
	reyes_i_window_close(&w);
	return REYES_ERR_DEVICE;
}

/* Pixels for each unit of the window's coordinates: more than 1 on dense screens. */
static double density(reyes_i_window *w)
{
	const SDL_Surface *s = SDL_GetWindowSurface(w->window);
	int width = 0, height = 0;

	SDL_GetWindowSize(w->window, &width, &height);
	return s && width > 0 && s->w > width ? (double)s->w / width : 1;
}

/* Limits a size to the part of the screen that windows may cover, less their frame. */
static void limit_size(reyes_i_window *w, int *width, int *height)
{
	const int index = w->window ? SDL_GetWindowDisplayIndex(w->window) : 0;
	SDL_Rect r;
	int top = 0, left = 0, bottom = 0, right = 0;

	if (SDL_GetDisplayUsableBounds(index < 0 ? 0 : index, &r) != 0)
		return;
	if (w->window)
		(void)SDL_GetWindowBordersSize(w->window, &top, &left, &bottom, &right);
	if (*width > r.w - left - right)
		*width = r.w - left - right;
	if (*height > r.h - top - bottom)
		*height = r.h - top - bottom;
	*width = *width > 0 ? *width : 1;
	*height = *height > 0 ? *height : 1;
}

/* SDL falls back to drivers that show no window or take over the console. */
static int is_window_system(const char *driver)
{
	return driver && SDL_strcasecmp(driver, "KMSDRM") != 0 &&
	       SDL_strcasecmp(driver, "offscreen") != 0;
}

reyes_status reyes_i_window_open(reyes_i_window **out, const char *title, uint32_t width_px,
	uint32_t height_px, char *message, size_t message_bytes)
{
	reyes_i_window *w = calloc(1, sizeof(*w));
	int width = width_px < 16384 ? (int)width_px : 16384;
	int height = height_px < 16384 ? (int)height_px : 16384;

	*out = NULL;
	if (!w) {
		if (message && message_bytes)
			snprintf(message, message_bytes, "out of memory");
		return REYES_ERR_NOMEM;
	}
	SDL_SetMainReady();
	SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
	SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
	SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
	if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
		return fail(w, message, message_bytes);
	if (!is_window_system(SDL_GetCurrentVideoDriver())) {
		SDL_SetError("no display server can be reached");
		return fail(w, message, message_bytes);
	}
	SDL_EnableScreenSaver();
	limit_size(w, &width, &height);
	w->window = SDL_CreateWindow(title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width,
		height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
	if (!w->window)
		return fail(w, message, message_bytes);
	SDL_StartTextInput();
	*out = w;
	return REYES_OK;
}

void reyes_i_window_close(reyes_i_window **out)
{
	reyes_i_window *w = *out;

	if (!w)
		return;
	*out = NULL;
	SDL_FreeSurface(w->picture);
	if (w->window)
		SDL_DestroyWindow(w->window);
	if (SDL_WasInit(SDL_INIT_VIDEO))
		SDL_QuitSubSystem(SDL_INIT_VIDEO);
	SDL_Quit();
	free(w);
}

void reyes_i_window_resize(reyes_i_window *w, uint32_t width_px, uint32_t height_px)
{
	const double scale = 1 / density(w);
	int width = (int)(scale * (width_px < 16384 ? (int)width_px : 16384) + 0.5);
	int height = (int)(scale * (height_px < 16384 ? (int)height_px : 16384) + 0.5);

	limit_size(w, &width, &height);
	SDL_SetWindowSize(w->window, width, height);
}

void reyes_i_window_set_title(reyes_i_window *w, const char *title)
{
	SDL_SetWindowTitle(w->window, title);
}

/* Converts the coordinates of an event to pixels. */
static void to_pixels(reyes_i_window *w, reyes_i_window_event *e)
{
	const double scale = density(w);

	e->x_px = (int)(scale * e->x_px);
	e->y_px = (int)(scale * e->y_px);
	if (e->kind == REYES_I_INPUT_DRAG) {
		e->dx_px = (int)(scale * e->dx_px);
		e->dy_px = (int)(scale * e->dy_px);
	}
}

/* Translates an event. Returns 0 if it is of no use. */
static int translate(const SDL_Event *from, reyes_i_window_event *e)
{
	memset(e, 0, sizeof(*e));
	switch (from->type) {
	case SDL_QUIT:
		e->kind = REYES_I_INPUT_CLOSE;
		return 1;
	case SDL_KEYDOWN:
		/* Characters come as text, which depends on the layout of the keyboard. */
		e->kind = REYES_I_INPUT_KEY;
		e->key = REYES_I_KEY_ESCAPE;
		return from->key.keysym.sym == SDLK_ESCAPE;
	case SDL_TEXTINPUT:
		e->kind = REYES_I_INPUT_KEY;
		e->key = (unsigned char)from->text.text[0];
		return e->key > 0 && e->key < 128 && from->text.text[1] == '\0';
	case SDL_MOUSEMOTION:
		e->kind = from->motion.state ? REYES_I_INPUT_DRAG : REYES_I_INPUT_MOVE;
		e->x_px = from->motion.x;
		e->y_px = from->motion.y;
		e->dx_px = from->motion.xrel;
		e->dy_px = from->motion.yrel;
		return 1;
	case SDL_MOUSEWHEEL:
		e->kind = REYES_I_INPUT_WHEEL;
		e->dy_px = from->wheel.y;
		e->x_px = from->wheel.mouseX;
		e->y_px = from->wheel.mouseY;
		return e->dy_px != 0;
	case SDL_WINDOWEVENT:
		e->kind = from->window.event == SDL_WINDOWEVENT_LEAVE ? REYES_I_INPUT_LEAVE
								      : REYES_I_INPUT_DRAW;
		return from->window.event == SDL_WINDOWEVENT_LEAVE ||
		       from->window.event == SDL_WINDOWEVENT_EXPOSED ||
		       from->window.event == SDL_WINDOWEVENT_SIZE_CHANGED;
	default:
		return 0;
	}
}

/* Polls, because SDL_WaitEvent is not safe for a window that is closed soon after it: SDL wakes
 * itself by messages to the window on a second connection (SDL 2.26, X11_SendWakeupEvent). If the
 * server reads one when the window exists no longer, Xlib ends the process with BadWindow. */
int reyes_i_window_wait(reyes_i_window *w, int limit_ms, reyes_i_window_event *e)
{
	const Uint32 begin = SDL_GetTicks();
	SDL_Event event;
	int some = 0;

	for (;;) {
		while (SDL_PollEvent(&event)) {
			some = 1;
			if (!translate(&event, e))
				continue;
			to_pixels(w, e);
			return 1;
		}
		if (some || SDL_GetTicks() - begin >= (Uint32)limit_ms)
			return 0;
		SDL_Delay(POLL_MS);
	}
}

reyes_i_window_pixels reyes_i_window_begin(reyes_i_window *w)
{
	const SDL_Surface *s = SDL_GetWindowSurface(w->window);
	reyes_i_window_pixels p = { 0, 0, 0, NULL };
	const int width = s ? s->w : 0, height = s ? s->h : 0;

	if (!s)
		return p;
	if (!w->picture || w->picture->w != width || w->picture->h != height) {
		SDL_FreeSurface(w->picture);
		w->picture = SDL_CreateRGBSurfaceWithFormat(
			0, width, height, 32, SDL_PIXELFORMAT_RGB888);
	}
	if (!w->picture)
		return p;
	p.width_px = (uint32_t)width;
	p.height_px = (uint32_t)height;
	p.stride = (size_t)w->picture->pitch / 4;
	p.xrgb = w->picture->pixels;
	return p;
}

void reyes_i_window_end(reyes_i_window *w)
{
	SDL_Surface *to = SDL_GetWindowSurface(w->window);

	/* A failure, such as a size that has just changed, is followed by a further event. */
	if (to && SDL_BlitSurface(w->picture, NULL, to, NULL) == 0)
		(void)SDL_UpdateWindowSurface(w->window);
}
