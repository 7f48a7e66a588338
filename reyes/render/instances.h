/* Generates the programs of the stages; included once for each backend. */
#include "reyes/render/programs.h"

#define REYES_I_ONE_QUEUE(Y, X) Y(X, RING, ring)

#define LSCHED_NAME           reyes_i_clear
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_BODY           reyes_i_clear_row
#define LSCHED_PROGRAM_QUEUES REYES_I_ONE_QUEUE
#include <libsched/generate.h>

#define LSCHED_NAME           reyes_i_split_run
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_ITEMS          reyes_i_splits
#define LSCHED_ROOT           reyes_i_splits_root
#define LSCHED_BODY           reyes_i_splits_body
#define LSCHED_MAX_SPAWN      4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME           reyes_i_grids_run
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_BODY           reyes_i_grid_task
#define LSCHED_LOCAL          reyes_i_local
#define LSCHED_PROGRAM_QUEUES REYES_I_ONE_QUEUE
#include <libsched/generate.h>

#define LSCHED_NAME           reyes_i_resolve_rows
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_BODY           reyes_i_resolve_row
#define LSCHED_PROGRAM_QUEUES REYES_I_ONE_QUEUE
#include <libsched/generate.h>

#define LSCHED_NAME           reyes_i_filter_rows
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_BODY           reyes_i_filter_row
#define LSCHED_PROGRAM_QUEUES REYES_I_ONE_QUEUE
#include <libsched/generate.h>
