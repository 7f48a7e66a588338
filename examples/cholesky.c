/* The Cholesky factor of a matrix, by tiles, with the dependencies of the tiles as a graph.
 * Compiled as C it runs on CPU threads, by nvcc on a GPU. */
#include <math.h>
#include <stdio.h>
#include <libsched/csr.h>
#include <libsched/task.h>

enum { TILE = 16, TILES = 8, N = TILE * TILES, TASKS = TILES * (TILES + 1) * (TILES + 2) / 6 };

/* Step k changes tile (i, j), k <= j <= i: it subtracts the product of the tiles (i, k) and (j, k);
 * with k = j it finishes the tile, by the one on the diagonal. */
typedef struct tile_step {
	uint32_t i, j, k;
} tile_step;

typedef struct chol_ctx {
	lsched_csr_view graph;
	const tile_step *step; /* of each task */
	double *m;             /* [N][N] */
} chol_ctx;
LSCHED_CSR_RULE(chol_rule, chol_ctx, graph)

/* The sum of the products of n elements of rows x and y, from column `from` on. */
LSCHED_FN double chol_dot(const double *m, uint32_t x, uint32_t y, uint32_t from, uint32_t n)
{
	double sum = 0;

	for (uint32_t k = from; k < from + n; k++)
		sum += m[x * N + k] * m[y * N + k];
	return sum;
}

/* Finishes tile (i, j), column by column; its rows are distributed over the lanes. */
LSCHED_TASK_FN void chol_finish(double *m, uint32_t i, uint32_t j)
{
	for (uint32_t k = 0; k < TILE; k++) {
		const uint32_t y = j * TILE + k; /* column of the matrix, row of the divisor */

		if (i == j && lsched_lane() == 0)
			m[y * N + y] = sqrt(m[y * N + y] - chol_dot(m, y, y, j * TILE, k));
		lsched_sync_worker();
		for (uint32_t r = lsched_lane(); r < TILE; r += LSCHED_LANES) {
			const uint32_t x = i * TILE + r;

			if (x > y)
				m[x * N + y] = (m[x * N + y] - chol_dot(m, x, y, j * TILE, k)) /
					       m[y * N + y];
		}
		lsched_sync_worker();
	}
}

LSCHED_TASK_FN lsched_result chol_body(
	lsched_worker *w, const chol_ctx *c, lsched_no_local *local, uint32_t task)
{
	const tile_step s = c->step[task];

	(void)w, (void)local;
	if (s.j == s.k) {
		chol_finish(c->m, s.i, s.j);
		return LSCHED_DONE;
	}
	for (uint32_t e = lsched_lane(); e < TILE * TILE; e += LSCHED_LANES) {
		const uint32_t x = s.i * TILE + e / TILE, y = s.j * TILE + e % TILE;

		c->m[x * N + y] -= chol_dot(c->m, x, y, s.k * TILE, TILE);
	}
	return LSCHED_DONE;
}

#define LSCHED_NAME chol
#define LSCHED_CTX  chol_ctx
#define LSCHED_BODY chol_body
#define LSCHED_RULE chol_rule
#include <libsched/generate.h>

/* The number of a step: those of tile (i, j) follow each other. */
static uint32_t task_of(uint32_t i, uint32_t j, uint32_t k)
{
	uint32_t before = 0;

	for (uint32_t t = 0; t < i; t++)
		before += (t + 1) * (t + 2) / 2;
	return before + j * (j + 1) / 2 + k;
}

/* Lists the steps and their dependencies; returns the number of edges. */
static size_t list_steps(tile_step *step, lsched_csr_edge *edge)
{
	size_t n = 0;

	for (uint32_t i = 0; i < TILES; i++)
		for (uint32_t j = 0; j <= i; j++)
			for (uint32_t k = 0; k <= j; k++) {
				const uint32_t t = task_of(i, j, k);
				const lsched_csr_edge after[] = { { task_of(i, k, k), t },
					{ task_of(j, k, k), t }, { t - 1, t } };

				step[t].i = i, step[t].j = j, step[t].k = k;
				if (k < j)
					edge[n++] = after[0];
				if (i != j || k < j)
					edge[n++] = after[1];
				if (k > 0)
					edge[n++] = after[2];
			}
	return n;
}

/* The largest element of A - L L'. */
static double largest_error(const double *a, const double *l)
{
	double largest = 0;

	for (uint32_t x = 0; x < N; x++)
		for (uint32_t y = 0; y <= x; y++)
			largest = fmax(largest, fabs(a[x * N + y] - chol_dot(l, x, y, 0, y + 1)));
	return largest;
}

/* Factors l in the memory of the context's tasks. */
static lsched_status factor(lsched_ctx *ctx, double *l)
{
	static tile_step step[TASKS];
	static lsched_csr_edge edge[3 * TASKS];
	const size_t edges = list_steps(step, edge);
	void *steps = NULL, *m = NULL;
	lsched_csr *graph = NULL;
	lsched_run *run = NULL;
	lsched_run_options o;
	lsched_status st;
	chol_ctx c;

	lsched_run_options_init(&o);
	o.max_tasks = TASKS;
	st = lsched_csr_from_edges(&graph, ctx, TASKS, edge, edges);
	st = st ? st : lsched_mem_alloc(ctx, &steps, sizeof(step));
	st = st ? st : lsched_mem_alloc(ctx, &m, N * N * sizeof(*l));
	st = st ? st : lsched_mem_write(ctx, steps, step, sizeof(step));
	st = st ? st : lsched_mem_write(ctx, m, l, N * N * sizeof(*l));
	st = st ? st : lsched_run_create(&run, ctx, &LSCHED_PROGRAM(chol), &o);
	if (st == LSCHED_OK) {
		c.graph = *lsched_csr_get(graph);
		c.step = (const tile_step *)steps;
		c.m = (double *)m;
		st = lsched_run_start(run, &c, TASKS, NULL);
	}
	st = st ? st : lsched_run_finish(run, NULL);
	st = st ? st : lsched_mem_read(ctx, l, m, N * N * sizeof(*l));
	lsched_run_destroy(&run);
	lsched_mem_free(ctx, steps);
	lsched_mem_free(ctx, m);
	lsched_csr_destroy(&graph);
	return st;
}

int main(void)
{
	static double a[N * N], l[N * N];
	lsched_options o;
	lsched_status st;
	lsched_ctx *ctx;
	char why[256];

	for (uint32_t x = 0; x < N; x++)
		for (uint32_t y = 0; y < N; y++)
			a[x * N + y] = l[x * N + y] = x == y ? (double)N : 1.0 / (1 + x + y);
	lsched_options_init(&o);
#ifdef __CUDACC__
	o.backend = LSCHED_BACKEND_CUDA;
#else
	o.backend = LSCHED_BACKEND_CPU;
#endif
	if (lsched_open(&ctx, &o, why, sizeof(why)) != LSCHED_OK)
		return fprintf(stderr, "%s\n", why), 1;
	st = factor(ctx, l);
	if (st != LSCHED_OK)
		fprintf(stderr, "%s\n", lsched_last_error(ctx));
	lsched_close(&ctx);
	if (st == LSCHED_OK)
		printf("%d tasks, largest error %.0e\n", TASKS, largest_error(a, l));
	return st == LSCHED_OK && largest_error(a, l) < 1e-12 ? 0 : 1;
}
