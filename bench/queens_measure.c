#include "bench/queens_measure.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "nqueens/known.h"

enum { INT_LANES = 64 };

queens_bench bench = { .repeat = 3, .commit = "unknown" };

/* Returns the name of the queue, "-" if an atomic counter distributes the work. */
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

nq_status count_once(figure *f, double *seconds)
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

/* Parses a number printed by ncu, with separators between groups of digits. */
static double number_in(const char *text)
{
	double v = 0;

	for (; *text && *text != '"'; text++)
		if (*text >= '0' && *text <= '9')
			v = v * 10 + (*text - '0');
	return v;
}

/* Runs ncu on a process with --one and sums two hardware counters over all kernels. */
static void run_ncu(figure *f)
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

void begin_record(const char *method, const char *backend, const char *queue, uint32_t n)
{
	lsched_i_json_line_object(&bench.writer, NULL);
	lsched_i_json_text(&bench.writer, "method", method);
	lsched_i_json_text(&bench.writer, "backend", backend);
	lsched_i_json_text(&bench.writer, "queue", queue);
	lsched_i_json_uint(&bench.writer, "n", n);
}

void end_record(int right)
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

void measure(nq_method method, nq_backend backend, lsched_queue queue, uint32_t by_queue,
	uint32_t n, int ncu)
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
		/* long runs vary little */
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
	if (ncu && bench.has_ncu)
		run_ncu(&f);
	record(&f);
}
