/* Parts of all workloads: a run outside of a measurement, the clock, facts. */
#include "workloads/common/workload.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

int wl_fail(char *msg, size_t n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(msg, n, format, args);
	va_end(args);
	return -1;
}

int wl_run_once(wl_device *d, const lsched_program *program, const lsched_run_options *o,
	const void *ctx, uint32_t roots, char *msg, size_t n)
{
	lsched_run *run = NULL;
	lsched_status st;

	if (lsched_run_create(&run, d->ctx, program, o) != LSCHED_OK)
		return wl_fail(msg, n, "%s", lsched_last_error(d->ctx));
	st = lsched_run_start(run, ctx, roots, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, NULL);
	if (st != LSCHED_OK)
		snprintf(msg, n, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	return st == LSCHED_OK ? 0 : -1;
}

uint64_t wl_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void wl_add_fact(wl_work *w, const char *name, double value)
{
	if (w->facts == WL_MAX_FACTS)
		return;
	w->fact[w->facts].name = name;
	w->fact[w->facts++].value = value;
}
