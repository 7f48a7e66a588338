/* The table of workloads. */
#ifndef WORKLOADS_TABLE_H
#define WORKLOADS_TABLE_H

#include "workloads/common/workload.h"

/* X(name): a folder defines `const wl_type wl_NAME_type`. In the order of the lists: applications,
 * then the synthetic loads, which are commands of gsched by themselves. */
#define WORKLOADS(X) WORKLOADS_APPLICATIONS(X) WORKLOADS_SYNTHETIC(X)
#define WORKLOADS_APPLICATIONS(X) \
	X(sort) X(octree) X(bvh) X(collide) X(fourrow) X(lod) X(trace) X(hull) X(x3d)
#define WORKLOADS_SYNTHETIC(X) X(wavefront) X(spawn) X(recurse) X(queue) X(fib) X(priority)

/* Ends with NULL. */
extern const wl_type *const wl_types[];

/* Returns the workload of that name, or NULL. */
const wl_type *wl_find(const char *name);

/* Returns nonzero for a load that stands for no application. */
int wl_is_synthetic(const wl_type *type);
#endif
