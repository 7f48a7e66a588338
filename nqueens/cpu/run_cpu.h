/* The state of a CPU run, for its two libsched programs. */
#ifndef NQUEENS_CPU_RUN_CPU_H
#define NQUEENS_CPU_RUN_CPU_H

#include <nqueens/nqueens.h>
#include "nqueens/plan/plan.h"
#include "nqueens/run/run.h"
#include "nqueens/cpu/walk.h"

struct nq_i_joiner;
struct nq_i_siever;

/* The memory of a worker. */
typedef struct nq_i_cpu_worker {
	nq_i_walk walk;
	struct nq_i_joiner *joiner; /* JOIN of n up to NQ_I_JOIN_FILL_MAX_N */
	struct nq_i_siever *siever; /* JOIN of larger n */
	nq_status status;           /* of the siever */
	uint64_t nodes;             /* copy of walk.nodes that the progress reads */
} __attribute__((aligned(128))) nq_i_cpu_worker;

/* LSCHED_CTX of the units program. */
typedef struct nq_i_cpu_ctx {
	nq_i_run *run;
	nq_i_cpu_worker *workers;
	nq_i_walk_fn *walk;
	uint64_t *found; /* TASKS: completions of each unit of the plan */
	uint32_t *roots; /* TASKS: tasks of the units to count */
	uint32_t root_count;
} nq_i_cpu_ctx;

extern const lsched_program nq_i_units_cpu_program;  /* a task counts a unit of run->todo */
extern const lsched_program nq_i_boards_cpu_program; /* core/board_items.h */

#endif
