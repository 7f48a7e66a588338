/* A device of the join with sorted patterns without a run: the shape of the kernel for devices with
 * little shared memory, and counts that are stopped and go on. Skipped without a device;
 * SCHED_REQUIRE_GPU=1 makes that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

#ifdef HAVE_CUDA
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/random.h"
#include "nqueens/cuda/sieve_device.h"
#include "nqueens/plan/plan.h"
#include "tests/nqueens/sieve_tasks.h"

/* Shared memory of a block where there is least (compute capability 8.6, 8.9 and 12): from 24
 * queens on rows have 512 patterns then instead of 1,024, and smaller boards have shorter jobs. */
enum { LITTLE_SHARED = 99 << 10 };

static nq_i_sieve_device *device_of(const nq_i_join *t, const nq_i_sieve_options *o)
{
	nq_i_sieve_device *d = NULL;
	const char *why = "";
	const cudaError_t e = nq_i_sieve_device_create(&d, t, o, &why);

	if (e != cudaSuccess)
		printf(" n %u: %s: %s;", t->n, why, cudaGetErrorString(e));
	CU_ASSERT_EQUAL_FATAL(e, cudaSuccess);
	return d;
}

/* Counts all tasks; returns how often the device was stopped, and adds to *cut how often before all
 * jobs of a round were counted. */
static uint32_t count_tasks(nq_i_sieve_device *d, const nq_i_sieve_task *tasks, uint32_t count,
	uint64_t *counts, uint32_t slots, uint32_t *cut)
{
	uint32_t stops = 0;

	for (uint32_t at = 0, done; at < count; at += done) {
		const char *why = "";
		const cudaError_t e = nq_i_sieve_device_count(
			d, tasks + at, count - at, counts, slots, &done, &why);

		if (e != cudaSuccess)
			printf(" %s: %s;", why, cudaGetErrorString(e));
		CU_ASSERT_EQUAL_FATAL(e, cudaSuccess);
		stops += !done;
		*cut += !done && d->h_answers->done[1] < d->h_answers->jobs;
	}
	return stops;
}

/* The most shared memory, in steps of 1 KB, with which rows have 512 patterns; 0: none. */
static uint32_t bytes_of_short_rows(const nq_i_join *t)
{
	uint32_t bytes = LITTLE_SHARED;
	nq_i_sieve_counter c;
	nq_i_sieve_parts parts;

	memset(&parts, 0, sizeof(parts));
	CU_ASSERT_EQUAL_FATAL(nq_i_sieve_parts_create(&parts, t), NQ_OK);
	while (bytes &&
		(nq_i_sieve_counter_shape(&c, t, &parts, bytes, 0) != cudaSuccess || c.q != 1))
		bytes -= 1024;
	nq_i_sieve_parts_destroy(&parts);
	return bytes;
}

/* Counts n queens with little shared memory for a block; q: with as much as selects this shape. */
static void count_with(uint32_t n, uint32_t q)
{
	nq_i_sieve_options o = { 1u << 30, LITTLE_SHARED, NULL, NULL };
	nq_i_sieve_device *d;
	nq_i_sieve_task *tasks;
	uint64_t total = 0;
	uint32_t count, stops, chosen, cut = 0;
	nq_count known;
	nq_i_join *t;

	CU_ASSERT_EQUAL_FATAL(nq_i_join_create_by(&t, n, 1), NQ_OK);
	tasks = put_all(t, &count);
	o.shared_bytes = q == 1 ? bytes_of_short_rows(t) : LITTLE_SHARED;
	d = device_of(t, &o);
	chosen = d->counter.q;
	stops = count_tasks(d, tasks, count, &total, 1, &cut);
	nq_i_sieve_device_destroy(d);
	free(tasks);
	nq_i_join_destroy(t);
	CU_ASSERT_EQUAL(nq_known_count(n, &known), NQ_OK);
	CHECK(chosen == q, "n %u, %u bytes: the shape is %u", n, o.shared_bytes, chosen);
	CHECK(!stops && nq_count_cmp(nq_count_of(total), known) == 0, "n %u, %u bytes: %llu", n,
		o.shared_bytes, (unsigned long long)total);
}

static void little_shared_memory_gives_the_published_count(void)
{
	for (uint32_t n = 8; n <= 18; n++) {
		count_with(n, 1);
		count_with(n, 2);
	}
}

/* Random items of a board with so many random queens that backtracking is quick. */
static void put_random(const nq_i_join *t, uint32_t count, uint64_t *random, nq_i_sieve_task *tasks)
{
	enum { FREE_ROWS = 20 };
	const uint32_t rows = t->n - (t->n % 2 ? 2 : 0);
	nq_i_sieve_task *unit = room_for_units(t, 1);

	for (uint32_t k = 0; k < count;) {
		const nq_unit u = { (uint32_t)nq_i_random_below(random, t->lines),
			(uint32_t)nq_i_random_below(random, (uint64_t)1 << t->h), 1 };
		const uint32_t n = put_unit(t, &u, k, unit);

		if (!n)
			continue;
		tasks[k].item = unit[nq_i_random_below(random, n)].item;
		k += nq_i_item_give(t, &tasks[k].item, rows - FREE_ROWS, random, &tasks[k].given) !=
		     0;
	}
	free(unit);
}

/* From 26 queens on warps hold four tiles. */
static void little_shared_memory_gives_the_counts_of_backtracking(void)
{
	enum { TASKS = 48 };
	const nq_i_sieve_options o = { (uint64_t)12 << 30, LITTLE_SHARED, NULL, NULL };

	for (uint32_t n = 24; n <= NQ_JOIN_MAX_N; n++) {
		nq_i_sieve_task tasks[TASKS];
		uint64_t counts[TASKS] = { 0 }, random = n;
		uint32_t wrong = 0, with_solutions = 0, cut = 0, shape[2];
		nq_i_sieve_device *d;
		nq_i_join *t;

		CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, n), NQ_OK);
		put_random(t, TASKS, &random, tasks);
		d = device_of(t, &o);
		shape[0] = d->counter.q;
		shape[1] = d->counter.tiles;
		CU_ASSERT_EQUAL(count_tasks(d, tasks, TASKS, counts, TASKS, &cut), 0);
		nq_i_sieve_device_destroy(d);
		for (uint32_t i = 0; i < TASKS; i++) {
			wrong += counts[i] != nq_i_item_walk(t, &tasks[i].item, &tasks[i].given);
			with_solutions += counts[i] != 0;
		}
		nq_i_join_destroy(t);
		CHECK(shape[0] == 1 && shape[1] == (n < 26 ? 2 : 4), "n %u: the shape is %u, %u", n,
			shape[0], shape[1]);
		CHECK(!wrong, "n %u: %u of %u are wrong", n, wrong, TASKS);
		CHECK(with_solutions > TASKS / 4, "n %u: too few with solutions", n);
	}
}

/* Returns nonzero at polls 1, 3, 9 and so on. */
typedef struct stopper {
	uint32_t polls, next;
} stopper;

static int stop_at_times(void *opaque)
{
	stopper *s = (stopper *)opaque;

	if (++s->polls < s->next)
		return 0;
	s->next *= 3;
	return 1;
}

static void a_stopped_device_counts_the_rest(void)
{
	const uint32_t n = 20;
	stopper s = { 0, UINT32_MAX };
	const nq_i_sieve_options o = { 0, 0, stop_at_times, &s };
	nq_i_sieve_task *tasks;
	nq_i_sieve_device *d;
	uint64_t total = 0;
	uint32_t count, stops, cut = 0;
	nq_count known;
	nq_i_join *t;

	CU_ASSERT_EQUAL_FATAL(nq_i_join_create_by(&t, n, 1), NQ_OK);
	tasks = put_all(t, &count);
	d = device_of(t, &o);
	s.polls = 0;
	s.next = 1;
	stops = count_tasks(d, tasks, count, &total, 1, &cut);
	printf(" %u stops in %u polls, %u with jobs left;", stops, s.polls, cut);
	nq_i_sieve_device_destroy(d);
	free(tasks);
	nq_i_join_destroy(t);
	CU_ASSERT_EQUAL(nq_known_count(n, &known), NQ_OK);
	CHECK(nq_count_cmp(nq_count_of(total), known) == 0, "%llu after %u stops in %u polls",
		(unsigned long long)total, stops, s.polls);
	CHECK(stops >= 3, "only %u stops in %u polls", stops, s.polls);
	CHECK(cut > 0, "no stop ended the counting of jobs");
}

static int stop_now(void *opaque)
{
	(void)opaque;
	return 1;
}

/* Too small totals would let a list overwrite another, too large ones waste memory. */
static void the_totals_of_sets_of_rows_are_those_of_the_cpu(void)
{
	const nq_i_sieve_options o = { 1u << 30, 0, NULL, NULL };

	for (uint32_t n = 8; n <= 20; n++) {
		uint32_t wrong = 0;
		nq_i_sieve_device *d;
		nq_i_quarter q;
		nq_i_join *t;

		memset(&q, 0, sizeof(q));
		CU_ASSERT_EQUAL_FATAL(nq_i_join_create_by(&t, n, 1), NQ_OK);
		d = device_of(t, &o);
		for (uint32_t rows = 0; rows < 1u << t->h; rows++) {
			CU_ASSERT_EQUAL_FATAL(
				nq_i_quarter_make(&q, t, rows, NQ_I_SIEVE_NONE_GIVEN), NQ_OK);
			wrong += d->set_totals[rows] != q.first[q.lists];
		}
		nq_i_quarter_free(&q);
		nq_i_sieve_device_destroy(d);
		nq_i_join_destroy(t);
		CHECK(!wrong, "n %u: %u sets have another total", n, wrong);
	}
}

/* Counts the sets of rows whose total is known, and among them those with another total than the
 * CPU's; of the latter only every 8th is compared. */
static void check_known_totals(
	const nq_i_sieve_device *d, const nq_i_join *t, uint32_t *known, uint32_t *wrong)
{
	nq_i_quarter q;

	memset(&q, 0, sizeof(q));
	*known = *wrong = 0;
	for (uint32_t rows = 0; rows < 1u << t->h; rows++) {
		if (d->set_totals[rows] == NO_TOTAL || (*known)++ % 8)
			continue;
		CU_ASSERT_EQUAL_FATAL(nq_i_quarter_make(&q, t, rows, NQ_I_SIEVE_NONE_GIVEN), NQ_OK);
		*wrong += d->set_totals[rows] != q.first[q.lists];
	}
	nq_i_quarter_free(&q);
}

/* Of 28 queens only the placements of sets that the items need are counted; a stop in the middle
 * leaves them unknown. The first unit has a list of 365,596 placements, for which blocks need more
 * memory than an eighth of 12 GB. */
static void totals_of_28_queens_are_counted_when_needed(void)
{
	stopper s = { 0, UINT32_MAX };
	const nq_i_sieve_options o = { (uint64_t)12 << 30, 0, stop_at_times, &s };
	nq_plan *plan = plan_of(28, NQ_METHOD_JOIN);
	const nq_i_join *t = plan->join;
	nq_i_sieve_task *tasks = room_for_units(t, 2);
	const uint32_t first = put_unit(t, &plan->units[0], 0, tasks);
	const uint32_t count =
		first + put_unit(t, &plan->units[plan->unit_count / 2], 0, tasks + first);
	nq_i_sieve_device *d = device_of(t, &o);
	uint32_t known, wrong, done;
	uint64_t total = 0;
	const char *why;
	cudaError_t e;

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	check_known_totals(d, t, &known, &wrong);
	CHECK(known == 0, "%u totals were counted in advance", known);
	s.next = s.polls + 1;
	e = nq_i_sieve_device_count(d, tasks, count, &total, 1, &done, &why);
	check_known_totals(d, t, &known, &wrong);
	CHECK(e == cudaSuccess && !done && !total && !known,
		"stopped: %s, %u items, total %llu, %u totals", cudaGetErrorString(e), done,
		(unsigned long long)total, known);
	s.next = UINT32_MAX;
	e = nq_i_sieve_device_count(d, tasks, count, &total, 1, &done, &why);
	check_known_totals(d, t, &known, &wrong);
	CHECK(e == cudaSuccess && done && known >= 2 && !wrong, "%s: %u items, %u totals, %u wrong",
		cudaGetErrorString(e), done, known, wrong);
	e = nq_i_sieve_device_count(d, tasks + first, count - first, &total, 1, &done, &why);
	check_known_totals(d, t, &known, &wrong);
	CHECK(e == cudaSuccess && done && known >= 8 && known < 1u << (t->h - 1) && !wrong,
		"%s: %u items, %u totals, %u wrong", cudaGetErrorString(e), done, known, wrong);
	nq_i_sieve_device_destroy(d);
	free(tasks);
	nq_plan_destroy(&plan);
}

/* The memory of a block that is kept for it must suffice. A set of 28 queens takes a second. */
static void no_list_is_longer_than_the_memory_that_is_kept(void)
{
	for (uint32_t n = 16; n <= NQ_JOIN_MAX_N; n += 2) {
		uint32_t longest = 0;
		nq_i_quarter q;
		nq_i_join *t;

		memset(&q, 0, sizeof(q));
		CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, n), NQ_OK);
		for (uint32_t rows = 0; rows < 1u << t->h; rows++) {
			if ((n > 20 && (uint32_t)__builtin_popcount(rows) + 1 < t->h) ||
				(n == 28 && rows != 0x3f7f))
				continue;
			CU_ASSERT_EQUAL_FATAL(
				nq_i_quarter_make(&q, t, rows, NQ_I_SIEVE_NONE_GIVEN), NQ_OK);
			for (uint32_t i = 0; i < q.lists; i++)
				if (q.first[i + 1] - q.first[i] > longest)
					longest = q.first[i + 1] - q.first[i];
		}
		CHECK(nq_i_sieve_longest_list(t->h) == (longest < 8192 ? 8192 : longest),
			"n %u: %u", n, longest);
		nq_i_quarter_free(&q);
		nq_i_join_destroy(t);
	}
}

/* From 140 GB on the number of placements that fit has more than 32 bits, before it is limited. */
static void more_memory_is_room_for_more_placements(void)
{
	const uint64_t limits[] = { (uint64_t)6 << 30, (uint64_t)12 << 30, 0 };

	for (uint32_t n = 26; n <= NQ_JOIN_MAX_N; n += 2) {
		uint32_t last = 0;
		nq_i_join *t;

		CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, n), NQ_OK);
		for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
			const nq_i_sieve_options o = { limits[i], 0, NULL, NULL };
			nq_i_sieve_device *d = device_of(t, &o);

			CHECK(d->placement_room > last, "n %u: %u after %u", n, d->placement_room,
				last);
			last = d->placement_room;
			nq_i_sieve_device_destroy(d);
		}
		nq_i_join_destroy(t);
	}
}

/* Counting the placements of 26 queens takes a tenth of a second and more. */
static void the_creation_of_a_device_is_stopped(void)
{
	const nq_i_sieve_options o = { 0, 0, stop_now, NULL };
	nq_i_sieve_device *d;
	nq_i_join *t;

	CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, 26), NQ_OK);
	d = device_of(t, &o);
	nq_i_sieve_device_destroy(d);
	nq_i_join_destroy(t);
	CU_ASSERT_PTR_NULL(d);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "little shared memory gives the published count",
			little_shared_memory_gives_the_published_count },
		{ "little shared memory gives the counts of backtracking",
			little_shared_memory_gives_the_counts_of_backtracking },
		{ "a stopped device counts the rest", a_stopped_device_counts_the_rest },
		{ "the totals of sets of rows are those of the CPU",
			the_totals_of_sets_of_rows_are_those_of_the_cpu },
		{ "totals of 28 queens are counted when needed",
			totals_of_28_queens_are_counted_when_needed },
		{ "no list is longer than the memory that is kept",
			no_list_is_longer_than_the_memory_that_is_kept },
		{ "more memory is room for more placements",
			more_memory_is_room_for_more_placements },
		{ "the creation of a device is stopped", the_creation_of_a_device_is_stopped },
		CU_TEST_INFO_NULL,
	};

	if (lsched_device_count() < 1)
		return test_skip_gpu("no usable CUDA device");
	return test_run_one("a device of the join with sorted patterns", tests);
}

#else
TEST_WITHOUT_CUDA
#endif
