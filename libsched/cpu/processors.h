/* The processors that this process may use. */
#ifndef LIBSCHED_CPU_PROCESSORS_H
#define LIBSCHED_CPU_PROCESSORS_H

#include <stdint.h>

/* cpu/processors.c: returns the processors that the control groups of a process allow, rounded up,
 * at least 1; 0: no limit. groups: a file like /proc/self/cgroup; v2, v1: where the hierarchies of
 * version 2 and of version 1's controller `cpu` are mounted. */
uint32_t lsched_i_group_processors(const char *groups, const char *v2, const char *v1);

#endif
