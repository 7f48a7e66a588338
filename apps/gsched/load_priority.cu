/* The CUDA half of the load, in a file of its own: every queue is a kernel. */
#define LOAD_PRIORITY_PROGRAM
#include "apps/gsched/load_priority.h"
