/* Lists of edges, and checks of the graph that is made of them. */
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/csr_shape.h"
#include "tests/libsched/csr_suite.h"
#include "tests/common/rng.h"

int edges_open(edges *l, uint32_t tasks, size_t room)
{
	memset(l, 0, sizeof(*l));
	l->tasks = tasks;
	l->room = room ? room : 1;
	l->e = (lsched_csr_edge *)malloc(l->room * sizeof(*l->e));
	return l->e != NULL;
}

void edge(edges *l, uint32_t from, uint32_t to)
{
	if (l->n == l->room)
		abort();
	l->e[l->n].from = from;
	l->e[l->n++].to = to;
}

/* Edges go forward in a shuffled order of the tasks, mostly over a short distance: deep graphs
 * whose task numbers are in no order. */
int edges_random(edges *l, uint32_t tasks, uint32_t mean_degree, uint32_t window)
{
	const size_t n = (size_t)tasks * mean_degree;
	uint32_t *label = (uint32_t *)malloc((size_t)tasks * 4);

	if (!label || !edges_open(l, tasks, n)) {
		free(label);
		return 0;
	}
	for (uint32_t t = 0; t < tasks; t++)
		label[t] = t;
	for (uint32_t t = tasks; t > 1; t--) {
		const uint32_t k = rng_below(t), old = label[t - 1];

		label[t - 1] = label[k];
		label[k] = old;
	}
	for (size_t i = 0; i < n && tasks > 1; i++) {
		const uint32_t from = rng_below(tasks - 1);
		const uint32_t far = tasks - 1 - from;
		const uint32_t step = 1 + rng_below(window < far && rng_below(16) ? window : far);

		edge(l, label[from], label[from + step]);
	}
	free(label);
	return 1;
}

static uint32_t *fetch(const uint32_t *from, size_t n)
{
	uint32_t *to = (uint32_t *)malloc((n + 1) * 4);

	if (to && lsched_mem_read(csr_place.ctx, to, from, n * 4) != LSCHED_OK) {
		free(to);
		to = NULL;
	}
	return to;
}

int shape_open(shape *s, const lsched_csr_view *v)
{
	const uint32_t *from[8] = { v->succ_first, v->succ, v->pred_first, v->pred, v->order,
		v->wave_first, v->chain_head, v->chain_next };
	const size_t n[8] = { (size_t)v->tasks + 1, v->edges, (size_t)v->tasks + 1, v->edges,
		v->tasks, (size_t)v->waves + 1, v->chains, v->tasks };
	int ok = 1;

	memset(s, 0, sizeof(*s));
	s->v = *v;
	for (int k = 0; k < 8; k++) {
		s->part[k] = fetch(from[k], n[k]);
		ok &= s->part[k] != NULL;
	}
	s->v.succ_first = s->part[0];
	s->v.succ = s->part[1];
	s->v.pred_first = s->part[2];
	s->v.pred = s->part[3];
	s->v.order = s->part[4];
	s->v.wave_first = s->part[5];
	s->v.chain_head = s->part[6];
	s->v.chain_next = s->part[7];
	s->wave = (uint32_t *)malloc((size_t)v->tasks * 4 + 4);
	s->place = (uint32_t *)malloc((size_t)v->tasks * 4 + 4);
	s->chain = (uint32_t *)malloc((size_t)v->tasks * 4 + 4);
	ok = ok && s->wave && s->place && s->chain;
	for (uint32_t t = 0; ok && t < v->tasks; t++)
		s->wave[t] = s->place[t] = s->chain[t] = LSCHED_NONE;
	return ok;
}

void shape_close(shape *s)
{
	for (int k = 0; k < 8; k++)
		free(s->part[k]);
	free(s->wave);
	free(s->place);
	free(s->chain);
}

/* Returns the first fault, or NULL. */
const char *shape_fault(shape *s)
{
	const lsched_csr_view *v = &s->v;
	uint32_t seen = 0;

	if (v->wave_first[0] != 0 || v->wave_first[v->waves] != v->tasks)
		return "wavefronts do not cover the order";
	for (uint32_t k = 0; k < v->waves; k++) {
		if (v->wave_first[k] != v->host_wave_first[k] ||
			v->wave_first[k] >= v->wave_first[k + 1])
			return "a wavefront is empty, or the host sees another";
		for (uint32_t i = v->wave_first[k]; i < v->wave_first[k + 1]; i++) {
			if (v->order[i] >= v->tasks || s->wave[v->order[i]] != LSCHED_NONE)
				return "a task is twice in the order";
			s->wave[v->order[i]] = k;
		}
	}
	if (v->roots != (v->waves ? v->wave_first[1] : 0))
		return "roots are not the first wavefront";
	for (uint32_t k = 0; k < v->chains; k++)
		for (uint32_t t = v->chain_head[k]; t != LSCHED_NONE; t = v->chain_next[t]) {
			if (s->chain[t] != LSCHED_NONE)
				return "a task is in two chains";
			s->chain[t] = k;
			s->place[t] = seen++;
		}
	if (seen != v->tasks)
		return "a task is in no chain";
	/* place: position in the concatenated chains, which also orders the tasks of a chain */
	for (uint32_t t = 0; t < v->tasks; t++) {
		uint32_t level = 0;

		for (uint32_t i = v->pred_first[t]; i < v->pred_first[t + 1]; i++) {
			const uint32_t p = v->pred[i];

			level = s->wave[p] + 1 > level ? s->wave[p] + 1 : level;
			if (s->place[p] >= s->place[t])
				return "a predecessor is in a later chain";
		}
		if (level != s->wave[t])
			return "a wavefront is not the length of the longest path";
	}
	return NULL;
}

static int up(const void *a, const void *b)
{
	const lsched_csr_edge *x = (const lsched_csr_edge *)a, *y = (const lsched_csr_edge *)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Successors and predecessors are the edges, each once. Sorts l. */
const char *edges_fault(const shape *s, edges *l)
{
	const lsched_csr_view *v = &s->v;
	size_t n = 0, k = 0;
	edges got;

	qsort(l->e, l->n, sizeof(*l->e), up);
	for (size_t i = 0; i < l->n; i++)
		if (i == 0 || up(&l->e[i - 1], &l->e[i]) != 0)
			n++;
	if (n != v->edges || v->succ_first[v->tasks] != n || v->pred_first[v->tasks] != n)
		return "another number of edges";
	for (int side = 0; side < 2; side++) {
		const uint32_t *first = side ? v->pred_first : v->succ_first;
		const char *fault = NULL;

		if (!edges_open(&got, v->tasks, n))
			return "memory";
		for (uint32_t t = 0; t < v->tasks; t++)
			for (uint32_t i = first[t]; i < first[t + 1]; i++)
				edge(&got, side ? v->pred[i] : t, side ? t : v->succ[i]);
		qsort(got.e, got.n, sizeof(*got.e), up);
		k = 0;
		for (size_t i = 0; i < l->n; i++)
			if (i == 0 || up(&l->e[i - 1], &l->e[i]) != 0)
				if (up(&l->e[i], &got.e[k++]) != 0)
					fault = side ? "other predecessors" : "other successors";
		free(got.e);
		if (fault)
			return fault;
	}
	return NULL;
}
