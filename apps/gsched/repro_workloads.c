/* Figures of the papers of 2009 and 2011 by the applications themselves: quicksort and an octree
 * (workloads/). Every item passes through the queue, as in the papers. */
#include "apps/gsched/repro.h"
#include "apps/gsched/repro_lines.h"

#include <math.h>
#include <string.h>

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
		repro_costs(r,
			"A launch a round costs more than queue operations do now, and the last "
			"items of a round are waited for."),
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

static void judge_memory(repro *r, const repro_grid *memory, size_t last)
{
	report_section *s = repro_claim(r, "Memory over the size of an octree", NULL);
	const double growth[2] = { memory->y[0][last] / memory->y[0][0],
		memory->y[1][last] / memory->y[1][0] };

	repro_judge(r, s,
		"The memory of stealing stays about the same, while that of the static scheme "
		"grows quickly.",
		r->scale == REPRO_FULL && isfinite(growth[0]) && isfinite(growth[1]),
		growth[1] <= 2 && growth[0] >= 4 * growth[1],
		"The number of items in a deque grows with the levels of the tree.",
		"from %g to %g million particles: static %.1f times the memory, stealing %.1f "
		"times (paper: from 1 to 15 million; criterion: at most 2 times and a quarter of "
		"the "
		"static scheme)",
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

/* Judges whether the program by tasks is the longer one, as in the paper. */
static void judge_lines(
	repro *r, report_section *s, const char *workload, const char *claim, int longer)
{
	for (size_t i = 0; i < sizeof(repro_code_lines) / sizeof(repro_code_lines[0]); i++) {
		const unsigned tasks = repro_code_lines[i].tasks,
			       plain = repro_code_lines[i].shared + repro_code_lines[i].plain;

		if (strcmp(repro_code_lines[i].name, workload) == 0)
			repro_judge(r, s, claim, 1, longer ? tasks > plain : tasks < plain,
				"The text of the tasks also serves CPU threads, and has a list of "
				"first nodes, which the kernels lack.",
				"%u lines by tasks, %u without", tasks, plain);
	}
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
	s->text = "The text of the tasks serves CPU threads and GPUs, the program without tasks "
		  "only GPUs.";
	judge_lines(r, s, "lod",
		"A simplification has fewer lines by tasks (184) than by kernels (213).", 0);
	judge_lines(r, repro_claim(r, "Lines of code: path tracing", NULL), "trace",
		"A path tracer has more lines by tasks (95) than as one kernel (54).", 1);
}
