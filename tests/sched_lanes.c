/* The programs of the common suite with 32 lanes a worker, on threads. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int lanes_left_out; /* sched_lanes_test skips there */
#else

#define _GNU_SOURCE
#include "tests/lanes.h"
#define LSCHED_I_PROGRAM_TEXT "tests/lanes_program.h"
#define GRAPH_PROGRAMS
#define FAN_PROGRAMS
#include "tests/sched_graph.h"
#include "tests/sched_fan.h"
#define GRID_PROGRAMS
#include "tests/sched_grid.h"

/* Prototype in sched_lanes_test.c: there a worker has one lane, and types of that size. */
uint32_t lanes_places(const uint32_t *count, uint32_t *place, uint32_t n);

typedef struct places_call {
	const uint32_t *count;
	uint32_t *place;
	uint32_t n, sum;
} places_call;

static void places_lane(void *arg)
{
	places_call *c = (places_call *)arg;
	const uint32_t sum = lsched_i_places(c->count, c->place, c->n);

	if (lsched_lane() == 31)
		c->sum = sum;
}

uint32_t lanes_places(const uint32_t *count, uint32_t *place, uint32_t n)
{
	places_call c = { count, place, n, 0 };

	lanes_run(places_lane, &c);
	return c.sum;
}

#endif
