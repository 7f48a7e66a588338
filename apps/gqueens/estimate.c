/* The command --estimate: nodes, solutions and time before a run.
 *
 * backtrack, tasks: nodes by random descents; the time follows from the rate at which this machine
 * counts a smaller board, on the CPU and on a GPU if there is one. join: random sets of rows are
 * counted and timed, on a GPU if there is one; their expected costs are known. */
#include <libsched/sched.h>
#include "apps/common/stop.h"
#include "apps/gqueens/commands.h"
#include "apps/gqueens/output.h"
#include "nqueens/known.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
	DESCENTS = 400000,
	BUDGET_MS = 700,      /* time of the sample of a join */
	GPU_BUDGET_MS = 5000, /* whose work must fill all warps */
	SAMPLES_MIN = 16,     /* fewer have no reliable error */
	SAMPLE_CPU_N = 23,    /* an item of a larger join takes a CPU thread too long */
	RATE_N = 14,          /* the smaller board: some tens of milliseconds; */
	GPU_RATE_N = 19,      /* on a GPU, all of whose warps need work */
	SEED = 1 /* fixed: nodes are reproducible, and a join's sets of rows, whose number is not */
};

typedef struct prediction {
	uint32_t n;
	nq_method method;
	size_t units;
	uint32_t workers;
	nq_estimate nodes;
	double cpu_s, cpu_s_error; /* of one thread */
	double gpu_s;              /* 0: no GPU, or no estimate */
	double gpu_s_error;        /* standard error; 0: unknown */
	uint64_t gpu_bytes;        /* 0: no estimate */
	uint32_t samples;          /* of a join */
	int few_samples;           /* nonzero: too few for an estimate */
	char gpu[256];
} prediction;

static nq_status make_plan(nq_plan **plan, const gq_options *o, uint32_t n, nq_method method)
{
	nq_plan_options po;

	gq_plan_options(o, n, &po);
	po.method = method;
	return nq_plan_create(plan, &po);
}

/* Counts a smaller board. */
static nq_status run_smaller(const gq_options *o, nq_method method, uint32_t n,
	const nq_run_options *ro, nq_estimate *nodes, nq_result *result)
{
	const gq_options plain = { .backend = o->backend };
	nq_plan *plan = NULL;
	nq_ledger *ledger = NULL;
	nq_status st = make_plan(&plan, &plain, n, method);

	if (st == NQ_OK)
		st = nq_ledger_create(&ledger, plan);
	if (st == NQ_OK)
		st = nq_run(plan, ledger, ro, result);
	if (st == NQ_OK && nodes)
		st = nq_estimate_nodes(plan, DESCENTS, SEED, nodes);
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
	return st;
}

/* Measures nodes per second of one thread. */
static nq_status measure_rate(const gq_options *o, nq_method method, double *rate)
{
	nq_run_options ro;
	nq_result result = { .struct_bytes = sizeof(result) };
	nq_status st;

	nq_run_options_init(&ro);
	ro.backend = NQ_BACKEND_CPU;
	ro.simd = (nq_simd)o->simd;
	gq_run_queue(o, &ro);
	ro.workers = 1;
	st = run_smaller(o, method, RATE_N, &ro, NULL, &result);
	*rate = 0;
	if (st == NQ_OK)
		*rate = (double)result.nodes / ((double)(result.elapsed_ns + 1) * 1e-9);
	return st;
}

/* GPU and CPU fill rows in different orders and so have different nodes: only the ratio of the
 * estimates for the two sizes is used. */
static void measure_gpu(prediction *g, const gq_options *o)
{
	nq_estimate nodes = { .struct_bytes = sizeof(nodes) };
	nq_run_options ro;
	nq_result result = { .struct_bytes = sizeof(result) };

	if (o->backend == NQ_BACKEND_CPU || lsched_device_count() < 1)
		return;
	nq_run_options_init(&ro);
	ro.backend = NQ_BACKEND_CUDA;
	ro.device = o->device;
	gq_run_queue(o, &ro);
	if (run_smaller(o, g->method, GPU_RATE_N, &ro, &nodes, &result) != NQ_OK ||
		nodes.nodes <= 0)
		return;
	g->gpu_s = (double)result.kernel_ns * 1e-9 * g->nodes.nodes / nodes.nodes;
	memcpy(g->gpu, result.device, sizeof(g->gpu));
}

/* Counts random sets of rows of a join. UNSUPPORTED: not on this backend. */
static nq_status sample_join(
	prediction *g, const gq_options *o, const nq_plan *plan, nq_backend backend)
{
	const double limit_ms = o->time_limit_s * 1000;
	uint32_t budget_ms = backend == NQ_BACKEND_CUDA ? GPU_BUDGET_MS : BUDGET_MS;
	lsched_device_info info;
	nq_run_options ro;
	nq_join_sample s;
	nq_status st;

	if (limit_ms > 0)
		budget_ms = limit_ms < UINT32_MAX ? (uint32_t)limit_ms + 1 : UINT32_MAX;
	nq_join_sample_init(&s);
	nq_run_options_init(&ro);
	lsched_device_info_init(&info);
	ro.backend = backend;
	ro.device = o->device;
	ro.simd = (nq_simd)o->simd;
	ro.memory_bytes = (uint64_t)(o->memory_gb * 1e9);
	ro.cancel = stop_flag();
	st = nq_sample_join(plan, &ro, 0, budget_ms, SEED, &s);
	if (st != NQ_OK)
		return st;
	g->few_samples = s.samples < SAMPLES_MIN;
	if (!g->few_samples) {
		g->samples = s.samples;
		g->nodes.solutions = s.solutions;
		g->nodes.solutions_error = s.solutions_error;
	}
	if (backend != NQ_BACKEND_CUDA)
		return NQ_OK;
	g->gpu_s = s.seconds;
	g->gpu_s_error = s.seconds_error;
	g->gpu_bytes = s.device_bytes;
	if (lsched_device_get_info(o->device < 0 ? 0 : o->device, &info) == LSCHED_OK)
		snprintf(g->gpu, sizeof(g->gpu), "%s", info.name);
	return NQ_OK;
}

static nq_status estimate_join(prediction *g, const gq_options *o, const nq_plan *plan)
{
	nq_time_estimate t = { .struct_bytes = sizeof(t) };
	nq_status st = nq_estimate_time(plan, (nq_simd)o->simd, BUDGET_MS, SEED, &t);

	g->cpu_s = t.cpu_s;
	g->cpu_s_error = t.cpu_s_error;
	if (st != NQ_OK)
		return st;
	if (o->backend == NQ_BACKEND_CUDA ||
		(o->backend != NQ_BACKEND_CPU && lsched_device_count() > 0)) {
		st = sample_join(g, o, plan, NQ_BACKEND_CUDA);
		if (st != NQ_ERR_UNSUPPORTED || o->backend == NQ_BACKEND_CUDA)
			return st;
	}
	return g->n > SAMPLE_CPU_N ? NQ_OK : sample_join(g, o, plan, NQ_BACKEND_CPU);
}

static nq_status estimate(prediction *g, const gq_options *o, uint32_t n)
{
	nq_plan *plan = NULL;
	double rate = 0;
	nq_status st = make_plan(&plan, o, n, (nq_method)o->method);

	*g = (prediction){ .n = n, .workers = o->workers };
	nq_estimate_init(&g->nodes);
	if (!g->workers)
		g->workers = lsched_processor_count();
	if (st != NQ_OK)
		return st;
	g->method = nq_plan_method(plan);
	g->units = nq_plan_units(plan, NULL);
	if (g->method == NQ_METHOD_JOIN) {
		st = estimate_join(g, o, plan);
	} else {
		st = nq_estimate_nodes(plan, DESCENTS, SEED, &g->nodes);
		if (st == NQ_OK)
			st = measure_rate(o, g->method, &rate);
		if (st == NQ_OK && rate > 0) {
			g->cpu_s = g->nodes.nodes / rate;
			g->cpu_s_error = g->nodes.nodes_error / rate;
		}
		if (st == NQ_OK)
			measure_gpu(g, o);
	}
	nq_plan_destroy(&plan);
	return st;
}

/* Formats 123 s as "2.05 minutes". */
static const char *span(double s, char text[32])
{
	static const struct {
		double s;
		const char *name;
	} units[] = { { 365.25 * 86400, "years" }, { 86400, "days" }, { 3600, "hours" },
		{ 60, "minutes" }, { 1, "seconds" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (s >= 2 * units[i].s) {
			snprintf(text, 32, "%.3g %s", s / units[i].s, units[i].name);
			return text;
		}
	snprintf(text, 32, "%.3g seconds", s);
	return text;
}

static void put_solutions(FILE *f, const prediction *g, int toroidal)
{
	char text[NQ_COUNT_TEXT_BYTES];
	nq_count known;

	fprintf(f, "  solutions  %.4g (+- %.1g)", g->nodes.solutions, g->nodes.solutions_error);
	if (g->samples)
		fprintf(f, " from %" PRIu32 " sets of rows", g->samples);
	if (!toroidal && g->samples && g->nodes.solutions_error > 0 &&
		nq_known_count(g->n, &known) == NQ_OK)
		fprintf(f, "; published: %s, %.2f standard errors away", nq_count_text(known, text),
			fabs(g->nodes.solutions - nq_count_double(known)) /
				g->nodes.solutions_error);
	fputc('\n', f);
}

static void put_text(FILE *f, const prediction *g, const gq_options *o)
{
	char all[32], one[32], error[32];

	fprintf(f, "%" PRIu32 " queens by %s, %zu units\n", g->n, nq_method_name(g->method),
		g->units);
	if (g->nodes.nodes > 0)
		fprintf(f, "  nodes      %.4g (+- %.1g)\n", g->nodes.nodes, g->nodes.nodes_error);
	if (g->few_samples)
		fprintf(f, "  solutions  too few sets of rows were counted; raise --time-limit\n");
	else if (g->nodes.solutions > 0)
		put_solutions(f, g, o->toroidal);
	fprintf(f, "  CPU time   %s\n", span(g->cpu_s, one));
	fprintf(f, "  time       %s on %" PRIu32 " thread%s\n", span(g->cpu_s / g->workers, all),
		g->workers, g->workers == 1 ? "" : "s");
	if (g->gpu_s <= 0)
		return;
	fprintf(f, "  GPU time   %s", span(g->gpu_s, one));
	if (g->gpu_s_error > 0)
		fprintf(f, " (+- %s)", span(g->gpu_s_error, error));
	fprintf(f, " on %s", g->gpu);
	if (g->gpu_bytes)
		fprintf(f, ", %.1f GB", (double)g->gpu_bytes * 1e-9);
	fputc('\n', f);
}

static void put_json(lsched_i_json *j, const prediction *g)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_uint(j, "n", g->n);
	lsched_i_json_text(j, "method", nq_method_name(g->method));
	lsched_i_json_uint(j, "units", g->units);
	if (g->nodes.nodes > 0) {
		lsched_i_json_general(j, "nodes", g->nodes.nodes, 6);
		lsched_i_json_general(j, "nodes_error", g->nodes.nodes_error, 3);
	}
	if (g->nodes.nodes > 0 || g->samples) {
		lsched_i_json_general(j, "solutions", g->nodes.solutions, 6);
		lsched_i_json_general(j, "solutions_error", g->nodes.solutions_error, 3);
	}
	if (g->samples)
		lsched_i_json_uint(j, "samples", g->samples);
	lsched_i_json_general(j, "cpu_seconds", g->cpu_s, 6);
	lsched_i_json_general(j, "cpu_seconds_error", g->cpu_s_error, 3);
	lsched_i_json_uint(j, "workers", g->workers);
	lsched_i_json_general(j, "seconds", g->cpu_s / g->workers, 6);
	if (g->gpu_s > 0) {
		lsched_i_json_general(j, "gpu_seconds", g->gpu_s, 6);
		if (g->gpu_s_error > 0)
			lsched_i_json_general(j, "gpu_seconds_error", g->gpu_s_error, 3);
		lsched_i_json_uint(j, "gpu_bytes", g->gpu_bytes);
		lsched_i_json_text(j, "device", g->gpu);
	}
	lsched_i_json_close(j);
	(void)lsched_i_json_flush(j);
}

int gq_command_estimate(const gq_options *o, logger *log)
{
	char why[OUTFILE_WHY_BYTES];
	outfile json = { 0 };
	lsched_i_json writer;
	int code = CLI_EXIT_OK;

	if (o->json_path) {
		if (outfile_open_log(&json, o->json_path, o->overwrite, log))
			return CLI_EXIT_FAILED;
		output_json_begin(&writer, json.to, "estimates");
	}
	for (size_t i = 0; i < o->n_count && code == CLI_EXIT_OK; i++) {
		prediction g;
		const nq_status st = estimate(&g, o, o->n[i]);

		if (st != NQ_OK) {
			const char *error = nq_last_error();

			log_print(log, LOG_LEVEL_ERROR, "%" PRIu32 " queens: --method %s: %s",
				o->n[i], nq_method_name((nq_method)o->method),
				st == NQ_CANCELLED ? "cancelled"
				: *error           ? error
						   : nq_strstatus(st));
			code = st == NQ_ERR_UNSUPPORTED ? CLI_EXIT_USAGE : CLI_EXIT_FAILED;
			break;
		}
		if (json.to)
			put_json(&writer, &g);
		if (json.to != stdout)
			put_text(stdout, &g, o);
	}
	if (json.to)
		output_json_end(&writer);
	if (json.to != stdout && code != CLI_EXIT_OK)
		(void)outfile_close(&json, OUTFILE_DROP, why); /* an older file is kept */
	else if (json.to != stdout && output_close(&json, NULL, log))
		code = CLI_EXIT_FAILED;
	if (output_close_stdout(NULL, log))
		code = CLI_EXIT_FAILED;
	return code;
}
