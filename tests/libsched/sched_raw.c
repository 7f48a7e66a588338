/* The queues alone, without the worker loop: threads push and pop as a program's workers would, and
 * every item is counted. CPU only. */
#include <pthread.h>
#include <stdio.h>
#include "tests/libsched/queue_room.h"
#include "tests/libsched/sched_suite.h"

typedef struct load {
	room *r;
	uint32_t items;  /* items that each worker pushes */
	uint32_t most;   /* at once */
	uint32_t popped; /* by all */
	uint32_t *seen;
} load;

typedef struct load_thread {
	load *c;
	uint32_t index;
	pthread_t id;
} load_thread;

typedef void *(*thread_fn)(void *load_thread);

typedef struct stall {
	uint64_t t0;
	uint32_t seen; /* load.popped at the last check */
} stall;

/* Waits after an attempt without success. Returns nonzero and fails the run when no thread makes
 * progress: an item is lost. */
static uint32_t stuck(load *c, lsched_worker *w, uint32_t got, uint32_t *spins, stall *p)
{
	const uint32_t popped = lsched_ld(&c->popped, rlx, dev);

	*spins = got ? 0 : *spins + 1;
	if (got || p->seen != popped)
		p->t0 = 0;
	p->seen = popped;
	return lsched_i_spin_expired(w, *spins, &p->t0);
}

/* Pushes all its items with pops in between, then pops until all items of all threads are popped. A
 * push that found no free slot is repeated after a pop, so no queue is too small. */
static void *push_and_pop(void *arg)
{
	const load_thread *me = (const load_thread *)arg;
	load *c = me->c;
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
			got = room_push(r, me->index, me->index * c->items + sent, n);
		sent += got;
		random = graph_hash(random + 1);
		if (sent == c->items || got < n || random >> 31) {
			n = room_pop(r, me->index, 1 + random % c->most, &b);
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

/* Returns the number of items that were not popped exactly once. */
static uint32_t load_run(room *r, uint32_t workers, uint32_t items, uint32_t most, thread_fn play)
{
	load_thread threads[ROOM_WORKERS];
	load c = { r, items, most, 0, NULL };
	uint32_t wrong = 0;

	room_begin(r, workers);
	c.seen = (uint32_t *)calloc((size_t)items * workers, sizeof(uint32_t));
	if (!c.seen)
		return items * workers;
	for (uint32_t k = 0; k < workers; k++) {
		threads[k].c = &c;
		threads[k].index = k;
		if (pthread_create(&threads[k].id, NULL, play, &threads[k]) != 0)
			abort(); /* the others would wait for its items */
	}
	for (uint32_t k = 0; k < workers; k++)
		pthread_join(threads[k].id, NULL);
	for (uint32_t k = 0; k < items * workers; k++)
		wrong += c.seen[k] != 1;
	free(c.seen);
	return wrong;
}

static void no_queue_loses_or_duplicates_an_item(void)
{
	static const uint32_t sizes[] = { 2, 4, 64 };

	for (uint32_t q = 0; lsched_queue_name((lsched_queue)q); q++) {
		const char *name = lsched_queue_name((lsched_queue)q);

		if (lsched_i_queue_has(q, LSCHED_I_CAP_ROUNDS))
			continue;
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			/* the second group of threads begins with the state of the first, the third
			 * is smaller */
			static const uint32_t groups[] = { 6, 6, 3 };
			room *r = room_open(q, sizes[i], sizes[i], 6);

			CHECK(r != NULL, "memory");
			for (size_t k = 0; k < 3; k++) {
				const uint32_t items = 6000 / place.scale;
				const uint32_t most = sizes[i] < 8 ? 3 : 32;
				const uint32_t wrong =
					load_run(r, groups[k], items, most, push_and_pop);

				CHECK(wrong == 0 && !r->state->failed.v,
					"%s, %u slots, group %zu: %u items wrong", name, sizes[i],
					k, wrong);
				CHECK(room_count(r, LSCHED_I_N_PUSHES) ==
						(uint64_t)items * groups[k],
					"%s: %llu pushes", name,
					(unsigned long long)room_count(r, LSCHED_I_N_PUSHES));
				CHECK(room_count(r, LSCHED_I_N_POPS) == (uint64_t)items * groups[k],
					"%s: %llu pops", name,
					(unsigned long long)room_count(r, LSCHED_I_N_POPS));
			}
			room_close(r);
		}
	}
}

/* Three workers compete for the last item again and again: tests the THE protocol and the tags. On
 * a busy machine, where an item may take them a turn of all processes, for a second of a queue. */
static void the_last_item_is_dequeued_by_one_worker_only(void)
{
	enum { STEPS = 256 };

	for (uint32_t q = 0; lsched_queue_name((lsched_queue)q); q++) {
		const uint64_t begin = lsched_now_ns();
		const uint32_t items = 60000 / place.scale / STEPS;
		uint32_t wrong = 0;
		room *r;

		if (lsched_i_queue_has(q, LSCHED_I_CAP_ROUNDS))
			continue;
		r = room_open(q, 2, 2, 3);
		CHECK(r != NULL, "memory");
		for (int k = 0; k < STEPS && lsched_now_ns() - begin < 1000000000u; k++)
			wrong += load_run(r, 3, items, 1, push_and_pop);
		CHECK(wrong == 0 && !r->state->failed.v, "%s: %u items wrong",
			lsched_queue_name((lsched_queue)q), wrong);
		room_close(r);
	}
}

/* Pushes into one inbox, as all threads do, and pops from it when it is full. */
static void *one_inbox(void *arg)
{
	const load_thread *me = (const load_thread *)arg;
	load *c = me->c;
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
		wrong = load_run(r, 3, items, 3, one_inbox);
		CHECK(wrong == 0 && !r->state->failed.v, "%u slots: %u items wrong", size, wrong);
		CHECK(*lsched_i_donate_held(&r->worker[0], 0) == 0, "%u slots: held", size);
		room_close(r);
	}
}

CU_TestInfo raw_tests[] = {
	{ "no queue loses or duplicates an item", no_queue_loses_or_duplicates_an_item },
	{ "the last item is dequeued by one worker only",
		the_last_item_is_dequeued_by_one_worker_only },
	{ "an inbox has many producers at once", an_inbox_has_many_producers_at_once },
	CU_TEST_INFO_NULL,
};
