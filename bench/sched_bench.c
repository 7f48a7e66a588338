/* Measures libsched's queues on threads: what it costs to make, pass on and take a task.
 *
 *     sched_bench [--workers N] [--roots N] [--depth N] [--repeat N] [--bin N] [--queue NAME]
 *
 * Full binary trees of empty tasks, each spawned by its parent, are run under every queue: once with all
 * tasks going through the queue (one task a pop), once with a worker keeping a child to run next. Best
 * of the repetitions, from the first worker's start to the last one's end; the number of tasks run is
 * checked. A table on stdout. */
#include <libsched/sched.h>
#include <libsched/task.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trees_ctx {
	uint32_t depth;
} trees_ctx;

/* An item is {root: 1 bit, levels below: 31 bits}; roots come as their numbers. */
static inline sched_result trees_body(
	sched_worker *w, const trees_ctx *c, sched_no_local *l, uint32_t item)
{
	const uint32_t below = item & 0x80000000u ? item & 0x7fffffffu : c->depth;

	(void)l;
	if (below) {
		sched_spawn(w, 0x80000000u | (below - 1));
		sched_spawn(w, 0x80000000u | (below - 1));
	}
	return SCHED_DONE;
}

#define SCHED_NAME trees
#define SCHED_CTX  trees_ctx
#define SCHED_BODY trees_body
#include <libsched/generate.h>

typedef struct bench {
	uint32_t workers, roots, depth, repeat, bin;
	const char *queue;
} bench;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "sched_bench: %s: %s\n", what, why);
	exit(1);
}

/* Tasks a second, in millions; the statistics are those of the best repetition. */
static double measure(
	sched_ctx *ctx, const bench *b, sched_queue queue, uint32_t never_keep, sched_stats *best)
{
	const trees_ctx c = { b->depth };
	const uint64_t tasks = b->roots * ((UINT64_C(2) << b->depth) - 1);
	sched_run_options o;
	sched_run *run;

	sched_run_options_init(&o);
	o.queue = queue;
	o.max_tasks = b->roots;
	/* the breadth of what may wait in a central queue */
	o.queue_capacity = tasks < (1u << 22) ? (uint32_t)tasks : 1u << 22;
	o.bin_size = b->bin;
	o.overflow = SCHED_OVERFLOW_INLINE;
	o.never_keep = never_keep;
	o.workers = b->workers;
	if (sched_run_create(&run, ctx, &trees_cpu_program, &o) != SCHED_OK)
		die("create", sched_last_error(ctx));
	memset(best, 0, sizeof(*best));
	for (uint32_t k = 0; k < b->repeat; k++) {
		sched_stats s;

		if (sched_run_start(run, &c, b->roots, NULL) != SCHED_OK ||
			sched_run_finish(run, &s) != SCHED_OK)
			die("run", sched_run_error(run));
		if (s.tasks != tasks)
			die("run", "the number of tasks is wrong");
		if (best->elapsed_ns == 0 || s.elapsed_ns < best->elapsed_ns)
			*best = s;
	}
	sched_run_destroy(&run);
	return (double)best->tasks * 1e3 / (double)best->elapsed_ns;
}

static uint32_t number(const char *option, const char *text)
{
	char *end;
	const unsigned long v = text ? strtoul(text, &end, 10) : 0;

	if (!text || *end || v == 0 || v > 1u << 24)
		die(option, "needs a number from 1 up");
	return (uint32_t)v;
}

int main(int argc, char **argv)
{
	bench b = { 0, 64, 14, 5, 4096, NULL };
	sched_options o;
	sched_ctx *ctx;
	char msg[256];

	for (int i = 1; i < argc; i += 2) {
		if (!strcmp(argv[i], "--workers"))
			b.workers = number(argv[i], argv[i + 1]);
		else if (!strcmp(argv[i], "--roots"))
			b.roots = number(argv[i], argv[i + 1]);
		else if (!strcmp(argv[i], "--depth"))
			b.depth = number(argv[i], argv[i + 1]);
		else if (!strcmp(argv[i], "--repeat"))
			b.repeat = number(argv[i], argv[i + 1]);
		else if (!strcmp(argv[i], "--bin"))
			b.bin = number(argv[i], argv[i + 1]);
		else if (!strcmp(argv[i], "--queue") && argv[i + 1])
			b.queue = argv[i + 1];
		else
			die(argv[i], "unknown option");
	}
	if (b.depth > 24)
		die("--depth", "at most 24");
	sched_options_init(&o);
	o.backend = SCHED_BACKEND_CPU;
	o.workers = b.workers;
	if (sched_open(&ctx, &o, msg, sizeof(msg)) != SCHED_OK)
		die("open", msg);
	printf("%s, %u trees of depth %u, bins of %u\n", sched_ctx_device_name(ctx), b.roots,
		b.depth, b.bin);
	printf("%-10s %14s %10s %10s %14s %10s\n", "queue", "M tasks/s", "inlined", "stolen",
		"one kept", "stolen");
	for (uint32_t q = 0; sched_queue_name((sched_queue)q); q++) {
		const char *name = sched_queue_name((sched_queue)q);
		sched_stats s;
		double rate;

		if (b.queue && strcmp(b.queue, name) != 0)
			continue;
		rate = measure(ctx, &b, (sched_queue)q, 1, &s);
		printf("%-10s %14.2f %10llu %10llu", name, rate, (unsigned long long)s.inlined,
			(unsigned long long)s.steals);
		rate = measure(ctx, &b, (sched_queue)q, 0, &s);
		printf(" %14.2f %10llu\n", rate, (unsigned long long)s.steals);
	}
	sched_close(&ctx);
	return 0;
}
