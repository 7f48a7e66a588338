/* The CPU program. */
#include "workloads/lod/body.h"
