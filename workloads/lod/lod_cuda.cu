/* The CUDA program. */
#include "workloads/lod/body.h"
