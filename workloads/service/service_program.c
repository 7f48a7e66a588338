/* The program of CPU threads. */
#define WL_SERVICE_PROGRAM
#include "workloads/service/service_task.h"
