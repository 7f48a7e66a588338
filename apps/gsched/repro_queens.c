/* Tzeng, Lloyd, Owens: A GPU Task-Parallel Model with Dependency Resolution (2012). Its second
 * program is N-Queens with boards as tasks; and the lower part of table 1. libnqueens counts with
 * each queue, and the counts are compared with the published ones. */
#include "apps/common/progress.h"
#include "apps/common/stop.h"
#include "apps/gsched/repro.h"
#include "nqueens/known.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES = LSCHED_QUEUE_COUNT, SIZES = 5, MAX_REPEAT = 5 };

/* Time limits of one count and of all counts. A queue that exceeds the limit at one size is not
 * measured at larger sizes. */
#define COUNT_LIMIT_MS 10000
#define ALL_LIMIT_NS   60000000000
/* A count that takes longer than this varies little, so that one measurement is sufficient. */
#define LONG_S 1.0

/* Times in seconds, NaN: not measured. [size] is the number of queens, n[size]. */
typedef struct queens {
	uint32_t n[SIZES];
	size_t sizes;
	double tasks[QUEUES][SIZES], fastest[SIZES];
	double backtrack[SIZES];    /* backtracking with the same workers */
	double cpu[SIZES];          /* backtracking with all CPU threads */
	uint32_t measured, correct; /* queues that were measured; those with correct counts */
	int64_t end_ns;
} queens;

/* Times of the paper in seconds for 15 to 18 queens. */
enum { PAPER_FROM = 15, PAPER_SIZES = 4 };
static const double paper_gpu[PAPER_SIZES] = { 1.7, 11, 77, 580 };
static const double paper_cpu[PAPER_SIZES] = { 0.9, 7, 46, 366 };

static double paper_seconds(const double *column, uint32_t n)
{
	return n >= PAPER_FROM && n < PAPER_FROM + PAPER_SIZES ? column[n - PAPER_FROM] : NAN;
}

/* Progress function of libnqueens: nonzero cancels the count. */
static int signalled(void *opaque, const nq_progress *p)
{
	(void)opaque;
	(void)p;
	return stop_signal() != 0;
}

typedef enum outcome { COUNTED, NOT_FINISHED, WRONG } outcome;

/* Counts once. *seconds is the time of the kernels on a device, because the initialisation of CUDA
 * does not depend on the queue, and of the whole count on the CPU. */
static outcome count_once(repro *r, const queens *q, const nq_plan *plan, lsched_backend backend,
	lsched_queue queue, double *seconds)
{
	const int64_t left_ms = (q->end_ns - progress_now_ns()) / 1000000;
	nq_ledger *ledger = NULL;
	nq_run_options o;
	nq_result result = { .struct_bytes = sizeof(result) };
	nq_count total = { 0, 0 }, right = { 0, 0 };
	nq_status st;

	if (left_ms <= 0 || stop_signal())
		return NOT_FINISHED;
	nq_run_options_init(&o);
	o.backend = backend == LSCHED_BACKEND_CUDA ? NQ_BACKEND_CUDA : NQ_BACKEND_CPU;
	o.device = r->o->device;
	o.queue = lsched_queue_name(queue);
	o.time_limit_ms = left_ms < COUNT_LIMIT_MS ? (uint64_t)left_ms : COUNT_LIMIT_MS;
	o.progress = signalled;
	st = nq_ledger_create(&ledger, plan);
	if (st == NQ_OK)
		st = nq_run(plan, ledger, &o, &result);
	if (st == NQ_OK)
		st = nq_ledger_total(ledger, plan, &total);
	nq_ledger_destroy(&ledger);
	if (st == NQ_TIME_LIMIT || st == NQ_CANCELLED)
		return NOT_FINISHED;
	*seconds = 1e-9 *
		   (double)(backend == LSCHED_BACKEND_CUDA ? result.kernel_ns : result.elapsed_ns);
	if (st == NQ_OK && nq_known_count(nq_plan_n(plan), &right) == NQ_OK &&
		nq_count_cmp(total, right) == 0)
		return COUNTED;
	log_print(r->log, LOG_LEVEL_ERROR, "%" PRIu32 " queens by %s, queue %s: %s",
		nq_plan_n(plan), nq_method_name(nq_plan_method(plan)), lsched_queue_name(queue),
		st == NQ_OK       ? "not the published count"
		: *result.message ? result.message
				  : nq_strstatus(st));
	r->failed = 1;
	return WRONG;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Measures the median of several counts after a warm-up count, or that one if it takes LONG_S.
 * *median_s is NaN if a count was not finished or is wrong. */
static outcome time_count(repro *r, const queens *q, nq_method method, lsched_backend backend,
	lsched_queue queue, uint32_t n, double *median_s)
{
	const uint32_t repeat = repro_pick(r, 1, 3, MAX_REPEAT);
	double s[MAX_REPEAT], first = 0;
	nq_plan_options po;
	nq_plan *plan = NULL;
	outcome result;

	*median_s = NAN;
	log_print(r->log, LOG_LEVEL_INFO, "%" PRIu32 " queens by %s on %s%s%s", n,
		nq_method_name(method), lsched_backend_name(backend),
		method == NQ_METHOD_TASKS ? ", queue " : "",
		method == NQ_METHOD_TASKS ? lsched_queue_name(queue) : "");
	nq_plan_options_init(&po);
	po.n = n;
	po.method = method;
	if (nq_plan_create(&plan, &po) != NQ_OK) {
		log_print(r->log, LOG_LEVEL_ERROR, "%" PRIu32 " queens: out of memory for the plan",
			n);
		r->failed = 1;
		return WRONG;
	}
	result = count_once(r, q, plan, backend, queue, &first);
	for (uint32_t k = 0; k < repeat && result == COUNTED && first < LONG_S; k++)
		result = count_once(r, q, plan, backend, queue, &s[k]);
	nq_plan_destroy(&plan);
	if (result != COUNTED)
		return result;
	*median_s = first;
	if (first < LONG_S) {
		qsort(s, repeat, sizeof(*s), by_value);
		*median_s = s[repeat / 2];
	}
	return result;
}

/* Measures all methods and queues at one size. A queue is left out after it was too slow or
 * wrong. */
static void time_size(repro *r, queens *q, size_t i, outcome state[QUEUES])
{
	const uint32_t n = q->n[i];

	(void)time_count(
		r, q, NQ_METHOD_BACKTRACK, LSCHED_BACKEND_CPU, LSCHED_QUEUE_RING, n, &q->cpu[i]);
	q->backtrack[i] = q->cpu[i];
	if (r->backend == LSCHED_BACKEND_CUDA)
		(void)time_count(r, q, NQ_METHOD_BACKTRACK, LSCHED_BACKEND_CUDA, LSCHED_QUEUE_RING,
			n, &q->backtrack[i]);
	q->fastest[i] = NAN;
	for (int k = 0; k < QUEUES; k++) {
		q->tasks[k][i] = NAN;
		if (state[k] == COUNTED)
			state[k] = time_count(r, q, NQ_METHOD_TASKS, r->backend, (lsched_queue)k, n,
				&q->tasks[k][i]);
		q->fastest[i] = fmin(q->fastest[i], q->tasks[k][i]); /* ignores NaN */
	}
}

static void time_all(repro *r, queens *q)
{
	const int device = r->backend == LSCHED_BACKEND_CUDA;
	const uint32_t from = repro_pick(r, 8, 12, device ? 14 : 13);
	const uint32_t to = repro_pick(r, 9, 15, device ? 18 : 16);
	outcome state[QUEUES] = { COUNTED };

	q->end_ns = progress_now_ns() + ALL_LIMIT_NS;
	for (uint32_t n = from; n <= to; n++) {
		q->n[q->sizes] = n;
		time_size(r, q, q->sizes++, state);
	}
	for (int k = 0; k < QUEUES; k++) {
		const int counted = isfinite(q->tasks[k][0]);

		q->measured += counted || state[k] == WRONG;
		q->correct += counted && state[k] != WRONG;
	}
}

static void add_line(repro_grid *g, const queens *q, const char *name, const double *seconds)
{
	g->names[g->lines] = name;
	memcpy(g->y[g->lines++], seconds, q->sizes * sizeof(*seconds));
}

static repro_grid *new_grid(repro *r, const queens *q)
{
	repro_grid *g = repro_alloc(r, sizeof(*g));

	g->x_label = "queens";
	g->y_label = "s";
	g->y_scale = CHART_LOG10;
	for (size_t i = 0; i < q->sizes; i++)
		g->x[g->points++] = q->n[i];
	return g;
}

static void show_times(repro *r, report_section *s, const queens *q)
{
	double gpu[SIZES], cpu[SIZES];
	repro_grid *g = new_grid(r, q);

	add_line(g, q, "tasks, fastest queue", q->fastest);
	add_line(g, q, "tasks, block", q->tasks[LSCHED_QUEUE_BLOCK]);
	if (r->backend == LSCHED_BACKEND_CUDA)
		add_line(g, q, "backtracking, this device", q->backtrack);
	add_line(g, q, "backtracking, CPU", q->cpu);
	for (size_t i = 0; i < q->sizes; i++) {
		gpu[i] = paper_seconds(paper_gpu, q->n[i]);
		cpu[i] = paper_seconds(paper_cpu, q->n[i]);
	}
	if (q->n[q->sizes - 1] >= PAPER_FROM) {
		add_line(g, q, "paper: tasks, GTX 480", gpu);
		add_line(g, q, "paper: CPU", cpu);
	}
	repro_grid_show(r, s, g, "Time to count all solutions");
}

/* Returns the index of the largest size that `line` has a value of; q->sizes if there is none. */
static size_t last_of(const queens *q, const double *line)
{
	size_t i = q->sizes;

	while (i > 0 && !isfinite(line[i - 1]))
		i--;
	return i ? i - 1 : q->sizes;
}

static void show_queues(repro *r, report_section *s, const queens *q)
{
	const size_t last = last_of(q, q->fastest);
	const char *names[QUEUES];
	double y[QUEUES];
	chart_series bars = { .y = y, .count = QUEUES, .mark = CHART_BAR };
	chart c = { .series = &bars, .series_count = 1, .categories = names };
	repro_grid *g = new_grid(r, q);

	for (int k = 0; k < QUEUES; k++) {
		names[k] = lsched_queue_name((lsched_queue)k);
		y[k] = last < q->sizes ? q->tasks[k][last] : NAN;
		add_line(g, q, names[k], q->tasks[k]);
	}
	c.title = repro_text(
		r, "%" PRIu32 " queens, one task per board", q->n[last < q->sizes ? last : 0]);
	c.category_count = QUEUES;
	c.y.label = "s";
	c.value_labels = 1;
	bars.name = "tasks";
	repro_chart(r, s, &c);
	repro_grid_table(r, s, g, "Time by queue");
}

/* Returns the fastest or the slowest queue at one size; -1: none was measured. */
static int extreme(const queens *q, size_t i, int slowest)
{
	int best = -1;

	for (int k = 0; k < QUEUES && i < q->sizes; k++)
		if (isfinite(q->tasks[k][i]) &&
			(best < 0 || (slowest ? q->tasks[k][i] > q->tasks[best][i]
					      : q->tasks[k][i] < q->tasks[best][i])))
			best = k;
	return best;
}

static const char *name_of(int queue)
{
	return queue < 0 ? "-" : lsched_queue_name((lsched_queue)queue);
}

static void judge_speed(repro *r, report_section *s, const queens *q)
{
	const size_t last = last_of(q, q->fastest), n = last < q->sizes ? last : 0;
	const size_t before = n > 1 ? n - 2 : 0;
	double growth, ratio;
	size_t small = 0;

	for (size_t i = 0; i < q->sizes; i++)
		if (q->n[i] < PAPER_FROM)
			small = i;
	repro_judge(r, s, "For fewer than 15 queens all solutions are found within a second.",
		isfinite(q->fastest[small]), q->fastest[small] < 1,
		"This machine has few workers, and each board is scheduled by itself.",
		"%" PRIu32 " queens: %.4f s with %s, %.4f s with block, which has one lock as the "
		"queue of the paper (criterion: less than 1 s)",
		q->n[small], q->fastest[small], name_of(extreme(q, small, 0)),
		q->tasks[LSCHED_QUEUE_BLOCK][small]);

	/* Over two steps if there are enough sizes, because symmetry reduces the work of odd and
	 * even boards differently. */
	growth = pow(q->fastest[n] / q->fastest[before], 1 / (double)(n - before));
	s = repro_claim(r, "Growth with the number of queens", NULL);
	repro_judge(r, s, "The time grows exponentially, by a factor of 6.5 to 7.5 per queen.",
		n > before && isfinite(growth), growth >= 5 && growth <= 10,
		"The smaller boards finish before all workers have tasks, so that their time is "
		"that of the launch.",
		"%" PRIu32 " to %" PRIu32
		" queens: a factor of %.2f per queen (criterion: 5 to 10)",
		q->n[before], q->n[n], growth);

	ratio = q->fastest[n] / q->cpu[n];
	s = repro_claim(r, "Tasks and a solver for the CPU", NULL);
	repro_judge(r, s,
		"The time of boards as tasks is at most twice that of an optimised CPU solver with "
		"threads and vector instructions.",
		isfinite(ratio), ratio <= 2,
		r->backend == LSCHED_BACKEND_CUDA
			? "libnqueens searches eight or sixteen boards at once in the vectors of a "
			  "CPU thread, and uses symmetry to reduce the search."
			: "Here both use the same CPU threads: the solver searches several boards "
			  "at once in a vector, a task is one board.",
		"%" PRIu32 " queens: tasks %.4f s with %s, backtracking with all CPU threads %.4f "
		"s: %.3f times as long (criterion: at most 2 times)",
		q->n[n], q->fastest[n], name_of(extreme(q, n, 0)), q->cpu[n], ratio);

	ratio = q->fastest[n] / q->backtrack[n];
	s = repro_claim(r, "Grain of the tasks", NULL);
	repro_judge(r, s,
		"Backtracking is not suited to tasks, because of its branching and because a board "
		"has too little work.",
		isfinite(ratio), ratio >= 2,
		"Items wait in the fast memory of their worker and most are never enqueued, so "
		"that a task of one board takes hardly longer than the board.",
		"%" PRIu32 " queens on the same processors: one task per board %.4f s, "
		"backtracking %.4f s: %.1f times as long (criterion: at least 2 times)",
		q->n[n], q->fastest[n], q->backtrack[n], ratio);
}

static void judge_queues(repro *r, report_section *s, const queens *q)
{
	const size_t last = last_of(q, q->fastest);
	const int best = extreme(q, last, 0), worst = extreme(q, last, 1);
	const double fast = best < 0 ? NAN : q->tasks[best][last];
	const double slow = worst < 0 ? NAN : q->tasks[worst][last];

	repro_judge(r, s,
		"The queue is an independent module: it can be replaced without other changes.",
		q->measured == QUEUES, q->correct == QUEUES, NULL,
		"%" PRIu32
		" of %d queues gave the published counts; of those that finished %" PRIu32
		" queens the fastest, %s, took %.4f s, the slowest, %s, %.4f s",
		q->correct, QUEUES, q->n[last < q->sizes ? last : 0], name_of(best), fast,
		name_of(worst), slow);
}

void repro_queens(repro *r)
{
	queens *q = repro_alloc(r, sizeof(*q));
	report_section *s = repro_section(r, "N-Queens with one task per board",
		"Tzeng, Lloyd, Owens 2012, table 1 (N-Queens)");

	time_all(r, q);
	s->text = repro_text(r,
		"A task is a board with queens on some rows. It places one more queen and spawns "
		"the new board, and its own board with the remaining placements. Paper: 15 to 18 "
		"queens in 1.7, 11, 77 and 580 s on a GTX 480, 0.9, 7, 46 and 366 s on a CPU. The "
		"times of this machine are those of %s. A count of more than one second is "
		"measured once; a queue that needs more than %d s is not measured with more "
		"queens. Unlike in the paper, all methods start from placements of queens on the "
		"middle lines, one for each symmetry class. Every count was compared with the "
		"published one.",
		r->backend == LSCHED_BACKEND_CUDA ? "the kernels" : "the whole count",
		COUNT_LIMIT_MS / 1000);
	show_times(r, s, q);
	judge_speed(r, s, q);

	s = repro_section(
		r, "Queues with N-Queens", "Tzeng, Lloyd, Owens 2012, section 8 (N-Queens)");
	s->text = "The same tasks with each queue. The queue of the paper has one lock, as block; "
		  "the others are from other papers.";
	show_queues(r, s, q);
	judge_queues(r, s, q);
}
