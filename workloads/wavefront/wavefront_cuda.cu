/* The CUDA programs. A file of their own: the kernels, one for each queue, compile
 * in parallel. */
#define WL_WAVEFRONT_PROGRAM
#include "workloads/wavefront/wavefront.h"
