/* The leaves of `sort` in every instruction set that this processor runs: keys in the order of
 * qsort, tiles split as by the scalar table, nothing read or written beyond the keys. */
#ifdef HAVE_CONFIG_H
#include "config.h" /* _GNU_SOURCE, for MAP_ANONYMOUS */
#endif
#include "tests/common/effort.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "workloads/sort/leaves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	RANDOM,
	EQUAL,
	ASCENDING,
	DESCENDING,
	ORGAN_PIPE,
	FEW,
	TWO,
	MIDDLE,
	BITS,
	LAST_FIRST,
	PATTERNS
};

/* Where the keys are at first; arrays in the order of the arguments of `serial`. */
enum { FROM_OTHER, FROM_TO, FROM_ROOM };

#define KEY     uint32_t
#define N(x)    test4_##x
#define LEAF(x) sort4_##x
#include "tests/workloads/sort_leaves_keys.h"
#undef KEY
#undef N
#undef LEAF
#define KEY     uint64_t
#define N(x)    test8_##x
#define LEAF(x) sort8_##x
#include "tests/workloads/sort_leaves_keys.h"

/* Runs a test of both sizes of keys with every table. */
static void on_all(void test4(const sort_leaves *), void test8(const sort_leaves *))
{
	for (int s = SORT_SIMD_SCALAR; s < SORT_SIMDS; s++) {
		const sort_leaves *l = sort_leaves_of((sort_simd)s);

		if (!l)
			continue;
		test4(l);
		test8(l);
	}
}

static void test_every_size(void)
{
	on_all(test4_every_size, test8_every_size);
}

static void test_large(void)
{
	on_all(test4_large, test8_large);
}

static void test_depth(void)
{
	on_all(test4_depth, test8_depth);
}

static void test_split(void)
{
	on_all(test4_split, test8_split);
}

static void test_page_end(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (600 * 8 / page + 2) * page;
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = memory + (bytes - page);

	CU_ASSERT_PTR_NOT_EQUAL_FATAL(memory, MAP_FAILED);
	CU_ASSERT_EQUAL_FATAL(mprotect(end, page, PROT_NONE), 0);
	for (int s = SORT_SIMD_SCALAR; s < SORT_SIMDS; s++) {
		const sort_leaves *l = sort_leaves_of((sort_simd)s);

		if (!l)
			continue;
		test4_page_end(l, end);
		test8_page_end(l, end);
	}
	munmap(memory, bytes);
}

static void test_best(void)
{
	const sort_leaves *best = sort_leaves_best();
	int found = 0;

	for (int s = SORT_SIMD_SCALAR; s < SORT_SIMDS; s++)
		if (sort_leaves_of((sort_simd)s))
			found = s;
	CU_ASSERT_PTR_EQUAL(best, sort_leaves_of((sort_simd)found));
	CU_ASSERT_PTR_NULL(sort_leaves_of(SORT_SIMDS));
}

int main(void)
{
	CU_TestInfo tests[] = { { "every size is sorted as by qsort", test_every_size },
		{ "large ranges are sorted as by qsort", test_large },
		{ "a heap sorts below the depth", test_depth },
		{ "tiles are split as by the scalar table", test_split },
		{ "nothing is read beyond the keys", test_page_end },
		{ "the best table is that of the last set", test_best }, CU_TEST_INFO_NULL };

	if (!sort_leaves_of(SORT_SIMD_AVX2))
		fprintf(stderr, "left out: AVX2, which this processor does not have\n");
	if (!sort_leaves_of(SORT_SIMD_AVX512))
		fprintf(stderr, "left out: AVX-512, which this processor does not have\n");
	return test_run_one("leaves of sort", tests);
}
