/* The CPU program. */
#define WL_HULL_PROGRAM
#include "workloads/hull/body.h"
