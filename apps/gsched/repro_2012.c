/* Tzeng, Lloyd, Owens: A GPU Task-Parallel Model with Dependency Resolution (2012). Its synthetic
 * load: figures 2, 3 and 4. repro_encoder.c has table 1. */
#include "apps/gsched/repro.h"

#include <math.h>

/* Returns the limited number of workers: at most 15, as in the paper. */
static uint32_t limited_workers(const repro *r)
{
	return r->few_workers < 15 ? r->few_workers : 15;
}

/* Returns the mean length of a task. Full size: 8 times the paper's base count of 500 steps. */
static uint32_t mean_work(const repro *r)
{
	return repro_pick(r, 16, 2000, 4000);
}

/* Returns the size of one of the paper's graphs, or of a smaller one for tests. */
static const char *graph(const repro *r, int large)
{
	if (r->scale == REPRO_TINY)
		return large ? "12x9" : "8x6";
	return large ? "80x45" : "40x23";
}

static double idle_of(const gs_table *t, const char *name)
{
	const gs_row *row = repro_row(t, name, 0);

	return row ? row_idle(row) * 100 : NAN;
}

/* Measures the three schemes with 1 and 4 slices: ms and idle time in per cent, [slices][scheme].
 * Adds a table and timelines to the section. */
static void measure_figure_2(repro *r, report_section *s, double ms[2][3], double idle[2][3])
{
	static const char *const names[] = { "sync", "static", "ring" };
	repro_cells *c = repro_table(r, s, repro_text(r, "Graph %s, lengths 1 to 16", graph(r, 0)),
		"slices|sync, ms|static, ms|dynamic, ms|sync idle, %|static idle, %|dynamic idle, "
		"%");

	for (int k = 0; k < 2; k++) {
		const uint32_t slices = k ? 4 : 1;
		const gs_table *t = repro_run(r,
			"wavefront --size %s --slices %u -w %u --law paper --seed 2 --workers %u "
			"--queue ring --sched sync,static,dynamic -r %u",
			graph(r, 0), slices, mean_work(r), limited_workers(r),
			repro_pick(r, 1, 5, 11));

		repro_cell(r, c, "%u", slices);
		for (int i = 0; i < 3; i++) {
			ms[k][i] = repro_ms(t, names[i]);
			idle[k][i] = idle_of(t, names[i]);
			repro_cell(r, c, "%.3f", ms[k][i]);
		}
		for (int i = 0; i < 3; i++)
			repro_cell(r, c, "%.2f", idle[k][i]);
		repro_timelines(r, s, t,
			repro_text(r, "Graph %s, %u slice%s", graph(r, 0), slices,
				slices == 1 ? "" : "s"));
	}
}

static void figure_2(repro *r)
{
	report_section *s = repro_section(
		r, "Timelines of three schemes", "Tzeng, Lloyd, Owens 2012, figure 2");
	double ms[2][3], idle[2][3];

	measure_figure_2(r, s, ms, idle);
	s->text = "A row is a worker, a rectangle is a task, white is waiting time. Lengths are a "
		  "base count times 1 to 16. sync has a barrier (on the GPU: a launch) after each "
		  "wavefront; there its idle time contains only the time inside the launches.";
	repro_judge(r, s,
		"Synchronisation between tasks (static) uses the processors better than a barrier "
		"after each wavefront.",
		isfinite(ms[0][0]) && isfinite(ms[0][1]), ms[0][1] < 0.98 * ms[0][0],
		"With so few workers a wavefront has many tasks per worker, so that its end costs "
		"little time.",
		"1 slice: sync %.3f ms, static %.3f ms (criterion: at least 2 %% less); 4 slices: "
		"sync %.3f ms, static %.3f ms",
		ms[0][0], ms[0][1], ms[1][0], ms[1][1]);

	s = repro_claim(r, "Fewer bubbles with dynamic scheduling", NULL);
	repro_judge(r, s,
		"Dynamic scheduling reduces the bubbles in which workers of the static scheme "
		"wait.",
		isfinite(idle[0][1]) && isfinite(idle[0][2]) && isfinite(idle[1][1]) &&
			isfinite(idle[1][2]),
		idle[0][2] < idle[0][1] && idle[1][2] < idle[1][1],
		"Here static assigns whole rows by tickets. A worker that executes a row from left "
		"to right waits less than one with a fixed set of tasks along a diagonal.",
		"idle time with 1 slice: static %.2f %%, dynamic %.2f %%; with 4 slices: static "
		"%.2f %%, dynamic %.2f %% (criterion: less in both)",
		idle[0][1], idle[0][2], idle[1][1], idle[1][2]);

	s = repro_claim(r, "Slices and utilisation", NULL);
	repro_judge(r, s,
		"More slices improve the utilisation at the beginning and at the end of the run.",
		isfinite(idle[0][1]) && isfinite(idle[1][1]) && isfinite(idle[0][2]) &&
			isfinite(idle[1][2]),
		idle[1][1] < idle[0][1] && idle[1][2] < idle[0][2],
		"With very few workers one slice has enough ready tasks.",
		"idle time with 1 and 4 slices: static %.2f and %.2f %%, dynamic %.2f and %.2f %% "
		"(criterion: less in both)",
		idle[0][1], idle[1][1], idle[0][2], idle[1][2]);
}

static void figure_3(repro *r)
{
	report_section *s = repro_section(
		r, "Timelines with a large graph", "Tzeng, Lloyd, Owens 2012, figure 3");
	const gs_table *t = repro_run(r,
		"wavefront --size %s --slices 4 -w %u --law paper --seed 3 --workers %u --queue "
		"ring --sched static,dynamic -r %u",
		graph(r, 1), mean_work(r), limited_workers(r), repro_pick(r, 1, 5, 11));
	const double fixed = repro_ms(t, "static"), dynamic = repro_ms(t, "ring");

	repro_timelines(r, s, t, repro_text(r, "Graph %s, 4 slices", graph(r, 1)));
	repro_judge(r, s,
		"With a large graph dynamic scheduling finishes at nearly the same time as static.",
		isfinite(fixed) && isfinite(dynamic), fabs(dynamic / fixed - 1) <= 0.05, NULL,
		"static %.3f ms, dynamic %.3f ms, %+.1f %% (criterion: at most 5 %%)", fixed,
		dynamic, (dynamic / fixed - 1) * 100);
}

/* Lines of figure 4, left: graph, lengths, workers. Each has two schemes. */
typedef struct line {
	int large; /* graph */
	const char *law, *text;
	int divisor; /* divisor of the mean length */
	int limited; /* workers as in the paper; 0: all */
} line;

static const line lines[] = {
	{ 1, "paper", "large, random, limited", 1, 1 },
	{ 0, "paper", "small, random, limited", 1, 1 },
	{ 0, "paper", "small, random", 1, 0 },
	{ 0, "fixed", "small, constant", 1, 0 },
	{ 0, "fixed", "small, constant, short", 4, 0 },
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };

enum { SLICES = 4 };
static const uint32_t slices[SLICES] = { 1, 2, 4, 6 };

/* Measures all lines of figure 4, left, in milliseconds over the number of slices. */
static void measure_slices(repro *r, repro_grid *g)
{
	*g = (repro_grid){ .x_label = "slices",
		.y_label = "ms",
		.x_scale = CHART_LOG2,
		.y_scale = CHART_LOG10,
		.lines = 2 * LINES };
	for (size_t i = 0; i < SLICES; i++) {
		g->x[i] = slices[i];
		for (size_t l = 0; l < LINES; l++) {
			const gs_table *t = repro_run(r,
				"wavefront --size %s --slices %u -w %u --law %s --seed 4 --workers "
				"%u --queue ring --sched static,dynamic -r %u",
				graph(r, lines[l].large), slices[i],
				mean_work(r) / (uint32_t)lines[l].divisor, lines[l].law,
				lines[l].limited ? limited_workers(r) : r->all_workers,
				repro_pick(r, 1, 5, 9));

			g->names[2 * l] = repro_text(r, "%s: static", lines[l].text);
			g->names[2 * l + 1] = repro_text(r, "%s: dynamic", lines[l].text);
			g->y[2 * l][i] = repro_ms(t, "static");
			g->y[2 * l + 1][i] = repro_ms(t, "ring");
		}
		g->points++;
	}
}

static void figure_4_left(repro *r)
{
	const size_t last = SLICES - 1;
	report_section *s = repro_section(
		r, "Time over the number of slices", "Tzeng, Lloyd, Owens 2012, figure 4, left");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double gain_random, gain_constant, large_gain;

	measure_slices(r, g);
	s->text = repro_text(r,
		"Graphs of %s (large) and %s (small) tasks. Random lengths are 1 to 16 times a "
		"base count, constant ones 8 times, short ones 2 times. limited: %u workers.",
		graph(r, 1), graph(r, 0), limited_workers(r));
	repro_grid_show(r, s, g, "Time over slices");
	gain_random = g->y[5][0] / g->y[5][last] - 1;
	gain_constant = g->y[7][0] / g->y[7][last] - 1;
	large_gain = g->y[1][0] / g->y[1][last] - 1;
	repro_judge(r, s,
		"Slices improve the performance by up to 98 % with random lengths and 55 % with "
		"constant ones.",
		isfinite(gain_random) && isfinite(gain_constant),
		gain_random >= 0.5 && gain_constant >= 0.3,
		"Slices reduce the time if there are fewer ready tasks than workers, which is not "
		"the case with few workers.",
		"small graph, dynamic, all workers, 1 slice / 6 slices - 1: %.0f %% for random "
		"lengths (criterion: at least 50 %%), %.0f %% for constant ones (criterion: at "
		"least 30 %%)",
		gain_random * 100, gain_constant * 100);

	s = repro_claim(r, "Slices on a large graph", NULL);
	repro_judge(r, s,
		"With few processors slices change the time of a large graph only slightly.",
		isfinite(large_gain), fabs(large_gain) <= 0.15, NULL,
		"large graph, %u workers, dynamic: %.1f %% from 1 to %u slices (criterion: at most "
		"15 %%)",
		limited_workers(r), large_gain * 100, slices[last]);

	s = repro_claim(r, "Random lengths on a small graph", NULL);
	repro_judge(r, s,
		"With the small graph and random lengths dynamic is slightly faster than static.",
		isfinite(g->y[2][0]) && isfinite(g->y[3][0]), g->y[3][0] < 0.99 * g->y[2][0],
		"Here static assigns whole rows by tickets and waits less than the static scheme "
		"of the paper.",
		"1 slice: static %.3f ms, dynamic %.3f ms (criterion: at least 1 %% less); %u "
		"slices: static %.3f ms, dynamic %.3f ms",
		g->y[2][0], g->y[3][0], slices[last], g->y[2][last], g->y[3][last]);

	s = repro_claim(r, "Short tasks", NULL);
	repro_judge(r, s, "With short tasks of constant length static is faster than dynamic.",
		isfinite(g->y[8][0]) && isfinite(g->y[9][0]), g->y[8][0] < 0.98 * g->y[9][0],
		"A worker keeps one successor and makes the other one ready by one atomic "
		"operation, which costs about as much as a flag.",
		"1 slice: static %.4f ms (criterion: at least 2 %% less), dynamic %.4f ms; %u "
		"slices: static %.4f ms, dynamic %.4f ms",
		g->y[8][0], g->y[9][0], slices[last], g->y[8][last], g->y[9][last]);
}

/* Compares static, dynamic, and the same tasks without dependencies. */
static void figure_4_right(repro *r)
{
	static const uint32_t steps[] = { 1, 30, 100, 300, 1000, 3000, 10000 };
	const size_t n = r->scale == REPRO_FULL ? 7 : r->scale == REPRO_SMALL ? 5 : 2;
	report_section *s = repro_section(
		r, "Time over the length of tasks", "Tzeng, Lloyd, Owens 2012, figure 4, right");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	const uint32_t tasks = r->scale == REPRO_TINY ? 12 * 9 : 80 * 45;
	double over_short, over_long;

	*g = (repro_grid){ .x_label = "steps of a task",
		.y_label = "ms",
		.x_scale = CHART_LOG10,
		.y_scale = CHART_LOG10,
		.lines = 4,
		.names = { "no dependencies", "static", "dynamic, ring", "dynamic, block" } };
	for (size_t i = 0; i < n; i++) {
		const gs_table *plain =
			repro_run(r, "spawn -p 0 -n %u -w %u --workers %u --queue ring -r %u",
				tasks, steps[i], r->all_workers, repro_pick(r, 1, 7, 11));
		const gs_table *t = repro_run(r,
			"wavefront --size %s -w %u --workers %u --queue ring,block --sched "
			"static,dynamic -r %u",
			graph(r, 1), steps[i], r->all_workers, repro_pick(r, 1, 7, 11));

		g->x[g->points] = steps[i];
		g->y[0][g->points] = repro_ms(plain, "ring");
		g->y[1][g->points] = repro_ms(t, "static");
		g->y[2][g->points] = repro_ms(t, "ring");
		g->y[3][g->points] = repro_ms(t, "block");
		g->points++;
	}
	s->text = repro_text(r,
		"Graph %s, constant lengths, all workers. The first line is the same tasks without "
		"dependencies. block has one lock, as the paper's queue.",
		graph(r, 1));
	repro_grid_show(r, s, g, "Time over the length of tasks");
	over_short = g->y[3][0] / g->y[1][0];
	over_long = g->y[3][g->points - 1] / g->y[1][g->points - 1];
	repro_judge(r, s,
		"With short tasks overhead dominates the dynamic method with its lock; the longer "
		"the tasks, the closer it is to the static one.",
		isfinite(over_short) && isfinite(over_long),
		over_short >= 1.2 && over_long < over_short,
		"The lock is resolved in the cache of the chip, and most ready tasks are not "
		"enqueued, because a worker keeps one.",
		"dynamic with a lock divided by static: %.2f for one step (criterion: at least "
		"1.2), %.2f for the longest tasks",
		over_short, over_long);
}

void repro_2012(repro *r)
{
	figure_2(r);
	figure_3(r);
	figure_4_left(r);
	figure_4_right(r);
	repro_encoder(r);
}
