/* Generates dicing of the form LIST for CPU threads: a task is a grid of the list. */
#include "reyes/alone/programs.h"

#define REYES_I_ALONE_RING(Y, X) Y(X, RING, ring)

#define LSCHED_NAME           reyes_i_alone_grids
#define LSCHED_CTX            reyes_i_alone_ctx
#define LSCHED_LOCAL          reyes_i_alone_scratch
#define LSCHED_BODY           reyes_i_alone_dice
#define LSCHED_PROGRAM_QUEUES REYES_I_ALONE_RING
#include <libsched/generate.h>
