/* The programs of the common suite with 32 lanes a worker, on threads. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int lanes_left_out; /* lanes_test is skipped then */
#else

#define _GNU_SOURCE
#include "tests/libsched/lanes.h"
#define LSCHED_I_TARGET_ENTRIES "tests/libsched/lanes_program.h"
#define GRAPH_PROGRAMS
#define FAN_PROGRAMS
#include "tests/libsched/graph.h"
#include "tests/libsched/fan.h"
#define GRID_PROGRAMS
#include "tests/libsched/grid.h"
#define MESSAGE_PROGRAMS
#include "tests/libsched/message.h"

/* ---- line: the only task ends when the other worker has drawn a ticket of the ring ---- */

typedef struct line_ctx {
	uint32_t unused;
} line_ctx;

LSCHED_TASK_FN lsched_result line_body(
	lsched_worker *w, const line_ctx *c, lsched_no_local *l, uint32_t task)
{
	lsched_i_ring_counters *q = lsched_i_ring_counters_of(w->a);
	uint32_t lost = 0, drawn = 0;

	(void)c, (void)l, (void)task;
	while (!lost && !drawn) {
		lsched_i_relax(0, w->a->workers);
		lost = lsched_bcast((uint32_t)lsched_cancelled(w));
		drawn = lsched_bcast(lsched_ld(&q[LSCHED_I_RING_HEAD].v, rlx, dev));
	}
	return lost ? LSCHED_FAIL : LSCHED_DONE;
}

#define LSCHED_NAME                 line
#define LSCHED_CTX                  line_ctx
#define LSCHED_BODY                 line_body
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate.h>

/* The prototype is in lanes_test.c, where a worker has one lane and the types have that size. */
uint32_t lanes_places(const uint32_t *count, uint32_t *place, uint32_t n);

typedef struct places_call {
	const uint32_t *count;
	uint32_t *place;
	uint32_t n, sum;
} places_call;

static void places_lane(void *arg)
{
	places_call *c = (places_call *)arg;
	const uint32_t sum = lsched_i_prefix_sum(c->count, c->place, c->n);

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
