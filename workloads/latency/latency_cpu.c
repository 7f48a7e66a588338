/* Latencies between two threads. */
#include "workloads/latency/latency.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* A thread that answers requests until one of them is LAT_LEAVE. */
typedef struct server {
	uint32_t request, pad0[31]; /* in cache lines of their own */
	uint32_t answer, pad1[31];
	int sleeps; /* both sides wait for the condition instead of polling */
	pthread_mutex_t lock;
	pthread_cond_t changed;
} server;

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Waits until *word differs from `old`, or for LAT_LOST_NS. Other threads run meanwhile, since
 * there may be one processor only. Returns the word. */
static uint32_t poll_word(const uint32_t *word, uint32_t old)
{
	const uint64_t begin = wl_now_ns();

	for (uint32_t k = 1; load(word) == old; k++)
		if (k % 256 == 0) {
			sched_yield();
			if (wl_now_ns() - begin > LAT_LOST_NS)
				break;
		}
	return load(word);
}

static uint32_t await_word(server *s, const uint32_t *word, uint32_t old)
{
	uint32_t value;

	if (!s->sleeps)
		return poll_word(word, old);
	pthread_mutex_lock(&s->lock);
	while (*word == old)
		pthread_cond_wait(&s->changed, &s->lock);
	value = *word;
	pthread_mutex_unlock(&s->lock);
	return value;
}

static void set_word(server *s, uint32_t *word, uint32_t value)
{
	if (!s->sleeps) {
		__atomic_store_n(word, value, __ATOMIC_RELEASE);
		return;
	}
	pthread_mutex_lock(&s->lock);
	*word = value;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static void *serve(void *opaque)
{
	server *s = (server *)opaque;
	uint32_t last = 0, request;

	for (;;) {
		request = await_word(s, &s->request, last);
		if (request == last || request == LAT_LEAVE)
			return NULL;
		set_word(s, &s->answer, request);
		last = request;
	}
}

/* Exchanges messages 0 .. samples; number 0 waits for the start of the thread and is not counted.
 * Returns their number, which is less after a signal or without an answer. */
static uint32_t exchange(lat_table *t, server *s)
{
	uint32_t k = 0;

	for (; k <= t->samples && !wl_stopped(t->d); k++) {
		const uint64_t begin = wl_now_ns();

		set_word(s, &s->request, k + 1);
		if (await_word(s, &s->answer, k) != k + 1)
			break;
		if (k > 0)
			t->sample[k - 1] = (double)(wl_now_ns() - begin) * 1e-3;
	}
	return k;
}

static int no_thread(char *msg, size_t n, int code)
{
	snprintf(msg, n, "cannot create a thread: %s", strerror(code));
	return -1;
}

static int round_trips(
	lat_table *t, const char *name, const char *what, int sleeps, char *msg, size_t n)
{
	server s = { .sleeps = sleeps };
	pthread_t thread;
	uint32_t done = 0;
	int code;

	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.changed, NULL);
	code = pthread_create(&thread, NULL, serve, &s);
	if (code == 0) {
		done = exchange(t, &s);
		set_word(&s, &s.request, LAT_LEAVE);
		pthread_join(thread, NULL);
	}
	pthread_cond_destroy(&s.changed);
	pthread_mutex_destroy(&s.lock);
	if (code)
		return no_thread(msg, n, code);
	if (done > t->samples) {
		lat_add(t, name, what, "us", t->samples);
		return 0;
	}
	if (wl_stopped(t->d))
		return WL_STOPPED;
	snprintf(msg, n, "%s: no answer from a thread within %.0f s", what,
		(double)LAT_LOST_NS * 1e-9);
	return -1;
}

/* The release that a store buffer delays: a store that later loads of other words may not pass. */
static void ordered_stores(lat_table *t)
{
	enum { STORES = 64 };
	uint32_t word = 0;

	for (uint32_t k = 0; k < t->samples; k++) {
		const uint64_t begin = wl_now_ns();

		for (uint32_t i = 0; i < STORES; i++)
			__atomic_store_n(&word, k + i, __ATOMIC_SEQ_CST);
		t->sample[k] = (double)(wl_now_ns() - begin) * 1e-3 / STORES;
	}
	lat_add(t, "store-ordered", "store, sequentially consistent", "us", t->samples);
}

static void *do_nothing(void *opaque)
{
	return opaque;
}

/* What a launch is on a GPU. */
static int threads(lat_table *t, char *msg, size_t n)
{
	for (uint32_t k = 0; k <= t->samples; k++) {
		const uint64_t begin = wl_now_ns();
		pthread_t thread;
		int code;

		if (wl_stopped(t->d))
			return WL_STOPPED;
		code = pthread_create(&thread, NULL, do_nothing, NULL);
		if (code)
			return no_thread(msg, n, code);
		pthread_join(thread, NULL);
		if (k > 0)
			t->sample[k - 1] = (double)(wl_now_ns() - begin) * 1e-3;
	}
	lat_add(t, "launch", "start of a thread, and wait for its end", "us", t->samples);
	return 0;
}

int lat_cpu(lat_table *t, char *msg, size_t n)
{
	int bad = round_trips(
		t, "round-trip", "message to a thread and back, both sides poll", 0, msg, n);

	if (!bad)
		bad = round_trips(t, "round-trip-sleep",
			"message to a thread and back, both sides sleep", 1, msg, n);
	if (bad)
		return bad;
	ordered_stores(t);
	return threads(t, msg, n);
}
