/* The table of workloads. */
#ifndef WORKLOADS_TABLE_H
#define WORKLOADS_TABLE_H

#include "workloads/common/workload.h"

/* X(name): workloads/NAME defines `const wl_type wl_NAME_type`. In the order of the lists. */
#define WORKLOADS(X)

/* Ends with NULL. */
extern const wl_type *const wl_types[];

/* Returns the workload of that name, or NULL. */
const wl_type *wl_find(const char *name);
#endif
