/* The CUDA program. */
#define COLLIDE_I_BVH_PROGRAM
#include "collide/bvh/body.h"
