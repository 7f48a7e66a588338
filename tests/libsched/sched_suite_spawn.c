/* Spawned work: trees whose tasks spawn their children, through every queue, on either backend. */
#include <stdio.h>
#include <string.h>
#include "tests/libsched/sched_suite.h"

static uint64_t count_tree(const tree_ctx *c, uint32_t item)
{
	const uint32_t n = tree_children(c, item);
	uint64_t sum = 1;

	for (uint32_t k = 0; k < n; k++)
		sum += count_tree(c, tree_child(item, k));
	return sum;
}

uint64_t tree_nodes(const tree_ctx *c)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < TREE_ROOTS; i++)
		sum += count_tree(c, i);
	return sum;
}

static lsched_status grow(
	tree_ctx *c, const lsched_run_options *o, lsched_stats *s, uint64_t *nodes, char text[512])
{
	lsched_status st, st2;
	lsched_run *run;
	uint32_t n = 0;

	st = lsched_run_create(&run, place.ctx, place.tree, o);
	if (st) {
		snprintf(text, 512, "%s", lsched_last_error(place.ctx));
		return st;
	}
	c->nodes = (uint32_t *)place.alloc(4);
	st = lsched_run_start(run, c, TREE_ROOTS, suite_stream(o, 0));
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, s);
	snprintf(text, 512, "%s", lsched_run_error(run));
	place.read(&n, c->nodes, 4);
	*nodes = n;
	/* once more, with the state that the first start left */
	place.zero(c->nodes, 4);
	st2 = lsched_run_start(run, c, TREE_ROOTS, suite_stream(o, 0));
	if (st2 == LSCHED_OK)
		st2 = lsched_run_finish(run, NULL);
	place.read(&n, c->nodes, 4);
	if (st == LSCHED_OK && (st2 != st || n != *nodes)) {
		snprintf(text, 512, "second start: %s, %u nodes", lsched_run_error(run), n);
		st = LSCHED_ERR_STATE;
	}
	lsched_run_destroy(&run);
	place.release(c->nodes);
	return st;
}

/* Runs one forest, with central queues of so many slots or private bins of this size. */
static void check_tree(const lsched_run_options *with, uint64_t expected, uint32_t depth)
{
	const uint32_t roots = suite_roots(with, TREE_ROOTS);
	const char *name = suite_way_name(with);
	tree_ctx c = { depth, LSCHED_NONE, NULL };
	lsched_run_options o = *with;
	uint64_t nodes = 0;
	lsched_status st;
	char text[512];
	lsched_stats s = { .struct_bytes = sizeof(s) };

	o.max_tasks = TREE_ROOTS;
	st = grow(&c, &o, &s, &nodes, text);
	if (suite_refused(st, text))
		return;
	CHECK(st == LSCHED_OK && nodes == expected,
		"%s, capacity %u, bins of %u, %u workers: %llu of %llu, %s", name, o.queue_capacity,
		o.bin_size, o.workers, (unsigned long long)nodes, (unsigned long long)expected,
		text);
	CHECK(s.tasks == expected && s.spawned == expected - TREE_ROOTS, "%s: %llu", name,
		(unsigned long long)s.spawned);
	CHECK(s.kept + s.pops + s.inlined + roots == s.tasks && s.pushes == s.pops,
		"%s: kept %llu, pops %llu, inlined %llu", name, (unsigned long long)s.kept,
		(unsigned long long)s.pops, (unsigned long long)s.inlined);
	CHECK(!o.never_keep || s.kept == 0, "%s kept %llu", name, (unsigned long long)s.kept);
	CHECK(s.queue_high_water <= o.queue_capacity || s.queue_high_water <= o.bin_size,
		"%s: %u of %u", name, s.queue_high_water, o.queue_capacity);
}

static void every_node_of_a_spawned_tree_runs_once(void)
{
	static const uint32_t room[] = { 1u << 13, 64, 2 };
	tree_ctx c = { place.scale > 4 ? 10 : place.scale > 1 ? 12 : 14, LSCHED_NONE, NULL };
	const uint64_t expected = tree_nodes(&c);
	lsched_run_options o;

	CHECK(expected > 1000, "%llu", (unsigned long long)expected);
	for (uint32_t q = 0; suite_queue(q, &o); q++) {
		for (size_t i = 0; i < place.worker_counts; i++) {
			for (size_t k = 0; k < 3; k++) {
				if (suite_leaves_out(q + i + k))
					continue;
				/* compact: a bin holds what a worker makes in a round */
				o.queue_capacity = k ? room[k] : 1u << 16;
				o.bin_size = room[k];
				o.overflow = k ? LSCHED_OVERFLOW_INLINE : LSCHED_OVERFLOW_FAIL;
				o.inline_depth = 1024;
				o.workers = place.workers[i];
				o.never_keep = (i + k) % 2;
				check_tree(&o, expected, c.depth);
			}
		}
	}
}

static void spawned_work_without_a_free_slot_is_an_error(void)
{
	lsched_run_options o;

	for (uint32_t q = 0; suite_queue(q, &o); q++) {
		tree_ctx c = { 14, LSCHED_NONE, NULL };
		uint64_t nodes;
		char text[512];

		o.max_tasks = TREE_ROOTS;
		o.queue_capacity = o.bin_size = 1;
		o.workers = 1;
		o.never_keep = 1;
		CHECK(grow(&c, &o, NULL, &nodes, text) == LSCHED_ERR_OVERFLOW, "%s: %s",
			suite_way_name(&o), text);
		CHECK(strstr(text, "of 1 items"), "%s", text);
		o.overflow = LSCHED_OVERFLOW_INLINE;
		o.inline_depth = 2;
		CHECK(grow(&c, &o, NULL, &nodes, text) == LSCHED_ERR_OVERFLOW, "%s: %s",
			suite_way_name(&o), text);
		CHECK(strstr(text, "inline_depth 2)"), "%s", text);
	}
}

static void a_failed_item_is_named(void)
{
	lsched_run_options o;

	for (uint32_t q = 0; suite_queue(q, &o); q++) {
		tree_ctx c = { 12, LSCHED_NONE, NULL };
		uint64_t nodes;
		char text[512], name[32];

		c.fail_item = tree_child(tree_child(0, 1), 0);
		snprintf(name, sizeof(name), "task %u failed", c.fail_item);
		o.max_tasks = TREE_ROOTS;
		o.queue_capacity = o.bin_size = 4096;
		CHECK(grow(&c, &o, NULL, &nodes, text) == LSCHED_ERR_TASK_FAILED, "%s: %s",
			suite_way_name(&o), text);
		CHECK(strstr(text, name) && strstr(text, "code 7"), "%s", text);
		CHECK(strstr(text, suite_way_name(&o)), "%s", text);
	}
}

CU_TestInfo suite_spawn_tests[] = {
	{ "every node of a spawned tree runs once", every_node_of_a_spawned_tree_runs_once },
	{ "spawned work without a free slot is an error",
		spawned_work_without_a_free_slot_is_an_error },
	{ "a failed item is named", a_failed_item_is_named },
	CU_TEST_INFO_NULL,
};
