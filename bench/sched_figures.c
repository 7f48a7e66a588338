/* Measures libsched on this machine: queue operations, trees of empty tasks in each grain, fork and
 * join, and the wavefront of macroblocks under each dependency scheme. Prints a table; with --json
 * FILE also writes a record. Times are medians of lsched_stats.elapsed_ns: from the start of the
 * first worker to the end of the last one.
 *
 * usage: sched_figures [--backend cpu|cuda] [--json FILE] [--commit TEXT] [--device TEXT]
 *                      [--only CASE] [--quick] [--repeat N]
 * CASE: pairs, task_tree, warp_tree, lane_tree, fib or wave */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FIGURES_PROGRAMS
#include "bench/bench.h"
#include "bench/figures_loads.h"
#include "libsched/core/json.h"
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

typedef struct load {
	const char *name;
	const lsched_program *cpu, *cuda;
} load;

#ifdef HAVE_CUDA
#define PROGRAM(name)                                    \
	extern const lsched_program name##_cuda_program; \
	static const load name##_load = { #name, &name##_cpu_program, &name##_cuda_program }
#else
#define PROGRAM(name) static const load name##_load = { #name, &name##_cpu_program, NULL }
#endif
PROGRAM(pairs);
PROGRAM(task_tree);
PROGRAM(warp_tree);
PROGRAM(lane_tree);
PROGRAM(fib);
PROGRAM(wave);

enum { MOST_REPEATS = 101 };

static struct {
	lsched_ctx *ctx;
	FILE *json;
	lsched_i_json writer; /* to json */
	const char *only, *commit, *device;
	int quick, repeat, failed;
} bench = { .repeat = 7, .commit = "unknown" };

/* Runs a load `repeat` times after one warm-up run. Returns the median in seconds, 0 if the load
 * needs resident workers and the device cannot hold them all, -1 if a run failed. */
static double median_s(const load *l, const lsched_run_options *o, const void *ctx, uint32_t tasks,
	lsched_stats *s)
{
	const int cuda = lsched_ctx_backend(bench.ctx) == LSCHED_BACKEND_CUDA;
	double t[MOST_REPEATS];
	lsched_run *run;

	if (lsched_run_create(&run, bench.ctx, cuda ? l->cuda : l->cpu, o) != LSCHED_OK) {
		const int not_resident = strstr(lsched_last_error(bench.ctx), "resident") != NULL;

		if (!not_resident)
			printf("%s: %s\n", l->name, lsched_last_error(bench.ctx));
		fflush(stdout);
		return not_resident ? 0 : -1;
	}
	for (int k = -1; k < bench.repeat; k++) {
		if (lsched_run_start(run, ctx, tasks, NULL) != LSCHED_OK ||
			lsched_run_finish(run, s) != LSCHED_OK) {
			printf("%s\n", lsched_run_error(run));
			fflush(stdout);
			lsched_run_destroy(&run);
			return -1;
		}
		if (k >= 0)
			t[k] = (double)s->elapsed_ns * 1e-9;
	}
	lsched_run_destroy(&run);
	qsort(t, (size_t)bench.repeat, sizeof(t[0]), by_value);
	return t[bench.repeat / 2];
}

/* Prints a figure and adds it to the record. */
static void record(const char *name, const char *queue, uint32_t workers, double value,
	const char *unit, double ms, int right)
{
	lsched_i_json *j = &bench.writer;

	printf("%-12s %-9s %6" PRIu32 " workers %12.3f %-22s %10.3f ms%s\n", name, queue, workers,
		value, unit, ms, right ? "" : "  WRONG RESULT");
	fflush(stdout);
	if (!right)
		bench.failed = 1;
	if (!bench.json)
		return;
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_text(j, "case", name);
	lsched_i_json_text(j, "queue", queue);
	lsched_i_json_uint(j, "workers", workers);
	lsched_i_json_general(j, "value", value, 6);
	lsched_i_json_text(j, "unit", unit);
	lsched_i_json_general(j, "ms", ms, 6);
	lsched_i_json_bool(j, "right", right);
	lsched_i_json_close(j);
	(void)lsched_i_json_flush(j);
}

static void begin_json(void)
{
	lsched_i_json *j = &bench.writer;

	lsched_i_json_begin(j, lsched_i_json_to_file, bench.json);
	lsched_i_json_object(j, NULL);
	lsched_i_json_text(j, "device", bench.device);
	lsched_i_json_text(j, "commit", bench.commit);
	lsched_i_json_sint(j, "repeats", bench.repeat);
	lsched_i_json_array(j, "records");
}

static int end_json(void)
{
	lsched_i_json_line_close(&bench.writer);
	lsched_i_json_close(&bench.writer);
	return lsched_i_json_end(&bench.writer);
}

static int is_selected(const char *name)
{
	return !bench.only || strcmp(bench.only, name) == 0;
}

static int is_cuda(void)
{
	return lsched_ctx_backend(bench.ctx) == LSCHED_BACKEND_CUDA;
}

/* Enqueues and dequeues `lanes` items at a time; an enqueue and a dequeue are two operations. */
static void pairs(lsched_queue q, uint32_t workers, uint32_t lanes)
{
	pairs_ctx c = { is_cuda() ? 400 : 20000, lanes, NULL, workers };
	const char *queue = lsched_queue_name(q);
	uint32_t sum = 1;
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char name[32];
	double t;

	if (lsched_mem_alloc(bench.ctx, (void **)&c.check, 8) != LSCHED_OK)
		return;
	lsched_run_options_init(&o);
	o.queue = q;
	o.workers = workers;
	o.max_tasks = workers;
	o.all_resident = 1; /* each body waits until all others have finished */
	o.queue_capacity = 64 * workers + 64;
	o.bin_size = 128;
	t = median_s(&pairs_load, &o, &c, workers, &s);
	(void)lsched_mem_read(bench.ctx, &sum, c.check, 4);
	lsched_mem_free(bench.ctx, c.check);
	snprintf(name, sizeof(name), "pairs%" PRIu32, lanes);
	if (t > 0)
		record(name, queue, workers, 2e-6 * workers * c.times * lanes / t, "M operations/s",
			t * 1e3, sum == 0);
	else if (t < 0)
		bench.failed = 1;
}

/* Runs one tree of this depth. Queue dist moves no work between workers, so it gets 64 trees per
 * worker, which have about as many tasks together. */
static void tree(
	const load *l, lsched_queue q, uint32_t workers, uint32_t depth, uint32_t never_keep)
{
	const uint32_t roots = q == LSCHED_QUEUE_DIST ? 64 * workers : 1;
	depth_ctx c = { depth };
	uint64_t tasks;
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char name[32];
	double t;

	lsched_run_options_init(&o);
	o.queue = q;
	o.workers = workers;
	o.max_tasks = roots;
	o.overflow = LSCHED_OVERFLOW_INLINE;
	o.never_keep = never_keep;
	if (l == &task_tree_load) {
		o.queue_capacity = 1u << 20;
		o.bin_size = 1024;
		o.inline_depth = 4096;
	}
	for (uint32_t k = roots; k > 1 && c.n > 1; k /= 2)
		c.n--;
	tasks = roots * ((UINT64_C(2) << c.n) - 1);
	t = median_s(l, &o, &c, roots, &s);
	snprintf(name, sizeof(name), "%s%s%s", l->name, never_keep ? "_all" : "",
		roots > 1 ? "_roots" : "");
	if (t > 0)
		record(name, lsched_queue_name(q), s.workers, 1e-6 * (double)tasks / t, "M tasks/s",
			t * 1e3, s.tasks == tasks);
	else if (t < 0)
		bench.failed = 1;
}

static void fib(lsched_queue q, uint32_t workers, uint32_t n)
{
	const gsfib_ctx c = { n };
	uint64_t a = 0, b = 1;
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char name[32];
	double t;

	for (uint32_t k = 0; k < n; k++) {
		const uint64_t next = a + b;

		a = b;
		b = next;
	}
	lsched_run_options_init(&o);
	o.queue = q;
	o.workers = workers;
	o.max_tasks = 1;
	t = median_s(&fib_load, &o, &c, 1, &s);
	snprintf(name, sizeof(name), "fib(%" PRIu32 ")", n);
	if (t > 0)
		record(name, lsched_queue_name(q), s.workers, 1e-6 * (double)s.tasks / t,
			"M tasks/s", t * 1e3, s.value == a && s.tasks == 2 * b - 1);
	else if (t < 0)
		bench.failed = 1;
}

static void wave(lsched_scheme scheme, lsched_queue q, uint32_t workers, uint32_t w, uint32_t h)
{
	const wave_ctx c = { w, h, lsched_div_make(w) };
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char name[32];
	double t;

	lsched_run_options_init(&o);
	o.scheme = scheme;
	o.queue = q;
	o.workers = workers;
	o.max_tasks = w * h;
	t = median_s(&wave_load, &o, &c, w * h, &s);
	snprintf(name, sizeof(name), "%s %" PRIu32 "x%" PRIu32, lsched_scheme_name(scheme), w, h);
	if (t > 0)
		record(name, scheme == LSCHED_SCHEME_DYNAMIC ? lsched_queue_name(q) : "-",
			s.workers, t * 1e6 / (w + 2 * (h - 1)), "us/step", t * 1e3,
			s.tasks == w * h);
	else if (t < 0)
		bench.failed = 1;
}

static void all_cases(void)
{
	static const uint32_t gpu_workers[] = { 132, 264, 528, 1056, 2112, 4224, 8448 };
	static const uint32_t cpu_workers[] = { 1, 2 };
	const uint32_t *workers = is_cuda() ? gpu_workers : cpu_workers;
	const int counts = is_cuda() ? 7 : 2;
	const uint32_t deep = is_cuda() ? 25 : 22;

	for (int q = 0; lsched_queue_name((lsched_queue)q); q++) {
		const char *name = lsched_queue_name((lsched_queue)q);
		const int rounds = !strcmp(name, "relaunch") || !strcmp(name, "compact") ||
				   !strcmp(name, "balance");
		const int slow = is_cuda() && !strcmp(name, "block");

		/* prio queues the roots, too: a body would dequeue another root as an item */
		const int sorted = !strcmp(name, "prio");

		if (is_selected("pairs") && !rounds && !sorted && (q == 0 || !bench.quick))
			for (int k = 0; k < counts && !(slow && k); k++) {
				pairs((lsched_queue)q, workers[k], 1);
				if (is_cuda())
					pairs((lsched_queue)q, workers[k], 32);
			}
		if (is_selected("task_tree"))
			for (int k = is_cuda() ? 5 : 0; k < counts; k++) {
				tree(&task_tree_load, (lsched_queue)q, workers[k],
					slow ? 14 : deep - 3, 1);
				tree(&task_tree_load, (lsched_queue)q, workers[k],
					slow ? 14 : deep - 3, 0);
			}
		if (rounds)
			continue;
		for (int k = is_cuda() ? 5 : 0; k < counts && !slow; k++) {
			if (is_selected("warp_tree"))
				tree(&warp_tree_load, (lsched_queue)q, workers[k], deep, 0);
			if (is_selected("lane_tree"))
				tree(&lane_tree_load, (lsched_queue)q, workers[k], deep + 2, 0);
			/* dist would leave the only root and its tree to one worker */
			if (is_selected("fib") && q != LSCHED_QUEUE_DIST)

				fib((lsched_queue)q, workers[k], is_cuda() ? 35 : 27);
		}
		if (is_selected("wave"))
			for (int k = 0; k < 2; k++)
				wave(LSCHED_SCHEME_DYNAMIC, (lsched_queue)q, workers[k], 120, 68);
	}
	if (is_selected("wave"))
		for (int k = 0; k < 2; k++) {
			wave(LSCHED_SCHEME_STATIC, LSCHED_QUEUE_RING, workers[k], 120, 68);
			wave(LSCHED_SCHEME_EPOCH, LSCHED_QUEUE_RING, workers[k], 120, 68);
			wave(LSCHED_SCHEME_SYNC, LSCHED_QUEUE_RING, workers[k], 120, 68);
		}
}

int main(int argc, char **argv)
{
	lsched_options o;
	char msg[256];

	lsched_options_init(&o);
	for (int k = 1; k < argc; k++) {
		if (!strcmp(argv[k], "--quick")) {
			bench.quick = 1;
		} else if (k + 1 < argc && !strcmp(argv[k], "--only")) {
			bench.only = argv[++k];
		} else if (k + 1 < argc && !strcmp(argv[k], "--commit")) {
			bench.commit = argv[++k];
		} else if (k + 1 < argc && !strcmp(argv[k], "--device")) {
			bench.device = argv[++k];
		} else if (k + 1 < argc && !strcmp(argv[k], "--repeat")) {
			bench.repeat = atoi(argv[++k]);
		} else if (k + 1 < argc && !strcmp(argv[k], "--json")) {
			bench.json = fopen(argv[++k], "w");
			if (!bench.json) {
				perror(argv[k]);
				return 1;
			}
		} else if (k + 1 < argc && !strcmp(argv[k], "--backend") &&
			   lsched_backend_parse(argv[k + 1], &o.backend) == 0) {
			k++;
		} else {
			fprintf(stderr, "usage: sched_figures [--backend cpu|cuda] [--json FILE] "
					"[--commit TEXT] [--device TEXT] [--only CASE] [--quick] "
					"[--repeat N]\n");
			return 2;
		}
	}
	if (bench.repeat < 1 || bench.repeat > MOST_REPEATS) {
		fprintf(stderr, "sched_figures: --repeat needs a number from 1 to %d\n",
			MOST_REPEATS);
		return 2;
	}
	if (lsched_open(&bench.ctx, &o, msg, sizeof(msg)) != LSCHED_OK) {
		fprintf(stderr, "sched_figures: %s\n", msg);
		return 1;
	}
	if (!bench.device)
		bench.device = lsched_ctx_device_name(bench.ctx);
	printf("%s\n", bench.device);
	if (bench.json)
		begin_json();
	all_cases();
	if (bench.json && (end_json() || fclose(bench.json))) {
		perror("--json");
		bench.failed = 1;
	}
	lsched_close(&bench.ctx);
	return bench.failed;
}
