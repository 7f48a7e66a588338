/* The rows of a table: one for each scheme, queue and number of workers, with their figures. */
#ifndef APPS_GSCHED_ROWS_H
#define APPS_GSCHED_ROWS_H

#include <libsched/sched.h>
#include "apps/gsched/options.h"
#include "apps/gsched/procedures.h"

typedef enum row_state { ROW_CHECKED, ROW_WRONG, ROW_FAILED, ROW_LEFT_OUT } row_state;

typedef struct gs_row {
	/* the workload's program without libsched, and the name of its row: only times are set */
	wl_plain *plain;
	const char *plain_name;
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
	gs_procedures procedures; /* --stats */
	int interrupted;
} gs_table;

/* Allocates the rows of the table. Only scheme dynamic uses queues; the other schemes have one row
 * per number of workers. Returns 0 or -1. */
int table_make_rows(gs_table *t, const wl_work *l, const gs_options *o);
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
const char *row_scheme_name(const gs_row *r); /* or "plain" without libsched */
const char *row_state_name(const gs_row *r);
#endif
