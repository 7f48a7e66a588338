/* The CUDA program. */
#define COLLIDE_I_ORDER_PROGRAM
#include "collide/core/order.h"
