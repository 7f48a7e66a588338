#include "tests/collide/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/common/effort.h"
#include "tests/common/rng.h"

collide_backend setup_backend = COLLIDE_BACKEND_CPU;
void *setup_stream;
uint32_t setup_workers = 3;
int setup_is_slow = TEST_SANITIZED;

static void must(collide_status st)
{
	if (st == COLLIDE_OK)
		return;
	fprintf(stderr, "%s\n", collide_last_error());
	abort();
}

static void *room(size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);

	if (!memory)
		abort();
	return memory;
}

collide_ctx *setup_open(void)
{
	return setup_open_limited(0);
}

collide_ctx *setup_open_limited(uint32_t limit_ms)
{
	collide_options o;
	collide_ctx *c;

	collide_options_init(&o);
	o.backend = setup_backend;
	o.cuda_stream = setup_stream;
	o.time_limit_ms = limit_ms;
	o.workers = setup_backend == COLLIDE_BACKEND_CPU ? setup_workers : 0;
	must(collide_open(&c, &o));
	return c;
}

void setup_random(setup_mesh *m, uint32_t vertices, uint32_t triangles, uint32_t size)
{
	m->vertices = vertices;
	m->triangles = triangles;
	m->index = room((size_t)triangles * 3 * sizeof(*m->index));
	m->start = room((size_t)vertices * 3 * sizeof(*m->start));
	m->end = room((size_t)vertices * 3 * sizeof(*m->end));
	for (uint32_t i = 0; i < vertices; i++) {
		/* neighbouring numbers are near each other, so that triangles are small */
		const uint32_t at = (uint32_t)((uint64_t)i * (size * 16) / vertices);

		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t base = k == 0 ? at : at * (k == 1 ? 7 : 13) % (size * 16);

			m->start[i * 3 + k] = (float)(base + rng_below(32)) / 16;
			m->end[i * 3 + k] = m->start[i * 3 + k] + (float)rng_around(8) / 16;
		}
	}
	for (uint32_t i = 0; i < triangles; i++) {
		const uint32_t first = rng_below(vertices);

		for (uint32_t k = 0; k < 3; k++)
			m->index[i * 3 + k] = (first + rng_below(6)) % vertices;
	}
}

void setup_move(setup_mesh *m)
{
	for (size_t i = 0; i < (size_t)m->vertices * 3; i++) {
		m->start[i] = m->end[i];
		m->end[i] += (float)rng_around(24) / 16;
	}
}

void setup_free(setup_mesh *m)
{
	free(m->index);
	free(m->start);
	free(m->end);
	memset(m, 0, sizeof(*m));
}

collide_status setup_update(collide_mesh *mesh, const setup_mesh *m, collide_change change)
{
	collide_positions p;

	collide_positions_init(&p);
	p.start = m->start;
	p.end = m->end;
	p.change = change;
	return collide_mesh_update(mesh, &p);
}

collide_mesh *setup_mesh_of(collide_ctx *c, const setup_mesh *m)
{
	collide_mesh_options o;
	collide_mesh *mesh;

	collide_mesh_options_init(&o);
	o.vertices = m->vertices;
	o.triangles = m->triangles;
	o.index = m->index;
	must(collide_mesh_create(&mesh, c, &o));
	must(setup_update(mesh, m, COLLIDE_AUTO));
	return mesh;
}

uint32_t setup_corners(const setup_mesh *m, const collide_mesh *mesh, collide_primitive p,
	uint32_t i, uint32_t out[3])
{
	switch (p) {
	case COLLIDE_VERTEX:
		out[0] = i;
		return 1;
	case COLLIDE_EDGE:
		memcpy(out, collide_mesh_edges(mesh) + (size_t)i * 2, 2 * sizeof(*out));
		return 2;
	default:
		memcpy(out, m->index + (size_t)i * 3, 3 * sizeof(*out));
		return 3;
	}
}

/* Whether the boxes of two primitives over the step overlap on an axis. */
static int overlap(const setup_mesh *a, const uint32_t *va, uint32_t na, const setup_mesh *b,
	const uint32_t *vb, uint32_t nb, uint32_t axis)
{
	float lo[2] = { 1e30f, 1e30f }, hi[2] = { -1e30f, -1e30f };

	for (uint32_t k = 0; k < na + nb; k++) {
		const int second = k >= na;
		const setup_mesh *m = second ? b : a;
		const size_t at = (size_t)(second ? vb[k - na] : va[k]) * 3 + axis;
		const float s = m->start[at], e = m->end[at];

		lo[second] = s < lo[second] ? s : lo[second];
		lo[second] = e < lo[second] ? e : lo[second];
		hi[second] = s > hi[second] ? s : hi[second];
		hi[second] = e > hi[second] ? e : hi[second];
	}
	return lo[0] <= hi[1] && lo[1] <= hi[0];
}

static int is_pair(const setup_mesh *a, const uint32_t *va, uint32_t na, const setup_mesh *b,
	const uint32_t *vb, uint32_t nb)
{
	for (uint32_t i = 0; a == b && i < na; i++)
		for (uint32_t j = 0; j < nb; j++)
			if (va[i] == vb[j])
				return 0;
	return overlap(a, va, na, b, vb, nb, 0) && overlap(a, va, na, b, vb, nb, 1) &&
	       overlap(a, va, na, b, vb, nb, 2);
}

collide_pair *setup_brute(const setup_mesh *a, const collide_mesh *ma, const setup_mesh *b,
	const collide_mesh *mb, collide_kind kind, uint64_t *count)
{
	static const collide_primitive prim[3][2] = { { COLLIDE_FACE, COLLIDE_FACE },
		{ COLLIDE_VERTEX, COLLIDE_FACE }, { COLLIDE_EDGE, COLLIDE_EDGE } };
	const uint32_t n = collide_mesh_count(ma, prim[kind][0]);
	const uint32_t m = collide_mesh_count(mb, prim[kind][1]);
	const int self = ma == mb && kind != COLLIDE_VERTEX_FACE;
	uint64_t most = 1024;
	collide_pair *pair = room(most * sizeof(*pair));

	*count = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = self ? i + 1 : 0; j < m; j++) {
			uint32_t va[3], vb[3];
			const uint32_t na = setup_corners(a, ma, prim[kind][0], i, va);
			const uint32_t nb = setup_corners(b, mb, prim[kind][1], j, vb);

			if (!is_pair(a, va, na, b, vb, nb))
				continue;
			if (*count == most)
				pair = realloc(pair, (most *= 2) * sizeof(*pair));
			if (!pair)
				abort();
			pair[(*count)++] = (collide_pair){ i, j };
		}
	return pair;
}

static int by_numbers(const void *pa, const void *pb)
{
	const collide_pair *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b < b->b ? -1 : a->b > b->b;
}

void setup_sort(collide_pair *pair, uint64_t count)
{
	qsort(pair, count, sizeof(*pair), by_numbers);
}
