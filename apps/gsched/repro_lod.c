/* Steinberger et al. 2012 (Softshell), table 1: simplification of a mesh for a view by tasks and by
 * kernels for each level. The models are not free, so generated meshes replace them, with views
 * that expand about as many nodes. */
#include "apps/gsched/repro.h"

#include <math.h>

/* The ratio of both times that the paper's sentences give: tasks more than twice as fast on
 * imbalanced octrees, as fast with many nodes of a balanced one, else faster. Its own figure for
 * the bus seen from close by is 1.48. */
enum { TWICE, FASTER, EQUAL };
static const struct {
	const char *claim, *criterion;
	double least, most;
} sentences[] = { { "tasks are at least twice as fast as kernels for each level",
			  "at least 2 times", 2, INFINITY },
	{ "tasks are faster than kernels for each level", "more than 1 time", 1, INFINITY },
	{ "kernels for each level are as fast as tasks", "0.8 to 1.25 times", 0.8, 1.25 } };

static const struct {
	const char *model, *scene, *view;
	uint32_t million;
	double nodes, kernels_ms, tasks_ms; /* of the paper */
	int sentence;
} rows[] = {
	{ "Happy Buddha, level 3", "sphere", "--level 3", 4, 65, 1.77, 0.87, FASTER },
	{ "Happy Buddha, level 6", "sphere", "--level 6", 4, 8300, 3.28, 1.66, FASTER },
	{ "Happy Buddha, level 9", "sphere", "--level 9", 4, 362000, 9.66, 9.15, EQUAL },
	{ "Dragon, distant", "sphere", "--pixels 8 --distance 10.7", 1, 501, 2.75, 0.85, TWICE },
	{ "Dragon, medium", "sphere", "--pixels 8 --distance 1.42", 1, 27000, 5.23, 2.48, TWICE },
	{ "Dragon, close", "sphere", "--pixels 8 --distance 0.88", 1, 66000, 7.63, 3.47, TWICE },
	{ "Bus, distant", "field", "--pixels 8 --direction 1,0.3,1 --distance 1.8", 2, 15000, 7.19,
		3.11, TWICE },
	{ "Bus, medium", "field", "--pixels 8 --direction 1,0.3,1 --distance 0.63", 2, 98000, 10.9,
		5.42, TWICE },
	{ "Bus, close", "field", "--pixels 8 --direction 1,0.3,1 --distance 0.18", 2, 227000, 36.8,
		24.9, FASTER },
};

/* The kernels are of a GPU, and with fewer nodes only launches are compared. */
static void judge(repro *r, report_section *s, size_t row, const gs_table *t)
{
	const int kind = rows[row].sentence, cuda = r->backend == LSCHED_BACKEND_CUDA;
	const double kernels = repro_ms(t, "plain"), tasks = repro_ms(t, "ring");
	const double nodes = repro_fact(t, "nodes"), ratio = kernels / tasks;

	repro_judge(r, s,
		repro_text(r, "%s, %.0f nodes: %s.", rows[row].model, rows[row].nodes,
			sentences[kind].claim),
		cuda && isfinite(ratio) && nodes >= rows[row].nodes / 2,
		ratio >= sentences[kind].least && ratio <= sentences[kind].most,
		kind == EQUAL ? "Kernels for each level write lists of nodes, which other kernels "
				"read, and the host reads their lengths; tasks do neither."
			      : repro_costs(r, "Levels are launched faster than in 2012."),
		"%.0f nodes: %s %.3f ms, tasks %.3f ms, %.2f times (paper: %.2f and %.2f ms, %.2f "
		"times; criterion: %s, by kernels on a GPU, with at least half as many nodes)",
		nodes, cuda ? "kernels" : "one thread", kernels, tasks, ratio, rows[row].kernels_ms,
		rows[row].tasks_ms, rows[row].kernels_ms / rows[row].tasks_ms,
		sentences[kind].criterion);
}

static uint32_t triangles_of(const repro *r, size_t row)
{
	return repro_pick(r, 20000, rows[row].million * 250000u, rows[row].million * 1000000u);
}

static const gs_table *run_scene(repro *r, size_t row, const char *options)
{
	return repro_run(r, "run lod --scene %s -n %u %s --queue ring -r %u%s", rows[row].scene,
		triangles_of(r, row), rows[row].view, repro_pick(r, 1, 5, 15), options);
}

/* Measures a row of the table and adds its cells. */
static const gs_table *measure_scene(repro *r, repro_cells *c, size_t row)
{
	const gs_table *t = run_scene(r, row, "");
	const gs_table *from_root = run_scene(r, row, " --front 1 --no-plain");
	const double kernels = repro_ms(t, "plain"), graph = repro_ms(t, "graph");
	const double tasks = repro_ms(t, "ring");

	repro_cell(r, c, "%s", rows[row].model);
	repro_cell(r, c, "%s of %.2f M triangles, %s", rows[row].scene, triangles_of(r, row) * 1e-6,
		rows[row].view);
	repro_cell(r, c, "%.0f", repro_fact(t, "vertices"));
	repro_cell(r, c, "%.0f", repro_fact(t, "nodes"));
	repro_cell(r, c, "%.3f", kernels);
	repro_cell(r, c, isfinite(graph) ? "%.3f" : "-", graph);
	repro_cell(r, c, "%.3f", repro_ms(from_root, "ring"));
	repro_cell(r, c, "%.3f", tasks);
	repro_cell(r, c, "%.2f", kernels / tasks);
	repro_cell(r, c, "%.2f", rows[row].kernels_ms / rows[row].tasks_ms);
	return t;
}

void repro_lod(repro *r)
{
	const size_t step = r->scale == REPRO_TINY ? 3 : 1, count = sizeof(rows) / sizeof(rows[0]);
	report_section *s = repro_section(r, "Simplification of a mesh for a view",
		"Steinberger et al. 2012 (Softshell), table 1");
	repro_cells *c = repro_table(r, s, "Times in ms",
		"paper's model|here|vertices|nodes|kernels|graph|tasks from the root|tasks|ratio "
		"to "
		"kernels|paper's ratio");

	s->text =
		"Nodes of an octree over the vertices whose cells are seen large are expanded; the "
		"others collapse to a vertex. The octree is made beforehand. Kernels: two for each "
		"level, and scans, between which the host reads the size of the next level, as in "
		"the paper. Graph: a CUDA graph that the host launches once, in which a kernel is "
		"repeated while there are nodes; the paper has none. On a GPU graph and tasks "
		"begin with the first 262,144 nodes in the order of levels; the paper's tasks "
		"begin with the root, as in one column. On the CPU a recursion of one thread takes "
		"the place of the kernels. The paper's models are replaced: a sphere with bumps "
		"has an even octree, a field of 64 spheres with 1, 1/2, 1/3 ... of the first one's "
		"triangles an uneven one.";
	for (size_t row = 0; row < count; row += step) {
		if (row)
			s = repro_claim(
				r, repro_text(r, "Simplification: %s", rows[row].model), NULL);
		judge(r, s, row, measure_scene(r, c, row));
	}
}
