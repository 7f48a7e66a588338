/* Steinberger et al.: Softshell (2012). Figure 6, what an operation of a queue takes: its monolithic queue
 * gives out places by counters and marks slots as ready, as ring does, which stands for it. Figure 7,
 * how well the order of tasks follows their priorities. */
#include "apps/gsched/repro.h"

#include <math.h>

static const char *const queues[] = { "ring", "block", "dist", "steal", "abp", "donate" };
enum { QUEUES = sizeof(queues) / sizeof(queues[0]), MOST = 8 };

/* Worker numbers, each four times the one before, up to all. */
static const char *worker_list(repro *r, size_t *count)
{
	const uint32_t most =
		r->backend == LSCHED_BACKEND_CUDA ? r->few_workers * 32 : r->few_workers;
	const char *list = "1";

	*count = 1;
	for (uint32_t n = r->backend == LSCHED_BACKEND_CUDA ? 33 : 2; n <= most && *count < MOST;
		n *= r->backend == LSCHED_BACKEND_CUDA ? 4 : 2) {
		list = repro_text(r, "%s,%u", list, n);
		++*count;
	}
	return list;
}

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

static void figure_6(repro *r)
{
	repro_grid *in = repro_alloc(r, sizeof(*in)), *out = repro_alloc(r, sizeof(*out));
	report_section *s = repro_section(
		r, "Putting in and taking out", "Steinberger et al. 2012 (Softshell), figure 6");
	const gs_table *t;
	double lock, others, slope;
	const char *list;
	size_t count, last;

	list = worker_list(r, &count);
	t = repro_run(r,
		"queue --latency --lanes 1 --rounds %u --workers %s --queue "
		"ring,block,dist,steal,abp,donate -r %u",
		repro_pick(r, 20, 200000, 50), list, repro_pick(r, 1, 5, 3));
	*in = (repro_grid){ .x_label = "workers",
		.y_label = "ns a call",
		.x_scale = CHART_LOG2,
		.y_scale = CHART_LOG10,
		.lines = QUEUES };
	*out = *in;
	fill(in, t, count, 0);
	fill(out, t, count, 1);
	last = count - 1;
	s->text =
		"Every worker puts an item in and takes one out, again and again, all at the same "
		"time. On the CPU the clock itself takes some 20 ns.";
	repro_grid_show(r, s, in, "Putting an item in");
	repro_grid_show(r, s, out, "Taking an item out");
	lock = in->y[1][last] / in->y[0][last];
	repro_judge(r, s,
		"A single queue without a lock is magnitudes faster than the single queue with a "
		"lock of 2010.",
		isfinite(lock), lock >= 10,
		"With few workers a lock is free most of the time, and then costs no more than two "
		"counters.",
		"putting in with %.0f workers: ring %.0f ns, block %.0f ns, %.1f times (10 would "
		"hold)",
		in->x[last], in->y[0][last], in->y[1][last], lock);

	others = fmin(in->y[3][last], in->y[5][last]);
	s = repro_claim(r, "A single queue against distributed ones", NULL);
	repro_judge(r, s,
		"The single queue without a lock is as fast as, or faster than, stealing and "
		"donation.",
		isfinite(others) && isfinite(in->y[0][last]), in->y[0][last] <= 1.1 * others,
		"A worker's own end of a bin needs no operation on a word that all share; since "
		"the bins' memory is cached, that is the cheapest there is.",
		"putting in with %.0f workers: ring %.0f ns, steal %.0f, donate %.0f", in->x[last],
		in->y[0][last], in->y[3][last], in->y[5][last]);

	slope = (in->y[0][last] - in->y[0][0]) / (in->x[last] - in->x[0]);
	s = repro_claim(r, "Growth with the number of those who call", NULL);
	repro_judge(r, s,
		"Each further thread adds only a little (2.5 ns) to the time of putting an item "
		"in.",
		isfinite(slope), slope <= 2.5,
		"The counters of a ring are words that all workers write: on the CPU each write "
		"takes them from another processor's cache.",
		"ring: %.0f ns with 1 worker, %.0f ns with %.0f: %.2f ns a worker (2.5 would hold)",
		in->y[0][0], in->y[0][last], in->x[last], slope);
}

/* Accuracy over the number of tasks, a line for each length. */
static void figure_7(repro *r)
{
	static const uint32_t tasks[] = { 100, 300, 1000, 3000, 10000, 30000 };
	static const uint32_t parts[] = { 0, 10, 1 }; /* lengths: empty, a tenth, the longest */
	const size_t points = r->scale == REPRO_FULL ? 6 : r->scale == REPRO_SMALL ? 4 : 2;
	const uint32_t longest = repro_pick(r, 20, 1000, 5000);
	/* enough for the queue to have a controller of its own */
	const uint32_t workers = r->backend == LSCHED_BACKEND_CUDA ? r->few_workers : 4;
	report_section *s = repro_section(
		r, "Keeping to priorities", "Steinberger et al. 2012 (Softshell), figure 7");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double slow, quick, few_tasks;

	*g = (repro_grid){ .x_label = "tasks",
		.y_label = "pairs in the right order (%)",
		.x_scale = CHART_LOG10,
		.lines = 4 };
	for (size_t i = 0; i < points; i++) {
		g->x[i] = tasks[i];
		for (size_t l = 0; l < 3; l++) {
			const uint32_t steps = parts[l] ? longest / parts[l] : 0;
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
	s->text = repro_text(r,
		"Tasks with random priorities that are all there at the start, %u workers, one in "
		"so many of which sorts only. Of all pairs of tasks, how many came in the order of "
		"their priorities; 50 %% is no order.",
		workers);
	repro_grid_show(r, s, g, "Scheduling accuracy");
	slow = g->y[2][points - 1];
	quick = g->y[0][points - 1];
	few_tasks = g->y[0][0];
	repro_judge(r, s,
		"Long tasks are scheduled in the order of their priorities; for short ones sorting "
		"cannot keep up.",
		isfinite(slow) && isfinite(quick), slow >= 90 && quick < slow,
		"Sorting keeps up with the shortest tasks as well, or the longest here are still "
		"too short for it.",
		"%u tasks: %.1f %% of the pairs in order with the longest tasks (90 would hold), "
		"%.1f %% with empty ones",
		tasks[points - 1], slow, quick);

	s = repro_claim(r, "A short queue cannot be sorted", NULL);
	repro_judge(r, s,
		"With few tasks in the queue the controller cannot get hold of its front, and "
		"accuracy drops to 50 %.",
		isfinite(few_tasks), few_tasks <= 60,
		"Here nobody takes anything before all that was there at the start has been gone "
		"over once, and a window is locked for the writing only, not while it is sorted.",
		"%u empty tasks: %.1f %% of the pairs in order (60 would hold)", tasks[0],
		few_tasks);
}

void repro_softshell(repro *r)
{
	figure_6(r);
	figure_7(r);
}
