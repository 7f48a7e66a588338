/* Polygons of a mesh as triangles: fans where they cover the polygon, else by the renderer's
 * triangulation. */
#include "reyes/polygon/triangulate.h"
#include "workloads/common/workload.h"
#include "workloads/mesh/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Squares of larger distances may be infinite. */
static const double most_extent = 1e150;

typedef struct polygons {
	const double *xyz;
	const uint32_t *corner; /* of the polygon */
	uint32_t n;
	double (*point)[2]; /* its projection */
	size_t room;
	reyes_i_triangulator triangulator;
} polygons;

/* Projects the polygon along the largest axis of its normal (Newell), relative to its first corner
 * and counterclockwise. Returns 0: it has no plane. */
static int project(polygons *p)
{
	const double *o = p->xyz + 3 * (size_t)p->corner[0];
	double normal[3] = { 0, 0, 0 }, most = 0;
	int axis = 0, x, y;

	for (uint32_t i = 1; i + 1 < p->n; i++) {
		const double *a = p->xyz + 3 * (size_t)p->corner[i];
		const double *b = p->xyz + 3 * (size_t)p->corner[i + 1];

		for (int k = 0; k < 3; k++) {
			const int s = (k + 1) % 3, t = (k + 2) % 3;

			most = fmax(most, fmax(fabs(a[k] - o[k]), fabs(b[k] - o[k])));
			normal[k] += (a[s] - o[s]) * (b[t] - o[t]) - (a[t] - o[t]) * (b[s] - o[s]);
		}
	}
	for (int k = 1; k < 3; k++)
		axis = fabs(normal[k]) > fabs(normal[axis]) ? k : axis;
	if (!(most < most_extent) || normal[axis] == 0)
		return 0;
	x = (axis + (normal[axis] > 0 ? 1 : 2)) % 3;
	y = 3 - axis - x;
	for (uint32_t i = 0; i < p->n; i++) {
		const double *a = p->xyz + 3 * (size_t)p->corner[i];

		p->point[i][0] = a[x] - o[x];
		p->point[i][1] = a[y] - o[y];
	}
	return 1;
}

/* Whether all triangles of the first corner have the direction of the polygon; the first corner is
 * the origin. */
static int is_fan(const polygons *p)
{
	for (uint32_t i = 1; i + 1 < p->n; i++)
		if (!(p->point[i][0] * p->point[i + 1][1] - p->point[i][1] * p->point[i + 1][0] >
			    0))
			return 0;
	return 1;
}

/* Writes the triangles of a polygon of at least 4 corners. Returns their number, at most n - 2; 0:
 * no memory. */
static uint32_t triangulate(polygons *p, uint32_t *out)
{
	reyes_i_triangulator *t = &p->triangulator;
	const int32_t n = (int32_t)p->n;

	if (p->n > p->room) {
		void *larger = realloc(p->point, 2 * (size_t)p->n * sizeof(*p->point));

		if (!larger)
			return 0;
		p->point = larger;
		p->room = 2 * (size_t)p->n;
	}
	t->triangle_count = 0;
	if (project(p) && !is_fan(p) &&
		!reyes_i_triangulate(t, &n, 1, (const double(*)[2])p->point))
		return 0;
	for (size_t i = 0; i < 3 * t->triangle_count; i++)
		out[i] = p->corner[t->triangles[i / 3][i % 3]];
	if (t->triangle_count)
		return (uint32_t)t->triangle_count;
	for (uint32_t i = 0; i + 2 < p->n; i++) {
		out[3 * i] = p->corner[0];
		out[3 * i + 1] = p->corner[i + 1];
		out[3 * i + 2] = p->corner[i + 2];
	}
	return p->n - 2;
}

/* Faces may precede their vertices, so the error has no line. */
static int check_corners(mesh_input *in, const mesh_lists *l)
{
	uint64_t face = 0, end = 0;

	for (uint64_t i = 0; i < l->corners; i++) {
		if (i == end)
			end += l->face[face++];
		if (l->corner[i] < l->values / 3)
			continue;
		return wl_fail(in->msg, in->msg_bytes,
			"%s: a corner of face %" PRIu64 " is vertex %" PRIu32
			", but there are %" PRIu64 " vertices (both numbered from 0)",
			in->name, face - 1, l->corner[i], l->values / 3);
	}
	return 0;
}

int mesh_make_triangles(mesh_input *in, mesh_lists *l, wl_mesh *m)
{
	const uint64_t most = l->corners - 2 * l->faces;
	polygons p = { .xyz = l->xyz, .corner = l->corner };
	uint32_t *index = l->corner;
	uint64_t n = l->faces;

	if (l->values / 3 >= UINT32_MAX || most >= UINT32_MAX)
		return mesh_fail(in, "more than 4,294,967,294 vertices or triangles");
	if (check_corners(in, l))
		return -1;
	if (most != l->faces || !index) { /* not all are triangles */
		index = malloc(most * 3 * sizeof(*index) + 1);
		n = 0;
	}
	for (uint64_t i = 0; index && n < most && i < l->faces; i++, p.corner += p.n) {
		uint32_t made = 1;

		p.n = l->face[i];
		if (p.n == 3)
			memcpy(index + 3 * n, p.corner, 3 * sizeof(*index));
		else
			made = triangulate(&p, index + 3 * n);
		n += made;
		if (!made) {
			free(index);
			index = NULL;
		}
	}
	free(p.point);
	reyes_i_triangulator_free(&p.triangulator);
	if (!index)
		return mesh_fail(in, "out of memory for %" PRIu64 " triangles", most);
	*m = (wl_mesh){ (uint32_t)(l->values / 3), (uint32_t)n, l->xyz, index };
	l->xyz = NULL;
	if (index == l->corner)
		l->corner = NULL;
	return 0;
}
