/* The queues alone, step by step in one thread: orders and bounds that only one queue promises. CPU
 * only. */
#include <stdio.h>
#include "tests/libsched/queue_room.h"
#include "tests/libsched/sched_suite.h"

static void the_queue_block_is_a_fifo_of_its_capacity(void)
{
	room *r = room_open(LSCHED_QUEUE_BLOCK, 5, 2, 2);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	room_begin(r, 2);
	for (uint32_t round = 0; round < 20; round++) {
		CHECK(room_push(r, 0, 10, 3) == 3, "three of five");
		CHECK(room_push(r, 1, 13, 4) == 2, "room for two more");
		CHECK(room_push(r, 1, 15, 1) == 0, "full");
		CHECK(room_pop(r, 0, 2, &b) == 2 && b.item[0] == 10 && b.item[1] == 11,
			"the oldest");
		CHECK(room_pop(r, 1, 32, &b) == 3 && b.item[0] == 12 && b.item[2] == 14,
			"the rest");
		CHECK(room_pop(r, 0, 1, &b) == 0 && b.n == 0, "empty");
	}
	CHECK(r->priv[1].count[LSCHED_I_N_HIGH_WATER] == 5, "high water");
	room_close(r);
}

static void workers_of_the_queue_dist_share_no_items(void)
{
	room *r = room_open(LSCHED_QUEUE_DIST, 4, 4, 2);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	room_begin(r, 2);
	CHECK(room_push(r, 0, 0, 3) == 3 && room_push(r, 0, 3, 3) == 1, "a bin of four");
	CHECK(room_pop(r, 1, 1, &b) == 0, "not the other's");
	CHECK(room_pop(r, 0, 3, &b) == 3 && b.item[0] == 3 && b.item[2] == 1, "the newest");
	CHECK(room_pop(r, 0, 3, &b) == 1 && b.item[0] == 0, "the last");
	CHECK(room_count(r, LSCHED_I_N_STEALS) == 0, "no steals");
	room_close(r);
}

static void a_thief_takes_the_older_half_of_a_bin(void)
{
	room *r = room_open(LSCHED_QUEUE_STEAL, 8, 8, 3);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	for (uint32_t start = 0; start < 40; start++) { /* indices continue from start to start */
		room_begin(r, 3);
		CHECK(room_push(r, 0, 0, 10) == 8, "a bin of eight");
		CHECK(room_pop(r, 1, 1, &b) == 1 && b.item[0] == 0, "the oldest");
		CHECK(r->priv[1].count[LSCHED_I_N_STEALS] == 4, "four of eight");
		CHECK(room_pop(r, 0, 1, &b) == 1 && b.item[0] == 7, "the owner's newest");
		CHECK(room_pop(r, 2, 2, &b) == 2 && b.item[0] == 4 && b.item[1] == 5,
			"two of three");
		CHECK(room_pop(r, 1, 32, &b) == 3 && b.item[0] == 3 && b.item[2] == 1,
			"what it stole");
		CHECK(room_pop(r, 0, 32, &b) == 1 && b.item[0] == 6, "the rest");
		for (uint32_t k = 0; k < 3; k++)
			CHECK(room_pop(r, k, 1, &b) == 0, "empty");
		CHECK(room_push(r, 0, 0, 10) == 8 && room_pop(r, 0, 32, &b) == 8, "room again");
	}
	room_close(r);
}

static void no_worker_waits_for_a_locked_bin(void)
{
	room *r = room_open(LSCHED_QUEUE_STEAL, 8, 8, 3);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	room_begin(r, 3);
	CHECK(room_push(r, 0, 0, 4) == 4 && room_push(r, 1, 10, 1) == 1, "room");
	CHECK(lsched_i_lock_try(&lsched_i_bin(&r->worker[2], 0)[LSCHED_I_BIN_LOCK]), "free");
	CHECK(room_pop(r, 2, 1, &b) == 1 && b.item[0] == 10, "the next victim");
	CHECK(room_pop(r, 2, 1, &b) == 0, "the thief does not wait");
	CHECK(room_pop(r, 0, 1, &b) == 1 && b.item[0] == 3, "nor the owner");
	CHECK(room_push(r, 0, 3, 1) == 1, "and it may push");
	lsched_i_unlock(&lsched_i_bin(&r->worker[2], 0)[LSCHED_I_BIN_LOCK]);
	CHECK(room_pop(r, 2, 1, &b) == 1 && b.item[0] == 0, "unlocked");
	room_close(r);
}

/* Bins of four: two in the deque, two in the inbox. */
static void items_that_do_not_fit_are_donated_to_other_workers(void)
{
	room *r = room_open(LSCHED_QUEUE_DONATE, 4, 4, 3);
	uint32_t seen = 0;
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	for (uint32_t start = 0; start < 20; start++) {
		room_begin(r, 3);
		CHECK(room_push(r, 0, 0, 4) == 4, "its own bin");
		CHECK(r->priv[0].count[LSCHED_I_N_DONATED] == 0, "nothing donated");
		CHECK(room_push(r, 0, 4, 6) == 4, "the inboxes of two others");
		CHECK(r->priv[0].count[LSCHED_I_N_DONATED] == 4, "donated");
		CHECK(room_push(r, 0, 8, 1) == 0, "full");
		CHECK(room_push(r, 1, 8, 3) == 2, "the others' deques are theirs");
		CHECK(room_push(r, 2, 10, 3) == 2, "the others' deques are theirs");
		CHECK(room_push(r, 2, 12, 1) == 0, "all is full");
		CHECK(room_pop(r, 1, 1, &b) == 1 && b.item[0] == 9, "its own newest first");
		CHECK(room_push(r, 0, 9, 1) == 0, "a push into another worker's deque is refused");
		seen = 1u << 9;
		for (uint32_t k = 0; k < 11; k++) {
			CHECK(room_pop(r, 1, 1, &b) == 1 && b.item[0] < 12, "item %u", k);
			CHECK(!(seen >> b.item[0] & 1u), "%u again", b.item[0]);
			seen |= 1u << b.item[0];
		}
		CHECK(seen == 0xfff && room_pop(r, 1, 1, &b) == 0, "all twelve");
	}
	room_close(r);
}

/* Bins of two, a buffer of four. */
static void items_that_do_not_fit_enter_the_common_buffer(void)
{
	room *r = room_open(LSCHED_QUEUE_BUFFER, 4, 2, 3);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	for (uint32_t start = 0; start < 20; start++) {
		room_begin(r, 3);
		CHECK(room_push(r, 0, 0, 5) == 5, "two in the bin, three in the buffer");
		CHECK(r->priv[0].count[LSCHED_I_N_DONATED] == 3, "which are counted");
		CHECK(room_push(r, 1, 5, 4) == 3, "two in another bin, one in the buffer");
		CHECK(room_push(r, 0, 8, 1) == 0, "full");
		CHECK(room_pop(r, 2, 2, &b) == 2 && b.item[0] == 2 && b.item[1] == 3,
			"the buffer's oldest, before a steal");
		CHECK(room_pop(r, 0, 1, &b) == 1 && b.item[0] == 1, "its own newest first");
		CHECK(room_pop(r, 0, 2, &b) == 1 && b.item[0] == 0, "the rest of its bin");
		CHECK(room_pop(r, 0, 32, &b) == 2 && b.item[0] == 4 && b.item[1] == 7,
			"then what the buffer has left");
		CHECK(r->priv[0].count[LSCHED_I_N_STEALS] == 0, "no steal yet");
		CHECK(room_pop(r, 0, 1, &b) == 1 && b.item[0] == 5, "then a steal");
		CHECK(room_pop(r, 1, 1, &b) == 1 && b.item[0] == 6, "the other's");
		CHECK(room_pop(r, 2, 1, &b) == 0 && b.n == 0, "empty");
		CHECK(room_count(r, LSCHED_I_N_PUSHES) == 8 && room_count(r, LSCHED_I_N_POPS) == 8,
			"all are counted");
	}
	room_close(r);
}

CU_TestInfo raw_steps_tests[] = {
	{ "the queue block is a FIFO of its capacity", the_queue_block_is_a_fifo_of_its_capacity },
	{ "workers of the queue dist share no items", workers_of_the_queue_dist_share_no_items },
	{ "a thief takes the older half of a bin", a_thief_takes_the_older_half_of_a_bin },
	{ "no worker waits for a locked bin", no_worker_waits_for_a_locked_bin },
	{ "items that do not fit are donated to other workers",
		items_that_do_not_fit_are_donated_to_other_workers },
	{ "items that do not fit enter the common buffer",
		items_that_do_not_fit_enter_the_common_buffer },
	CU_TEST_INFO_NULL,
};
