/* queue: operations of the queues alone. */
#include "workloads/common/memory.h"
#include "workloads/queue/queue.h"

#include <inttypes.h>
#include <stdlib.h>

WL_PROGRAM(gsops);

typedef struct queue_options {
	uint32_t lanes, rounds;
	int latency;
} queue_options;

static const wl_param params[] = {
	{ .name = "lanes",
		.letter = 'l',
		.kind = WL_UINT,
		.field = WL_FIELD(queue_options, lanes),
		.min = 1,
		.max = 32,
		.preset = "1",
		.metavar = "N",
		.help = "set the number of items per enqueue or dequeue (1 to 32)" },
	{ .name = "rounds",
		.letter = 'n',
		.kind = WL_UINT,
		.field = WL_FIELD(queue_options, rounds),
		.min = 1,
		.max = 100000000,
		.preset = "10000",
		.metavar = "N",
		.help = "set the number of enqueues of each worker" },
	{ .name = "latency",
		.kind = WL_FLAG,
		.field = WL_FIELD(queue_options, latency),
		.help = "measure the time of each operation, too (adds overhead)" },
	{ 0 },
};

static const char *unsupported(lsched_queue q)
{
	if (lsched_i_queue_has((uint32_t)q, LSCHED_I_CAP_ROUNDS))
		return "an item enqueued in a launch can be dequeued in the next one only";
	if (lsched_i_queue_has((uint32_t)q, LSCHED_I_CAP_SORTED))
		return "its controller needs one of the workers";
	return NULL;
}

static size_t log_bytes(const wl_device *d)
{
	return (size_t)d->max_workers * GSOPS_WORDS * sizeof(uint64_t);
}

static int prepare(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	gsops_ctx *c = l->ctx;

	if (wl_check_workers(d, l->workers, why, why_bytes))
		return -1;
	c->workers = l->workers;
	if (wl_zero(d, c->log, log_bytes(d), why, why_bytes))
		return -1;
	return wl_zero(d, c->barrier, 64 * sizeof(*c->barrier), why, why_bytes);
}

/* Sums what the workers recorded, checks that they dequeued the items that they enqueued in all
 * rounds, and sets the numbers of the row. */
static int check(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	const lsched_stats *s = l->stats;
	const gsops_ctx *c = l->ctx;
	uint64_t *log = wl_host_copy(d, c->log, log_bytes(d), why, why_bytes);
	uint64_t sum[GSOPS_WORDS] = { 0 }, first = UINT64_MAX, last = 0;
	double tick_ns;

	if (!log)
		return -1;
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
		s->pushes != s->pops)
		return wl_fail(why, why_bytes,
			"%" PRIu64 " enqueues of %" PRIu64 " items, %" PRIu64
			" items dequeued; libsched counted %" PRIu64 " and %" PRIu64,
			sum[GSOPS_PUSH_CALLS], sum[GSOPS_PUSHED], sum[GSOPS_POPPED], s->pushes,
			s->pops);
	if (sum[GSOPS_PUSHED_SUM] != sum[GSOPS_POPPED_SUM])
		return wl_fail(why, why_bytes, "the dequeued items are not the enqueued ones");
	l->operations = sum[GSOPS_PUSHED] + sum[GSOPS_POPPED];
	l->operations_ns = last > first ? last - first : 1;
	/* Nanoseconds per tick, from both clocks over the whole time of all workers. */
	tick_ns = sum[GSOPS_TICKS] ? (double)(sum[GSOPS_END_NS] - sum[GSOPS_BEGIN_NS]) /
					     (double)sum[GSOPS_TICKS]
				   : 0;
	if (c->latency && sum[GSOPS_PUSH_CALLS] && sum[GSOPS_POP_CALLS]) {
		l->push_ns =
			(double)sum[GSOPS_PUSH_TICKS] * tick_ns / (double)sum[GSOPS_PUSH_CALLS];
		l->pop_ns = (double)sum[GSOPS_POP_TICKS] * tick_ns / (double)sum[GSOPS_POP_CALLS];
	}
	return 0;
}

static int create(wl_work *l, wl_device *d, const void *options, char *msg, size_t msg_bytes)
{
	const queue_options *o = options;
	gsops_ctx *c = wl_own(d, sizeof(*c), msg, msg_bytes);

	l->ctx = c;
	if (!c)
		return -1;
	c->lanes = o->lanes;
	c->rounds = o->rounds;
	c->latency = o->latency != 0;
	c->budget_ns = d->timeout_ms * UINT64_C(1000000);
	WL_SET_PROGRAM(l, gsops);
	/* Twice the items that all workers can have enqueued at the same time. */
	l->capacity = 2;
	while (l->capacity < 2 * d->max_workers * o->lanes)
		l->capacity *= 2;
	l->bin_size = 64;
	l->unsupported = unsupported;
	l->prepare = prepare;
	l->check = check;
	c->barrier = wl_alloc(d, 64 * sizeof(*c->barrier), msg, msg_bytes);
	c->log = c->barrier ? wl_alloc(d, log_bytes(d), msg, msg_bytes) : NULL;
	return c->log ? 0 : -1;
}

static const char *const cases[] = { "-n 1", "-n 99 -l 32 --latency", NULL };

const wl_type wl_queue_type = {
	.name = "queue",
	.summary = "Measures operations of the queues alone.\n"
		   "All workers enqueue and dequeue items; each item counts as two operations.",
	.example = "--queue ring --lanes 32 --workers 132,528,2112",
	.unit = "operations",
	.queues = "all",
	.timeout_ms = "60000",
	.cases = cases,
	.params = params,
	.options_bytes = sizeof(queue_options),
	.create = create,
};
