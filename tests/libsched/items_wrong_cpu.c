/* The CPU half of the item programs of the tests with one wrong item. */
#define ITEMS_WRONG_PROGRAMS
#include "tests/libsched/items_wrong_programs.h"
