/* Stops and continuations of item programs, through every queue, and items that are run again. */
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"

/* Queues that proceed breadth first need more slots. */
static lsched_run_options options_for(lsched_queue q, uint32_t workers, uint32_t nodes)
{
	lsched_run_options o = RUN_OPTIONS(.queue = q, .workers = workers, .max_tasks = nodes);

	if (q == LSCHED_QUEUE_RELAUNCH || q == LSCHED_QUEUE_COMPACT || q == LSCHED_QUEUE_BALANCE) {
		o.queue_capacity = 4 * nodes + 65536;
		o.bin_size = nodes / 8 + 256;
	}
	items_keep_options(&o, nodes);
	return o;
}

/* The output of a pour on the host: how often each node was written. */
typedef struct poured {
	uint32_t *seen, *part; /* [nodes], [size] */
	uint32_t parts;
} poured;

/* Adds the output of a part to that of all, and empties the array. */
static void collect(const pour_ctx *c, poured *p)
{
	uint32_t n = 0;

	iplace.read(&n, c->count, 4);
	n = n < c->size ? n : c->size;
	iplace.read(p->part, c->out, (size_t)n * 4);
	for (uint32_t k = 0; k < n; k++)
		p->seen[p->part[k] < c->nodes ? p->part[k] : 0]++;
	iplace.zero(c->count, 4);
	p->parts++;
}

static uint32_t not_once(const poured *p, uint32_t nodes)
{
	uint32_t bad = 0;

	for (uint32_t k = 0; k < nodes; k++)
		bad += p->seen[k] != 1;
	return bad;
}

/* Two output arrays, used in turn: a continuation gets another context. */
static int pour_open(pour_ctx c[2], poured *p, uint32_t nodes, uint32_t roots, uint32_t size)
{
	memset(p, 0, sizeof(*p));
	p->seen = (uint32_t *)calloc(nodes, 4);
	p->part = (uint32_t *)calloc(size, 4);
	for (int k = 0; k < 2; k++) {
		const pour_ctx made = { nodes, roots, size, LSCHED_NONE,
			(uint32_t *)iplace.alloc((size_t)size * 4), (uint32_t *)iplace.alloc(4) };

		c[k] = made;
	}
	return p->seen && p->part && c[0].out && c[1].out && c[0].count && c[1].count;
}

static void pour_close(const pour_ctx c[2], poured *p)
{
	for (int k = 0; k < 2; k++) {
		iplace.release(c[k].out);
		iplace.release(c[k].count);
	}
	free(p->seen);
	free(p->part);
}

/* Starts and continues until nothing is left; changes the number of workers from part to part.
 * Returns the status of the last part; *all: sum of lsched_stats.tasks. */
static lsched_status pour_parts(
	lsched_run *run, const pour_ctx c[2], poured *p, uint64_t *all, uint32_t *left_wrong)
{
	const uint32_t most = lsched_run_max_workers(run);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_status st = lsched_run_start(run, &c[0], c[0].roots, NULL);

	*all = 0;
	*left_wrong = 0;
	while (st == LSCHED_OK) {
		st = lsched_run_finish(run, &s);
		collect(&c[p->parts & 1], p);
		*all += s.tasks;
		if (st != LSCHED_OK || !s.stopped)
			return st;
		*left_wrong += s.items_left + s.roots_left == 0;
		(void)lsched_run_set_workers(run, p->parts % 3 ? 1 + p->parts * 7 % most : 0);
		st = lsched_run_continue(run, &c[p->parts & 1], 0, NULL);
	}
	return st;
}

static void check_pour(const lsched_program *program, lsched_queue q, uint32_t nodes,
	uint32_t roots, uint32_t size, uint32_t workers)
{
	lsched_run_options o = options_for(q, workers, nodes);
	uint32_t bad, wrong;
	lsched_run *run;
	lsched_status st;
	pour_ctx c[2];
	uint64_t all;
	poured p;

	CHECK(pour_open(c, &p, nodes, roots, size), "memory");
	CREATE(&run, iplace.ctx, program, &o);
	st = pour_parts(run, c, &p, &all, &wrong);
	bad = not_once(&p, nodes);
	CHECK(st == LSCHED_OK && bad == 0 && all == nodes && wrong == 0,
		"%s, %u nodes, %u roots, array of %u, %u workers: %s; %u wrong, %llu ran in %u "
		"parts, %u stops left nothing",
		lsched_queue_name(q), nodes, roots, size, workers, lsched_run_error(run), bad,
		(unsigned long long)all, p.parts, wrong);
	CHECK(p.parts >= nodes / size, "%u parts", p.parts);
	lsched_run_destroy(&run);
	pour_close(c, &p);
}

static void check_all_pours(const lsched_program *program, const lsched_queue *queues, size_t n)
{
	const uint32_t nodes = iplace.nodes / 4;

	for (size_t q = 0; q < n; q++) {
		for (size_t k = 0; k < iplace.worker_counts; k++) {
			check_pour(program, queues[q], nodes, 1, nodes / 5 + 1, iplace.workers[k]);
			check_pour(program, queues[q], nodes, nodes / 3, nodes / 7 + 1,
				iplace.workers[k]);
		}
		check_pour(program, queues[q], 300, 3, 7, 3);
	}
}

static const lsched_queue every_queue[] = {
#define QUEUE_Y(X, ENUM, name) LSCHED_QUEUE_##ENUM,
	LSCHED_QUEUES(QUEUE_Y, 0)
#undef QUEUE_Y
};

static void lane_items_are_stopped_and_continued_through_every_queue(void)
{
	check_all_pours(iplace.plane, every_queue, LSCHED_QUEUE_COUNT);
}

static void warp_items_are_stopped_and_continued_through_every_queue(void)
{
	check_all_pours(iplace.pwarp, every_queue, LSCHED_QUEUE_COUNT);
}

static void block_items_and_procedures_are_stopped_and_continued(void)
{
	static const lsched_queue blocks[] = { LSCHED_QUEUE_RING, LSCHED_QUEUE_DONATE };
	static const lsched_queue procs[] = { LSCHED_QUEUE_RING, LSCHED_QUEUE_STEAL };

	check_all_pours(iplace.pblock, blocks, 2);
	check_all_pours(iplace.pprocs, procs, 2);
}

static void items_of_a_table_are_stopped_and_continued_through_every_queue(void)
{
	check_all_pours(iplace.ptable, every_queue, LSCHED_QUEUE_COUNT);
}

/* After every few items a stop, while joins wait. */
static void joins_stay_valid_over_stops(void)
{
	uint64_t fib[64] = { 0, 1 };

	for (int k = 2; k < 64; k++)
		fib[k] = fib[k - 1] + fib[k - 2];
	for (size_t q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		for (size_t k = 0; k < iplace.worker_counts; k++) {
			const uint32_t n = iplace.fib - 4;
			const uint64_t items = 3 * fib[n + 1] - 2;
			const fib_ctx c = { n };
			lsched_run_options o =
				options_for(every_queue[q], iplace.workers[k], 1u << 16);
			lsched_stats s = { .struct_bytes = sizeof(s) };
			uint32_t parts = 0;
			uint64_t ran = 0;
			lsched_status st;
			lsched_run *run;

			o.max_tasks = 1;
			o.max_joins = 1u << 16;
			o.stop_after = items / 6;
			CREATE(&run, iplace.ctx, iplace.stopfib, &o);
			st = lsched_run_start(run, &c, 1, NULL);
			while (st == LSCHED_OK) {
				st = lsched_run_finish(run, &s);
				parts++;
				ran += s.tasks;
				if (st != LSCHED_OK || !s.stopped)
					break;
				st = lsched_run_continue(run, &c, 0, NULL);
			}
			CHECK(st == LSCHED_OK && s.value == fib[n] && ran == items,
				"%s, %u workers: %s, fib(%u) = %llu, %llu items in %u parts",
				lsched_queue_name(every_queue[q]), o.workers, lsched_run_error(run),
				n, (unsigned long long)s.value, (unsigned long long)ran, parts);
			CHECK(parts > 1 && parts < 100, "%u parts", parts);
			lsched_run_destroy(&run);
		}
	}
}

/* A request by the host leaves what was not begun; the continuation adds further roots. */
static void the_host_stops_a_run_and_adds_roots(void)
{
	const uint32_t nodes = 4000;

	for (size_t q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		lsched_run_options o = options_for(every_queue[q], 0, nodes);
		lsched_stats s = { .struct_bytes = sizeof(s) };
		lsched_status st, asked;
		uint64_t all = 0;
		lsched_run *run;
		pour_ctx c[2];
		poured p;

		CHECK(pour_open(c, &p, nodes, nodes, nodes), "memory");
		CREATE(&run, iplace.ctx, iplace.plane, &o);
		CHECK(lsched_run_request_stop(run) == LSCHED_ERR_STATE, "nothing executes");
		CHECK(lsched_run_start(run, &c[0], 3000, NULL) == LSCHED_OK, "%s",
			lsched_run_error(run));
		asked = lsched_run_request_stop(run);
		CHECK(asked == LSCHED_OK || asked == LSCHED_ERR_STATE, "request");
		st = lsched_run_finish(run, &s);
		collect(&c[0], &p);
		all += s.tasks;
		if (st == LSCHED_OK && s.stopped)
			st = lsched_run_continue(run, &c[0], 1000, NULL);
		else if (st == LSCHED_OK) { /* it was faster than the request */
			pour_close(c, &p);
			lsched_run_destroy(&run);
			continue;
		}
		CHECK(st == LSCHED_OK, "%s", lsched_run_error(run));
		st = lsched_run_finish(run, &s);
		collect(&c[0], &p);
		all += s.tasks;
		CHECK(st == LSCHED_OK && !s.stopped && all == nodes && not_once(&p, nodes) == 0,
			"%s: %s, %llu ran", lsched_queue_name(every_queue[q]),
			lsched_run_error(run), (unsigned long long)all);
		/* a late request has no effect on the next start */
		iplace.zero(c[0].count, 4);
		CHECK(lsched_run_start(run, &c[0], 10, NULL) == LSCHED_OK &&
				lsched_run_finish(run, &s) == LSCHED_OK && s.tasks == 10 &&
				!s.stopped,
			"%s: %s", lsched_queue_name(every_queue[q]), lsched_run_error(run));
		lsched_run_destroy(&run);
		pour_close(c, &p);
	}
}

/* Starts a pour that stops. */
static int stopped_pour(lsched_run *run, const pour_ctx *c, lsched_stats *s)
{
	iplace.zero(c->count, 4);
	return lsched_run_start(run, c, c->roots, NULL) == LSCHED_OK &&
	       lsched_run_finish(run, s) == LSCHED_OK && s->stopped;
}

static void a_stopped_run_is_continued_or_discarded(void)
{
	lsched_run_options o = options_for(LSCHED_QUEUE_RING, 3, 1000);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;
	pour_ctx c[2];
	poured p;

	CHECK(pour_open(c, &p, 1000, 10, 100), "memory");
	CREATE(&run, iplace.ctx, iplace.plane, &o);
	CHECK(lsched_run_continue(run, &c[0], 0, NULL) == LSCHED_ERR_STATE &&
			strstr(lsched_run_error(run), "nothing to continue"),
		"%s", lsched_run_error(run));
	CHECK(stopped_pour(run, &c[0], &s), "%s", lsched_run_error(run));
	CHECK(s.tasks == 100 && s.items_left > 0, "%llu ran", (unsigned long long)s.tasks);
	CHECK(lsched_run_start(run, &c[0], 10, NULL) == LSCHED_ERR_STATE &&
			strstr(lsched_run_error(run), "lsched_run_discard"),
		"%s", lsched_run_error(run));
	CHECK(lsched_run_set_workers(run, 4) == LSCHED_ERR_ARG, "too many workers");
	CHECK(lsched_run_discard(run) == LSCHED_OK, "%s", lsched_run_error(run));
	CHECK(lsched_run_continue(run, &c[0], 0, NULL) == LSCHED_ERR_STATE, "discarded");
	CHECK(stopped_pour(run, &c[0], &s), "%s", lsched_run_error(run));
	/* a failure in a continuation: nothing is left */
	c[0].fail_at = 500;
	c[0].size = 1000;
	pour_close(c, &p);
	CHECK(pour_open(c, &p, 1000, 10, 1000), "memory");
	c[0].fail_at = 500;
	CHECK(lsched_run_continue(run, &c[0], 0, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
	CHECK(lsched_run_finish(run, &s) == LSCHED_ERR_TASK_FAILED, "%s", lsched_run_error(run));
	CHECK(lsched_run_continue(run, &c[0], 0, NULL) == LSCHED_ERR_STATE, "failed");
	c[0].fail_at = LSCHED_NONE;
	iplace.zero(c[0].count, 4);
	CHECK(lsched_run_start(run, &c[0], 10, NULL) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_OK && s.tasks == 1000 && !s.stopped,
		"%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	pour_close(c, &p);
}

static void a_stopped_run_is_cancelled_in_its_continuation(void)
{
	lsched_run_options o = options_for(LSCHED_QUEUE_STEAL, 2, 1);
	const fib_ctx c = { 64 };
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;

	o.queue_capacity = 1u << 16;
	o.max_joins = 1u << 18;
	CREATE(&run, iplace.ctx, iplace.stopfib, &o);
	CHECK(lsched_run_start(run, &c, 1, NULL) == LSCHED_OK &&
			lsched_run_request_stop(run) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_OK && s.stopped,
		"%s", lsched_run_error(run));
	CHECK(lsched_run_continue(run, &c, 0, NULL) == LSCHED_OK &&
			lsched_run_cancel(run) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_ERR_CANCELLED && !s.stopped,
		"%s", lsched_run_error(run));
	CHECK(lsched_run_continue(run, &c, 0, NULL) == LSCHED_ERR_STATE, "cancelled");
	lsched_run_destroy(&run);
}

static void programs_without_stops_refuse_them(void)
{
	lsched_run_options o = options_for(LSCHED_QUEUE_RING, 2, 1000);
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;
	pour_ctx c[2];
	poured p;

	CHECK(pour_open(c, &p, 1000, 10, 100), "memory");
	CREATE(&run, iplace.ctx, iplace.pnostop, &o);
	CHECK(lsched_run_start(run, &c[0], 10, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
	CHECK(lsched_run_request_stop(run) == LSCHED_ERR_UNSUPPORTED, "request");
	CHECK(lsched_run_finish(run, &s) == LSCHED_ERR_UNSUPPORTED &&
			strstr(lsched_run_error(run), "LSCHED_STOPS"),
		"%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	o.stop_after = 10;
	CHECK(lsched_run_create(&run, iplace.ctx, iplace.pnostop, &o) == LSCHED_ERR_UNSUPPORTED &&
			strstr(lsched_last_error(iplace.ctx), "LSCHED_STOPS"),
		"%s", lsched_last_error(iplace.ctx));
	pour_close(c, &p);
}

/* ---- items that are run again ---- */

static void items_wait_for_room_that_other_procedures_make(void)
{
	const uint32_t roots = TEST_SANITIZED ? 500 : 3000;

	for (size_t q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		for (uint32_t size = 1; size <= 64; size *= 8) {
			lsched_run_options o = options_for(every_queue[q], 3, roots);
			lsched_stats s = { .struct_bytes = sizeof(s) };
			uint32_t *runs = (uint32_t *)malloc(roots * 4), bad = 0, most = 0;
			turns_ctx c = { size, (uint32_t *)iplace.alloc(4),
				(uint32_t *)iplace.alloc(roots * 4), (uint32_t *)iplace.alloc(4) };
			lsched_status st;
			lsched_run *run;

			CHECK(runs && c.used && c.runs && c.most, "memory");
			CREATE(&run, iplace.ctx, iplace.turns, &o);
			st = lsched_run_start(run, &c, roots, NULL);
			st = st ? st : lsched_run_finish(run, &s);
			iplace.read(runs, c.runs, roots * 4);
			iplace.read(&most, c.most, 4);
			for (uint32_t k = 0; k < roots; k++)
				bad += runs[k] != 1;
			CHECK(st == LSCHED_OK && bad == 0 && s.tasks == 2 * (uint64_t)roots &&
					most >= 1 && most <= size,
				"%s, %u places: %s; %u wrong, %llu ran, at most %u",
				lsched_queue_name(every_queue[q]), size, lsched_run_error(run), bad,
				(unsigned long long)s.tasks, most);
			lsched_run_destroy(&run);
			iplace.release(c.used);
			iplace.release(c.runs);
			iplace.release(c.most);
			free(runs);
		}
	}
}

static void a_run_whose_items_all_wait_is_an_error(void)
{
	lsched_run_options o = options_for(LSCHED_QUEUE_RING, 3, 100);
	turns_ctx c = { 0, (uint32_t *)iplace.alloc(4), (uint32_t *)iplace.alloc(400),
		(uint32_t *)iplace.alloc(4) };
	lsched_stats s = { .struct_bytes = sizeof(s) };
	lsched_run *run;

	CHECK(c.used && c.runs && c.most, "memory");
	o.timeout_ms = 300;
	CREATE(&run, iplace.ctx, iplace.turns, &o);
	CHECK(lsched_run_start(run, &c, 100, NULL) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_ERR_TIMEOUT,
		"%s", lsched_run_error(run));
	c.size = 5;
	CHECK(lsched_run_start(run, &c, 100, NULL) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_OK && s.tasks == 200,
		"%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	iplace.release(c.used);
	iplace.release(c.runs);
	iplace.release(c.most);
}

CU_TestInfo items_stop_tests[] = {
	{ "lane items are stopped and continued, through every queue",
		lane_items_are_stopped_and_continued_through_every_queue },
	{ "warp items are stopped and continued, through every queue",
		warp_items_are_stopped_and_continued_through_every_queue },
	{ "block items and procedures are stopped and continued",
		block_items_and_procedures_are_stopped_and_continued },
	{ "items of a table are stopped and continued, through every queue",
		items_of_a_table_are_stopped_and_continued_through_every_queue },
	{ "joins stay valid over stops", joins_stay_valid_over_stops },
	{ "the host stops a run and adds roots", the_host_stops_a_run_and_adds_roots },
	{ "a stopped run is continued or discarded", a_stopped_run_is_continued_or_discarded },
	{ "a stopped run is cancelled in its continuation",
		a_stopped_run_is_cancelled_in_its_continuation },
	{ "programs without stops refuse them", programs_without_stops_refuse_them },
	{ "items wait for room that other procedures make",
		items_wait_for_room_that_other_procedures_make },
	{ "a run whose items all wait is an error", a_run_whose_items_all_wait_is_an_error },
	CU_TEST_INFO_NULL
};
