/* Generates the CUDA programs of the loads of sched_figures. */
#define FIGURES_PROGRAMS
#include "bench/figures_loads.h"
