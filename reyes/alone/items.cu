/* Form ITEMS as kernels. */
#include "reyes/alone/items_instances.h"
