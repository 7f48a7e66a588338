/* The CUDA half of the test programs: the same text as on the CPU. */
#define GRAPH_PROGRAMS
#include "tests/sched_graph.h"
