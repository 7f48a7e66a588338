/* The queues alone, without the worker loop: threads push and pop as a program's workers would,
 * every item is counted; and bins step by step on one thread. CPU only. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/sched_suite.h"
#include "libsched/queue/queue.h"

enum { ACTORS_MAX = 16, SCRATCH_WORDS = 4096 };

/* A queue and its workers, as lsched_run_create() would have laid them out. */
typedef struct room {
	lsched_i_state *state;
	uint64_t *slots;
	size_t slot_bytes;
	lsched_i_args a;
	uint32_t queue;
	lsched_i_worker_private priv[ACTORS_MAX];
	lsched_worker worker[ACTORS_MAX];
	uint32_t scratch[ACTORS_MAX][SCRATCH_WORDS];
} room;

static void *lines(size_t bytes)
{
	void *p = aligned_alloc(
		LSCHED_I_LINE, (bytes + LSCHED_I_LINE - 1) / LSCHED_I_LINE * LSCHED_I_LINE);

	if (p)
		memset(p, 0, bytes);
	return p;
}

static void room_close(room *r)
{
	if (!r)
		return;
	free(r->state);
	free(r->slots);
	free(r);
}

static room *room_open(uint32_t queue, uint32_t capacity, uint32_t bin, uint32_t workers)
{
	const lsched_i_shape shape = { capacity, bin, workers, capacity, 0 };
	room *r = (room *)calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->queue = queue;
	r->slot_bytes = (size_t)lsched_i_queue_words(queue, &shape) * 8;
	r->state = (lsched_i_state *)lines(sizeof(*r->state));
	r->slots = (uint64_t *)lines(r->slot_bytes + 8);
	if (!r->state || !r->slots) {
		room_close(r);
		return NULL;
	}
	r->a.state = r->state;
	r->a.queue_slots = r->slots;
	r->a.workers = r->a.queue_max_workers = workers;
	r->a.queue_limit = capacity;
	r->a.queue_slot_mask = lsched_i_pow2(capacity) - 1;
	r->a.queue_deque_capacity = bin;
	r->a.timeout_ns = UINT64_C(10000000000);
	return r;
}

/* A launch begins for `workers` of the room's. */
static void room_begin(room *r, uint32_t workers)
{
	r->a.workers = workers;
	for (uint32_t k = 0; k < workers; k++)
		lsched_i_begin(&r->worker[k], &r->a, k, &r->priv[k], r->scratch[k], r->queue, 0);
}

static uint64_t room_count(const room *r, uint32_t what)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < r->a.workers; k++)
		sum += r->priv[k].count[what];
	return sum;
}

/* Pushes the items first .. first+n-1. Returns the number of pushed items. */
static uint32_t push(room *r, uint32_t worker, uint32_t first, uint32_t n)
{
	lsched_i_batch b;

	lsched_i_batch_clear(&b);
	for (uint32_t k = 0; k < n; k++)
		lsched_i_batch_add(&b, first + k, 1);
	return lsched_i_queue_push_n(&r->worker[worker], &b);
}

static uint32_t pop(room *r, uint32_t worker, uint32_t want, lsched_i_batch *b)
{
	return lsched_i_queue_pop_n(&r->worker[worker], b, want);
}

/* ---- threads ---- */

typedef struct crowd {
	room *r;
	uint32_t items;  /* each gives items of its own */
	uint32_t most;   /* at once */
	uint32_t popped; /* by all */
	uint32_t *seen;
} crowd;

typedef struct actor {
	crowd *c;
	uint32_t index;
	pthread_t id;
} actor;

typedef void *(*actor_fn)(void *actor);

typedef struct stall {
	uint64_t t0;
	uint32_t seen; /* crowd.popped when it was last looked at */
} stall;

/* Waits after an attempt without success. Returns nonzero and fails the run when no thread makes
 * progress: an item is lost. */
static uint32_t stuck(crowd *c, lsched_worker *w, uint32_t got, uint32_t *spins, stall *p)
{
	const uint32_t popped = lsched_ld(&c->popped, rlx, dev);

	*spins = got ? 0 : *spins + 1;
	if (got || p->seen != popped)
		p->t0 = 0;
	p->seen = popped;
	return lsched_i_spin_expired(w, *spins, &p->t0);
}

/* Pushes all its items with pops in between, then pops until all items of all threads are out. What
 * found no room is tried again after a pop, so no queue is too small. */
static void *push_and_pop(void *arg)
{
	const actor *me = (const actor *)arg;
	crowd *c = me->c;
	room *r = c->r;
	const uint32_t total = c->items * r->a.workers;
	uint32_t sent = 0, spins = 0, random = me->index + 1;
	stall p = { 0, 0 };

	while (lsched_ld(&c->popped, rlx, dev) < total) {
		lsched_i_batch b;
		uint32_t n, got = 0;

		random = graph_hash(random + 1);
		n = 1 + random % c->most;
		n = n < c->items - sent ? n : c->items - sent;
		if (n && random >> 31)
			got = push(r, me->index, me->index * c->items + sent, n);
		sent += got;
		random = graph_hash(random + 1);
		if (sent == c->items || got < n || random >> 31) {
			n = pop(r, me->index, 1 + random % c->most, &b);
			for (uint32_t k = 0; k < n; k++)
				lsched_add(&c->seen[b.item[k] % total], 1u, rlx, dev);
			lsched_add(&c->popped, n, rlx, dev);
			got += n;
		}
		if (stuck(c, &r->worker[me->index], got, &spins, &p))
			break;
	}
	return NULL;
}

/* Returns the number of items that did not come out exactly once. */
static uint32_t crowd_run(room *r, uint32_t workers, uint32_t items, uint32_t most, actor_fn play)
{
	actor actors[ACTORS_MAX];
	crowd c = { r, items, most, 0, NULL };
	uint32_t wrong = 0;

	room_begin(r, workers);
	c.seen = (uint32_t *)calloc((size_t)items * workers, sizeof(uint32_t));
	if (!c.seen)
		return items * workers;
	for (uint32_t k = 0; k < workers; k++) {
		actors[k].c = &c;
		actors[k].index = k;
		if (pthread_create(&actors[k].id, NULL, play, &actors[k]) != 0)
			abort(); /* the others would wait for its items */
	}
	for (uint32_t k = 0; k < workers; k++)
		pthread_join(actors[k].id, NULL);
	for (uint32_t k = 0; k < items * workers; k++)
		wrong += c.seen[k] != 1;
	free(c.seen);
	return wrong;
}

static void no_queue_loses_or_doubles_an_item(void)
{
	static const uint32_t sizes[] = { 2, 4, 64 };

	for (uint32_t q = 0; lsched_queue_name((lsched_queue)q); q++) {
		const char *name = lsched_queue_name((lsched_queue)q);

		if (lsched_i_queue_has(q, LSCHED_I_CAP_ROUNDS))
			continue;
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			/* the second group of threads finds the state that the first left, the
			 * third is smaller */
			static const uint32_t crowds[] = { 6, 6, 3 };
			room *r = room_open(q, sizes[i], sizes[i], 6);

			CHECK(r != NULL, "memory");
			for (size_t k = 0; k < 3; k++) {
				const uint32_t items = 6000 / place.scale;
				const uint32_t most = sizes[i] < 8 ? 3 : 32;
				const uint32_t wrong =
					crowd_run(r, crowds[k], items, most, push_and_pop);

				CHECK(wrong == 0 && !r->state->failed.v,
					"%s, room for %u, crowd %zu: %u items wrong", name,
					sizes[i], k, wrong);
				CHECK(room_count(r, LSCHED_I_N_PUSHES) ==
						(uint64_t)items * crowds[k],
					"%s: %llu pushes", name,
					(unsigned long long)room_count(r, LSCHED_I_N_PUSHES));
				CHECK(room_count(r, LSCHED_I_N_POPS) == (uint64_t)items * crowds[k],
					"%s: %llu pops", name,
					(unsigned long long)room_count(r, LSCHED_I_N_POPS));
			}
			room_close(r);
		}
	}
}

/* Two workers compete for the last item again and again: tests the THE protocol and the tags. */
static void the_last_item_goes_to_one_worker_only(void)
{
	for (uint32_t q = 0; lsched_queue_name((lsched_queue)q); q++) {
		const uint32_t items = 60000 / place.scale;
		uint32_t wrong;
		room *r;

		if (lsched_i_queue_has(q, LSCHED_I_CAP_ROUNDS))
			continue;
		r = room_open(q, 2, 2, 3);
		CHECK(r != NULL, "memory");
		wrong = crowd_run(r, 3, items, 1, push_and_pop);
		CHECK(wrong == 0 && !r->state->failed.v, "%s: %u items wrong",
			lsched_queue_name((lsched_queue)q), wrong);
		room_close(r);
	}
}

/* All push into one inbox, and pop from it when it is full. */
static void *one_inbox(void *arg)
{
	const actor *me = (const actor *)arg;
	crowd *c = me->c;
	lsched_worker *w = &c->r->worker[me->index];
	const uint32_t total = c->items * c->r->a.workers;
	uint32_t sent = 0, spins = 0;
	stall p = { 0, 0 };

	while (lsched_ld(&c->popped, rlx, dev) < total) {
		lsched_i_batch b;
		uint32_t got = 0;

		lsched_i_batch_clear(&b);
		for (uint32_t k = 0; k < c->most && sent + k < c->items; k++)
			lsched_i_batch_add(&b, me->index * c->items + sent + k, 1);
		if (b.n)
			got = lsched_i_inbox_push(w, 0, &b, 0);
		sent += got;
		if (got == 0) {
			got = lsched_i_inbox_pop(w, 0, &b, LSCHED_I_BATCH_MAX);
			for (uint32_t k = 0; k < got; k++)
				lsched_add(&c->seen[b.item[k] % total], 1u, rlx, dev);
			lsched_add(&c->popped, got, rlx, dev);
		}
		if (stuck(c, w, got, &spins, &p))
			break;
	}
	return NULL;
}

static void an_inbox_has_many_producers_at_once(void)
{
	for (uint32_t size = 1; size <= 64; size *= 4) {
		const uint32_t items = 100000 / place.scale;
		room *r = room_open(LSCHED_QUEUE_DONATE, 2 * size, 2 * size, 3);
		uint32_t wrong;

		CHECK(r != NULL, "memory");
		wrong = crowd_run(r, 3, items, 3, one_inbox);
		CHECK(wrong == 0 && !r->state->failed.v, "%u slots: %u items wrong", size, wrong);
		CHECK(*lsched_i_donate_held(&r->worker[0], 0) == 0, "%u slots: held", size);
		room_close(r);
	}
}

/* ---- step by step ---- */

static void block_is_a_fifo_of_its_capacity(void)
{
	room *r = room_open(LSCHED_QUEUE_BLOCK, 5, 2, 2);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	room_begin(r, 2);
	for (uint32_t round = 0; round < 20; round++) {
		CHECK(push(r, 0, 10, 3) == 3, "three of five");
		CHECK(push(r, 1, 13, 4) == 2, "room for two more");
		CHECK(push(r, 1, 15, 1) == 0, "full");
		CHECK(pop(r, 0, 2, &b) == 2 && b.item[0] == 10 && b.item[1] == 11, "the oldest");
		CHECK(pop(r, 1, 32, &b) == 3 && b.item[0] == 12 && b.item[2] == 14, "the rest");
		CHECK(pop(r, 0, 1, &b) == 0 && b.n == 0, "empty");
	}
	CHECK(r->priv[1].count[LSCHED_I_N_HIGH_WATER] == 5, "high water");
	room_close(r);
}

static void dist_shares_nothing(void)
{
	room *r = room_open(LSCHED_QUEUE_DIST, 4, 4, 2);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	room_begin(r, 2);
	CHECK(push(r, 0, 0, 3) == 3 && push(r, 0, 3, 3) == 1, "a bin of four");
	CHECK(pop(r, 1, 1, &b) == 0, "not the other's");
	CHECK(pop(r, 0, 3, &b) == 3 && b.item[0] == 3 && b.item[2] == 1, "the newest");
	CHECK(pop(r, 0, 3, &b) == 1 && b.item[0] == 0, "the last");
	CHECK(room_count(r, LSCHED_I_N_STEALS) == 0, "no steals");
	room_close(r);
}

static void a_thief_takes_the_older_half_of_a_bin(void)
{
	room *r = room_open(LSCHED_QUEUE_STEAL, 8, 8, 3);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	for (uint32_t start = 0; start < 40; start++) { /* indices go on from start to start */
		room_begin(r, 3);
		CHECK(push(r, 0, 0, 10) == 8, "a bin of eight");
		CHECK(pop(r, 1, 1, &b) == 1 && b.item[0] == 0, "the oldest");
		CHECK(r->priv[1].count[LSCHED_I_N_STEALS] == 4, "four of eight");
		CHECK(pop(r, 0, 1, &b) == 1 && b.item[0] == 7, "the owner's newest");
		CHECK(pop(r, 2, 2, &b) == 2 && b.item[0] == 4 && b.item[1] == 5, "two of three");
		CHECK(pop(r, 1, 32, &b) == 3 && b.item[0] == 3 && b.item[2] == 1, "what it stole");
		CHECK(pop(r, 0, 32, &b) == 1 && b.item[0] == 6, "the rest");
		for (uint32_t k = 0; k < 3; k++)
			CHECK(pop(r, k, 1, &b) == 0, "empty");
		CHECK(push(r, 0, 0, 10) == 8 && pop(r, 0, 32, &b) == 8, "room again");
	}
	room_close(r);
}

static void a_locked_bin_is_left_alone(void)
{
	room *r = room_open(LSCHED_QUEUE_STEAL, 8, 8, 3);
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	room_begin(r, 3);
	CHECK(push(r, 0, 0, 4) == 4 && push(r, 1, 10, 1) == 1, "room");
	CHECK(lsched_i_lock_try(&lsched_i_bin(&r->worker[2], 0)[LSCHED_I_BIN_LOCK]), "free");
	CHECK(pop(r, 2, 1, &b) == 1 && b.item[0] == 10, "the next victim");
	CHECK(pop(r, 2, 1, &b) == 0, "the thief does not wait");
	CHECK(pop(r, 0, 1, &b) == 1 && b.item[0] == 3, "nor the owner");
	CHECK(push(r, 0, 3, 1) == 1, "and it may push");
	lsched_i_unlock(&lsched_i_bin(&r->worker[2], 0)[LSCHED_I_BIN_LOCK]);
	CHECK(pop(r, 2, 1, &b) == 1 && b.item[0] == 0, "unlocked");
	room_close(r);
}

/* Bins of four: two in the deque, two in the inbox. */
static void what_does_not_fit_is_donated(void)
{
	room *r = room_open(LSCHED_QUEUE_DONATE, 4, 4, 3);
	uint32_t seen = 0;
	lsched_i_batch b;

	CHECK(r != NULL, "memory");
	for (uint32_t start = 0; start < 20; start++) {
		room_begin(r, 3);
		CHECK(push(r, 0, 0, 4) == 4, "its own bin");
		CHECK(r->priv[0].count[LSCHED_I_N_DONATED] == 0, "nothing donated");
		CHECK(push(r, 0, 4, 6) == 4, "the inboxes of two others");
		CHECK(r->priv[0].count[LSCHED_I_N_DONATED] == 4, "donated");
		CHECK(push(r, 0, 8, 1) == 0, "full");
		CHECK(push(r, 1, 8, 3) == 2, "the others' deques are theirs");
		CHECK(push(r, 2, 10, 3) == 2, "the others' deques are theirs");
		CHECK(push(r, 2, 12, 1) == 0, "all is full");
		CHECK(pop(r, 1, 1, &b) == 1 && b.item[0] == 9, "its own newest first");
		CHECK(push(r, 0, 9, 1) == 0, "a push into another worker's deque is refused");
		seen = 1u << 9;
		for (uint32_t k = 0; k < 11; k++) {
			CHECK(pop(r, 1, 1, &b) == 1 && b.item[0] < 12, "item %u", k);
			CHECK(!(seen >> b.item[0] & 1u), "%u again", b.item[0]);
			seen |= 1u << b.item[0];
		}
		CHECK(seen == 0xfff && pop(r, 1, 1, &b) == 0, "all twelve");
	}
	room_close(r);
}

CU_TestInfo raw_tests[] = { { "no queue loses or doubles an item",
				    no_queue_loses_or_doubles_an_item },
	{ "the last item goes to one worker only", the_last_item_goes_to_one_worker_only },
	{ "an inbox has many producers at once", an_inbox_has_many_producers_at_once },
	{ "block is a FIFO of its capacity", block_is_a_fifo_of_its_capacity },
	{ "dist shares nothing", dist_shares_nothing },
	{ "a thief takes the older half of a bin", a_thief_takes_the_older_half_of_a_bin },
	{ "a locked bin is left alone", a_locked_bin_is_left_alone },
	{ "what does not fit is donated", what_does_not_fit_is_donated }, CU_TEST_INFO_NULL };
