/* Helpers of the tests of bad use, on either backend. */
#ifndef TESTS_LIBSCHED_BAD_COMMON_H
#define TESTS_LIBSCHED_BAD_COMMON_H

#include "tests/libsched/bad_program.h"

enum { BAD_TASKS_MOST = 4096 };

/* Filled in by main. */
typedef struct bad_setting {
	lsched_backend backend;
	uint32_t workers; /* of a context */
	const lsched_program *program;
	uint32_t *gate; /* NULL: memory of the context */
} bad_setting;

extern bad_setting bad_place;

/* A context of its own, a graph, and a run. */
typedef struct bad {
	lsched_ctx *ctx;
	lsched_csr *g;
	lsched_run *run;
	bad_ctx c;
} bad;

/* A grid of tasks that wait for their left and upper neighbours; w x 1 is a chain. */
int bad_open(bad *b, uint32_t w, uint32_t h, const lsched_run_options *o);
void bad_close(bad *b);
/* One start with cleared memory. BAD_NOT_STARTED: lsched_run_start() failed. */
#define BAD_NOT_STARTED ((lsched_status)1)
lsched_status bad_once(bad *b);
/* Tasks that did not run exactly once. */
uint32_t bad_wrong(const bad *b);
/* Several starts without bad use, which all succeed. */
int bad_good_again(bad *b);

#endif
