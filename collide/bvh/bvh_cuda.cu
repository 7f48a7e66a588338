/* The CUDA program. */
#define COLLIDE_I_BVH_PROGRAM
#ifndef BVH_TREES
#define BVH_TREES 2u
#endif
#ifndef BVH_BLOCK_WARPS
#define BVH_BLOCK_WARPS 8
#endif
#include "collide/bvh/body.h"
