#include "bench/queens_table.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/queens_measure.h"
#include "nqueens/cost/model.h"
#include "nqueens/cost/table.h"

enum {
	MEASURED_N = 22,      /* last row that is measured */
	WHOLE_N = 17,         /* the CPU counts n up to this; above, a sample of units is timed */
	SAMPLE_MS = 20000,    /* time limit of that sample */
	GPU_LIMIT_MS = 60000, /* a longer run is extrapolated by its finished work */
	CPU_RATE_N = 15,      /* board size for the nodes per second of the CPU */
	GPU_RATE_N = 18       /* the same for the GPU */
};

/* Finished and total expected cost, by the last progress call. */
typedef struct share {
	double done, all;
} share;

static int keep_share(void *opaque, const nq_progress *p)
{
	share *s = (share *)opaque;

	s->done = (double)p->work_done;
	s->all = (double)p->work;
	return 0;
}

static void fail(nq_method method, uint32_t n, nq_status st)
{
	fprintf(stderr, "queens_bench: %" PRIu32 " queens by %s: %s: %s\n", n,
		nq_method_name(method), nq_strstatus(st), nq_last_error());
	exit(1);
}

static nq_plan *plan_of(nq_method method, uint32_t n)
{
	nq_plan_options o;
	nq_plan *plan;
	nq_status st;

	nq_plan_options_init(&o);
	o.n = n;
	o.method = method;
	st = nq_plan_create(&plan, &o);
	if (st != NQ_OK)
		fail(method, n, st);
	return plan;
}

/* Counts once. Returns seconds, of CUDA in kernels; *nodes (may be NULL) as nq_result. */
static double count_s(nq_method method, nq_backend backend, uint32_t n, double *nodes)
{
	share s = { 0, 0 };
	nq_plan *plan = plan_of(method, n);
	nq_ledger *ledger;
	nq_run_options o;
	nq_result r;
	double seconds;
	nq_status st = nq_ledger_create(&ledger, plan);

	nq_run_options_init(&o);
	nq_result_init(&r);
	o.backend = backend;
	o.workers = backend == NQ_BACKEND_CPU;
	o.time_limit_ms = backend == NQ_BACKEND_CPU ? 0 : GPU_LIMIT_MS;
	o.progress = keep_share;
	o.progress_opaque = &s;
	if (st == NQ_OK)
		st = nq_run(plan, ledger, &o, &r);
	if (st != NQ_OK && !(st == NQ_TIME_LIMIT && s.done > 0))
		fail(method, n, st);
	seconds = (double)(backend == NQ_BACKEND_CPU ? r.elapsed_ns : r.kernel_ns) * 1e-9;
	if (st == NQ_TIME_LIMIT)
		seconds *= s.all / s.done;
	if (nodes)
		*nodes = (double)r.nodes;
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
	return seconds;
}

static double median_s(nq_method method, nq_backend backend, uint32_t n)
{
	double t[3];

	for (int k = 0; k < 3; k++) {
		t[k] = count_s(method, backend, n, NULL);
		if (t[k] > 2) /* long runs vary little */
			return t[k];
	}
	qsort(t, 3, sizeof(*t), by_value);
	return t[1];
}

static double sampled_s(nq_method method, uint32_t n)
{
	nq_plan *plan = plan_of(method, n);
	nq_time_estimate t;
	nq_status st;

	nq_time_estimate_init(&t);
	st = nq_estimate_time(plan, NQ_SIMD_AUTO, SAMPLE_MS, 1, &t);
	if (st != NQ_OK)
		fail(method, n, st);
	nq_plan_destroy(&plan);
	return t.cpu_s;
}

/* Larger boards take too long: the table keeps its estimates of them. */
static double kept_s(nq_method method, nq_backend backend, uint32_t n)
{
	const nq_i_cost c = nq_i_cost_of_n(method, n);

	return backend == NQ_BACKEND_CPU ? c.cpu_s : c.gpu_s;
}

static void print_row(const char *name, nq_method method, nq_backend backend)
{
	const uint32_t last = bench.quick ? WHOLE_N : NQ_JOIN_MAX_N;

	printf("static const double cost_%s_s[] = {", name);
	for (uint32_t n = COST_TABLE_FROM; n <= last; n++) {
		printf("%s %.2g", n > COST_TABLE_FROM ? "," : "",
			n > MEASURED_N                             ? kept_s(method, backend, n)
			: backend == NQ_BACKEND_CPU && n > WHOLE_N ? sampled_s(method, n)
								   : median_s(method, backend, n));
		fflush(stdout);
	}
	printf(" };\n");
}

static void print_rate(const char *name, nq_method method, nq_backend backend, uint32_t n)
{
	double nodes, seconds = count_s(method, backend, n, &nodes);

	printf("#define COST_%s_NODES_S %.2g\n", name, nodes / seconds);
	fflush(stdout);
}

/* Runs a process that counts 8 queens on the GPU: nearly all of its time is the start of CUDA. */
static double start_of_process_s(void)
{
	const double begin = now_s();
	char line[1024];

	snprintf(line, sizeof(line), "'%s' --one backtrack 8", bench.self);
	if (system(line) != 0)
		fail(NQ_METHOD_BACKTRACK, 8, NQ_ERR_DEVICE);
	return now_s() - begin;
}

int print_cost_table(void)
{
	double start_s;

	if (lsched_device_count() < 1) {
		fprintf(stderr, "queens_bench: --table needs a CUDA device, because all values "
				"have to come from one machine\n");
		return 1;
	}
	start_s = start_of_process_s();
	printf("/* Seconds and rates of the counting methods on one machine, printed by\n"
	       " *	queens_bench --table >nqueens/cost/table.h\n"
	       " * CPU: one thread. GPU: one %s. The model (model.h) compares\n"
	       " * these values with each other only, so measure all of them on the same machine. "
	       "*/\n"
	       "#ifndef NQUEENS_COST_TABLE_H\n#define NQUEENS_COST_TABLE_H\n\n",
		bench.gpu.name);
	printf("/* Index 0 is n = %d, the last index is n = NQ_JOIN_MAX_N. Empty board, all "
	       "units.\n"
	       " * After n = %d: estimates, which queens_bench does not measure. */\n"
	       "enum { COST_TABLE_FROM = %d };\n",
		COST_TABLE_FROM, MEASURED_N, COST_TABLE_FROM);
	print_row("join_cpu", NQ_METHOD_JOIN, NQ_BACKEND_CPU);
	print_row("join_gpu", NQ_METHOD_JOIN, NQ_BACKEND_CUDA);
	print_row("backtrack_cpu", NQ_METHOD_BACKTRACK, NQ_BACKEND_CPU);
	print_row("backtrack_gpu", NQ_METHOD_BACKTRACK, NQ_BACKEND_CUDA);
	printf("\n/* Nodes per second. */\n");
	print_rate("BACKTRACK_CPU", NQ_METHOD_BACKTRACK, NQ_BACKEND_CPU, CPU_RATE_N);
	print_rate("TASKS_CPU", NQ_METHOD_TASKS, NQ_BACKEND_CPU, CPU_RATE_N);
	print_rate("BACKTRACK_GPU", NQ_METHOD_BACKTRACK, NQ_BACKEND_CUDA, GPU_RATE_N);
	print_rate("TASKS_GPU", NQ_METHOD_TASKS, NQ_BACKEND_CUDA, GPU_RATE_N);
	printf("\n/* Multiprocessors times clock (Hz) of the measured GPU: scales the rates to "
	       "other GPUs. */\n#define COST_GPU_CLOCKS_S (%d * %.3ge9)\n",
		bench.gpu.sm_count, (double)bench.gpu.clock_khz * 1e-6);
	printf("/* First use of CUDA in a process: driver, context, memory, loading of the "
	       "kernels. */\n"
	       "#define COST_GPU_START_S %.2g\n\n#endif\n",
		start_s);
	return 0;
}
