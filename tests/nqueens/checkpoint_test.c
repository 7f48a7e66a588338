/* Ledgers as text: a written ledger is read back, and other text is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <nqueens/checkpoint.h>
#include "tests/common/rng.h"
#include "tests/nqueens/slow_crc.h"
#include "tests/common/testmain.h"
#include "tests/common/text.h"
#include "tests/nqueens/setup.h"

static int refuse(void *opaque, const char *piece, size_t bytes)
{
	(void)opaque;
	(void)piece;
	(void)bytes;
	return -1;
}

typedef struct fixture {
	nq_plan_options po;
	nq_plan *plan;
	nq_ledger *ledger;
} fixture;

/* Makes a plan, and a ledger in which about one of `one_of` units is finished; 0: none. */
static void make(fixture *f, uint32_t n, nq_method method, uint32_t one_of)
{
	f->po = PLAN_OPTIONS(.n = n, .method = method);
	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&f->plan, &f->po), NQ_OK);
	CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&f->ledger, f->plan), NQ_OK);
	for (size_t i = 0; one_of && i < nq_ledger_units(f->ledger); i++)
		if (rng_below(one_of) == 0)
			nq_ledger_set(f->ledger, i, i * i * UINT64_C(0x1234567890) + i);
}

static void unmake(fixture *f)
{
	nq_ledger_destroy(&f->ledger);
	nq_plan_destroy(&f->plan);
}

static test_text written(const fixture *f, uint32_t part, uint32_t parts)
{
	test_text t = { 0 };

	CU_ASSERT_EQUAL(
		nq_checkpoint_write(f->plan, &f->po, f->ledger, part, parts, test_text_append, &t),
		NQ_OK);
	return t;
}

static int same_ledgers(const nq_ledger *a, const nq_ledger *b)
{
	for (size_t i = 0; i < nq_ledger_units(a); i++)
		if (nq_ledger_done(a, i) != nq_ledger_done(b, i) ||
			nq_ledger_unit_count(a, i) != nq_ledger_unit_count(b, i))
			return 0;
	return nq_ledger_units(a) == nq_ledger_units(b);
}

static void a_written_ledger_is_read_back(void)
{
	static const uint32_t one_of[] = { 0, 1, 2, 7 };
	static nq_checkpoint head = { .struct_bytes = sizeof(head) };

	for (nq_method m = NQ_METHOD_TASKS; m <= NQ_METHOD_JOIN; m++)
		for (size_t i = 0; i < 4; i++) {
			fixture f;
			test_text t;
			nq_ledger *back;
			nq_plan *again;
			char why[100] = "x";

			make(&f, 9 + (uint32_t)i, m, one_of[i]);
			t = written(&f, (uint32_t)i, (uint32_t)i * 2);
			CU_ASSERT_EQUAL_FATAL(
				nq_checkpoint_read(t.s, t.bytes, &head, why, sizeof(why)), NQ_OK);
			CU_ASSERT_STRING_EQUAL(why, "");
			CU_ASSERT_EQUAL(head.plan.n, 9 + i);
			CU_ASSERT_EQUAL(head.plan.method, m);
			CU_ASSERT_EQUAL(head.hash, nq_plan_hash(f.plan));
			CU_ASSERT_EQUAL(head.units, nq_ledger_units(f.ledger));
			CU_ASSERT_EQUAL(head.done, nq_ledger_done_count(f.ledger));
			CU_ASSERT_EQUAL(head.part, i);
			CU_ASSERT_EQUAL(head.parts, i * 2);
			CU_ASSERT_EQUAL_FATAL(nq_plan_create(&again, &head.plan), NQ_OK);
			CU_ASSERT_EQUAL(nq_plan_hash(again), head.hash);
			CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&back, again), NQ_OK);
			CU_ASSERT_EQUAL(nq_checkpoint_enter(t.s, t.bytes, back, NULL), NQ_OK);
			CU_ASSERT_TRUE(same_ledgers(back, f.ledger));
			nq_ledger_destroy(&back);
			nq_plan_destroy(&again);
			free(t.s);
			unmake(&f);
		}
}

static void every_option_of_the_plan_is_read_back(void)
{
	static const nq_square given[] = { { 0, 3 }, { 9, 7 }, { 2, 2 } };
	static nq_checkpoint head = { .struct_bytes = sizeof(head) };

	for (int round = 0; round < 4; round++) {
		nq_plan_options po;
		nq_plan *plan, *again;
		nq_ledger *ledger;
		test_text t = { 0 };

		po = PLAN_OPTIONS(.n = 11, .method = NQ_METHOD_BACKTRACK, .min_tasks = 700,
			.unit_tasks = 3, .given = given, .given_count = round == 0 ? 3 : 0,
			.toroidal = round == 1, .plain = round == 2, .cross = round == 3 ? 1 : 0);
		CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &po), NQ_OK);
		CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&ledger, plan), NQ_OK);
		CU_ASSERT_EQUAL(
			nq_checkpoint_write(plan, &po, ledger, 0, 0, test_text_append, &t), NQ_OK);
		CU_ASSERT_EQUAL_FATAL(nq_checkpoint_read(t.s, t.bytes, &head, NULL, 0), NQ_OK);
		CU_ASSERT_EQUAL_FATAL(nq_plan_create(&again, &head.plan), NQ_OK);
		CU_ASSERT_EQUAL(nq_plan_hash(again), nq_plan_hash(plan));
		CU_ASSERT_EQUAL(nq_plan_units(again, NULL), nq_plan_units(plan, NULL));
		CU_ASSERT_EQUAL(head.plan.given_count, po.given_count);
		nq_plan_destroy(&again);
		nq_ledger_destroy(&ledger);
		nq_plan_destroy(&plan);
		free(t.s);
	}
}

/* One byte changed at every position to every value, and the text truncated at every position. */
static void a_change_of_any_byte_is_detected(void)
{
	static nq_checkpoint head = { .struct_bytes = sizeof(head) };
	fixture f;
	test_text t;
	size_t taken = 0;

	make(&f, 6, NQ_METHOD_BACKTRACK, 2);
	t = written(&f, 1, 2);
	for (size_t i = 0; i < t.bytes; i++) {
		const char was = t.s[i];
		char why[100];

		for (int x = 1; x < 256; x++) {
			t.s[i] = (char)(was ^ x);
			taken += nq_checkpoint_read(t.s, t.bytes, &head, why, sizeof(why)) !=
				 NQ_ERR_FORMAT;
			taken += head.plan.n != 0 || strncmp(why, "is ", 3) != 0;
		}
		t.s[i] = was;
		taken += nq_checkpoint_read(t.s, i, &head, NULL, 0) != NQ_ERR_FORMAT;
	}
	CU_ASSERT_EQUAL(taken, 0);
	test_text_append(&t, "\n", 1);
	CU_ASSERT_EQUAL(nq_checkpoint_read(t.s, t.bytes, &head, NULL, 0), NQ_ERR_FORMAT);
	CU_ASSERT_EQUAL(nq_checkpoint_read(t.s, t.bytes - 1, &head, NULL, 0), NQ_OK);
	free(t.s);
	unmake(&f);
}

/* Reads a text with a right checksum behind this body. Returns the status. */
static nq_status with_sum(const char *body, nq_checkpoint *head, char why[100])
{
	char all[2000];
	const int n = snprintf(all, sizeof(all), "%ssum %016llx\n", body,
		(unsigned long long)slow_crc(body, strlen(body)));

	return nq_checkpoint_read(all, (size_t)n, head, why, 100);
}

#define FIRST "nqueens checkpoint 1\n"
#define PLAN  "plan n=8 method=join cross=0 min-tasks=0 unit-tasks=0 plain=0 toroidal=0\n"
#define HASH  "hash 0123456789abcdef\n"

static void other_texts_are_refused_even_with_a_right_checksum(void)
{
	static const char *const bad[] = {
		FIRST,
		FIRST PLAN HASH "units 5\npart 0 of 0\ndone 1\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\nat 5: 1\ndone 1\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\nat 3: 1 2 3\ndone 3\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\nat 3: 1\nat 3: 1\ndone 2\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\nat 3: 1\nat 1: 1\ndone 2\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\nat 3: 01\ndone 1\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\nat 3: 18446744073709551616\ndone 1\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\nat 3: -1\ndone 1\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\nat 3:\ndone 0\n",
		FIRST PLAN HASH "units 5\npart 2 of 1\ndone 0\n",
		FIRST PLAN HASH "units 5\npart 0 of 1\ndone 0\n",
		FIRST PLAN HASH "units 5\npart 0 of 0\ndone 0\nmore\n",
		FIRST PLAN HASH "units 99999999999\npart 0 of 0\ndone 0\n",
		FIRST PLAN HASH "units 5\r\npart 0 of 0\ndone 0\n",
		FIRST PLAN "hash 0123456789ABCDEF\nunits 5\npart 0 of 0\ndone 0\n",
		FIRST PLAN "given\n" HASH "units 5\npart 0 of 0\ndone 0\n",
		FIRST PLAN "given 32:0\n" HASH "units 5\npart 0 of 0\ndone 0\n",
		FIRST "plan n=33 method=join cross=0 min-tasks=0 unit-tasks=0 plain=0 "
		      "toroidal=0\n" HASH "units 5\npart 0 of 0\ndone 0\n",
		FIRST "plan n=8 method=auto cross=0 min-tasks=0 unit-tasks=0 plain=0 "
		      "toroidal=0\n" HASH "units 5\npart 0 of 0\ndone 0\n",
		/* NQ_MIN_TASKS_MAX + 1: the plan would fill the memory */
		FIRST "plan n=27 method=backtrack cross=0 min-tasks=4194305 unit-tasks=0 plain=0 "
		      "toroidal=0\n" HASH "units 5\npart 0 of 0\ndone 0\n",
	};
	static nq_checkpoint head = { .struct_bytes = sizeof(head) };
	char why[100];

	CU_ASSERT_EQUAL(slow_crc("123456789", 9), SLOW_CRC_CHECK);
	CU_ASSERT_EQUAL(with_sum(FIRST PLAN HASH "units 5\npart 0 of 0\nat 3: 1 "
						 "18446744073709551615\ndone 2\n",
				&head, why),
		NQ_OK);
	CU_ASSERT_EQUAL(head.done, 2);
	CU_ASSERT_EQUAL(head.hash, UINT64_C(0x0123456789abcdef));
	CU_ASSERT_EQUAL(with_sum(FIRST "plan n=27 method=backtrack cross=0 min-tasks=4194304 "
				       "unit-tasks=0 plain=0 toroidal=0\n" HASH
				       "units 5\npart 0 of 0\ndone 0\n",
				&head, why),
		NQ_OK);
	CU_ASSERT_EQUAL(head.plan.min_tasks, NQ_MIN_TASKS_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (with_sum(bad[i], &head, why) != NQ_ERR_FORMAT)
			printf("\ntaken: %s\n", bad[i]);
		CU_ASSERT_EQUAL(with_sum(bad[i], &head, why), NQ_ERR_FORMAT);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, "is not a valid"));
	}
	CU_ASSERT_EQUAL(with_sum("nqueens checkpoint 2\nwhatever\n", &head, why), NQ_ERR_FORMAT);
	CU_ASSERT_STRING_EQUAL(why, "is of another version of the checkpoint format");
	CU_ASSERT_EQUAL(with_sum("#!/bin/sh\n", &head, why), NQ_ERR_FORMAT);
	CU_ASSERT_STRING_EQUAL(why, "is no checkpoint");
	CU_ASSERT_EQUAL(nq_checkpoint_read("", 0, &head, why, 100), NQ_ERR_FORMAT);
	CU_ASSERT_STRING_EQUAL(why, "is empty, not a checkpoint");
}

static void texts_are_added_only_to_the_ledger_of_their_plan_and_once(void)
{
	fixture a, b;
	test_text t;
	nq_ledger *other;
	uint64_t unit = 99;

	make(&a, 9, NQ_METHOD_BACKTRACK, 1);
	make(&b, 10, NQ_METHOD_BACKTRACK, 0);
	t = written(&a, 0, 0);
	CU_ASSERT_EQUAL(nq_checkpoint_enter(t.s, t.bytes, b.ledger, &unit), NQ_ERR_FOREIGN);
	CU_ASSERT_EQUAL(nq_ledger_done_count(b.ledger), 0);
	CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&other, a.plan), NQ_OK);
	nq_ledger_set(other, 5, 1);
	CU_ASSERT_EQUAL(nq_checkpoint_enter(t.s, t.bytes, other, &unit), NQ_ERR_TWICE);
	CU_ASSERT_EQUAL(unit, 5);
	CU_ASSERT_EQUAL(nq_ledger_done_count(other), 1);
	CU_ASSERT_EQUAL(nq_checkpoint_enter(t.s, t.bytes - 1, other, &unit), NQ_ERR_FORMAT);
	nq_ledger_destroy(&other);
	free(t.s);
	unmake(&a);
	unmake(&b);
}

static void bad_use_is_refused(void)
{
	static nq_checkpoint head = { .struct_bytes = sizeof(head) };
	fixture f, g;
	test_text t = { 0 };

	make(&f, 8, NQ_METHOD_BACKTRACK, 1);
	make(&g, 9, NQ_METHOD_BACKTRACK, 1);
	CU_ASSERT_EQUAL(nq_checkpoint_write(f.plan, &f.po, f.ledger, 2, 1, test_text_append, &t),
		NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_checkpoint_write(f.plan, &f.po, f.ledger, 0, 1, test_text_append, &t),
		NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_checkpoint_write(f.plan, &f.po, g.ledger, 0, 0, test_text_append, &t),
		NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_checkpoint_write(f.plan, &f.po, f.ledger, 0, 0, NULL, &t), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(t.bytes, 0);
	CU_ASSERT_EQUAL(
		nq_checkpoint_write(f.plan, &f.po, f.ledger, 0, 0, refuse, &t), NQ_CANCELLED);
	CU_ASSERT_EQUAL(nq_checkpoint_read(NULL, 0, &head, NULL, 0), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_checkpoint_read("x", 1, NULL, NULL, 0), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_checkpoint_enter("x", 1, NULL, NULL), NQ_ERR_ARG);
	unmake(&f);
	unmake(&g);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a written ledger is read back", a_written_ledger_is_read_back },
		{ "every option of the plan is read back", every_option_of_the_plan_is_read_back },
		{ "a change of any byte is detected", a_change_of_any_byte_is_detected },
		{ "other texts are refused even with a right checksum",
			other_texts_are_refused_even_with_a_right_checksum },
		{ "texts are added only to the ledger of their plan, and once",
			texts_are_added_only_to_the_ledger_of_their_plan_and_once },
		{ "bad use is refused", bad_use_is_refused },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("checkpoint", tests);
}
