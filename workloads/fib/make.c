/* fib: fork and join. The host computes the number, too, and compares. */
#include "workloads/common/memory.h"
#include "workloads/fib/fib.h"

#include <inttypes.h>

WL_PROGRAM(gsfib);

typedef struct fib_options {
	uint32_t n;
} fib_options;

static const wl_param params[] = {
	{ .name = "number",
		.letter = 'n',
		.kind = WL_UINT,
		.field = WL_FIELD(fib_options, n),
		.max = 50,
		.preset = "25",
		.metavar = "N",
		.help = "compute Fibonacci number N (0 to 50)" },
	{ 0 },
};

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

static int check(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	const gsfib_ctx *c = l->ctx;

	(void)d;
	l->value = l->stats->value;
	wl_add_fact(l, "number", (double)l->value);
	if (l->value == fib(c->n))
		return 0;
	return wl_fail(why, why_bytes, "fib(%" PRIu32 ") is %" PRIu64 ", not %" PRIu64, c->n,
		fib(c->n), l->value);
}

static int create(wl_work *l, wl_device *d, const void *options, char *msg, size_t msg_bytes)
{
	const fib_options *o = options;
	gsfib_ctx *c = wl_own(d, sizeof(*c), msg, msg_bytes);

	l->ctx = c;
	if (!c)
		return -1;
	c->n = o->n;
	WL_SET_PROGRAM(l, gsfib);
	l->tasks = 1;
	l->expected = 2 * fib(c->n + 1) - 1;
	l->items = 1;
	l->check = check;
	return 0;
}

static const char *const cases[] = { "-n 0", "-n 1", "-n 2", "-n 15", NULL };

const wl_type wl_fib_type = {
	.name = "fib",
	.summary = "Computes a Fibonacci number by fork and join, one item per call.\n"
		   "fib(35) has 29.9 million items.",
	.example = "30 --queue abp,ring",
	.operand = "number",
	.unit = "tasks",
	.queues = "all",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP,
	.params = params,
	.options_bytes = sizeof(fib_options),
	.create = create,
};
