/* Graphs given as data, run by every scheme and queue, on either backend. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/common/rng.h"
#include "tests/libsched/csr_shape.h"
#include "tests/libsched/csr_suite.h"

csr_setting csr_place;

/* ---- a graph with the memory of its tasks ---- */

typedef struct task_graph {
	lsched_csr *g;
	csr_ctx c;
} task_graph;

static int task_graph_open(task_graph *b, const edges *l)
{
	memset(b, 0, sizeof(*b));
	if (lsched_csr_from_edges(&b->g, csr_place.ctx, l->tasks, l->e, l->n) != LSCHED_OK)
		return 0;
	b->c.graph = *lsched_csr_get(b->g);
	return lsched_mem_alloc_array(csr_place.ctx, (void **)&b->c.mark, l->tasks, 4) ==
		       LSCHED_OK &&
	       lsched_mem_alloc_array(csr_place.ctx, (void **)&b->c.runs, l->tasks, 4) == LSCHED_OK;
}

static void task_graph_close(task_graph *b)
{
	lsched_mem_free(csr_place.ctx, b->c.mark);
	lsched_mem_free(csr_place.ctx, b->c.runs);
	lsched_csr_destroy(&b->g);
}

/* Tasks that did not run exactly once. */
static uint32_t task_graph_wrong(const task_graph *b)
{
	const uint32_t n = b->c.graph.tasks;
	uint32_t *mark = (uint32_t *)malloc((size_t)n * 4 + 4),
		 *runs = (uint32_t *)malloc((size_t)n * 4 + 4), wrong = 0;

	if (!mark || !runs ||
		lsched_mem_read(csr_place.ctx, mark, b->c.mark, (size_t)n * 4) != LSCHED_OK ||
		lsched_mem_read(csr_place.ctx, runs, b->c.runs, (size_t)n * 4) != LSCHED_OK)
		wrong = n + 1;
	for (uint32_t t = 0; t < n && wrong <= n; t++)
		wrong += mark[t] != b->c.salt + t || runs[t] != 1;
	free(mark);
	free(runs);
	return wrong;
}

/* Compares the graph on the device with the edges, which it sorts. Returns the first fault, or
 * NULL. */
static const char *task_graph_fault(const task_graph *b, edges *l)
{
	const char *fault;
	shape s;

	if (!shape_open(&s, &b->c.graph))
		return "out of memory";
	fault = shape_fault(&s);
	if (!fault)
		fault = edges_fault(&s, l);
	shape_close(&s);
	return fault;
}

/* One start of a run; text receives the error. */
static lsched_status task_graph_once(
	task_graph *b, const lsched_run_options *o, lsched_stats *s, char *text, size_t bytes)
{
	const uint32_t n = b->c.graph.tasks;
	lsched_run_options ro = *o;
	lsched_status st;
	lsched_run *run;

	b->c.salt += 0x01000193;
	ro.max_tasks = n ? n : 1;
	st = lsched_mem_zero(csr_place.ctx, b->c.runs, (size_t)n * 4);
	if (st == LSCHED_OK)
		st = lsched_run_create(&run, csr_place.ctx, csr_place.program, &ro);
	snprintf(text, bytes, "%s", st ? lsched_last_error(csr_place.ctx) : "");
	if (st)
		return st;
	st = lsched_run_start(run, &b->c, n, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, s);
	snprintf(text, bytes, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	return st;
}

/* Every scheme, and every queue under dynamic, with first, first + step, ... workers. */
static void check_runs(task_graph *b, const char *what, size_t first, size_t step)
{
	for (size_t i = first; i < csr_place.worker_counts; i += step) {
		for (int k = 0; k < LSCHED_QUEUE_COUNT + 2; k++) {
			lsched_run_options o;
			char text[512];
			lsched_status st;
			lsched_stats s = { .struct_bytes = sizeof(s) };

			o = RUN_OPTIONS(.workers = csr_place.workers[i],
				.overflow = LSCHED_OVERFLOW_INLINE);
			if ((i + (size_t)k) % 2) /* 4 slots: most tasks are donated or kept */
				o.queue_capacity = o.bin_size = 4;
			o.never_keep = (i + (size_t)k) / 2 % 2;
			if (k < LSCHED_QUEUE_COUNT)
				o.queue = (lsched_queue)k;
			else
				o.scheme = k == LSCHED_QUEUE_COUNT ? LSCHED_SCHEME_STATIC
								   : LSCHED_SCHEME_SYNC;
			st = task_graph_once(b, &o, &s, text, sizeof(text));
			/* donate refuses more workers than are resident */
			if (st == LSCHED_ERR_ARG && strstr(text, "resident"))
				continue;
			CHECK(st == LSCHED_OK, "%s, %u tasks, %u workers, %s, %s: %s", what,
				b->c.graph.tasks, o.workers, lsched_scheme_name(o.scheme),
				lsched_queue_name(o.queue), text);
			CHECK(task_graph_wrong(b) == 0 && s.tasks == b->c.graph.tasks,
				"%s, %u tasks, %u workers, %s, %s: %u wrong", what,
				b->c.graph.tasks, o.workers, lsched_scheme_name(o.scheme),
				lsched_queue_name(o.queue), task_graph_wrong(b));
		}
	}
}

/* ---- tests ---- */

static void random_graphs_run_in_order_by_every_scheme_and_queue(void)
{
	static const uint32_t sizes[] = { 1, 2, 3, 7, 40, 333, 2500, 20000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint32_t n = sizes[i] > 3000 ? sizes[i] / csr_place.scale : sizes[i];
		const char *fault;
		edges l;
		task_graph b;

		CHECK(edges_random(&l, n, 1 + rng_below(5), 1 + n / 10), "memory");
		CHECK(task_graph_open(&b, &l), "%s", lsched_last_error(csr_place.ctx));
		fault = task_graph_fault(&b, &l);
		CHECK(!fault, "%u tasks: %s", n, fault);
		check_runs(&b, "random", n > 1000 ? i % 2 : 0, n > 1000 ? 3 : 1);
		task_graph_close(&b);
		free(l.e);
	}
}

static void a_million_tasks_run_in_order(void)
{
	const uint32_t n = 1000000 / csr_place.scale;
	const char *fault;
	edges l;
	task_graph b;

	CHECK(edges_random(&l, n, 3, n / 50), "memory");
	CHECK(task_graph_open(&b, &l), "%s", lsched_last_error(csr_place.ctx));
	fault = task_graph_fault(&b, &l);
	CHECK(!fault, "%s", fault);
	check_runs(&b, "a million", 1, csr_place.worker_counts);
	for (int k = 1; k < csr_place.times; k++)
		check_runs(&b, "a million again", 1, csr_place.worker_counts);
	task_graph_close(&b);
	free(l.e);
}

/* Special shapes, each with the counts that it must have. */
static void shapes(uint32_t form, uint32_t n, edges *l, uint32_t *chains, uint32_t *waves)
{
	*chains = *waves = 0;
	switch (form) {
	case 0: /* nothing */
		CHECK(edges_open(l, 0, 0), "memory");
		break;
	case 1: /* no edges */
		CHECK(edges_open(l, n, 0), "memory");
		*chains = n;
		*waves = 1;
		break;
	case 2: /* one long chain, numbered backwards */
		CHECK(edges_open(l, n, n), "memory");
		for (uint32_t t = 1; t < n; t++)
			edge(l, t, t - 1);
		*chains = 1;
		*waves = n;
		break;
	case 3: /* one task before all others, and one after all */
		CHECK(edges_open(l, n, 2 * (size_t)n), "memory");
		for (uint32_t t = 1; t + 1 < n; t++) {
			edge(l, 0, t);
			edge(l, t, n - 1);
		}
		*chains = n - 2;
		*waves = 3;
		break;
	case 4: /* two chains, and tasks without edges */
		CHECK(edges_open(l, n, n), "memory");
		for (uint32_t t = 2; t < n / 2; t++)
			edge(l, t - 2, t);
		*chains = 2 + n - n / 2;
		*waves = n / 4;
		break;
	default: /* all tasks of one half before all of the other half */
		CHECK(edges_open(l, n, (size_t)(n / 2) * (n / 2)), "memory");
		for (uint32_t a = 0; a < n / 2; a++)
			for (uint32_t b = n / 2; b < n; b++)
				edge(l, a, b);
		*chains = n - 1;
		*waves = 2;
	}
}

static void graphs_of_special_shapes_have_the_right_chains_and_run(void)
{
	static const uint32_t sizes[] = { 0, 5000, 2000, 100000, 4000, 2000 };

	for (uint32_t form = 0; form < 6; form++) {
		const uint32_t n = sizes[form] / csr_place.scale;
		uint32_t chains, waves;
		const char *fault;
		edges l;
		task_graph b;
		shape s;

		shapes(form, n, &l, &chains, &waves);
		CHECK(task_graph_open(&b, &l), "%s", lsched_last_error(csr_place.ctx));
		CHECK(b.c.graph.tasks == n && b.c.graph.edges == l.n, "form %u: %u edges", form,
			b.c.graph.edges);
		CHECK(b.c.graph.chains == chains && b.c.graph.waves == waves,
			"form %u: %u chains, %u wavefronts", form, b.c.graph.chains,
			b.c.graph.waves);
		CHECK(shape_open(&s, &b.c.graph), "memory");
		fault = shape_fault(&s);
		shape_close(&s);
		CHECK(!fault, "form %u: %s", form, fault);
		check_runs(&b, "form", form % 2, 2);
		task_graph_close(&b);
		free(l.e);
	}
}

/* The wavefront of macroblocks as data: one chain for each row, as by the index rule. */
static void a_grid_has_one_chain_for_each_row(void)
{
	enum { W = 30, H = 20 };
	edges l;
	task_graph b;
	shape s;

	CHECK(edges_open(&l, W * H, 2 * W * H), "memory");
	for (uint32_t t = 0; t < W * H; t++) {
		if (t % W + 1 < W)
			edge(&l, t, t + 1);
		if (t / W + 1 < H)
			edge(&l, t, t + W);
	}
	CHECK(task_graph_open(&b, &l), "%s", lsched_last_error(csr_place.ctx));
	CHECK(b.c.graph.chains == H && b.c.graph.waves == W + H - 1 && b.c.graph.roots == 1,
		"%u chains, %u wavefronts", b.c.graph.chains, b.c.graph.waves);
	CHECK(shape_open(&s, &b.c.graph), "memory");
	for (uint32_t y = 0; y < H; y++)
		CHECK(s.v.chain_head[y] == y * W, "row %u", y);
	shape_close(&s);
	task_graph_close(&b);
	free(l.e);
}

/* One graph under two runs that are in flight together, start after start. */
static void one_graph_serves_several_runs(void)
{
	enum { RUNS = 2, STARTS = 20 };
	lsched_run *run[RUNS];
	csr_ctx c[RUNS];
	task_graph b[RUNS];
	edges l;

	CHECK(edges_random(&l, 3000, 4, 100), "memory");
	for (int k = 0; k < RUNS; k++) {
		lsched_run_options o;

		CHECK(task_graph_open(&b[k], &l), "%s", lsched_last_error(csr_place.ctx));
		c[k] = b[k].c;
		c[k].graph = b[0].c.graph;
		o = RUN_OPTIONS(.scheme = k ? LSCHED_SCHEME_STATIC : LSCHED_SCHEME_DYNAMIC,
			.max_tasks = l.tasks, .workers = 3);
		CREATE(&run[k], csr_place.ctx, csr_place.program, &o);
	}
	for (uint32_t i = 0; i < STARTS; i++) {
		for (int k = 0; k < RUNS; k++) {
			b[k].c.salt = c[k].salt = 1 + i * 77777;
			CHECK(lsched_mem_zero(csr_place.ctx, c[k].runs, l.tasks * 4) == LSCHED_OK,
				"zero");
			CHECK(lsched_run_start(run[k], &c[k], l.tasks, NULL) == LSCHED_OK, "%s",
				lsched_run_error(run[k]));
		}
		for (int k = RUNS; k-- > 0;) {
			CHECK(lsched_run_finish(run[k], NULL) == LSCHED_OK, "%s",
				lsched_run_error(run[k]));
			CHECK(task_graph_wrong(&b[k]) == 0, "run %d, start %u", k, i);
		}
	}
	for (int k = 0; k < RUNS; k++) {
		lsched_run_destroy(&run[k]);
		task_graph_close(&b[k]);
	}
	free(l.e);
}

CU_TestInfo suite_csr_tests[] = {
	{ "random graphs run in order by every scheme and queue",
		random_graphs_run_in_order_by_every_scheme_and_queue },
	{ "a million tasks run in order", a_million_tasks_run_in_order },
	{ "graphs of special shapes have the right chains, and run",
		graphs_of_special_shapes_have_the_right_chains_and_run },
	{ "a grid has one chain for each row", a_grid_has_one_chain_for_each_row },
	{ "one graph serves several runs", one_graph_serves_several_runs },
	CU_TEST_INFO_NULL,
};
