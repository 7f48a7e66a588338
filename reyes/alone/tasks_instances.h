/* Generates the form TASKS; included once for each backend. */
#include "reyes/alone/programs.h"

#define LSCHED_NAME           reyes_i_alone_tasks
#define LSCHED_CTX            reyes_i_alone_ctx
#define LSCHED_LOCAL          reyes_i_alone_scratch
#define LSCHED_BODY           reyes_i_alone_task
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
