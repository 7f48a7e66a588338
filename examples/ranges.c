/* Sums numbers by two procedures: lanes split ranges, warps process strips of at most 64 numbers.
 * Compiled as C it runs on CPU threads, by nvcc on a GPU. */
#include <stdio.h>
#include <libsched/items.h>

typedef struct ranges_ctx {
	uint32_t each; /* numbers of a root */
} ranges_ctx;

typedef struct range {
	uint32_t from, to;
} range;
typedef struct strip {
	uint32_t from, count;
} strip;

/* name, grain, type of items, body, outputs; the numbers are ranges_proc_split = 0 and
 * ranges_proc_sum = 1 */
#define RANGES(Y, P)                                                                  \
	Y(P, split, lane, range, ranges_split, LSCHED_TO(split, 2) LSCHED_TO(sum, 1)) \
	Y(P, sum, warp, strip, ranges_sum, 0)
LSCHED_DECLARE_PROCEDURES(ranges, RANGES);

LSCHED_TASK_FN void ranges_root(ranges *x, const ranges_ctx *c, uint32_t i)
{
	const range r = { i * c->each, (i + 1) * c->each };

	lsched_emit_to(x, split, &r);
}

LSCHED_TASK_FN lsched_result ranges_split(
	ranges *x, const ranges_ctx *c, lsched_no_local *local, range r)
{
	const uint32_t n = r.to - r.from, middle = r.from + n / 2;
	const range low = { r.from, middle }, high = { middle, r.to };
	const strip s = { r.from, n };

	(void)c, (void)local;
	if (n <= 64) {
		lsched_emit_to(x, sum, &s);
		return LSCHED_DONE;
	}
	lsched_emit_to(x, split, &low);
	lsched_emit_to(x, split, &high);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result ranges_sum(
	ranges *x, const ranges_ctx *c, lsched_no_local *local, strip s)
{
	uint64_t sum = 0;

	(void)c, (void)local;
	for (uint32_t k = lsched_thread(x); k < s.count; k += lsched_threads(x))
		sum += s.from + k;
	lsched_return(x, LSCHED_JOIN_ROOT, sum); /* the run adds the sums of all threads */
	return LSCHED_DONE;
}

#define LSCHED_NAME       ranges
#define LSCHED_CTX        ranges_ctx
#define LSCHED_ITEMS      ranges
#define LSCHED_PROCEDURES RANGES
#define LSCHED_ROOT       ranges_root
#define LSCHED_CHOOSE_DOWNSTREAM
#include <libsched/generate_items.h>

int main(void)
{
	const ranges_ctx c = { 1000000 };
	lsched_stats stats;
	char why[256];

	lsched_stats_init(&stats);
	if (lsched_run_once(&LSCHED_PROGRAM(ranges), &c, 10, &stats, why, sizeof(why)) != LSCHED_OK)
		return fprintf(stderr, "%s\n", why), 1;
	printf("sum %llu, from %llu items\n", (unsigned long long)stats.value,
		(unsigned long long)stats.tasks);
	return 0;
}
