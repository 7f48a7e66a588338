/* The CUDA half of the item programs of the tests of single calls. */
#define ITEMS_ONCE_PROGRAMS
#include "tests/libsched/items_once_programs.h"
