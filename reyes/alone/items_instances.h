/* Generates the form ITEMS; included once for each backend. Grids are diced before further items
 * are split, so that few of them wait. */
#include "reyes/alone/programs.h"

#define LSCHED_NAME       reyes_i_alone_items
#define LSCHED_CTX        reyes_i_alone_ctx
#define LSCHED_LOCAL      reyes_i_alone_scratch
#define LSCHED_PROCEDURES REYES_I_ALONE_PROCEDURES
#define LSCHED_ITEMS      reyes_i_alone_both
#define LSCHED_ROOT       reyes_i_alone_both_root
#define LSCHED_CHOOSE_DOWNSTREAM
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
