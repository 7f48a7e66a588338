/* The CUDA programs. A file of their own: the kernels, one for each queue, compile
 * in parallel. */
#define WL_QUEUE_PROGRAM
#include "workloads/queue/queue.h"
