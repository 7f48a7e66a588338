/* The CUDA half of tests/libsched/jobs_programs.h. */
#define JOBS_PROGRAMS
#include "tests/libsched/jobs_programs.h"
