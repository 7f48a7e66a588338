/* Lauterbach, Mo, Manocha: Work distribution methods on GPUs (2009). The generic recursion kernel under
 * the four methods: a global work queue, work stealing, compaction and lightweight balancing. */
#include "apps/gsched/repro.h"

#include <inttypes.h>
#include <math.h>

static const char *const queues[] = { "block", "abp", "compact", "balance", "ring" };
static const char *const methods[] = { "work queue (block)", "work stealing (abp)", "compaction",
	"balancing", "ring (not in the paper)" };
enum { METHODS = sizeof(queues) / sizeof(queues[0]), PAPERS = 4 };
#define QUEUE_LIST "block,abp,compact,balance,ring"

static void put(repro_grid *g, const gs_table *t, double x, int rate)
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

/* The slowest of the paper's methods by the fastest, at a point. */
static double spread(const repro_grid *g, size_t point, size_t *fastest)
{
	double low = INFINITY, high = 0;

	for (size_t q = 0; q < PAPERS; q++) {
		const double v = g->y[q][point];

		if (!(v >= low))
			*fastest = q;
		low = fmin(low, v);
		high = fmax(high, v);
	}
	return high / low;
}

static void over_work(repro *r)
{
	static const uint32_t steps[] = { 1, 3, 10, 30, 100, 300, 1000 };
	const size_t n = r->scale == REPRO_FULL ? 7 : r->scale == REPRO_SMALL ? 6 : 2;
	report_section *s = repro_section(r, "The recursion kernel over the work of a unit",
		"Lauterbach, Mo, Manocha 2009, section 5.3");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double wide, narrow, free_until = 0;
	size_t fastest = 0, ignored = 0;

	*g = (repro_grid){ .x_label = "steps of work a unit",
		.y_label = "ms",
		.x_scale = CHART_LOG10,
		.y_scale = CHART_LOG10,
		.lines = METHODS };
	for (size_t i = 0; i < n; i++) {
		const gs_table *t = repro_run(r,
			"recurse -t 3 -p 0.3 --levels %u -w %u --seed 7 --workers %u "
			"--queue " QUEUE_LIST " --never-keep -r %u",
			repro_pick(r, 5, 15, 15), steps[i], r->all_workers, repro_pick(r, 1, 5, 3));

		put(g, t, steps[i], 0);
	}
	s->text =
		"A unit does w steps of work and makes t = 3 units, unless it ends, with "
		"probability 0.3 or at the last level. Every unit goes through the queue. The tree "
		"is the same in all runs. The paper's figures 5 and 6 time programs that are built "
		"on this, hierarchies of bounding volumes and Quicksort, which are not here.";
	repro_grid_show(r, s, g, "Time over the work of a unit");
	wide = spread(g, 0, &fastest);
	narrow = spread(g, g->points - 1, &ignored);
	repro_judge(r, s, "More work in a unit makes the method of distribution matter less.",
		isfinite(wide) && isfinite(narrow), narrow < wide, NULL,
		"slowest by fastest of the four methods: %.2f at w = 1, %.2f at w = %.0f", wide,
		narrow, g->x[g->points - 1]);

	s = repro_claim(r, "Balancing for small units", NULL);
	repro_judge(r, s, "For small units of work lightweight balancing is the fastest method.",
		isfinite(wide), fastest == 3,
		"Ending a launch to balance costs as many microseconds as thousands of operations "
		"on a queue, and queues without locks have become cheap: the reason for balancing, "
		"that communication between processors was slow, has gone.",
		"at w = 1: %s is the fastest; work queue %.4f ms, stealing %.4f, compaction %.4f, "
		"balancing %.4f",
		methods[fastest], g->y[0][0], g->y[1][0], g->y[2][0], g->y[3][0]);

	for (size_t i = 0; i < g->points; i++)
		if (g->y[1][i] <= 1.1 * g->y[1][0])
			free_until = g->x[i];
	s = repro_claim(r, "Work that costs nothing", NULL);
	repro_judge(r, s,
		"Up to some w additional work is nearly free, since distribution takes the time.",
		isfinite(g->y[1][0]), free_until > 1,
		"Operations of the queues are so short here that even the least work shows.",
		"with stealing, w up to %.0f takes at most 10 %% more time than w = 1", free_until);
}

static void over_size(repro *r)
{
	const uint32_t last = repro_pick(r, 6, 15, 17), from = repro_pick(r, 4, 9, 9);
	report_section *s = repro_section(r, "The recursion kernel over the size of the tree",
		"Lauterbach, Mo, Manocha 2009, section 5.3");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double grown[METHODS], others = INFINITY;

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

		put(g, t, (double)t->expected, 1);
	}
	s->text = "The same kernel with w = 10 and more and more levels.";
	repro_grid_show(r, s, g, "Rate over the size of the tree");
	for (size_t q = 0; q < METHODS; q++)
		grown[q] = g->points ? g->y[q][g->points - 1] / g->y[q][0] : NAN;
	for (size_t q = 0; q < PAPERS; q++)
		if (q != 2)
			others = fmin(others, grown[q]);
	repro_judge(r, s, "All methods but compaction scale well with the amount of work.",
		isfinite(others) && isfinite(grown[2]), others >= grown[2] && others >= 1,
		"Compaction works off the tree level by level, and its two launches a level weigh "
		"less the wider the levels are: it gains most from a larger tree. A queue with one "
		"lock is as fast as its lock however much there is to do.",
		"rate at the largest tree by rate at the smallest: work queue %.2f, stealing %.2f, "
		"compaction %.2f, balancing %.2f",
		grown[0], grown[1], grown[2], grown[3]);

	s = repro_claim(r, "Compaction against balancing", NULL);
	repro_judge(r, s,
		"Balancing is faster than compaction (5 to 13 % in the construction of "
		"hierarchies, more where units are small).",
		g->points && isfinite(g->y[3][g->points - 1]) && isfinite(g->y[2][g->points - 1]),
		g->points && g->y[3][g->points - 1] > g->y[2][g->points - 1],
		"The levels of this tree are wide enough to fill the machine, which is the best "
		"case of compaction: dense arrays, dealt out evenly, without any operation on "
		"shared words.",
		"at the largest tree: balancing %.3g units/s, compaction %.3g",
		g->points ? g->y[3][g->points - 1] : NAN, g->points ? g->y[2][g->points - 1] : NAN);
}

/* The paper's kernel gives each vector lane a unit of its own; chunks of 32 units go through the queue. */
static void grains(repro *r)
{
	static const char *const names[] = { "task", "warp", "lane" };
	report_section *s = repro_section(
		r, "A unit for each vector lane", "Lauterbach, Mo, Manocha 2009, section 4.4");
	repro_cells *c = repro_table(r, s, "Units a second, w = 10",
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
	s->text = "The paper's kernel has a unit for each lane. task: a unit is run by a warp and "
		  "goes through the queue by itself. warp, lane: units wait in fast memory and go "
		  "through the queue 32 at once; a lane runs a unit alone, 32 side by side (on the "
		  "CPU a worker has one lane).";
}

void repro_2009(repro *r)
{
	over_work(r);
	over_size(r);
	grains(r);
}
