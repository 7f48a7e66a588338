/* gsched queue: operations of the queues alone. */
#include "apps/gsched/commands.h"
#include "apps/gsched/loads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *unsupported(lsched_queue q)
{
	if (lsched_i_queue_has((uint32_t)q, LSCHED_I_CAP_ROUNDS))
		return "an item enqueued in a launch can be dequeued in the next one only";
	if (lsched_i_queue_has((uint32_t)q, LSCHED_I_CAP_SORTED))
		return "its controller takes part in every task";
	return NULL;
}

static size_t log_bytes(const gs_device *d)
{
	return (size_t)d->max_workers * GSOPS_WORDS * sizeof(uint64_t);
}

static int prepare(
	gs_load *l, gs_device *d, uint32_t start, uint32_t workers, char *why, size_t why_bytes)
{
	gsops_ctx *c = l->ctx;

	(void)start;
	if (workers > d->max_workers) {
		snprintf(why, why_bytes, "%" PRIu32 " workers, room for %" PRIu32, workers,
			d->max_workers);
		return -1;
	}
	c->workers = workers;
	if (device_zero(d, c->log, log_bytes(d)) ||
		device_zero(d, c->barrier, 64 * sizeof(*c->barrier))) {
		snprintf(why, why_bytes, "memory cannot be cleared");
		return -1;
	}
	return 0;
}

/* Adds up what the workers logged: as much came out as went in, and every one did its rounds. */
static int check(gs_load *l, gs_device *d, uint32_t start, const lsched_stats *s, char *why,
	size_t why_bytes)
{
	uint64_t *log = malloc(log_bytes(d)), sum[GSOPS_WORDS] = { 0 };
	uint64_t first = UINT64_MAX, last = 0;
	const gsops_ctx *c = l->ctx;
	double call_ns;

	(void)start;
	if (!log || device_read(d, log, c->log, log_bytes(d))) {
		free(log);
		snprintf(why, why_bytes, "the workers' words cannot be read");
		return -1;
	}
	for (uint32_t k = 0; k < s->workers; k++) {
		const uint64_t *w = log + (size_t)k * GSOPS_WORDS;

		for (int i = 0; i < GSOPS_WORDS; i++)
			sum[i] += w[i];
		first = w[GSOPS_BEGIN_NS] < first ? w[GSOPS_BEGIN_NS] : first;
		last = w[GSOPS_END_NS] > last ? w[GSOPS_END_NS] : last;
	}
	free(log);
	if (sum[GSOPS_PUSH_CALLS] != (uint64_t)s->workers * c->rounds ||
		sum[GSOPS_PUSHED] != sum[GSOPS_POPPED] || sum[GSOPS_PUSHED] != s->pushes ||
		s->pushes != s->pops) {
		snprintf(why, why_bytes,
			"%" PRIu64 " calls, %" PRIu64 " items in, %" PRIu64 " out; counted %" PRIu64
			" and %" PRIu64,
			sum[GSOPS_PUSH_CALLS], sum[GSOPS_PUSHED], sum[GSOPS_POPPED], s->pushes,
			s->pops);
		return -1;
	}
	if (sum[GSOPS_PUSHED_SUM] != sum[GSOPS_POPPED_SUM]) {
		snprintf(why, why_bytes, "other items came out than went in");
		return -1;
	}
	l->operations = sum[GSOPS_PUSHED] + sum[GSOPS_POPPED];
	l->operations_ns = last > first ? last - first : 1;
	/* ticks into time: what they were over the workers' whole spells */
	call_ns = sum[GSOPS_TICKS] ? (double)(sum[GSOPS_END_NS] - sum[GSOPS_BEGIN_NS]) /
					     (double)sum[GSOPS_TICKS]
				   : 0;
	if (c->latency && sum[GSOPS_PUSH_CALLS] && sum[GSOPS_POP_CALLS]) {
		l->push_ns =
			(double)sum[GSOPS_PUSH_TICKS] * call_ns / (double)sum[GSOPS_PUSH_CALLS];
		l->pop_ns = (double)sum[GSOPS_POP_TICKS] * call_ns / (double)sum[GSOPS_POP_CALLS];
	}
	return 0;
}

static int create(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes)
{
	gsops_ctx *c = calloc(1, sizeof(*c));

	l->ctx = c;
	if (!c) {
		snprintf(msg, msg_bytes, "out of memory");
		return -1;
	}
	c->lanes = o->lanes;
	c->rounds = o->rounds;
	c->latency = o->latency != 0;
	c->budget_ns = o->timeout_ms * UINT64_C(1000000);
	l->name = "queue";
	l->cpu = &gsops_cpu_program;
	l->cuda = LOAD_CUDA(gsops_cuda_program);
	/* Twice what all workers can have in it at a time. */
	l->capacity = 2;
	while (l->capacity < 2 * d->max_workers * o->lanes)
		l->capacity *= 2;
	l->bin_size = 64;
	l->unsupported = unsupported;
	l->prepare = prepare;
	l->check = check;
	c->barrier = device_alloc(d, 64 * sizeof(*c->barrier), msg, msg_bytes);
	c->log = c->barrier ? device_alloc(d, log_bytes(d), msg, msg_bytes) : NULL;
	return c->log ? 0 : -1;
}

static void destroy(gs_load *l, gs_device *d)
{
	gsops_ctx *c = l->ctx;

	if (c) {
		device_free(d, c->barrier);
		device_free(d, c->log);
	}
	free(c);
	l->ctx = NULL;
}

const gs_load_type queue_load_type = { create, destroy };

int command_queue(const gs_options *o, logger *log)
{
	return command_measure(GS_QUEUE, &queue_load_type, o, log);
}
