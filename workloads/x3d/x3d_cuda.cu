/* The CUDA program. */
#define WL_X3D_PROGRAM
#include "workloads/x3d/body.h"
