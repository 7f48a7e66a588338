/* The libsched programs of the loads, for both backends. */
#ifndef APPS_GSCHED_LOADS_H
#define APPS_GSCHED_LOADS_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <libsched/sched.h>
#include "apps/gsched/load_fib.h"
#include "apps/gsched/load_ops.h"
#include "apps/gsched/load_priority.h"
#include "apps/gsched/load_tree.h"
#include "apps/gsched/load_tree_items.h"
#include "apps/gsched/load_wavefront.h"

extern const lsched_program gswave_cpu_program, gstree_cpu_program, gsops_cpu_program;
extern const lsched_program gsprio_cpu_program;
extern const lsched_program gslane_cpu_program, gswarp_cpu_program, gsfib_cpu_program;
#ifdef HAVE_CUDA
extern const lsched_program gswave_cuda_program, gstree_cuda_program, gsops_cuda_program;
extern const lsched_program gsprio_cuda_program;
extern const lsched_program gslane_cuda_program, gswarp_cuda_program, gsfib_cuda_program;
#define LOAD_CUDA(program) (&program)
#else
#define LOAD_CUDA(program) NULL
#endif

#endif
