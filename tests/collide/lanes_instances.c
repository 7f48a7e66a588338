/* The device text of libcollide's programs with 32 lanes a worker, on threads; block items run on
 * one warp. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int collide_lanes_left_out; /* sanitizers do not follow from lane to lane */
#else

#define _GNU_SOURCE
#include "tests/libsched/lanes.h"
#ifndef __clang__ /* gcc does not see that lanes without an item run no body */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define LSCHED_I_TARGET_ENTRIES "tests/libsched/lanes_program.h"
#define COLLIDE_I_STEPS_PROGRAM
#include "collide/core/steps.h"
#define COLLIDE_I_ORDER_PROGRAM
#include "collide/core/order.h"
#include "collide/bvh/body.h"

#define LSCHED_NAME      collide_i_bvh
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

#define LSCHED_NAME      collide_i_pairs
#define LSCHED_CTX       col_ctx
#define LSCHED_ITEMS     col_items
#define LSCHED_ROOT      col_root
#define LSCHED_BODY      col_body
#define LSCHED_MAX_SPAWN 4
#include <libsched/generate_items.h>

#define LSCHED_NAME      collide_i_contacts
#define LSCHED_CTX       cont_ctx
#define LSCHED_ITEMS     cont_items
#define LSCHED_ROOT      cont_root
#define LSCHED_BODY      cont_body
#define LSCHED_MAX_SPAWN 1
#include <libsched/generate_items.h>

#endif
