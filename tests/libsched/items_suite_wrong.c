/* Item programs with one wrong item: an error that names the procedure, never a wrong value. */
#include <stdio.h>
#include <string.h>
#include "tests/libsched/items_suite.h"

enum { DEPTH = 6, LEAVES = 1 << DEPTH };

static lsched_status run(
	const lsched_program *p, const wrong_ctx *c, lsched_stats *s, char *text, size_t bytes)
{
	const lsched_run_options o = RUN_OPTIONS(.workers = 3);

	return items_run_wide(p, o, c, s, text, bytes);
}

/* The tree with one wrong item ends with an error that has `part`. It is small if that is the
 * root. */
static void check_wrong(const lsched_program *p, uint32_t what, uint32_t at, const char *part)
{
	const wrong_ctx c = { what, at, at == 1 ? 1 : DEPTH, 0 };
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];
	const lsched_status st = run(p, &c, &s, text, sizeof(text));

	CHECK(st == LSCHED_ERR_TASK_FAILED && strstr(text, part), "what %u, item %u: %d, %s", what,
		at, (int)st, text);
}

static void check_right(const lsched_program *p)
{
	const wrong_ctx c = { WRONG_NOTHING, 0, DEPTH, 0 };
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];

	CHECK(run(p, &c, &s, text, sizeof(text)) == LSCHED_OK && s.value == LEAVES, "%s, %llu",
		text, (unsigned long long)s.value);
}

static void a_missing_return_is_an_error(void)
{
	const lsched_program *programs[] = { iplace.wronglane, iplace.wrongwarp,
		iplace.wrongblock };

	for (size_t k = 0; k < 3; k++) {
		check_right(programs[k]);
		/* the join of each level above it */
		check_wrong(programs[k], WRONG_FORGETS, LEAVES + 5,
			"joins open at the end of the run: 6; one that procedure 0 made by "
			"lsched_fork() waits for 1 more children");
		check_wrong(programs[k], WRONG_FORKS_MORE, 1,
			"open at the end of the run: 1; one that procedure 0 made by "
			"lsched_fork() waits for 1 more");
		check_wrong(programs[k], WRONG_FORKS_MORE, 9,
			"joins open at the end of the run: 4; one that procedure 0");
		check_wrong(programs[k], WRONG_NEVER_TAKES, 1,
			"open at the end of the run: 1; the continuation of one that procedure 0 "
			"made has not called lsched_join_take()");
	}
	check_right(iplace.wrongtable);
	check_wrong(iplace.wrongtable, WRONG_FORGETS, LEAVES,
		"open at the end of the run: 6; one that procedure tree made by lsched_fork()");
}

static void a_return_too_many_is_an_error(void)
{
	check_wrong(iplace.wronglane, WRONG_FORKS_LESS, 3,
		"an item of procedure 0 returned to a join that had all its values");
	check_wrong(iplace.wronglane, WRONG_FORKS_NONE, 3,
		"an item of procedure 0 returned to a join that had all its values");
	check_wrong(iplace.wrongtable, WRONG_FORKS_LESS, LEAVES / 2,
		"an item of procedure leaf returned to a join that had all its values");
}

static void a_fork_without_joins_is_an_error(void)
{
	const wrong_ctx c = { WRONG_NOTHING, 0, DEPTH, 0 }, leaf = { WRONG_NOTHING, 0, 0, 0 };
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];

	CHECK(run(iplace.wrongnone, &c, &s, text, sizeof(text)) == LSCHED_ERR_UNSUPPORTED &&
			strstr(text, "compiled without LSCHED_JOINS"),
		"%s", text);
	CHECK(run(iplace.wrongnone, &leaf, &s, text, sizeof(text)) == LSCHED_OK && s.value == 1,
		"%s", text);
}

/* One item more than declared, in every grain. */
static void an_item_too_many_is_an_error(void)
{
	const lsched_program *programs[] = { iplace.wronglane, iplace.wrongwarp,
		iplace.wrongblock };

	for (size_t k = 0; k < 3; k++) {
		check_wrong(programs[k], WRONG_CREATES, 1,
			"an item of procedure 0 created more items than LSCHED_MAX_SPAWN");
		check_wrong(programs[k], WRONG_CREATES, 21,
			"an item of procedure 0 created more items than LSCHED_MAX_SPAWN");
	}
	check_wrong(iplace.wrongtable, WRONG_CREATES, 1,
		"an item of procedure tree created more items than its LSCHED_TO");
}

/* Capacities by default do not depend on the number of workers. */
static void a_deep_recursion_runs_with_few_workers(void)
{
	const wrong_ctx c = { WRONG_NOTHING, 0, 5000, 1 };

	for (uint32_t workers = 1; workers <= 2; workers++) {
		const lsched_run_options o = RUN_OPTIONS(.workers = workers);
		lsched_stats s = { .struct_bytes = sizeof(s) };
		char text[512];

		CHECK(items_run_wide(iplace.wronglane, o, &c, &s, text, sizeof(text)) ==
					LSCHED_OK &&
				s.value == c.depth + 1,
			"%u workers: %s, %llu", workers, text, (unsigned long long)s.value);
	}
}

CU_TestInfo items_wrong_tests[] = { { "a missing return is an error",
					    a_missing_return_is_an_error },
	{ "a return too many is an error", a_return_too_many_is_an_error },
	{ "a fork without joins is an error", a_fork_without_joins_is_an_error },
	{ "an item too many is an error", an_item_too_many_is_an_error },
	{ "a deep recursion runs with few workers", a_deep_recursion_runs_with_few_workers },
	CU_TEST_INFO_NULL };
