/* Groups of threads that run group_wrong() of group_programs.h, for group_test.c. */
#ifndef TESTS_LIBSCHED_GROUP_RUN_H
#define TESTS_LIBSCHED_GROUP_RUN_H

#include <pthread.h>
#include <stdint.h>

enum { GROUP_TEAM_MOST = 64, GROUP_WARPS_MOST = 16 };

/* Run the text in `threads` CPU threads of one lane, and in `warps` emulated warps. Return how many
 * results are wrong. group_run_warps is not compiled with sanitizers. */
uint32_t group_run_team(uint32_t threads, uint32_t seed);
uint32_t group_run_warps(uint32_t warps, uint32_t seed);
#endif
