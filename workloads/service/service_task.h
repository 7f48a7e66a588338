/* The program of the service: a request is one warp item, the long job items that continue until it
 * is cancelled. Included once for each backend. */
#ifndef WORKLOADS_SERVICE_SERVICE_TASK_H
#define WORKLOADS_SERVICE_SERVICE_TASK_H

#include <libsched/jobs.h>

typedef struct gsservice_ctx {
	uint32_t unused;
} gsservice_ctx;

typedef struct gsservice_args {
	uint32_t us;      /* of a body; of the long job on average */
	uint32_t endless; /* 1: the long job; 2: of two items one sends messages, too */
	uint32_t number;
} gsservice_args;

typedef struct gsservice_item {
	uint32_t us, endless, turns;
	uint32_t number; /* of the long job: random bits */
} gsservice_item;

/* Turns of an item of the long job between two additions to its progress, or messages. */
#define GSSERVICE_TURNS 16u

#define GSSERVICE(Y, P) Y(P, step, warp, gsservice_item, gsservice_step, LSCHED_TO(step, 1))
LSCHED_DECLARE_PROCEDURES(gsservice_items, GSSERVICE);

/* The answer to request `number`. */
LSCHED_FN uint64_t gsservice_answer(uint32_t number)
{
	return number * UINT64_C(2654435761) + 1u;
}

LSCHED_TASK_FN void gsservice_root(gsservice_items *x, const gsservice_ctx *c, uint32_t i)
{
	const gsservice_args *a = (const gsservice_args *)lsched_job_args(x);
	/* of the roots that a worker draws at once, one runs until the job is cancelled */
	const gsservice_item it = { a->us, a->endless == 2 && i > 1 ? 1 : a->endless,
		i % GSSERVICE_TURNS, a->endless ? i * 2654435761u : a->number };

	(void)c;
	lsched_emit_to(x, step, &it);
}

LSCHED_TASK_FN lsched_result gsservice_step(
	gsservice_items *x, const gsservice_ctx *c, lsched_no_local *l, gsservice_item it)
{
	const uint64_t begin = lsched_now_ns();
	/* Bodies of one length would begin and end in all workers at the same time. */
	const uint64_t mean = it.us * UINT64_C(1000);
	const uint64_t ns = it.endless ? mean / 2 + mean * (it.number >> 8) / (1u << 24) : mean;

	(void)c, (void)l;
	while (lsched_now_ns() - begin < ns)
		;
	if (lsched_thread(x) != 0)
		return LSCHED_DONE;
	if (!it.endless) {
		lsched_return(x, LSCHED_JOIN_ROOT, gsservice_answer(it.number));
		return LSCHED_DONE;
	}
	it.number = it.number * 1664525u + 1013904223u;
	if (++it.turns % GSSERVICE_TURNS == 0) {
		lsched_job_advance(x, GSSERVICE_TURNS, 0);
		if (it.endless == 2) /* lost if the client does not receive them */
			(void)lsched_job_send(x, 0, it.turns);
	}
	if (!lsched_job_cancelled(x))
		lsched_continue(x, step, &it);
	return LSCHED_DONE;
}
#endif

#ifdef WL_SERVICE_PROGRAM
#undef WL_SERVICE_PROGRAM
#define LSCHED_NAME       gsservice
#define LSCHED_CTX        gsservice_ctx
#define LSCHED_ITEMS      gsservice_items
#define LSCHED_ROOT       gsservice_root
#define LSCHED_PROCEDURES GSSERVICE
#define LSCHED_JOBS
#include <libsched/generate_items.h>
#endif
