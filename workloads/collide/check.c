/* The truth of `collide`, on the host: pairs by sweeping along the longest axis, contacts by the
 * same search in another order. */
#include "workloads/collide/host.h"
#include "workloads/common/memory.h"
#include "workloads/common/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sweeps of more tests are left out; the tree's pairs are then compared with those of the first
 * execution only. */
#define MAX_SWEEP_TESTS UINT64_C(3000000000)

typedef struct sums {
	uint64_t count, sum;
} sums;

static uint64_t hash_of(uint32_t a, uint32_t b)
{
	return wl_hash64((uint64_t)a << 32 | b);
}

/* A box's beginning along the axis. */
typedef struct edge {
	float lo, hi;
	uint32_t primitive;
} edge;

static int by_lo(const void *pa, const void *pb)
{
	const edge *a = pa, *b = pb;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return a->primitive < b->primitive ? -1 : a->primitive > b->primitive;
}

static edge *sorted_edges(const col_box *box, uint32_t n, int axis)
{
	edge *e = malloc(((size_t)n + 1) * sizeof(*e));

	for (uint32_t i = 0; e && i < n; i++)
		e[i] = (edge){ box[i].lo[axis], box[i].hi[axis], i };
	if (e)
		qsort(e, n, sizeof(*e), by_lo);
	return e;
}

static int longest_axis(const col_box *box, uint32_t n)
{
	float most = -1;
	int longest = 0;

	for (int axis = 0; axis < 3 && n; axis++) {
		float lo = box[0].lo[axis], hi = box[0].hi[axis];

		for (uint32_t i = 1; i < n; i++) {
			lo = box[i].lo[axis] < lo ? box[i].lo[axis] : lo;
			hi = box[i].hi[axis] > hi ? box[i].hi[axis] : hi;
		}
		if (hi - lo > most) {
			most = hi - lo;
			longest = axis;
		}
	}
	return longest;
}

/* Whether primitives i and j have a common vertex; by the lists of primitives, because the records
 * of the leaves are what is checked. */
static int adjacent(const col_prims *p, uint32_t i, const col_prims *q, uint32_t j)
{
	for (uint32_t k = 0; k < p->corners; k++)
		for (uint32_t m = 0; m < q->corners; m++)
			if (p->vertex[(size_t)i * p->corners + k] ==
				q->vertex[(size_t)j * q->corners + m])
				return 1;
	return 0;
}

static void count_pair(const col_prims *p, const col_prims *q, const col_box *a, const col_box *b,
	uint32_t i, uint32_t j, int self, sums *s)
{
	if (!col_overlap(&a[i], &b[j], 0) || adjacent(p, i, q, j))
		return;
	s->count++;
	s->sum += self && i > j ? hash_of(j, i) : hash_of(i, j);
}

/* All pairs of a kind whose boxes overlap. Returns 0; 1: too many tests, or the program is to end;
 * -1 without memory. */
static int sweep(const wl_device *d, const collide *c, int kind, sums *s)
{
	const int self = collide_i_prims_of[kind][0] == collide_i_prims_of[kind][1];
	const col_prims *p = &c->prims[collide_i_prims_of[kind][0]];
	const col_prims *q = &c->prims[collide_i_prims_of[kind][1]];
	const col_box *a = c->tree[collide_i_prims_of[kind][0]].box;
	const col_box *b = c->tree[collide_i_prims_of[kind][1]].box;
	const int axis = longest_axis(b, q->count);
	edge *ea = sorted_edges(a, p->count, axis);
	edge *eb = self ? ea : sorted_edges(b, q->count, axis);
	uint64_t tests = 0;
	int result = ea && eb ? 0 : -1;

	s->count = s->sum = 0;
	/* A pair is found at the one of both that begins later. */
	for (uint32_t i = 0, first = 0; !result && i < p->count; i++) {
		if (self) {
			for (uint32_t j = i + 1; j < p->count && ea[j].lo <= ea[i].hi; j++, tests++)
				count_pair(p, q, a, b, ea[i].primitive, ea[j].primitive, 1, s);
		} else {
			while (first < q->count && eb[first].lo < ea[i].lo)
				first++;
			for (uint32_t j = first; j < q->count && eb[j].lo <= ea[i].hi; j++, tests++)
				count_pair(p, q, a, b, ea[i].primitive, eb[j].primitive, 0, s);
		}
		result = tests > MAX_SWEEP_TESTS || wl_stopped(d);
	}
	for (uint32_t j = 0, first = 0; !result && !self && j < q->count; j++) {
		while (first < p->count && ea[first].lo <= eb[j].lo)
			first++;
		for (uint32_t i = first; i < p->count && ea[i].lo <= eb[j].hi; i++, tests++)
			count_pair(p, q, a, b, ea[i].primitive, eb[j].primitive, 0, s);
		result = tests > MAX_SWEEP_TESTS || wl_stopped(d);
	}
	free(ea);
	if (!self)
		free(eb);
	return result;
}

static int by_pair(const void *pa, const void *pb)
{
	const col_pair *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b < b->b ? -1 : a->b > b->b;
}

/* Sums of the pairs that were found; *twice: one of them is there twice. */
static int sums_of_pairs(wl_device *d, collide *c, int kind, int look_for_twice, sums *s,
	int *twice, char *why, size_t n)
{
	const uint64_t count = c->found[kind];
	col_pair *pair = wl_host_copy(
		d, col_pairs_elements(&c->ctx.out[kind]), count * sizeof(*pair), why, n);

	*s = (sums){ count, 0 };
	*twice = 0;
	if (!pair)
		return -1;
	for (uint64_t i = 0; i < count; i++)
		s->sum += hash_of(pair[i].a, pair[i].b);
	if (look_for_twice) {
		qsort(pair, count, sizeof(*pair), by_pair);
		for (uint64_t i = 1; i < count; i++)
			*twice |= by_pair(&pair[i - 1], &pair[i]) == 0;
	}
	free(pair);
	return 0;
}

static const char *const names[COL_KINDS] = { "pairs of faces", "pairs of vertex and face",
	"pairs of edges" };

static int check_kind(wl_device *d, collide *c, int kind, int first, char *why, size_t n)
{
	sums got, want;
	int twice, swept;

	if (sums_of_pairs(d, c, kind, first, &got, &twice, why, n))
		return -1;
	if (!c->known[kind]) {
		swept = sweep(d, c, kind, &want);
		if (swept < 0)
			return wl_no_memory(
				(size_t)c->prims[COL_PRIM_EDGE].count * sizeof(edge), why, n);
		if (wl_stopped(d)) /* it may have ended early */
			return WL_STOPPED;
		want = swept ? got : want;
		c->known[kind] = 1;
		c->known_count[kind] = want.count;
		c->known_sum[kind] = want.sum;
	}
	if (!twice && got.count == c->known_count[kind] && got.sum == c->known_sum[kind])
		return 0;
	return wl_fail(why, n, "%" PRIu64 " %s%s, not the %" PRIu64 " that a sweep finds",
		got.count, names[kind], twice ? ", some of them twice" : "", c->known_count[kind]);
}

int col_check_pairs(wl_work *w, wl_device *d, char *why, size_t n)
{
	collide *c = w->host_data;

	w->operations = 0;
	for (int i = 0; i < c->kinds; i++) {
		const int kind = c->kind[i];
		const int bad = check_kind(d, c, kind, w->execution == 0, why, n);

		if (bad)
			return bad;
		w->operations += c->found[kind];
		wl_add_fact(w, names[kind], (double)c->found[kind]);
	}
	return 0;
}

/* ---- contacts ---- */

/* Compares a sample of the candidates with the search by one thread: at most MOST of them, and of
 * about MOST_CELLS cells. */
static int check_sample(const wl_device *d, const collide *c, const uint32_t *time, uint64_t count,
	const col_pair *pair, char *why, size_t n)
{
	enum { MOST = 20000, MOST_CELLS = 1 << 21 };
	const int kind = c->kind[0];
	cont_ctx host = c->contacts;
	const uint64_t step = count / MOST + 1;
	uint64_t cells = 0;

	host.start[0] = host.start[1] = c->start.xyz;
	host.end[0] = host.end[1] = c->end.xyz;
	host.vertex[0] = c->prims[collide_i_prims_of[kind][0]].vertex;
	host.vertex[1] = c->prims[collide_i_prims_of[kind][1]].vertex;
	host.pair = pair;
	for (uint64_t i = 0; i < count && cells < MOST_CELLS && !wl_stopped(d); i += step) {
		col_query q;
		col_search search;

		cont_load(&host, (uint32_t)i, &q);
		col_search_begin(&search);
		(void)col_search_run(&search, &q, host.tolerance, COL_MOST_CELLS);
		cells += search.cells;
		if (time[i] == search.best)
			continue;
		return wl_fail(why, n,
			"candidate %" PRIu64 " (%" PRIu32 ", %" PRIu32 ") touches at %" PRIu32
			", not at %" PRIu32 " (in 2^-20 of the step; %u: never)",
			i, pair[i].a, pair[i].b, time[i], search.best, COL_NEVER);
	}
	return 0;
}

/* The stream of contacts has each candidate with a time once. */
static int check_touching(wl_device *d, const collide *c, const uint32_t *time, uint64_t count,
	uint64_t touching, char *why, size_t n)
{
	const cont_touching *s = &c->contacts.touching;
	uint32_t *found =
		wl_host_copy(d, cont_touching_elements(s), c->touching * sizeof(*found), why, n);
	uint8_t *seen = calloc(count + 1, 1);
	uint64_t wrong = c->touching != touching;

	for (uint64_t i = 0; found && seen && i < c->touching; i++)
		wrong += found[i] >= count || time[found[i]] == COL_NEVER || seen[found[i]]++;
	if (!found || !seen || wrong)
		snprintf(why, n,
			"%" PRIu64 " contacts in the list, not the %" PRIu64
			" candidates with a time, or some twice",
			c->touching, touching);
	free(found);
	free(seen);
	return found && seen && !wrong ? 0 : -1;
}

int col_check_contacts(wl_work *w, wl_device *d, char *why, size_t n)
{
	collide *c = w->host_data;
	const uint64_t count = c->found[c->kind[0]];
	const size_t bytes = count * sizeof(uint32_t);
	uint32_t *time = wl_host_copy(d, c->contacts.time, bytes, why, n);
	col_pair *pair = NULL;
	uint64_t touching = 0;
	int bad = time ? 0 : -1;

	if (!bad && w->execution == 0) {
		pair = wl_host_copy(d, c->contacts.pair, count * sizeof(*pair), why, n);
		bad = pair ? check_sample(d, c, time, count, pair, why, n) : -1;
	}
	if (!bad && c->first_time && memcmp(time, c->first_time, bytes) != 0)
		bad = wl_fail(why, n, "the times are not those of the first execution");
	for (uint64_t i = 0; !bad && i < count; i++)
		touching += time[i] != COL_NEVER;
	if (!bad)
		bad = check_touching(d, c, time, count, touching, why, n);
	free(pair);
	if (!c->first_time && !bad)
		c->first_time = time;
	else
		free(time);
	wl_add_fact(w, "candidates", (double)count);
	wl_add_fact(w, "contacts", (double)touching);
	w->operations = count;
	return bad;
}
