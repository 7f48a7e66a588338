/* sort: sizes and inputs beside qsort, worst cases, and block items by several threads. */
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "workloads/common/memory.h"
#include "workloads/sort/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const wl_type wl_sort_type;
extern const lsched_program sort4team_cpu_program, sort8team_cpu_program;
extern uint32_t team_size;

static int by_4(const void *pa, const void *pb)
{
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a > b) - (a < b);
}

static int by_8(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* Compares the output with qsort's, list by list. */
static int as_qsort(harness *h)
{
	const sort_host *s = h->w.host_data;
	const size_t bytes = s->o.n * s->key_bytes;
	char *want = wl_host_copy(&h->d, s->ctx.key[SORT_INPUT], bytes, h->why, sizeof(h->why));
	char *got = wl_host_copy(&h->d, s->ctx.key[SORT_OUTPUT], bytes, h->why, sizeof(h->why));
	int same;

	CU_ASSERT_FATAL(want && got);
	for (uint64_t i = 0; i < s->o.lists; i++)
		qsort(want + s->list[i] * s->key_bytes, s->list[i + 1] - s->list[i], s->key_bytes,
			s->key_bytes == 4 ? by_4 : by_8);
	same = memcmp(want, got, bytes) == 0;
	free(want);
	free(got);
	return same;
}

/* The deepest range that was split; the records of ranges that followed are left. */
static uint32_t deepest(const harness *h)
{
	const sort_host *s = h->w.host_data;
	uint32_t depth = 0;

	for (uint64_t i = 0; i < s->o.n / SORT_ROOM_MIN + 1; i++)
		if (sort_depth(s->ctx.open[i].info) > depth)
			depth = sort_depth(s->ctx.open[i].info);
	return depth;
}

/* What a test changes of the context. 0: nothing. */
typedef struct changes {
	uint32_t small, depth_limit_set, depth_limit, team;
	const sort_leaves *leaves;
	uint32_t most_ways, levels; /* levels: most that ranges may need */
} changes;

static void try_sort(const sort_options *o, const changes *c, lsched_queue queue, uint32_t workers)
{
	harness h;
	int bad = harness_open(&h, &wl_sort_type, o, workers);
	sort_host *s = h.w.host_data;

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	if (!bad) {
		s->ctx.small = c->small ? c->small : s->ctx.small;
		s->ctx.depth_limit = c->depth_limit_set ? c->depth_limit : s->ctx.depth_limit;
		s->ctx.leaves = c->leaves ? c->leaves : s->ctx.leaves;
		h.w.max_joins += (uint32_t)o->n / SORT_ROOM_MIN + 1;
		if (c->team) {
			team_size = c->team;
			s->ctx.most_ways = c->most_ways ? c->most_ways : s->ctx.most_ways;
			s->ctx.each = 1 + c->team % 3;
			bad = sort_alloc_ways(s, &h.d, h.why, sizeof(h.why));
			h.w.cpu =
				s->key_bytes == 4 ? &sort4team_cpu_program : &sort8team_cpu_program;
		}
		bad = bad ? bad : harness_run(&h, queue, workers);
	}
	if (!bad && !as_qsort(&h)) {
		bad = -1;
		snprintf(h.why, sizeof(h.why), "the keys are not in the order of qsort");
	}
	if (!bad && deepest(&h) > s->ctx.depth_limit + 8 * s->key_bytes) {
		bad = -1;
		snprintf(h.why, sizeof(h.why), "ranges of depth %u", deepest(&h));
	}
	if (!bad && c->levels && deepest(&h) >= c->levels) {
		bad = -1;
		snprintf(h.why, sizeof(h.why), "%u levels", deepest(&h) + 1);
	}
	if (bad)
		fprintf(stderr, "n %d keys %d law %d lists %d team %u: %s\n", (int)o->n, o->keys,
			o->law, (int)o->lists, c->team, h.why);
	CU_ASSERT_EQUAL(bad, 0);
	harness_close(&h);
}

static void test_sizes(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 3, 24, 25, 4095, 4096, 4097, 8191, 8192, 8193,
		65535, 65536, 65537, 131073 };
	const changes c = { SORT_ROOM_MIN, 0, 0, 0, NULL, 0, 0 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (int keys = SORT_U32; keys <= SORT_PAIRS; keys++) {
			const sort_options o = { sizes[k], 1, (uint32_t)k, keys, SORT_UNIFORM, 0 };

			try_sort(&o, &c, LSCHED_QUEUE_RING, 1 + (uint32_t)k % 3);
		}
}

static void test_laws(void)
{
	const changes c = { SORT_ROOM_MIN, 0, 0, 0, NULL, 0, 0 };

	for (int law = SORT_UNIFORM; law <= SORT_STAGGERED; law++)
		for (int keys = SORT_U32; keys <= SORT_PAIRS; keys++) {
			const sort_options o = { 100003, 1, 7, keys, law, 0 };

			try_sort(&o, &c, LSCHED_QUEUE_STEAL, 2);
		}
}

/* The leaves of each instruction set under tasks, with tiles of ranges of all levels. */
static void test_instruction_sets(void)
{
	for (int simd = SORT_SIMD_SCALAR; simd < SORT_SIMDS; simd++)
		for (int keys = SORT_U32; keys <= SORT_PAIRS; keys++) {
			const sort_options one = { 150001, 1, 7, keys, (simd + keys) % 7, 0 };
			const sort_options lists = { 50000, 3000, 7, keys, 0, SORT_ZIPF };
			const changes c = { SORT_ROOM_MIN, 0, 0, 0, sort_leaves_of((sort_simd)simd),
				0, 0 };

			if (!c.leaves)
				continue;
			try_sort(&one, &c, LSCHED_QUEUE_RING, 2);
			try_sort(&lists, &c, LSCHED_QUEUE_RING, 2);
		}
}

static void test_lists(void)
{
	static const struct {
		uint64_t n, lists;
	} cases[] = { { 0, 1 }, { 0, 100 }, { 5, 100 }, { 100, 100 }, { 3200, 100 }, { 3300, 100 },
		{ 70000, 3 }, { 200000, 3000 }, { 50000, 40000 } };
	const changes c = { SORT_ROOM_MIN, 0, 0, 0, NULL, 0, 0 };

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
		for (int lengths = SORT_EVEN; lengths <= SORT_ZIPF; lengths++) {
			const sort_options o = { cases[k].n, cases[k].lists, 3, (int)k % 3,
				SORT_UNIFORM, lengths };

			try_sort(&o, &c, LSCHED_QUEUE_RING, 3);
		}
}

/* Pivots from bits from the beginning on: no keys need more splits than they have bits. */
static void test_depth_limit(void)
{
	const changes c = { SORT_ROOM_MIN, 1, 0, 0, NULL, 0, 0 };

	for (int law = SORT_UNIFORM; law <= SORT_STAGGERED; law++)
		for (int keys = SORT_U32; keys <= SORT_PAIRS; keys++) {
			const sort_options o = { 60001, 1, 7, keys, law, 0 };

			try_sort(&o, &c, LSCHED_QUEUE_RING, 2);
		}
}

/* The text of blocks: tiles, pivots, fills, packs and sorts in fast memory by several threads. */
static void test_teams(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 15, 16, 17, 33, 1000, 4095, 4096, 4097, 8192,
		8193, 40000 };
	static const uint32_t teams[] = { 2, 5, 32 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (size_t t = 0; t < sizeof(teams) / sizeof(teams[0]); t++) {
			const int keys = (int)(k + t) % 3, law = (int)(k + 2 * t) % 7;
			const sort_options o = { sizes[k], 1, (uint32_t)k, keys, law, 0 };
			const changes c = { keys == SORT_U32 ? 8192 : 4096, 0, 0, teams[t], NULL, 0,
				0 };

			try_sort(&o, &c, LSCHED_QUEUE_RING, 1);
		}
	for (int keys = SORT_U32; keys <= SORT_PAIRS; keys++) {
		const sort_options few = { 100000, 1, 1, keys, SORT_FEW, 0 };
		const sort_options lists = { 30000, 500, 1, keys, SORT_UNIFORM, SORT_ZIPF };
		const changes c = { 4096, 0, 0, 7, NULL, 0, 0 };

		try_sort(&few, &c, LSCHED_QUEUE_STEAL, 2);
		try_sort(&lists, &c, LSCHED_QUEUE_RING, 1);
	}
}

/* Splits into many ways: of all laws, with pivots that are equal and with pivots from bits. A range
 * that has more keys than two splits can divide needs one level more, and so does a large way. */
static void test_many_ways(void)
{
	static const uint32_t most[] = { 4, 16, 64, 256 };

	for (int law = SORT_UNIFORM; law <= SORT_STAGGERED; law += test_effort(1, 2, 4))
		for (int keys = SORT_U32; keys <= SORT_PAIRS; keys++) {
			const uint32_t m = most[(law + keys) % 4];
			const sort_options o = { 150001, 1, 5, keys, law, 0 };
			const sort_options small = { 9001, 1, 5, keys, law, 0 };
			const changes c = { SORT_ROOM_MIN, 0, 0, 2 + (uint32_t)law % 4, NULL, m,
				m == 4     ? 6
				: m == 256 ? 2
					   : 3 };
			const changes bits = { SORT_ROOM_MIN, 1, 0, 2, NULL, m, 0 };

			try_sort(&o, &c, LSCHED_QUEUE_RING, 1 + (uint32_t)keys % 2);
			try_sort(&small, &bits, LSCHED_QUEUE_RING, 1);
		}
	/* In a short run one law: all have the splits above. */
	for (int law = SORT_UNIFORM; law <= test_effort(SORT_FEW, SORT_UNIFORM, SORT_UNIFORM);
		law++)
		for (int keys = SORT_U32; keys <= SORT_U64; keys++) {
			/* 256 ways at once, then two levels of fewer ways */
			const uint64_t n = keys == SORT_U32 ? 1000001 : 500001;
			const uint32_t full = keys == SORT_U32 ? 2 * SORT_ROOM_MIN : SORT_ROOM_MIN;
			const sort_options o = { n, 1, 3, keys, law, 0 };
			const changes once = { full, 0, 0, 4, NULL, 256, 2 };
			const changes twice = { full, 0, 0, 4, NULL, 64, 3 };

			try_sort(&o, &once, LSCHED_QUEUE_RING, 1);
			try_sort(&o, &twice, LSCHED_QUEUE_RING, 1);
		}
}

/* One split has ways for all keys, or two have about the same number. */
static void test_ways(void)
{
	sort_ctx c = { .small = 8192, .most_ways = 256 };
	static const struct {
		uint32_t count, ways;
	} cases[] = { { 8193, 4 }, { 20000, 8 }, { 1000000, 256 }, { 10000000, 64 },
		{ 10000000 / 64, 64 }, { 100000000, 256 }, { 100000000 / 256, 128 },
		{ 2000000000, 256 } };

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
		CU_ASSERT_EQUAL(sort_ways(&c, cases[k].count), cases[k].ways);
	for (uint32_t small = SORT_ROOM_MIN; small <= 2 * SORT_ROOM_MIN; small += SORT_ROOM_MIN)
		for (uint32_t count = small + 1; count < 500000; count += 1 + count / 64) {
			/* an open range has its entries to itself */
			c.small = small;
			CU_ASSERT_TRUE(
				sort_ways(&c, count) <= SORT_WAYS_SLOT * (count / SORT_ROOM_MIN));
			CU_ASSERT_TRUE((count + SORT_ROOM_MIN - 1) / SORT_ROOM_MIN <=
				       SORT_TILES_SLOT * (count / SORT_ROOM_MIN));
			CU_ASSERT_TRUE(count / sort_samples(sort_ways(&c, count)) > 0);
		}
}

/* The check finds an output that is not sorted, has other keys, or keys of another list. */
static void test_check(void)
{
	const sort_options o = { 1000, 2, 1, SORT_U32, SORT_UNIFORM, SORT_EVEN };
	harness h;
	sort_host *s;
	uint32_t *key, saved;

	CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_sort_type, &o, 1), 0);
	CU_ASSERT_EQUAL_FATAL(harness_run(&h, LSCHED_QUEUE_RING, 1), 0);
	s = h.w.host_data;
	key = s->ctx.key[SORT_OUTPUT];
	saved = key[10];
	key[10] = key[9]; /* ascends still */
	CU_ASSERT_EQUAL(sort_check_keys(s, key, h.why, sizeof(h.why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "not those of the input"));
	key[10] = saved;
	CU_ASSERT_EQUAL(sort_check_keys(s, key, h.why, sizeof(h.why)), 0);
	key[10] = key[100];
	key[100] = saved;
	CU_ASSERT_EQUAL(sort_check_keys(s, key, h.why, sizeof(h.why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "descends"));
	key[100] = key[10];
	key[10] = saved;
	saved = key[0]; /* the least keys of both lists */
	key[0] = key[500];
	key[500] = saved;
	CU_ASSERT_EQUAL(sort_check_keys(s, key, h.why, sizeof(h.why)), -1);
	harness_close(&h);
}

static void test_memory(void)
{
	/* more than any machine has: an error, and nothing is left */
	const sort_options o = { UINT64_C(1) << 50, 1, 1, SORT_U64, SORT_UNIFORM, SORT_EVEN };
	harness h;

	if (TEST_SANITIZED)
		return; /* a sanitizer ends the program instead */
	CU_ASSERT_EQUAL(harness_open(&h, &wl_sort_type, &o, 1), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "memory"));
	harness_close(&h);
}

int main(void)
{
	CU_TestInfo tests[] = { { "sizes are sorted as by qsort", test_sizes },
		{ "inputs are sorted as by qsort", test_laws },
		{ "every instruction set sorts by tasks", test_instruction_sets },
		{ "many lists are sorted apart", test_lists },
		{ "pivots from bits end every input", test_depth_limit },
		{ "several threads run block items", test_teams },
		{ "blocks split in many ways", test_many_ways },
		{ "splits have as many ways as there is memory for", test_ways },
		{ "the check finds wrong outputs", test_check },
		{ "too many keys are an error", test_memory }, CU_TEST_INFO_NULL };

	return test_run_one("sort", tests);
}
