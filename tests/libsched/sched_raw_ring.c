/* The ring alone, without the worker loop: order between threads, tickets that wrap. CPU only. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libsched/task.h>
#include "tests/libsched/sched_suite.h"

enum { RING_THREADS = 6, RING_SLOTS_MAX = 64 };

typedef struct ring_room {
	lsched_i_state state;
	uint64_t slots[RING_SLOTS_MAX];
	uint32_t marks[RING_THREADS][LSCHED_I_MARK_LINE_WORDS];
	lsched_i_args a;
	uint32_t items;  /* each producer pushes 0 .. items-1 */
	uint32_t popped; /* by all */
	uint32_t seen[RING_THREADS / 2 * 20000];
	uint32_t disorder;
	uint32_t push_max, pop_max;
} ring_room;

typedef struct ring_actor {
	ring_room *r;
	uint32_t index;
	pthread_t id;
} ring_actor;

/* Item: {producer: 3 bits, number: 29 bits}. Partial pushes leave the rest for the next attempt. */
static void *ring_produce(void *arg)
{
	const ring_actor *me = (const ring_actor *)arg;
	ring_room *r = me->r;
	lsched_i_worker_private priv;
	lsched_worker w;
	uint32_t sent = 0, random = me->index;

	lsched_i_begin(&w, &r->a, me->index, &priv, NULL, LSCHED_QUEUE_RING, 0);
	for (uint32_t spins = 0; sent < r->items;) {
		lsched_i_batch b;
		uint32_t want, got;

		random = graph_hash(random + 1);
		want = 1 + random % r->push_max;
		lsched_i_batch_clear(&b);
		for (uint32_t k = 0; k < want && sent + k < r->items; k++)
			lsched_i_batch_add(&b, me->index << 29 | (sent + k), 1);
		got = lsched_ring_push_n(&w, &b);
		sent += got;
		spins = got ? 0 : spins + 1;
		lsched_i_relax(spins, 2);
	}
	return NULL;
}

static void *ring_consume(void *arg)
{
	const ring_actor *me = (const ring_actor *)arg;
	ring_room *r = me->r;
	const uint32_t total = r->items * (RING_THREADS / 2);
	uint32_t last[RING_THREADS / 2], random = me->index + 100;
	lsched_i_worker_private priv;
	lsched_worker w;

	for (uint32_t k = 0; k < RING_THREADS / 2; k++)
		last[k] = LSCHED_NONE;
	lsched_i_begin(&w, &r->a, me->index, &priv, NULL, LSCHED_QUEUE_RING, 0);
	for (uint32_t spins = 0; lsched_ld(&r->popped, rlx, dev) < total;) {
		lsched_i_batch b;
		uint32_t n;

		random = graph_hash(random + 1);
		n = lsched_ring_pop_n(&w, &b, 1 + random % r->pop_max);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t producer = b.item[k] >> 29, number = b.item[k] & 0x1fffffff;

			/* one consumer gets the items of one producer in order */
			if (last[producer] != LSCHED_NONE && number <= last[producer])
				lsched_add(&r->disorder, 1u, rlx, dev);
			last[producer] = number;
			lsched_add(&r->seen[producer * r->items + number], 1u, rlx, dev);
		}
		lsched_add(&r->popped, n, rlx, dev);
		spins = n ? 0 : spins + 1;
		lsched_i_relax(spins, 2);
	}
	return NULL;
}

static void the_ring_does_not_lose_duplicate_or_reorder_items(void)
{
	static const uint32_t limits[] = { 1, 2, 3, 5, 16, 64 };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		ring_room *r =
			(ring_room *)aligned_alloc(LSCHED_I_LINE, (sizeof(*r) + 127) / 128 * 128);
		ring_actor actor[RING_THREADS];
		uint32_t missing = 0, disorder;
		lsched_i_ring_counters *q;

		CHECK(r != NULL, "memory");
		memset(r, 0, sizeof(*r));
		r->items = 20000 / place.scale;
		r->push_max = limits[i] < 8 ? 3 : 32;
		r->pop_max = i % 2 ? 32 : 2;
		r->a.state = &r->state;
		r->a.marks = &r->marks[0][0];
		r->a.mark_words = LSCHED_I_MARK_LINE_WORDS;
		r->a.queue_slots = r->slots;
		r->a.queue_limit = limits[i];
		r->a.queue_slot_mask = lsched_i_pow2(limits[i]) - 1;
		for (uint32_t k = 0; k < RING_THREADS; k++) {
			actor[k].r = r;
			actor[k].index = k / 2;
			CHECK(pthread_create(&actor[k].id, NULL,
				      k % 2 ? ring_consume : ring_produce, &actor[k]) == 0,
				"thread");
		}
		for (uint32_t k = 0; k < RING_THREADS; k++)
			pthread_join(actor[k].id, NULL);
		for (uint32_t k = 0; k < r->items * (RING_THREADS / 2); k++)
			missing += r->seen[k] != 1;
		disorder = r->disorder;
		q = lsched_i_ring_counters_of(&r->a);
		CHECK(lsched_i_ring_count(q->tail_avail) == 0 &&
				lsched_i_ring_count(q->head_used) == 0,
			"limit %u: counts", limits[i]);
		CHECK(q->tail_avail == q->head_used, "limit %u: tickets", limits[i]);
		CHECK(missing == 0 && disorder == 0, "limit %u: %u items wrong, %u out of order",
			limits[i], missing, disorder);
		free(r);
	}
}

/* Sequences are tickets, and tickets wrap at 2^32. */
static void the_ring_works_across_the_wrap_of_its_tickets(void)
{
	for (uint32_t slots = 2; slots <= 16; slots *= 2) {
		ring_room *r =
			(ring_room *)aligned_alloc(LSCHED_I_LINE, (sizeof(*r) + 127) / 128 * 128);
		const uint32_t first = 0u - 3 * slots;
		lsched_i_ring_counters *q;
		lsched_i_worker_private priv;
		lsched_worker w;

		CHECK(r != NULL, "memory");
		memset(r, 0, sizeof(*r));
		r->a.state = &r->state;
		r->a.marks = &r->marks[0][0];
		r->a.mark_words = LSCHED_I_MARK_LINE_WORDS;
		r->a.queue_slots = r->slots;
		r->a.queue_limit = slots;
		r->a.queue_slot_mask = slots - 1;
		r->a.timeout_ns = 1000000000;
		q = lsched_i_ring_counters_of(&r->a);
		q->tail_avail = q->head_used = lsched_i_ring_pair(first, 0);
		for (uint32_t k = 0; k < slots; k++)
			r->slots[k] = (uint64_t)first << 32;
		lsched_i_begin(&w, &r->a, 0, &priv, NULL, LSCHED_QUEUE_RING, 0);
		for (uint32_t k = 0; k < 6 * slots; k++) {
			lsched_i_batch b;

			lsched_i_batch_clear(&b);
			lsched_i_batch_add(&b, k, 1);
			CHECK(lsched_ring_push_n(&w, &b) == 1, "push %u", k);
			CHECK(lsched_ring_pop_n(&w, &b, 32) == 1 && b.item[0] == k, "pop %u", k);
		}
		for (uint32_t k = 0; k < slots + 1; k++) {
			lsched_i_batch b;

			lsched_i_batch_clear(&b);
			lsched_i_batch_add(&b, k, 1);
			CHECK(lsched_ring_push_n(&w, &b) == (k < slots), "full at %u", k);
		}
		CHECK(lsched_i_failed(&w) == 0, "no wait ended by the clock");
		free(r);
	}
}

CU_TestInfo raw_ring_tests[] = {
	{ "the ring does not lose, duplicate or reorder items",
		the_ring_does_not_lose_duplicate_or_reorder_items },
	{ "the ring works across the wrap of its tickets",
		the_ring_works_across_the_wrap_of_its_tickets },
	CU_TEST_INFO_NULL,
};
