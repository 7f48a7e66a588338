/* libsched on CPU threads: the common suite, the ring alone, argument errors, contexts. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define GRAPH_PROGRAMS
#define FAN_PROGRAMS
#include "tests/libsched/fan.h"
#define GRID_PROGRAMS
#include "tests/libsched/grid.h"
#include "tests/libsched/sched_suite.h"
#include "tests/common/testmain.h"

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
	lsched_i_state state;
	uint64_t slots[RING_SLOTS_MAX];
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

static void the_ring_loses_doubles_and_reorders_nothing(void)
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

/* ---- arguments ---- */

static void wrong_arguments_are_refused(void)
{
	lsched_options o;
	lsched_run_options ro;
	lsched_ctx *ctx;
	lsched_run *run = NULL;
	lsched_program alien = graph_cpu_program;
	graph g;
	char msg[128];

	CHECK(lsched_open(NULL, NULL, NULL, 0) == LSCHED_ERR_ARG, "no place for the context");
	lsched_options_init(&o);
	o.backend = (lsched_backend)7;
	CHECK(lsched_open(&ctx, &o, msg, sizeof(msg)) == LSCHED_ERR_ARG && !ctx && msg[0], "%s",
		msg);
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = 1000000;
	CHECK(lsched_open(&ctx, &o, msg, sizeof(msg)) == LSCHED_ERR_ARG && !ctx && msg[0], "%s",
		msg);
	CHECK(graph_open(&g, 4, 4, 1, 1), "memory");
	ro = RUN_OPTIONS();
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"max_tasks 0");
	ro.max_tasks = LSCHED_MAX_TASKS + 1;
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"max_tasks too large");
	ro.max_tasks = g.tasks;
	CHECK(lsched_run_create(&run, place.ctx, NULL, &ro) == LSCHED_ERR_ARG && !run,
		"no program");
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, NULL) == LSCHED_ERR_ARG &&
			!run,
		"no options");
	CHECK(lsched_run_create(&run, NULL, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"no context");
	ro.scheme = (lsched_scheme)9;
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"scheme");
	ro.scheme = LSCHED_SCHEME_DYNAMIC;
	ro.queue = LSCHED_QUEUE_COUNT;
	CHECK(lsched_run_create(&run, place.ctx, &graph_cpu_program, &ro) == LSCHED_ERR_ARG && !run,
		"queue");
	ro.queue = LSCHED_QUEUE_RING;
	alien.backend = LSCHED_BACKEND_CUDA;
	CHECK(lsched_run_create(&run, place.ctx, &alien, &ro) == LSCHED_ERR_ARG && !run,
		"a program for CUDA");
	alien.backend = LSCHED_BACKEND_CPU;
	alien.abi++;
	CHECK(lsched_run_create(&run, place.ctx, &alien, &ro) == LSCHED_ERR_ARG && !run,
		"another ABI");
	CHECK(strstr(lsched_last_error(place.ctx), "version"), "%s", lsched_last_error(place.ctx));

	CREATE(&run, place.ctx, &graph_cpu_program, &ro);
	CHECK(lsched_run_finish(run, NULL) == LSCHED_ERR_STATE, "not started");
	CHECK(lsched_run_start(run, &g.c, g.tasks + 1, NULL) == LSCHED_ERR_ARG, "too many tasks");
	CHECK(lsched_run_start(run, NULL, g.tasks, NULL) == LSCHED_ERR_ARG,
		"no context of the program");
	CHECK(lsched_run_start(run, &g.c, g.tasks, NULL) == LSCHED_OK, "%s", lsched_run_error(run));
	lsched_run_destroy(&run); /* waits for the execution */
	CHECK(graph_wrong(&g) == 0, "destroyed before it was over");
	lsched_run_destroy(&run);
	lsched_run_destroy(NULL);
	lsched_close(NULL);
	graph_close(&g);
}

static void errors_are_negative_and_have_a_sentence(void)
{
	static const struct {
		lsched_status st;
		const char *text;
	} all[] = {
#define LSCHED_X(name, number, text) { LSCHED_##name, text },
		LSCHED_STATUSES(LSCHED_X)
#undef LSCHED_X
	};
	static const int unknown[] = { 1, 99, -99, INT32_MAX, INT32_MIN };

	CHECK(LSCHED_OK == 0, "success is 0");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK((int)all[i].st < 0 || all[i].st == LSCHED_OK, "%s", all[i].text);
		CHECK(strcmp(lsched_strstatus(all[i].st), all[i].text) == 0, "%d: %s",
			(int)all[i].st, lsched_strstatus(all[i].st));
		for (size_t k = 0; k < i; k++)
			CHECK(all[k].st != all[i].st, "two have the number %d", (int)all[i].st);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		CHECK(strcmp(lsched_strstatus((lsched_status)unknown[i]), "unknown status") == 0,
			"%d", unknown[i]);
}

static void names_and_values_go_both_ways(void)
{
	lsched_scheme s = LSCHED_SCHEME_DYNAMIC;
	lsched_queue q = LSCHED_QUEUE_RING;
	lsched_backend b = LSCHED_BACKEND_AUTO;
	lsched_overflow v = LSCHED_OVERFLOW_FAIL;

	CHECK(lsched_scheme_parse("sync", &s) == 0 && s == LSCHED_SCHEME_SYNC, "sync");
	CHECK(lsched_scheme_parse("static", &s) == 0 && s == LSCHED_SCHEME_STATIC, "static");
	CHECK(lsched_scheme_parse("statik", &s) == -1 && s == LSCHED_SCHEME_STATIC, "statik");
	CHECK(lsched_scheme_parse(NULL, &s) == -1, "NULL");
	CHECK(lsched_queue_parse("ring", &q) == 0 && q == LSCHED_QUEUE_RING, "ring");
	CHECK(lsched_backend_parse("cuda", &b) == 0 && b == LSCHED_BACKEND_CUDA, "cuda");
	CHECK(lsched_overflow_parse("inline", &v) == 0 && v == LSCHED_OVERFLOW_INLINE, "inline");
	CHECK(strcmp(lsched_scheme_name(LSCHED_SCHEME_DYNAMIC), "dynamic") == 0, "dynamic");
	CHECK(lsched_queue_name(LSCHED_QUEUE_COUNT) == NULL, "the end of the list");
	errors_are_negative_and_have_a_sentence();
	CHECK(lsched_version() == LSCHED_VERSION &&
			strcmp(lsched_version_string(), LSCHED_VERSION_STRING) == 0,
		"version");
}

static void count_messages(void *opaque, lsched_log_level level, const char *message)
{
	if (level <= LSCHED_LOG_DEBUG && message[0] && message[strlen(message) - 1] != '\n')
		++*(int *)opaque;
}

/* Pools of exactly so many threads, several contexts at once, and the log. */
static void contexts_are_independent(void)
{
	static const uint32_t threads[] = { 1, 2, 64 };
	lsched_ctx *ctx[3], *usual = place.ctx;
	int messages = 0;

	for (int i = 0; i < 3; i++) {
		lsched_options o;

		lsched_options_init(&o);
		o.backend = LSCHED_BACKEND_CPU;
		o.workers = threads[i];
		o.log = count_messages;
		o.log_opaque = &messages;
		o.log_level = LSCHED_LOG_INFO;
		CHECK(lsched_open(&ctx[i], &o, NULL, 0) == LSCHED_OK, "%u threads", threads[i]);
		CHECK(lsched_ctx_workers(ctx[i]) == threads[i] &&
				lsched_ctx_backend(ctx[i]) == LSCHED_BACKEND_CPU,
			"%u", threads[i]);
		CHECK(lsched_ctx_device(ctx[i]) == -1 &&
				strstr(lsched_ctx_device_name(ctx[i]), "CPU"),
			"device");
	}
	CHECK(messages == 3, "%d messages", messages);
	for (int i = 0; i < 3; i++) {
		for (int scheme = LSCHED_SCHEME_DYNAMIC; scheme <= LSCHED_SCHEME_EPOCH; scheme++) {
			lsched_run_options o;
			lsched_status st;
			lsched_stats s = { .struct_bytes = sizeof(s) };
			uint32_t wrong;
			graph g;

			CHECK(graph_open(&g, 20, 70, 2, 1), "memory");
			o = RUN_OPTIONS(.scheme = (lsched_scheme)scheme);
			place.ctx = ctx[i];
			st = graph_once(&g, &o, &s, NULL, 0);
			place.ctx = usual;
			wrong = graph_wrong(&g);
			graph_close(&g);
			CHECK(st == LSCHED_OK && wrong == 0 && s.workers == threads[i],
				"%u threads, scheme %d", threads[i], scheme);
		}
	}
	for (int i = 0; i < 3; i++) {
		lsched_close(&ctx[i]);
		CHECK(ctx[i] == NULL, "close");
	}
}

static void devices_can_be_asked_for(void)
{
	const int n = lsched_device_count();
	lsched_device_info info = { .struct_bytes = sizeof(info) };

	CHECK(n >= 0, "%d", n);
	CHECK(lsched_device_get_info(n, &info) != LSCHED_OK && info.sm_count == 0,
		"beyond the last");
	CHECK(lsched_device_get_info(0, NULL) == LSCHED_ERR_ARG, "no place");
	if (n == 0) {
		lsched_options o;
		lsched_ctx *ctx;
		char msg[256];
		lsched_status st;

		lsched_options_init(&o);
		o.backend = LSCHED_BACKEND_CUDA;
		st = lsched_open(&ctx, &o, msg, sizeof(msg));
		CHECK((st == LSCHED_ERR_NO_DEVICE || st == LSCHED_ERR_UNSUPPORTED) && !ctx &&
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
		{ "control on threads", NULL, NULL, NULL, NULL, suite_control_tests },
		{ "CPU only", NULL, NULL, NULL, NULL, cpu_tests }, CU_SUITE_INFO_NULL };
	int rc;

	rc = test_open(&place.ctx, LSCHED_BACKEND_CPU, 64);
	if (rc)
		return rc;
	place.graph = &graph_cpu_program;
	place.tree = &tree_cpu_program;
	place.fan = &fan_cpu_program;
	place.grid = &grid_cpu_program;
	place.lanes = LSCHED_LANES;
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
	lsched_close(&place.ctx);
	return rc;
}
