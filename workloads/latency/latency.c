/* The table of latencies, and runs of libsched. */
#include "workloads/latency/latency.h"
#include "workloads/common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void lat_add(lat_table *t, const char *name, const char *what, const char *unit, uint32_t n)
{
	lat_figure *f = &t->row[t->count];

	if (t->count == LAT_MAX_FIGURES)
		return;
	t->count++;
	qsort(t->sample, n, sizeof(*t->sample), by_value);
	f->name = name;
	f->what = what;
	f->unit = unit;
	f->least = t->sample[0];
	f->median = t->sample[n / 2];
	f->p99 = t->sample[(n * 99 + 99) / 100 - 1];
	f->samples = n;
}

const lat_figure *lat_find(const lat_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (strcmp(t->row[i].name, name) == 0)
			return &t->row[i];
	return NULL;
}

WL_PROGRAM(latempty);

/* Times runs of one empty task, from start to finish. The first one is not counted. */
static lsched_status time_runs(lat_table *t, lsched_run *run)
{
	const uint32_t ctx = 0;
	lsched_status st = LSCHED_OK;
	uint32_t k = 0;

	for (; k <= t->samples && !wl_stopped(t->d); k++) {
		const uint64_t begin = wl_now_ns();

		st = lsched_run_start(run, &ctx, 1, NULL);
		if (st == LSCHED_OK)
			st = lsched_run_finish(run, NULL);
		if (st != LSCHED_OK)
			return st;
		if (k > 0)
			t->sample[k - 1] = (double)(wl_now_ns() - begin) * 1e-3;
	}
	if (k > t->samples)
		lat_add(t, "run", "libsched: a run of one empty task, start and finish", "us",
			t->samples);
	return st;
}

static int runs(lat_table *t, char *msg, size_t n)
{
	const lsched_program *p =
		wl_is_cuda(t->d) ? WL_CUDA(latempty_cuda_program) : &latempty_cpu_program;
	lsched_run_options o;
	lsched_run *run;
	lsched_status st;

	lsched_run_options_init(&o);
	o.max_tasks = 1;
	if (lsched_run_create(&run, t->d->ctx, p, &o) != LSCHED_OK) {
		snprintf(msg, n, "%s", lsched_last_error(t->d->ctx));
		return -1;
	}
	st = time_runs(t, run);
	if (st != LSCHED_OK)
		snprintf(msg, n, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	return st != LSCHED_OK ? -1 : 0;
}

int lat_measure(const wl_device *d, uint32_t samples, lat_table *t, char *msg, size_t n)
{
	int bad;

	memset(t, 0, sizeof(*t));
	t->d = d;
	t->samples = samples;
	t->sample = wl_host_alloc(samples * sizeof(*t->sample), msg, n);
	if (!t->sample)
		return -1;
#ifdef HAVE_CUDA
	bad = wl_is_cuda(d) ? lat_cuda(t, msg, n) : lat_cpu(t, msg, n);
#else
	bad = lat_cpu(t, msg, n);
#endif
	if (!bad)
		bad = runs(t, msg, n);
	free(t->sample);
	t->sample = NULL;
	return bad ? bad : wl_stopped(d) ? WL_STOPPED : 0;
}
