/* Form LIST as kernels. */
#include "reyes/alone/list_instances.h"
