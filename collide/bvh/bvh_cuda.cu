/* The CUDA program. */
#define COLLIDE_I_BVH_PROGRAM
#define BVH_TREES 2u
#include "collide/bvh/body.h"
