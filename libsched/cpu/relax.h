/* Clock and backoff of CPU threads; also for the host half of a .cu file. */
#ifndef LIBSCHED_CPU_RELAX_H
#define LIBSCHED_CPU_RELAX_H

#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif
/* cpu/clock.c, now: returns CLOCK_MONOTONIC. cpu/relax.c, relax: executes one step of a wait; steps
 * get longer with `spins`. */
uint64_t lsched_i_cpu_now_ns(void);
void lsched_i_cpu_relax(uint32_t spins);
#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
