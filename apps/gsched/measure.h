/* Runs a load under every scheme, queue and number of workers that was asked for, checks and times it. */
#ifndef APPS_GSCHED_MEASURE_H
#define APPS_GSCHED_MEASURE_H

#include <libsched/sched.h>
#include "apps/common/log.h"
#include "apps/gsched/device.h"
#include "apps/gsched/options.h"

/* What is to be run. The functions return 0, or -1 with one line in `why`. */
typedef struct gs_load {
	const char *name;
	const lsched_program *cpu, *cuda; /* cuda: NULL in a build without */
	void *ctx;                        /* the program's context, which `before` may change */
	uint32_t tasks;                   /* of a start; 0: as many as workers */
	uint64_t expected;                /* tasks that have to run; 0: as many as workers */
	uint32_t capacity, bin_size;      /* when the options leave them open; 0: the library's */
	uint32_t inline_depth; /* items a worker may have to keep itself; 0: the library's */
	int uses_schemes;      /* it has a dependency rule */
	int items; /* it is an item program: queues carry chunks of 32 items, bins count these */
	/* NULL: every queue will do. Else NULL or why this one cannot be used. */
	const char *(*unsupported)(lsched_queue q);
	/* start 0 is the warm-up, which is checked most closely. */
	int (*prepare)(struct gs_load *l, gs_device *d, uint32_t start, uint32_t workers, char *why,
		size_t why_bytes);
	int (*check)(struct gs_load *l, gs_device *d, uint32_t start, const lsched_stats *s,
		char *why, size_t why_bytes);
	void *host_data;
	/* set by `after` where a load counts more than tasks */
	uint64_t operations;
	uint64_t operations_ns;
	double push_ns, pop_ns; /* one call of the queue; 0: not timed */
	uint64_t value;         /* what a program computed */
	double accuracy;        /* of priority: pairs of tasks in the right order, 0..1 */
	uint64_t *work_ns;      /* [worker]: their work alone; NULL: not timed */
} gs_load;

typedef enum row_state { ROW_CHECKED, ROW_WRONG, ROW_FAILED, ROW_LEFT_OUT } row_state;

typedef struct gs_row {
	lsched_scheme scheme;
	lsched_queue queue; /* under dynamic */
	uint32_t workers_requested;
	row_state state;
	char why[256];      /* what was wrong, or why it was left out */
	lsched_stats stats; /* of the start that took the median time, as all below */
	uint64_t median_ns, min_ns, max_ns, wall_ns;
	uint64_t operations;
	double push_ns, pop_ns;
	double accuracy;                 /* 0: not measured */
	lsched_worker_stats *per_worker; /* [stats.workers] */
	uint64_t *work_ns;               /* [stats.workers]; NULL: not timed */
} gs_row;

typedef struct gs_table {
	gs_command command;
	const gs_options *o;
	char device[256];
	lsched_backend backend;
	uint64_t expected; /* tasks of every start; 0: as many as workers */
	uint64_t value;    /* of fib */
	gs_row *rows;
	size_t row_count;
	int interrupted;
} gs_table;

/* Fills in the table, whose `command` is set. 0: all rows were measured, or left out with a reason;
 * -1: something failed or was wrong (the rows say what), or Ctrl-C came. */
int measure(gs_table *t, gs_load *l, gs_device *d, const gs_options *o, logger *log);

/* A start of this row with a timeline, written through `write`: a picture, or JSON for Perfetto. 0, or
 * -1 with the reason in the row. */
int measure_trace(gs_row *r, gs_load *l, gs_device *d, const gs_options *o, int as_svg,
	lsched_write_fn write, void *opaque);

/* As measure() does: a run of the row's scheme, queue and workers, with `trace` events a worker. NULL
 * with the reason in the row. */
lsched_run *measure_open(
	gs_row *r, const gs_load *l, gs_device *d, const gs_options *o, uint32_t trace);
/* One checked start. 0, or -1 with the reason in the row. */
int measure_start(gs_row *r, gs_load *l, gs_device *d, lsched_run *run);

void table_free(gs_table *t);

/* Task completions, or queue operations, a second. */
double row_rate(const gs_row *r);
double row_idle(const gs_row *r); /* part of the workers' time, 0..1 */
/* The part of the workers' time that was no work, 0..1; NaN without --time-work. */
double row_lost(const gs_row *r);
const char *row_queue_name(const gs_row *r); /* "-" where the scheme uses none */
const char *row_state_name(const gs_row *r);
#endif
