/* The canonical order of pairs: by a, then b. */
#ifndef COLLIDE_CORE_SORT_H
#define COLLIDE_CORE_SORT_H

#include "collide/core/context.h"

/* Most pairs that are sorted: their places are 32-bit numbers. */
#define COLLIDE_I_SORT_MOST UINT32_C(0xfffff000)

/* Sorts pairs in the memory of the tasks, whose numbers are below most_a and most_b. UNSUPPORTED:
 * too many. */
collide_status collide_i_sort(
	collide_ctx *c, col_pair *pair, uint64_t count, uint32_t most_a, uint32_t most_b);
#endif
