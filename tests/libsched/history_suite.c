/* Every queue: no item is lost or duplicated, writes before a push are visible after the pop; and
 * the further guarantees of queues whose items can be dequeued right after the enqueue. */
#include "tests/libsched/history_suite.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

history_stage history_on;

static const struct {
	const char *queue;
	uint32_t guarantees;
} guaranteed[] = {
	{ "ring", HISTORY_FIFO | HISTORY_FULL | HISTORY_PARTIAL | HISTORY_EMPTY },
	{ "block", HISTORY_FIFO | HISTORY_FULL | HISTORY_PARTIAL | HISTORY_EMPTY },
	{ "steal", HISTORY_EMPTY },
	{ "abp", HISTORY_EMPTY },
	{ "donate", HISTORY_EMPTY },
	{ "buffer", HISTORY_EMPTY },
};
/* Victims that one pop examines at least (32 on the CPU): with more workers an empty pop may be
 * false. */
enum { VICTIMS_EXAMINED = 32 };
enum { SIZES = 5, OPS_LEAST = 32 };

static uint32_t guarantees_of(const char *queue, uint32_t workers)
{
	for (size_t k = 0; k < sizeof(guaranteed) / sizeof(guaranteed[0]); k++)
		if (strcmp(guaranteed[k].queue, queue) == 0)
			return guaranteed[k].guarantees &
			       ~(workers > VICTIMS_EXAMINED + 1 ? (uint32_t)HISTORY_EMPTY : 0u);
	return 0;
}

typedef struct setting {
	lsched_queue queue;
	uint32_t workers, room, most, mode, seed;
} setting;

static void *fetch(const void *from, size_t bytes)
{
	void *p = malloc(bytes);

	if (p)
		history_on.read(p, from, bytes);
	return p;
}

/* Reads the record and checks it. Returns the sum of the faults. */
static uint64_t judge(const setting *s, const history_ctx *c, history_faults *f, uint32_t *stale)
{
	const size_t ops = (size_t)s->workers * c->ops, items = ops * c->most;
	history_op *op = (history_op *)fetch(c->op, ops * sizeof(*op));
	history_item *item = (history_item *)fetch(c->item, items * sizeof(*item));
	uint32_t *ends = (uint32_t *)fetch(c->first_end, s->workers * sizeof(*ends));
	uint64_t sum = UINT64_MAX;
	history_shared shared;
	history h;

	memset(f, 0, sizeof(*f));
	memset(&h, 0, sizeof(h));
	history_on.read(&shared, c->shared, sizeof(shared));
	*stale = shared.stale;
	if (op && item && ends) {
		h.op = op;
		h.ops = ops;
		h.item = item;
		h.items = items;
		h.limit = s->room;
		h.ordered = s->mode != HISTORY_FREE;
		h.guarantees = guarantees_of(lsched_queue_name(s->queue), s->workers);
		h.alone_until = UINT32_MAX;
		for (uint32_t k = 0; k < s->workers; k++)
			if (ends[k] < h.alone_until)
				h.alone_until = ends[k];
		sum = history_check(&h, f);
		if (sum == 0 && (f->pushed != shared.pushed || f->popped != shared.popped))
			sum = 1;
	}
	free(op);
	free(item);
	free(ends);
	return sum;
}

/* Returns nonzero if there was no fault. */
static int run_one(const setting *s, uint64_t *alone)
{
	/* in turn mode the operations are serial and slow, so there are fewer */
	const uint32_t together = s->mode == HISTORY_IN_TURN ? history_on.ops / 8 : history_on.ops;
	const uint32_t ops = together / s->workers < OPS_LEAST ? OPS_LEAST : together / s->workers;
	const size_t all = (size_t)s->workers * ops;
	lsched_run_options o;
	lsched_status st;
	lsched_run *run = NULL;
	history_faults f;
	history_ctx c;
	uint64_t sum;
	uint32_t stale;

	memset(&c, 0, sizeof(c));
	c.op = (history_op *)history_on.alloc(all * sizeof(*c.op));
	c.item = (history_item *)history_on.alloc(all * s->most * sizeof(*c.item));
	c.written = (uint32_t *)history_on.alloc(all * s->most * sizeof(*c.written));
	c.first_end = (uint32_t *)history_on.alloc(s->workers * sizeof(*c.first_end));
	c.shared = (history_shared *)history_on.alloc(sizeof(*c.shared));
	CU_ASSERT_FATAL(c.op && c.item && c.written && c.first_end && c.shared);
	c.ops = ops;
	c.most = s->most;
	c.mode = s->mode;
	c.seed = s->seed;
	c.budget_ns = UINT64_C(5000000000);
	o = RUN_OPTIONS(.queue = s->queue, .max_tasks = s->workers, .workers = s->workers,
		.queue_capacity = s->room, .bin_size = s->room, .timeout_ms = 20000);
	st = lsched_run_create(&run, history_on.ctx, history_on.program, &o);
	if (st == LSCHED_OK)
		st = lsched_run_start(run, &c, s->workers, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, NULL);
	sum = judge(s, &c, &f, &stale);
	if (st != LSCHED_OK || sum || stale)
		printf("\n%s, %u workers, room %u, batches of %u, mode %u: %s %s\n"
		       "%" PRIu64 " in, %" PRIu64 " out, %" PRIu64 " lost, %" PRIu64
		       " duplicated, %" PRIu64 " not enqueued, %" PRIu64 " early, %" PRIu64
		       " overtaken, %" PRIu64 " disordered, %" PRIu64 " falsely full, %" PRIu64
		       " falsely empty, %u stale\n",
			lsched_queue_name(s->queue), s->workers, s->room, s->most, s->mode,
			lsched_strstatus(st), run ? lsched_run_error(run) : "", f.pushed, f.popped,
			f.lost, f.doubled, f.invented, f.early, f.overtaken, f.disordered,
			f.false_full, f.false_empty, stale);
	CU_ASSERT(st == LSCHED_OK && sum == 0 && stale == 0);
	*alone += f.alone;
	lsched_run_destroy(&run);
	history_on.release(c.op);
	history_on.release(c.item);
	history_on.release(c.written);
	history_on.release(c.first_end);
	history_on.release(c.shared);
	return st == LSCHED_OK && sum == 0 && stale == 0;
}

static int takes_part(lsched_queue q)
{
	return lsched_i_queue_has((uint32_t)q, LSCHED_I_CAP_KEEPS);
}

/* All queues and worker counts, with few slots and with many. */
static void run_all(uint32_t mode, uint32_t most_workers)
{
	static const struct {
		uint32_t room, most;
	} size[SIZES] = { { 2, 1 }, { 4, 3 }, { 16, 32 }, { 256, 7 }, { 1024, 32 } };

	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		uint64_t alone = 0;
		int right = takes_part((lsched_queue)q);

		/* a failure may use up the whole time budget, so stop at the first */
		for (const uint32_t *n = history_on.workers; right && *n && *n <= most_workers; n++)
			for (uint32_t k = 0; right && k < history_on.repeats * SIZES; k++) {
				const setting s = { (lsched_queue)q, *n, size[k % SIZES].room,
					size[k % SIZES].most, mode, 1000 * k + *n };

				right = run_one(&s, &alone);
			}
		/* the checks of full and empty must have applied to some operations */
		CU_ASSERT(mode == HISTORY_FREE || !right || alone > 0);
	}
}

static void queues_lose_and_double_nothing(void)
{
	run_all(HISTORY_FREE, UINT32_MAX);
}

static void the_recorded_operations_are_possible_for_the_queue(void)
{
	run_all(HISTORY_RECORDED, UINT32_MAX);
}

static void without_overlap_full_and_empty_are_reported_exactly(void)
{
	run_all(HISTORY_IN_TURN, VICTIMS_EXAMINED + 1);
}

/* ---- through the worker loop ---- */

/* One start of a run. Returns the number of wrong items. */
static uint32_t spread_start(lsched_run *run, uint32_t seed, lsched_status *st)
{
	const uint32_t total = history_on.ops * 2;
	uint32_t *times, next[2], given, wrong = 0;
	spread_ctx c;

	memset(&c, 0, sizeof(c));
	c.total = total;
	c.seed = seed;
	c.times = (uint32_t *)history_on.alloc(total * sizeof(*c.times));
	c.written = (uint32_t *)history_on.alloc(total * sizeof(*c.written));
	c.next = (uint32_t *)history_on.alloc(sizeof(next));
	CU_ASSERT_FATAL(c.times && c.written && c.next);
	*st = lsched_run_start(run, &c, SPREAD_ROOTS, NULL);
	if (*st == LSCHED_OK)
		*st = lsched_run_finish(run, NULL);
	history_on.read(next, c.next, sizeof(next));
	times = (uint32_t *)fetch(c.times, total * sizeof(*times));
	CU_ASSERT_FATAL(times != NULL);
	given = next[0] < total - SPREAD_ROOTS ? next[0] + SPREAD_ROOTS : total;
	for (uint32_t k = 0; k < total; k++)
		wrong += times[k] != (k < given);
	wrong += next[1];
	CU_ASSERT(given > SPREAD_SURE);
	free(times);
	history_on.release(c.times);
	history_on.release(c.written);
	history_on.release(c.next);
	return wrong;
}

static int spread_one(lsched_queue q, uint32_t workers, uint32_t room, int keep)
{
	const uint32_t total = history_on.ops * 2;
	uint32_t wrong = 0;
	lsched_run_options o;
	lsched_run *run = NULL;
	lsched_status st;

	o = RUN_OPTIONS(.queue = q, .max_tasks = SPREAD_ROOTS, .workers = workers,
		.queue_capacity = room ? room : total);
	o.bin_size = o.queue_capacity;
	o.overflow = room ? LSCHED_OVERFLOW_INLINE : LSCHED_OVERFLOW_FAIL;
	o.inline_depth = total;
	o.never_keep = !keep;
	st = lsched_run_create(&run, history_on.ctx, history_on.spread, &o);
	for (uint32_t k = 0; st == LSCHED_OK && k < 2 && wrong == 0; k++)
		wrong = spread_start(run, workers * 100 + room + k, &st);
	if (st != LSCHED_OK || wrong)
		printf("\n%s, %u workers, room %u, keep %d: %s %s, %u wrong\n",
			lsched_queue_name(q), workers, room, keep, lsched_strstatus(st),
			run ? lsched_run_error(run) : "", wrong);
	CU_ASSERT(st == LSCHED_OK && wrong == 0);
	lsched_run_destroy(&run);
	return st == LSCHED_OK && wrong == 0;
}

static void every_spawned_number_runs_once(void)
{
	static const uint32_t rooms[] = { 0, 2,
		64 }; /* 0: slots for all items, policy FAIL; else policy INLINE */

	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		int right = 1;

		for (const uint32_t *n = history_on.workers; right && *n; n++)
			for (int k = 0; right && k < 6; k++)
				right = spread_one((lsched_queue)q, *n, rooms[k / 2], k % 2);
	}
}

CU_TestInfo history_tests[] = { { "every spawned number runs once, with what was written for it",
					every_spawned_number_runs_once },
	{ "queues neither lose nor duplicate an item, and publish the writes before a push",
		queues_lose_and_double_nothing },
	{ "the recorded operations are possible for the queue",
		the_recorded_operations_are_possible_for_the_queue },
	{ "without overlap full and empty are reported exactly",
		without_overlap_full_and_empty_are_reported_exactly },
	CU_TEST_INFO_NULL };
