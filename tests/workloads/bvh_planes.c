/* The first split of small trees against one that is found plane by plane, with boxes that lie on
 * the grid, so that costs are exact. */
#include "tests/common/testmain.h"
#include "tests/workloads/bvh_planes.h"
#include "workloads/bvh/host.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 512, SETS = 400 };

typedef struct item {
	uint64_t centre, number;
} item;

static int by_centre(const void *pa, const void *pb)
{
	const item *a = pa, *b = pb;

	if (a->centre != b->centre)
		return a->centre < b->centre ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static uint64_t area_of(const bvh_box *box, const item *of, uint32_t from, uint32_t to)
{
	uint64_t side[3];

	for (int k = 0; k < 3; k++) {
		float lo = 1e9f, hi = -1;

		for (uint32_t i = from; i < to; i++) {
			const bvh_box *b = &box[of[i].number];

			lo = b->lo[k] < lo ? b->lo[k] : lo;
			hi = b->hi[k] > hi ? b->hi[k] : hi;
		}
		side[k] = (uint64_t)(hi - lo);
	}
	return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

/* The least cost of all planes that are allowed; 0: none. Up to 32 boxes: all. Up to 512: in each
 * of 64 parts the first one between different centres. *left of the first such plane of the most
 * even ones. */
static uint64_t best_of(const bvh_box *box, uint32_t n, uint32_t *left)
{
	const uint32_t size = n <= 32 ? 1 : n / 64 + (n % 64 > 0);
	uint64_t best = 0;
	uint32_t uneven = 0;

	*left = 0;
	for (int axis = 0; axis < 3; axis++) {
		uint32_t found = ~0u; /* the last part with a plane */
		item order[MOST];

		for (uint32_t i = 0; i < n; i++) {
			order[i].centre =
				((uint64_t)box[i].lo[axis] + (uint64_t)box[i].hi[axis]) / 2;
			order[i].number = i;
		}
		qsort(order, n, sizeof(*order), by_centre);
		for (uint32_t i = 1; i < n; i++) {
			const uint32_t rest = n - i, skew = i > rest ? i - rest : rest - i;
			uint64_t cost;

			if (n > 32 && (found == i / size || order[i].centre == order[i - 1].centre))
				continue;
			found = i / size;
			cost = area_of(box, order, 0, i) * i + area_of(box, order, i, n) * rest;
			if (*left && (cost > best || (cost == best && skew >= uneven)))
				continue;
			best = cost;
			uneven = skew;
			*left = i;
		}
	}
	return best;
}

/* Boxes of integer coordinates whose bounds are 0 and 65535 in x; `values` different ones. */
static void fill(bvh_box *box, uint32_t n, uint32_t values, uint32_t *seed)
{
	const uint32_t step = 65535 / values;

	for (uint32_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++) {
			uint32_t v[2];

			for (int j = 0; j < 2; j++) {
				*seed = *seed * 1664525u + 1013904223u;
				v[j] = (*seed >> 8) % values * step;
			}
			v[1] = v[0] + (v[1] >> 4);
			box[i].lo[k] = (float)v[0];
			box[i].hi[k] = (float)(v[1] < 65535 ? v[1] : 65535);
		}
	box[0].lo[0] = 0;
	box[0].lo[1] = box[0].lo[2] = 0;
	box[n - 1].hi[0] = 65535;
}

static void *zeros(size_t bytes)
{
	void *p = calloc(MOST, bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

void bvh_planes_test(void)
{
	static bvh_box box[MOST];
	bvh_ctx c = { .box = box,
		.leaf_most = 1,
		.node = zeros(sizeof(bvh_node)),
		.leaf = zeros(sizeof(bvh_leaf)),
		.order = zeros(4),
		.up = zeros(4),
		.leaf_up = zeros(4),
		.arrived = zeros(4),
		.top = zeros(sizeof(bvh_top)) };
	uint32_t seed = 1;

	for (uint32_t set = 0; set < SETS; set++) {
		uint32_t left = 0;
		item side[MOST];
		uint64_t best, made;

		c.n = set % 4 == 0   ? 2 + set % 31
		      : set % 4 == 1 ? 33 + set % 32
				     : 65 + set * 37 % 448;
		fill(box, c.n, set % 3 == 0 ? 3 : set % 3 == 1 ? 40 : 65536, &seed);
		best = best_of(box, c.n, &left);
		bvh_serial_build(&c);
		CU_ASSERT_TRUE_FATAL(left != 0 && c.top->root < c.n);
		for (uint32_t i = 0; i < c.n; i++)
			side[i].number = c.order[i];
		made = area_of(box, side, 0, c.top->root) * c.top->root +
		       area_of(box, side, c.top->root, c.n) * (c.n - c.top->root);
		CU_ASSERT_EQUAL(made, best);
		CU_ASSERT_EQUAL(c.top->root, left);
	}
	free(c.node);
	free(c.leaf);
	free(c.order);
	free(c.up);
	free(c.leaf_up);
	free(c.arrived);
	free(c.top);
}
