/* Parts that the timelines of runs (trace.c, svg.c) and of jobs (jobs_trace.c) share. */
#ifndef LIBSCHED_CORE_TIMELINE_H
#define LIBSCHED_CORE_TIMELINE_H

#include <stdint.h>
#include "libsched/core/json.h"
#include "libsched/core/xml.h"

/* Measures of the pictures, px. */
enum {
	TIMELINE_PX = 1100,
	TIMELINE_LEFT = 82, /* space for the names of lanes */
	TIMELINE_RIGHT = 18,
	TIMELINE_HEAD = 78,    /* title and legend */
	TIMELINE_NAME_PX = 24, /* the line above a panel */
	TIMELINE_BETWEEN = 18, /* below a panel */
	TIMELINE_FOOT = 46     /* the time axis */
};

/* Begins a picture: the element svg and the background. */
void lsched_i_svg_begin(lsched_i_xml *w, double height);
/* Begins the title, whose text follows, and "</text>". */
void lsched_i_svg_put_title(lsched_i_xml *w);
/* Write 1234567 as "1,234,567", and a time with its unit. */
void lsched_i_svg_put_count(lsched_i_xml *w, uint64_t n);
void lsched_i_svg_put_time(lsched_i_xml *w, uint64_t ns);
/* Writes the time axis below the last panel of a picture of this height. */
void lsched_i_svg_put_axis(lsched_i_xml *w, double height, uint64_t span_ns);
/* Ends the picture. Returns OK, or ARG if a write has failed. */
lsched_status lsched_i_svg_end(lsched_i_xml *w);

/* Begin and end a JSON document; as lsched_i_json_begin() and lsched_i_json_end(). */
void lsched_i_timeline_begin(lsched_i_json *j, lsched_write_fn write, void *opaque);
int lsched_i_timeline_end(lsched_i_json *j);
/* Begins the object of an event at a time from the document's begin; the caller adds members and
 * closes it. */
void lsched_i_timeline_begin_event(
	lsched_i_json *j, const char *phase, const char *name, int pid, uint32_t tid, uint64_t ns);
/* Writes one line of metadata: the name of a process (tid -1) or of a thread in the viewer. */
void lsched_i_timeline_put_name(
	lsched_i_json *j, const char *kind, int pid, int64_t tid, const char *name);

#endif
