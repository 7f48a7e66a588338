/* The CPU half of the item programs of the tests that are stopped and continued. */
#define ITEMS_STOP_PROGRAMS
#include "tests/libsched/items_stop_programs.h"
