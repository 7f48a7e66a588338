#include "libsched/core/sized.h"
#include "nqueens/core/error.h"
#include "nqueens/core/plan.h"
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/board.h"
#include "nqueens/core/choose.h"
#include "nqueens/core/cross.h"
#include "nqueens/join/join.h"

enum {
	PLAN_VERSION = 1, /* goes into the hash: another way to cut the work is another plan */
	LEAVE_ROWS = 4,   /* splitting ends when a subtree has so few rows left */
	PLAIN_TASKS = 2000,
	UNITS = 4096, /* about so many, unless the caller says otherwise */
	UNIT_TASKS_MAX = 64
};

nq_status nq_i_tasks_add(nq_i_tasks *l, const nq_task *t)
{
	if (l->count == l->room) {
		const size_t room = l->room ? 2 * l->room : 256;
		nq_task *more = (nq_task *)realloc(l->at, room * sizeof(*more));

		if (!more)
			return NQ_ERR_NOMEM;
		l->at = more;
		l->room = room;
	}
	l->at[l->count++] = *t;
	return NQ_OK;
}

static uint32_t free_cols(const nq_plan *p, const nq_task *t, uint32_t row)
{
	return p->toroidal ? nq_i_free_toroidal(t, p->n, row) : nq_i_free(t, p->n, row);
}

static void place(const nq_plan *p, nq_task *t, uint32_t row, uint32_t bit)
{
	if (p->toroidal)
		nq_i_place_toroidal(t, p->n, row, bit);
	else
		nq_i_place(t, p->n, row, bit);
}

/* ---- roots ---- */

typedef struct collect {
	const nq_plan *plan;
	nq_i_tasks *list;
	nq_status status;
} collect;

/* How large a tree is likely to be, to compare it with its mirror image's: its free squares, those of rows
 * that are filled early counting more. Trying out three rows tells less and costs ten times as much (n = 16:
 * 81.7 M nodes, with this 79.5 M, always choosing right 77.3 M). */
static uint32_t size_of(const nq_plan *p, const nq_task *t)
{
	uint32_t sum = 0, rows = t->rows;

	for (uint32_t left = (uint32_t)__builtin_popcount(rows); left; left--) {
		const uint32_t row = nq_i_next_row(rows, p->n);

		rows &= ~(1u << row);
		sum += left * (uint32_t)__builtin_popcount(nq_i_free(t, p->n, row));
	}
	return sum;
}

static int take(void *opaque, const nq_i_cross_pair *pair)
{
	collect *c = (collect *)opaque;
	const int mirrored = size_of(c->plan, &pair->mirrored) < size_of(c->plan, &pair->task);

	c->status = nq_i_tasks_add(c->list, mirrored ? &pair->mirrored : &pair->task);
	return c->status != NQ_OK;
}

/* The one root without symmetry; none if the given queens attack each other. */
static nq_status add_root(const nq_plan *p, const nq_plan_options *o, nq_i_tasks *list)
{
	nq_task root = { 0, 0, 0, nq_i_full(p->n), 0, 1 };

	/* Turning a torus moves the queen of row 0 to each column equally often. */
	if (p->toroidal) {
		place(p, &root, 0, 1);
		root.weight = p->n;
	}
	for (size_t i = 0; i < o->given_count; i++) {
		const nq_square s = o->given[i];
		int again = 0;

		for (size_t k = 0; k < i; k++)
			again |= o->given[k].row == s.row && o->given[k].col == s.col;
		if (again)
			continue;
		if (!(root.rows >> s.row & 1) || !(free_cols(p, &root, s.row) >> s.col & 1))
			return NQ_OK;
		place(p, &root, s.row, 1u << s.col);
	}
	return nq_i_tasks_add(list, &root);
}

/* ---- splitting ---- */

static int empty_rows(const nq_i_tasks *list)
{
	int most = 0;

	for (size_t i = 0; i < list->count; i++) {
		const int rows = __builtin_popcount(list->at[i].rows);

		if (rows > most)
			most = rows;
	}
	return most;
}

/* Placements on the cross differ in their number of queens, so splitting goes for those with most rows.
 * The children stand where their parent stood: like tasks stay together. */
static nq_status split_longest(const nq_plan *p, nq_i_tasks *list, int rows)
{
	nq_i_tasks next = { NULL, 0, 0 };
	nq_status st = NQ_OK;

	for (size_t i = 0; i < list->count && st == NQ_OK; i++) {
		const nq_task *t = &list->at[i];
		uint32_t row, cols;

		if (__builtin_popcount(t->rows) != rows) {
			st = nq_i_tasks_add(&next, t);
			continue;
		}
		row = nq_i_next_row(t->rows, p->n);
		for (cols = free_cols(p, t, row); cols && st == NQ_OK; cols &= cols - 1) {
			nq_task child = *t;

			place(p, &child, row, cols & (0u - cols));
			st = nq_i_tasks_add(&next, &child);
		}
	}
	free(list->at);
	*list = next;
	return st;
}

/* Units want the same rows and weight; the rest only makes the order the same everywhere. */
static int compare(const void *pa, const void *pb)
{
	const nq_task *a = (const nq_task *)pa, *b = (const nq_task *)pb;

#define BY(field)                 \
	if (a->field != b->field) \
	return a->field < b->field ? -1 : 1
	BY(weight);
	BY(rows);
	BY(d1);
	BY(d2);
	BY(cols);
#undef BY
	return 0;
}

static nq_status make_units(nq_plan *p, uint32_t unit_tasks)
{
	size_t n = 0;

	if (!unit_tasks) {
		unit_tasks = (uint32_t)(p->task_count / UNITS) + 1;
		if (unit_tasks > UNIT_TASKS_MAX)
			unit_tasks = UNIT_TASKS_MAX;
	}
	p->units = (nq_unit *)calloc(p->task_count + 1, sizeof(*p->units));
	if (!p->units)
		return NQ_ERR_NOMEM;
	for (size_t i = 0; i < p->task_count; i++) {
		nq_task *t = &p->tasks[i];

		if (n == 0 || p->units[n - 1].count == unit_tasks || t->rows != t[-1].rows ||
			t->weight != t[-1].weight) {
			p->units[n].first = (uint32_t)i;
			p->units[n].weight = t->weight;
			n++;
		}
		p->units[n - 1].count++;
		t->unit = (uint32_t)(n - 1);
	}
	p->unit_count = n;
	p->work = (uint32_t *)malloc((n + 1) * sizeof(*p->work));
	for (size_t i = 0; p->work && i < n; i++)
		p->work[i] = p->units[i].count;
	return p->work ? NQ_OK : NQ_ERR_NOMEM;
}

static nq_status plan_trees(nq_plan *p, const nq_plan_options *o)
{
	nq_i_tasks list = { NULL, 0, 0 };
	uint32_t min_tasks = o->min_tasks;
	nq_status st;

	if (o->plain || o->given_count || p->toroidal) {
		st = add_root(p, o, &list);
		if (!min_tasks)
			min_tasks = PLAIN_TASKS;
	} else {
		uint32_t w = o->cross ? o->cross : p->n % 2 ? 3 : 2;
		collect c = { p, &list, NQ_OK };

		if (w > p->n)
			w = p->n;
		nq_i_cross_walk(p->n, w, take, &c, NULL);
		st = c.status;
	}
	/* sorted before they are many */
	if (st == NQ_OK && list.count)
		qsort(list.at, list.count, sizeof(*list.at), compare);
	for (int rows = empty_rows(&list);
		st == NQ_OK && list.count && list.count < min_tasks && rows > LEAVE_ROWS;
		rows = empty_rows(&list))
		st = split_longest(p, &list, rows);
	p->tasks = list.at;
	p->task_count = list.count;
	if (st == NQ_OK && list.count > UINT32_MAX)
		st = NQ_ERR_NOMEM;
	return st == NQ_OK ? make_units(p, o->unit_tasks) : st;
}

/* ---- public ---- */

void nq_plan_options_init_sized(nq_plan_options *o, size_t struct_bytes)
{
	memset(o, 0, struct_bytes);
	o->struct_bytes = struct_bytes;
}

static nq_status check_given(const nq_plan_options *o)
{
	if (!o->given)
		return nq_i_fail(
			NQ_ERR_ARG, "given_count is %zu, but given is NULL", o->given_count);
	if (o->toroidal)
		return nq_i_fail(NQ_ERR_ARG, "given queens exclude toroidal");
	for (size_t i = 0; i < o->given_count; i++)
		if (o->given[i].row >= o->n || o->given[i].col >= o->n)
			return nq_i_fail(NQ_ERR_ARG,
				"given queen %zu, row %u, column %u: both must be below n = %u", i,
				o->given[i].row, o->given[i].col, o->n);
	return NQ_OK;
}

static nq_status check(const nq_plan_options *o)
{
	const int own_root = o->plain || o->given_count || o->toroidal;
	nq_status st;

	if (o->n < 1 || o->n > NQ_MAX_N)
		return nq_i_fail(NQ_ERR_ARG, "n is %u: 1 to %d can be counted", o->n, NQ_MAX_N);
	if (o->min_tasks > NQ_MIN_TASKS_MAX)
		return nq_i_fail(
			NQ_ERR_ARG, "min_tasks is %u: at most %u", o->min_tasks, NQ_MIN_TASKS_MAX);
	if ((unsigned)o->method > NQ_METHOD_JOIN || (unsigned)o->backend > NQ_BACKEND_CUDA)
		return nq_i_fail(NQ_ERR_ARG, "unknown method or backend");
	if (o->cross && (o->cross > NQ_I_CROSS_MAX || o->cross > o->n || (o->n - o->cross) % 2))
		return nq_i_fail(NQ_ERR_ARG,
			"cross is %u: at most %d lines, as even or odd as n = %u", o->cross,
			NQ_I_CROSS_MAX, o->n);
	if (o->cross && own_root)
		return nq_i_fail(NQ_ERR_ARG, "cross excludes plain, given queens and toroidal");
	st = o->given_count ? check_given(o) : NQ_OK;
	if (st != NQ_OK)
		return st;
	if (o->method == NQ_METHOD_JOIN &&
		(own_root || o->cross || o->n < NQ_I_JOIN_MIN_N || o->n > NQ_JOIN_MAX_N))
		return nq_i_fail(NQ_ERR_UNSUPPORTED,
			"the join counts whole boards of %d to %d queens, without plain, cross, "
			"given queens and toroidal",
			NQ_I_JOIN_MIN_N, NQ_JOIN_MAX_N);
	if (o->method == NQ_METHOD_TASKS && o->toroidal)
		return nq_i_fail(NQ_ERR_UNSUPPORTED, "boards as tasks exclude toroidal");
	return NQ_OK;
}

static uint64_t hash_of(const nq_plan *p)
{
	uint64_t h = nq_i_mix(PLAN_VERSION, p->n);

	/* TASKS and BACKTRACK count the same units: each may go on where the other has stopped. */
	h = nq_i_mix(h, p->method == NQ_METHOD_JOIN);
	h = nq_i_mix(h, p->toroidal);
	for (size_t i = 0; i < p->task_count; i++) {
		const nq_task *t = &p->tasks[i];

		h = nq_i_mix(h, t->d1);
		h = nq_i_mix(h, t->d2);
		h = nq_i_mix(h, (uint64_t)t->rows << 32 | t->cols);
	}
	for (size_t i = 0; i < p->unit_count; i++) {
		const nq_unit *u = &p->units[i];

		h = nq_i_mix(h, (uint64_t)u->first << 32 | u->count);
		h = nq_i_mix(h, u->weight);
	}
	return h;
}

nq_status nq_plan_create(nq_plan **out, const nq_plan_options *options)
{
	nq_plan_options known, *const o = &known;
	nq_plan *p;
	nq_status st;

	if (out)
		*out = NULL;
	if (!out || !options)
		return nq_i_fail(
			NQ_ERR_ARG, "nq_plan_create needs options and a place for the plan");
	nq_plan_options_init(o);
	st = nq_i_read_sized("nq_plan_options", o, sizeof(*o),
		LSCHED_I_SIZE_TO(nq_plan_options, given_count), options);
	if (st == NQ_OK)
		st = check(o);
	if (st != NQ_OK)
		return st;
	p = (nq_plan *)calloc(1, sizeof(*p));
	if (!p)
		return nq_i_fail(NQ_ERR_NOMEM, "out of memory for a plan");
	p->n = o->n;
	p->toroidal = o->toroidal != 0;
	p->method = o->method == NQ_METHOD_AUTO ? nq_i_choose_method(o) : o->method;
	st = p->method == NQ_METHOD_JOIN ? nq_i_plan_join(p) : plan_trees(p, o);
	if (st != NQ_OK) {
		nq_plan_destroy(&p);
		return nq_i_fail(st, "a plan of %u queens: %s", o->n, nq_strstatus(st));
	}
	p->hash = hash_of(p);
	*out = p;
	return NQ_OK;
}

void nq_plan_destroy(nq_plan **plan)
{
	if (!plan || !*plan)
		return;
	nq_i_join_destroy((*plan)->join);
	free((*plan)->tasks);
	free((*plan)->units);
	free((*plan)->work);
	free(*plan);
	*plan = NULL;
}

uint32_t nq_plan_n(const nq_plan *plan)
{
	return plan->n;
}

nq_method nq_plan_method(const nq_plan *plan)
{
	return plan->method;
}

uint64_t nq_plan_hash(const nq_plan *plan)
{
	return plan->hash;
}

size_t nq_plan_units(const nq_plan *plan, const nq_unit **units)
{
	if (units)
		*units = plan->units;
	return plan->unit_count;
}

size_t nq_plan_tasks(const nq_plan *plan, const nq_task **tasks)
{
	if (tasks)
		*tasks = plan->tasks;
	return plan->task_count;
}
