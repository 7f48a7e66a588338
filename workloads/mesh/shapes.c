/* Meshes from formulas. */
#include "workloads/mesh/mesh.h"
#include "workloads/common/random.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* The side of a grid of about n triangles. */
static uint64_t side_of(uint64_t n)
{
	const uint64_t side = (uint64_t)sqrt((double)(n < 2 ? 2 : n) / 2.0);

	return side ? side : 1;
}

/* The triangles of a grid of (columns + 1) x (rows + 1) vertices; `wrap`: the last column is the
 * first, and the last row, too. */
static void grid_index(wl_mesh *m, uint64_t columns, uint64_t rows, int wrap)
{
	const uint64_t pitch = wrap ? columns : columns + 1;
	uint32_t *out = m->index;

	for (uint64_t y = 0; y < rows; y++)
		for (uint64_t x = 0; x < columns; x++) {
			const uint64_t x1 = wrap ? (x + 1) % columns : x + 1;
			const uint64_t y1 = wrap ? (y + 1) % rows : y + 1;
			const uint32_t a = (uint32_t)(y * pitch + x),
				       b = (uint32_t)(y * pitch + x1);
			const uint32_t c = (uint32_t)(y1 * pitch + x),
				       d = (uint32_t)(y1 * pitch + x1);

			*out++ = a, *out++ = b, *out++ = d;
			*out++ = a, *out++ = d, *out++ = c;
		}
}

static int make_grid(wl_mesh *m, uint64_t columns, uint64_t rows, int wrap, char *msg, size_t n)
{
	const uint64_t vertices = wrap ? columns * rows : (columns + 1) * (rows + 1);

	if (wl_mesh_make(m, vertices, 2 * columns * rows, msg, n))
		return -1;
	grid_index(m, columns, rows, wrap);
	return 0;
}

int wl_mesh_cloth(wl_mesh *m, uint64_t n, double height, char *msg, size_t msg_bytes)
{
	const uint64_t side = side_of(n);

	if (make_grid(m, side, side, 0, msg, msg_bytes))
		return -1;
	for (uint64_t i = 0; i < m->vertices; i++) {
		const double x = (double)(i % (side + 1)) / (double)side * 2 - 1;
		const double y = (double)(i / (side + 1)) / (double)side * 2 - 1;
		const double r = x * x + y * y;
		const double ball = r < 0.5 ? sqrt(0.5 - r) : -r + 0.5;
		double *p = m->xyz + 3 * i;

		p[0] = x;
		p[1] = y;
		/* folds that touch where the cloth is low */
		p[2] = height + (ball - height) * 0.5 + 0.02 * sin(40 * x) * cos(31 * y);
		p[0] += 0.03 * sin(60 * p[2]);
	}
	return 0;
}

int wl_mesh_sphere(wl_mesh *m, uint64_t n, uint32_t seed, char *msg, size_t msg_bytes)
{
	const uint64_t side = side_of(n);
	const double phase = (double)(wl_hash(seed) & 1023) / 163.0;

	if (make_grid(m, side, side, 0, msg, msg_bytes))
		return -1;
	for (uint64_t i = 0; i < m->vertices; i++) {
		const double a = 2 * pi * (double)(i % (side + 1)) / (double)side;
		const double b = pi * (double)(i / (side + 1)) / (double)side;
		const double r = 1 + 0.05 * sin(9 * a + phase) * sin(7 * b);
		double *p = m->xyz + 3 * i;

		p[0] = r * sin(b) * cos(a);
		p[1] = r * sin(b) * sin(a);
		p[2] = r * cos(b);
	}
	return 0;
}

int wl_mesh_tori(wl_mesh *m, uint64_t n, double shift, char *msg, size_t msg_bytes)
{
	const uint64_t side = side_of(n / 2) < 3 ? 3 : side_of(n / 2), each = side * side;

	if (wl_mesh_make(m, 2 * each, 4 * each, msg, msg_bytes))
		return -1;
	for (uint64_t i = 0; i < 2 * each; i++) {
		const double a = 2 * pi * (double)(i % side) / (double)side;
		const double b = 2 * pi * (double)(i % each / side) / (double)side;
		const double r = 1 + 0.3 * cos(b), h = 0.3 * sin(b);
		double *p = m->xyz + 3 * i;

		p[0] = r * cos(a) + (i < each ? 0 : 1 + shift);
		p[1] = i < each ? r * sin(a) : h;
		p[2] = i < each ? h : r * sin(a);
	}
	grid_index(m, side, side, 1);
	for (uint64_t i = 0; i < 6 * each; i++)
		m->index[6 * each + i] = m->index[i] + (uint32_t)each;
	return 0;
}

int wl_mesh_random(wl_mesh *m, uint64_t n, uint32_t seed, double t, char *msg, size_t msg_bytes)
{
	const double size = 1.5 / cbrt((double)(n ? n : 1));

	if (wl_mesh_make(m, 3 * n, n, msg, msg_bytes))
		return -1;
	for (uint64_t i = 0; i < 3 * n; i++) {
		for (uint64_t k = 0; k < 3; k++) {
			const uint64_t name = (uint64_t)seed << 40;
			const double at = wl_unit(wl_hash64(name + i / 3 * 3 + k));
			const double corner = wl_unit(wl_hash64(~(name + 3 * i + k)));
			const double way =
				wl_unit(wl_hash64(name + (UINT64_C(1) << 39) + 3 * i + k));

			m->xyz[3 * i + k] = at + size * (corner - 0.5) + t * size * (way - 0.5);
		}
		m->index[i] = (uint32_t)i;
	}
	return 0;
}
