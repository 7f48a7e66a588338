/* The empty program of CPU threads. */
#include "workloads/latency/latency_task.h"
