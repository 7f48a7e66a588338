#ifndef TESTS_WORKLOADS_BVH_WARPS_H
#define TESTS_WORKLOADS_BVH_WARPS_H

#include "collide/bvh/bvh.h"

/* Makes the tree of c->box by a block of 1 to 12 emulated warps. Not compiled with sanitizers. */
void bvh_warps_build(const bvh_ctx *c, uint32_t warps);
extern uint32_t bvh_warps_ready; /* parts so far that tiles have found complete */
extern uint32_t bvh_warps_pairs; /* pairs of subtrees so far that the block made at once */
#endif
