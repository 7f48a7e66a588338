/* Timelines of libsched's runs as pictures. */
#ifndef APPS_COMMON_TIMELINE_H
#define APPS_COMMON_TIMELINE_H

#include <libsched/sched.h>

/* No picture is larger. */
#define TIMELINE_MAX_BYTES (4u << 20)

typedef struct timeline_options {
	const char *title;         /* NULL: the device and the programs */
	const char *const *labels; /* a name for each run (an entry may be NULL: the program's) */
	int aligned; /* 1: each run's time counts from its own first task, to compare runs made one
		      * after the other; 0: from the first of all runs of its clock */
} timeline_options;

/* Draws finished runs that have recorded events (lsched_run_options.trace) as SVG, after figures 2
 * and 3 of Tzeng, Lloyd, Owens 2012: time to the right, a lane a worker (on CUDA ordered by the SM
 * of the worker's first task), a rectangle a task (item programs: a batch), coloured by its number
 * (its size), idle time white; below each run how many workers were busy, above it tasks, time and
 * utilisation, which is the part of workers x time, first start to last end, that lies in task
 * bodies. One <svg> element without XML declaration or ids: a file, or a part of an HTML page.
 *
 * Up to 4,000 tasks on lanes that are high enough each is a rectangle that names it; else tasks
 * within a pixel share it, many workers share a row, and the colour is as deep as their part of
 * busy time. Of more than 16 runs the first 16 are drawn. The picture says all of this, and how
 * many tasks the timeline has not recorded.
 *
 * `options` may be NULL. LSCHED_ERR_ARG: missing arguments, or `write` refused; _STATE: a run that
 * is not finished; _NOMEM. */
lsched_status timeline_write_svg(lsched_run *const *runs, size_t run_count,
	const timeline_options *options, lsched_write_fn write, void *opaque);

#endif
