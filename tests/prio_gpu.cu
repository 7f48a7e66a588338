/* The CUDA half of tests/prio_program.h. */
#define PRIO_PROGRAMS
#include "tests/prio_program.h"
