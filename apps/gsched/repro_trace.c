/* The path tracer of Softshell (Steinberger et al. 2012, section 6.2.2): table 2, what regrouping
 * gains, and figure 8, the error with priorities by variance. */
#include "apps/gsched/repro.h"

#include <math.h>

static double fill_of(const gs_table *t)
{
	const gs_row *row = repro_row(t, "ring", 0);

	return row && row->stats.batches
		       ? (double)row->stats.batch_items / (double)row->stats.batches
		       : NAN;
}

enum { ENDS = 2, SPHERES = 3 };

/* A row of the table. Returns the gain of regrouping over paths that run to their ends. */
static double table_2_row(repro *r, repro_cells *cells, const char *end, uint32_t spheres)
{
	const int cuda = r->backend == LSCHED_BACKEND_CUDA;
	const uint32_t side = cuda ? repro_pick(r, 16, 400, 800) : repro_pick(r, 16, 64, 200);
	const uint32_t samples = cuda ? repro_pick(r, 4, 64, 512) : repro_pick(r, 4, 16, 64);
	const char *const load =
		repro_text(r, "run trace --size %ux%u --samples %u -n %u --end %s -r %u", side,
			side, samples, spheres, end, repro_pick(r, 1, 3, 3));
	const gs_table *whole = repro_run(r, "%s --regroup none", load);
	const gs_table *turns = repro_run(r, "%s --regroup turns --no-plain", load);
	const gs_table *lanes = repro_run(r, "%s --regroup lanes --no-plain", load);

	repro_cell(r, cells, "%s", end);
	repro_cell(r, cells, "%u", spheres);
	repro_cell(r, cells, "%.2f", repro_fact(whole, "lanes that wait, with a path each"));
	repro_cell(r, cells, "%.2f", repro_ms(whole, "plain"));
	repro_cell(r, cells, "%.2f", repro_ms(whole, "ring"));
	repro_cell(r, cells, "%.2f", repro_ms(turns, "ring"));
	repro_cell(r, cells, "%.1f", fill_of(turns));
	repro_cell(r, cells, "%.2f", repro_ms(lanes, "ring"));
	return repro_ms(whole, "ring") / repro_ms(turns, "ring") - 1;
}

static void table_2(repro *r)
{
	static const char *const ends[ENDS] = { "cut", "roulette" };
	static const uint32_t spheres[SPHERES] = { 3, 8, 16 };
	report_section *s = repro_section(
		r, "Regrouping of paths", "Steinberger et al. 2012 (Softshell), table 2");
	repro_cells *cells = repro_table(r, s, "Milliseconds for the picture",
		"end of paths|spheres|lanes that wait|without tasks|tasks, not regrouped|regrouped|"
		"items a batch|lanes refilled");
	double least = INFINITY, most = -INFINITY;
	int measured = 1;

	s->text = "A Cornell box with spheres. The paper's cut ends a path that carries less than "
		  "0.1 %. Lanes that wait: if each lane of a warp has a path until the longest one "
		  "ends (paper: 0.52, 0.63, 0.76). Regrouped: after each two bounces, by the kind "
		  "of surface. Lanes refilled: a lane whose path ends begins the next one, for 16 "
		  "bounces.";
	for (size_t e = 0; e < ENDS; e++)
		for (size_t i = 0; i < SPHERES; i++) {
			const double gain = table_2_row(r, cells, ends[e], spheres[i]);

			if (e > 0)
				continue; /* the paper has the cut only */
			measured &= isfinite(gain);
			least = fmin(least, gain);
			most = fmax(most, gain);
		}
	repro_judge(r, s, "Regrouping raises the performance of path tracing by 4 to 15 %.",
		measured && r->backend == LSCHED_BACKEND_CUDA && r->scale == REPRO_FULL,
		least >= 0.04,
		r->backend == LSCHED_BACKEND_CUDA
			? "The turns cost more than the lanes that no longer wait save."
			: "A CPU worker runs one path at a time: none waits for another one.",
		"with the cut %+.1f to %+.1f %% (criterion: at least 4 %% with each number of "
		"spheres)",
		100 * least, 100 * most);
}

static void figure_8(repro *r)
{
	static const char *const orders[] = { "even", "variance" };
	const int cuda = r->backend == LSCHED_BACKEND_CUDA;
	const uint32_t side = cuda ? repro_pick(r, 16, 200, 800) : repro_pick(r, 16, 32, 64);
	const uint32_t reference =
		cuda ? repro_pick(r, 64, 4096, 8192) : repro_pick(r, 64, 512, 2048);
	report_section *s = repro_section(r, "Error with priorities by variance",
		"Steinberger et al. 2012 (Softshell), figure 8");
	repro_grid *g = repro_alloc(r, sizeof(*g));
	size_t better = 0;
	int measured = r->scale != REPRO_TINY;

	*g = (repro_grid){ .x_label = "paths a pixel",
		.y_label = "mean squared error",
		.x_scale = CHART_LOG2,
		.y_scale = CHART_LOG10,
		.lines = 2,
		.points = r->scale == REPRO_TINY ? 2 : 5,
		.names = { "all pixels evenly", "the most uncertain first" } };
	for (size_t i = 0; i < g->points; i++) {
		g->x[i] = (double)(16u << i);
		for (size_t k = 0; k < 2; k++)
			g->y[k][i] = repro_fact(
				repro_run(r,
					"run trace --size %ux%u --samples %u --order %s "
					"--reference %u --visit 8 --queue prio --no-plain -r 1",
					side, side, 16u << i, orders[k], reference),
				"mean squared error");
		better += g->y[1][i] < g->y[0][i];
		measured &= isfinite(g->y[0][i]) && isfinite(g->y[1][i]);
	}
	s->text = repro_text(r,
		"Patches of 4x4 pixels are tasks under the queue prio. A visit traces 8 paths of "
		"each pixel; then the patch waits with the variance of its paths by the square of "
		"their number as priority, or, evenly, with the number of its visits. The error is "
		"that against a picture of %u paths a pixel.",
		reference);
	repro_grid_show(r, s, g, "Error over paths");
	repro_judge(r, s,
		"Paths for uncertain regions first make a picture with less error from as many "
		"paths.",
		measured, better == g->points,
		"The variance of few paths is not known well, and the reference has an error, too.",
		"less error in %zu of %zu pictures; with %.0f paths a pixel %.3g instead of %.3g "
		"(criterion: in all)",
		better, g->points, g->x[g->points - 1], g->y[1][g->points - 1],
		g->y[0][g->points - 1]);
}

void repro_trace(repro *r)
{
	table_2(r);
	figure_8(r);
}
