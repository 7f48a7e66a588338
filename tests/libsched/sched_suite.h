/* Tests of libsched that run on either backend: sched_test.c runs them on threads,
 * sched_gpu_test.c on a device, with the same programs (graph.h). */
#ifndef TESTS_LIBSCHED_SCHED_SUITE_H
#define TESTS_LIBSCHED_SCHED_SUITE_H

#include <CUnit/CUnit.h>
#include <libsched/sched.h>
#include "tests/common/sched_setup.h"
#include "tests/libsched/graph.h"

/* Where and on what the suite runs; filled in by main before the tests. */
typedef struct suite_place {
	lsched_ctx *ctx;
	const lsched_program *graph, *tree, *fan, *grid, *message;
	uint32_t lanes;          /* LSCHED_LANES of the programs */
	const uint32_t *workers; /* counts to try; 0 is the default */
	size_t worker_counts;
	uint32_t scale;               /* 1: full size; larger: smaller graphs, fewer repetitions */
	void *(*alloc)(size_t bytes); /* memory of the tasks, zeroed */
	void (*release)(void *p);
	void (*zero)(void *p, size_t bytes);
	void (*read)(void *to, const void *from, size_t bytes);
	void *(*stream)(uint32_t i); /* streams that run side by side, i < 3 */
} suite_place;

extern suite_place place;

/* A graph of w x h x slices x frames with memory for its tasks, and checks of the result. */
typedef struct graph {
	graph_ctx c;
	uint32_t tasks;
} graph;

int graph_open(graph *g, uint32_t w, uint32_t h, uint32_t slices, uint32_t frames);
void graph_close(graph *g);
/* Opens a graph and creates a run of it; a failure ends the test. */
#define GRAPH_CREATE(run, g, w, h, slices, frames, program, options)  \
	do {                                                          \
		CHECK(graph_open(g, w, h, slices, frames), "memory"); \
		(options)->max_tasks = (g)->tasks;                    \
		CREATE(run, place.ctx, program, options);             \
	} while (0)
/* Destroys the run and closes its graph. */
void graph_run_close(lsched_run **run, graph *g);
/* Changes the values that the next start must compute. */
void graph_renew(graph *g);
/* Returns the number of tasks that did not run exactly once with the right value. */
uint32_t graph_wrong(const graph *g);

/* Enumerates the ways to run a graph: dynamic with each queue, then the schemes without a queue.
 * Sets the defaults, scheme and queue. Returns 0 behind the last way. */
int suite_way(uint32_t way, lsched_run_options *o);
/* Sets the options for queue q under dynamic. Returns 0 behind the last queue. */
int suite_queue(uint32_t q, lsched_run_options *o);
/* Whether the k-th combination is left out: on emulated warps every second one, in a short run. */
int suite_leaves_out(size_t k);
const char *suite_way_name(const lsched_run_options *o);
/* Returns nonzero for the one expected error: too many workers for a queue that needs all of them
 * resident. */
int suite_refused(lsched_status st, const char *text);
/* Returns how many of the roots bypass the queue, because a ticket assigns them to a worker. */
uint32_t suite_roots(const lsched_run_options *o, uint32_t roots);

/* Returns the stream for a start with these options; NULL for the queues that work in rounds, which
 * refuse a caller's stream. */
void *suite_stream(const lsched_run_options *o, uint32_t i);

/* Creates, starts, finishes and destroys a run; text (may be NULL) receives the error. */
lsched_status graph_once(
	graph *g, const lsched_run_options *o, lsched_stats *s, char *text, size_t bytes);

/* Memory of the tasks: that of the host, or of place.ctx; the default stream. */
void suite_use_host_memory(void);
void suite_use_context_memory(void);

/* Runs the suites with these numbers of workers and closes place.ctx. Returns what test_run()
 * returns. */
int suite_run(CU_SuiteInfo *suites, const uint32_t *workers, size_t worker_counts);

/* The trees of the items 0 to TREE_ROOTS - 1. */
enum { TREE_ROOTS = 3 };
uint64_t tree_nodes(const tree_ctx *c);

/* The queues that work in rounds; relaunch and compact first. */
enum { ROUND_QUEUES = 3 };
extern const lsched_queue round_queues[ROUND_QUEUES];

/* Of sched_suite_*.c; those of sched_raw*.c are for the CPU only. */
extern CU_TestInfo suite_graph_tests[], suite_flow_tests[], suite_spawn_tests[];
extern CU_TestInfo suite_trace_tests[], suite_rounds_tests[], suite_fan_tests[];
extern CU_TestInfo suite_control_tests[], suite_message_tests[];
extern CU_TestInfo raw_tests[], raw_steps_tests[], raw_ring_tests[];
#endif
