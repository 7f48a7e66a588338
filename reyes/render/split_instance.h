/* Generates split; included once for each backend. */
#include "reyes/render/programs.h"

#define LSCHED_NAME           reyes_i_split_run
#define LSCHED_CTX            reyes_i_stage
#define LSCHED_ITEMS          reyes_i_splits
#define LSCHED_ROOT           reyes_i_splits_root
#define LSCHED_BODY           reyes_i_splits_body
#define LSCHED_MAX_SPAWN      4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
