/* The forms for CPU threads. */
#include "reyes/alone/list_instances.h"
#include "reyes/alone/items_instances.h"
#include "reyes/alone/tasks_instances.h"
#include "reyes/alone/dice_instances.h"
