/* The CUDA programs. A file of their own: the kernels, one for each queue, compile
 * in parallel. */
#define WL_FIB_PROGRAM
#include "workloads/fib/fib.h"
