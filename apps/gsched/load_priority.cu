/* The CUDA program of the load. One file per load, because each queue makes a kernel. */
#define LOAD_PRIORITY_PROGRAM
#include "apps/gsched/load_priority.h"
