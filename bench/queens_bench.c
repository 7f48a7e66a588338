/* How fast N-Queens boards are counted on this machine: every method on the CPU and on a CUDA device, and
 * boards as tasks under every queue. Each count is checked against the published one. Prints a table; with
 * --json FILE also a record. Times are medians: CUDA the time in kernels, CPU that of the whole nq_run, with
 * the CPU seconds of all threads; with --gqueens PROGRAM also that of whole processes, which choose method and
 * backend themselves.
 *
 * Where ncu is in the PATH, the instructions a board and the share of the integer pipe's limit (64 operations
 * a multiprocessor and clock) are measured too, in runs of their own: --no-ncu leaves them out.
 *
 * A case that this machine cannot count is left out with the reason; one that fails or miscounts makes the exit
 * code 1, and the others go on.
 *
 * usage: queens_bench [--backend cpu|cuda] [--json FILE] [--commit TEXT] [--gqueens PROGRAM] [--quick]
 *                     [--repeat N] [--no-ncu]
 *        queens_bench --one METHOD N      counts once on the device; what ncu looks at */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "libsched/core/json.h"
#include "nqueens/known.h"

enum { MOST_REPEATS = 31, INT_LANES = 64 };

static struct {
	FILE *json;
	lsched_i_json writer; /* to json */
	const char *self, *commit, *gqueens;
	lsched_device_info gpu;
	int quick, repeat, no_ncu, has_ncu, failed;
} bench = { .repeat = 3, .commit = "unknown" };

typedef struct figure {
	nq_method method;
	nq_backend backend;
	lsched_queue queue;
	uint32_t n, by_queue;
	double seconds, whole_s, cpu_s;
	uint64_t nodes;
	double instructions, int_share; /* 0: not measured */
	int right;
} figure;

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* "-" where a counter hands the work out. */
static const char *queue_of(const figure *f)
{
	return f->method == NQ_METHOD_TASKS || f->by_queue ? lsched_queue_name(f->queue) : "-";
}

static double clock_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static nq_status count_once(figure *f, double *seconds)
{
	const double cpu_begin_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	nq_plan_options po;
	nq_run_options ro;
	nq_plan *plan = NULL;
	nq_ledger *ledger = NULL;
	nq_result r = { .struct_bytes = sizeof(r) };
	nq_count total = { 0, 0 }, right;
	nq_status st;

	nq_plan_options_init(&po);
	po.n = f->n;
	po.method = f->method;
	nq_run_options_init(&ro);
	ro.backend = f->backend;
	ro.queue = lsched_queue_name(f->queue);
	ro.by_queue = f->by_queue;
	st = nq_plan_create(&plan, &po);
	if (st == NQ_OK)
		st = nq_ledger_create(&ledger, plan);
	if (st == NQ_OK)
		st = nq_run(plan, ledger, &ro, &r);
	if (st == NQ_OK)
		st = nq_ledger_total(ledger, plan, &total);
	if (st == NQ_OK) {
		f->nodes = r.nodes;
		f->whole_s = (double)r.elapsed_ns * 1e-9;
		f->right = nq_known_count(f->n, &right) == NQ_OK && !nq_count_cmp(total, right);
		*seconds = f->backend == NQ_BACKEND_CUDA ? (double)r.kernel_ns * 1e-9 : f->whole_s;
		f->cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin_s;
	} else {
		printf("%-10s %-5s %-9s %3" PRIu32 " %s: %s\n", nq_method_name(f->method),
			nq_backend_name(f->backend), queue_of(f), f->n,
			st == NQ_ERR_UNSUPPORTED ? "left out" : "FAILED",
			*r.message ? r.message : nq_strstatus(st));
		fflush(stdout);
	}
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
	return st;
}

/* A number of ncu's: digits in groups. */
static double number_in(const char *text)
{
	double v = 0;

	for (; *text && *text != '"'; text++)
		if (*text >= '0' && *text <= '9')
			v = v * 10 + (*text - '0');
	return v;
}

/* Sums of two counters over all kernels of a run of --one. */
static void look_with_ncu(figure *f)
{
	static const char *const metrics[] = { "smsp__inst_executed.sum",
		"sm__inst_executed_pipe_alu.sum" };
	const double limit = (double)bench.gpu.sm_count * INT_LANES * bench.gpu.clock_khz * 1e3;
	double sum[2] = { 0, 0 };
	char line[4096];
	FILE *p;

	snprintf(line, sizeof(line),
		"ncu --clock-control none --csv --metrics %s,%s '%s' --one %s %" PRIu32
		" 2>/dev/null",
		metrics[0], metrics[1], bench.self, nq_method_name(f->method), f->n);
	p = popen(line, "r");
	while (p && fgets(line, sizeof(line), p))
		for (int k = 0; k < 2; k++) {
			char *end = strrchr(line, '"');

			if (!end || !strstr(line, metrics[k]))
				continue;
			*end = '\0';
			end = strrchr(line, '"');
			if (end)
				sum[k] += number_in(end + 1);
		}
	if (!p || pclose(p) != 0 || sum[0] <= 0)
		return;
	if (f->nodes)
		f->instructions = 32 * sum[0] / (double)f->nodes;
	f->int_share = 32 * sum[1] / f->seconds / limit;
}

static void begin_record(const char *method, const char *backend, const char *queue, uint32_t n)
{
	lsched_i_json_line(&bench.writer);
	lsched_i_json_object(&bench.writer, NULL);
	lsched_i_json_text(&bench.writer, "method", method);
	lsched_i_json_text(&bench.writer, "backend", backend);
	lsched_i_json_text(&bench.writer, "queue", queue);
	lsched_i_json_uint(&bench.writer, "n", n);
}

static void end_record(int right)
{
	lsched_i_json_bool(&bench.writer, "right", right);
	lsched_i_json_close(&bench.writer);
	(void)lsched_i_json_flush(&bench.writer);
}

static void record(const figure *f)
{
	printf("%-10s %-5s %-9s %3" PRIu32 " %10.4f %10.4f %10.2f", nq_method_name(f->method),
		nq_backend_name(f->backend), queue_of(f), f->n, f->seconds, f->whole_s,
		(double)f->nodes / f->seconds * 1e-9);
	if (f->int_share > 0)
		printf(" %8.1f %6.0f %%", f->instructions, 100 * f->int_share);
	printf("%s\n", f->right ? "" : "   WRONG COUNT");
	fflush(stdout);
	bench.failed |= !f->right;
	if (!bench.json)
		return;
	begin_record(nq_method_name(f->method), nq_backend_name(f->backend), queue_of(f), f->n);
	lsched_i_json_fixed(&bench.writer, "seconds", f->seconds, 6);
	lsched_i_json_fixed(&bench.writer, "whole_seconds", f->whole_s, 6);
	lsched_i_json_fixed(&bench.writer, "cpu_seconds", f->cpu_s, 6);
	lsched_i_json_uint(&bench.writer, "nodes", f->nodes);
	lsched_i_json_fixed(&bench.writer, "instructions_a_node", f->instructions, 2);
	lsched_i_json_fixed(&bench.writer, "int_pipe_share", f->int_share, 4);
	end_record(f->right);
}

static void measure(nq_method method, nq_backend backend, lsched_queue queue, uint32_t by_queue,
	uint32_t n, int look)
{
	figure f = {
		.method = method, .backend = backend, .queue = queue, .n = n, .by_queue = by_queue
	};
	double t[MOST_REPEATS], whole[MOST_REPEATS], cpu[MOST_REPEATS];
	int runs = 0, right = 1;

	while (runs < bench.repeat) {
		const nq_status st = count_once(&f, &t[runs]);

		if (st != NQ_OK) {
			bench.failed |= st != NQ_ERR_UNSUPPORTED;
			return;
		}
		right &= f.right;
		cpu[runs] = f.cpu_s;
		whole[runs++] = f.whole_s;
		/* what takes long varies little */
		if (f.whole_s > 2)
			break;
	}
	qsort(t, (size_t)runs, sizeof(*t), by_value);
	qsort(whole, (size_t)runs, sizeof(*whole), by_value);
	qsort(cpu, (size_t)runs, sizeof(*cpu), by_value);
	f.seconds = t[runs / 2];
	f.whole_s = whole[runs / 2];
	f.cpu_s = cpu[runs / 2];
	f.right = right;
	if (look && bench.has_ncu)
		look_with_ncu(&f);
	record(&f);
}

static void measure_cuda(void)
{
	const uint32_t last = bench.quick ? 18 : 21;

	for (uint32_t n = 16; n <= last; n++) {
		measure(NQ_METHOD_BACKTRACK, NQ_BACKEND_CUDA, LSCHED_QUEUE_RING, 0, n, n <= 20);
		measure(NQ_METHOD_JOIN, NQ_BACKEND_CUDA, LSCHED_QUEUE_RING, 0, n, 0);
	}
	for (uint32_t n = 18; n <= (bench.quick ? 18u : 20u); n += 2)
		measure(NQ_METHOD_BACKTRACK, NQ_BACKEND_CUDA, LSCHED_QUEUE_RING, 1, n, 0);
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		for (uint32_t n = 15; n <= (bench.quick ? 16u : 18u); n++)
			measure(NQ_METHOD_TASKS, NQ_BACKEND_CUDA, (lsched_queue)q, 0, n, 0);
}

static void measure_cpu(void)
{
	const uint32_t last = bench.quick ? 16 : 18;

	for (uint32_t n = 16; n <= last; n++) {
		measure(NQ_METHOD_BACKTRACK, NQ_BACKEND_CPU, LSCHED_QUEUE_RING, 0, n, 0);
		measure(NQ_METHOD_JOIN, NQ_BACKEND_CPU, LSCHED_QUEUE_RING, 0, n, 0);
	}
	if (!bench.quick)
		measure(NQ_METHOD_JOIN, NQ_BACKEND_CPU, LSCHED_QUEUE_RING, 0, 20, 0);
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		measure(NQ_METHOD_TASKS, NQ_BACKEND_CPU, (lsched_queue)q, 0, bench.quick ? 13 : 15,
			0);
}

/* One process, from its start to its end; what it prints is compared. */
static int process_once(uint32_t n, double *seconds)
{
	const double begin = clock_s(CLOCK_MONOTONIC);
	char line[1024], text[NQ_COUNT_TEXT_BYTES], said[NQ_COUNT_TEXT_BYTES + 2] = "";
	nq_count right;
	FILE *p;

	snprintf(line, sizeof(line), "'%s' --quiet %" PRIu32, bench.gqueens, n);
	p = popen(line, "r");
	if (!p)
		return -1;
	if (!fgets(said, sizeof(said), p))
		said[0] = '\0';
	if (pclose(p) != 0)
		return -1;
	*seconds = clock_s(CLOCK_MONOTONIC) - begin;
	said[strcspn(said, "\n")] = '\0';
	return nq_known_count(n, &right) != NQ_OK || strcmp(said, nq_count_text(right, text));
}

static void measure_process(uint32_t n)
{
	double t[MOST_REPEATS];
	int wrong = 0;

	for (int k = -1; k < bench.repeat; k++) {
		double s = 0;

		if ((wrong = process_once(n, &s)))
			break;
		if (k >= 0)
			t[k] = s;
	}
	bench.failed |= wrong;
	if (wrong) {
		printf("%-10s %-5s %-9s %3" PRIu32 " %s\n", "auto", "-", "-", n,
			wrong < 0 ? "FAILED" : "WRONG COUNT");
		return;
	}
	qsort(t, (size_t)bench.repeat, sizeof(*t), by_value);
	printf("%-10s %-5s %-9s %3" PRIu32 " %10s %10.4f\n", "auto", "-", "-", n, "-",
		t[bench.repeat / 2]);
	fflush(stdout);
	if (!bench.json)
		return;
	begin_record("auto", "process", "-", n);
	lsched_i_json_fixed(&bench.writer, "seconds", t[bench.repeat / 2], 6);
	end_record(1);
}

static void measure_processes(void)
{
	static const uint32_t sizes[] = { 8, 16, 17, 18, 20 };

	for (size_t i = 0; i < (bench.quick ? 2 : sizeof(sizes) / sizeof(sizes[0])); i++)
		measure_process(sizes[i]);
}

static void begin_json(const char *device)
{
	lsched_i_json *j = &bench.writer;

	lsched_i_json_begin(j, lsched_i_json_to_file, bench.json);
	lsched_i_json_object(j, NULL);
	lsched_i_json_text(j, "device", device);
	lsched_i_json_sint(j, "multiprocessors", bench.gpu.sm_count);
	lsched_i_json_sint(j, "clock_khz", bench.gpu.clock_khz);
	lsched_i_json_sint(j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
	lsched_i_json_text(j, "commit", bench.commit);
	lsched_i_json_sint(j, "repeat", bench.repeat);
	lsched_i_json_array(j, "figures");
}

static int end_json(void)
{
	lsched_i_json_line(&bench.writer);
	lsched_i_json_close(&bench.writer);
	lsched_i_json_close(&bench.writer);
	return lsched_i_json_end(&bench.writer);
}

static int usage(void)
{
	fprintf(stderr, "usage: queens_bench [--backend cpu|cuda] [--json FILE] [--commit TEXT] "
			"[--gqueens PROGRAM] [--quick] [--repeat N] [--no-ncu]\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *json = NULL;
	nq_backend backend = NQ_BACKEND_AUTO;
	const int devices = lsched_device_count();

	bench.self = argv[0];
	for (int i = 1; i < argc; i++) {
		const int more = i + 1 < argc;

		if (strcmp(argv[i], "--one") == 0 && i + 2 < argc) {
			figure f = { .backend = NQ_BACKEND_CUDA };
			double s;

			f.n = (uint32_t)atoi(argv[i + 2]);
			if (nq_method_parse(argv[i + 1], &f.method))
				return usage();
			return count_once(&f, &s) != NQ_OK;
		}
		if (strcmp(argv[i], "--backend") == 0 && more &&
			nq_backend_parse(argv[i + 1], &backend) == 0)
			i++;
		else if (strcmp(argv[i], "--json") == 0 && more)
			json = argv[++i];
		else if (strcmp(argv[i], "--commit") == 0 && more)
			bench.commit = argv[++i];
		else if (strcmp(argv[i], "--gqueens") == 0 && more)
			bench.gqueens = argv[++i];
		else if (strcmp(argv[i], "--repeat") == 0 && more)
			bench.repeat = atoi(argv[++i]);
		else if (strcmp(argv[i], "--quick") == 0)
			bench.quick = 1;
		else if (strcmp(argv[i], "--no-ncu") == 0)
			bench.no_ncu = 1;
		else
			return usage();
	}
	if (bench.repeat < 1 || bench.repeat > MOST_REPEATS)
		return usage();
	if (backend == NQ_BACKEND_CUDA && devices < 1) {
		fprintf(stderr, "queens_bench: no CUDA device\n");
		return 1;
	}
	lsched_device_info_init(&bench.gpu);
	if (devices > 0 && lsched_device_get_info(0, &bench.gpu) == LSCHED_OK)
		bench.has_ncu = !bench.no_ncu && system("ncu --version >/dev/null 2>&1") == 0;
	if (json && !(bench.json = fopen(json, "w"))) {
		perror(json);
		return 1;
	}
	printf("%s, commit %s\n%-10s %-5s %-9s %3s %10s %10s %10s %8s %8s\n",
		devices > 0 ? bench.gpu.name : "no CUDA device", bench.commit, "method", "on",
		"queue", "N", "seconds", "whole s", "G boards/s", "instr.", "int pipe");
	if (bench.json)
		begin_json(devices > 0 ? bench.gpu.name : "");
	if (devices > 0 && backend != NQ_BACKEND_CPU)
		measure_cuda();
	if (backend != NQ_BACKEND_CUDA)
		measure_cpu();
	if (bench.gqueens && backend == NQ_BACKEND_AUTO)
		measure_processes();
	if (bench.json && (end_json() || fclose(bench.json) != 0)) {
		perror(json);
		return 1;
	}
	return bench.failed;
}
