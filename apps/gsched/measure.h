/* Executes a load under each scheme, queue and number of workers of the options, checks the results
 * and measures times. */
#ifndef APPS_GSCHED_MEASURE_H
#define APPS_GSCHED_MEASURE_H

#include <libsched/sched.h>
#include "apps/common/log.h"
#include "apps/gsched/device.h"
#include "apps/gsched/options.h"

/* A load. Its functions return 0, or -1 with one line in `why`. */
typedef struct gs_load {
	const char *name;
	const lsched_program *cpu, *cuda; /* cuda: NULL in a build without */
	void *ctx;                        /* the program's context; `prepare` may change it */
	uint32_t tasks;                   /* roots of an execution; 0: as many as workers */
	uint64_t expected;                /* tasks that must run; 0: as many as workers */
	uint32_t capacity, bin_size;      /* defaults of the options; 0: the library's */
	uint32_t inline_depth; /* length of a worker's spill list in items; 0: the library's */
	int uses_schemes;      /* it has a dependency rule */
	int items; /* item program: queues carry chunks of 32 items, bin_size counts chunks */
	/* Returns the reason why the load cannot use a queue, or NULL. NULL: it can use all
	 * queues. */
	const char *(*unsupported)(lsched_queue q);
	/* Called before and after each execution; number 0 is the warm-up, which has the most
	 * checks. */
	int (*prepare)(struct gs_load *l, gs_device *d, uint32_t execution, uint32_t workers,
		char *why, size_t why_bytes);
	int (*check)(struct gs_load *l, gs_device *d, uint32_t execution, const lsched_stats *s,
		char *why, size_t why_bytes);
	void *host_data;
	/* Set by `check`, if the load measures more than tasks. */
	uint64_t operations;
	uint64_t operations_ns;
	double push_ns, pop_ns; /* one operation of the queue; 0: not measured */
	uint64_t value;         /* result of the program */
	double accuracy;        /* priority: pairs of tasks in the right order, 0..1 */
	uint64_t *work_ns;      /* [worker]: time of their work itself; NULL: not measured */
} gs_load;

typedef enum row_state { ROW_CHECKED, ROW_WRONG, ROW_FAILED, ROW_LEFT_OUT } row_state;

typedef struct gs_row {
	lsched_scheme scheme;
	lsched_queue queue; /* used by DYNAMIC */
	uint32_t workers_requested;
	row_state state;
	char why[256];      /* reason of any state but ROW_CHECKED */
	lsched_stats stats; /* of the execution with the median time, as all below */
	uint64_t median_ns, min_ns, max_ns, wall_ns;
	uint64_t operations;
	double push_ns, pop_ns;
	double accuracy;                 /* 0: not measured */
	lsched_worker_stats *per_worker; /* [stats.workers] */
	uint64_t *work_ns;               /* [stats.workers]; NULL: not measured */
} gs_row;

typedef struct gs_table {
	gs_command command;
	const gs_options *o;
	char device[256];
	lsched_backend backend;
	uint64_t expected; /* tasks of each execution; 0: as many as workers */
	uint64_t value;    /* fib: the number */
	gs_row *rows;
	size_t row_count;
	int interrupted;
} gs_table;

/* Measures all rows of a table whose `command` is set. Returns 0 if all rows were measured or left
 * out; -1 if an execution failed or had a wrong result (see the rows), or after a signal. */
int measure(gs_table *t, gs_load *l, gs_device *d, const gs_options *o, logger *log);

/* Executes the load of a row once more and writes the timeline: SVG, or JSON for Perfetto. Returns
 * 0, or -1 with the reason in the row. */
int measure_trace(gs_row *r, gs_load *l, gs_device *d, const gs_options *o, int as_svg,
	lsched_write_fn write, void *opaque);

/* Creates a run with the scheme, queue and workers of the row that records up to `trace` events per
 * worker. Returns NULL with the reason in the row on failure. */
lsched_run *measure_open(
	gs_row *r, const gs_load *l, gs_device *d, const gs_options *o, uint32_t trace);
/* Executes the run once and checks the result. Returns 0, or -1 with the reason in the row. */
int measure_execute(gs_row *r, gs_load *l, gs_device *d, lsched_run *run);

void table_free(gs_table *t);

/* Returns tasks, or queue operations, per second. */
double row_rate(const gs_row *r);
/* Returns the part of the workers' time in which they waited, 0..1. */
double row_idle(const gs_row *r);
/* Returns the part of the workers' time outside the work of tasks, 0..1; NaN without
 * --time-work. */
double row_lost(const gs_row *r);
const char *row_queue_name(const gs_row *r); /* "-": the scheme uses none */
const char *row_state_name(const gs_row *r);
#endif
