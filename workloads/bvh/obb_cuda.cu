/* The CUDA program. */
#define WL_OBB_PROGRAM
#define BVH_TREES 2u
#include "workloads/bvh/obb_body.h"
