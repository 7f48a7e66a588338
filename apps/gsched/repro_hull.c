/* Figure 9 of Softshell (Steinberger et al. 2012, section 6.2.3): the visual hull under a time
 * limit, with a fixed threshold and by the clock. */
#include "apps/gsched/repro.h"

#include <math.h>

enum { LIMITS = 4, SPEEDS = 5 };
/* Of the limits in ms on a GPU; otherwise of the time of the full way. */
static const double limits[LIMITS] = { 0.3, 0.5, 1, 2 };
static const double speeds[SPEEDS] = { 0.1, 0.3, 1, 3, 10 };
static const double enough = 99.9; /* percent of the frames, by the aim of this workload */

#define IN_TIME "frames within the limit and a tile, %"
#define RUNS    "runs within the limit and a tile, %"
#define DONE    "change done the full way, %"

static int is_measured(const repro *r)
{
	return r->backend == LSCHED_BACKEND_CUDA && r->scale == REPRO_FULL;
}

static const gs_table *run_hull(
	repro *r, double speed, const char *method, double limit_us, uint32_t most)
{
	const int cuda = r->backend == LSCHED_BACKEND_CUDA;
	const uint32_t wide = cuda ? repro_pick(r, 64, 1280, 3840) : repro_pick(r, 64, 160, 320);
	const uint32_t frames = cuda ? repro_pick(r, 2, 100, most) : repro_pick(r, 2, 16, 48);

	return repro_run(r,
		"run hull --size %ux%u --cameras %u --silhouette %u -n %u --speed %g --method %s "
		"--threshold 2 --limit %.0f --no-plain -r %u",
		wide, wide * 9 / 16, cuda ? 16 : 8, cuda ? repro_pick(r, 64, 256, 512) : 128,
		cuda ? 5000 : 2000, speed, method, limit_us, frames);
}

/* Sets the least percentages of frames in time, and of their runs, without start and end. */
static void table_of_limits(repro *r, report_section *s, double unit_us, double least[2])
{
	static const char *const shown[] = { "mean frame, us", "longest frame, us",
		"longest tile, us", IN_TIME, RUNS, "tiles done the full way, %", DONE,
		"pixels in or out unlike the full way, %" };
	repro_cells *c = repro_table(r, s, "By the clock",
		"limit, us|mean frame, us|longest frame, us|longest tile, us|in time, %|runs in "
		"time, %|tiles done the full way, %|change done the full way, %|pixels in or out "
		"unlike it, %");

	least[0] = least[1] = INFINITY;
	for (size_t i = 0; i < LIMITS; i++) {
		const gs_table *t = run_hull(r, 1, "clock", limits[i] * unit_us, 1000);

		repro_cell(r, c, "%.0f", limits[i] * unit_us);
		for (size_t k = 0; k < sizeof(shown) / sizeof(shown[0]); k++)
			repro_cell(r, c, k < 3 ? "%.0f" : "%.2f", repro_fact(t, shown[k]));
		for (size_t k = 0; k < 2; k++) {
			const double in_time = repro_fact(t, k ? RUNS : IN_TIME);

			least[k] = isnan(in_time) || in_time < least[k] ? in_time : least[k];
		}
	}
}

/* A frame that leaves more than a quarter of the limit, though not all change was done the full
 * way, wastes it. */
static int wastes(const gs_table *t, double limit_us)
{
	return repro_fact(t, "mean frame, us") < 0.75 * limit_us && repro_fact(t, DONE) < 99;
}

static void figure_9(repro *r, double limit_us)
{
	static const char *const methods[] = { "threshold", "clock" };
	report_section *s =
		repro_claim(r, "Time of a frame, by a threshold and by the clock", NULL);
	repro_grid *g = repro_alloc(r, sizeof(*g));
	size_t missed[2] = { 0 }, wasted[2] = { 0 };
	int measured = is_measured(r);

	*g = (repro_grid){ .x_label = "change of a tile, pixels",
		.y_label = "mean time of a frame, us",
		.x_scale = CHART_LOG10,
		.y_scale = CHART_LOG10,
		.lines = 4,
		.points = SPEEDS,
		.names = { "fixed threshold", "clock", "limit", "all tiles the full way" } };
	for (size_t i = 0; i < SPEEDS; i++) {
		const gs_table *all = run_hull(r, speeds[i], "full", limit_us, 50);

		g->x[i] = repro_fact(all, "change of a tile, pixels");
		g->y[2][i] = limit_us;
		g->y[3][i] = repro_fact(all, "mean frame, us");
		for (size_t k = 0; k < 2; k++) {
			const gs_table *t = run_hull(r, speeds[i], methods[k], limit_us, 200);

			g->y[k][i] = repro_fact(t, "mean frame, us");
			missed[k] += repro_fact(t, IN_TIME) < enough;
			wasted[k] += wastes(t, limit_us);
			measured &= isfinite(g->y[k][i]);
		}
	}
	s->text = repro_text(r,
		"The mesh turns by up to %g to %g degrees in a frame. With the threshold a tile is "
		"computed if it has changed by 2 pixels or more.",
		speeds[0], speeds[SPEEDS - 1]);
	repro_grid_show(r, s, g, "Time over change");
	repro_judge(r, s,
		"A fixed threshold does not lead to the desired time of a frame; a decision by the "
		"time that is left does.",
		measured, missed[1] + wasted[1] == 0 && missed[0] + wasted[0] > 0,
		"The full way takes less time than the limit, or tiles are long against it.",
		"of %d motions the threshold missed the limit of %.0f us with %zu and wasted it "
		"with "
		"%zu, the clock with %zu and %zu (criterion: none by the clock; missed: fewer than "
		"%.1f %% of the frames within the limit and one tile; wasted: less than 75 %% of "
		"it "
		"used, with change left)",
		SPEEDS, limit_us, missed[0], wasted[0], missed[1], wasted[1], enough);
}

void repro_hull(repro *r)
{
	report_section *s = repro_section(r, "A visual hull under a time limit",
		"Steinberger et al. 2012 (Softshell), figure 9");
	const double full_us = repro_fact(run_hull(r, 1, "full", 1000, 50), "mean frame, us");
	const double unit_us = is_measured(r) ? 1000 : isfinite(full_us) ? ceil(full_us) : 1000;
	double least[2];

	table_of_limits(r, s, unit_us, least);
	s->text = repro_text(r,
		"A task is a tile of 16x16 pixels. It is computed from the cameras' silhouettes, "
		"the full way, or warped from the last frame. The most changed tiles are the "
		"first; each asks how much time is left after warping all that wait. Paper: 67 ms, "
		"one sequence of its own. Here a generated mesh turns by up to 1 degree in a "
		"frame; "
		"all tiles the full way take %.0f us. Times are those that the host sees.",
		full_us);
	repro_judge(r, s, "Frames are done within their limit.",
		is_measured(r) && isfinite(least[0]), least[0] >= enough,
		"The host may have waited for a processor: then the runs alone are in time.",
		"at least %.2f %% of the frames within the limit and one tile, and %.2f %% of "
		"their "
		"runs (criterion: %.1f %% of the frames, with 4K, 16 cameras and 1,000 frames on a "
		"GPU)",
		least[0], least[1], enough);
	figure_9(r, 0.5 * unit_us);
}
