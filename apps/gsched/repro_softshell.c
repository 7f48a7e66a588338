/* Steinberger et al.: Softshell (2012). Figure 6, the time of an operation of a queue; ring
 * replaces its monolithic queue, which assigns slots by counters and marks them as ready, too.
 * Figure 7, the percentage of tasks that run in the order of their priorities. Section 6.1, the
 * times of a message and of a launch. */
#include "apps/gsched/repro.h"
#include "apps/common/stop.h"
#include "apps/gsched/commands.h"

#include <math.h>

static const char *const queues[] = { "ring", "block", "dist", "steal", "abp", "donate" };
enum { QUEUES = sizeof(queues) / sizeof(queues[0]), MAX_WORKER_COUNTS = 8 };

/* Returns a list of numbers of workers for --workers, each a multiple of the one before, and its
 * length. */
static const char *worker_list(repro *r, size_t *count)
{
	const uint32_t most =
		r->backend == LSCHED_BACKEND_CUDA ? r->few_workers * 32 : r->few_workers;
	const char *list = "1";

	*count = 1;
	for (uint32_t n = r->backend == LSCHED_BACKEND_CUDA ? 33 : 2;
		n <= most && *count < MAX_WORKER_COUNTS;
		n *= r->backend == LSCHED_BACKEND_CUDA ? 4 : 2) {
		list = repro_text(r, "%s,%u", list, n);
		++*count;
	}
	return list;
}

/* Sets the lines of a grid to the time of an enqueue or a dequeue. */
static void fill(repro_grid *g, const gs_table *t, size_t count, int pop)
{
	for (size_t q = 0; q < QUEUES; q++) {
		g->names[q] = queues[q];
		for (size_t i = 0; i < count; i++) {
			const gs_row *row = repro_row(t, queues[q], i);

			if (row)
				g->x[i] = row->stats.workers;
			g->y[q][i] = !row ? NAN : pop ? row->pop_ns : row->push_ns;
		}
	}
	g->points = count;
}

/* Measures an operation with each number of workers and sets the two grids, in ns per call. */
static void measure_operations(repro *r, repro_grid *push, repro_grid *pop)
{
	size_t count;
	const char *list = worker_list(r, &count);
	const gs_table *t = repro_run(r,
		"queue --latency --lanes 1 --rounds %u --workers %s --queue "
		"ring,block,dist,steal,abp,donate -r %u",
		repro_pick(r, 20, 200000, 50), list, repro_pick(r, 1, 5, 3));

	*push = (repro_grid){ .x_label = "workers",
		.y_label = "ns per call",
		.x_scale = CHART_LOG2,
		.y_scale = CHART_LOG10,
		.lines = QUEUES };
	*pop = *push;
	fill(push, t, count, 0);
	fill(pop, t, count, 1);
}

static void figure_6(repro *r)
{
	repro_grid *push = repro_alloc(r, sizeof(*push)), *pop = repro_alloc(r, sizeof(*pop));
	report_section *s = repro_section(r, "Time of an enqueue and a dequeue",
		"Steinberger et al. 2012 (Softshell), figure 6");
	double lock, others, slope;
	size_t last;

	measure_operations(r, push, pop);
	last = push->points - 1;
	s->text = "Every worker repeatedly enqueues and dequeues one item, at the same time as all "
		  "others. On the CPU reading the clock takes about 20 ns.";
	repro_grid_show(r, s, push, "Time of an enqueue");
	repro_grid_show(r, s, pop, "Time of a dequeue");
	lock = push->y[1][last] / push->y[0][last];
	repro_judge(r, s,
		"A single queue without a lock is orders of magnitude faster than the single queue "
		"with a lock of 2010.",
		isfinite(lock), lock >= 10,
		"With few workers the lock is usually free, and then costs no more than two "
		"counters.",
		"enqueue with %.0f workers: ring %.0f ns, block %.0f ns, %.1f times (criterion: at "
		"least 10 times)",
		push->x[last], push->y[0][last], push->y[1][last], lock);

	others = fmin(push->y[3][last], push->y[5][last]);
	s = repro_claim(r, "A single queue and distributed queues", NULL);
	repro_judge(r, s,
		"The single queue without a lock is at least as fast as stealing and donation.",
		isfinite(others) && isfinite(push->y[0][last]), push->y[0][last] <= 1.1 * others,
		"A worker enqueues into its own deque without an operation on a shared word. Since "
		"the memory of the deques is cached, this is the fastest enqueue.",
		"enqueue with %.0f workers: ring %.0f ns, steal %.0f ns, donate %.0f ns "
		"(criterion: at most 10 %% more than the faster of both)",
		push->x[last], push->y[0][last], push->y[3][last], push->y[5][last]);

	slope = (push->y[0][last] - push->y[0][0]) / (push->x[last] - push->x[0]);
	s = repro_claim(r, "Time over the number of workers", NULL);
	repro_judge(r, s, "Each further thread adds at most 2.5 ns to the time of an enqueue.",
		isfinite(slope), slope <= 2.5,
		"All workers write the counters of a ring: on the CPU each write moves the cache "
		"line from another processor's cache.",
		"ring: %.0f ns with 1 worker, %.0f ns with %.0f workers: %.2f ns per worker "
		"(criterion: at most 2.5)",
		push->y[0][0], push->y[0][last], push->x[last], slope);
}

/* Measures the accuracy in per cent over the number of tasks, one line per length. */
static void measure_accuracy(repro *r, repro_grid *g, uint32_t workers)
{
	static const uint32_t tasks[] = { 100, 300, 1000, 3000, 10000, 30000 };
	static const uint32_t divisors[] = { 0, 10, 1 }; /* of the length; 0: empty tasks */
	const size_t points = r->scale == REPRO_FULL ? 6 : r->scale == REPRO_SMALL ? 4 : 2;
	const uint32_t longest = repro_pick(r, 20, 1000, 5000);

	*g = (repro_grid){ .x_label = "tasks",
		.y_label = "pairs in the right order (%)",
		.x_scale = CHART_LOG10,
		.lines = 4 };
	for (size_t i = 0; i < points; i++) {
		g->x[i] = tasks[i];
		for (size_t l = 0; l < 3; l++) {
			const uint32_t steps = divisors[l] ? longest / divisors[l] : 0;
			const gs_table *t = repro_run(r,
				"priority -n %u -w %u --seed 3 --workers %u --queue prio,ring -r "
				"%u",
				tasks[i], steps, workers, repro_pick(r, 1, 5, 5));
			const gs_row *row = repro_row(t, "prio", 0),
				     *plain = repro_row(t, "ring", 0);

			g->names[l] = repro_text(r, "prio, %u steps", steps);
			g->y[l][i] = row ? row->accuracy * 100 : NAN;
			g->names[3] = "ring, no priorities";
			g->y[3][i] = plain ? plain->accuracy * 100 : NAN;
		}
		g->points++;
	}
}

static void figure_7(repro *r)
{
	/* On the CPU prio has a controller from 4 workers on. */
	const uint32_t workers = r->backend == LSCHED_BACKEND_CUDA ? r->few_workers : 4;
	report_section *s = repro_section(
		r, "Scheduling accuracy", "Steinberger et al. 2012 (Softshell), figure 7");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double long_tasks, short_tasks, few_tasks;
	size_t last;

	measure_accuracy(r, g, workers);
	last = g->points - 1;
	s->text = repro_text(r,
		"Tasks with random priorities, all ready at the start, with %u workers; one worker "
		"of each 64, at least one, is a controller that sorts the queue. The accuracy is "
		"the percentage of pairs of tasks that ran in the order of their priorities; a "
		"random order gives 50 %%.",
		workers);
	repro_grid_show(r, s, g, "Scheduling accuracy");
	long_tasks = g->y[2][last];
	short_tasks = g->y[0][last];
	few_tasks = g->y[0][0];
	repro_judge(r, s,
		"Long tasks run in the order of their priorities; with short ones the controller "
		"is too slow.",
		isfinite(long_tasks) && isfinite(short_tasks),
		long_tasks >= 90 && short_tasks < long_tasks,
		"The controller is fast enough for the shortest tasks as well, or too slow for the "
		"longest ones here.",
		"%u tasks: %.1f %% of the pairs in order with the longest tasks (criterion: at "
		"least 90 %%), %.1f %% with empty ones",
		(uint32_t)g->x[last], long_tasks, short_tasks);

	s = repro_claim(r, "Accuracy of a short queue", NULL);
	repro_judge(r, s,
		"With few tasks in the queue the controller cannot lock the front of the queue, "
		"and accuracy decreases to 50 %.",
		isfinite(few_tasks), few_tasks <= 60,
		"Here no worker dequeues before the controller has passed over all initial tasks "
		"once, and a window is locked only while it is written, not while it is sorted.",
		"%u empty tasks: %.1f %% of the pairs in order (criterion: at most 60 %%)",
		(uint32_t)g->x[0], few_tasks);
}

/* Measures the latencies of the device, once; the table is empty after an error or a signal. */
static const lat_table *latencies(repro *r)
{
	lat_table *t = repro_alloc(r, sizeof(*t));
	const uint32_t samples = repro_pick(r, 20, 1000, 10000);
	gs_options o = *r->o;
	char msg[600], name[200];

	if (r->latencies || stop_signal())
		return r->latencies ? r->latencies : t;
	r->latencies = t;
	o.backend = (int)r->backend;
	log_print(r->log, LOG_LEVEL_INFO, "gsched latency -n %u", samples);
	if (measure_latencies(&o, samples, t, name, sizeof(name), msg, sizeof(msg)) < 0) {
		log_print(r->log, LOG_LEVEL_ERROR, "%s", msg);
		t->count = 0;
		r->failed = 1;
	}
	return t;
}

/* Returns the median of a latency in us, or NaN. */
static double median_us(const lat_table *t, const char *name)
{
	const lat_figure *f = lat_find(t, name);

	return f ? f->median : NAN;
}

/* The times of the paper are those of a round trip of 8 bytes, of an empty job in a running kernel,
 * and of a launch with the wait for its end. */
static void section_6_1(repro *r)
{
	static const struct {
		const char *name, *paper;
	} rows[] = { { "round-trip", "20.8" }, { "run", "21" }, { "launch", "47" } };
	const lat_table *t = latencies(r);
	const double message = median_us(t, "round-trip"), launch = median_us(t, "launch");
	report_section *s = repro_section(r, "Latency of a message, a run and a launch",
		"Steinberger et al. 2012 (Softshell), section 6.1");
	repro_cells *cells =
		repro_table(r, s, "Latencies in us", "latency|median|99 %|least|paper, median");

	s->text = "The paper compares a message to the running kernel, an empty job in it, and a "
		  "launch. Here a job is a run of one empty task, which begins with a launch; on "
		  "the CPU a message goes to a thread, and a launch is the start of a thread.";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const lat_figure *f = lat_find(t, rows[i].name);

		if (!f)
			continue;
		repro_cell(r, cells, "%s", f->what);
		repro_cell(r, cells, "%.2f", f->median);
		repro_cell(r, cells, "%.2f", f->p99);
		repro_cell(r, cells, "%.2f", f->least);
		repro_cell(r, cells, "%s", rows[i].paper);
	}
	repro_judge(r, s,
		"A message to a running kernel and its answer take significantly less time than a "
		"launch and the wait for its end.",
		isfinite(message) && isfinite(launch), message <= 0.5 * launch,
		"A launch took 47 us in 2012; launches have become faster since then by more than "
		"accesses to the memory of the host.",
		"message and answer %.2f us, launch and wait %.2f us: %.2f times (paper: 21 us, 47 "
		"us, 0.45 times; criterion: at most half)",
		message, launch, message / launch);
}

const char *repro_costs(repro *r, const char *explanation)
{
	static const char *const names[] = { "ring", "block" };
	double ns[2];

	for (size_t q = 0; q < 2 && !r->costs; q++) {
		const gs_row *row = repro_row(repro_run(r,
						      "queue --latency --lanes 1 --rounds 50 "
						      "--workers %u --queue %s -r 3",
						      r->few_workers, names[q]),
			names[q], 0);

		ns[q] = row ? row->push_ns : NAN;
	}
	if (!r->costs)
		r->costs = repro_text(r,
			"On this machine a launch with the wait for its end takes %.1f us, an "
			"enqueue by %u workers at once %.0f ns without a lock (ring) and %.0f ns "
			"with one (block).",
			median_us(latencies(r), "launch"), r->few_workers, ns[0], ns[1]);
	return repro_text(r, "%s %s", explanation, r->costs);
}

void repro_softshell(repro *r)
{
	figure_6(r);
	figure_7(r);
	section_6_1(r);
	repro_lod(r);
	repro_trace(r);
	repro_hull(r);
	repro_x3d(r);
	repro_code(r);
}
