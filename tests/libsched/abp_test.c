/* The deques of libsched/queue/abp.h by themselves: against a list in one thread, where every step
 * is known, and between threads, where owner and thieves compete for the last item. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <CUnit/CUnit.h>
#include "tests/common/testmain.h"
#include "tests/libsched/queue_room.h"

enum { WORKERS_MAX = 5, BIN_MAX = 64 };

static room *open_room(uint32_t workers, uint32_t bin)
{
	room *r = room_open(LSCHED_QUEUE_ABP, bin, bin, workers);

	if (r)
		room_begin(r, workers);
	return r;
}

/* What every deque should hold. */
typedef struct list {
	uint32_t item[BIN_MAX];
	uint32_t n;
} list;

/* Returns whether a pop returned what it must: the owner's newest items or, if its deque is empty,
 * one item from the front of each other deque, in any order of the deques. */
static int expected_pop(
	list *l, uint32_t workers, uint32_t me, const lsched_i_batch *b, uint32_t n, uint32_t want)
{
	uint32_t have = 0;

	if (l[me].n) {
		if (n != (want < l[me].n ? want : l[me].n))
			return 0;
		for (uint32_t k = 0; k < n; k++)
			if (b->item[k] != l[me].item[--l[me].n])
				return 0;
		return 1;
	}
	for (uint32_t k = 0; k < workers; k++)
		have += l[k].n > 0;
	if (n != (want < have ? want : have))
		return 0;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t v = 0;

		while (v < workers && !(l[v].n && l[v].item[0] == b->item[k]))
			v++;
		if (v == workers)
			return 0;
		memmove(l[v].item, l[v].item + 1, --l[v].n * sizeof(l[v].item[0]));
	}
	return 1;
}

/* Random steps of several workers, one at a time. `start`: first index, for the wrap. */
static int like_a_list(uint32_t workers, uint32_t bin, uint32_t start)
{
	room *r = open_room(workers, bin);
	list l[WORKERS_MAX] = { { { 0 }, 0 } };
	uint32_t next = 1, random = workers * 1000 + bin;
	int ok = r != NULL;

	for (uint32_t k = 0; ok && k < workers; k++) {
		lsched_i_abp *d = lsched_i_abp_deque(&r->a, k);

		d->top = start | (uint64_t)0xffffffff << 32;
		d->tail = start;
	}
	for (uint32_t step = 0; ok && step < 4000; step++) {
		uint32_t me, n;

		random = random * 1664525u + 1013904223u;
		me = (random >> 8) % workers;
		n = 1 + (random >> 16) % (bin < 32 ? bin + 1 : 32);
		if (step % 500 == 499) /* the private state is new, as at the next start */
			room_begin(r, workers);
		/* phases of mostly pushes and of mostly pops, so that the deque is full and empty
		 * at times */
		if ((random >> 24) % 8 < (step / 64 % 2 ? 6u : 2u)) {
			uint32_t got = room_push(r, me, next, n), room_left = bin - l[me].n;

			ok = got == (n < room_left ? n : room_left);
			for (uint32_t k = 0; ok && k < got; k++)
				l[me].item[l[me].n++] = next + k;
			next += n;
		} else {
			lsched_i_batch b;
			uint32_t got = room_pop(r, me, n, &b);

			ok = expected_pop(l, workers, me, &b, got, n);
		}
	}
	room_close(r);
	return ok;
}

static void the_owner_takes_the_newest_and_thieves_the_oldest(void)
{
	for (uint32_t workers = 1; workers <= WORKERS_MAX; workers++)
		for (uint32_t bin = 2; bin <= BIN_MAX; bin *= 2) {
			CU_ASSERT(like_a_list(workers, bin, 0));
			CU_ASSERT(like_a_list(workers, bin, 0u - 70));
		}
}

/* A thief that was suspended must not succeed when the deque has the same contents again (ABA). */
static void a_thief_that_was_suspended_takes_nothing(void)
{
	room *r = open_room(2, 4);
	lsched_i_abp *d;
	lsched_i_batch b;
	uint64_t saw;

	CU_ASSERT_FATAL(r != NULL);
	d = lsched_i_abp_deque(&r->a, 0);
	CU_ASSERT(room_push(r, 0, 7, 1) == 1);
	saw = d->top;
	CU_ASSERT(room_pop(r, 0, 1, &b) == 1 && b.item[0] == 7);
	CU_ASSERT(room_push(r, 0, 8, 1) == 1);
	CU_ASSERT((uint32_t)d->top == (uint32_t)saw && d->tail == 1);
	CU_ASSERT(!lsched_cas(&d->top, &saw, saw + 1, fnb, dev));
	/* the same after a thief has removed the item */
	saw = d->top;
	CU_ASSERT(room_pop(r, 1, 1, &b) == 1 && b.item[0] == 8);
	CU_ASSERT(r->priv[1].count[LSCHED_I_N_STEALS] == 1);
	CU_ASSERT(room_pop(r, 0, 1, &b) == 0);
	CU_ASSERT(room_push(r, 0, 9, 1) == 1);
	CU_ASSERT((uint32_t)d->top == (uint32_t)saw && d->tail == 1);
	CU_ASSERT(!lsched_cas(&d->top, &saw, saw + 1, fnb, dev));
	CU_ASSERT(room_pop(r, 0, 1, &b) == 1 && b.item[0] == 9);
	room_close(r);
}

static void slots_below_the_top_are_used_again(void)
{
	room *r = open_room(2, 4);
	lsched_i_batch b;

	CU_ASSERT_FATAL(r != NULL);
	CU_ASSERT(room_push(r, 0, 10, 6) == 4);
	CU_ASSERT(room_push(r, 0, 20, 1) == 0);
	CU_ASSERT(room_pop(r, 1, 1, &b) == 1 && b.item[0] == 10);
	CU_ASSERT(room_pop(r, 1, 1, &b) == 1 && b.item[0] == 11);
	CU_ASSERT(room_push(r, 0, 30, 3) == 2);
	CU_ASSERT(room_pop(r, 0, 32, &b) == 4);
	CU_ASSERT(b.item[0] == 31 && b.item[1] == 30 && b.item[2] == 13 && b.item[3] == 12);
	CU_ASSERT(room_pop(r, 1, 32, &b) == 0);
	room_close(r);
}

/* ---- between threads ---- */

enum { LOAD_ITEMS = 400000, THIEVES = 3 };

typedef struct load {
	room *r;
	uint32_t pushed, popped;
	uint32_t batch;
	uint32_t seen[LOAD_ITEMS];
} load;

typedef struct load_thread {
	load *f;
	uint32_t index;
	pthread_t id;
} load_thread;

static void pop_some(load *f, uint32_t worker, uint32_t want)
{
	lsched_i_batch b;
	uint32_t n = room_pop(f->r, worker, want, &b);

	for (uint32_t k = 0; k < n; k++)
		lsched_add(&f->seen[b.item[k]], 1u, rlx, dev);
	if (n)
		lsched_add(&f->popped, n, rlx, dev);
}

/* Worker 0 pushes one or a few items and pops them at once: nearly every pop is of the last
 * item. */
static void *load_main(void *arg)
{
	const load_thread *me = (const load_thread *)arg;
	load *f = me->f;
	uint32_t random = me->index + 1;

	while (lsched_ld(&f->popped, rlx, dev) < LOAD_ITEMS) {
		random = random * 1664525u + 1013904223u;
		if (me->index == 0) {
			uint32_t n = 1 + (random >> 16) % f->batch;

			if (n > LOAD_ITEMS - f->pushed)
				n = LOAD_ITEMS - f->pushed;
			if (n)
				f->pushed += room_push(f->r, 0, f->pushed, n);
		}
		pop_some(f, me->index, 1 + (random >> 24) % f->batch);
		if ((random >> 20) % 64 == 0)
			lsched_i_relax(40,
				2); /* lets the other threads run on machines with few processors */
	}
	return NULL;
}

static void owner_and_thieves_neither_lose_nor_duplicate_an_item(void)
{
	for (uint32_t batch = 1; batch <= 16; batch *= 4) {
		load *f = (load *)calloc(1, sizeof(*f));
		load_thread thread[1 + THIEVES];
		uint32_t wrong = 0;

		CU_ASSERT_FATAL(f != NULL);
		f->r = open_room(1 + THIEVES, batch < 2 ? 2 : batch);
		CU_ASSERT_FATAL(f->r != NULL);
		f->batch = batch;
		for (uint32_t k = 0; k <= THIEVES; k++) {
			thread[k].f = f;
			thread[k].index = k;
			CU_ASSERT_FATAL(
				pthread_create(&thread[k].id, NULL, load_main, &thread[k]) == 0);
		}
		for (uint32_t k = 0; k <= THIEVES; k++)
			pthread_join(thread[k].id, NULL);
		for (uint32_t k = 0; k < LOAD_ITEMS; k++)
			wrong += f->seen[k] != 1;
		CU_ASSERT(wrong == 0);
		room_close(f->r);
		free(f);
	}
}

static CU_TestInfo abp_tests[] = { { "the owner takes the newest and thieves the oldest",
					   the_owner_takes_the_newest_and_thieves_the_oldest },
	{ "a thief that was suspended takes nothing", a_thief_that_was_suspended_takes_nothing },
	{ "slots below the top are used again", slots_below_the_top_are_used_again },
	{ "owner and thieves neither lose nor duplicate an item",
		owner_and_thieves_neither_lose_nor_duplicate_an_item },
	CU_TEST_INFO_NULL };

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("deques without locks", abp_tests),
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
