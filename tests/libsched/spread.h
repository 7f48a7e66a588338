/* A program whose items make new items with unused numbers, each with a word of memory
 * that is written before it is spawned: through the worker loop, so for every queue, whatever its
 * kind. The worker that runs an item counts it and
 * compares its word; the host checks that each number ran once.
 *
 * The file that includes this one defines HISTORY_PROGRAM first to generate it. */
#ifndef TESTS_LIBSCHED_SPREAD_H
#define TESTS_LIBSCHED_SPREAD_H

#include <libsched/task.h>

enum { SPREAD_ALIEN = 301, SPREAD_MOST = 5, SPREAD_ROOTS = 8, SPREAD_SURE = 100 };

typedef struct spread_ctx {
	uint32_t *times;   /* [total] */
	uint32_t *written; /* [total] by the worker that spawns it */
	uint32_t *next; /* [0] numbers allocated beyond the roots; may pass `total`. [1] items whose
			 * word was stale */
	uint32_t total, seed;
} spread_ctx;

LSCHED_FN uint32_t spread_mark(const spread_ctx *c, uint32_t item)
{
	uint32_t x = (item ^ c->seed) * 0x9e3779b1u;

	x ^= x >> 15;
	x *= 0x85ebca77u;
	return x ^ (x >> 13);
}

LSCHED_TASK_FN lsched_result spread_body(
	lsched_worker *w, const spread_ctx *c, lsched_no_local *l, uint32_t item)
{
	uint32_t base = 0, n;

	(void)l;
	if (item >= c->total)
		return lsched_fail(w, SPREAD_ALIEN);
	n = (spread_mark(c, item) >> 7) % (SPREAD_MOST + 1);
	if (item < SPREAD_SURE && n < 3) /* or the tree might end early */
		n = 3;
	/* the last lane reads, while the first lane popped the item */
	if (lsched_lane() == LSCHED_LANES - 1) {
		(void)lsched_add(&c->times[item], 1u, rlx, dev);
		if (item >= SPREAD_ROOTS && c->written[item] != spread_mark(c, item))
			(void)lsched_add(&c->next[1], 1u, rlx, dev);
	}
	if (lsched_lane() == 0 && n)
		base = lsched_add(&c->next[0], n, rlx, dev);
	base = SPREAD_ROOTS + lsched_bcast(base);
	if (base > c->total)
		base = c->total;
	if (n > c->total - base)
		n = c->total - base;
	for (uint32_t k = 0; k < n; k += LSCHED_LANES) {
		const uint32_t mine = base + k + lsched_lane();
		const int want = k + lsched_lane() < n;

		if (want)
			c->written[mine] = spread_mark(c, mine);
		lsched_spawn_lanes(w, mine, want);
	}
	return LSCHED_DONE;
}

#endif

#ifdef HISTORY_PROGRAM
#define LSCHED_NAME           spread
#define LSCHED_CTX            spread_ctx
#define LSCHED_BODY           spread_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
