/* Monotonic clock. */
#ifndef NQUEENS_CORE_CLOCK_H
#define NQUEENS_CORE_CLOCK_H

#include <stdint.h>

uint64_t nq_i_now_ns(void);

#endif
