/* The CUDA program. */
#define COLLIDE_I_STEPS_PROGRAM
#include "collide/core/steps.h"
