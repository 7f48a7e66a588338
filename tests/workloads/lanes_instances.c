/* The device text of the applications with 32 lanes a worker, on threads; block items run on one
 * warp. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int workloads_lanes_left_out; /* sanitizers do not follow from lane to lane */
#else

#define _GNU_SOURCE
#include "tests/libsched/lanes.h"
#ifndef __clang__ /* gcc does not see that lanes without an item run no body */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define LSCHED_I_TARGET_ENTRIES "tests/libsched/lanes_program.h"
#define SORT_BYTES              4
#include "workloads/sort/body.h"
#define SORT_BYTES 8
#include "workloads/sort/body.h"
#include "workloads/octree/body.h"
#define BVH_TREES      2u /* as on GPUs, of small meshes, too */
#define BVH_PAIRS_FROM 1u
#include "workloads/bvh/obb_body.h"
#include "collide/pairs/contacts.h"
#include "workloads/hull/body.h"
#include "workloads/trace/body.h"

#define LSCHED_NAME      sort4
#define LSCHED_CTX       sort_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      sort_root
#define LSCHED_BODY      sort4_body
#define LSCHED_LOCAL     sort4_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     6
#define LSCHED_MAX_SPAWN 16
#define LSCHED_JOINS
#include <libsched/generate_items.h>

#define LSCHED_NAME      sort8
#define LSCHED_CTX       sort_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      sort_root
#define LSCHED_BODY      sort8_body
#define LSCHED_LOCAL     sort8_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     6
#define LSCHED_MAX_SPAWN 16
#define LSCHED_JOINS
#include <libsched/generate_items.h>

#define LSCHED_NAME      trace
#define LSCHED_CTX       trc_ctx
#define LSCHED_ITEMS     trc_items
#define LSCHED_ROOT      trc_root
#define LSCHED_BODY      trc_body
#define LSCHED_PROCS     5
#define LSCHED_MAX_SPAWN 1
#define LSCHED_MIN_BATCH 32
#include <libsched/generate_items.h>

#define LSCHED_NAME      trace_mesh
#define LSCHED_CTX       trc_ctx
#define LSCHED_ITEMS     trc_items
#define LSCHED_ROOT      trc_root
#define LSCHED_BODY      trc_mesh_body
#define LSCHED_PROCS     5
#define LSCHED_MAX_SPAWN 1
#define LSCHED_MIN_BATCH 32
#include <libsched/generate_items.h>

#define LSCHED_NAME      hull
#define LSCHED_CTX       hull_ctx
#define LSCHED_ITEMS     hull_items
#define LSCHED_ROOT      hull_root
#define LSCHED_BODY      hull_body
#define LSCHED_LOCAL     hull_local
#define LSCHED_GRAIN     warp
#define LSCHED_MAX_SPAWN 1
#include <libsched/generate_items.h>

#define LSCHED_NAME      octree
#define LSCHED_CTX       oct_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      oct_root
#define LSCHED_BODY      oct_body
#define LSCHED_LOCAL     oct_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     6
#define LSCHED_MAX_SPAWN 16
#define LSCHED_JOINS
#include <libsched/generate_items.h>

#define LSCHED_NAME      bvh
#define LSCHED_CTX       bvh_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      bvh_root
#define LSCHED_BODY      bvh_body
#define LSCHED_LOCAL     bvh_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     6
#define LSCHED_MAX_SPAWN 31
#define LSCHED_JOINS
#include <libsched/generate_items.h>

#define LSCHED_NAME      bvh_obb
#define LSCHED_CTX       obb_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      obb_root_item
#define LSCHED_BODY      obb_body
#define LSCHED_LOCAL     obb_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     8
#define LSCHED_MAX_SPAWN 31
#define LSCHED_JOINS
#include <libsched/generate_items.h>

#define LSCHED_NAME           col
#define LSCHED_CTX            col_ctx
#define LSCHED_ITEMS          col_items
#define LSCHED_ROOT           col_root
#define LSCHED_BODY           col_body
#define LSCHED_MAX_SPAWN      4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME      cont
#define LSCHED_CTX       cont_ctx
#define LSCHED_ITEMS     cont_items
#define LSCHED_ROOT      cont_root
#define LSCHED_BODY      cont_body
#define LSCHED_MAX_SPAWN 1
#include <libsched/generate_items.h>

#include "workloads/lod/body.h"

#include "workloads/x3d/body.h"

#define LSCHED_NAME      x3d
#define LSCHED_CTX       x3d_ctx
#define LSCHED_ITEMS     lsched_range_items
#define LSCHED_ROOT      x3d_root
#define LSCHED_BODY      x3d_body
#define LSCHED_LOCAL     x3d_local
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     5
#define LSCHED_MAX_SPAWN 32
#define LSCHED_JOINS
#include <libsched/generate_items.h>

#include "workloads/fourrow/solve.h"
#define WL_FOURROW_PROGRAM
#include "workloads/fourrow/plies.h"

#define LSCHED_NAME      fourrow_solve
#define LSCHED_CTX       fr_ctx
#define LSCHED_ITEMS     fr_items
#define LSCHED_ROOT      fr_solve_root
#define LSCHED_BODY      fr_solve_body
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 2
#define LSCHED_JOINS
#define LSCHED_REDUCE_MAX
#include <libsched/generate_items.h>

#endif
