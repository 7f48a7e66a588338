/* The CUDA half of tests/libsched/prio_program.h. */
#define PRIO_PROGRAMS
#include "tests/libsched/prio_program.h"
