/* The CUDA program. */
#define WL_COLLIDE_PROGRAM
#include "workloads/collide/pairs.h"
