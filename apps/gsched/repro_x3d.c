/* Steinberger et al. 2012 (Softshell), figure 10: a parser of X3D by tasks and by a kernel for each
 * step. The paper's scene was not published, so a generated one has as many bytes and shapes. */
#include "apps/gsched/repro.h"

#include <math.h>

enum { LEAST = 10000000 }; /* bytes: of fewer only launches are compared */
static const double paper_kernels_ms = 71.25, paper_tasks_ms = 36.56;

static const gs_table *run_parser(repro *r, const char *options)
{
	return repro_run(r, "run x3d -n %u --queue ring -r %u%s",
		repro_pick(r, 20000, 1000000, 13000000), repro_pick(r, 1, 5, 15), options);
}

static void add_row(repro *r, repro_cells *c, const char *name, const gs_table *t)
{
	const double kernels = repro_ms(t, "plain"), graph = repro_ms(t, "graph");
	const double tasks = repro_ms(t, "ring");
	const gs_row *row = repro_row(t, "ring", 0);

	repro_cell(r, c, "%s", name);
	repro_cell(r, c, "%.3f", kernels);
	repro_cell(r, c, isfinite(graph) ? "%.3f" : "-", graph);
	repro_cell(r, c, "%.3f", tasks);
	repro_cell(r, c, "%.2f", kernels / tasks);
	repro_cell(r, c, "%.2f", row ? (double)row->operations / tasks * 1e-6 : NAN);
}

void repro_x3d(repro *r)
{
	const int cuda = r->backend == LSCHED_BACKEND_CUDA;
	report_section *s = repro_section(
		r, "A parser of X3D", "Steinberger et al. 2012 (Softshell), figure 10");
	repro_cells *c = repro_table(
		r, s, "Times in ms", "text|kernels|graph|tasks|ratio to kernels|tasks, GB/s");
	const gs_table *t = run_parser(r, "");
	const double kernels = repro_ms(t, "plain"), tasks = repro_ms(t, "ring");
	const gs_row *row = repro_row(t, "ring", 0);

	s->text =
		"Elements, attributes and numbers of a scene of 13 MB with 1,400 shapes, in "
		"passes over the whole text. Kernels: one for each pass and between passes, each "
		"of which the host waits for; the paper's peer has about 80. Graph: the same as a "
		"CUDA graph; the paper has none. On the CPU a reader of one thread takes the "
		"place of the kernels. The first row begins with the text in the memory of the "
		"GPU, the second one with the text in that of the host: the copy is within the "
		"time. The trees are compared with that of one thread, floats with those of "
		"strtof.";
	add_row(r, c, cuda ? "in the memory of the GPU" : "in memory", t);
	if (cuda)
		add_row(r, c, "in the memory of the host", run_parser(r, " --upload"));
	repro_judge(r, s, "Tasks parse nearly twice as fast as a kernel for each step.",
		cuda && row && row->operations >= LEAST && isfinite(kernels / tasks),
		kernels >= 1.8 * tasks,
		"A launch and the wait for it take less than in 2012, and the steps are 7 kernels, "
		"not 80.",
		"%s %.3f ms, tasks %.3f ms: %.2f times (paper: %.2f and %.2f ms, %.2f times; "
		"criterion: at least 1.8 times, by kernels on a GPU, with at least 10 MB)",
		cuda ? "kernels" : "one thread", kernels, tasks, kernels / tasks, paper_kernels_ms,
		paper_tasks_ms, paper_kernels_ms / paper_tasks_ms);
}
