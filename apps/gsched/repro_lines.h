/* Lines of code of the workloads: written by bench/lines.py, do not edit. */
#ifndef APPS_GSCHED_REPRO_LINES_H
#define APPS_GSCHED_REPRO_LINES_H

/* The text of the tasks, those of it in the program without libsched, too, that program's own. */
static const struct {
	const char *name;
	unsigned tasks, shared, plain;
} repro_code_lines[] = {
	{ "sort", 957, 0, 246 },
	{ "octree", 1009, 99, 339 },
	{ "bvh", 4554, 3882, 287 },
	{ "collide", 713, 268, 98 },
	{ "fourrow, without the solver", 347, 264, 105 },
	{ "lod", 371, 200, 133 },
	{ "trace", 596, 406, 34 },
	{ "hull", 245, 164, 35 },
	{ "x3d", 1477, 1473, 129 },
};
#endif
