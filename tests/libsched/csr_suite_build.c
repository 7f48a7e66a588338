/* Task memory, and graphs given as data: edges given twice, cycles, refused graphs; on either
 * executor. */
#include <stdlib.h>
#include <string.h>
#include "tests/common/rng.h"
#include "tests/libsched/csr_shape.h"
#include "tests/libsched/csr_suite.h"

static void memory_of_tasks_can_be_written_read_and_cleared(void)
{
	static const unsigned char text[] = "forty-two";
	unsigned char back[4096];
	lsched_ctx *ctx = csr_place.ctx;
	void *m = &m, *none;

	memset(back, 1, sizeof(back));
	CHECK(lsched_mem_alloc(ctx, &m, sizeof(back)) == LSCHED_OK && m, "%s",
		lsched_last_error(ctx));
	CHECK((uintptr_t)m % 128 == 0, "aligned");
	CHECK(lsched_mem_read(ctx, back, m, sizeof(back)) == LSCHED_OK, "read");
	for (size_t i = 0; i < sizeof(back); i++)
		CHECK(back[i] == 0, "byte %zu", i);
	CHECK(lsched_mem_write(ctx, (char *)m + 100, text, sizeof(text)) == LSCHED_OK, "write");
	CHECK(lsched_mem_read(ctx, back, m, sizeof(back)) == LSCHED_OK, "read");
	CHECK(memcmp(back + 100, text, sizeof(text)) == 0 && back[99] == 0 &&
			back[100 + sizeof(text)] == 0,
		"what was written, where it was written");
	CHECK(lsched_mem_zero(ctx, (char *)m + 101, 3) == LSCHED_OK, "zero");
	CHECK(lsched_mem_read(ctx, back, (char *)m + 100, 5) == LSCHED_OK, "read");
	CHECK(back[0] == 'f' && !back[1] && !back[2] && !back[3] && back[4] == 'y', "cleared");
	lsched_mem_free(ctx, m);

	CHECK(lsched_mem_alloc(ctx, &m, 0) == LSCHED_OK && m, "no bytes have an address");
	CHECK(lsched_mem_write(ctx, m, NULL, 0) == LSCHED_OK, "nothing to write");
	lsched_mem_free(ctx, m);
	lsched_mem_free(ctx, NULL);
	none = ctx;
	CHECK(lsched_mem_alloc(ctx, &none, SIZE_MAX) == LSCHED_ERR_NOMEM && !none, "all there is");
	none = ctx;
	CHECK(lsched_mem_alloc_array(ctx, &none, SIZE_MAX / 4 + 2, 4) == LSCHED_ERR_NOMEM && !none,
		"a product that overflows to 4");
	CHECK(strstr(lsched_last_error(ctx), "memory"), "%s", lsched_last_error(ctx));
	none = ctx;
	CHECK(lsched_mem_alloc(NULL, &none, 4) == LSCHED_ERR_ARG && !none, "no context");
	CHECK(lsched_mem_alloc(ctx, NULL, 4) == LSCHED_ERR_ARG, "no place");
	CHECK(lsched_mem_read(ctx, NULL, back, 4) == LSCHED_ERR_ARG, "nowhere to read to");
	CHECK(lsched_mem_write(ctx, NULL, back, 4) == LSCHED_ERR_ARG, "nowhere to write to");
	CHECK(lsched_mem_zero(ctx, NULL, 4) == LSCHED_ERR_ARG, "nothing to clear");
}

static void an_edge_given_twice_counts_once_and_the_order_is_kept(void)
{
	static const lsched_csr_edge twice[] = { { 0, 3 }, { 0, 1 }, { 0, 3 }, { 1, 3 }, { 0, 2 },
		{ 0, 1 }, { 1, 3 }, { 2, 3 } };
	static const uint32_t first[] = { 0, 5, 7, 8, 8 }, succ[] = { 3, 1, 3, 2, 1, 3, 3, 3 };
	static const uint32_t want[] = { 3, 1, 2, 3, 3 };
	lsched_csr *g[2];

	CHECK(lsched_csr_from_edges(&g[0], csr_place.ctx, 4, twice, 8) == LSCHED_OK, "%s",
		lsched_last_error(csr_place.ctx));
	CHECK(lsched_csr_from_successors(&g[1], csr_place.ctx, 4, first, succ) == LSCHED_OK, "%s",
		lsched_last_error(csr_place.ctx));
	for (int k = 0; k < 2; k++) {
		const char *fault;
		shape s;

		CHECK(shape_open(&s, lsched_csr_get(g[k])), "memory");
		CHECK(s.v.edges == 5 && memcmp(s.v.succ, want, sizeof(want)) == 0, "%u edges",
			s.v.edges);
		CHECK(s.v.pred_first[4] - s.v.pred_first[3] == 3, "predecessors");
		fault = shape_fault(&s);
		CHECK(!fault, "%s", fault);
		shape_close(&s);
		lsched_csr_destroy(&g[k]);
		CHECK(g[k] == NULL, "destroy");
	}
	lsched_csr_destroy(&g[0]);
	lsched_csr_destroy(NULL);
}

/* Returns whether "task A -> B -> ... -> A" in the text follows edges of the list; "..." is
 * skipped. */
static int names_a_cycle(const char *text, const edges *l)
{
	const char *p = strstr(text, "tasks: task ");
	uint32_t first = LSCHED_NONE, last = LSCHED_NONE, steps = 0;

	if (!p)
		return 0;
	p += strlen("tasks: task ");
	for (;;) {
		char *end;
		uint32_t t;

		if (strncmp(p, "... -> ", 7) == 0) {
			p += 7;
			last = LSCHED_NONE;
		}
		t = (uint32_t)strtoul(p, &end, 10);
		if (end == p)
			return 0;
		if (last != LSCHED_NONE) {
			int found = 0;

			for (size_t i = 0; i < l->n && !found; i++)
				found = l->e[i].from == last && l->e[i].to == t;
			if (!found)
				return 0;
			steps++;
		}
		if (first == LSCHED_NONE)
			first = t;
		last = t;
		if (strncmp(end, " -> ", 4) != 0)
			return *end == '\0' && steps > 1 && last == first;
		p = end + 4;
	}
}

static void a_cycle_is_found_and_named(void)
{
	lsched_ctx *ctx = csr_place.ctx;
	lsched_csr *g;
	edges l;

	CHECK(edges_open(&l, 12, 12), "memory");
	edge(&l, 0, 9); /* edges into the cycle and out of it */
	edge(&l, 9, 3);
	edge(&l, 3, 7);
	edge(&l, 7, 9);
	edge(&l, 7, 11);
	edge(&l, 11, 1);
	g = (lsched_csr *)&l;
	CHECK(lsched_csr_from_edges(&g, ctx, l.tasks, l.e, l.n) == LSCHED_ERR_ARG && !g, "a cycle");
	CHECK(strstr(lsched_last_error(ctx), "cycle of 3 tasks") &&
			strstr(lsched_last_error(ctx), "task 3 -> 7 -> 9 -> 3"),
		"%s", lsched_last_error(ctx));
	free(l.e);

	CHECK(edges_open(&l, 1000, 1000), "memory");
	for (uint32_t t = 0; t < 1000; t++)
		edge(&l, t, (t + 1) % 1000);
	CHECK(lsched_csr_from_edges(&g, ctx, l.tasks, l.e, l.n) == LSCHED_ERR_ARG && !g, "a cycle");
	CHECK(strstr(lsched_last_error(ctx), "cycle of 1000 tasks") &&
			strstr(lsched_last_error(ctx), "task 0 -> 1 -> 2 -> ") &&
			strstr(lsched_last_error(ctx), "... -> 997 -> 998 -> 999 -> 0") &&
			names_a_cycle(lsched_last_error(ctx), &l),
		"%s", lsched_last_error(ctx));
	free(l.e);

	for (uint32_t k = 0; k < 60; k++) {
		const uint32_t n = 3 + rng_below(300);
		edges r;

		CHECK(edges_random(&l, n, 3, 1 + n / 10), "memory");
		/* a path of two edges from the end of edge 0 back to its start closes a cycle */
		CHECK(edges_open(&r, n, l.n + 3), "memory");
		memcpy(r.e, l.e, l.n * sizeof(*l.e));
		r.n = l.n;
		edge(&r, l.e[0].to,
			(l.e[0].from + 1 + k) % n == l.e[0].to ? l.e[0].from
							       : (l.e[0].from + 1 + k) % n);
		edge(&r, r.e[r.n - 1].to, l.e[0].from == r.e[r.n - 1].to ? l.e[0].to : l.e[0].from);
		CHECK(lsched_csr_from_edges(&g, ctx, n, r.e, r.n) == LSCHED_ERR_ARG && !g,
			"graph %u has a cycle", k);
		CHECK(names_a_cycle(lsched_last_error(ctx), &r), "graph %u: %s", k,
			lsched_last_error(ctx));
		free(l.e);
		free(r.e);
	}
}

static void bad_graphs_are_refused(void)
{
	static const lsched_csr_edge out[] = { { 0, 1 }, { 1, 4 } }, self[] = { { 2, 2 } };
	static const uint32_t falls[] = { 0, 3, 2, 3 }, late[] = { 1, 2, 2, 2 },
			      fine[] = { 0, 1, 1, 1 }, succ[] = { 1, 2, 0 }, far[] = { 3 };
	lsched_ctx *ctx = csr_place.ctx;
	lsched_csr *g;

#define REFUSED(call, word)                                                                   \
	do {                                                                                  \
		g = (lsched_csr *)&g;                                                         \
		CHECK((call) == LSCHED_ERR_ARG && !g && strstr(lsched_last_error(ctx), word), \
			"%s", lsched_last_error(ctx));                                        \
	} while (0)
	REFUSED(lsched_csr_from_edges(&g, ctx, 4, out, 2), "edge 1 -> 4");
	REFUSED(lsched_csr_from_edges(&g, ctx, 4, self, 1), "task 2 depends on itself");
	REFUSED(lsched_csr_from_edges(&g, ctx, LSCHED_MAX_TASKS + 1, NULL, 0), "at most");
	REFUSED(lsched_csr_from_edges(&g, ctx, 4, NULL, 2), "");
	REFUSED(lsched_csr_from_edges(&g, ctx, 4, out, (size_t)LSCHED_CSR_MAX_EDGES + 1), "edges");
	REFUSED(lsched_csr_from_successors(&g, ctx, 3, falls, succ), "task 1");
	REFUSED(lsched_csr_from_successors(&g, ctx, 3, late, succ), "first[0]");
	REFUSED(lsched_csr_from_successors(&g, ctx, 3, NULL, succ), "");
	REFUSED(lsched_csr_from_successors(&g, ctx, 3, fine, NULL), "succ is NULL");
	REFUSED(lsched_csr_from_successors(&g, ctx, 3, fine, far), "edge 0 -> 3");
#undef REFUSED
	CHECK(lsched_csr_from_edges(NULL, ctx, 4, out, 1) == LSCHED_ERR_ARG, "no place");
	CHECK(lsched_csr_from_edges(&g, NULL, 4, out, 1) == LSCHED_ERR_ARG && !g, "no context");
}

CU_TestInfo suite_csr_build_tests[] = {
	{ "memory of tasks can be written, read and cleared",
		memory_of_tasks_can_be_written_read_and_cleared },
	{ "an edge given twice counts once, and the order is kept",
		an_edge_given_twice_counts_once_and_the_order_is_kept },
	{ "a cycle is found and named", a_cycle_is_found_and_named },
	{ "bad graphs are refused", bad_graphs_are_refused },
	CU_TEST_INFO_NULL,
};
