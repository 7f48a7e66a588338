/* A build without SDL: there is no window. */
#include "reyes/preview/window.h"

#include <stdio.h>

int reyes_i_window_exists(void)
{
	return 0;
}

reyes_status reyes_i_window_open(reyes_i_window **out, const char *title, uint32_t width_px,
	uint32_t height_px, char *message, size_t message_bytes)
{
	(void)title, (void)width_px, (void)height_px;
	*out = NULL;
	if (message && message_bytes)
		snprintf(message, message_bytes, "SDL is not compiled in");
	return REYES_ERR_UNSUPPORTED;
}

void reyes_i_window_close(reyes_i_window **w)
{
	*w = NULL;
}

void reyes_i_window_resize(reyes_i_window *w, uint32_t width_px, uint32_t height_px)
{
	(void)w, (void)width_px, (void)height_px;
}

void reyes_i_window_set_title(reyes_i_window *w, const char *title)
{
	(void)w, (void)title;
}

int reyes_i_window_wait(reyes_i_window *w, int limit_ms, reyes_i_window_event *e)
{
	(void)w, (void)limit_ms, (void)e;
	return 0;
}

reyes_i_window_pixels reyes_i_window_begin(reyes_i_window *w)
{
	(void)w;
	return (reyes_i_window_pixels){ 0, 0, 0, NULL };
}

void reyes_i_window_end(reyes_i_window *w)
{
	(void)w;
}
