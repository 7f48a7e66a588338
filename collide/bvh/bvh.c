/* The CPU program. */
#define COLLIDE_I_BVH_PROGRAM
#include "collide/bvh/body.h"
