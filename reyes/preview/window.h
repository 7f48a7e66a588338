/* A window with a picture, and the input of keyboard and mouse. Only sdl.c uses SDL. A window is
 * used by one thread, which has to be the main one on some systems. */
#ifndef REYES_PREVIEW_WINDOW_H
#define REYES_PREVIEW_WINDOW_H

#include <reyes/reyes.h>

typedef struct reyes_i_window reyes_i_window;

enum reyes_i_input {
	REYES_I_INPUT_CLOSE = 1, /* the window's close button */
	REYES_I_INPUT_KEY,       /* key: a character, REYES_I_KEY_ESCAPE, .. */
	REYES_I_INPUT_MOVE,      /* the mouse, without a button: x_px, y_px */
	REYES_I_INPUT_DRAG,      /* with a button: dx_px, dy_px as well */
	REYES_I_INPUT_WHEEL,     /* dy_px: turns, positive away from the user; x_px, y_px */
	REYES_I_INPUT_LEAVE,     /* the mouse has left the window */
	REYES_I_INPUT_DRAW       /* the window was resized or uncovered */
};

enum reyes_i_key { REYES_I_KEY_ESCAPE = 27 };

typedef struct reyes_i_window_event {
	enum reyes_i_input kind;
	int key;
	int x_px, y_px, dx_px, dy_px;
} reyes_i_window_event;

/* Nonzero if SDL is compiled in. */
int reyes_i_window_exists(void);

/* Opens a window of at most the screen's size. On failure *out is NULL and message has the reason:
 * REYES_ERR_UNSUPPORTED without SDL, else REYES_ERR_DEVICE. */
reyes_status reyes_i_window_open(reyes_i_window **out, const char *title, uint32_t width_px,
	uint32_t height_px, char *message, size_t message_bytes);
void reyes_i_window_close(reyes_i_window **w);

/* Changes the size, to at most the screen's. */
void reyes_i_window_resize(reyes_i_window *w, uint32_t width_px, uint32_t height_px);
void reyes_i_window_set_title(reyes_i_window *w, const char *title);

/* Waits for input, at most so long. Returns 1 and fills *e, or 0. */
int reyes_i_window_wait(reyes_i_window *w, int limit_ms, reyes_i_window_event *e);

/* The pixels of the window. */
typedef struct reyes_i_window_pixels {
	uint32_t width_px, height_px;
	size_t stride;  /* pixels from row to row */
	uint32_t *xrgb; /* red * 65536 + green * 256 + blue */
} reyes_i_window_pixels;

/* Returns the pixels to be drawn; width_px 0: the window cannot be drawn now. */
reyes_i_window_pixels reyes_i_window_begin(reyes_i_window *w);
/* Shows them. */
void reyes_i_window_end(reyes_i_window *w);

#endif
