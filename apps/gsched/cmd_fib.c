/* gsched fib: fork and join. The host computes the number, too, and compares. */
#include "apps/gsched/commands.h"
#include "apps/gsched/load_host.h"
#include "apps/gsched/loads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t fib(uint32_t n)
{
	uint64_t a = 0, b = 1;

	while (n--) {
		const uint64_t next = a + b;

		a = b;
		b = next;
	}
	return a;
}

static int check(gs_load *l, gs_device *d, uint32_t execution, const lsched_stats *s, char *why,
	size_t why_bytes)
{
	const gsfib_ctx *c = l->ctx;

	(void)d;
	(void)execution;
	l->value = s->value;
	if (s->value == fib(c->n))
		return 0;
	snprintf(why, why_bytes, "fib(%" PRIu32 ") is %" PRIu64 ", not %" PRIu64, c->n, fib(c->n),
		s->value);
	return -1;
}

static int create(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes)
{
	gsfib_ctx *c = host_alloc(sizeof(*c), msg, msg_bytes);

	(void)d;
	l->ctx = c;
	if (!c)
		return -1;
	c->n = o->number;
	l->name = "fib";
	l->cpu = &gsfib_cpu_program;
	l->cuda = LOAD_CUDA(gsfib_cuda_program);
	l->tasks = 1;
	l->expected = 2 * fib(c->n + 1) - 1;
	l->items = 1;
	l->check = check;
	return 0;
}

static void destroy(gs_load *l, gs_device *d)
{
	(void)d;
	free(l->ctx);
	l->ctx = NULL;
}

const gs_load_type fib_load_type = { create, destroy };
