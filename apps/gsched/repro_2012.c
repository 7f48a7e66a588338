/* Tzeng, Lloyd, Owens: A GPU Task-Parallel Model with Dependency Resolution (2012). Its synthetic load:
 * figures 2, 3 and 4, and the shape of table 1 with that load in the place of the encoder. */
#include "apps/gsched/repro.h"

#include <math.h>
#include <string.h>

/* The paper limits itself to 15 processors, and so do we where there are more. */
static uint32_t fifteen(const repro *r)
{
	return r->few_workers < 15 ? r->few_workers : 15;
}

/* The base count is 500 steps, the mean length 8 times that. */
static uint32_t mean_work(const repro *r)
{
	return repro_pick(r, 16, 2000, 4000);
}

/* A graph of the paper's, smaller for tests. */
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

static void figure_2(repro *r)
{
	static const char *const names[] = { "sync", "static", "ring" };
	report_section *s = repro_section(
		r, "Timelines of three schemes", "Tzeng, Lloyd, Owens 2012, figure 2");
	repro_cells *c = repro_table(r, s, repro_text(r, "Graph %s, lengths 1 to 16", graph(r, 0)),
		"slices|sync, ms|static, ms|dynamic, ms|sync idle, %|static idle, %|dynamic idle, "
		"%");
	double ms[2][3], idle[2][3];

	for (int k = 0; k < 2; k++) {
		const uint32_t slices = k ? 4 : 1;
		const gs_table *t = repro_run(r,
			"wavefront --size %s --slices %u -w %u --law paper --seed 2 --workers %u "
			"--queue ring --sched sync,static,dynamic -r %u",
			graph(r, 0), slices, mean_work(r), fifteen(r), repro_pick(r, 1, 5, 11));

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
	s->text =
		"A row is a worker, a rectangle a task, white is waiting. Lengths are a base count "
		"times 1 to 16. sync has a barrier (on the GPU: a launch) after each wavefront; "
		"its idle time there counts only what happens inside the launches.";
	repro_judge(r, s,
		"Synchronising tasks with each other (static) uses the processors better than a "
		"barrier after each wavefront.",
		isfinite(ms[0][0]) && isfinite(ms[0][1]), ms[0][1] < 0.98 * ms[0][0],
		"With so few workers a wavefront has many tasks for each, and its end costs "
		"little.",
		"1 slice: sync %.3f ms, static %.3f ms (2 %% less would hold); 4 slices: %.3f and "
		"%.3f",
		ms[0][0], ms[0][1], ms[1][0], ms[1][1]);

	s = repro_claim(r, "Fewer bubbles with dynamic scheduling", NULL);
	repro_judge(r, s,
		"Dynamic scheduling reduces the bubbles in which workers of the static scheme "
		"wait.",
		isfinite(idle[0][1]) && isfinite(idle[0][2]) && isfinite(idle[1][1]) &&
			isfinite(idle[1][2]),
		idle[0][2] < idle[0][1] && idle[1][2] < idle[1][1],
		"Static hands out whole rows here, by a ticket, so that a worker follows the front "
		"from left to right and waits less than one that is bound to tasks along a "
		"diagonal.",
		"idle with 1 slice: static %.2f %%, dynamic %.2f %%; with 4: %.2f and %.2f",
		idle[0][1], idle[0][2], idle[1][1], idle[1][2]);

	s = repro_claim(r, "Slices fill the ramps", NULL);
	repro_judge(r, s, "More slices improve utilisation at the beginning and at the end.",
		isfinite(idle[0][1]) && isfinite(idle[1][1]) && isfinite(idle[0][2]) &&
			isfinite(idle[1][2]),
		idle[1][1] < idle[0][1] && idle[1][2] < idle[0][2],
		"With very few workers one slice already has enough ready tasks.",
		"idle from 1 slice to 4: static %.2f to %.2f %%, dynamic %.2f to %.2f %%",
		idle[0][1], idle[1][1], idle[0][2], idle[1][2]);
}

static void figure_3(repro *r)
{
	report_section *s =
		repro_section(r, "The same on a large graph", "Tzeng, Lloyd, Owens 2012, figure 3");
	const gs_table *t = repro_run(r,
		"wavefront --size %s --slices 4 -w %u --law paper --seed 3 --workers %u --queue "
		"ring --sched static,dynamic -r %u",
		graph(r, 1), mean_work(r), fifteen(r), repro_pick(r, 1, 5, 11));
	const double fixed = repro_ms(t, "static"), dynamic = repro_ms(t, "ring");

	repro_timelines(r, s, t, repro_text(r, "Graph %s, 4 slices", graph(r, 1)));
	repro_judge(r, s,
		"On a large graph dynamic scheduling finishes at nearly the same time as static.",
		isfinite(fixed) && isfinite(dynamic), fabs(dynamic / fixed - 1) <= 0.05, NULL,
		"static %.3f ms, dynamic %.3f ms, %+.1f %% (5 %% would hold)", fixed, dynamic,
		(dynamic / fixed - 1) * 100);
}

/* Lines of figure 4, left: graph, lengths, workers, scheme. */
typedef struct line {
	int large;
	const char *law, *text;
	int part; /* of the mean length: 1, 4 */
	int limited;
} line;

static const line lines[] = {
	{ 1, "paper", "large, random, limited", 1, 1 },
	{ 0, "paper", "small, random, limited", 1, 1 },
	{ 0, "paper", "small, random", 1, 0 },
	{ 0, "fixed", "small, constant", 1, 0 },
	{ 0, "fixed", "small, constant, short", 4, 0 },
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };

static void figure_4_left(repro *r)
{
	static const uint32_t slices[] = { 1, 2, 4, 6 };
	report_section *s = repro_section(
		r, "Time over the number of slices", "Tzeng, Lloyd, Owens 2012, figure 4, left");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double gain_random, gain_constant, large_gain;
	size_t last;

	*g = (repro_grid){ .x_label = "slices",
		.y_label = "ms",
		.x_scale = CHART_LOG2,
		.y_scale = CHART_LOG10,
		.lines = 2 * LINES };
	for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
		g->x[i] = slices[i];
		for (size_t l = 0; l < LINES; l++) {
			const gs_table *t = repro_run(r,
				"wavefront --size %s --slices %u -w %u --law %s --seed 4 --workers "
				"%u --queue ring --sched static,dynamic -r %u",
				graph(r, lines[l].large), slices[i],
				mean_work(r) / (uint32_t)lines[l].part, lines[l].law,
				lines[l].limited ? fifteen(r) : r->all_workers,
				repro_pick(r, 1, 5, 9));

			g->names[2 * l] = repro_text(r, "%s: static", lines[l].text);
			g->names[2 * l + 1] = repro_text(r, "%s: dynamic", lines[l].text);
			g->y[2 * l][i] = repro_ms(t, "static");
			g->y[2 * l + 1][i] = repro_ms(t, "ring");
		}
		g->points++;
	}
	last = g->points - 1;
	s->text = repro_text(r,
		"Graphs of %s (large) and %s (small) tasks; random lengths are 1 to 16 times a "
		"base count, constant ones 8 times, short ones 2 times. limited: %u workers.",
		graph(r, 1), graph(r, 0), fifteen(r));
	repro_grid_show(r, s, g, "Time over slices");
	gain_random = g->y[5][0] / g->y[5][last] - 1;
	gain_constant = g->y[7][0] / g->y[7][last] - 1;
	large_gain = g->y[1][0] / g->y[1][last] - 1;
	repro_judge(r, s,
		"Slices improve the time by up to 98 % for random lengths and 55 % for constant "
		"ones.",
		isfinite(gain_random) && isfinite(gain_constant),
		gain_random >= 0.5 && gain_constant >= 0.3,
		"Slices help where ready tasks are fewer than workers; with few workers they are "
		"not.",
		"small graph, dynamic, all workers: %.0f %% for random lengths (50 would hold), "
		"%.0f %% for constant ones (30 would hold)",
		gain_random * 100, gain_constant * 100);

	s = repro_claim(r, "Slices on a large graph", NULL);
	repro_judge(r, s, "With few processors slices make little difference to a large graph.",
		isfinite(large_gain), fabs(large_gain) <= 0.15, NULL,
		"large graph, %u workers, dynamic: %.1f %% from 1 to %u slices (15 would hold)",
		fifteen(r), large_gain * 100, slices[last]);

	s = repro_claim(r, "Random lengths on a small graph", NULL);
	repro_judge(r, s,
		"On the small graph with random lengths dynamic is slightly faster than static.",
		isfinite(g->y[2][0]) && isfinite(g->y[3][0]), g->y[3][0] < 0.99 * g->y[2][0],
		"Static takes whole rows by a ticket here and waits less than the paper's.",
		"1 slice: static %.3f ms, dynamic %.3f (1 %% less would hold); %u slices: %.3f and "
		"%.3f",
		g->y[2][0], g->y[3][0], slices[last], g->y[2][last], g->y[3][last]);

	s = repro_claim(r, "Short tasks", NULL);
	repro_judge(r, s, "With short tasks of constant length static is faster than dynamic.",
		isfinite(g->y[8][0]) && isfinite(g->y[9][0]), g->y[8][0] < 0.98 * g->y[9][0],
		"A worker keeps one successor and hands the other over by one atomic; that costs "
		"about what a flag does.",
		"1 slice: static %.4f ms (2 %% less would hold), dynamic %.4f; %u slices: %.4f and "
		"%.4f",
		g->y[8][0], g->y[9][0], slices[last], g->y[8][last], g->y[9][last]);
}

/* Static, dynamic, and the same tasks without waiting for each other. */
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
		"Graph %s, constant lengths, all workers. The first line runs the same tasks "
		"without waiting for dependencies. block has one lock, as the paper's queue.",
		graph(r, 1));
	repro_grid_show(r, s, g, "Time over the length of tasks");
	over_short = g->y[3][0] / g->y[1][0];
	over_long = g->y[3][g->points - 1] / g->y[1][g->points - 1];
	repro_judge(r, s,
		"For short tasks the dynamic method with its lock is dominated by overhead; the "
		"longer the tasks, the closer it comes to the static one.",
		isfinite(over_short) && isfinite(over_long),
		over_short >= 1.2 && over_long < over_short,
		"The lock is resolved in the cache of the chip, and most ready tasks never reach "
		"the queue, since a worker keeps one.",
		"dynamic with a lock by static: %.2f for one step (1.2 would hold), %.2f for the "
		"longest",
		over_short, over_long);
}

/* The graphs of the two videos: 720x480 and 1280x720. */
static void table_1(repro *r)
{
	static const char *const sizes[] = { "45x30", "80x45" };
	report_section *s = repro_section(r, "Frames of two sizes in 1, 2 and 4 slices",
		"Tzeng, Lloyd, Owens 2012, table 1 (H.264 encoder)");
	repro_cells *c = repro_table(r, s, "Time of a frame, ms", "frame|slices|static|dynamic");
	double y[2][3][2];

	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 3; i++) {
			const gs_table *t = repro_run(r,
				"wavefront --size %s --slices %u -w %u --law paper --seed 5 "
				"--workers %u --queue ring --sched static,dynamic -r %u",
				r->scale == REPRO_TINY ? "9x6" : sizes[k], 1u << i,
				mean_work(r) / 4, r->all_workers, repro_pick(r, 1, 5, 11));

			y[k][i][0] = repro_ms(t, "static");
			y[k][i][1] = repro_ms(t, "ring");
			repro_cell(r, c, "%s", k ? "1280x720" : "720x480");
			repro_cell(r, c, "%u", 1u << i);
			repro_cell(r, c, "%.4f", y[k][i][0]);
			repro_cell(r, c, "%.4f", y[k][i][1]);
		}
	s->text =
		"The encoder's graph with work of random length in its place. Paper: 720x480 26.5, "
		"22.1, 20.5 ms static and 20.4, 15.7, 11.4 dynamic; 1280x720 72.6, 60.3, 54.1 "
		"static and 74.3, 65.2, 59.4 dynamic. The encoder itself is gpuintra, which shows "
		"its own times.";
	repro_judge(r, s,
		"Dynamic is faster on the small frame, static and dynamic are nearly equal on the "
		"large one.",
		isfinite(y[0][0][0]) && isfinite(y[0][0][1]) && isfinite(y[1][0][0]) &&
			isfinite(y[1][0][1]),
		y[0][0][1] < y[0][0][0] && y[0][2][1] < y[0][2][0] &&
			fabs(y[1][0][1] / y[1][0][0] - 1) <= 0.1,
		r->backend == LSCHED_BACKEND_CUDA
			? "With as many workers as ready tasks both schemes are bound by the "
			  "longest "
			  "path through the graph, which no scheme shortens."
			: "With few workers all tasks find one, and what a scheme costs for each "
			  "task "
			  "is what tells the two apart.",
		"dynamic by static: small frame %.2f in one slice, %.2f in four; large frame %.2f "
		"and %.2f",
		y[0][0][1] / y[0][0][0], y[0][2][1] / y[0][2][0], y[1][0][1] / y[1][0][0],
		y[1][2][1] / y[1][2][0]);
}

void repro_2012(repro *r)
{
	figure_2(r);
	figure_3(r);
	figure_4_left(r);
	figure_4_right(r);
	table_1(r);
}
