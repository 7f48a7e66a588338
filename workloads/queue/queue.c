/* The CPU programs. */
#define WL_QUEUE_PROGRAM
#include "workloads/queue/queue.h"
