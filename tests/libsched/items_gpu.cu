/* The CUDA half of the item programs of the tests. */
#define ITEMS_PROGRAMS
#include "tests/libsched/items_programs.h"
