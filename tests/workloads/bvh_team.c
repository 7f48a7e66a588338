/* The text of `bvh` in a program whose items several threads run. */
#include "tests/workloads/team.h"
#define BVH_WARPS  TEAM_MOST /* warps of one lane */
#define BVH_SPREAD 4u        /* so that lists of parts have lists */
#include "collide/bvh/body.h"

uint32_t team_size = 1;
_Thread_local pthread_barrier_t *team_barrier;

TEAM_BODY(bvh, bvh_body, lsched_range_items, bvh_ctx, bvh_local, lsched_range)

#define LSCHED_NAME      bvhteam
#define LSCHED_CTX       bvh_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      bvh_root
#define LSCHED_BODY      bvh_team
#define LSCHED_LOCAL     bvh_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     6
#define LSCHED_MAX_SPAWN 31
#define LSCHED_JOINS
#include <libsched/generate_items.h>
