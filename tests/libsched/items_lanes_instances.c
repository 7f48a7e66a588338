/* The item programs of the common suite with 32 lanes a worker, on threads. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int items_lanes_left_out; /* items_lanes_test is skipped then */
#else

#define _GNU_SOURCE
#include "tests/libsched/lanes.h"
#ifndef __clang__ /* gcc does not see that lanes without an item run no body */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define LSCHED_I_TARGET_ENTRIES "tests/libsched/lanes_program.h"
#define ITEMS_PROGRAMS
#define ITEMS_AGAIN_PROGRAMS
#define ITEMS_PRIO_PROGRAMS
#define ITEMS_STREAM_PROGRAMS
#define ITEMS_GAME_PROGRAMS
#define ITEMS_WRONG_PROGRAMS
#define ITEMS_ONCE_PROGRAMS
#define ITEMS_NO_GROUPS
#include "tests/libsched/items_programs.h"
#include "tests/libsched/flow_programs.h"
#include "tests/libsched/procs_programs.h"
#include "tests/libsched/items_again_programs.h"
#include "tests/libsched/items_prio_programs.h"
#include "tests/libsched/items_stream_programs.h"
#include "tests/libsched/items_game_programs.h"
#include "tests/libsched/items_wrong_programs.h"
#include "tests/libsched/items_once_programs.h"

#endif
