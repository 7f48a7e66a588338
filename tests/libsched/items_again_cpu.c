/* The CPU half of the item programs of the tests whose items are run again. */
#define ITEMS_AGAIN_PROGRAMS
#include "tests/libsched/items_again_programs.h"
