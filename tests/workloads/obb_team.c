/* The text of `bvh --boxes obb` in a program whose items several threads run. */
#include "tests/workloads/team.h"
#define BVH_WARPS  TEAM_MOST /* warps of one lane */
#define OBB_SHARES 100u      /* some large nodes have no room */
#define OBB_LARGES 12u
#include "workloads/bvh/obb_body.h"

uint32_t team_size = 1;
_Thread_local pthread_barrier_t *team_barrier;

TEAM_BODY(obb, obb_body, lsched_range_items, obb_ctx, obb_local, lsched_range)

#define LSCHED_NAME      obbteam
#define LSCHED_CTX       obb_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      obb_root_item
#define LSCHED_BODY      obb_team
#define LSCHED_LOCAL     obb_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     8
#define LSCHED_MAX_SPAWN 31
#define LSCHED_JOINS
#include <libsched/generate_items.h>
