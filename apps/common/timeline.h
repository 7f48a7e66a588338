/* Timelines of libsched runs as SVG pictures. */
#ifndef APPS_COMMON_TIMELINE_H
#define APPS_COMMON_TIMELINE_H

#include <libsched/sched.h>

/* Limit of the size of a picture. */
#define TIMELINE_MAX_BYTES (4u << 20)

typedef struct timeline_options {
	const char *title;         /* NULL: the device and the programs */
	const char *const *labels; /* names of the runs; NULL entries: the program's name */
	/* 1: the time of each run begins at its first task, to compare runs; 0: at the first task
	 * of all runs of its clock. */
	int aligned;
} timeline_options;

/* Writes finished runs that have recorded events (lsched_run_options.trace) as SVG, after figures 2
 * and 3 of Tzeng, Lloyd, Owens 2012: time to the right, one lane per worker (on CUDA ordered by the
 * SM of the worker's first task), one rectangle per task (item programs: per batch), coloured by
 * its number (its size); idle time is white. A graph below each run shows the number of busy
 * workers, a line above it tasks, time and utilisation: the part of workers x time, from the first
 * start to the last end, that task bodies use. The result is one <svg> element without XML
 * declaration or ids: a file, or a part of an HTML page.
 *
 * Up to 4,000 tasks on lanes that are high enough have one rectangle with a tooltip each. Otherwise
 * tasks within a pixel are drawn together, several workers share a row, and the colour is paler the
 * more idle time a pixel has. Only the first 16 runs are drawn. The picture states all of this, and
 * the number of tasks that were not recorded.
 *
 * `options` may be NULL. Returns LSCHED_ERR_ARG for missing arguments or if `write` failed, _STATE
 * for a run that is not finished, _NOMEM without memory. */
lsched_status timeline_write_svg(lsched_run *const *runs, size_t run_count,
	const timeline_options *options, lsched_write_fn write, void *opaque);

#endif
