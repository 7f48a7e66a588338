/* What the two CPU programs work on. */
#ifndef NQUEENS_CPU_RUN_CPU_H
#define NQUEENS_CPU_RUN_CPU_H

#include <nqueens/nqueens.h>
#include "nqueens/core/plan.h"
#include "nqueens/core/run.h"
#include "nqueens/cpu/walk.h"

struct nq__joiner;

/* A worker's own. */
typedef struct nq__cpu_worker {
	nq__walk walk;
	struct nq__joiner *joiner; /* JOIN */
	uint64_t nodes;            /* told to others; the walk's is the worker's alone */
} __attribute__((aligned(128))) nq__cpu_worker;

/* SCHED_CTX of the units' program, and what a run knows. */
typedef struct nq__cpu_ctx {
	nq__run *run;
	nq__cpu_worker *workers;
	nq__walk_fn *walk;
	uint64_t *found; /* TASKS: completions of each unit of the plan */
	uint32_t *roots; /* TASKS: tasks of the units to count */
	uint32_t root_count;
} nq__cpu_ctx;

extern const sched_program nq__units_cpu_program;  /* a task counts a unit of run->todo */
extern const sched_program nq__boards_cpu_program; /* core/boards.h */

#endif
