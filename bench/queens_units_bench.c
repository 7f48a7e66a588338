/* queens_units_bench [N [STEP]]: compares the expected costs of the units of a join with their
 * times on one CPU thread (nqueens/join/cost.h). Every STEP-th unit is counted 3 times; the least
 * time counts. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "libsched/core/clock.h"
#include "nqueens/cpu/unit.h"
#include "nqueens/plan/plan.h"

enum { REPEATS = 3, MOST_N = 22 };

/* Prints the differences between expected and measured shares, weighted by time. */
static void report(uint32_t n, const nq_plan *plan, const double *seconds)
{
	double time = 0, work = 0, squares = 0, outside = 0, worst = 0;
	size_t units = 0;

	for (size_t i = 0; i < plan->unit_count; i++) {
		if (seconds[i] <= 0)
			continue;
		units++;
		time += seconds[i];
		work += plan->work[i];
	}
	for (size_t i = 0; i < plan->unit_count; i++) {
		const double off =
			seconds[i] > 0 ? plan->work[i] / work * time / seconds[i] - 1 : 0;

		squares += off * off * seconds[i];
		outside += fabs(off) > 0.1 ? seconds[i] : 0;
		worst = fabs(off) > worst ? fabs(off) : worst;
	}
	printf("%2" PRIu32 " queens: %zu of %zu units, %.2f s; expected costs differ by %.1f %% "
	       "(root mean square), %.0f %% at most; units beyond 10 %%: %.0f %% of the time\n",
		n, units, plan->unit_count, time, 100 * sqrt(squares / time), 100 * worst,
		100 * outside / time);
}

static nq_status measure(uint32_t n, size_t step)
{
	nq_plan_options po;
	nq_i_unit_counter c;
	nq_plan *plan;
	double *seconds;
	nq_status st;

	nq_plan_options_init(&po);
	po.n = n;
	po.method = NQ_METHOD_JOIN;
	st = nq_plan_create(&plan, &po);
	if (st != NQ_OK)
		return st;
	seconds = (double *)calloc(plan->unit_count, sizeof(*seconds));
	st = seconds ? nq_i_unit_counter_open(&c, plan, NQ_SIMD_AUTO) : NQ_ERR_NOMEM;
	for (int r = 0; r < REPEATS && st == NQ_OK; r++)
		for (size_t i = 0; i < plan->unit_count && st == NQ_OK; i += step) {
			const uint64_t begin = lsched_i_clock_ns();
			uint64_t count;
			double s;

			st = nq_i_unit_count(&c, i, &count);
			s = (double)(lsched_i_clock_ns() - begin) * 1e-9;
			if (r == 0 || s < seconds[i])
				seconds[i] = s;
		}
	if (st == NQ_OK)
		report(n, plan, seconds);
	if (seconds)
		nq_i_unit_counter_close(&c);
	free(seconds);
	nq_plan_destroy(&plan);
	return st;
}

int main(int argc, char **argv)
{
	const uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
	const int step = argc > 2 ? atoi(argv[2]) : 1;
	nq_status st = NQ_OK;

	if (argc > 3 || step < 1 || (argc > 1 && (n < 4 || n > MOST_N))) {
		fprintf(stderr, "usage: queens_units_bench [N [STEP]], N from 4 to %d\n", MOST_N);
		return 2;
	}
	for (uint32_t k = n ? n : 14; k <= (n ? n : 18) && st == NQ_OK; k++)
		st = measure(k, (size_t)step);
	if (st != NQ_OK)
		fprintf(stderr, "queens_units_bench: %s\n", nq_strstatus(st));
	return st != NQ_OK;
}
