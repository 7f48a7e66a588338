/* Steinberger et al.: Softshell (2012). Figure 6, what an operation of a queue takes: its monolithic queue
 * gives out places by counters and marks slots as ready, as ring does, which stands for it. */
#include "apps/gsched/repro.h"

#include <math.h>

static const char *const queues[] = { "ring", "block", "dist", "steal", "abp", "donate" };
enum { QUEUES = sizeof(queues) / sizeof(queues[0]), MOST = 8 };

/* Worker numbers, each four times the one before, up to all. */
static const char *worker_list(repro *r, size_t *count)
{
	const uint32_t most = r->backend == SCHED_BACKEND_CUDA ? r->few * 32 : 2 * r->few;
	const char *list = "1";

	*count = 1;
	for (uint32_t n = r->backend == SCHED_BACKEND_CUDA ? 33 : 2; n <= most && *count < MOST;
		n *= r->backend == SCHED_BACKEND_CUDA ? 4 : 2) {
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
		repro_pick(r, 20, 3000, 50), list, repro_pick(r, 1, 5, 3));
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
		"time. On the CPU the clock itself takes some 20 ns, and more workers than "
		"processors wait for each other.";
	repro_grid_show(r, s, in, "Putting an item in");
	repro_grid_show(r, s, out, "Taking an item out");
	lock = in->y[1][last] / in->y[0][last];
	repro_judge(r, s,
		"A single queue without a lock is magnitudes faster than the single queue with a "
		"lock of "
		"2010.",
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
		"the "
		"bins' memory is cached, that is the cheapest there is.",
		"putting in with %.0f workers: ring %.0f ns, steal %.0f, donate %.0f", in->x[last],
		in->y[0][last], in->y[3][last], in->y[5][last]);

	slope = (in->y[0][last] - in->y[0][0]) / (in->x[last] - in->x[0]);
	s = repro_claim(r, "Growth with the number of those who call", NULL);
	repro_judge(r, s,
		"Each further thread adds only a little (2.5 ns) to the time of putting an item "
		"in.",
		isfinite(slope), slope <= 2.5,
		"More workers than processors wait for each other's turn on the CPU.",
		"ring: %.0f ns with 1 worker, %.0f ns with %.0f: %.2f ns a worker (2.5 would hold)",
		in->y[0][0], in->y[0][last], in->x[last], slope);
}

void repro_softshell(repro *r)
{
	figure_6(r);
}
