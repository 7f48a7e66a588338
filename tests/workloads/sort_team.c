/* The text of `sort` in programs whose items several threads run. */
#include "tests/workloads/team.h"

uint32_t team_size = 1;
_Thread_local pthread_barrier_t *team_barrier;

#define SORT_BYTES 4
#include "workloads/sort/body.h"
#define SORT_BYTES 8
#include "workloads/sort/body.h"

TEAM_BODY(sort4, sort4_body, lsched_range_items, sort_ctx, sort4_local, lsched_range)
TEAM_BODY(sort8, sort8_body, lsched_range_items, sort_ctx, sort8_local, lsched_range)

#define LSCHED_NAME      sort4team
#define LSCHED_CTX       sort_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      sort_root
#define LSCHED_BODY      sort4_team
#define LSCHED_LOCAL     sort4_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     6
#define LSCHED_MAX_SPAWN 16
#define LSCHED_JOINS
#include <libsched/generate_items.h>

#define LSCHED_NAME      sort8team
#define LSCHED_CTX       sort_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      sort_root
#define LSCHED_BODY      sort8_team
#define LSCHED_LOCAL     sort8_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     6
#define LSCHED_MAX_SPAWN 16
#define LSCHED_JOINS
#include <libsched/generate_items.h>
