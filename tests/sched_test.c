/* libsched on CPU threads: the common suite, the ring alone, argument errors, contexts. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define GRAPH_PROGRAMS
#define FAN_PROGRAMS
#include "tests/sched_fan.h"
#define GRID_PROGRAMS
#include "tests/sched_grid.h"
#include "tests/sched_suite.h"
#include "tests/testmain.h"

static void *cpu_alloc(size_t bytes)
{
	return calloc(1, bytes);
}

static void cpu_zero(void *p, size_t bytes)
{
	memset(p, 0, bytes);
}

static void cpu_read(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

static void *cpu_stream(uint32_t i)
{
	(void)i;
	return NULL;
}

/* ---- the ring alone, between threads ---- */

enum { RING_THREADS = 6, RING_SLOTS_MAX = 64 };

typedef struct ring_room {
	sched__state state;
	uint64_t slots[RING_SLOTS_MAX];
	sched__args a;
	uint32_t items; /* each giver gives 0 .. items-1 */
	uint32_t taken; /* by all */
	uint32_t seen[RING_THREADS / 2 * 20000];
	uint32_t disorder;
	uint32_t give_max, take_max;
} ring_room;

typedef struct ring_actor {
	ring_room *r;
	uint32_t index;
	pthread_t id;
} ring_actor;

/* Item: {giver: 3 bits, number: 29 bits}. Partial pushes leave the rest for the next attempt. */
static void *ring_give(void *arg)
{
	const ring_actor *me = (const ring_actor *)arg;
	ring_room *r = me->r;
	sched__desk desk;
	sched_worker w;
	uint32_t sent = 0, random = me->index;

	sched__begin(&w, &r->a, me->index, &desk, NULL, SCHED_QUEUE_RING, 0);
	for (uint32_t spins = 0; sent < r->items;) {
		sched__batch b;
		uint32_t want, got;

		random = graph_hash(random + 1);
		want = 1 + random % r->give_max;
		sched__batch_clear(&b);
		for (uint32_t k = 0; k < want && sent + k < r->items; k++)
			sched__batch_add(&b, me->index << 29 | (sent + k), 1);
		got = sched_ring_push_n(&w, &b);
		sent += got;
		spins = got ? 0 : spins + 1;
		sched__relax(spins, 2);
	}
	return NULL;
}

static void *ring_take(void *arg)
{
	const ring_actor *me = (const ring_actor *)arg;
	ring_room *r = me->r;
	const uint32_t total = r->items * (RING_THREADS / 2);
	uint32_t last[RING_THREADS / 2], random = me->index + 100;
	sched__desk desk;
	sched_worker w;

	for (uint32_t k = 0; k < RING_THREADS / 2; k++)
		last[k] = SCHED_NONE;
	sched__begin(&w, &r->a, me->index, &desk, NULL, SCHED_QUEUE_RING, 0);
	for (uint32_t spins = 0; sched_ld(&r->taken, rlx, dev) < total;) {
		sched__batch b;
		uint32_t n;

		random = graph_hash(random + 1);
		n = sched_ring_pop_n(&w, &b, 1 + random % r->take_max);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t giver = b.item[k] >> 29, number = b.item[k] & 0x1fffffff;

			/* what one taker gets of one giver comes in order */
			if (last[giver] != SCHED_NONE && number <= last[giver])
				sched_add(&r->disorder, 1u, rlx, dev);
			last[giver] = number;
			sched_add(&r->seen[giver * r->items + number], 1u, rlx, dev);
		}
		sched_add(&r->taken, n, rlx, dev);
		spins = n ? 0 : spins + 1;
		sched__relax(spins, 2);
	}
	return NULL;
}

static void the_ring_loses_doubles_and_reorders_nothing(void)
{
	static const uint32_t limits[] = { 1, 2, 3, 5, 16, 64 };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		ring_room *r =
			(ring_room *)aligned_alloc(SCHED__LINE, (sizeof(*r) + 127) / 128 * 128);
		ring_actor actor[RING_THREADS];
		uint32_t missing = 0, disorder;
		sched__ring_hot *hot;

		CHECK(r != NULL, "memory");
		memset(r, 0, sizeof(*r));
		r->items = 20000 / place.scale;
		r->give_max = limits[i] < 8 ? 3 : 32;
		r->take_max = i % 2 ? 32 : 2;
		r->a.state = &r->state;
		r->a.slots = r->slots;
		r->a.queue_limit = limits[i];
		r->a.slot_mask = sched__pow2(limits[i]) - 1;
		for (uint32_t k = 0; k < RING_THREADS; k++) {
			actor[k].r = r;
			actor[k].index = k / 2;
			CHECK(pthread_create(&actor[k].id, NULL, k % 2 ? ring_take : ring_give,
				      &actor[k]) == 0,
				"thread");
		}
		for (uint32_t k = 0; k < RING_THREADS; k++)
			pthread_join(actor[k].id, NULL);
		for (uint32_t k = 0; k < r->items * (RING_THREADS / 2); k++)
			missing += r->seen[k] != 1;
		disorder = r->disorder;
		hot = sched__ring_hot_words(&r->a);
		CHECK(sched__ring_count(hot->given) == 0 && sched__ring_count(hot->taken) == 0,
			"limit %u: counts", limits[i]);
		CHECK(hot->given == hot->taken, "limit %u: tickets", limits[i]);
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
			(ring_room *)aligned_alloc(SCHED__LINE, (sizeof(*r) + 127) / 128 * 128);
		const uint32_t first = 0u - 3 * slots;
		sched__ring_hot *hot;
		sched__desk desk;
		sched_worker w;

		CHECK(r != NULL, "memory");
		memset(r, 0, sizeof(*r));
		r->a.state = &r->state;
		r->a.slots = r->slots;
		r->a.queue_limit = slots;
		r->a.slot_mask = slots - 1;
		r->a.timeout_ns = 1000000000;
		hot = sched__ring_hot_words(&r->a);
		hot->given = hot->taken = sched__ring_pair(first, 0);
		for (uint32_t k = 0; k < slots; k++)
			r->slots[k] = (uint64_t)first << 32;
		sched__begin(&w, &r->a, 0, &desk, NULL, SCHED_QUEUE_RING, 0);
		for (uint32_t k = 0; k < 6 * slots; k++) {
			sched__batch b;

			sched__batch_clear(&b);
			sched__batch_add(&b, k, 1);
			CHECK(sched_ring_push_n(&w, &b) == 1, "push %u", k);
			CHECK(sched_ring_pop_n(&w, &b, 32) == 1 && b.item[0] == k, "pop %u", k);
		}
		for (uint32_t k = 0; k < slots + 1; k++) {
			sched__batch b;

			sched__batch_clear(&b);
			sched__batch_add(&b, k, 1);
			CHECK(sched_ring_push_n(&w, &b) == (k < slots), "full at %u", k);
		}
		CHECK(sched__failed(&w) == 0, "no wait ended by the clock");
		free(r);
	}
}

/* ---- arguments ---- */

static void wrong_arguments_are_refused(void)
{
	sched_options o;
	sched_run_options ro;
	sched_ctx *ctx;
	sched_run *run = NULL;
	sched_program alien = graph_cpu_program;
	graph g;
	char msg[128];

	CHECK(sched_open(NULL, NULL, NULL, 0) == SCHED_ERR_ARG, "no place for the context");
	sched_options_init(&o);
	o.backend = (sched_backend)7;
	CHECK(sched_open(&ctx, &o, msg, sizeof(msg)) == SCHED_ERR_ARG && !ctx && msg[0], "%s", msg);
	o.backend = SCHED_BACKEND_CPU;
	o.workers = 1000000;
	CHECK(sched_open(&ctx, &o, msg, sizeof(msg)) == SCHED_ERR_ARG && !ctx && msg[0], "%s", msg);
	CHECK(graph_open(&g, 4, 4, 1, 1), "memory");
	sched_run_options_init(&ro);
	CHECK(sched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == SCHED_ERR_ARG && !run,
		"max_tasks 0");
	ro.max_tasks = SCHED_MAX_TASKS + 1;
	CHECK(sched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == SCHED_ERR_ARG && !run,
		"max_tasks too large");
	ro.max_tasks = g.tasks;
	CHECK(sched_run_create(&run, place.ctx, NULL, &ro) == SCHED_ERR_ARG && !run, "no program");
	CHECK(sched_run_create(&run, place.ctx, &graph_cpu_program, NULL) == SCHED_ERR_ARG && !run,
		"no options");
	CHECK(sched_run_create(&run, NULL, &graph_cpu_program, &ro) == SCHED_ERR_ARG && !run,
		"no context");
	ro.scheme = (sched_scheme)9;
	CHECK(sched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == SCHED_ERR_ARG && !run,
		"scheme");
	ro.scheme = SCHED_SCHEME_DYNAMIC;
	ro.queue = SCHED_QUEUE_COUNT;
	CHECK(sched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == SCHED_ERR_ARG && !run,
		"queue");
	ro.queue = SCHED_QUEUE_RING;
	alien.backend = SCHED_BACKEND_CUDA;
	CHECK(sched_run_create(&run, place.ctx, &alien, &ro) == SCHED_ERR_ARG && !run,
		"a program for CUDA");
	alien.backend = SCHED_BACKEND_CPU;
	alien.abi++;
	CHECK(sched_run_create(&run, place.ctx, &alien, &ro) == SCHED_ERR_ARG && !run,
		"another ABI");
	CHECK(strstr(sched_last_error(place.ctx), "version"), "%s", sched_last_error(place.ctx));

	CHECK(sched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == SCHED_OK, "%s",
		sched_last_error(place.ctx));
	CHECK(sched_run_finish(run, NULL) == SCHED_ERR_STATE, "not started");
	CHECK(sched_run_start(run, &g.c, g.tasks + 1, NULL) == SCHED_ERR_ARG, "too many tasks");
	CHECK(sched_run_start(run, NULL, g.tasks, NULL) == SCHED_ERR_ARG,
		"no context of the program");
	CHECK(sched_run_start(run, &g.c, g.tasks, NULL) == SCHED_OK, "%s", sched_run_error(run));
	sched_run_destroy(&run); /* waits for the execution */
	CHECK(graph_wrong(&g) == 0, "destroyed before it was over");
	sched_run_destroy(&run);
	sched_run_destroy(NULL);
	sched_close(NULL);
	graph_close(&g);
}

static void names_and_values_go_both_ways(void)
{
	sched_scheme s = SCHED_SCHEME_DYNAMIC;
	sched_queue q = SCHED_QUEUE_RING;
	sched_backend b = SCHED_BACKEND_AUTO;
	sched_overflow v = SCHED_OVERFLOW_FAIL;

	CHECK(sched_scheme_parse("sync", &s) == 0 && s == SCHED_SCHEME_SYNC, "sync");
	CHECK(sched_scheme_parse("static", &s) == 0 && s == SCHED_SCHEME_STATIC, "static");
	CHECK(sched_scheme_parse("statik", &s) == -1 && s == SCHED_SCHEME_STATIC, "statik");
	CHECK(sched_scheme_parse(NULL, &s) == -1, "NULL");
	CHECK(sched_queue_parse("ring", &q) == 0 && q == SCHED_QUEUE_RING, "ring");
	CHECK(sched_backend_parse("cuda", &b) == 0 && b == SCHED_BACKEND_CUDA, "cuda");
	CHECK(sched_overflow_parse("inline", &v) == 0 && v == SCHED_OVERFLOW_INLINE, "inline");
	CHECK(strcmp(sched_scheme_name(SCHED_SCHEME_DYNAMIC), "dynamic") == 0, "dynamic");
	CHECK(sched_queue_name(SCHED_QUEUE_COUNT) == NULL, "the end of the list");
	for (int st = 0; st < SCHED_STATUS_COUNT; st++)
		CHECK(strlen(sched_strstatus((sched_status)st)) > 5, "%d", st);
	CHECK(sched_strstatus((sched_status)99) != NULL, "unknown");
	CHECK(sched_version() == SCHED_VERSION &&
			strcmp(sched_version_string(), SCHED_VERSION_STRING) == 0,
		"version");
}

static void count_messages(void *opaque, sched_log_level level, const char *message)
{
	if (level <= SCHED_LOG_DEBUG && message[0] && message[strlen(message) - 1] != '\n')
		++*(int *)opaque;
}

/* Pools of exactly so many threads, several contexts at once, and the log. */
static void contexts_are_independent(void)
{
	static const uint32_t threads[] = { 1, 2, 64 };
	sched_ctx *ctx[3], *usual = place.ctx;
	int messages = 0;

	for (int i = 0; i < 3; i++) {
		sched_options o;

		sched_options_init(&o);
		o.backend = SCHED_BACKEND_CPU;
		o.workers = threads[i];
		o.log = count_messages;
		o.log_opaque = &messages;
		o.log_level = SCHED_LOG_INFO;
		CHECK(sched_open(&ctx[i], &o, NULL, 0) == SCHED_OK, "%u threads", threads[i]);
		CHECK(sched_ctx_workers(ctx[i]) == threads[i] &&
				sched_ctx_backend(ctx[i]) == SCHED_BACKEND_CPU,
			"%u", threads[i]);
		CHECK(sched_ctx_device(ctx[i]) == -1 &&
				strstr(sched_ctx_device_name(ctx[i]), "CPU"),
			"device");
	}
	CHECK(messages == 3, "%d messages", messages);
	for (int i = 0; i < 3; i++) {
		for (int scheme = SCHED_SCHEME_DYNAMIC; scheme <= SCHED_SCHEME_WORDS; scheme++) {
			sched_run_options o;
			sched_status st;
			sched_stats s;
			uint32_t wrong;
			graph g;

			CHECK(graph_open(&g, 20, 70, 2, 1), "memory");
			sched_run_options_init(&o);
			o.scheme = (sched_scheme)scheme;
			place.ctx = ctx[i];
			st = graph_once(&g, &o, &s, NULL, 0);
			place.ctx = usual;
			wrong = graph_wrong(&g);
			graph_close(&g);
			CHECK(st == SCHED_OK && wrong == 0 && s.workers == threads[i],
				"%u threads, scheme %d", threads[i], scheme);
		}
	}
	for (int i = 0; i < 3; i++) {
		sched_close(&ctx[i]);
		CHECK(ctx[i] == NULL, "close");
	}
}

static void devices_can_be_asked_for(void)
{
	const int n = sched_device_count();
	sched_device_info info;

	CHECK(n >= 0, "%d", n);
	CHECK(sched_device_get_info(n, &info) != SCHED_OK && info.sm_count == 0, "beyond the last");
	CHECK(sched_device_get_info(0, NULL) == SCHED_ERR_ARG, "no place");
	if (n == 0) {
		sched_options o;
		sched_ctx *ctx;
		char msg[256];
		sched_status st;

		sched_options_init(&o);
		o.backend = SCHED_BACKEND_CUDA;
		st = sched_open(&ctx, &o, msg, sizeof(msg));
		CHECK((st == SCHED_ERR_NO_DEVICE || st == SCHED_ERR_UNSUPPORTED) && !ctx &&
				strstr(msg, "CUDA"),
			"%s", msg);
	}
}

static CU_TestInfo cpu_tests[] = { { "the ring loses, doubles and reorders nothing",
					   the_ring_loses_doubles_and_reorders_nothing },
	{ "the ring works across the wrap of its tickets",
		the_ring_works_across_the_wrap_of_its_tickets },
	{ "wrong arguments are refused", wrong_arguments_are_refused },
	{ "names and values go both ways", names_and_values_go_both_ways },
	{ "contexts are independent", contexts_are_independent },
	{ "devices can be asked for", devices_can_be_asked_for }, CU_TEST_INFO_NULL };

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 5, 8, 16, 33, 64 };
	CU_SuiteInfo suites[] = { { "graphs on threads", NULL, NULL, NULL, NULL,
					  suite_graph_tests },
		{ "flow on threads", NULL, NULL, NULL, NULL, suite_flow_tests },
		{ "timelines on threads", NULL, NULL, NULL, NULL, suite_trace_tests },
		{ "queues alone", NULL, NULL, NULL, NULL, raw_tests },
		{ "rounds on threads", NULL, NULL, NULL, NULL, suite_rounds_tests },
		{ "CPU only", NULL, NULL, NULL, NULL, cpu_tests }, CU_SUITE_INFO_NULL };
	sched_options o;
	char msg[256];
	int rc;

	sched_options_init(&o);
	o.backend = SCHED_BACKEND_CPU;
	o.workers = 64;
	if (sched_open(&place.ctx, &o, msg, sizeof(msg)) != SCHED_OK) {
		fprintf(stderr, "%s\n", msg);
		return 1;
	}
	place.graph = &graph_cpu_program;
	place.tree = &tree_cpu_program;
	place.fan = &fan_cpu_program;
	place.grid = &grid_cpu_program;
	place.lanes = SCHED_LANES;
	place.workers = workers;
	place.worker_counts = sizeof(workers) / sizeof(workers[0]);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	place.scale = 4;
#else
	place.scale = 1;
#endif
	place.alloc = cpu_alloc;
	place.release = free;
	place.zero = cpu_zero;
	place.read = cpu_read;
	place.stream = cpu_stream;
	rc = test_run(suites);
	sched_close(&place.ctx);
	return rc;
}
