/* The hider and the filter of CPU threads beside the text that kernels use: random micropolygons
 * cover the same samples with the same depths, and pixels have the same sums. */
#include <stdlib.h>
#include "reyes/hide/filter_row.h"
#include "reyes/hide/hide_moving_grid.h"
#include "reyes/hide/hide_static_rows.h"
#include "reyes/render/tables.h"
#include "tests/common/check.h"
#include "tests/common/effort.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

enum { SIDE = 80, TILES = SIDE / REYES_I_TILE, FRAGMENTS = 1 << 20, ROUNDS = 150 };

/* Samples that one of the two ways fills. */
typedef struct filled {
	reyes_i_canvas canvas;
	uint32_t counters[REYES_I_COUNTERS];
	reyes_i_fragment_room room;
} filled;

typedef struct place {
	reyes_i_camera camera;
	reyes_i_tables tables;
	reyes_i_placed grid;
	reyes_i_points points;
	reyes_i_hidden hidden;
	reyes_i_moving_grid moving;
	filled rows, single; /* CPU threads; a micropolygon at a time */
	size_t samples, covered;
} place;

static float between(float lo, float hi)
{
	return lo + (hi - lo) * (float)rng_below(1u << 20) / (1 << 20);
}

static int open_filled(place *b, filled *f)
{
	reyes_i_canvas *c = &f->canvas;

	c->pattern = b->tables.pattern;
	c->width = c->height = SIDE;
	c->tiles_x = c->tiles_y = TILES;
	c->cells = malloc(b->samples * sizeof(*c->cells));
	c->heads = malloc(b->samples * sizeof(*c->heads));
	c->fragments = malloc(FRAGMENTS * sizeof(*c->fragments));
	c->fragments_max = FRAGMENTS;
	c->grids = &b->grid;
	c->counters = f->counters;
	return c->cells && c->heads && c->fragments;
}

static void close_filled(filled *f)
{
	free(f->canvas.cells);
	free(f->canvas.heads);
	free(f->canvas.fragments);
}

static place *open_place(uint32_t nx, uint32_t ny, float lens)
{
	place *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->camera.scale[0] = 60;
	b->camera.scale[1] = -60;
	b->camera.samples_x = nx;
	b->camera.samples_y = ny;
	b->camera.jitter = 1;
	b->camera.filter_width[0] = b->camera.filter_width[1] = 2;
	b->camera.lens = lens;
	b->camera.focus = 3;
	b->samples = (size_t)SIDE * SIDE * nx * ny;
	b->grid.solid = REYES_I_NONE;
	if (reyes_i_tables_make(&b->tables, &b->camera, NULL) || !open_filled(b, &b->rows) ||
		!open_filled(b, &b->single)) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return b;
}

static void close_place(place *b)
{
	close_filled(&b->rows);
	close_filled(&b->single);
	free(b->tables.memory);
	free(b);
}

static void clear(place *b, filled *f)
{
	memset(f->canvas.cells, 0xff, b->samples * sizeof(*f->canvas.cells));
	memset(f->canvas.heads, 0xff, b->samples * sizeof(*f->canvas.heads));
	memset(f->counters, 0, sizeof(f->counters));
	f->room.next = f->room.end = 0;
}

/* A bent and twisted grid, partly outside of the canvas, at two shutter keys. */
static void make_grid(place *b)
{
	const float step = between(0.1f, 5), noise = step * between(0, 1.5f);
	const float x = between(-20, SIDE), y = between(-20, SIDE);
	const float shift_x = between(-40, 40), shift_y = between(-10, 10);
	reyes_i_hidden *h = &b->hidden;

	memset(h, 0, sizeof(*h));
	h->nu = 1 + (uint32_t)rng_below(16);
	h->nv = 1 + (uint32_t)rng_below(16);
	h->opaque = (uint32_t)rng_below(2);
	h->keep = rng_below(8) == 0;
	h->side = (int32_t)rng_below(3) - 1;
	h->hither = 1.5f;
	h->yon = 5.5f;
	for (int k = 0; k < 4; k++)
		b->grid.grid.grow[k] = (uint8_t)(rng_below(2) * rng_below(80));
	h->grow = b->grid.grid.grow;
	for (uint32_t key = 0; key < 2; key++)
		for (uint32_t k = 0; k < (h->nu + 1) * (h->nv + 1); k++) {
			const float u = (float)(k % (h->nu + 1)), v = (float)(k / (h->nu + 1));

			b->points.x[key][k] = reyes_i_to_subpixel(
				x + u * step + (float)key * shift_x + between(-noise, noise));
			b->points.y[key][k] = reyes_i_to_subpixel(
				y + v * step + (float)key * shift_y + between(-noise, noise));
			b->points.z[key][k] = between(1, 6);
		}
}

static int before(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(reyes_i_fragment));
}

/* Writes the fragments of a sample in an order of their own; returns their number. */
static size_t list_of(const reyes_i_canvas *c, size_t sample, reyes_i_fragment list[256])
{
	size_t n = 0;

	for (uint32_t k = c->heads[sample]; k != REYES_I_NONE && n < 256; n++) {
		list[n] = c->fragments[k];
		k = list[n].next;
		list[n].next = 0;
	}
	qsort(list, n, sizeof(*list), before);
	return n;
}

/* Compares the samples of both ways. Returns 0 at a difference. */
static int same(place *b)
{
	static reyes_i_fragment p[256], q[256];
	const reyes_i_canvas *r = &b->rows.canvas, *s = &b->single.canvas;

	if (memcmp(r->cells, s->cells, b->samples * sizeof(*r->cells)) != 0)
		return 0;
	for (size_t k = 0; k < b->samples; k++) {
		const size_t n = list_of(r, k, p);

		b->covered += n + (r->cells[k] != REYES_I_EMPTY);
		if (n != list_of(s, k, q) || memcmp(p, q, n * sizeof(*p)) != 0)
			return 0;
	}
	return 1;
}

static void hide_both_static(place *b)
{
	reyes_i_hidden *h = &b->hidden;
	const uint32_t row = h->nu + 1;

	h->room = &b->rows.room;
	for (uint32_t m = 0; m < h->nu * h->nv; m++)
		reyes_i_hide_static(&b->rows.canvas, h, &b->points, m);
	h->room = &b->single.room;
	for (uint32_t m = 0; m < h->nu * h->nv; m++) {
		const uint32_t k = m / h->nu * row + m % h->nu;
		const uint32_t corner[4] = { k, k + 1, k + row, k + row + 1 };
		int32_t x[4], y[4];
		reyes_i_quad q;

		for (int n = 0; n < 4; n++) {
			x[n] = b->points.x[0][corner[n]];
			y[n] = b->points.y[0][corner[n]];
			q.z[n] = b->points.z[0][corner[n]];
		}
		reyes_i_hide_corners(&b->single.canvas, h, m, x, y, &q);
	}
}

static void hide_both_moving(place *b, uint32_t moves, float t0, float t1)
{
	reyes_i_hidden *h = &b->hidden;
	reyes_i_moving mv;

	memset(&mv, 0, sizeof(mv));
	mv.camera = &b->camera;
	reyes_i_moving_interval(&mv, t0, t1, t1 == 1);
	h->room = &b->rows.room;
	reyes_i_hide_moving_grid(&b->rows.canvas, h, &mv, &b->points, moves, &b->moving);
	h->room = &b->single.room;
	for (uint32_t m = 0; m < h->nu * h->nv; m++) {
		reyes_i_sweep w;
		reyes_i_quad q;
		int32_t grow;

		reyes_i_moving_corners(h, &b->points, moves, m, &mv);
		grow = reyes_i_quad_most_growth(h, m, &q);
		reyes_i_sweep_of(&mv, grow, &w);
		for (uint32_t group = 0; group < b->camera.samples_x * b->camera.samples_y; group++)
			reyes_i_hide_group(&b->single.canvas, h, &mv, &w, &q, m, group, grow);
	}
}

static void compare_grids(uint32_t nx, uint32_t ny, float lens, int moves)
{
	place *b = open_place(nx, ny, lens);
	int wrong = 0;

	CHECK(b != NULL, "out of memory");
	for (int k = 0; k < test_effort(ROUNDS, ROUNDS / 2, ROUNDS / 3) && !wrong; k++) {
		clear(b, &b->rows);
		clear(b, &b->single);
		make_grid(b);
		if (!moves && !(lens > 0))
			hide_both_static(b);
		else
			hide_both_moving(
				b, (uint32_t)moves, k % 3 == 1 ? 0.25f : 0, k % 3 == 2 ? 0.7f : 1);
		wrong = same(b) ? 0 : k + 1;
	}
	CHECK(!wrong, "%u x %u samples, lens %g: grid %d differs", nx, ny, (double)lens, wrong);
	CHECK(b->covered > 10000, "only %zu samples are covered", b->covered);
	close_place(b);
}

static void grids_that_stand_still_cover_the_same_samples(void)
{
	compare_grids(4, 4, 0, 0);
	compare_grids(4, 3, 0, 0);
	compare_grids(3, 5, 0, 0);
}

static void grids_that_move_cover_the_same_samples(void)
{
	compare_grids(4, 4, 0, 1);
	compare_grids(3, 2, 0, 1);
}

static void grids_out_of_focus_cover_the_same_samples(void)
{
	compare_grids(4, 4, 0.3f, 0);
	compare_grids(4, 4, 0.2f, 1);
}

static void a_row_of_pixels_has_the_sums_of_its_pixels(void)
{
	static const float widths[] = { 1, 2, 4 };
	static reyes_i_filter_pixels f;

	for (uint32_t kind = 0; kind <= REYES_I_FILTER_SINC; kind++)
		for (int k = 0; k < 3; k++) {
			place *b = open_place(4, 4, 0);
			reyes_i_rgba *samples = calloc(b->samples, sizeof(*samples));

			CHECK(samples != NULL, "out of memory");
			for (size_t s = 0; s < b->samples; s++)
				if (rng_below(3))
					samples[s] = (reyes_i_rgba){ between(0, 1), between(0, 1),
						between(0, 9), 1 };
			free(b->tables.memory);
			b->camera.filter = kind;
			b->camera.filter_width[0] = b->camera.filter_width[1] = widths[k];
			CHECK(!reyes_i_tables_make(&b->tables, &b->camera, NULL), "out of memory");
			b->rows.canvas.pattern = b->tables.pattern;
			f.x = 5;
			f.y = 9;
			f.n = 61;
			reyes_i_filter_run(
				&b->rows.canvas, &b->camera, &b->tables.weights, samples, &f);
			for (int32_t x = 0; x < f.n; x++) {
				const reyes_i_rgba p = reyes_i_filter_pixel(&b->rows.canvas,
					&b->camera, &b->tables.weights, samples, f.x + x, f.y);

				CHECK(p.r == f.sum[x][0] && p.g == f.sum[x][1] &&
						p.b == f.sum[x][2] && p.a == f.sum[x][3],
					"filter %u of width %g: pixel %d", kind, (double)widths[k],
					x);
			}
			free(samples);
			close_place(b);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "grids that stand still cover the same samples",
			grids_that_stand_still_cover_the_same_samples },
		{ "grids that move cover the same samples",
			grids_that_move_cover_the_same_samples },
		{ "grids out of focus cover the same samples",
			grids_out_of_focus_cover_the_same_samples },
		{ "a row of pixels has the sums of its pixels",
			a_row_of_pixels_has_the_sums_of_its_pixels },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("hider", tests);
}
