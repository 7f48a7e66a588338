/* The CUDA half of the programs with LSCHED_PROCEDURES of the tests. */
#define ITEMS_PROGRAMS
#include "tests/libsched/flow_programs.h"
#include "tests/libsched/procs_programs.h"
