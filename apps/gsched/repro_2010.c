/* Tzeng, Patney, Owens: Task Management for Irregular-Parallel Workloads on the GPU (2010). Figures
 * 6 and 7 with idle times. repro_split.c has figure 8, repro_scenes.c table 1. */
#include "apps/gsched/picture.h"
#include "apps/gsched/repro.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const queues[] = { "block", "dist", "steal", "donate", "ring", "abp" };
enum { QUEUES = sizeof(queues) / sizeof(queues[0]) };
#define QUEUE_LIST "block,dist,steal,donate,ring,abp"

/* Returns the time outside the work of tasks of all workers of a queue, or NaN. */
static double lost_ms(const gs_table *t, const char *queue)
{
	const gs_row *row = repro_row(t, queue, 0);
	double sum = 0;

	if (!row || !row->work_ns || !row->per_worker)
		return NAN;
	for (uint32_t k = 0; k < row->stats.workers; k++)
		sum += (double)row->per_worker[k].idle_ns + (double)row->per_worker[k].busy_ns -
		       (double)row->work_ns[k];
	return sum * 1e-6;
}

/* Returns the largest number of units of a worker divided by the mean. */
static double imbalance(const gs_row *row)
{
	uint64_t max = 0;

	for (uint32_t k = 0; row->per_worker && k < row->stats.workers; k++)
		if (row->per_worker[k].tasks > max)
			max = row->per_worker[k].tasks;
	return (double)max * row->stats.workers / (double)row->stats.tasks;
}

static void idle_table(repro *r, report_section *s, const gs_table *t)
{
	repro_cells *c = repro_table(r, s, "Work and idle time, sum of all workers",
		"queue|ms|units|largest worker / mean|waiting, %|no work, %|no work, "
		"ms|steals|donated");

	for (size_t q = 0; q < QUEUES; q++) {
		const gs_row *row = repro_row(t, queues[q], 0);

		if (!row)
			continue;
		repro_cell(r, c, "%s", queues[q]);
		repro_cell(r, c, "%.3f", (double)row->median_ns * 1e-6);
		repro_cell(r, c, "%" PRIu64, row->stats.tasks);
		repro_cell(r, c, "%.2f", imbalance(row));
		repro_cell(r, c, "%.2f", row_idle(row) * 100);
		repro_cell(r, c, "%.2f", row_lost(row) * 100);
		repro_cell(r, c, "%.3f", lost_ms(t, queues[q]));
		repro_cell(r, c, "%" PRIu64, row->stats.steals);
		repro_cell(r, c, "%" PRIu64, row->stats.donated);
	}
}

/* Judges the claims about the shares of workers; dist, steal: time without work (ms). */
static void judge_shares(repro *r, const gs_row *block, double dist, double steal)
{
	report_section *s = repro_claim(r, "Equal work from a single queue", NULL);

	repro_judge(r, s,
		"With a single queue with a lock all processors execute the same amount of work.",
		block != NULL, block && imbalance(block) <= 1.15,
		"Units differ in length here, so that workers with the same time have different "
		"numbers of units.",
		"the worker with the most units has %.2f times the mean (criterion: at most 1.15)",
		block ? imbalance(block) : NAN);

	s = repro_claim(r, "Waiting for the slowest with private deques", NULL);
	repro_judge(r, s,
		"With private deques most processors wait for a few to finish; stealing removes "
		"this wait.",
		isfinite(dist) && isfinite(steal), dist >= 2 * steal,
		"Idle workers draw the initial units one by one here, which balances most of the "
		"load.",
		"time without work: dist %.3f ms, steal %.3f ms, %.1f times (criterion: at least 2 "
		"times)",
		dist, steal, dist / steal);
}

static void figure_6(repro *r)
{
	const gs_table *t = repro_run(r,
		"spawn -p 0.45 -m 2 -n %u -w %u --law uniform --seed 6 --workers %u --time-work "
		"--queue " QUEUE_LIST " -r %u",
		r->few_workers * repro_pick(r, 4, 1000, 8), repro_pick(r, 10, 200, 400),
		r->few_workers, repro_pick(r, 1, 5, 11));
	report_section *s = repro_section(
		r, "Work and idle time of each processor", "Tzeng, Patney, Owens 2010, figure 6");
	const double lost[4] = { lost_ms(t, "block"), lost_ms(t, "dist"), lost_ms(t, "steal"),
		lost_ms(t, "donate") };
	const double without_balancing = fmin(lost[0], lost[1]),
		     with_balancing = fmax(lost[2], lost[3]);
	xml_buffer svg = { 0 };

	s->text =
		"The work generator of the paper: a unit spawns two units with probability p = "
		"0.45, else nothing. Bars: units of each processor (on the GPU one warp per SM, on "
		"the CPU a thread). Line: time without work, which is waiting for work and for "
		"locks, and all queue operations. Workers draw a ticket for each initial unit when "
		"they become idle; the paper assigns the initial units in advance, which makes its "
		"private deques less balanced than these. ring and abp are not in the paper.";
	if (picture_workers(t, "Units of work (bars) and time without work (line)",
		    xml_buffer_write, &svg) == 0)
		repro_svg(r, s, &svg);
	free(svg.text);
	idle_table(r, s, t);
	repro_judge(r, s,
		"A single queue with a lock and private deques without balancing have more than "
		"100 times as much idle time as stealing and donation.",
		isfinite(without_balancing) && isfinite(with_balancing),
		without_balancing >= 100 * with_balancing,
		repro_costs(r,
			"Locks are resolved in the cache of the chip, so that one is held for less "
			"time than a unit of work takes; and the time includes the operations of "
			"the queue, which stealing and donation need, too."),
		"time without work, all workers: block %.3f ms, dist %.3f ms, steal %.3f ms, "
		"donate %.3f ms; the smaller of the first two is %.1f times the larger of the last "
		"two (criterion: at least 100 times)",
		lost[0], lost[1], lost[2], lost[3], without_balancing / with_balancing);
	judge_shares(r, repro_row(t, "block", 0), lost[1], lost[2]);
}

/* Measures the part of the time without work over p. */
static void vary_probability(repro *r)
{
	static const double p[] = { 0.1, 0.2, 0.3, 0.4, 0.45 };
	const uint32_t units = repro_pick(r, 300, 40000, 400000);
	report_section *s = repro_section(r, "Idle time from regular to irregular work",
		"Tzeng, Patney, Owens 2010, section 5");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	double worst = 0, best = INFINITY;

	*g = (repro_grid){ .x_label = "p", .y_label = "time without work (%)", .lines = QUEUES };
	for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		const gs_table *t = repro_run(r,
			"spawn -p %g -m 2 -n %.0f -w %u --seed 2 --workers %u --time-work "
			"--queue " QUEUE_LIST " -r %u",
			p[i], units * (1 - 2 * p[i]), repro_pick(r, 10, 100, 200), r->all_workers,
			repro_pick(r, 1, 7, 3));

		g->x[g->points] = p[i];
		for (size_t q = 0; q < QUEUES; q++) {
			const gs_row *row = repro_row(t, queues[q], 0);

			g->names[q] = queues[q];
			g->y[q][g->points] = row ? row_lost(row) * 100 : NAN;
		}
		g->points++;
	}
	for (size_t q = 0; q < QUEUES; q++) {
		const double v = g->y[q][g->points - 1];

		if (q < 4 && isfinite(v)) {
			worst = fmax(worst, v);
			best = fmin(best, v);
		}
	}
	s->text = "All workers of the machine, about the same number of units at each p. 0 % means "
		  "that all workers execute units all the time.";
	repro_grid_show(r, s, g, "Time without work, all workers");
	repro_judge(r, s,
		"With irregular work the queue determines the utilisation of the machine.",
		isfinite(best), worst >= 2 * best,
		r->backend == LSCHED_BACKEND_CUDA
			? "With tasks of this length all four queues are close to each other: "
			  "thousands of warps hide the time that the paper's hardware lost to "
			  "locks and memory latency."
			: "A few threads cause little contention in any of the four queues.",
		"at p = 0.45 time without work is %.2f %% with the worst of the paper's four "
		"queues, %.2f %% with the best (criterion: a ratio of at least 2)",
		worst, best);
}

/* Measures the time for 15,000 units over p. */
static void fill_figure_7(repro *r, repro_grid *g, uint32_t units, uint32_t workers)
{
	static const double p[] = { 0.1, 0.2, 0.3, 0.4, 0.45, 0.48 };

	*g = (repro_grid){ .x_label = "p",
		.y_label = "ms for 15,000 units",
		.y_scale = CHART_LOG10,
		.lines = QUEUES };
	for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		const gs_table *t = repro_run(r,
			"spawn -p %g -m 2 -n %.0f -w 0 --seed 7 --workers %u --queue " QUEUE_LIST
			" -r %u",
			p[i], units * (1 - 2 * p[i]), workers, repro_pick(r, 1, 7, 5));

		g->x[g->points] = p[i];
		for (size_t q = 0; q < QUEUES; q++) {
			const gs_row *row = repro_row(t, queues[q], 0);

			g->names[q] = queues[q];
			g->y[q][g->points] = row ? (double)row->median_ns * 1e-6 * 15000 /
							     (double)row->stats.tasks
						 : NAN;
		}
		g->points++;
	}
}

static void figure_7(repro *r)
{
	report_section *s = repro_section(r, "Performance from regular to irregular work",
		"Tzeng, Patney, Owens 2010, figure 7");
	repro_grid *few_grid = repro_alloc(r, sizeof(*few_grid)),
		   *all_grid = repro_alloc(r, sizeof(*all_grid));
	double first, last, log2_factor = 0, best, central;
	size_t end;

	fill_figure_7(r, few_grid, repro_pick(r, 300, 150000, 15000), r->few_workers);
	repro_grid_show(
		r, s, few_grid, repro_text(r, "%u workers, time for 15,000 units", r->few_workers));
	fill_figure_7(r, all_grid, repro_pick(r, 600, 600000, 150000), r->all_workers);
	repro_grid_show(r, s, all_grid, "All workers, more units, time for 15,000 units");
	s->text = "Time for 15,000 empty units, m = 2. The number of initial units is chosen so "
		  "that the total is about the same at every p. ring and abp are not in the paper.";
	end = all_grid->points - 1;
	first = all_grid->y[0][0] / all_grid->y[2][0];
	last = all_grid->y[0][end] / all_grid->y[2][end];
	repro_judge(r, s,
		"The more irregular the work, the slower a queue with a lock is in comparison with "
		"stealing and donation.",
		isfinite(first) && isfinite(last), last >= 1.5 && last > first,
		repro_costs(r, "One lock is sufficient where few workers wait for it."),
		"block / steal, all workers: %.2f at p = %g, %.2f at p = %g (criterion: at least "
		"1.5 and increasing)",
		first, all_grid->x[0], last, all_grid->x[end]);

	for (size_t i = 0; i <= end; i++)
		log2_factor = fmax(log2_factor, fabs(log2(all_grid->y[2][i] / all_grid->y[3][i])));
	s = repro_claim(r, "Stealing and donation", NULL);
	repro_judge(r, s, "The performance of stealing and donation is about equal.",
		isfinite(log2_factor), exp2(log2_factor) <= 1.25,
		"The two queues of the paper share the code of their deques. Here donate has a "
		"separate inbox, which a worker reads when its deque is empty.",
		"largest factor between them over all p: %.2f (criterion: at most 1.25)",
		exp2(log2_factor));

	best = fmin(all_grid->y[2][end], fmin(all_grid->y[3][end], all_grid->y[5][end]));
	central = all_grid->y[4][end];
	s = repro_claim(r, "A single queue on later hardware", NULL);
	repro_judge(r, s,
		"Contention of a single queue remains as chips become more parallel (a prediction "
		"in section 7 of the paper).",
		isfinite(best) && isfinite(central), central >= 1.5 * best,
		repro_costs(r,
			"The lock caused the contention, not the single queue: ring is a single "
			"queue, too, but assigns slots by fetch-and-add, which the cache executes "
			"at full rate for any number of workers."),
		"p = %g, all workers: ring %.4f ms, the best of steal, donate and abp %.4f ms, "
		"%.2f times (criterion: at least 1.5 times); block %.4f ms",
		all_grid->x[end], central, best, central / best, all_grid->y[0][end]);
}

void repro_2010(repro *r)
{
	figure_6(r);
	vary_probability(r);
	figure_7(r);
	repro_split(r);
	repro_scenes(r);
	repro_subdivision(r);
}
