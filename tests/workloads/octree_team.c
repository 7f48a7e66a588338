/* The text of `octree` in a program whose items several threads run. */
#include "tests/workloads/team.h"
#include "workloads/octree/body.h"

uint32_t team_size = 1;
_Thread_local pthread_barrier_t *team_barrier;

TEAM_BODY(oct, oct_body, lsched_range_items, oct_ctx, oct_local, lsched_range)

#define LSCHED_NAME      octteam
#define LSCHED_CTX       oct_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      oct_root
#define LSCHED_BODY      oct_team
#define LSCHED_LOCAL     oct_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     6
#define LSCHED_MAX_SPAWN 16
#define LSCHED_JOINS
#include <libsched/generate_items.h>
