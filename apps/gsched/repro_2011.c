/* Cederman, Tsigas: Dynamic Load Balancing Using Work-Stealing (GPU Computing Gems, 2011). Its game tree
 * of four-in-a-row is stood for by a synthetic one: seven moves in each position, the deeper the more
 * moves are looked ahead, some positions won early. */
#include "apps/gsched/repro.h"

#include <inttypes.h>
#include <math.h>

/* A synthetic tree under both schemes of the chapter, from one size to another. */
typedef struct versus {
	const char *tree; /* the options that say what a node has */
	uint32_t from, to, work;
	repro_grid *rate, *room;
	double gain, first_gain; /* of stealing, at the largest and at the smallest size */
	double less;             /* room, at the largest */
} versus;

static void compare(repro *r, versus *v, const char *x_label)
{
	repro_grid *rate = repro_alloc(r, sizeof(*rate)), *room = repro_alloc(r, sizeof(*room));

	v->gain = v->first_gain = v->less = NAN;
	v->rate = rate;
	v->room = room;
	*rate = (repro_grid){ .x_label = x_label,
		.y_label = "tasks/ms",
		.lines = 2,
		.names = { "static (relaunch)", "dynamic (abp)" } };
	*room = (repro_grid){ .x_label = x_label,
		.y_label = "room for tasks",
		.y_scale = CHART_LOG10,
		.lines = 2,
		.names = { "static (relaunch)", "dynamic (abp)" } };
	for (uint32_t size = v->from; size <= v->to; size++) {
		const gs_table *t = repro_run(r,
			"recurse %s --levels %u -w %u --law uniform --seed 4 --workers %u "
			"--queue relaunch,abp --never-keep -r %u",
			v->tree, size, v->work, r->all_workers, repro_pick(r, 1, 5, 9));
		const gs_row *fixed = repro_row(t, "relaunch", 0), *abp = repro_row(t, "abp", 0);
		const size_t k = rate->points;

		rate->x[k] = room->x[k] = size;
		rate->y[0][k] = fixed ? row_rate(fixed) * 1e-3 : NAN;
		rate->y[1][k] = abp ? row_rate(abp) * 1e-3 : NAN;
		room->y[0][k] = fixed ? (double)fixed->stats.queue_high_water : NAN;
		room->y[1][k] =
			abp ? (double)abp->stats.queue_high_water * abp->stats.workers : NAN;
		v->gain = rate->y[1][k] / rate->y[0][k];
		v->less = room->y[0][k] / room->y[1][k];
		if (k == 0)
			v->first_gain = v->gain;
		rate->points++;
		room->points++;
	}
}

/* 1, 2, 4 ... times `least` workers up to all; returns how many numbers. */
static size_t doubled(uint32_t least, uint32_t all, double x[REPRO_POINTS])
{
	size_t n = 0;

	for (uint32_t w = least; w < all && n + 1 < REPRO_POINTS; w *= 2)
		x[n++] = w;
	x[n++] = all;
	return n;
}

static void figure_8(repro *r)
{
	enum { SIZES = 4 };
	static const char *const names[2][SIZES] = { { "1 move", "2 moves", "3 moves", "4 moves" },
		{ "4 moves", "5 moves", "6 moves", "7 moves" } };
	const uint32_t deepest = repro_pick(r, 4, 6, 7), work = repro_pick(r, 1, 20, 50);
	const uint32_t sizes = deepest == 6 ? 3 : SIZES, first = deepest - sizes + 1;
	const char *const tree =
		"recurse -t 7 -p 0.03 --law uniform --seed 4 --queue abp --never-keep";
	report_section *s = repro_section(
		r, "Stealing with few and many workers", "Cederman, Tsigas 2011, figure 35.8");
	repro_grid *rate = repro_alloc(r, sizeof(*rate));
	const gs_row *all = repro_row(
		repro_run(r, "%s --levels %u --workers %u -r 1", tree, first, r->all_workers),
		"abp", 0);
	double poor = -INFINITY, spread = 0, best[SIZES], small_loss, large_loss = 0;
	size_t last;

	*rate = (repro_grid){
		.x_label = "workers", .y_label = "tasks/ms", .x_scale = CHART_LOG2, .lines = sizes
	};
	rate->points = doubled(r->backend == LSCHED_BACKEND_CUDA ? r->few_workers : 1,
		all ? all->stats.workers : r->few_workers, rate->x);
	last = rate->points - 1;
	for (uint32_t k = 0; k < sizes; k++) {
		rate->names[k] = names[first == 4][k];
		best[k] = -INFINITY;
		for (size_t i = 0; i <= last; i++) {
			const gs_row *row = repro_row(
				repro_run(r, "%s --levels %u -w %u --workers %.0f -r %u", tree,
					first + k, work, rate->x[i], repro_pick(r, 1, 5, 9)),
				"abp", 0);

			rate->y[k][i] = row ? row_rate(row) * 1e-3 : NAN;
			best[k] = fmax(best[k], rate->y[k][i]);
			spread += rate->y[k][i]; /* NaN where one is missing */
		}
		poor = fmax(poor, rate->y[k][0] / best[k]);
		if (k)
			large_loss = fmax(large_loss, 1 - rate->y[k][last] / best[k]);
	}
	small_loss = 1 - rate->y[0][last] / best[0];
	s->text = repro_text(r,
		"The game's tree again, with one worker%s and more of them up to as many as the "
		"machine holds; the chapter: 30 to 240 thread blocks on 30 multiprocessors.",
		r->backend == LSCHED_BACKEND_CUDA ? " an SM" : "");
	repro_grid_show(r, s, rate, "Tasks a millisecond under stealing");
	repro_judge(r, s,
		"With one thread block on each multiprocessor performance is poor for every number "
		"of moves.",
		isfinite(spread) && last > 0, poor <= 0.5,
		r->backend == LSCHED_BACKEND_CUDA
			? "A tree of few positions has not enough of them for more workers."
			: "Few threads are a few times as fast as one, and a small tree is over "
			  "before all "
			  "have begun.",
		"the fewest workers reach at most %.0f %% of the best number's rate (50 would "
		"hold)",
		100 * poor);

	s = repro_claim(r, "How many workers are best", NULL);
	repro_judge(r, s,
		"With few moves too many thread blocks hurt; with more moves the most are best.",
		isfinite(spread) && last > 0, small_loss > 0.02 && large_loss <= 0.05,
		"Where the most workers do not hurt the smallest tree, idle ones disturb too "
		"little: they look at a line of signs, not into the deques. Where they hurt the "
		"larger ones, those are still too small for so many.",
		"with all %.0f workers %s lose %.0f %% against their best number, more moves at "
		"most %.0f %% (above 2 and up to 5 would hold)",
		rate->x[last], rate->names[0], 100 * small_loss, 100 * large_loss);
}

static void figure_9(repro *r)
{
	const uint32_t deepest = repro_pick(r, 4, 6, 7);
	report_section *s = repro_section(r, "Stealing against a launch for every level",
		"Cederman, Tsigas 2011, figure 35.9");
	versus v = { .tree = "-t 7 -p 0.03",
		.from = deepest > 4 ? 4 : 2,
		.to = deepest,
		.work = repro_pick(r, 1, 20, 50) };
	const repro_grid *rate, *room;
	double gain, first_gain, less;

	compare(r, &v, "moves looked ahead");
	rate = v.rate;
	room = v.room;
	gain = v.gain;
	first_gain = v.first_gain;
	less = v.less;
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

/* Particles become levels: a part of space that holds too many is cut into eight. */
static void figure_11(repro *r)
{
	const uint32_t deepest = repro_pick(r, 3, 5, 7);
	report_section *s = repro_section(
		r, "An octree by both schemes", "Cederman, Tsigas 2011, figure 35.11");
	versus v = { .tree = "-t 8 -p 0.3",
		.from = deepest > 4 ? deepest - 3 : 1,
		.to = deepest,
		.work = repro_pick(r, 1, 50, 200) };
	double grown[2];

	compare(r, &v, "levels of the octree");
	for (int k = 0; k < 2; k++)
		grown[k] = v.room->y[k][v.room->points - 1] / v.room->y[k][0];
	s->text = "Eight children a node, of which 30 % are not divided any further, stand for the "
		  "chapter's octree of 1 to 15 million particles; a level more for about six times "
		  "the particles. No particle is moved: a task is arithmetic.";
	repro_grid_show(r, s, v.rate, "Tasks a millisecond");
	repro_grid_show(r, s, v.room, "Tasks that memory must have room for");
	repro_judge(r, s,
		"On an octree stealing is slightly faster than the static scheme, 10 to 15 %.",
		isfinite(v.gain), v.gain >= 1.05 && v.gain <= 1.25,
		"It is the cost of a launch beside that of a task which decides, and both have "
		"changed since.",
		"with %u levels %.0f tasks/ms with stealing, %.0f static: %+.0f %% (5 to 25 would "
		"hold)",
		deepest, v.rate->y[1][v.rate->points - 1], v.rate->y[0][v.rate->points - 1],
		100 * (v.gain - 1));

	s = repro_claim(r, "Memory over the size of an octree", NULL);
	repro_judge(r, s,
		"The memory of stealing stays about the same while that of the static scheme grows "
		"quickly.",
		isfinite(grown[0]) && isfinite(grown[1]), grown[1] <= 2 && grown[0] >= 4 * grown[1],
		"A deque's depth grows with the levels of the tree, for a worker keeps the "
		"brothers of each node on its way down; there are only a few levels here, so that "
		"shows.",
		"from %u to %u levels: static %.1f times the room, stealing %.1f times (at most 2 "
		"and a quarter of the other would hold)",
		v.from, v.to, grown[0], grown[1]);
}

void repro_2011(repro *r)
{
	figure_8(r);
	figure_9(r);
	figure_11(r);
}
