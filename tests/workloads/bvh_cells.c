/* Splits of ranges by cells against those that are found plane by plane, from the boxes themselves:
 * boxes lie on the grid, and axes have powers of two as extents, so that costs are exact and slabs
 * are bits of the centres. */
#include "tests/common/testmain.h"
#include "tests/workloads/bvh_planes.h"
#include "workloads/bvh/host.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 24000, SETS = 24 };

typedef struct scene {
	bvh_ctx c;
	uint32_t shift[3]; /* of a centre: its slab */
	uint32_t splits;   /* that were compared */
} scene;

/* Primitives first .. first + n - 1 of a list, in a box of slabs. */
typedef struct range {
	uint32_t *item, n, first, lo[3], hi[3];
} range;

static uint32_t slab_of(const scene *s, uint32_t number, int axis)
{
	const bvh_box *b = &s->c.box[number];

	return ((uint32_t)b->lo[axis] + (uint32_t)b->hi[axis]) / 2 >> s->shift[axis];
}

/* Half the surface of the boxes on one side of a plane, with the number of these. */
static uint64_t area_of(
	const scene *s, const range *r, int axis, uint32_t at, int right, uint32_t *count)
{
	float lo[3] = { 1e9f, 1e9f, 1e9f }, hi[3] = { -1, -1, -1 };
	uint64_t side[3];

	*count = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const bvh_box *b = &s->c.box[r->item[i]];

		if ((slab_of(s, r->item[i], axis) >= at) != right)
			continue;
		++*count;
		for (int k = 0; k < 3; k++) {
			lo[k] = b->lo[k] < lo[k] ? b->lo[k] : lo[k];
			hi[k] = b->hi[k] > hi[k] ? b->hi[k] : hi[k];
		}
	}
	if (*count == 0)
		return 0;
	for (int k = 0; k < 3; k++)
		side[k] = (uint64_t)(hi[k] - lo[k]);
	return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

/* The first of the best planes: its axis and the slab behind it. */
static int best_of(const scene *s, const range *r, uint32_t *at)
{
	uint64_t best = ~UINT64_C(0);
	int found = -1;

	for (int axis = 0; axis < 3; axis++)
		for (uint32_t k = r->lo[axis] + 1; k < r->hi[axis]; k++) {
			uint32_t left, right;
			const uint64_t a = area_of(s, r, axis, k, 0, &left);
			const uint64_t b = area_of(s, r, axis, k, 1, &right);

			if (left == 0 || right == 0 || a * left + b * right >= best)
				continue;
			best = a * left + b * right;
			found = axis;
			*at = k;
		}
	return found;
}

static uint32_t occupied(const scene *s, const range *r)
{
	static unsigned char seen[BVH_SLABS][BVH_SLABS][BVH_SLABS];
	uint32_t found = 0;

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < r->n; i++) {
		unsigned char *cell = &seen[slab_of(s, r->item[i], 0)][slab_of(s, r->item[i], 1)]
					   [slab_of(s, r->item[i], 2)];

		found += !*cell;
		*cell = 1;
	}
	return found;
}

/* Compares the nodes that the tree over cells makes. */
static void compare(scene *s, range r, uint32_t name)
{
	uint32_t at = 0, left = 0;
	range low = r, high = r;
	int axis;

	if (r.n <= BVH_SMALL || (r.n < s->c.n && occupied(s, &r) <= BVH_FEW))
		return;
	axis = best_of(s, &r, &at);
	CU_ASSERT_TRUE_FATAL(axis >= 0);
	for (uint32_t i = 0; i < r.n; i++)
		if (slab_of(s, r.item[i], axis) < at) {
			const uint32_t v = r.item[i];

			r.item[i] = r.item[left];
			r.item[left++] = v;
		}
	CU_ASSERT_EQUAL_FATAL(name, r.first + left);
	s->splits++;
	low.n = left;
	low.hi[axis] = at;
	high.n = r.n - left;
	high.item += left;
	high.first += left;
	high.lo[axis] = at;
	compare(s, low, s->c.node[name].child[0]);
	compare(s, high, s->c.node[name].child[1]);
}

static uint32_t next(uint32_t *seed, uint32_t most)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % most;
}

/* Boxes in 2^bits[k] places of each axis, uniform or in clusters. The first and the last one reach
 * the ends. */
static void fill(bvh_box *box, uint32_t n, const uint32_t bits[3], int clusters, uint32_t seed)
{
	for (uint32_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++) {
			const uint32_t size = 1u << bits[k];
			uint32_t at = next(&seed, size), end;

			if (clusters && i % 8)
				at = (i % 5 * 7919 * (uint32_t)(k + 1) + at / 64) & (size - 1);
			end = at + next(&seed, size / 64);
			box[i].lo[k] = (float)at;
			box[i].hi[k] = (float)(end < size ? end : size - 1);
			if (i == 0)
				box[i].lo[k] = 0;
			if (i + 1 == n)
				box[i].hi[k] = (float)(size - 1);
		}
}

/* The grid halves the axis with the longest slabs; at most a fourth as many cells as primitives. */
static void set_slabs(scene *s, range *r, const uint32_t bits[3])
{
	uint32_t slabs[3] = { 0, 0, 0 }, total = 0;

	while (total < 12 && (8u << total) <= s->c.n) {
		int longest = 0;

		for (int k = 1; k < 3; k++)
			if (bits[k] - slabs[k] > bits[longest] - slabs[longest])
				longest = k;
		if (slabs[longest] == 6)
			break;
		slabs[longest]++;
		total++;
	}
	for (int k = 0; k < 3; k++) {
		s->shift[k] = bits[k] - slabs[k];
		r->lo[k] = 0;
		r->hi[k] = 1u << slabs[k];
	}
}

static void *zeros(size_t count, size_t bytes)
{
	void *p = calloc(count, bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

/* Returns the splits that were compared. */
static uint32_t try_scene(bvh_box *box, uint32_t set)
{
	static const uint32_t shapes[][3] = { { 16, 16, 16 }, { 16, 13, 14 }, { 9, 16, 16 },
		{ 16, 8, 8 } };
	const uint32_t *bits = shapes[set % 4], n = set % 6 == 5 ? MOST : 520 + set * 211;
	scene s = {
		.c = { .box = box,
			.n = n,
			.leaf_most = 4,
			.node = zeros(n, sizeof(bvh_node)),
			.leaf = zeros(n, sizeof(bvh_leaf)),
			.order = zeros(n, 4),
			.up = zeros(n, 4),
			.leaf_up = zeros(n, 4),
			.arrived = zeros(n, 4),
			.record = { zeros(n, sizeof(bvh_record)), zeros(n, sizeof(bvh_record)) },
			.open = zeros(n / BVH_SMALL + 1, sizeof(bvh_open)),
			.cell = zeros(n / 4 + 2, sizeof(bvh_cell)),
			.cut = zeros(n / 4 + 2, sizeof(bvh_cut)),
			.top = zeros(1, sizeof(bvh_top)) }
	};
	range r = { .item = zeros(n, 4), .n = n };

	fill(box, n, bits, set / 4 % 2, set);
	for (uint32_t i = 0; i < n; i++)
		r.item[i] = i;
	set_slabs(&s, &r, bits);
	bvh_serial_build(&s.c);
	compare(&s, r, s.c.top->root);
	free(s.c.node);
	free(s.c.leaf);
	free(s.c.order);
	free(s.c.up);
	free(s.c.leaf_up);
	free(s.c.arrived);
	free(s.c.record[0]);
	free(s.c.record[1]);
	free(s.c.open);
	free(s.c.cell);
	free(s.c.cut);
	free(s.c.top);
	free(r.item);
	return s.splits;
}

void bvh_cells_test(void)
{
	static bvh_box box[MOST];
	uint32_t splits = 0;

	for (uint32_t set = 0; set < SETS; set++)
		splits += try_scene(box, set);
	CU_ASSERT_TRUE(splits > 200);
}
