/* Options of the workloads `spawn` and `recurse`. */
#ifndef WORKLOADS_TREE_OPTIONS_H
#define WORKLOADS_TREE_OPTIONS_H

#include "workloads/common/length.h"

/* In the order of the choices of --grain. */
enum { TREE_GRAIN_TASK, TREE_GRAIN_WARP, TREE_GRAIN_LANE };

typedef struct tree_options {
	double p;
	uint32_t children, initial, levels;
	wl_length_options length;
	int time_work, grain;
} tree_options;

/* As wl_type.create; `probability` is that of a node with children. */
int tree_create(wl_work *l, wl_device *d, const tree_options *o, double probability, char *msg,
	size_t msg_bytes);
#endif
