/* Tests of item programs that run on either backend: items_test.c runs them on threads,
 * items_gpu_test.c on a device. */
#ifndef TESTS_LIBSCHED_ITEMS_SUITE_H
#define TESTS_LIBSCHED_ITEMS_SUITE_H

#include <CUnit/CUnit.h>
#include <libsched/sched.h>
#include "tests/common/sched_setup.h"
#include "tests/libsched/items_programs.h"
#include "tests/libsched/flow_programs.h"
#include "tests/libsched/items_game_programs.h"
#include "tests/libsched/items_once_programs.h"
#include "tests/libsched/items_prio_programs.h"
#include "tests/libsched/items_again_programs.h"
#include "tests/libsched/items_stream_programs.h"
#include "tests/libsched/items_wrong_programs.h"
#include "tests/libsched/procs_programs.h"

/* X(program) */
#define ITEMS_ALL(X)  \
	X(mlane)      \
	X(mone)       \
	X(mprocs)     \
	X(mwarp)      \
	X(mblock)     \
	X(fibup)      \
	X(fibthen)    \
	X(foldmin)    \
	X(foldmax)    \
	X(foldxor)    \
	X(mixed)      \
	X(flow)       \
	X(deluge)     \
	X(stages)     \
	X(stuck)      \
	X(pfib)       \
	X(walkany)    \
	X(walkfull)   \
	X(turns)      \
	X(turnsbatch) \
	X(turnswarp)  \
	X(turnsblock) \
	X(turnstable) \
	X(glane)      \
	X(gwarp)      \
	X(gblock)     \
	X(urgewarp)   \
	X(urgelane)   \
	X(slane)      \
	X(swarp)      \
	X(gamehigh)   \
	X(gamelow)    \
	X(wronglane)  \
	X(wrongwarp)  \
	X(wrongblock) \
	X(wrongnone)  \
	X(wrongtable) \
	X(oncelane)   \
	X(oncewarp)

typedef struct items_place {
	lsched_ctx *ctx;
#define ITEMS_X(name) const lsched_program *name;
	ITEMS_ALL(ITEMS_X)
#undef ITEMS_X
	const uint32_t *workers; /* counts to try; 0 is the default */
	size_t worker_counts;
	uint32_t nodes;   /* of a forest of marks */
	uint32_t fib;     /* n */
	uint32_t depth;   /* of a fold */
	lsched_ctx *wide; /* ctx, or a context of `lanes` times as many workers */
	uint32_t lanes;   /* of a worker, if the backend reserves joins for one of them only */
	uint32_t games;   /* game trees for each queue and count of workers */
	uint32_t groups;  /* nonzero: block items have more than a warp */
	uint32_t flow_workers, flow_ratio; /* memory without back-pressure, by that with it */
	uint32_t never_keep;               /* of items_once() */
	void *(*alloc)(size_t bytes);
	void (*release)(void *p);
	void (*zero)(void *p, size_t bytes);
	void (*read)(void *to, const void *from, size_t bytes);
} items_place;

extern items_place iplace;
extern CU_TestInfo items_tests[], items_again_tests[], items_again_keep_tests[], items_prio_tests[],
	items_stream_tests[], items_keep_tests[], items_game_tests[], items_wrong_tests[],
	items_once_tests[];
/* programs with LSCHED_PROCEDURES */
extern CU_TestInfo procs_tests[], procs_keep_tests[], procs_stats_tests[];

/* The set-up of a suite whose runs of items_once() pass all items through the queue; its end. */
int items_never_keep(void);
int items_keep(void);

/* Options of a run with so many items for a suite whose items all pass through the queue; without
 * effect in others. */
void items_keep_options(lsched_run_options *o, uint32_t nodes);

/* Runs a program once, with all roots as max_tasks by default; text receives the error. */
lsched_status items_once(const lsched_program *p, const lsched_run_options *o, const void *ctx,
	uint32_t roots, lsched_stats *s, char *text, size_t bytes);

/* Runs a program with joins, with one root. On emulated warps the CPU backend reserves joins for
 * one lane of a worker, so that the run is created for more workers than it has. */
lsched_status items_run_wide(const lsched_program *p, lsched_run_options o, const void *ctx,
	lsched_stats *s, char *text, size_t bytes);

/* Of n words on the device: how many are not 1. n if memory is short. */
uint32_t items_wrong(const uint32_t *runs, uint32_t n);

/* These queues proceed breadth first and need more slots. */
static inline int items_in_rounds(lsched_queue q)
{
	return q == LSCHED_QUEUE_RELAUNCH || q == LSCHED_QUEUE_COMPACT || q == LSCHED_QUEUE_BALANCE;
}
#endif
