/* lsched_run_once_with(): arrays and streams in and out, options, errors; and with them the
 * operations of bodies. */
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"

enum { ITEMS = 3200, HITS = 1000 };

/* The arrays of a run, and what they must be. */
typedef struct once_set {
	uint32_t weight[ITEMS], hits[ITEMS], count[3];
	uint64_t best[3];
	uint32_t all_or, all_and, odd;
	uint64_t squares;
} once_set;

static once_set s;

static void fill(void)
{
	memset(&s, 0, sizeof(s));
	s.count[2] = s.all_and = UINT32_MAX;
	s.best[1] = UINT64_MAX;
	for (uint32_t i = 0; i < ITEMS; i++) {
		s.weight[i] = 1000 + (i * 2654435761u >> 12 & 0xfff);
		s.all_or |= s.weight[i];
		s.all_and &= s.weight[i];
		s.odd += s.weight[i] % 2;
		s.squares += (uint64_t)s.weight[i] * s.weight[i];
	}
}

static int ascending(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The odd weights, sorted, are the sorted elements of the stream. */
static int hits_are_right(void)
{
	uint32_t *want = (uint32_t *)malloc(sizeof(s.weight));
	uint32_t n = 0;
	int right;

	for (uint32_t i = 0; want && i < ITEMS; i++)
		if (s.weight[i] % 2)
			want[n++] = s.weight[i];
	if (!want)
		return 0;
	qsort(want, n, sizeof(*want), ascending);
	qsort(s.hits, n, sizeof(*s.hits), ascending);
	right = memcmp(want, s.hits, n * sizeof(*want)) == 0;
	free(want);
	return right;
}

static void arrays_go_in_and_out(void)
{
	const once_ctx c = { .append = 1 };
	lsched_array arrays[] = { LSCHED_IN(once_ctx, weight, s.weight, ITEMS),
		LSCHED_INOUT(once_ctx, count, s.count, 3), LSCHED_INOUT(once_ctx, best, s.best, 3),
		LSCHED_STREAM(once_ctx, hits, s.hits, ITEMS) };
	const lsched_run_options ro = RUN_OPTIONS(.workers = 2);
	lsched_stats stats = { .struct_bytes = sizeof(stats) };
	uint64_t low = UINT64_MAX, high = 0;
	lsched_once with;
	char why[512];

	fill();
	for (uint32_t i = 0; i < ITEMS; i++) {
		high = s.weight[i] > high ? s.weight[i] : high;
		low = s.weight[i] < low ? s.weight[i] : low;
	}
	lsched_once_init(&with);
	with.arrays = arrays;
	with.array_count = 4;
	with.run_options = &ro;
	CHECK(lsched_run_once_with(&with, iplace.oncelane, &c, ITEMS, &stats, why, sizeof(why)) ==
			LSCHED_OK,
		"%s", why);
	CHECK((stats.workers == 2 || (stats.workers == 1 && lsched_processor_count() == 1)) &&
			stats.tasks == ITEMS,
		"%u workers", stats.workers);
	CHECK(s.count[0] == ITEMS && s.count[1] == s.all_or && s.count[2] == s.all_and,
		"%u items, or %x, and %x", s.count[0], s.count[1], s.count[2]);
	CHECK(s.best[0] == high && s.best[1] == low && s.best[2] == s.squares,
		"maximum %llu, minimum %llu", (unsigned long long)s.best[0],
		(unsigned long long)s.best[1]);
	CHECK(arrays[3].stored == s.odd && arrays[3].needed == s.odd && hits_are_right(),
		"%llu hits", (unsigned long long)arrays[3].stored);
	/* a stream that is too small */
	arrays[3].count = HITS;
	CHECK(lsched_run_once_with(&with, iplace.oncelane, &c, ITEMS, NULL, why, sizeof(why)) ==
			LSCHED_OK,
		"%s", why);
	CHECK(arrays[3].stored == HITS && arrays[3].needed == s.odd && s.count[0] == 2 * ITEMS,
		"%llu hits", (unsigned long long)arrays[3].stored);
}

static void lanes_exchange_values(void)
{
	lsched_array weight = LSCHED_IN(once_ctx, weight, s.weight, ITEMS);
	const once_ctx c = { 0 };
	lsched_stats stats = { .struct_bytes = sizeof(stats) };
	uint64_t differ = 0;
	lsched_once with;
	char why[512];

	fill();
	for (uint32_t i = 0; i < ITEMS; i++)
		differ += s.weight[i] != s.weight[i / 32 * 32];
	lsched_once_init(&with);
	with.arrays = &weight;
	with.array_count = 1;
	CHECK(lsched_run_once_with(&with, iplace.oncewarp, &c, ITEMS / 32, &stats, why,
		      sizeof(why)) == LSCHED_OK &&
			stats.value == differ,
		"%s, %llu", why, (unsigned long long)stats.value);
}

static void a_stream_that_is_not_open_is_an_error(void)
{
	const once_ctx c = { .append = 1 };
	lsched_array arrays[] = { LSCHED_IN(once_ctx, weight, s.weight, ITEMS),
		LSCHED_INOUT(once_ctx, count, s.count, 3),
		LSCHED_INOUT(once_ctx, best, s.best, 3) };
	lsched_once with;
	char why[512];

	fill();
	lsched_once_init(&with);
	with.arrays = arrays;
	with.array_count = 3;
	CHECK(lsched_run_once_with(&with, iplace.oncelane, &c, ITEMS, NULL, why, sizeof(why)) ==
				LSCHED_ERR_ARG &&
			strstr(why, "appended to a stream that is not open"),
		"%s", why);
	CHECK(s.count[0] == 0, "the memory is unchanged");
}

static void wrong_arrays_are_refused(void)
{
	const once_ctx c = { .append = 0 };
	lsched_array a = LSCHED_IN(once_ctx, weight, s.weight, ITEMS);
	const lsched_array right = a;
	const lsched_run_options none = { 0 };
	lsched_once with;
	char why[512];

#define REFUSED(part)                                                                        \
	CHECK(lsched_run_once_with(&with, iplace.oncelane, &c, 1, NULL, why, sizeof(why)) == \
				LSCHED_ERR_ARG &&                                            \
			strstr(why, part),                                                   \
		"%s: %s", part, why);                                                        \
	a = right;
	lsched_once_init(&with);
	with.arrays = &a;
	with.array_count = 1;
	a.member = sizeof(c) - 4;
	REFUSED("outside of the program's context")
	a.kind = 77;
	REFUSED("unknown kind")
	a.memory = NULL;
	REFUSED("has no memory")
	a.element_bytes = 0;
	REFUSED("elements of 0 bytes")
	a.count = UINT64_MAX;
	REFUSED("too many elements")
	with.array_bytes = 8;
	REFUSED("of another version")
	lsched_once_init(&with);
	with.run_options = &none;
	REFUSED("call its init function first")
#undef REFUSED
}

CU_TestInfo items_once_tests[] = { { "arrays go in and out", arrays_go_in_and_out },
	{ "lanes exchange values", lanes_exchange_values },
	{ "a stream that is not open is an error", a_stream_that_is_not_open_is_an_error },
	{ "wrong arrays are refused", wrong_arrays_are_refused }, CU_TEST_INFO_NULL };
