/* A user's program on libsched: built by `make installcheck` with nothing but what is installed.
 * Its tasks form a chain; each writes its number plus that of the task before. */
#include <libsched/sched.h>
#include <libsched/task.h>
#include <stdio.h>

enum { TASKS = 100 };

typedef struct chain_ctx {
	uint32_t *sum;
	uint32_t n;
} chain_ctx;

LSCHED_FN uint32_t chain_pred_count(const chain_ctx *c, uint32_t task)
{
	(void)c;
	return task > 0;
}

LSCHED_FN uint32_t chain_pred(const chain_ctx *c, uint32_t task, uint32_t k)
{
	(void)c;
	(void)k;
	return task - 1;
}

LSCHED_FN uint32_t chain_succ_count(const chain_ctx *c, uint32_t task)
{
	return task + 1 < c->n;
}

LSCHED_FN uint32_t chain_succ(const chain_ctx *c, uint32_t task, uint32_t k)
{
	(void)c;
	(void)k;
	return task + 1;
}

LSCHED_FN uint32_t chain_root_count(const chain_ctx *c)
{
	return c->n > 0;
}

LSCHED_FN uint32_t chain_root(const chain_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

LSCHED_FN uint32_t chain_chain_count(const chain_ctx *c)
{
	return c->n > 0;
}

LSCHED_FN uint32_t chain_chain_head(const chain_ctx *c, uint32_t i)
{
	(void)c;
	return i;
}

LSCHED_FN uint32_t chain_chain_next(const chain_ctx *c, uint32_t task)
{
	return task + 1 < c->n ? task + 1 : LSCHED_NONE;
}

LSCHED_FN uint32_t chain_wave_count(const chain_ctx *c)
{
	return c->n;
}

LSCHED_FN uint32_t chain_wave_size(const chain_ctx *c, uint32_t wave)
{
	(void)c;
	(void)wave;
	return 1;
}

LSCHED_FN uint32_t chain_wave_task(const chain_ctx *c, uint32_t wave, uint32_t i)
{
	(void)c;
	return wave + i;
}

LSCHED_TASK_FN lsched_result chain_body(
	lsched_worker *w, const chain_ctx *c, lsched_no_local *local, uint32_t task)
{
	(void)w;
	(void)local;
	c->sum[task] = task + (task ? c->sum[task - 1] : 0);
	return LSCHED_DONE;
}

#define LSCHED_NAME chain
#define LSCHED_CTX  chain_ctx
#define LSCHED_BODY chain_body
#define LSCHED_RULE chain
#include <libsched/generate.h>

int main(void)
{
	static uint32_t sum[TASKS];
	chain_ctx chain = { sum, TASKS };
	lsched_options o;
	lsched_run_options ro;
	lsched_ctx *ctx;
	lsched_run *run = NULL;
	char msg[256];
	int right = 0;

	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = 2;
	if (lsched_open(&ctx, &o, msg, sizeof(msg)) != LSCHED_OK) {
		fprintf(stderr, "lsched_open: %s\n", msg);
		return 1;
	}
	lsched_run_options_init(&ro);
	ro.max_tasks = TASKS;
	if (lsched_run_create(&run, ctx, &chain_cpu_program, &ro) == LSCHED_OK &&
		lsched_run_start(run, &chain, TASKS, NULL) == LSCHED_OK &&
		lsched_run_finish(run, NULL) == LSCHED_OK)
		right = sum[TASKS - 1] == TASKS * (TASKS - 1) / 2;
	lsched_run_destroy(&run);
	lsched_close(&ctx);
	printf("libsched: %u\n", (unsigned)sum[TASKS - 1]);
	return right ? 0 : 1;
}
