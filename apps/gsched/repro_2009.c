/* Lauterbach, Mo, Manocha: Work distribution methods on GPUs (2009). The generic recursion
 * kernel with the four methods: a global work queue, work stealing, compaction and lightweight
 * balancing. */
#include "apps/gsched/repro.h"

#include <inttypes.h>
#include <math.h>

static const char *const queues[] = { "block", "abp", "compact", "balance", "ring" };
static const char *const methods[] = { "work queue (block)", "work stealing (abp)", "compaction",
	"balancing", "ring (not in the paper)" };
enum { METHODS = sizeof(queues) / sizeof(queues[0]), PAPER_METHODS = 4 };
#define QUEUE_LIST "block,abp,compact,balance,ring"

/* Adds a point with the time or the rate of each method. */
static void add_point(repro_grid *g, const gs_table *t, double x, int rate)
{
	g->x[g->points] = x;
	for (size_t q = 0; q < METHODS; q++) {
		const gs_row *row = repro_row(t, queues[q], 0);

		g->names[q] = methods[q];
		g->y[q][g->points] = !row   ? NAN
				     : rate ? row_rate(row)
					    : (double)row->median_ns * 1e-6;
	}
	g->points++;
}

/* Returns the time of the slowest method of the paper divided by that of the fastest, at a
 * point. */
static double spread(const repro_grid *g, size_t point, size_t *fastest)
{
	double low = INFINITY, high = 0;

	for (size_t q = 0; q < PAPER_METHODS; q++) {
		const double v = g->y[q][point];

		if (!(v >= low))
			*fastest = q;
		low = fmin(low, v);
		high = fmax(high, v);
	}
	return high / low;
}

static void vary_work(repro *r)
{
	static const uint32_t steps[] = { 1, 3, 10, 30, 100, 300, 1000 };
	const size_t n = r->scale == REPRO_FULL ? 7 : r->scale == REPRO_SMALL ? 6 : 2;
	report_section *s = repro_section(
		r, "Recursion kernel: work per unit", "Lauterbach, Mo, Manocha 2009, section 5.3");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double ratio_first, ratio_last, free_until = 0;
	size_t fastest = 0, ignored = 0;

	*g = (repro_grid){ .x_label = "steps of work per unit",
		.y_label = "ms",
		.x_scale = CHART_LOG10,
		.y_scale = CHART_LOG10,
		.lines = METHODS };
	for (size_t i = 0; i < n; i++) {
		const gs_table *t = repro_run(r,
			"recurse -t 3 -p 0.3 --levels %u -w %u --seed 7 --workers %u "
			"--queue " QUEUE_LIST " --never-keep -r %u",
			repro_pick(r, 5, 15, 15), steps[i], r->all_workers, repro_pick(r, 1, 5, 3));

		add_point(g, t, steps[i], 0);
	}
	s->text = "A unit executes w steps of work and spawns t = 3 units, except with probability "
		  "0.3 or at the last level. Every unit is enqueued. The tree is the same in all "
		  "runs.";
	repro_grid_show(r, s, g, "Time over the work per unit");
	ratio_first = spread(g, 0, &fastest);
	ratio_last = spread(g, g->points - 1, &ignored);
	repro_judge(r, s, "The more work a unit has, the less the method matters.",
		isfinite(ratio_first) && isfinite(ratio_last), ratio_last < ratio_first, NULL,
		"slowest divided by fastest of the four methods: %.2f at w = 1, %.2f at w = %.0f "
		"(criterion: a smaller ratio)",
		ratio_first, ratio_last, g->x[g->points - 1]);

	s = repro_claim(r, "Balancing with small units", NULL);
	repro_judge(r, s, "With small units of work lightweight balancing is the fastest method.",
		isfinite(ratio_first), fastest == 3,
		repro_costs(r,
			"Balancing ends a launch, and queues without locks have become fast; it "
			"was designed for processors with slow communication."),
		"at w = 1: %s is the fastest; work queue %.4f ms, stealing %.4f ms, compaction "
		"%.4f ms, balancing %.4f ms",
		methods[fastest], g->y[0][0], g->y[1][0], g->y[2][0], g->y[3][0]);

	for (size_t i = 0; i < g->points; i++)
		if (g->y[1][i] <= 1.1 * g->y[1][0])
			free_until = g->x[i];
	s = repro_claim(r, "Work that takes no extra time", NULL);
	repro_judge(r, s,
		"Up to some w additional work takes almost no extra time, because distribution "
		"dominates.",
		isfinite(g->y[1][0]), free_until > 1,
		repro_costs(r, "Queue operations are so short here that even one more step is "
			       "measurable."),
		"with stealing, w up to %.0f takes at most 10 %% more time than w = 1 (criterion: "
		"w > 1)",
		free_until);
}

static void vary_size(repro *r)
{
	const uint32_t last = repro_pick(r, 6, 15, 17), from = repro_pick(r, 4, 9, 9);
	report_section *s = repro_section(r, "Recursion kernel: size of the tree",
		"Lauterbach, Mo, Manocha 2009, section 5.3");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double growth[METHODS], others = INFINITY;

	*g = (repro_grid){ .x_label = "units",
		.y_label = "units/s",
		.x_scale = CHART_LOG10,
		.y_scale = CHART_LOG10,
		.lines = METHODS };
	for (uint32_t levels = from; levels <= last; levels += 2) {
		const gs_table *t = repro_run(r,
			"recurse -t 3 -p 0.3 --levels %u -w 10 --seed 7 --workers %u "
			"--queue " QUEUE_LIST " --never-keep -r %u",
			levels, r->all_workers, repro_pick(r, 1, 7, 3));

		add_point(g, t, (double)t->expected, 1);
	}
	s->text = "The same kernel with w = 10 and an increasing number of levels.";
	repro_grid_show(r, s, g, "Rate over the size of the tree");
	for (size_t q = 0; q < METHODS; q++)
		growth[q] = g->points ? g->y[q][g->points - 1] / g->y[q][0] : NAN;
	for (size_t q = 0; q < PAPER_METHODS; q++)
		if (q != 2)
			others = fmin(others, growth[q]);
	repro_judge(r, s,
		"The rate of all methods except compaction grows with the amount of work.",
		isfinite(others) && isfinite(growth[2]), others >= growth[2] && others >= 1,
		repro_costs(r,
			"The cost of compaction's two launches a level matters less when levels "
			"are wide, so that it gains most from a larger tree; the rate of a queue "
			"with one lock is limited by the lock for trees of any size."),
		"rate with the largest tree divided by the rate with the smallest: work queue "
		"%.2f, stealing %.2f, compaction %.2f, balancing %.2f (criterion: no other method "
		"below compaction or below 1)",
		growth[0], growth[1], growth[2], growth[3]);

	s = repro_claim(r, "Compaction against balancing", NULL);
	repro_judge(r, s,
		"Balancing is faster than compaction (by 5 to 13 % in the construction of "
		"hierarchies, by more with small units).",
		g->points && isfinite(g->y[3][g->points - 1]) && isfinite(g->y[2][g->points - 1]),
		g->points && g->y[3][g->points - 1] > g->y[2][g->points - 1],
		"The levels of this tree are wide enough to fill the machine, which is the best "
		"case of compaction: dense arrays, distributed evenly, without atomic operations.",
		"with the largest tree: balancing %.3g units/s, compaction %.3g units/s",
		g->points ? g->y[3][g->points - 1] : NAN, g->points ? g->y[2][g->points - 1] : NAN);
}

/* Compares the grains: in the paper's kernel each vector lane executes a unit. */
static void compare_grains(repro *r)
{
	static const char *const names[] = { "task", "warp", "lane" };
	report_section *s = repro_section(
		r, "One unit per vector lane", "Lauterbach, Mo, Manocha 2009, section 4.4");
	repro_cells *c = repro_table(r, s, "Units per second, w = 10",
		"grain|work queue (block)|work stealing (abp)|compaction|balancing|ring");

	for (size_t i = 0; i < 3; i++) {
		const gs_table *t = repro_run(r,
			"recurse -g %s -t 3 -p 0.3 --levels %u -w 10 --seed 7 --workers %u "
			"--queue " QUEUE_LIST " -r %u",
			names[i], repro_pick(r, 5, 15, 15), r->all_workers, repro_pick(r, 1, 7, 3));

		repro_cell(r, c, "%s", names[i]);
		for (size_t q = 0; q < METHODS; q++) {
			const gs_row *row = repro_row(t, queues[q], 0);

			repro_cell(r, c, "%.3g", row ? row_rate(row) : NAN);
		}
	}
	s->text = "In the paper's kernel each lane executes a unit. task: a worker (on the GPU a "
		  "warp) executes a unit, and each unit is enqueued by itself. warp, lane: units "
		  "wait in fast memory and are enqueued in chunks of 32; a warp executes one unit, "
		  "or each lane one (on the CPU a worker has one lane).";
}

void repro_2009(repro *r)
{
	vary_work(r);
	vary_size(r);
	compare_grains(r);
	repro_hierarchies(r);
	repro_collisions(r);
	repro_quicksort(r);
}
