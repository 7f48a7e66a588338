/* The programs with LSCHED_JOBS with 32 lanes a worker, on threads. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int jobs_lanes_left_out; /* jobs_lanes_test is skipped then */
#else

#define _GNU_SOURCE
#include "tests/libsched/lanes.h"
#ifndef __clang__ /* gcc does not see that lanes without an item run no body */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define LSCHED_I_TARGET_ENTRIES "tests/libsched/lanes_program.h"
#define ITEMS_NO_GROUPS
#define JOBS_NO_JOINS
#define JOBS_PROGRAMS
#include "tests/libsched/jobs_programs.h"

#endif
