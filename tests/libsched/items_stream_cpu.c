/* The CPU half of the item programs of the tests that append to streams. */
#define ITEMS_STREAM_PROGRAMS
#include "tests/libsched/items_stream_programs.h"
