/* Counts the units of a run by the join with sorted patterns on one device. Items of several units
 * are counted together; a unit is recorded when its last item is counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/cuda/current.cuh"
#include "nqueens/cuda/run_cuda.h"
#include "nqueens/cuda/sieve.h"
#include "nqueens/run/backend.h"

enum {
	SLOTS = 1 << 12,      /* units whose items are counted or wait */
	FIRST_TASKS = 1 << 12 /* room for items at first */
};

typedef struct sieve_run {
	nq_i_cuda *d;
	const nq_i_join *t;
	nq_i_sieve_device *device;
	nq_i_join_item *items;  /* [nq_i_join_items_max()] */
	nq_i_sieve_task *tasks; /* [room]; those from `next` on wait */
	uint32_t room, next, count;
	/* units first .. end - 1, each at its number modulo SLOTS */
	uint32_t first, end;
	uint32_t units[SLOTS], left[SLOTS]; /* left: items that are not counted */
	uint64_t counts[SLOTS];
} sieve_run;

/* Appends the items of a unit. */
static nq_status add_unit(sieve_run *f, uint32_t unit)
{
	const nq_i_run *r = f->d->run;
	const uint32_t slot = f->end % SLOTS;
	const uint32_t n = nq_i_join_items(f->t, &r->plan->units[unit], slot, f->items);

	if (f->count + n > f->room) {
		const uint32_t room = 2 * (f->count + n);
		nq_i_sieve_task *more = (nq_i_sieve_task *)realloc(f->tasks, room * sizeof(*more));

		if (!more)
			return nq_i_cuda_error(f->d, NQ_ERR_NOMEM, "out of memory", "");
		f->tasks = more;
		f->room = room;
	}
	for (uint32_t i = 0; i < n; i++) {
		nq_i_sieve_task *task = &f->tasks[f->count++];

		task->item = f->items[i];
		for (uint32_t q = 0; q < 4; q++)
			task->given.quarter[q] = NQ_I_SIEVE_NONE_GIVEN;
	}
	f->units[slot] = unit;
	f->left[slot] = n;
	f->counts[slot] = 0;
	f->end++;
	return NQ_OK;
}

/* Records the units whose items are all counted; items are counted in order. */
static void record_units(sieve_run *f, uint32_t done)
{
	for (uint32_t i = 0; i < done; i++)
		f->left[f->tasks[f->next++].item.slot]--;
	for (; f->first != f->end && !f->left[f->first % SLOTS]; f->first++)
		nq_i_run_enter(f->d->run, f->units[f->first % SLOTS], f->counts[f->first % SLOTS]);
}

/* Fetches units until a batch of items waits, or none are left. More would be units that no other
 * device counts. */
static nq_status fetch_units(sieve_run *f)
{
	const uint32_t batch = nq_i_sieve_device_items(f->device);

	memmove(f->tasks, f->tasks + f->next, (f->count - f->next) * sizeof(*f->tasks));
	f->count -= f->next;
	f->next = 0;
	while (f->count < batch && f->end - f->first < SLOTS) {
		uint32_t at;
		nq_status st;

		if (!nq_i_cuda_fetch(f->d, 1, &at))
			return NQ_OK;
		st = add_unit(f, f->d->run->todo[at]);
		if (st != NQ_OK)
			return st;
		/* a unit without items is done already */
		record_units(f, 0);
	}
	return NQ_OK;
}

static int stopped(void *opaque)
{
	return nq_i_cuda_stopped((const nq_i_cuda *)opaque);
}

static nq_status count_all(sieve_run *f)
{
	for (;;) {
		nq_i_sieve_figures figures;
		uint32_t done = 0;
		const char *why;
		cudaError_t e;
		const nq_status st = fetch_units(f);

		if (st != NQ_OK)
			return st;
		if (!f->count || nq_i_cuda_stopped(f->d))
			return NQ_OK;
		e = nq_i_sieve_device_count(
			f->device, f->tasks, f->count, f->counts, SLOTS, &done, &why);
		nq_i_sieve_device_figures(f->device, &figures);
		f->d->kernel_ns = figures.kernel_ns;
		if (e != cudaSuccess)
			return nq_i_cuda_join_error(f->d, e, why);
		if (!done)
			return NQ_OK;
		record_units(f, done);
	}
}

extern "C" nq_status nq_i_cuda_sieve(nq_i_cuda *d)
{
	sieve_run *f = (sieve_run *)calloc(1, sizeof(*f));
	nq_status st = NQ_OK;
	const nq_i_sieve_options o = { d->run->o->memory_bytes, 0, stopped, d };
	const char *why;
	cudaError_t e;

	if (!f)
		return nq_i_cuda_error(d, NQ_ERR_NOMEM, "out of memory", "");
	f->d = d;
	f->t = d->run->plan->join;
	f->room = FIRST_TASKS;
	f->items = (nq_i_join_item *)malloc(nq_i_join_items_max(f->t) * sizeof(*f->items));
	f->tasks = (nq_i_sieve_task *)malloc(f->room * sizeof(*f->tasks));
	if (!f->items || !f->tasks)
		st = nq_i_cuda_error(d, NQ_ERR_NOMEM, "out of memory", "");
	if (st == NQ_OK) {
		e = nq_i_sieve_device_create(&f->device, f->t, &o, &why);
		if (e != cudaSuccess)
			st = nq_i_cuda_join_error(f->d, e, why);
	}
	if (f->device) {
		d->workers = nq_i_sieve_device_warps(f->device);
		st = count_all(f);
	}
	nq_i_sieve_device_destroy(f->device);
	free(f->items);
	free(f->tasks);
	free(f);
	return st;
}

/* ---- tasks without a run ---- */

struct nq_i_sieve_session {
	device_context context;
	nq_i_sieve_device *device;
	uint64_t kernel_ns; /* of the preparation and of reported calls */
};

static nq_status write_error(nq_i_sieve_report *report, cudaError_t e, const char *what)
{
	(void)cudaGetLastError();
	snprintf(report->message, sizeof(report->message), "%s: %s", what, cudaGetErrorString(e));
	return e == cudaErrorNotSupported       ? NQ_ERR_UNSUPPORTED
	       : e == cudaErrorMemoryAllocation ? NQ_ERR_NOMEM
						: NQ_ERR_DEVICE;
}

static int cancelled(void *opaque)
{
	const nq_run_options *o = (const nq_run_options *)opaque;

	return o->cancel && *o->cancel;
}

extern "C" nq_status nq_i_sieve_open(nq_i_sieve_session **out, const nq_i_join *t,
	const nq_run_options *o, nq_i_sieve_report *report)
{
	const int device = o->device == NQ_CURRENT_DEVICE ? nq_i_cuda_current()
			   : o->device < 0                ? 0
							  : o->device;
	const nq_i_sieve_options so = { o->memory_bytes, 0, cancelled, (void *)o };
	nq_i_sieve_session *s;
	device_guard g;
	const char *why;
	cudaError_t e;

	*out = NULL;
	s = (nq_i_sieve_session *)calloc(1, sizeof(*s));
	if (!s)
		return write_error(report, cudaErrorMemoryAllocation, "out of memory");
	e = device < 0 ? cudaErrorNoDevice : device_context_find(&s->context, device);
	if (e == cudaSuccess)
		e = guard_enter(&g, &s->context);
	if (e != cudaSuccess) {
		free(s);
		(void)write_error(report, e, "the CUDA device cannot be used");
		return NQ_ERR_NO_DEVICE;
	}
	e = nq_i_sieve_device_create(&s->device, t, &so, &why);
	guard_leave(&g);
	if (s->device) {
		nq_i_sieve_figures figures;

		nq_i_sieve_device_figures(s->device, &figures);
		s->kernel_ns = figures.kernel_ns;
		*out = s;
		return NQ_OK;
	}
	free(s);
	return e == cudaSuccess ? NQ_CANCELLED : write_error(report, e, why);
}

extern "C" nq_status nq_i_sieve_count(nq_i_sieve_session *s, const nq_i_sieve_task *tasks,
	uint32_t count, uint64_t *counts, uint32_t slots, nq_i_sieve_report *report)
{
	nq_i_sieve_figures figures;
	nq_status st = NQ_OK;
	device_guard g;
	cudaError_t e = guard_enter(&g, &s->context);

	if (e != cudaSuccess)
		return write_error(report, e, "CUDA context");
	for (uint32_t at = 0, done; at < count && st == NQ_OK; at += done) {
		const char *why;

		e = nq_i_sieve_device_count(
			s->device, tasks + at, count - at, counts, slots, &done, &why);

		if (e != cudaSuccess)
			st = write_error(report, e, why);
		else if (!done)
			st = NQ_CANCELLED;
	}
	guard_leave(&g);
	nq_i_sieve_device_figures(s->device, &figures);
	report->kernel_ns = figures.kernel_ns - s->kernel_ns;
	report->bytes = figures.bytes;
	s->kernel_ns = figures.kernel_ns;
	return st;
}

extern "C" void nq_i_sieve_close(nq_i_sieve_session *s)
{
	device_guard g;

	if (s && guard_enter(&g, &s->context) == cudaSuccess) {
		nq_i_sieve_device_destroy(s->device);
		guard_leave(&g);
	}
	free(s);
}

extern "C" nq_status nq_i_sieve_cuda(const nq_i_join *t, const nq_run_options *o,
	const nq_i_sieve_task *tasks, uint32_t count, uint64_t *counts, uint32_t slots,
	nq_i_sieve_report *report)
{
	nq_i_sieve_session *s;
	nq_status st = nq_i_sieve_open(&s, t, o, report);

	if (st == NQ_OK)
		st = nq_i_sieve_count(s, tasks, count, counts, slots, report);
	nq_i_sieve_close(s);
	return st;
}
