/* The CUDA programs for meshes. */
#define WL_TRACE_PROGRAM trace_mesh
#define WL_TRACE_BODY    trc_mesh_body
#include "workloads/trace/body.h"
