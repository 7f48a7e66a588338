/* The CUDA backend: one host thread per device. */
#include "libsched/core/say.h"
#include "nqueens/cuda/run_cuda.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsched/core/thread.h"
#include "nqueens/cost/model.h"
#include "nqueens/join/sieve.h"
#include "nqueens/run/backend.h"

enum { POLL_NS = 5000000 }; /* polling interval of the thread that called nq_run */

typedef struct nq_i_cuda_share {
	uint32_t next, devices; /* next: index into run->todo */
	int failed;             /* a device has failed; the others stop */
	pthread_mutex_t lock;
	pthread_cond_t ended;
	uint32_t running; /* devices, under the lock */
} nq_i_cuda_share;

int nq_i_cuda_stopped(const nq_i_cuda *d)
{
	return nq_i_run_stopped(d->run) || __atomic_load_n(&d->share->failed, __ATOMIC_RELAXED);
}

uint32_t nq_i_cuda_fetch(nq_i_cuda *d, uint32_t most, uint32_t *first)
{
	const uint32_t count = d->run->todo_count;
	uint32_t at;

	*first = 0;
	if (nq_i_cuda_stopped(d))
		return 0;
	at = __atomic_fetch_add(&d->share->next, most, __ATOMIC_RELAXED);
	if (at >= count || at + most < at) {
		__atomic_store_n(&d->share->next, count, __ATOMIC_RELAXED);
		return 0;
	}
	*first = at;
	return count - at < most ? count - at : most;
}

uint32_t nq_i_cuda_batch_size(const nq_i_cuda *d, uint32_t most)
{
	const uint32_t next = __atomic_load_n(&d->share->next, __ATOMIC_RELAXED);
	const uint32_t left = next < d->run->todo_count ? d->run->todo_count - next : 0;
	const uint32_t devices = d->share->devices,
		       fair = devices > 1 ? left / (2 * devices) : left;

	return fair < 1 ? 1 : fair < most ? fair : most;
}

void nq_i_cuda_set_cancel(nq_i_cuda *d, lsched_run *run)
{
	pthread_mutex_lock(&d->share->lock);
	d->to_cancel = run;
	pthread_mutex_unlock(&d->share->lock);
}

nq_status nq_i_cuda_error(nq_i_cuda *d, nq_status status, const char *what, const char *why)
{
	return lsched_i_say(status, d->message, sizeof(d->message), "CUDA device %d: %s%s%s",
		d->device, what, *what && *why ? ": " : "", why);
}

static nq_status count(nq_i_cuda *d)
{
	const char *why = nq_i_cuda_use(d->device);
	lsched_device_info info = { .struct_bytes = sizeof(info) };

	if (why)
		return nq_i_cuda_error(d, NQ_ERR_NO_DEVICE, "cannot be used", why);
	if (lsched_device_get_info(d->device, &info) == LSCHED_OK)
		memcpy(d->name, info.name, sizeof(d->name));
	switch (d->run->plan->method) {
	case NQ_METHOD_TASKS:
		return nq_i_cuda_tasks(d);
	case NQ_METHOD_JOIN:
		return d->run->plan->n < NQ_I_SIEVE_PAYS_N ? nq_i_cuda_join(d) : nq_i_cuda_sieve(d);
	default:
		return nq_i_cuda_backtrack(d);
	}
}

static void *thread_of(void *opaque)
{
	nq_i_cuda *d = (nq_i_cuda *)opaque;
	nq_i_cuda_share *s = d->share;

	d->status = count(d);
	if (d->status != NQ_OK)
		__atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&s->lock);
	s->running--;
	pthread_cond_signal(&s->ended);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Repeated at each poll, since a device may start its execution after the run has
 * stopped. Needs the lock. */
static void cancel_executions(const nq_i_cuda_share *s, const nq_i_cuda *d)
{
	for (uint32_t i = 0; i < s->devices; i++)
		if (d[i].to_cancel)
			(void)lsched_run_cancel(d[i].to_cancel);
}

/* Polls the run until all devices have ended. */
static void watch(nq_i_run *r, nq_i_cuda_share *s, const nq_i_cuda *d)
{
	pthread_mutex_lock(&s->lock);
	while (s->running) {
		const struct timespec until = lsched_i_deadline(POLL_NS);
		uint64_t nodes = 0;

		pthread_cond_timedwait(&s->ended, &s->lock, &until);
		pthread_mutex_unlock(&s->lock);
		for (uint32_t i = 0; i < s->devices; i++)
			nodes += __atomic_load_n(&d[i].nodes, __ATOMIC_RELAXED);
		nq_i_run_poll(r, nodes);
		pthread_mutex_lock(&s->lock);
		if (nq_i_run_stopped(r))
			cancel_executions(s, d);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Sums the results of the devices; returns the first error. */
static nq_status gather(nq_i_run *r, const nq_i_cuda *d, uint32_t devices)
{
	nq_status st = NQ_OK;

	for (uint32_t i = 0; i < devices; i++) {
		r->result->nodes += d[i].nodes;
		r->result->workers += d[i].workers;
		if (d[i].kernel_ns > r->result->kernel_ns)
			r->result->kernel_ns = d[i].kernel_ns;
		if (st != NQ_OK || d[i].status == NQ_OK)
			continue;
		st = d[i].status;
		memcpy(r->result->message, d[i].message, sizeof(r->result->message));
	}
	r->result->devices = devices;
	memcpy(r->result->device, d[0].name, sizeof(r->result->device));
	return st;
}

static nq_status run_on(nq_i_run *r, int first, uint32_t devices)
{
	nq_i_cuda_share s = { .devices = devices };
	nq_i_cuda *d = (nq_i_cuda *)calloc(devices, sizeof(*d));
	pthread_t *threads = (pthread_t *)calloc(devices, sizeof(*threads));
	uint32_t started = 0;
	nq_status st = NQ_ERR_NOMEM;

	pthread_mutex_init(&s.lock, NULL);
	lsched_i_cond_init(&s.ended);
	s.running = devices;
	for (; d && threads && started < devices; started++) {
		nq_i_cuda *one = &d[started];

		one->run = r;
		one->share = &s;
		one->device = first + (int)started;
		if (lsched_i_thread_create(&threads[started], thread_of, one))
			break;
	}
	pthread_mutex_lock(&s.lock);
	s.running -= devices - started;
	pthread_mutex_unlock(&s.lock);
	if (started < devices)
		__atomic_store_n(&s.failed, 1, __ATOMIC_RELAXED);
	if (started)
		watch(r, &s, d);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (started == devices)
		st = gather(r, d, devices);
	pthread_cond_destroy(&s.ended);
	pthread_mutex_destroy(&s.lock);
	free(threads);
	free(d);
	return st;
}

static int join_fits(uint32_t n, int device)
{
	return n < NQ_I_SIEVE_PAYS_N ? nq_i_cuda_join_fits(n, device)
				     : nq_i_cuda_sieve_fits(n, device);
}

int nq_i_cuda_joins(uint32_t n, int device)
{
	const int count_all = lsched_device_count();
	int fits = count_all > 0;

	if (device != NQ_ALL_DEVICES)
		return fits && join_fits(n, device < 0 ? 0 : device);
	for (int i = 0; i < count_all && fits; i++)
		fits = join_fits(n, i);
	return fits;
}

nq_status nq_i_run_cuda(nq_i_run *r)
{
	const int count_all = lsched_device_count();
	const int device = r->o->device == NQ_CURRENT_DEVICE ? nq_i_cuda_current() : r->o->device;

	if (count_all < 1)
		return lsched_i_say(NQ_ERR_NO_DEVICE, r->result->message,
			sizeof(r->result->message), "no usable CUDA device");
	if (r->o->device == NQ_ALL_DEVICES)
		return run_on(r, 0, (uint32_t)count_all);
	if (device < 0 || device >= count_all)
		return lsched_i_say(NQ_ERR_NO_DEVICE, r->result->message,
			sizeof(r->result->message), "CUDA device %d does not exist; %d found",
			r->o->device, count_all);
	return run_on(r, device, 1);
}
