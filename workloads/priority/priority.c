/* The CPU programs. */
#define WL_PRIORITY_PROGRAM
#include "workloads/priority/priority.h"
