/* Speed of counting N-Queens boards on this machine: every method on the CPU and on a CUDA device,
 * and method tasks under every queue. Each count is compared with the published one. Prints a
 * table; with --json FILE also a JSON record. Times are medians: of CUDA the time in kernels, of
 * the CPU that of the whole nq_run() and the CPU seconds of all threads; with --gqueens PROGRAM
 * also those of whole processes, which choose method and backend themselves.
 *
 * Where ncu is in the PATH, separate runs measure the instructions per node and the share of the
 * integer pipe's limit (64 operations per multiprocessor and clock); --no-ncu omits them.
 *
 * A case that this machine does not support is left out with the reason; a failure or a wrong count
 * sets exit code 1, and the other cases are still measured.
 *
 * usage: queens_bench [--backend cpu|cuda] [--json FILE] [--commit TEXT] [--gqueens PROGRAM]
 *                     [--quick] [--repeat N] [--no-ncu]
 *        queens_bench --table [--quick]  measures and prints nqueens/cost/table.h
 *        queens_bench --one METHOD N     counts once on the device, under ncu */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "bench/queens_measure.h"
#include "bench/queens_table.h"
#include "nqueens/known.h"

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

/* Runs one process and compares its output. Returns 0, 1: wrong count, -1: failed. */
static int process_once(uint32_t n, double *seconds)
{
	const double begin = now_s();
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
	*seconds = now_s() - begin;
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
	lsched_i_json_line_close(&bench.writer);
	lsched_i_json_close(&bench.writer);
	return lsched_i_json_end(&bench.writer);
}

typedef struct arguments {
	const char *json, *one; /* one: a method */
	nq_backend backend;
	uint32_t one_n;
	int table;
} arguments;

static int usage(void)
{
	fprintf(stderr, "usage: queens_bench [--backend cpu|cuda] [--json FILE] [--commit TEXT] "
			"[--gqueens PROGRAM] [--quick] [--repeat N] [--no-ncu] [--table]\n");
	return 2;
}

/* Returns 0, or -1 on a usage error. */
static int parse(int argc, char **argv, arguments *a)
{
	for (int i = 1; i < argc; i++) {
		const int more = i + 1 < argc;

		if (strcmp(argv[i], "--one") == 0 && i + 2 < argc) {
			a->one = argv[i + 1];
			a->one_n = (uint32_t)atoi(argv[i + 2]);
			return 0;
		}
		if (strcmp(argv[i], "--backend") == 0 && more &&
			nq_backend_parse(argv[i + 1], &a->backend) == 0)
			i++;
		else if (strcmp(argv[i], "--json") == 0 && more)
			a->json = argv[++i];
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
		else if (strcmp(argv[i], "--table") == 0)
			a->table = 1;
		else
			return -1;
	}
	return bench.repeat < 1 || bench.repeat > MOST_REPEATS ? -1 : 0;
}

/* Counts once on the device, for ncu. */
static int count_one(const arguments *a)
{
	figure f = { .backend = NQ_BACKEND_CUDA, .n = a->one_n };
	double s;

	return nq_method_parse(a->one, &f.method) ? usage() : count_once(&f, &s) != NQ_OK;
}

static int measure_all(const arguments *a, int devices)
{
	if (a->json && !(bench.json = fopen(a->json, "w"))) {
		perror(a->json);
		return 1;
	}
	printf("%s, commit %s\n%-10s %-5s %-9s %3s %10s %10s %10s %8s %8s\n",
		devices > 0 ? bench.gpu.name : "no CUDA device", bench.commit, "method", "on",
		"queue", "N", "seconds", "whole s", "G nodes/s", "instr.", "int pipe");
	if (bench.json)
		begin_json(devices > 0 ? bench.gpu.name : "");
	if (devices > 0 && a->backend != NQ_BACKEND_CPU)
		measure_cuda();
	if (a->backend != NQ_BACKEND_CUDA)
		measure_cpu();
	if (bench.gqueens && a->backend == NQ_BACKEND_AUTO)
		measure_processes();
	if (bench.json && (end_json() || fclose(bench.json) != 0)) {
		perror(a->json);
		return 1;
	}
	return bench.failed;
}

int main(int argc, char **argv)
{
	arguments a = { .backend = NQ_BACKEND_AUTO };
	const int devices = lsched_device_count();

	bench.self = argv[0];
	if (parse(argc, argv, &a))
		return usage();
	if (a.one)
		return count_one(&a);
	if (a.backend == NQ_BACKEND_CUDA && devices < 1) {
		fprintf(stderr, "queens_bench: no CUDA device\n");
		return 1;
	}
	lsched_device_info_init(&bench.gpu);
	if (devices > 0 && lsched_device_get_info(0, &bench.gpu) == LSCHED_OK)
		bench.has_ncu = !bench.no_ncu && system("ncu --version >/dev/null 2>&1") == 0;
	return a.table ? print_cost_table() : measure_all(&a, devices);
}
