/* Executes a workload under each scheme, queue and number of workers of the options, checks the
 * results and measures times. */
#ifndef APPS_GSCHED_MEASURE_H
#define APPS_GSCHED_MEASURE_H

#include "apps/common/log.h"
#include "apps/gsched/device.h"
#include "apps/gsched/rows.h"

/* Measures all rows of a table whose `command` is set. Returns 0 if all rows were measured or left
 * out; -1 if an execution failed or had a wrong result (see the rows), or after a signal. */
int measure(gs_table *t, wl_work *l, wl_device *d, const gs_options *o, logger *log);

/* Executes the load of a row once more, reads the statistics of the procedures, and writes the
 * timeline, unless `write` is NULL: SVG, or JSON for Perfetto. Returns 0, or -1 with the reason in
 * the row. */
int measure_trace(gs_row *r, wl_work *l, wl_device *d, const gs_options *o, gs_procedures *p,
	int as_svg, lsched_write_fn write, void *opaque);

/* Creates a run with the scheme, queue and workers of the row that records up to `trace` events per
 * worker. Returns NULL with the reason in the row on failure. */
lsched_run *measure_open(
	gs_row *r, const wl_work *l, wl_device *d, const gs_options *o, uint32_t trace);
/* Executes the run once and checks the result. Returns 0, or -1 with the reason in the row. */
int measure_execute(gs_row *r, wl_work *l, wl_device *d, lsched_run *run);
#endif
