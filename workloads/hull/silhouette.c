/* Silhouettes: the pixels of a camera that a triangle touches, and their edges in bins. */
#include "workloads/common/memory.h"
#include "workloads/hull/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pixel is touched at so many pixels away, too, so that rounding loses none. */
static const double margin = 1e-6;

/* A triangle in a camera's picture, from its corner, with the ranges along the normals of its
 * sides. */
typedef struct shape {
	double corner[3][2], normal[3][2], low[3], high[3];
} shape;

static void make_shape(shape *s)
{
	for (int k = 0; k < 3; k++) {
		const double *a = s->corner[k], *b = s->corner[(k + 1) % 3];

		s->normal[k][0] = b[1] - a[1];
		s->normal[k][1] = a[0] - b[0];
		s->low[k] = INFINITY;
		s->high[k] = -INFINITY;
		for (int i = 0; i < 3; i++) {
			const double at = s->normal[k][0] * s->corner[i][0] +
					  s->normal[k][1] * s->corner[i][1];

			s->low[k] = fmin(s->low[k], at);
			s->high[k] = fmax(s->high[k], at);
		}
	}
}

/* Whether no side separates the pixel from the triangle, which its box touches. */
static int touches(const shape *s, int u, int v)
{
	for (int k = 0; k < 3; k++) {
		const double x = s->normal[k][0], y = s->normal[k][1];
		const double middle = x * (u + 0.5) + y * (v + 0.5);
		const double reach = (0.5 + margin) * (fabs(x) + fabs(y));

		if (middle + reach < s->low[k] || middle - reach > s->high[k])
			return 0;
	}
	return 1;
}

static void draw_triangle(hull_host *h, size_t frame, uint32_t camera, const shape *s)
{
	int from[2], to[2];

	for (int i = 0; i < 2; i++) {
		const double *a = s->corner[0], *b = s->corner[1], *c = s->corner[2];

		from[i] = (int)floor(fmin(a[i], fmin(b[i], c[i])) - margin);
		to[i] = (int)floor(fmax(a[i], fmax(b[i], c[i])) + margin);
	}
	for (int v = from[1]; v <= to[1]; v++)
		for (int u = from[0]; u <= to[0]; u++)
			if (!hull_is_set(h, frame, camera, u, v) && touches(s, u, v)) {
				const size_t bit = hull_bit(h, frame, camera, u, v);

				h->silhouette[bit / 8] |= (uint8_t)(1u << bit % 8);
			}
}

void hull_draw(hull_host *h, size_t frame, uint32_t camera)
{
	for (size_t t = 0; t < h->mesh.triangles; t++) {
		shape s;

		for (size_t i = 0; i < 3; i++) {
			double at[3];

			hull_place(&h->frame[frame].pose,
				h->mesh.xyz + 3 * (size_t)h->mesh.index[3 * t + i], at);
			hull_project(&h->camera[camera], at, s.corner[i]);
			s.corner[i][0] += h->o.side / 2.0;
			s.corner[i][1] += h->o.side / 2.0;
		}
		make_shape(&s);
		draw_triangle(h, frame, camera, &s);
	}
}

/* Makes room for `more` elements at the end of an array. Returns 0, or -1 with msg. */
static int reserve(void *array, uint64_t used, uint64_t *room, size_t bytes, uint64_t more,
	char *msg, size_t n)
{
	void *old, *larger;
	const uint64_t least = used + more > 2 * *room ? used + more : 2 * *room;

	if (used + more <= *room)
		return 0;
	memcpy(&old, array, sizeof(old));
	larger = least <= UINT32_MAX ? realloc(old, least * bytes) : NULL;
	if (!larger)
		return wl_no_memory((size_t)least * bytes, msg, n);
	memcpy(array, &larger, sizeof(larger));
	*room = least;
	return 0;
}

/* ---- edges ---- */

typedef struct outline {
	hull_edge *edge;
	double (*range)[2]; /* [edge]: bins */
	uint64_t edges, room, range_room;
} outline;

/* Edges between columns or rows of pixels, in the camera's coordinates, from the middle. */
static int find_edges(
	const hull_host *h, size_t frame, uint32_t camera, outline *o, char *msg, size_t n)
{
	const int side = (int)h->o.side;
	const float middle = (float)side / 2;

	for (int rows = 0; rows < 2; rows++)
		for (int i = 0; i <= side; i++)
			for (int j = 0, begin = 0, last = 0; j <= side; j++) {
				const int a = rows ? hull_is_set(h, frame, camera, j, i - 1)
						   : hull_is_set(h, frame, camera, i - 1, j);
				const int b = rows ? hull_is_set(h, frame, camera, j, i)
						   : hull_is_set(h, frame, camera, i, j);
				const float at = (float)i - middle;
				const float from = (float)begin - middle, to = (float)j - middle;

				if (last && a == b) {
					const hull_edge e = { { rows ? from : at, rows ? to : at },
						{ rows ? at : from, rows ? at : to } };

					if (reserve(&o->edge, o->edges, &o->room, sizeof(e), 1, msg,
						    n))
						return -1;
					o->edge[o->edges++] = e;
				}
				begin = last && a != b ? begin : j;
				last = a != b;
			}
	return 0;
}

/* A line through the epipole and a corner, by two vectors across the epipole's. */
static void angle_of(const double from[3], double across[2][3], double u, double v, double ab[2])
{
	const double line[3] = { from[1] - from[2] * v, from[2] * u - from[0],
		from[0] * v - from[1] * u };

	for (int i = 0; i < 2; i++)
		ab[i] = across[i][0] * line[0] + across[i][1] * line[1] + across[i][2] * line[2];
}

/* Two vectors across the epipole's such that the directions of all edges' lines are spread about
 * evenly: their second moments become those of a circle. */
static void set_across(const double from[3], const outline *o, double across[2][3])
{
	const int least = fabs(from[0]) < fabs(from[1]) ? 0 : 1;
	double m[3] = { 0, 0, 0 }, length[2] = { 0, 0 }, b, c;

	for (int i = 0; i < 3; i++)
		across[0][i] = 0;
	across[0][(least + 1) % 3] = -from[(least + 2) % 3];
	across[0][(least + 2) % 3] = from[(least + 1) % 3];
	for (int i = 0; i < 3; i++)
		across[1][i] = from[(i + 1) % 3] * across[0][(i + 2) % 3] -
			       from[(i + 2) % 3] * across[0][(i + 1) % 3];
	for (int i = 0; i < 3; i++) {
		length[0] += across[0][i] * across[0][i];
		length[1] += across[1][i] * across[1][i];
	}
	for (int i = 0; i < 3; i++) {
		across[0][i] /= sqrt(length[0]);
		across[1][i] /= sqrt(length[1]);
	}
	for (uint64_t k = 0; k < o->edges; k++) {
		double ab[2];

		angle_of(from, across, o->edge[k].u[0], o->edge[k].v[0], ab);
		m[0] += ab[0] * ab[0] / (double)o->edges;
		m[1] += ab[0] * ab[1] / (double)o->edges;
		m[2] += ab[1] * ab[1] / (double)o->edges;
	}
	b = m[0] > 0 ? m[1] / m[0] : 0;
	c = m[2] - b * m[1];
	if (!(m[0] > 0 && c > 1e-12 * m[2]))
		return;
	for (int i = 0; i < 3; i++) {
		across[1][i] = (across[1][i] - b * across[0][i]) / sqrt(c);
		across[0][i] /= sqrt(m[0]);
	}
}

/* The place of a direction among the bins, as in hull_bin(). */
static double bin_at(const double ab[2], double half)
{
	if (fabs(ab[1]) > fabs(ab[0]))
		return half + half / 2 * (1 - ab[0] / ab[1]);
	return ab[0] != 0 ? half / 2 * (1 + ab[1] / ab[0]) : 0;
}

/* The bins of the lines that cross an edge: the segment between the directions of its corners. */
static void set_range(
	const double from[3], double across[2][3], const hull_edge *e, double half, double range[2])
{
	const double wide = 0.05;
	double ab[2][2], turn, at[2];

	for (int i = 0; i < 2; i++) {
		angle_of(from, across, e->u[i], e->v[i], ab[i]);
		at[i] = bin_at(ab[i], half);
	}
	turn = ab[0][0] * ab[1][1] - ab[0][1] * ab[1][0];
	range[0] = turn > 0 ? at[0] : at[1];
	range[1] = turn > 0 ? at[1] : at[0];
	range[1] += range[1] < range[0] ? 2 * half : 0;
	/* an edge beside the epipole */
	if (fabs(turn) <= 1e-9 * (fabs(ab[0][0]) + fabs(ab[0][1])) *
				  (fabs(ab[1][0]) + fabs(ab[1][1])) &&
		ab[0][0] * ab[1][0] + ab[0][1] * ab[1][1] <= 0) {
		range[0] = 0;
		range[1] = 2 * half;
	}
	range[0] = floor(range[0] - wide);
	range[1] = fmin(floor(range[1] + wide), range[0] + 2 * half - 1);
}

/* Adds the lists of edges of the bins, which are counted first. */
static int fill_bins(hull_host *h, const outline *o, uint32_t bins, char *msg, size_t n)
{
	uint64_t all = 0, at = h->edges;
	uint32_t *bin;

	for (uint64_t k = 0; k < o->edges; k++)
		all += (uint64_t)(o->range[k][1] - o->range[k][0]) + 1;
	if (reserve(&h->bin, h->bins, &h->bin_room, sizeof(*h->bin), bins + 1, msg, n) ||
		reserve(&h->edge, h->edges, &h->edge_room, sizeof(*h->edge), all, msg, n))
		return -1;
	bin = h->bin + h->bins;
	memset(bin, 0, (bins + 1) * sizeof(*bin));
	for (int fill = 0; fill < 2; fill++) {
		for (uint64_t k = 0; k < o->edges; k++)
			for (double b = o->range[k][0]; b <= o->range[k][1]; b++) {
				const uint32_t i = (uint32_t)(b + 2.0 * bins) % bins;

				if (fill)
					h->edge[bin[i]++] = o->edge[k];
				else
					bin[i]++;
			}
		/* numbers become begins of lists, which the filling moves to their ends */
		for (uint32_t i = 0; i <= bins && !fill; i++) {
			const uint32_t count = bin[i];

			bin[i] = (uint32_t)at;
			at += count;
		}
	}
	memmove(bin + 1, bin, bins * sizeof(*bin));
	bin[0] = (uint32_t)h->edges;
	h->bins += bins + 1;
	h->edges += all;
	return 0;
}

int hull_make_bins(hull_host *h, size_t frame, uint32_t camera, char *msg, size_t n)
{
	hull_camera *k = &h->frame[frame].camera[camera];
	const uint32_t half = h->ctx.half;
	const double from[3] = { k->from[0], k->from[1], k->from[2] };
	double across[2][3];
	outline o = { 0 };
	int bad = find_edges(h, frame, camera, &o, msg, n);

	if (!bad)
		bad = reserve(&o.range, 0, &o.range_room, sizeof(*o.range), o.edges + 1, msg, n);
	if (!bad) {
		set_across(from, &o, across);
		for (uint64_t i = 0; i < o.edges; i++)
			set_range(from, across, &o.edge[i], half, o.range[i]);
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 3; j++)
				k->angle[i][j] = (float)(across[i][0] * k->line[0][j] +
							 across[i][1] * k->line[1][j] +
							 across[i][2] * k->line[2][j]);
		bad = fill_bins(h, &o, 2 * half, msg, n);
	}
	free(o.edge);
	free(o.range);
	return bad;
}
