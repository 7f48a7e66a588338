/* The CUDA programs for spheres. */
#define WL_TRACE_PROGRAM trace
#define WL_TRACE_BODY    trc_body
#include "workloads/trace/body.h"
