/* Generates split of the form LIST; included once for each backend. */
#include "reyes/alone/programs.h"

#define LSCHED_NAME           reyes_i_alone_list
#define LSCHED_CTX            reyes_i_alone_ctx
#define LSCHED_ITEMS          reyes_i_alone_splits
#define LSCHED_ROOT           reyes_i_alone_root
#define LSCHED_BODY           reyes_i_alone_split
#define LSCHED_MAX_SPAWN      4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
