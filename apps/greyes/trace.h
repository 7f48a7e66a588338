/* Timelines of the stages' workers: --trace. */
#ifndef APPS_GREYES_TRACE_H
#define APPS_GREYES_TRACE_H

#include <reyes/reyes.h>
#include "apps/common/outfile.h"
#include "apps/greyes/options.h"

/* Events that are recorded for each worker and stage. */
enum { GR_TRACE_EVENTS = 4096 };

typedef struct gr_trace {
	outfile file;
	int is_svg, is_written;
} gr_trace;

/* Opens the file, if there is one. Returns 0, or -1 with why. */
int gr_trace_begin(gr_trace *t, const gr_options *o, char why[OUTFILE_WHY_BYTES]);
/* Writes the timelines of the frame that was rendered last; only the first call writes.
 * Returns 0, or -1 with why; gr_trace_end then drops the file. */
int gr_trace_write(gr_trace *t, reyes_renderer *r, char *why, size_t why_bytes);
/* Closes the file. Returns 0, or -1 with why. */
int gr_trace_end(gr_trace *t, char why[OUTFILE_WHY_BYTES]);

#endif
