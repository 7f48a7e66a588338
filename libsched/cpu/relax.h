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
/* cpu/sleep.c, see core/idle.h. barrier: a full memory barrier of all running threads of this
 * process. sleep: sleeps at most ns while *wakes is `seen`; returns whether it is another value.
 * wake: increments *wakes and wakes all sleepers, or one if *searching is 0, and sets that. */
void lsched_i_cpu_barrier(void);
int lsched_i_cpu_sleep(uint32_t *wakes, uint32_t seen, uint64_t ns);
void lsched_i_cpu_wake(uint32_t *wakes, uint32_t *searching, uint32_t all);
#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
