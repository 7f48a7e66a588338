/* Tzeng, Patney, Owens: Task Management for Irregular-Parallel Workloads on the GPU (2010). Figures 6 and
 * 7 and the idle times behind them; figure 8 with the synthetic work in the place of the teapot. */
#include "apps/gsched/picture.h"
#include "apps/gsched/repro.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const queues[] = { "block", "dist", "steal", "donate", "ring", "abp" };
enum { QUEUES = sizeof(queues) / sizeof(queues[0]) };
#define QUEUE_LIST "block,dist,steal,donate,ring,abp"

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

/* Most units of one worker, by the mean. */
static double unevenness(const gs_row *row)
{
	uint64_t most = 0;

	for (uint32_t k = 0; row->per_worker && k < row->stats.workers; k++)
		if (row->per_worker[k].tasks > most)
			most = row->per_worker[k].tasks;
	return (double)most * row->stats.workers / (double)row->stats.tasks;
}

static void idle_table(repro *r, report_section *s, const gs_table *t)
{
	repro_cells *c = repro_table(r, s, "Work and idle time of all workers together",
		"queue|ms|units|most of one worker / mean|waiting, %|no work, %|no work, ms|steals|"
		"donated");

	for (size_t q = 0; q < QUEUES; q++) {
		const gs_row *row = repro_row(t, queues[q], 0);

		if (!row)
			continue;
		repro_cell(r, c, "%s", queues[q]);
		repro_cell(r, c, "%.3f", (double)row->median_ns * 1e-6);
		repro_cell(r, c, "%" PRIu64, row->stats.tasks);
		repro_cell(r, c, "%.2f", unevenness(row));
		repro_cell(r, c, "%.2f", row_idle(row) * 100);
		repro_cell(r, c, "%.2f", row_lost(row) * 100);
		repro_cell(r, c, "%.3f", lost_ms(t, queues[q]));
		repro_cell(r, c, "%" PRIu64, row->stats.steals);
		repro_cell(r, c, "%" PRIu64, row->stats.donated);
	}
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
	const gs_row *block = repro_row(t, "block", 0);
	const double own[4] = { lost_ms(t, "block"), lost_ms(t, "dist"), lost_ms(t, "steal"),
		lost_ms(t, "donate") };
	const double high = fmin(own[0], own[1]), low = fmax(own[2], own[3]);
	xml_buffer svg = { 0 };

	s->text =
		"The work generator of the paper: a unit makes two with probability p = 0.45, else "
		"it leaves. Bars are units of work of each processor (a warp on the GPU, one an "
		"SM; a thread on the CPU), the line is the time in which it did no work: waiting "
		"for work, for a lock, or anything else that the queue does. The initial units are "
		"taken by a ticket as workers become free; the paper deals them out beforehand, "
		"which makes its private bins more uneven than these. ring and abp are not in the "
		"paper.";
	if (picture_workers(t, "Units of work (bars) and time without work (line)",
		    xml_buffer_write, &svg) == 0)
		repro_svg(r, s, &svg);
	free(svg.text);
	idle_table(r, s, t);
	repro_judge(r, s,
		"A single block queue and private bins without balancing have more than 100 times "
		"as much idle time as stealing and donation.",
		isfinite(high) && isfinite(low), high >= 100 * low,
		"Two things have changed. Locks and atomics are resolved in the cache of the chip, "
		"so one lock is held for less time than a unit of work takes; and the time counted "
		"here includes what every queue costs at each unit, which stealing and donation "
		"pay too, and which sets a floor under their idle time.",
		"time without work, all workers: block %.3f ms, dist %.3f, steal %.3f, donate "
		"%.3f; the lower of the first two is %.1f times the higher of the last two",
		own[0], own[1], own[2], own[3], high / low);

	s = repro_claim(r, "An even share from a single queue", NULL);
	repro_judge(r, s,
		"With a single block queue all processors process the same amount of work.",
		block != NULL, block && unevenness(block) <= 1.15,
		"Lengths differ from unit to unit here, so equal time is not an equal number.",
		"the worker with the most units has %.2f times the mean (up to 1.15 counts as the "
		"same)",
		block ? unevenness(block) : NAN);

	s = repro_claim(r, "Private bins wait for the slowest", NULL);
	repro_judge(r, s,
		"With private bins most processors wait for a few to finish; stealing does away "
		"with it.",
		isfinite(own[1]) && isfinite(own[2]), own[1] >= 2 * own[2],
		"Initial units are taken one by one here, which evens out most of it.",
		"time without work: dist %.3f ms, steal %.3f ms, %.1f times (2 would hold)", own[1],
		own[2], own[1] / own[2]);
}

/* The share of time without work over p. */
static void idle_over_p(repro *r)
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
	s->text =
		"All workers of the machine, about the same number of units at each p. 0 % is work "
		"all the time.";
	repro_grid_show(r, s, g, "Time without work, all workers");
	repro_judge(r, s,
		"The queue decides how much of the machine is used when work is irregular.",
		isfinite(best), worst >= 2 * best,
		r->backend == LSCHED_BACKEND_CUDA
			? "At this length of tasks all four come close to each other: what the "
			  "paper's hardware lost to locks and to the latency of memory is hidden "
			  "by "
			  "thousands of warps."
			: "A few threads do not crowd any of the four queues, so they come close "
			  "to "
			  "each other.",
		"at p = 0.45 the worst of the paper's four queues leaves %.2f %% of the time "
		"unused, the best %.2f %%",
		worst, best);
}

/* Times for 15,000 units over p. */
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
	repro_grid *few = repro_alloc(r, sizeof(*few)), *many = repro_alloc(r, sizeof(*many));
	double first, last, apart = 0, best, central;
	size_t end;

	fill_figure_7(r, few, repro_pick(r, 300, 150000, 15000), r->few_workers);
	repro_grid_show(
		r, s, few, repro_text(r, "%u workers, time for 15,000 units", r->few_workers));
	fill_figure_7(r, many, repro_pick(r, 600, 600000, 150000), r->all_workers);
	repro_grid_show(r, s, many, "All workers, more units, time for 15,000 of them");
	s->text =
		"Time for 15,000 empty units, m = 2. The number of initial units is chosen so that "
		"the total is about the same at every p. ring and abp are not in the paper.";
	end = many->points - 1;
	first = many->y[0][0] / many->y[2][0];
	last = many->y[0][end] / many->y[2][end];
	repro_judge(r, s,
		"As work becomes more irregular, block queuing takes longer and longer than "
		"stealing and donation.",
		isfinite(first) && isfinite(last), last >= 1.5 && last > first,
		"One lock is enough when few processors share it: with a thread or two waiting at "
		"a time it is hardly contended.",
		"block / steal, all workers: %.2f at p = %g, %.2f at p = %g (1.5 and rising would "
		"hold)",
		first, many->x[0], last, many->x[end]);

	for (size_t i = 0; i <= end; i++)
		apart = fmax(apart, fabs(log2(many->y[2][i] / many->y[3][i])));
	s = repro_claim(r, "Stealing against donation", NULL);
	repro_judge(r, s, "Stealing and donation give about equal performance.", isfinite(apart),
		exp2(apart) <= 1.25,
		"The paper's two share the code of their bins; here donation has an inbox of its "
		"own beside the deque, where a worker looks when its deque gave nothing.",
		"at most a factor of %.2f between them over all p (1.25 would hold)", exp2(apart));

	best = fmin(many->y[2][end], fmin(many->y[3][end], many->y[5][end]));
	central = many->y[4][end];
	s = repro_claim(r, "A single queue on later hardware", NULL);
	repro_judge(r, s,
		"A single queue goes on suffering from contention as chips become more parallel "
		"(discussed for hardware to come, section 7).",
		isfinite(best) && isfinite(central), central >= 1.5 * best,
		"It was the lock, not the single queue. ring is one queue for all workers too, but "
		"its places are given out by fetch-and-add, which the cache performs at full rate "
		"however many ask.",
		"p = %g, all workers: ring %.4f ms, the best of steal, donate and abp %.4f ms, "
		"%.2f times (1.5 would hold); block %.4f ms",
		many->x[end], central, best, central / best, many->y[0][end]);
}

/* Bins down to 1/32 of what is never full. */
static void figure_8(repro *r)
{
	const uint32_t initial = r->few_workers * repro_pick(r, 4, 4096, 64);
	const uint32_t work = repro_pick(r, 5, 50, 100), repeat = repro_pick(r, 1, 7, 11);
	report_section *s =
		repro_section(r, "The price of small bins", "Tzeng, Patney, Owens 2010, figure 8");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	const gs_table *t = repro_run(r,
		"spawn -p 0.028 -m 32 -n %u -w %u --seed 8 --workers %u --queue donate --bin-size "
		"8192 -r 1 --never-keep",
		initial, work, r->few_workers);
	const gs_row *free_row = repro_row(t, "donate", 0);
	repro_cells *c;
	double worst = NAN;
	uint32_t bin = 64, most_inlined = 0;

	/* a bin has two halves, one of them for what others give */
	while (free_row && bin < 2 * free_row->stats.queue_high_water)
		bin *= 2;
	s->text = repro_text(r,
		"Units that make 32 others with probability 0.028, so that bins fill quickly. The "
		"largest bin, of %u items, is never full: the fullest had %u. The paper measured "
		"the subdivision of a teapot, and compared donation with an overflow buffer; here "
		"stealing is beside it, whose workers run themselves what does not fit.",
		bin, free_row ? free_row->stats.queue_high_water : 0);
	*g = (repro_grid){ .x_label = "items of a bin",
		.y_label = "ms",
		.x_scale = CHART_LOG2,
		.lines = 2,
		.names = { "donate", "steal" } };
	c = repro_table(r, s, "What went where",
		"items of a bin|donate, ms|donated|run inline by donate|steal, ms|run inline by "
		"steal");
	for (uint32_t part = 1; part <= 32; part *= 2) {
		const gs_row *d, *st;

		t = repro_run(r,
			"spawn -p 0.028 -m 32 -n %u -w %u --seed 8 --workers %u --queue "
			"donate,steal --bin-size %u -r %u --never-keep",
			initial, work, r->few_workers, bin / part, repeat);
		d = repro_row(t, "donate", 0);
		st = repro_row(t, "steal", 0);
		g->x[g->points] = bin / part;
		g->y[0][g->points] = repro_ms(t, "donate");
		g->y[1][g->points] = repro_ms(t, "steal");
		if (d && (isnan(worst) || g->y[0][g->points] / g->y[0][0] > worst))
			worst = g->y[0][g->points] / g->y[0][0];
		if (d && d->stats.inlined > most_inlined)
			most_inlined = (uint32_t)d->stats.inlined;
		g->points++;
		repro_cell(r, c, "%u", bin / part);
		repro_cell(r, c, "%.4f", repro_ms(t, "donate"));
		repro_cell(r, c, "%" PRIu64, d ? d->stats.donated : 0);
		repro_cell(r, c, "%" PRIu64, d ? d->stats.inlined : 0);
		repro_cell(r, c, "%.4f", repro_ms(t, "steal"));
		repro_cell(r, c, "%" PRIu64, st ? st->stats.inlined : 0);
	}
	repro_grid_show(r, s, g, "Time over the size of bins");
	repro_judge(r, s,
		"As bins become smaller, the time that donation takes is only slightly affected.",
		isfinite(worst), worst <= 1.1,
		"A donor has to look for a bin with room; when nearly all are full, as at the "
		"smallest sizes here, that takes longer than the work itself.",
		"down to 1/32 of a bin that is never full, at most %.1f %% more time (10 %% would "
		"hold); at most %u units found no room in any bin",
		(worst - 1) * 100, most_inlined);
}

void repro_2010(repro *r)
{
	figure_6(r);
	idle_over_p(r);
	figure_7(r);
	figure_8(r);
}
