/* The queue prio on CPU threads: the common suite; the ring and its windows alone. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define PRIO_PROGRAMS
#include "tests/libsched/prio_suite.h"
#include "tests/common/testmain.h"

enum { SLOTS_MAX = 1024, ITEMS_EACH = 6000, PRODUCERS = 2, CONSUMERS = 2, SORTERS = 2, ACTORS = 6 };

typedef struct ring_room {
	lsched_i_state state;
	uint64_t slots[SLOTS_MAX];
	lsched_i_args a;
	uint32_t items;  /* of each producer */
	uint32_t popped; /* by all */
	uint32_t moved;
	uint32_t seen[PRODUCERS * ITEMS_EACH];
	uint32_t marks[ACTORS][LSCHED_I_MARK_LINE_WORDS];
} ring_room;

static ring_room *room_open(uint32_t capacity, uint32_t start)
{
	ring_room *r = (ring_room *)aligned_alloc(
		LSCHED_I_LINE, (sizeof(*r) + LSCHED_I_LINE - 1) / LSCHED_I_LINE * LSCHED_I_LINE);

	if (!r)
		return NULL;
	memset(r, 0, sizeof(*r));
	r->a.state = &r->state;
	r->a.marks = &r->marks[0][0];
	r->a.mark_words = LSCHED_I_MARK_LINE_WORDS;
	r->a.queue_slots = r->slots;
	r->a.queue_limit = capacity;
	r->a.queue_slot_mask = lsched_i_pow2(capacity) - 1;
	r->a.timeout_ns = UINT64_C(20000000000);
	r->state.queue[LSCHED_I_RING_HEAD].v = r->state.queue[LSCHED_I_RING_TAIL].v = start;
	for (uint32_t k = 0; k < SLOTS_MAX; k++)
		r->slots[k] = (uint64_t)start << 32;
	return r;
}

static uint32_t push(lsched_worker *w, uint32_t first, uint32_t n)
{
	lsched_i_batch b;

	lsched_i_batch_clear(&b);
	for (uint32_t k = 0; k < n; k++)
		lsched_i_batch_add(&b, first + k, 1);
	return lsched_prio_push_n(w, &b);
}

static uint32_t priority(uint32_t item, uint32_t salt)
{
	return graph_hash(item ^ salt);
}

/* Reads a window of n tickets from the front, with priorities by `salt`. */
static void look(lsched_worker *w, lsched_i_window *v, uint32_t n, uint32_t salt)
{
	v->first = v->second = w->a->state->queue[LSCHED_I_RING_HEAD].v;
	v->first_n = v->n = n;
	lsched_i_window_read(w->a, v);
	for (uint32_t k = 0; k < n; k++)
		if (v->item[k] != LSCHED_NONE)
			v->key[k] |= (uint64_t)priority(v->item[k], salt) << 32;
}

/* Pops n items. Returns whether they were in order and the queue is empty then. */
static int comes_out_sorted(lsched_worker *w, uint32_t n, uint32_t salt)
{
	uint32_t before = LSCHED_NONE;
	lsched_i_batch b;

	for (uint32_t k = 0; k < n; k++) {
		if (lsched_prio_pop_n(w, &b, 1) != 1 || priority(b.item[0], salt) > before)
			return 0;
		before = priority(b.item[0], salt);
	}
	return lsched_prio_pop_n(w, &b, 1) == 0;
}

/* Items dequeued between the read and the claim leave gaps, which the others close; a window that
 * has lost most of its items is released. */
static void a_window_closes_up_behind_items_that_were_taken(void)
{
	for (uint32_t gone = 0; gone <= 40; gone++) {
		ring_room *r = room_open(64, 0);
		uint32_t scratch[LSCHED_I_PRIO_WINDOW], moved;
		lsched_i_worker_private priv;
		lsched_i_window v;
		lsched_i_batch b;
		lsched_worker w;

		CHECK(r != NULL, "memory");
		lsched_i_begin(&w, &r->a, 0, &priv, scratch, LSCHED_QUEUE_PRIO, 0);
		CHECK(push(&w, 100, 30) == 30 && push(&w, 130, 10) == 10, "room");
		look(&w, &v, 40, gone);
		for (uint32_t k = 0; k < gone; k++)
			CHECK(lsched_prio_pop_n(&w, &b, 1) == 1, "pop");
		moved = lsched_i_window_order(&w, &v);
		CHECK(gone > 20 ? moved == 0 : moved > 0, "%u gone, %u moved", gone, moved);
		if (gone <= 20)
			CHECK(comes_out_sorted(&w, 40 - gone, gone), "%u gone", gone);
		else
			for (uint32_t k = gone; k < 40; k++)
				CHECK(lsched_prio_pop_n(&w, &b, 1) == 1 && b.item[0] == 100 + k,
					"left alone");
		free(r);
	}
}

/* Two segments that are not adjacent, and slots that are not filled. */
static void a_window_may_have_gaps(void)
{
	ring_room *r = room_open(64, 0);
	uint32_t scratch[LSCHED_I_PRIO_WINDOW], before = LSCHED_NONE;
	lsched_i_worker_private priv;
	lsched_i_window v;
	lsched_i_batch b;
	lsched_worker w;

	CHECK(r != NULL, "memory");
	lsched_i_begin(&w, &r->a, 0, &priv, scratch, LSCHED_QUEUE_PRIO, 0);
	CHECK(push(&w, 0, 30) == 30, "room");
	v.first = 0;
	v.first_n = 5;
	v.second = 20;
	v.n = 25; /* the last ten slots are empty */
	lsched_i_window_read(&r->a, &v);
	for (uint32_t k = 0; k < 15; k++)
		v.key[k] |= (uint64_t)priority(v.item[k], 0) << 32;
	CHECK(v.item[15] == LSCHED_NONE && v.item[24] == LSCHED_NONE, "not there");
	CHECK(lsched_i_window_order(&w, &v) > 0, "moved");
	CHECK(lsched_prio_pop_n(&w, &b, 30) == 30, "all");
	for (uint32_t k = 0; k < 30; k++) {
		if (k >= 5 && k < 20) {
			CHECK(b.item[k] == k, "the middle stays");
			continue;
		}
		CHECK(b.item[k] < 5 || b.item[k] >= 20, "%u", b.item[k]);
		CHECK(priority(b.item[k], 0) < before, "order at %u", k);
		before = priority(b.item[k], 0);
	}
	free(r);
}

/* With two slots, a claimed slot must not look like a slot that a later ticket has filled. */
static void a_claimed_slot_is_no_item_of_a_later_ticket(void)
{
	ring_room *r = room_open(2, 0);
	uint32_t scratch[LSCHED_I_PRIO_WINDOW];
	lsched_i_worker_private priv;
	lsched_i_window v;
	lsched_worker w;

	CHECK(r != NULL, "memory");
	lsched_i_begin(&w, &r->a, 0, &priv, scratch, LSCHED_QUEUE_PRIO, 0);
	CHECK(push(&w, 5, 1) == 1, "room");
	r->slots[0] |= (uint64_t)LSCHED_I_PRIO_CLAIMED << 32;
	for (uint32_t ticket = 0; ticket < 40; ticket++) {
		v.first = v.second = ticket;
		v.first_n = v.n = 1;
		lsched_i_window_read(&r->a, &v);
		CHECK(v.item[0] == LSCHED_NONE, "ticket %u", ticket);
	}
	free(r);
}

static void tickets_may_wrap(void)
{
	for (uint32_t capacity = 1; capacity <= 64; capacity *= 4) {
		const uint32_t slots = capacity < 4 ? 4 : capacity;
		ring_room *r = room_open(capacity, 0u - 3 * slots);
		uint32_t scratch[LSCHED_I_PRIO_WINDOW];
		lsched_i_worker_private priv;
		lsched_worker w;

		CHECK(r != NULL, "memory");
		lsched_i_begin(&w, &r->a, 0, &priv, scratch, LSCHED_QUEUE_PRIO, 0);
		for (uint32_t k = 0; k < 30; k++) {
			const uint32_t n = capacity < 32 ? capacity : 31;
			lsched_i_window v;

			CHECK(push(&w, 1000 * k, n) == n, "room for %u", n);
			look(&w, &v, n, k);
			(void)lsched_i_window_order(&w, &v);
			CHECK(comes_out_sorted(&w, n, k), "capacity %u, round %u", capacity, k);
		}
		free(r);
	}
}

/* ---- threads ---- */

typedef struct ring_actor {
	ring_room *r;
	uint32_t index;
	pthread_t id;
} ring_actor;

static void ring_produce(ring_room *r, lsched_worker *w, uint32_t me)
{
	uint32_t random = me + 1;

	for (uint32_t sent = 0, spins = 0; sent < r->items && !lsched_i_failed(w);) {
		uint32_t n, got;

		random = graph_hash(random + 1);
		n = 1 + random % 32;
		n = n < r->items - sent ? n : r->items - sent;
		got = push(w, me * r->items + sent, n);
		sent += got;
		spins = got ? 0 : spins + 1;
		lsched_i_relax(spins, 2);
	}
}

static void ring_consume(ring_room *r, lsched_worker *w, uint32_t me)
{
	uint32_t random = me + 100;

	/* no worker pops before an item was moved: one item alone has no order */
	for (uint32_t spins = 0;
		r->a.queue_limit > 1 && !lsched_i_failed(w) && lsched_ld(&r->moved, rlx, dev) == 0;
		spins++)
		lsched_i_relax(spins, 2);
	for (uint32_t spins = 0;
		lsched_ld(&r->popped, rlx, dev) < r->items * PRODUCERS && !lsched_i_failed(w);) {
		lsched_i_batch b;
		uint32_t n;

		random = graph_hash(random + 1);
		n = lsched_prio_pop_n(w, &b, 1 + random % 4);
		for (uint32_t k = 0; k < n; k++)
			lsched_add(&r->seen[b.item[k] % (PRODUCERS * ITEMS_EACH)], 1u, rlx, dev);
		lsched_add(&r->popped, n, rlx, dev);
		spins = n ? 0 : spins + 1;
		lsched_i_relax(spins, 2);
	}
}

/* Sorts by another order each time, so that there are always items to move, in windows that overlap
 * those of the other sorter. */
static void ring_sort(ring_room *r, lsched_worker *w, uint32_t me)
{
	for (uint32_t turn = me, spins = 0;
		lsched_ld(&r->popped, rlx, dev) < r->items * PRODUCERS && !lsched_i_failed(w);
		turn += 2) {
		const uint32_t head = lsched_ld(&r->state.queue[LSCHED_I_RING_HEAD].v, rlx, dev);
		const uint32_t tail = lsched_ld(&r->state.queue[LSCHED_I_RING_TAIL].v, rlx, dev);
		lsched_i_window v;
		uint32_t n;

		v.n = v.first_n =
			tail - head < LSCHED_I_PRIO_WINDOW ? tail - head : LSCHED_I_PRIO_WINDOW;
		v.first = v.second = head;
		lsched_i_window_read(&r->a, &v);
		for (uint32_t k = 0; k < v.n; k++)
			if (v.item[k] != LSCHED_NONE)
				v.key[k] |= (uint64_t)priority(v.item[k], turn) << 32;
		n = lsched_i_window_order(w, &v);
		lsched_add(&r->moved, n, rlx, dev);
		spins = n ? 0 : spins + 1;
		lsched_i_relax(spins, 2);
	}
}

static void *ring_main(void *arg)
{
	const ring_actor *me = (const ring_actor *)arg;
	uint32_t scratch[LSCHED_I_PRIO_WINDOW];
	lsched_i_worker_private priv;
	lsched_worker w;

	lsched_i_begin(&w, &me->r->a, me->index, &priv, scratch, LSCHED_QUEUE_PRIO, 0);
	if (me->index < PRODUCERS)
		ring_produce(me->r, &w, me->index);
	else if (me->index < PRODUCERS + CONSUMERS)
		ring_consume(me->r, &w, me->index);
	else
		ring_sort(me->r, &w, me->index);
	return NULL;
}

static void several_sorters_neither_lose_nor_duplicate_an_item(void)
{
	static const uint32_t capacity[] = { 1, 2, 3, 5, 16, 64, 700 };

	for (size_t i = 0; i < sizeof(capacity) / sizeof(capacity[0]); i++) {
		ring_room *r = room_open(capacity[i], 0);
		ring_actor actor[ACTORS];
		uint32_t missing = 0;

		CHECK(r != NULL, "memory");
		r->items = ITEMS_EACH / place.scale;
		for (uint32_t k = 0; k < ACTORS; k++) {
			actor[k].r = r;
			actor[k].index = k;
			if (pthread_create(&actor[k].id, NULL, ring_main, &actor[k]) != 0)
				abort(); /* the others would wait for it */
		}
		for (uint32_t k = 0; k < ACTORS; k++)
			pthread_join(actor[k].id, NULL);
		for (uint32_t k = 0; k < r->items * PRODUCERS; k++)
			missing += r->seen[k] != 1;
		CHECK(missing == 0 && !r->state.failed.v, "capacity %u: %u items wrong, failed %u",
			capacity[i], missing, r->state.failed.v);
		CHECK(r->state.queue[LSCHED_I_RING_AVAIL].v == 0 &&
				r->state.queue[LSCHED_I_RING_USED].v == 0,
			"capacity %u: counts", capacity[i]);
		CHECK(capacity[i] == 1 || r->moved > 0, "capacity %u: nothing was moved",
			capacity[i]);
		free(r);
	}
}

static CU_TestInfo cpu_tests[] = { { "a window closes the gaps of items that were popped",
					   a_window_closes_up_behind_items_that_were_taken },
	{ "a window may have gaps", a_window_may_have_gaps },
	{ "a claimed slot is no item of a later ticket",
		a_claimed_slot_is_no_item_of_a_later_ticket },
	{ "tickets may wrap", tickets_may_wrap },
	{ "several sorters neither lose nor duplicate an item",
		several_sorters_neither_lose_nor_duplicate_an_item },
	CU_TEST_INFO_NULL };

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 4, 5, 8, 33, 64, 130 };
	/* the last has three controllers */
	CU_SuiteInfo suites[] = {
		TEST_SUITE("priorities on threads", suite_prio_tests),
		TEST_SUITE("graphs with priorities on threads", suite_prio_graph_tests),
		TEST_SUITE("CPU only", cpu_tests),
		CU_SUITE_INFO_NULL,
	};
	int rc;

	rc = test_open(&place.ctx, LSCHED_BACKEND_CPU, 130);
	if (rc)
		return rc;
	prio_place.order = &order_cpu_program;
	prio_place.knapsack = &knapsack_cpu_program;
	place.graph = prio_place.urgent = &urgent_cpu_program;
	place.lanes = LSCHED_LANES;
	place.scale = TEST_SANITIZED ? 4 : 1;
	suite_use_context_memory();
	return suite_run(suites, workers, sizeof(workers) / sizeof(workers[0]));
}
