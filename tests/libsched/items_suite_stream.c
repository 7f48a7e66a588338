/* Output streams: every element once, whatever the lanes do together; full streams count what they
 * need, and store what fits without a gap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/items_suite.h"

static void close_streams(stream_ctx *c)
{
	for (int k = 0; k < STREAMS; k++)
		lsched_stream_close(iplace.ctx, &c->out[k].any);
}

static int open_streams(stream_ctx *c, uint32_t nodes, uint32_t roots, const uint64_t *capacity)
{
	memset(c, 0, sizeof(*c));
	c->nodes = nodes;
	c->roots = roots;
	for (int k = 0; k < STREAMS; k++)
		if (lsched_stream_open(iplace.ctx, &c->out[k].any, sizeof(stream_hit),
			    capacity[k]) != LSCHED_OK) {
			close_streams(c);
			return -1;
		}
	return 0;
}

static int by_hit(const void *pa, const void *pb)
{
	const stream_hit *a = pa, *b = pb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->k < b->k ? -1 : a->k > b->k;
}

/* Elements of a stream that a node does not append to it, or that are there twice; UINT64_MAX
 * without memory. `stream` is the stream's number, or STREAMS: all nodes append to it. */
static uint64_t wrong_hits(const lsched_stream *s, uint64_t stored, uint32_t nodes, uint32_t stream)
{
	stream_hit *hit = (stream_hit *)malloc((stored + 1) * sizeof(*hit));
	uint64_t wrong = 0;

	if (!hit ||
		lsched_mem_read(iplace.ctx, hit, s->elements, stored * sizeof(*hit)) != LSCHED_OK) {
		free(hit);
		return UINT64_MAX;
	}
	qsort(hit, stored, sizeof(*hit), by_hit);
	for (uint64_t i = 0; i < stored; i++)
		wrong += hit[i].node >= nodes || hit[i].k >= stream_length(hit[i].node) ||
			 (stream != STREAMS && stream_of(hit[i].node) != stream) ||
			 (i && by_hit(&hit[i - 1], &hit[i]) == 0);
	free(hit);
	return wrong;
}

/* How many elements the streams must have; with `together` the first one has all. */
static void expected_counts(uint32_t nodes, int together, uint64_t want[STREAMS])
{
	memset(want, 0, STREAMS * sizeof(*want));
	for (uint32_t i = 0; i < nodes; i++)
		want[together ? 0 : stream_of(i)] += stream_length(i);
}

static void check_streams(stream_ctx *c, const char *name)
{
	uint64_t want[STREAMS];

	expected_counts(c->nodes, 0, want);
	for (uint32_t k = 0; k < STREAMS; k++) {
		lsched_stream *s = &c->out[k].any;
		uint64_t needed, stored;

		CHECK(lsched_stream_counts(iplace.ctx, s, &needed, &stored) == LSCHED_OK, "%s",
			lsched_last_error(iplace.ctx));
		CHECK(needed == want[k] && s->high_water == needed, "%s: %llu elements, not %llu",
			name, (unsigned long long)needed, (unsigned long long)want[k]);
		CHECK(stored <= s->capacity, "%s: %llu stored", name, (unsigned long long)stored);
		/* only the call that does not fit leaves places free */
		CHECK(needed <= s->capacity ? stored == needed : s->capacity - stored < STREAM_MOST,
			"%s: %llu of %llu stored, room for %llu", name, (unsigned long long)stored,
			(unsigned long long)needed, (unsigned long long)s->capacity);
		CHECK(wrong_hits(s, stored, c->nodes, k) == 0, "%s: wrong elements in stream %u",
			name, k);
	}
}

static void run_streams(const lsched_program *p, const lsched_run_options *o, uint32_t nodes,
	uint32_t roots, const uint64_t *capacity)
{
	stream_ctx c;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];
	lsched_status st;

	CHECK(open_streams(&c, nodes, roots, capacity) == 0, "memory");
	st = items_once(p, o, &c, roots, &s, text, sizeof(text));
	CHECK(st == LSCHED_OK && s.tasks == nodes, "%s: %s", lsched_queue_name(o->queue), text);
	check_streams(&c, lsched_queue_name(o->queue));
	close_streams(&c);
}

static void all_elements_are_appended_once(void)
{
	const uint64_t room[STREAMS] = { 7 * (uint64_t)iplace.nodes, 7 * (uint64_t)iplace.nodes,
		7 * (uint64_t)iplace.nodes };

	for (int q = 0; lsched_queue_name((lsched_queue)q); q++)
		for (size_t k = 0; k < iplace.worker_counts; k++) {
			lsched_run_options o =
				RUN_OPTIONS(.queue = (lsched_queue)q, .workers = iplace.workers[k]);

			if (items_in_rounds((lsched_queue)q)) {
				o.queue_capacity = 4 * iplace.nodes + 65536;
				o.bin_size = iplace.nodes / 8 + 256;
			}
			run_streams(
				iplace.slane, &o, iplace.nodes, 1 + 300 * (uint32_t)(k % 2), room);
		}
}

static void threads_of_an_item_append(void)
{
	const uint64_t room[STREAMS] = { 7 * (uint64_t)iplace.nodes, 100, 0 };
	const lsched_run_options o = RUN_OPTIONS(.workers = 2);

	run_streams(iplace.swarp, &o, iplace.nodes, 5, room);
}

static void a_full_stream_counts_what_it_needs(void)
{
	uint64_t want[STREAMS];
	const uint32_t nodes = 3000;

	expected_counts(nodes, 0, want);
	for (int more = -2; more <= 2; more++) {
		const uint64_t room[STREAMS] = { want[0] + (uint64_t)more, (uint64_t)(more + 2),
			want[2] / 2 + (uint64_t)more };
		const lsched_run_options o = RUN_OPTIONS(.workers = 3);

		run_streams(iplace.slane, &o, nodes, 40, room);
	}
}

static void a_stream_is_enlarged_and_filled_again(void)
{
	const uint64_t room[STREAMS] = { 1, 0, 3 };
	stream_ctx c;
	lsched_run_options o = RUN_OPTIONS(.max_tasks = 9, .workers = 3);
	lsched_run *run;
	uint64_t needed;

	CHECK(open_streams(&c, 2000, 9, room) == 0, "memory");
	CREATE(&run, iplace.ctx, iplace.slane, &o);
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < STREAMS; i++)
			CHECK(lsched_stream_clear(iplace.ctx, &c.out[i].any) == LSCHED_OK, "clear");
		CHECK(lsched_run_start(run, &c, 9, NULL) == LSCHED_OK &&
				lsched_run_finish(run, NULL) == LSCHED_OK,
			"%s", lsched_run_error(run));
		check_streams(&c, k ? "enlarged" : "too small");
		for (int i = 0; i < STREAMS; i++) {
			CHECK(lsched_stream_counts(iplace.ctx, &c.out[i].any, &needed, NULL) ==
					LSCHED_OK,
				"counts");
			CHECK((needed > c.out[i].any.capacity) == (k == 0), "capacity");
			CHECK(lsched_stream_enlarge(iplace.ctx, &c.out[i].any, needed) == LSCHED_OK,
				"enlarge");
		}
	}
	lsched_run_destroy(&run);
	close_streams(&c);
}

static void a_stream_without_memory_is_an_error(void)
{
	lsched_stream s;

	CHECK(lsched_stream_open(iplace.ctx, &s, 8, UINT64_MAX / 2) == LSCHED_ERR_NOMEM, "opened");
	CHECK(!s.state && !s.elements && s.capacity == 0, "not empty");
	lsched_stream_close(iplace.ctx, &s);
	CHECK(lsched_stream_open(iplace.ctx, &s, 8, 0) == LSCHED_OK, "no elements");
	CHECK(lsched_stream_enlarge(iplace.ctx, &s, UINT64_MAX) == LSCHED_ERR_NOMEM, "enlarged");
	CHECK(s.capacity == 0 && !s.elements, "not empty");
	lsched_stream_close(iplace.ctx, &s);
	lsched_stream_close(iplace.ctx, &s);
}

CU_TestInfo items_stream_tests[] = { { "all elements are appended once, through every queue",
					     all_elements_are_appended_once },
	{ "threads of an item append", threads_of_an_item_append },
	{ "a full stream counts what it needs", a_full_stream_counts_what_it_needs },
	{ "a stream is enlarged and filled again", a_stream_is_enlarged_and_filled_again },
	{ "a stream without memory is an error", a_stream_without_memory_is_an_error },
	CU_TEST_INFO_NULL };
