/* Executes a workload under each scheme, queue and number of workers of the options, checks the
 * results and measures times. */
#ifndef APPS_GSCHED_MEASURE_H
#define APPS_GSCHED_MEASURE_H

#include <libsched/sched.h>
#include "apps/common/log.h"
#include "apps/gsched/device.h"
#include "apps/gsched/options.h"

typedef enum row_state { ROW_CHECKED, ROW_WRONG, ROW_FAILED, ROW_LEFT_OUT } row_state;

typedef struct gs_row {
	int plain; /* the workload's program without libsched: only times are set */
	lsched_scheme scheme;
	lsched_queue queue; /* used by DYNAMIC */
	uint32_t workers_requested;
	row_state state;
	char why[256];      /* reason of any state but ROW_CHECKED */
	lsched_stats stats; /* of the execution with the median time, as all below */
	uint64_t median_ns, min_ns, max_ns, wall_ns;
	uint64_t operations; /* units of work; WL_TASKS_COUNT: tasks are the units */
	double push_ns, pop_ns;
	double accuracy;                 /* 0: not measured */
	lsched_worker_stats *per_worker; /* [stats.workers] */
	uint64_t *work_ns;               /* [stats.workers]; NULL: not measured */
} gs_row;

typedef struct gs_table {
	gs_command command;
	const gs_options *o;
	uint32_t repeat; /* timed executions of a row */
	char device[256];
	lsched_backend backend;
	uint64_t expected; /* tasks of each execution; 0: as many as workers, or unknown */
	uint32_t facts;    /* results, the same for all rows */
	wl_fact fact[WL_MAX_FACTS];
	gs_row *rows;
	size_t row_count;
	int interrupted;
} gs_table;

/* Measures all rows of a table whose `command` is set. Returns 0 if all rows were measured or left
 * out; -1 if an execution failed or had a wrong result (see the rows), or after a signal. */
int measure(gs_table *t, wl_work *l, wl_device *d, const gs_options *o, logger *log);

/* Executes the load of a row once more and writes the timeline: SVG, or JSON for Perfetto. Returns
 * 0, or -1 with the reason in the row. */
int measure_trace(gs_row *r, wl_work *l, wl_device *d, const gs_options *o, int as_svg,
	lsched_write_fn write, void *opaque);

/* Creates a run with the scheme, queue and workers of the row that records up to `trace` events per
 * worker. Returns NULL with the reason in the row on failure. */
lsched_run *measure_open(
	gs_row *r, const wl_work *l, wl_device *d, const gs_options *o, uint32_t trace);
/* Executes the run once and checks the result. Returns 0, or -1 with the reason in the row. */
int measure_execute(gs_row *r, wl_work *l, wl_device *d, lsched_run *run);

void table_free(gs_table *t);

/* Returns the work of an execution: operations of the workload, or tasks. */
uint64_t row_work(const gs_row *r);
/* Returns the same per second. */
double row_rate(const gs_row *r);
/* Returns the part of the workers' time in which they waited, 0..1. */
double row_idle(const gs_row *r);
/* Returns the part of the workers' time outside the work of tasks, 0..1; NaN without
 * --time-work. */
double row_lost(const gs_row *r);
const char *row_queue_name(const gs_row *r);  /* "-": the scheme uses none */
const char *row_scheme_name(const gs_row *r); /* "plain" without libsched */
const char *row_state_name(const gs_row *r);
#endif
