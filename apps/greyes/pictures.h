/* The files of a frame: those of the scene's Display requests, or that of --output. */
#ifndef APPS_GREYES_PICTURES_H
#define APPS_GREYES_PICTURES_H

#include <reyes/reyes.h>
#include "apps/greyes/options.h"

enum { GR_WHY_BYTES = 1400 };

/* The files that --output has produced. The first picture is NAME.png; when a second frame has one,
 * it becomes NAME.0001.png. */
typedef struct gr_pictures {
	const gr_options *o;
	int overwrite;
	int is_stream;   /* --output is no regular file: all pictures go there */
	int is_numbered; /* names have frame numbers */
	uint32_t count;  /* pictures so far */
	uint32_t first, last;
} gr_pictures;

/* Checks whether --output can be written, without creating a file. Returns 0, or -1 with why. */
int gr_pictures_begin(gr_pictures *p, const gr_options *o, char why[GR_WHY_BYTES]);

/* Begins a further pass over the scene (--watch), which replaces the files of the one before. */
void gr_pictures_again(gr_pictures *p);

/* The display that is the frame's picture: the first one with color or alpha; REYES_NO_DISPLAY if
 * the frame has no display at all. Returns -1 if the frame has none: it is a shadow map. */
int gr_picture_display(const reyes_renderer *r, size_t *index);

/* The number that names the files of a frame: that of the scene, or, if --output has a picture of
 * this or of a larger number, the next one. */
uint32_t gr_picture_number(const gr_pictures *p, uint32_t number);

/* Writes the files of the rendered frame; number: that of gr_picture_number. names receives their
 * names, separated by commas, for a message; it may end in "...". Returns REYES_OK,
 * REYES_CANCELLED, or REYES_ERR_FILE with why. */
reyes_status gr_pictures_write(gr_pictures *p, reyes_renderer *r, uint32_t number, char *names,
	size_t names_bytes, char why[GR_WHY_BYTES]);

/* NAME.NNNN.SUFFIX for a frame, malloc'd; NULL: no memory. */
char *gr_numbered_name(const char *path, uint32_t number);

#endif
