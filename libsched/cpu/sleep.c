/* Sleep of idle CPU workers: futex(2) and membarrier(2) of Linux. */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libsched/core/target.h"
#include "libsched/cpu/pool.h"

int lsched_i_cpu_may_sleep(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void lsched_i_cpu_barrier(void)
{
	(void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

int lsched_i_cpu_sleep(uint32_t *wakes, uint32_t seen, uint64_t ns)
{
	struct timespec t;

	t.tv_sec = (time_t)(ns / 1000000000u);
	t.tv_nsec = (long)(ns % 1000000000u);
	(void)syscall(SYS_futex, wakes, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
	return lsched_ld(wakes, acq, dev) != seen;
}

void lsched_i_cpu_wake(uint32_t *wakes, uint32_t *searching, uint32_t all)
{
	uint32_t none = 0;

	if (!all && (lsched_ld(searching, rlx, dev) || !lsched_cas(searching, &none, 1u, ar, dev)))
		return;
	(void)lsched_add(wakes, 1u, ar, dev);
	(void)syscall(SYS_futex, wakes, FUTEX_WAKE_PRIVATE, all ? INT_MAX : 1, NULL, NULL, 0);
}
