/* The CPU half of the item programs of the tests that value game trees. */
#define ITEMS_GAME_PROGRAMS
#include "tests/libsched/items_game_programs.h"
