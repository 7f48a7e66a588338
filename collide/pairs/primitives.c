#include "collide/pairs/primitives.h"
#include "collide/pairs/swept.h"

#include <stdlib.h>
#include <string.h>

const int collide_i_prims_of[COL_KINDS][2] = { { COL_PRIM_FACE, COL_PRIM_FACE },
	{ COL_PRIM_VERTEX, COL_PRIM_FACE }, { COL_PRIM_EDGE, COL_PRIM_EDGE } };

static int by_vertices(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	if (a[1] != b[1])
		return a[1] < b[1] ? -1 : 1;
	return a[0] < b[0] ? -1 : a[0] > b[0];
}

/* Copies the edges of all faces with their vertices in order. A face with two equal corners has
 * edges of one vertex, which are left out. Returns their number. */
static uint32_t list_edges(
	uint32_t *edge, uint32_t faces, const uint32_t *index, const col_poll *poll, int *ended)
{
	uint32_t n = 0;

	for (uint32_t f = 0; f < faces && !*ended; f++) {
		*ended = f % COL_POLL_EVERY == 0 && col_poll_ended(poll);
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t a = index[(size_t)f * 3 + k];
			const uint32_t b = index[(size_t)f * 3 + (k + 1) % 3];

			if (a == b)
				continue;
			edge[(size_t)n * 2] = a < b ? a : b;
			edge[(size_t)n * 2 + 1] = a < b ? b : a;
			n++;
		}
	}
	return n;
}

/* Merges two sorted lists of n and m edges. */
static void merge_edges(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t *to,
	const col_poll *poll, int *ended)
{
	size_t i = 0, j = 0;

	while (i + j < n + m && !*ended) {
		const int first = j == m || (i < n && by_vertices(a + 2 * i, b + 2 * j) <= 0);

		*ended = (i + j) % COL_POLL_EVERY == 0 && col_poll_ended(poll);
		memcpy(to + 2 * (i + j), first ? a + 2 * i : b + 2 * j, 2 * sizeof(*to));
		i += (size_t)first;
		j += (size_t)!first;
	}
}

/* Sorts the edges, with a second list of the same size: qsort() for a while each, because it cannot
 * be ended, then merges. Returns the list that has them. */
static uint32_t *sort_edges(
	uint32_t *edge, uint32_t *other, size_t n, const col_poll *poll, int *ended)
{
	for (size_t at = 0; at < n && !*ended; at += COL_POLL_EVERY) {
		qsort(edge + 2 * at, n - at < COL_POLL_EVERY ? n - at : COL_POLL_EVERY,
			2 * sizeof(*edge), by_vertices);
		*ended = col_poll_ended(poll);
	}
	for (size_t run = COL_POLL_EVERY; run < n && !*ended; run *= 2) {
		uint32_t *const from = edge;

		for (size_t at = 0; at < n; at += 2 * run) {
			const size_t middle = n - at < run ? n : at + run;
			const size_t end = n - at < 2 * run ? n : at + 2 * run;

			merge_edges(from + 2 * at, middle - at, from + 2 * middle, end - middle,
				other + 2 * at, poll, ended);
		}
		edge = other;
		other = from;
	}
	return edge;
}

/* The edges of all faces, each once, as (smaller, larger) vertex. */
static int make_edges(col_prims *p, uint32_t faces, const uint32_t *index, const col_poll *poll)
{
	uint32_t *list[2], n, kept = 0, *sorted;
	int ended = 0;

	p->corners = 2;
	for (int k = 0; k < 2; k++)
		list[k] = malloc(((size_t)faces * 6 + 1) * sizeof(*list[k]));
	p->vertex = list[0];
	if (!list[0] || !list[1]) {
		free(list[1]);
		return -1;
	}
	n = list_edges(list[0], faces, index, poll, &ended);
	sorted = sort_edges(list[0], list[1], n, poll, &ended);
	p->vertex = sorted;
	free(sorted == list[0] ? list[1] : list[0]);
	for (uint32_t i = 0; i < n && !ended; i++) {
		ended = i % COL_POLL_EVERY == 0 && col_poll_ended(poll);
		if (i == 0 || by_vertices(sorted + (size_t)i * 2, sorted + (size_t)(kept - 1) * 2))
			memmove(sorted + (size_t)kept++ * 2, sorted + (size_t)i * 2,
				2 * sizeof(*sorted));
	}
	p->count = kept;
	return ended ? -1 : 0;
}

int collide_i_prims_make(col_prims p[COL_PRIMS], uint32_t vertices, uint32_t faces,
	const uint32_t *index, const col_poll *poll)
{
	col_prims *v = &p[COL_PRIM_VERTEX], *f = &p[COL_PRIM_FACE];

	memset(p, 0, COL_PRIMS * sizeof(*p));
	*v = (col_prims){ vertices, 1, malloc(((size_t)vertices + 1) * sizeof(*v->vertex)) };
	*f = (col_prims){ faces, 3, malloc(((size_t)faces * 3 + 1) * sizeof(*f->vertex)) };
	if (!v->vertex || !f->vertex)
		return -1;
	for (uint32_t i = 0; i < vertices; i++) {
		if (i % COL_POLL_EVERY == 0 && col_poll_ended(poll))
			return -1;
		v->vertex[i] = i;
	}
	for (size_t at = 0; at < faces; at += COL_POLL_EVERY) {
		const size_t n = faces - at < COL_POLL_EVERY ? faces - at : COL_POLL_EVERY;

		if (col_poll_ended(poll))
			return -1;
		memcpy(f->vertex + 3 * at, index + 3 * at, 3 * n * sizeof(*index));
	}
	return make_edges(&p[COL_PRIM_EDGE], faces, index, poll);
}

void collide_i_prims_free(col_prims p[COL_PRIMS])
{
	for (int k = 0; k < COL_PRIMS; k++)
		free(p[k].vertex);
	memset(p, 0, COL_PRIMS * sizeof(*p));
}

void collide_i_prims_box(
	const col_prims *p, uint32_t i, const double *start, const double *end, col_box *out)
{
	col_swept_box(p->vertex + (size_t)i * p->corners, p->corners, start, end, out);
}
