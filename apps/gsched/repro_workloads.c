/* Figures of the papers of 2009 and 2011 by the applications themselves: quicksort, bounding volume
 * hierarchies, an octree (workloads/). Every item passes through the queue, as in the papers. */
#include "apps/gsched/repro.h"
#include "apps/gsched/repro_lines.h"

#include <math.h>

static const char *const queues[] = { "block", "abp", "compact", "balance", "ring", "plain" };
static const char *const methods[] = { "work queue (block)", "work stealing (abp)", "compaction",
	"balancing", "ring (not in the paper)", "without tasks" };
enum { BLOCK, ABP, COMPACT, BALANCE, RING, PLAIN, METHODS };
#define QUEUE_LIST "block,abp,compact,balance,ring"

/* Adds a point with the time of each method. */
static void add_times(repro_grid *g, const gs_table *t, double x)
{
	g->x[g->points] = x;
	for (size_t q = 0; q < METHODS; q++) {
		g->names[q] = methods[q];
		g->y[q][g->points] = repro_ms(t, queues[q]);
	}
	g->points++;
}

static repro_grid *time_grid(repro *r, const char *x_label)
{
	repro_grid *g = repro_alloc(r, sizeof(*g));

	*g = (repro_grid){ .x_label = x_label,
		.y_label = "ms",
		.x_scale = CHART_LOG10,
		.y_scale = CHART_LOG10,
		.lines = METHODS };
	return g;
}

void repro_quicksort(repro *r)
{
	static const uint32_t keys[] = { 30000, 100000, 1000000, 10000000, 100000000 };
	const size_t n = r->scale == REPRO_FULL ? 5 : r->scale == REPRO_SMALL ? 4 : 1;
	report_section *s = repro_section(
		r, "Quicksort", "Lauterbach, Mo, Manocha 2009, section 4.2, figure 6");
	repro_grid *g = time_grid(r, "keys");
	const size_t first = r->scale == REPRO_TINY ? 0 : 1;
	double tasks = INFINITY;
	size_t last;

	for (size_t i = first; i < n; i++)
		add_times(g,
			repro_run(r, "run sort -n %u --queue " QUEUE_LIST " --never-keep -r %u",
				keys[i], repro_pick(r, 1, 3, 5)),
			keys[i]);
	last = g->points - 1;
	for (size_t q = BLOCK; q <= BALANCE; q++)
		tasks = fmin(tasks, g->y[q][last]);
	s->text = "Random 32-bit keys. A tile of 32 KB and a range that fits into a block's fast "
		  "memory are an item each, and every item is enqueued. Without tasks: a radix "
		  "sort (on CPUs a quicksort of one thread).";
	repro_grid_show(r, s, g, "Time over the number of keys");
	repro_judge(r, s, "Balancing is the fastest of the four methods.", isfinite(tasks),
		g->y[BALANCE][last] <= tasks,
		"A launch a round costs more than queue operations do now, and the last items of a "
		"round are waited for.",
		"%.0f keys: work queue %.3f ms, stealing %.3f, compaction %.3f, balancing %.3f",
		g->x[last], g->y[BLOCK][last], g->y[ABP][last], g->y[COMPACT][last],
		g->y[BALANCE][last]);

	if (r->backend != LSCHED_BACKEND_CUDA)
		return; /* the program without tasks is no radix sort there */
	s = repro_claim(r, "Quicksort and a radix sort", NULL);
	repro_judge(r, s, "Radix sort is faster than quicksort by tasks at all sizes.",
		isfinite(tasks) && isfinite(g->y[PLAIN][last]), g->y[PLAIN][last] < tasks, NULL,
		"%.0f keys: radix sort %.3f ms, tasks %.3f ms", g->x[last], g->y[PLAIN][last],
		tasks);
}

/* The balancing's gain over compaction. */
static double gain_of(const repro_grid *g, size_t point)
{
	return g->y[COMPACT][point] / g->y[BALANCE][point] - 1;
}

void repro_hierarchies(repro *r)
{
	static const struct {
		const char *arguments, *name;
	} scene[] = { { "--shape cloth -n 92K", "cloth, 92 K triangles" },
		{ "--shape tori -n 49K", "tori, 49 K triangles" },
		{ "--shape random -n 146K", "random, 146 K triangles" } };
	report_section *s = repro_section(r, "Bounding volume hierarchies",
		"Lauterbach, Mo, Manocha 2009, section 4.1, figure 5");
	repro_cells *c = repro_table(r, s, "Milliseconds for the construction",
		"scene|work queue (block)|work stealing (abp)|compaction|balancing|ring|without "
		"tasks");
	const size_t scenes = r->scale == REPRO_TINY ? 1 : 3;
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < scenes; i++) {
		repro_grid g = { 0 };

		add_times(&g,
			repro_run(r, "run bvh %s --queue " QUEUE_LIST " --never-keep -r %u",
				r->scale == REPRO_TINY ? "-n 2K" : scene[i].arguments,
				repro_pick(r, 1, 3, 9)),
			1);
		repro_cell(r, c, "%s",
			r->scale == REPRO_TINY ? "cloth, 2 K triangles" : scene[i].name);
		for (size_t q = 0; q < METHODS; q++)
			repro_cell(r, c, "%.3f", g.y[q][0]);
		least = fmin(least, gain_of(&g, 0));
		most = fmax(most, gain_of(&g, 0));
	}
	s->text =
		"Top-down construction by the surface area heuristic: a tile of a large range "
		"and a range that fits into fast memory are an item each, and every item is "
		"enqueued. Generated scenes of the paper's sizes: two of its four are not public.";
	repro_judge(r, s, "Balancing is 5 to 13 % faster than compaction.",
		isfinite(least) && isfinite(most), least >= 0.05 && most <= 0.13,
		"Compaction writes an array of all items in each round; with few and large items "
		"that costs little.",
		"compaction takes %+.0f to %+.0f %% more time than balancing (criterion: 5 to 13 "
		"%%)",
		100 * least, 100 * most);
}

static void judge_memory(repro *r, const repro_grid *memory, size_t last)
{
	report_section *s = repro_claim(r, "Memory over the size of an octree", NULL);
	const double growth[2] = { memory->y[0][last] / memory->y[0][0],
		memory->y[1][last] / memory->y[1][0] };

	repro_judge(r, s,
		"The memory of stealing stays about the same, while that of the static scheme "
		"grows quickly.",
		isfinite(growth[0]) && isfinite(growth[1]),
		growth[1] <= 2 && growth[0] >= 4 * growth[1],
		"The number of items in a deque grows with the levels of the tree.",
		"from %g to %g million particles: static %.1f times the memory, stealing %.1f "
		"times (criterion: at most 2 times and a quarter of the static scheme)",
		memory->x[0], memory->x[last], growth[0], growth[1]);
}

void repro_octree(repro *r)
{
	static const uint32_t million[] = { 1, 2, 4, 8, 15 };
	const size_t points = r->scale == REPRO_FULL ? 5 : 2;
	report_section *s = repro_section(
		r, "An octree with both schemes", "Cederman, Tsigas 2011, figure 35.11");
	repro_grid *rate = repro_alloc(r, sizeof(*rate)), *memory = repro_alloc(r, sizeof(*memory));
	double gain = NAN;
	size_t last;

	*rate = (repro_grid){ .x_label = "million particles",
		.y_label = "particles/ms",
		.lines = 2,
		.names = { "static (relaunch)", "dynamic (abp)" } };
	*memory = *rate;
	memory->y_label = "memory (tasks)";
	memory->y_scale = CHART_LOG10;
	for (size_t k = 0; k < points; k++) {
		const uint32_t n = million[k] * (r->scale == REPRO_TINY ? 20000u : 1000000u);
		const gs_table *t = repro_run(r,
			"run octree -n %u --queue relaunch,abp --never-keep --no-plain -r %u", n,
			repro_pick(r, 1, 3, 5));
		const gs_row *row[2] = { repro_row(t, "relaunch", 0), repro_row(t, "abp", 0) };

		rate->x[k] = memory->x[k] = n * 1e-6;
		for (size_t i = 0; i < 2; i++) {
			rate->y[i][k] = row[i] ? n / ((double)row[i]->median_ns * 1e-6) : NAN;
			memory->y[i][k] = row[i] ? (double)row[i]->stats.queue_high_water *
							   (i ? row[i]->stats.workers : 1)
						 : NAN;
		}
		gain = rate->y[1][k] / rate->y[0][k];
		rate->points = memory->points = k + 1;
	}
	last = points - 1;
	s->text = "Uniform particles; a cell with more than 64 is divided. Every item is "
		  "enqueued. Memory of the dynamic scheme is the high-water mark of a deque times "
		  "the number of workers, as in the chapter.";
	repro_grid_show(r, s, rate, "Particles per millisecond");
	repro_grid_show(r, s, memory, "Memory for tasks");
	repro_judge(r, s,
		"On an octree stealing is slightly faster than the static scheme, by 10 to 15 %.",
		isfinite(gain), gain >= 1.05 && gain <= 1.25,
		"A round ends when its longest item ends, and items are long: a block makes the "
		"subtree of 4,096 particles. Stealing does not wait.",
		"%g million particles: %.0f particles/ms with stealing, %.0f static, %+.0f %% "
		"(criterion: 5 to 25 %%)",
		rate->x[last], rate->y[1][last], rate->y[0][last], 100 * (gain - 1));
	judge_memory(r, memory, last);
}

void repro_code(repro *r)
{
	report_section *s = repro_section(
		r, "Lines of code", "Steinberger et al. 2012 (Softshell), section 6.2");
	repro_cells *c = repro_table(r, s, "Lines with more than a comment",
		"workload|text of the tasks|of it in the program without tasks, too|that "
		"program's own");

	for (size_t i = 0; i < sizeof(repro_code_lines) / sizeof(repro_code_lines[0]); i++) {
		repro_cell(r, c, "%s", repro_code_lines[i].name);
		repro_cell(r, c, "%u", repro_code_lines[i].tasks);
		repro_cell(r, c, "%u", repro_code_lines[i].shared);
		repro_cell(r, c, "%u", repro_code_lines[i].plain);
	}
	s->text = "The paper counts 184 lines of a simplification by its scheduler and 213 "
		  "without, 95 and 54 of a path tracer. These are other programs, so there is no "
		  "verdict. The text of the tasks serves CPU threads and GPUs, the program "
		  "without tasks only GPUs.";
}
