/* The CPU programs. */
#define WL_TRACE_PROGRAM
#include "workloads/trace/patch.h"
