/* The program of a CUDA device. */
#define WL_SERVICE_PROGRAM
#include "workloads/service/service_task.h"
