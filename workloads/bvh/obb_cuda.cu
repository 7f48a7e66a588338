/* The CUDA program. */
#define WL_OBB_PROGRAM
#include "workloads/bvh/obb_body.h"
