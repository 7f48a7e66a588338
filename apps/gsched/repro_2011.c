/* Cederman, Tsigas: Dynamic Load Balancing Using Work-Stealing (GPU Computing Gems, 2011). Its game tree
 * of four-in-a-row is stood for by a synthetic one: seven moves in each position, the deeper the more
 * moves are looked ahead, some positions won early. */
#include "apps/gsched/repro.h"

#include <inttypes.h>
#include <math.h>

static void figure_9(repro *r)
{
	const uint32_t deepest = repro_pick(r, 4, 6, 7), work = repro_pick(r, 1, 20, 50);
	report_section *s = repro_section(r, "Stealing against a launch for every level",
		"Cederman, Tsigas 2011, figure 35.9");
	repro_grid *rate = repro_alloc(r, sizeof(*rate)), *room = repro_alloc(r, sizeof(*room));
	double gain = NAN, first_gain = NAN, less = NAN;

	*rate = (repro_grid){ .x_label = "moves looked ahead",
		.y_label = "tasks/ms",
		.lines = 2,
		.names = { "static (relaunch)", "dynamic (abp)" } };
	*room = (repro_grid){ .x_label = "moves looked ahead",
		.y_label = "room for tasks",
		.y_scale = CHART_LOG10,
		.lines = 2,
		.names = { "static (relaunch)", "dynamic (abp)" } };
	for (uint32_t moves = deepest > 4 ? 4 : 2; moves <= deepest; moves++) {
		const gs_table *t = repro_run(r,
			"recurse -t 7 -p 0.03 --levels %u -w %u --law uniform --seed 4 --workers "
			"%u --queue relaunch,abp --never-keep -r %u",
			moves, work, r->many, repro_pick(r, 1, 5, 9));
		const gs_row *fixed = repro_row(t, "relaunch", 0), *abp = repro_row(t, "abp", 0);
		const size_t k = rate->points;

		rate->x[k] = room->x[k] = moves;
		rate->y[0][k] = fixed ? row_rate(fixed) * 1e-3 : NAN;
		rate->y[1][k] = abp ? row_rate(abp) * 1e-3 : NAN;
		room->y[0][k] = fixed ? (double)fixed->stats.queue_high_water : NAN;
		room->y[1][k] =
			abp ? (double)abp->stats.queue_high_water * abp->stats.workers : NAN;
		gain = rate->y[1][k] / rate->y[0][k];
		less = room->y[0][k] / room->y[1][k];
		if (k == 0)
			first_gain = gain;
		rate->points++;
		room->points++;
	}
	s->text =
		"A tree of seven children a node stands for the game: 3 % of the positions are "
		"ends. static deals out a level of the tree to all workers and launches again for "
		"the next; dynamic has a deque for each worker. The room of the dynamic scheme is "
		"the fullest deque times the number of workers, as the chapter counts it.";
	repro_grid_show(r, s, rate, "Tasks a millisecond");
	repro_grid_show(r, s, room, "Tasks that memory must have room for");
	repro_judge(r, s, "At seven moves stealing is twice as fast as the static scheme.",
		isfinite(gain), gain >= 2,
		"A launch costs less than it did, and a level of a tree this wide keeps every "
		"worker busy without any stealing; only the ends of the launches are lost, once a "
		"level.",
		"at %u moves: %.0f tasks/ms with stealing, %.0f static, %.2f times", deepest,
		rate->y[1][rate->points - 1], rate->y[0][rate->points - 1], gain);

	s = repro_claim(r, "Stealing scales better", NULL);
	repro_judge(r, s,
		"The dynamic scheme is ahead of the static one at every number of moves, most at "
		"the highest load.",
		isfinite(gain) && isfinite(first_gain), gain > 1 && gain >= first_gain,
		"With few tasks the launches of the static scheme weigh most, so its distance is "
		"largest there and shrinks as levels become wide.",
		"%.2f times as fast at %.0f moves, %.2f times at %u", first_gain, rate->x[0], gain,
		deepest);

	s = repro_claim(r, "Stealing needs less memory", NULL);
	repro_judge(r, s,
		"The static scheme needs room for tens of times as many tasks as stealing (800,000 "
		"against 12,000 at seven moves).",
		isfinite(less), less >= 10,
		"The room of stealing is counted for each worker, and there are many more workers "
		"than the 240 thread blocks of the chapter, or the tree is smaller than at seven "
		"moves.",
		"at %u moves: %.0f tasks static, %.0f with stealing, %.1f times (10 would hold)",
		deepest, room->y[0][room->points - 1], room->y[1][room->points - 1], less);
}

void repro_2011(repro *r)
{
	figure_9(r);
}
