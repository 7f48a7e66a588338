/* The CUDA half of the history programs: the same text as on threads. */
#define HISTORY_PROGRAM
#include "tests/libsched/history.h"
#include "tests/libsched/spread.h"
