/* The CUDA program. */
#define WL_BVH_PROGRAM
#include "workloads/bvh/body.h"
