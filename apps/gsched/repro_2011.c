/* Cederman, Tsigas: Dynamic Load Balancing Using Work-Stealing (GPU Computing Gems, 2011). Its game
 * tree is that of connect four from the empty board, each position a task that passes through the
 * queue, valued by minimax (workloads/fourrow). */
#include "apps/gsched/repro.h"

#include <inttypes.h>
#include <math.h>

/* A level of 823,543 positions; on CPUs each of them takes a chunk of 32 places. */
#define WIDE " --capacity 27000000"

/* The tree under both schemes of the chapter, over a range of moves. */
typedef struct comparison {
	uint32_t from, to;
	repro_grid *rate, *memory;
	double gain, first_gain; /* stealing / static, at the most moves and the fewest */
	double least_gain, most_gain, gains; /* gains: the sum */
	double memory_ratio;                 /* static / stealing, at the largest size */
} comparison;

static void compare(repro *r, comparison *v, const char *x_label)
{
	repro_grid *rate = repro_alloc(r, sizeof(*rate)), *memory = repro_alloc(r, sizeof(*memory));

	v->gain = v->first_gain = v->memory_ratio = NAN;
	v->least_gain = INFINITY;
	v->most_gain = -INFINITY;
	v->gains = 0;
	v->rate = rate;
	v->memory = memory;
	*rate = (repro_grid){ .x_label = x_label,
		.y_label = "tasks/ms",
		.lines = 2,
		.names = { "static (relaunch)", "dynamic (abp)" } };
	*memory = (repro_grid){ .x_label = x_label,
		.y_label = "memory (tasks)",
		.y_scale = CHART_LOG10,
		.lines = 2,
		.names = { "static (relaunch)", "dynamic (abp)" } };
	for (uint32_t size = v->from; size <= v->to; size++) {
		const gs_table *t = repro_run(r,
			"run fourrow --plies %u --workers %u --queue relaunch,abp --never-keep "
			"--no-plain%s -r %u",
			size, r->all_workers, size >= 7 ? WIDE : "", repro_pick(r, 1, 5, 9));
		const gs_row *fixed = repro_row(t, "relaunch", 0), *abp = repro_row(t, "abp", 0);
		const size_t k = rate->points;

		rate->x[k] = memory->x[k] = size;
		rate->y[0][k] = fixed ? row_rate(fixed) * 1e-3 : NAN;
		rate->y[1][k] = abp ? row_rate(abp) * 1e-3 : NAN;
		memory->y[0][k] = fixed ? (double)fixed->stats.queue_high_water : NAN;
		memory->y[1][k] =
			abp ? (double)abp->stats.queue_high_water * abp->stats.workers : NAN;
		v->gain = rate->y[1][k] / rate->y[0][k];
		v->memory_ratio = memory->y[0][k] / memory->y[1][k];
		v->least_gain = fmin(v->least_gain, v->gain);
		v->most_gain = fmax(v->most_gain, v->gain);
		v->gains += v->gain; /* NaN if one is missing */
		if (k == 0)
			v->first_gain = v->gain;
		rate->points++;
		memory->points++;
	}
}

/* Stores 1, 2, 4 ... times `least` workers, and `all`. Returns the number of values. */
static size_t doubled(uint32_t least, uint32_t all, double x[REPRO_POINTS])
{
	size_t n = 0;

	for (uint32_t w = least; w < all && n + 1 < REPRO_POINTS; w *= 2)
		x[n++] = w;
	x[n++] = all;
	return n;
}

/* Measures the rate of stealing over numbers of workers, one line per number of moves. */
static repro_grid *measure_workers(repro *r)
{
	enum { SIZES = 4 };
	static const char *const names[2][SIZES] = { { "1 move", "2 moves", "3 moves", "4 moves" },
		{ "4 moves", "5 moves", "6 moves", "7 moves" } };
	const uint32_t deepest = repro_pick(r, 4, 6, 7);
	const uint32_t sizes = deepest == 6 ? 3 : SIZES, first = deepest - sizes + 1;
	const char *const tree = "run fourrow --queue abp --never-keep --no-plain";
	repro_grid *rate = repro_alloc(r, sizeof(*rate));
	const gs_row *all = repro_row(
		repro_run(r, "%s --plies %u --workers %u -r 1", tree, first, r->all_workers), "abp",
		0);

	*rate = (repro_grid){
		.x_label = "workers", .y_label = "tasks/ms", .x_scale = CHART_LOG2, .lines = sizes
	};
	rate->points = doubled(r->backend == LSCHED_BACKEND_CUDA ? r->few_workers : 1,
		all ? all->stats.workers : r->few_workers, rate->x);
	for (uint32_t k = 0; k < sizes; k++) {
		rate->names[k] = names[first == 4][k];
		for (size_t i = 0; i < rate->points; i++) {
			const gs_row *row =
				repro_row(repro_run(r, "%s --plies %u --workers %.0f -r %u", tree,
						  first + k, rate->x[i], repro_pick(r, 1, 5, 9)),
					"abp", 0);

			rate->y[k][i] = row ? row_rate(row) * 1e-3 : NAN;
		}
	}
	return rate;
}

static void figure_8(repro *r)
{
	report_section *s = repro_section(
		r, "Work stealing: number of workers", "Cederman, Tsigas 2011, figure 35.8");
	const repro_grid *rate = measure_workers(r);
	const size_t last = rate->points - 1;
	double fewest_ratio = -INFINITY, sum = 0, small_loss = NAN, large_loss = 0;

	for (size_t k = 0; k < rate->lines; k++) {
		double best = -INFINITY, loss;

		for (size_t i = 0; i <= last; i++) {
			best = fmax(best, rate->y[k][i]);
			sum += rate->y[k][i]; /* NaN if one is missing */
		}
		fewest_ratio = fmax(fewest_ratio, rate->y[k][0] / best);
		loss = 1 - rate->y[k][last] / best;
		if (k == 0)
			small_loss = loss;
		else
			large_loss = fmax(large_loss, loss);
	}
	s->text = repro_text(r,
		"Connect four from the empty board by minimax, with one worker%s up to all "
		"resident workers. Each position is a task whose value a join returns. The chapter "
		"uses 30 to 240 thread blocks on 30 multiprocessors, and does not give its "
		"position; its 800,000 tasks at seven moves are those of one with 7 free columns "
		"(7^7 = 823,543), such as the empty board.",
		r->backend == LSCHED_BACKEND_CUDA ? " per SM" : "");
	repro_grid_show(r, s, rate, "Tasks per millisecond with work stealing");
	repro_judge(r, s,
		"With one thread block per multiprocessor performance is poor for every number of "
		"moves.",
		isfinite(sum) && last > 0, fewest_ratio <= 0.5,
		r->backend == LSCHED_BACKEND_CUDA
			? "A tree with few positions has too few tasks for more workers."
			: "The machine has few threads, and a small tree finishes before all of "
			  "them have started.",
		"the smallest number of workers reaches at most %.0f %% of the best rate "
		"(criterion: at most 50 %%)",
		100 * fewest_ratio);

	s = repro_claim(r, "Best number of workers", NULL);
	repro_judge(r, s,
		"With few moves too many thread blocks reduce the rate; with more moves the "
		"largest number is best.",
		isfinite(sum) && last > 0, small_loss > 0.02 && large_loss <= 0.05,
		"The smallest tree loses no rate with all workers if idle workers cause little "
		"contention: they read a cache line of hints instead of the deques. Larger trees "
		"lose rate if they are still too small for this number of workers.",
		"with all %.0f workers the rate of %s is %.0f %% below its best, of more moves at "
		"most %.0f %% (criterion: above 2 %% and at most 5 %%)",
		rate->x[last], rate->names[0], 100 * small_loss, 100 * large_loss);
}

static void figure_9(repro *r)
{
	const uint32_t deepest = repro_pick(r, 4, 6, 7);
	report_section *s = repro_section(
		r, "Work stealing and one launch per level", "Cederman, Tsigas 2011, figure 35.9");
	comparison v = { .from = deepest > 4 ? 4 : 2, .to = deepest };
	const repro_grid *rate, *memory;
	double gain, first_gain, memory_ratio;

	compare(r, &v, "moves of look-ahead");
	rate = v.rate;
	memory = v.memory;
	gain = v.gain;
	first_gain = v.first_gain;
	memory_ratio = v.memory_ratio;
	s->text = "The same tree. static distributes a level of it to all workers and launches the "
		  "next level; dynamic has a deque per worker. Memory of the dynamic scheme is the "
		  "high-water mark of a deque times the number of workers, as in the chapter.";
	repro_grid_show(r, s, rate, "Tasks per millisecond");
	repro_grid_show(r, s, memory, "Memory for tasks");
	repro_judge(r, s, "At seven moves stealing is twice as fast as the static scheme.",
		isfinite(gain) && deepest == 7, gain >= 2,
		repro_costs(r,
			"A launch takes less time than on the hardware of the chapter, and a level "
			"of such a wide tree keeps all workers busy without stealing."),
		"at %u moves: %.0f tasks/ms with stealing, %.0f tasks/ms static, %.2f times "
		"(criterion: at least 2 times)",
		deepest, rate->y[1][rate->points - 1], rate->y[0][rate->points - 1], gain);

	s = repro_claim(r, "Scaling of work stealing", NULL);
	repro_judge(r, s,
		"The dynamic scheme is faster than the static one at every number of moves, by the "
		"largest factor at the highest load.",
		isfinite(v.gains), v.least_gain > 1 && gain >= v.most_gain,
		repro_costs(r,
			"The launches of the static scheme matter most with few tasks. So the "
			"factor is largest there, and decreases as levels become wide."),
		"%.2f times as fast at %.0f moves, %.2f times at %u moves, in between %.2f to %.2f "
		"times (criterion: above 1 at each, and the largest at the most moves)",
		first_gain, rate->x[0], gain, deepest, v.least_gain, v.most_gain);

	s = repro_claim(r, "Memory of work stealing", NULL);
	repro_judge(r, s,
		"The static scheme needs memory for tens of times as many tasks as stealing "
		"(800,000 and 12,000 at seven moves).",
		isfinite(memory_ratio) && deepest == 7, memory_ratio >= 10,
		"The memory of stealing is counted per worker, and this machine has many more "
		"workers than the 240 thread blocks of the chapter.",
		"at %u moves: %.0f tasks static, %.0f tasks with stealing, %.1f times (criterion: "
		"at least 10 times)",
		deepest, memory->y[0][memory->points - 1], memory->y[1][memory->points - 1],
		memory_ratio);
}

void repro_2011(repro *r)
{
	figure_8(r);
	figure_9(r);
	repro_octree(r);
}
