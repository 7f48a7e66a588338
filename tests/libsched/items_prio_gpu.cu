/* The CUDA half of the item programs of the tests with priorities. */
#define ITEMS_PRIO_PROGRAMS
#include "tests/libsched/items_prio_programs.h"
