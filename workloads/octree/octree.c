/* The CPU program. */
#define WL_OCTREE_PROGRAM
#include "workloads/octree/body.h"
