/* A user's program on libsched: built by `make installcheck` with nothing but what is installed. Its
 * tasks form a chain; each writes its number plus that of the task before. */
#include <libsched/sched.h>
#include <libsched/task.h>
#include <stdio.h>

enum { TASKS = 100 };

typedef struct chain_ctx {
	uint32_t *sum;
	uint32_t n;
} chain_ctx;

SCHED_FN uint32_t chain_pred_count(const chain_ctx *c, uint32_t task)
{
	(void)c;
	return task > 0;
}

SCHED_FN uint32_t chain_pred(const chain_ctx *c, uint32_t task, uint32_t k)
{
	(void)c;
	(void)k;
	return task - 1;
}

SCHED_FN uint32_t chain_succ_count(const chain_ctx *c, uint32_t task)
{
	return task + 1 < c->n;
}

SCHED_FN uint32_t chain_succ(const chain_ctx *c, uint32_t task, uint32_t k)
{
	(void)c;
	(void)k;
	return task + 1;
}

SCHED_FN uint32_t chain_root_count(const chain_ctx *c)
{
	return c->n > 0;
}

SCHED_FN uint32_t chain_root(const chain_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

SCHED_FN uint32_t chain_chain_count(const chain_ctx *c)
{
	return c->n > 0;
}

SCHED_FN uint32_t chain_chain_head(const chain_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

SCHED_FN uint32_t chain_chain_next(const chain_ctx *c, uint32_t task)
{
	return task + 1 < c->n ? task + 1 : SCHED_NONE;
}

SCHED_FN uint32_t chain_wave_count(const chain_ctx *c)
{
	return c->n;
}

SCHED_FN uint32_t chain_wave_size(const chain_ctx *c, uint32_t wave)
{
	(void)c;
	(void)wave;
	return 1;
}

SCHED_FN uint32_t chain_wave_task(const chain_ctx *c, uint32_t wave, uint32_t i)
{
	(void)c;
	return wave + i;
}

SCHED_TASK_FN sched_result chain_body(
	sched_worker *w, const chain_ctx *c, sched_no_local *local, uint32_t task)
{
	(void)w;
	(void)local;
	c->sum[task] = task + (task ? c->sum[task - 1] : 0);
	return SCHED_DONE;
}

#define SCHED_NAME chain
#define SCHED_CTX  chain_ctx
#define SCHED_BODY chain_body
#define SCHED_RULE chain
#include <libsched/generate.h>

int main(void)
{
	static uint32_t sum[TASKS];
	chain_ctx chain = { sum, TASKS };
	sched_options o;
	sched_run_options ro;
	sched_ctx *ctx;
	sched_run *run = NULL;
	char msg[256];
	int right = 0;

	sched_options_init(&o);
	o.backend = SCHED_BACKEND_CPU;
	o.workers = 2;
	if (sched_open(&ctx, &o, msg, sizeof(msg)) != SCHED_OK) {
		fprintf(stderr, "sched_open: %s\n", msg);
		return 1;
	}
	sched_run_options_init(&ro);
	ro.max_tasks = TASKS;
	if (sched_run_create(&run, ctx, &chain_cpu_program, &ro) == SCHED_OK &&
		sched_run_start(run, &chain, TASKS, NULL) == SCHED_OK &&
		sched_run_finish(run, NULL) == SCHED_OK)
		right = sum[TASKS - 1] == TASKS * (TASKS - 1) / 2;
	sched_run_destroy(&run);
	sched_close(&ctx);
	printf("libsched: %u\n", (unsigned)sum[TASKS - 1]);
	return right ? 0 : 1;
}
