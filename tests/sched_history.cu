/* The CUDA half of the history program: the same text as on threads. */
#define HISTORY_PROGRAM
#include "tests/sched_history.h"
