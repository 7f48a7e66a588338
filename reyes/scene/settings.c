/* Options of a scene: defaults, copies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reyes/scene/settings.h"

reyes_i_settings *reyes_i_settings_new(void)
{
	reyes_i_settings *s = calloc(1, sizeof(*s));
	int i;

	if (!s)
		return NULL;
	s->width_px = 640;
	s->height_px = 480;
	s->pixel_aspect = 1;
	s->crop[1] = s->crop[3] = 1;
	s->fov_degrees = 90;
	s->screen[0] = s->screen[2] = 1;
	s->hither = 1e-10f;
	s->yon = INFINITY;
	s->fstop = s->focal_length = s->focal_distance = INFINITY;
	s->samples_x = s->samples_y = 2;
	s->filter = REYES_I_FILTER_GAUSSIAN;
	s->filter_width[0] = s->filter_width[1] = 2;
	reyes_i_encoding_init(&s->encoding);
	s->jitter = 1;
	/* Without a bias, a surface of a few units is speckled by its own shadow map. */
	s->shadow_bias = 0.05f;
	s->eye_splits = 10;
	for (i = 0; i < 3; i++)
		s->z_threshold[i] = 1;
	s->relative_detail = 1;
	s->color_samples = 3;
	s->to_rgb[0] = s->to_rgb[4] = s->to_rgb[8] = 1;
	return s;
}

int reyes_i_displays_copy(reyes_i_shared_display ***to, reyes_i_shared_display **from, size_t count)
{
	size_t i;

	*to = NULL;
	if (count == 0)
		return 1;
	*to = malloc(count * sizeof(**to));
	if (!*to)
		return 0;
	memcpy(*to, from, count * sizeof(**to));
	for (i = 0; i < count; i++)
		from[i]->refs++;
	return 1;
}

void reyes_i_displays_free(reyes_i_shared_display **list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (--list[i]->refs == 0) {
			reyes_i_display_free(&list[i]->display);
			free(list[i]);
		}
	}
	free(list);
}

reyes_i_settings *reyes_i_settings_copy(const reyes_i_settings *s)
{
	reyes_i_settings *copy = malloc(sizeof(*copy));
	int ok, i;

	if (!copy)
		return NULL;
	*copy = *s;
	ok = reyes_i_displays_copy(&copy->displays, s->displays, s->display_count);
	if (!ok)
		copy->display_count = 0;
	for (i = 0; i < REYES_I_SEARCH_PATHS; i++) {
		copy->search_paths[i] = s->search_paths[i] ? strdup(s->search_paths[i]) : NULL;
		ok &= !s->search_paths[i] == !copy->search_paths[i];
	}
	if (!ok) {
		reyes_i_settings_free(copy);
		return NULL;
	}
	return copy;
}

void reyes_i_settings_free(reyes_i_settings *s)
{
	int i;

	if (!s)
		return;
	reyes_i_displays_free(s->displays, s->display_count);
	for (i = 0; i < REYES_I_SEARCH_PATHS; i++)
		free(s->search_paths[i]);
	free(s);
}
