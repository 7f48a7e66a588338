/* The lists of quarter placements of a join: their lengths, cancellation, several threads, and the
 * boards of images.h: their weights, and their number by these lists. */
#include <pthread.h>
#include <stdlib.h>
#include "nqueens/core/board.h"
#include "nqueens/core/simd.h"
#include "nqueens/join/join.h"
#include "nqueens/join/sieve.h"
#include "nqueens/plan/plan.h"
#include <nqueens/nqueens.h>
#include "tests/common/check.h"
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

/* The expected work of a join is computed from these numbers, before the lists exist. */
static void the_lists_of_quarters_have_the_computed_lengths(void)
{
	for (uint32_t n = 4; n <= 18; n += 2) {
		nq_i_join *t;

		CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, n), NQ_OK);
		CU_ASSERT_EQUAL_FATAL(nq_i_join_fill(t, NULL, NULL), NQ_OK);
		for (uint32_t k = 0; k <= t->h; k++) {
			double sum = 0;

			for (uint32_t i = t->size_at[k]; i < t->size_at[k + 1]; i++)
				for (uint32_t j = t->size_at[k]; j < t->size_at[k + 1]; j++)
					sum += nq_i_join_list(t, t->sets[i], t->sets[j]).count;
			CU_ASSERT_EQUAL(sum, nq_i_join_placements(t->h, k));
		}
		nq_i_join_destroy(t);
	}
}

typedef struct poll_count {
	uint64_t calls, last; /* cancels at call number `last` */
} poll_count;

static int cancel_at(void *opaque)
{
	poll_count *p = (poll_count *)opaque;

	return ++p->calls >= p->last;
}

static void no_lists_remain_after_a_cancelled_filling(void)
{
	poll_count all = { 0, UINT64_MAX }, again = { 0, UINT64_MAX };
	nq_i_join *t;
	double sum = 0;

	CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, 18), NQ_OK);
	CU_ASSERT_EQUAL(nq_i_join_fill(t, cancel_at, &all), NQ_OK);
	CU_ASSERT_TRUE_FATAL(all.calls > 8);
	CU_ASSERT_EQUAL(nq_i_join_fill(t, cancel_at, &again), NQ_OK);
	CU_ASSERT_EQUAL(again.calls, 0); /* they are there already */
	nq_i_join_destroy(t);
	CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, 18), NQ_OK);
	/* at the first poll, in the first pass, in the second, at the last poll */
	for (uint64_t k = 0; k < 4; k++) {
		poll_count p = { 0, k == 0 ? 1 : all.calls * k / 3 };

		CU_ASSERT_EQUAL(nq_i_join_fill(t, cancel_at, &p), NQ_CANCELLED);
		CU_ASSERT_EQUAL(p.calls, p.last);
		CU_ASSERT_TRUE(!t->filled && !t->first && !t->off_main && !t->placements);
	}
	CU_ASSERT_EQUAL(nq_i_join_fill(t, NULL, NULL), NQ_OK);
	for (uint32_t i = t->size_at[4]; i < t->size_at[5]; i++)
		for (uint32_t j = t->size_at[4]; j < t->size_at[5]; j++)
			sum += nq_i_join_list(t, t->sets[i], t->sets[j]).count;
	CU_ASSERT_EQUAL(sum, nq_i_join_placements(9, 4));
	nq_i_join_destroy(t);
}

typedef struct waiter {
	nq_i_join *t;
	poll_count poll;
	nq_status status;
	int begun;
} waiter;

static void *wait_for_lists(void *opaque)
{
	waiter *w = (waiter *)opaque;

	w->status = nq_i_join_fill(w->t, cancel_at, &w->poll);
	return NULL;
}

/* Called while the lists are being filled: a second thread requests them, too, and is cancelled. */
static int let_another_wait(void *opaque)
{
	waiter *w = (waiter *)opaque;
	pthread_t thread;

	if (!w->begun++ && pthread_create(&thread, NULL, wait_for_lists, w) == 0)
		pthread_join(thread, NULL);
	return 0;
}

static void waiting_for_the_lists_of_another_thread_is_cancelled(void)
{
	waiter w = { .poll = { 0, 3 } };

	CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&w.t, 16), NQ_OK);
	CU_ASSERT_EQUAL(nq_i_join_fill(w.t, let_another_wait, &w), NQ_OK);
	CU_ASSERT_EQUAL(w.status, NQ_CANCELLED);
	CU_ASSERT_EQUAL(w.poll.calls, 3);
	CU_ASSERT_TRUE(w.t->filled);
	nq_i_join_destroy(w.t);
}

static int cancel_at_second_call(void *opaque, const nq_progress *p)
{
	(void)p;
	return ++*(int *)opaque == 2;
}

/* Filling the lists of 20 queens lasts much longer than the interval of the progress. */
static void a_run_is_stopped_while_the_lists_are_filled(void)
{
	nq_plan *plan = plan_of(20, NQ_METHOD_JOIN);
	nq_ledger *ledger = ledger_of(plan);
	nq_run_options ro;
	int calls = 0;

	nq_run_options_init(&ro);
	ro.backend = NQ_BACKEND_CPU;
	ro.progress = cancel_at_second_call;
	ro.progress_opaque = &calls;
	ro.progress_ms = 1;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_CANCELLED);
	CU_ASSERT_EQUAL(calls, 2);
	CU_ASSERT_FALSE(plan->join->filled);
	ro.progress = NULL;
	ro.time_limit_ms = 1;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_TIME_LIMIT);
	CU_ASSERT_FALSE(plan->join->filled);
	CU_ASSERT_EQUAL(nq_ledger_done_count(ledger), 0);
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
}

static void *count_first_unit(void *opaque)
{
	uint64_t count = 0;

	if (nq_run_unit((const nq_plan *)opaque, 5, NQ_SIMD_SCALAR, &count, NULL) != NQ_OK)
		count = UINT64_MAX;
	return (void *)(uintptr_t)count;
}

static void several_threads_may_request_the_lists_at_once(void)
{
	enum { THREADS = 3 };
	nq_plan *plan = plan_of(12, NQ_METHOD_JOIN);
	pthread_t threads[THREADS];
	void *counts[THREADS];

	for (int i = 0; i < THREADS; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, count_first_unit, plan), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], &counts[i]);
	CU_ASSERT_NOT_EQUAL((uintptr_t)counts[0], (uintptr_t)UINT64_MAX);
	CU_ASSERT_EQUAL(counts[0], counts[1]);
	CU_ASSERT_EQUAL(counts[0], counts[2]);
	nq_plan_destroy(&plan);
}

/* The rows and columns of NE, then those of SW. SE has the other rows of SW's and the other columns
 * of NE's; NW conversely. */
typedef struct board_sets {
	uint32_t s[4];
} board_sets;

/* Returns the weight of boards with these sets: the sum over the items of their northern rows. */
static uint32_t weight_of(const nq_i_join *t, nq_i_join_item *items, board_sets b)
{
	const uint32_t full = nq_i_full(t->h);
	const nq_unit u = { 0, b.s[0], 1 };
	const uint32_t k = nq_i_join_items(t, &u, 0, items);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < k; i++)
		if (items[i].south == (full & ~b.s[2]) &&
			nq_i_image_east(t->order, &items[i], full, b.s[1], full & ~b.s[1], 0))
			sum += nq_i_image_weight(t->order, &items[i], full, b.s[3]);
	return sum;
}

/* Returns the sum of the weights of the eight images. */
static uint32_t weight_of_images(const nq_i_join *t, nq_i_join_item *items, board_sets b)
{
	const uint32_t full = nq_i_full(t->h);
	uint32_t sum = 0;

	for (uint32_t image = 0; image < 8; image++) {
		/* in turn the reflections at the diagonal through NE and at the vertical line */
		const board_sets diagonal = { { b.s[1], b.s[0], b.s[3], b.s[2] } };
		const board_sets vertical = { { full & ~b.s[0], full & ~b.s[3], full & ~b.s[2],
			full & ~b.s[1] } };

		b = image % 2 ? vertical : diagonal;
		sum += weight_of(t, items, b);
	}
	return sum;
}

/* Sets that are equal or complements are rare among the boards of small n: with h = 6 there is no
 * solution of 12 or 13 queens with some of these relations. So all sets are compared. */
static void the_weights_of_the_images_of_all_sets_add_up_to_eight(void)
{
	for (uint32_t h = 2; h <= (uint32_t)test_effort(6, 6, 5); h++) {
		uint32_t wrong = 0;
		nq_i_join_item *items;
		nq_i_join *t;

		CU_ASSERT_EQUAL_FATAL(nq_i_join_create_by(&t, 2 * h, 1), NQ_OK);
		items = (nq_i_join_item *)malloc(nq_i_join_items_max(t) * sizeof(*items));
		CU_ASSERT_PTR_NOT_NULL_FATAL(items);
		for (uint32_t k = 0; k <= h; k++) {
			const uint32_t *sets = t->sets + t->size_at[k];
			const uint32_t n = t->size_at[k + 1] - t->size_at[k];

			for (uint32_t i = 0; i < n * n * n * n; i++) {
				const board_sets b = { { sets[i % n], sets[i / n % n],
					sets[i / (n * n) % n], sets[i / (n * n * n)] } };

				wrong += weight_of_images(t, items, b) != 8;
			}
		}
		CHECK(wrong == 0, "h %u: the weights of %u boards are not 8", h, wrong);
		free(items);
		nq_i_join_destroy(t);
	}
}

/* Returns the number of solutions by chosen images; *wrong: units that nq_i_sieve_unit() counts
 * differently. */
static nq_count count_by_images(uint32_t n, nq_simd simd, uint32_t *wrong)
{
	nq_count total = nq_count_of(0);
	nq_i_joiner *j;
	nq_i_siever *s;
	nq_i_join *t;

	*wrong = 0;
	CU_ASSERT_EQUAL_FATAL(nq_i_join_create_by(&t, n, 1), NQ_OK);
	CU_ASSERT_EQUAL_FATAL(nq_i_join_fill(t, NULL, NULL), NQ_OK);
	CU_ASSERT_EQUAL_FATAL(nq_i_joiner_create(&j, t, simd, NULL), NQ_OK);
	CU_ASSERT_EQUAL_FATAL(nq_i_siever_create(&s, t, simd, NULL), NQ_OK);
	for (uint32_t line = 0; line < t->lines; line++)
		for (uint32_t north = 0; north < 1u << t->h; north++) {
			const nq_unit u = { line, north, 1 };
			const uint64_t count = nq_i_join_unit(j, &u);
			uint64_t by_sieve;

			CU_ASSERT_EQUAL(nq_i_sieve_unit(s, &u, &by_sieve), NQ_OK);
			*wrong += count != by_sieve;
			total = nq_count_add(total, nq_count_of(count));
		}
	nq_i_joiner_destroy(j);
	nq_i_siever_destroy(s);
	nq_i_join_destroy(t);
	return total;
}

static void the_chosen_images_by_lists_are_the_published_count(void)
{
	const nq_simd sets[2] = { NQ_SIMD_SCALAR, nq_i_simd_resolve(NQ_SIMD_AUTO) };

	for (uint32_t n = 4; n <= 13; n++) {
		nq_count published;

		CU_ASSERT_EQUAL(nq_known_count(n, &published), NQ_OK);
		for (uint32_t k = 0; k < 2; k++) {
			uint32_t wrong;
			const nq_count total = count_by_images(n, sets[k], &wrong);

			CHECK(nq_count_cmp(total, published) == 0 && wrong == 0,
				"n %u: %.0f boards, %u units differ from the sieve", n,
				nq_count_double(total), wrong);
		}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the lists of quarters have the computed lengths",
			the_lists_of_quarters_have_the_computed_lengths },
		{ "no lists remain after a cancelled filling",
			no_lists_remain_after_a_cancelled_filling },
		{ "waiting for the lists of another thread is cancelled",
			waiting_for_the_lists_of_another_thread_is_cancelled },
		{ "a run is stopped while the lists are filled",
			a_run_is_stopped_while_the_lists_are_filled },
		{ "several threads may request the lists at once",
			several_threads_may_request_the_lists_at_once },
		{ "the weights of the images of all sets add up to eight",
			the_weights_of_the_images_of_all_sets_add_up_to_eight },
		{ "the chosen images by lists are the published count",
			the_chosen_images_by_lists_are_the_published_count },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("lists of a join", tests);
}
