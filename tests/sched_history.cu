/* The CUDA half of the history programs: the same text as on threads. */
#define HISTORY_PROGRAM
#include "tests/sched_history.h"
#include "tests/sched_spread.h"
