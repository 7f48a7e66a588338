/* Form TASKS as kernels. */
#include "reyes/alone/tasks_instances.h"
