/* The CUDA programs. A file of their own: the kernels, one for each queue, compile
 * in parallel. */
#define WL_PRIORITY_PROGRAM
#include "workloads/priority/priority.h"
