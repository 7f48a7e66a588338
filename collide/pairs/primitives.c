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

/* The edges of all faces, each once, as (smaller, larger) vertex. A face with two equal corners has
 * edges of one vertex, which are left out. */
static int make_edges(col_prims *p, uint32_t faces, const uint32_t *index)
{
	uint32_t n = 0, kept = 0;

	p->corners = 2;
	p->vertex = malloc(((size_t)faces * 6 + 1) * sizeof(*p->vertex));
	if (!p->vertex)
		return -1;
	for (uint32_t f = 0; f < faces; f++)
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t a = index[(size_t)f * 3 + k];
			const uint32_t b = index[(size_t)f * 3 + (k + 1) % 3];

			if (a == b)
				continue;
			p->vertex[(size_t)n * 2] = a < b ? a : b;
			p->vertex[(size_t)n * 2 + 1] = a < b ? b : a;
			n++;
		}
	qsort(p->vertex, n, 2 * sizeof(*p->vertex), by_vertices);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 ||
			by_vertices(p->vertex + (size_t)i * 2, p->vertex + (size_t)(kept - 1) * 2))
			memmove(p->vertex + (size_t)kept++ * 2, p->vertex + (size_t)i * 2,
				2 * sizeof(*p->vertex));
	p->count = kept;
	return 0;
}

int collide_i_prims_make(
	col_prims p[COL_PRIMS], uint32_t vertices, uint32_t faces, const uint32_t *index)
{
	col_prims *v = &p[COL_PRIM_VERTEX], *f = &p[COL_PRIM_FACE];

	memset(p, 0, COL_PRIMS * sizeof(*p));
	*v = (col_prims){ vertices, 1, malloc(((size_t)vertices + 1) * sizeof(*v->vertex)) };
	*f = (col_prims){ faces, 3, malloc(((size_t)faces * 3 + 1) * sizeof(*f->vertex)) };
	if (!v->vertex || !f->vertex)
		return -1;
	for (uint32_t i = 0; i < vertices; i++)
		v->vertex[i] = i;
	if (faces)
		memcpy(f->vertex, index, (size_t)faces * 3 * sizeof(*index));
	return make_edges(&p[COL_PRIM_EDGE], faces, index);
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
