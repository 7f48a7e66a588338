/* The CUDA program. */
#define COLLIDE_I_PAIRS_PROGRAM
#include "collide/pairs/pairs.h"
