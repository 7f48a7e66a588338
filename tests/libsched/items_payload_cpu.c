/* The CPU half of the item programs of the tests that pass on payload blocks. */
#define ITEMS_PAYLOAD_PROGRAMS
#include "tests/libsched/items_payload_programs.h"
