/* A service that answers small requests while a long job goes on: each job counts the ways to put n
 * queens on a board of n x n. Compiled as C it runs on CPU threads, by nvcc on a GPU. */
#include <stdio.h>
#include <libsched/jobs.h>

enum { LONG = 13, REQUESTS = 200 };

typedef struct queens_ctx { /* the same for all jobs; this program needs nothing */
	uint32_t unused;
} queens_ctx;

typedef struct queens_args { /* of a job */
	uint32_t n;
} queens_args;

typedef struct queens_board { /* an item: the next row, and its columns that were not tried yet */
	uint32_t columns, left, right, free;
} queens_board;

#define QUEENS(Y, P) Y(P, board, lane, queens_board, queens_run, LSCHED_TO(board, 2))
LSCHED_DECLARE_PROCEDURES(queens_items, QUEENS);

LSCHED_TASK_FN void queens_root(queens_items *x, const queens_ctx *c, uint32_t i)
{
	const queens_args *args = (const queens_args *)lsched_job_args(x);
	const queens_board empty = { 0, 0, 0, (1u << args->n) - 1 };

	(void)c, (void)i;
	lsched_emit_to(x, board, &empty);
}

LSCHED_TASK_FN lsched_result queens_run(
	queens_items *x, const queens_ctx *c, lsched_no_local *l, queens_board b)
{
	const queens_args *args = (const queens_args *)lsched_job_args(x);
	const uint32_t all = (1u << args->n) - 1, queen = b.free & (0u - b.free);
	queens_board next = { b.columns | queen, (b.left | queen) << 1, (b.right | queen) >> 1, 0 };

	(void)c, (void)l;
	if (lsched_job_cancelled(x))
		return LSCHED_DONE;
	if (b.free != queen) {
		b.free ^= queen;
		lsched_emit_to(x, board, &b);
	}
	next.free = all & ~(next.columns | next.left | next.right);
	if (next.columns == all)
		lsched_return(x, LSCHED_JOIN_ROOT, 1); /* adds 1 to the value of the job */
	else if (next.free)
		lsched_emit_to(x, board, &next);
	return LSCHED_DONE;
}

#define LSCHED_NAME       queens
#define LSCHED_CTX        queens_ctx
#define LSCHED_ITEMS      queens_items
#define LSCHED_ROOT       queens_root
#define LSCHED_PROCEDURES QUEENS
#define LSCHED_JOBS
#include <libsched/generate_items.h>

static lsched_status post(lsched_jobs *jobs, uint32_t n, uint32_t priority, lsched_job *job)
{
	const queens_args args = { n };
	lsched_job_desc d;

	lsched_job_desc_init(&d); /* one root */
	d.priority = priority;
	d.args = &args;
	d.arg_bytes = sizeof(args);
	return lsched_job_post(jobs, &d, job);
}

int main(void)
{
	static const uint64_t ways[] = { 1, 0, 0, 2, 10, 4, 40, 92 }; /* of 1 to 8 queens */
	queens_ctx c = { 0 };
	lsched_job_member member = { NULL, &LSCHED_PROGRAM(queens), &c, NULL, 0 };
	lsched_options o;
	lsched_run_options ro;
	lsched_job_result r;
	lsched_jobs *jobs = NULL;
	lsched_job big, job;
	lsched_status st;
	uint64_t wait_ns = 0;
	uint32_t wrong = 0;
	char why[512];

	lsched_options_init(&o);
	lsched_run_options_init(&ro);
	lsched_job_result_init(&r);
#ifdef __CUDACC__
	o.backend = LSCHED_BACKEND_CUDA;
#else
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = 3; /* one of them is the controller */
#endif
	ro.queue = LSCHED_QUEUE_PRIO;
	st = lsched_open(&member.ctx, &o, why, sizeof(why));
	if (st == LSCHED_OK)
		st = lsched_jobs_open(&jobs, &member, 1, &ro, NULL, why, sizeof(why));
	if (st != LSCHED_OK) {
		fprintf(stderr, "%s\n", why);
		lsched_close(&member.ctx);
		return 1;
	}
	st = post(jobs, LONG, 0, &big);
	for (uint32_t k = 0; k < REQUESTS && st == LSCHED_OK; k++) {
		const uint32_t n = 1 + k % 8;

		st = post(jobs, n, 1, &job); /* more urgent than the long job */
		if (st == LSCHED_OK)
			st = lsched_job_wait(jobs, job, LSCHED_NO_LIMIT_MS, &r);
		wait_ns += r.end_ns - r.post_ns;
		wrong += r.value != ways[n - 1];
	}
	if (st == LSCHED_OK)
		st = lsched_job_wait(jobs, big, LSCHED_NO_LIMIT_MS, &r);
	if (st == LSCHED_OK)
		printf("%d queens: %llu ways; %d requests meanwhile, %u wrong, %.1f us each\n",
			LONG, (unsigned long long)r.value, REQUESTS, wrong,
			(double)wait_ns / REQUESTS / 1000);
	lsched_jobs_error(jobs, why, sizeof(why));
	if (st != LSCHED_OK)
		fprintf(stderr, "%s\n", why);
	(void)lsched_jobs_close(&jobs, NULL);
	lsched_close(&member.ctx);
	return st != LSCHED_OK || wrong;
}
