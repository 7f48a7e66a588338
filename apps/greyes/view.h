/* The window: shows the pictures of a job, and executes the user's keys. */
#ifndef APPS_GREYES_VIEW_H
#define APPS_GREYES_VIEW_H

#include "apps/greyes/job.h"

typedef struct gr_view gr_view;

/* Opens a window if there is a display server. Returns NULL, with why if a window was expected
 * and cannot be opened, else why is "". */
gr_view *gr_view_open(const gr_options *o, char *why, size_t why_bytes);
void gr_view_close(gr_view *v);

/* Processes the input of at most limit_ms, and shows a new picture. */
void gr_view_update(gr_view *v, gr_job *j, int limit_ms);

#endif
