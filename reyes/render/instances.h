/* Generates the programs of all stages, for CPU threads. */
#include "reyes/render/split_instance.h"

#define REYES_I_ONE_QUEUE(Y, X) Y(X, RING, ring)

#define LSCHED_NAME           reyes_i_clear
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_BODY           reyes_i_clear_row
#define LSCHED_PROGRAM_QUEUES REYES_I_ONE_QUEUE
#include <libsched/generate.h>

#define LSCHED_NAME           reyes_i_grids_run
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_BODY           reyes_i_grid_task
#define LSCHED_LOCAL          reyes_i_local
#define LSCHED_PROGRAM_QUEUES REYES_I_ONE_QUEUE
#include <libsched/generate.h>

#define LSCHED_NAME           reyes_i_resolve_parts
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_BODY           reyes_i_resolve_part
#define LSCHED_PROGRAM_QUEUES REYES_I_ONE_QUEUE
#include <libsched/generate.h>

#define LSCHED_NAME           reyes_i_filter_rows
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_BODY           reyes_i_filter_row
#define LSCHED_PROGRAM_QUEUES REYES_I_ONE_QUEUE
#include <libsched/generate.h>
