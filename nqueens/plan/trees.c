/* Plans of TASKS and BACKTRACK: root subtrees, splitting, work units. */
#include "nqueens/plan/plan.h"
#include <stdlib.h>
#include "nqueens/core/board.h"
#include "nqueens/plan/cross.h"

enum {
	LEAVE_ROWS = 4,     /* splitting ends when a subtree has so few empty rows */
	PLAIN_TASKS = 2000, /* default of min_tasks without symmetry */
	UNITS = 4096,       /* approximate number of units unless the caller sets unit_tasks */
	UNIT_TASKS_MAX = 64
};

/* A growing array of subtrees. */
typedef struct task_list {
	nq_task *at;
	size_t count, room;
} task_list;

/* Returns NQ_OK or NQ_ERR_NOMEM. */
static nq_status add_task(task_list *l, const nq_task *t)
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
	task_list *list;
	nq_status status;
} collect;

/* Returns a relative estimate of the size of a subtree, to compare it with its reflection: the free
 * squares, weighted by how early their row is filled. n = 16: 79.5 M nodes with this choice, 81.7 M
 * if three rows are expanded instead, at ten times the cost; 77.3 M with a perfect choice. */
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

static int add_smaller(void *opaque, const nq_i_cross_pair *pair)
{
	collect *c = (collect *)opaque;
	const int mirrored = size_of(c->plan, &pair->mirrored) < size_of(c->plan, &pair->task);

	c->status = add_task(c->list, mirrored ? &pair->mirrored : &pair->task);
	return c->status != NQ_OK;
}

/* Adds the root without symmetry; none if the given queens attack each other. */
static nq_status add_root(const nq_plan *p, const nq_plan_options *o, task_list *list)
{
	nq_task root = { 0, 0, 0, nq_i_full(p->n), 0, 1 };

	/* shifting a torus moves the queen of row 0 to each column equally often */
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
	return add_task(list, &root);
}

/* ---- splitting ---- */

static int empty_rows(const task_list *list)
{
	int most = 0;

	for (size_t i = 0; i < list->count; i++) {
		const int rows = __builtin_popcount(list->at[i].rows);

		if (rows > most)
			most = rows;
	}
	return most;
}

/* Splits the subtrees with `rows` empty rows, the largest number in the list: placements on the
 * cross differ in their number of queens. Children replace their parent, so that similar tasks stay
 * neighbours. */
static nq_status split_longest(const nq_plan *p, task_list *list, int rows)
{
	task_list next = { NULL, 0, 0 };
	nq_status st = NQ_OK;

	for (size_t i = 0; i < list->count && st == NQ_OK; i++) {
		const nq_task *t = &list->at[i];
		uint32_t row, cols;

		if (__builtin_popcount(t->rows) != rows) {
			st = add_task(&next, t);
			continue;
		}
		row = nq_i_next_row(t->rows, p->n);
		for (cols = free_cols(p, t, row); cols && st == NQ_OK; cols &= cols - 1) {
			nq_task child = *t;

			place(p, &child, row, cols & (0u - cols));
			st = add_task(&next, &child);
		}
	}
	free(list->at);
	*list = next;
	return st;
}

/* Sorts by rows and weight, which are constant in a unit; the other keys make the order unique. */
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

nq_status nq_i_plan_trees(nq_plan *p, const nq_plan_options *o)
{
	task_list list = { NULL, 0, 0 };
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
		nq_i_cross_walk(p->n, w, add_smaller, &c, NULL);
		st = c.status;
	}
	/* before splitting, while the list is short */
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
