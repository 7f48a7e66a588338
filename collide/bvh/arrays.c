#include "collide/bvh/arrays.h"

enum { ARRAYS = 12 };

/* The arrays and the bytes of each. */
static void list_arrays(bvh_ctx *c, void **array[ARRAYS], size_t bytes[ARRAYS])
{
	const size_t n = c->n;
	int k = 0;

#define ARRAY(member, count) \
	(array[k] = (void **)&c->member, bytes[k++] = (count) * sizeof(*c->member))
	ARRAY(node, n);
	ARRAY(leaf, n);
	ARRAY(order, n);
	ARRAY(up, n);
	ARRAY(leaf_up, n);
	ARRAY(arrived, n);
	ARRAY(record[0], n);
	ARRAY(record[1], n);
	ARRAY(open, n / BVH_SMALL + 1);
	ARRAY(cell, n / 4 + 2);
	ARRAY(cut, n / 4 + 2);
	ARRAY(top, 1);
#undef ARRAY
}

lsched_status collide_i_bvh_alloc(lsched_ctx *ctx, bvh_ctx *c)
{
	void **array[ARRAYS];
	size_t bytes[ARRAYS];
	lsched_status st = LSCHED_OK;

	list_arrays(c, array, bytes);
	for (int k = 0; k < ARRAYS; k++)
		*array[k] = NULL;
	for (int k = 0; k < ARRAYS && st == LSCHED_OK; k++)
		st = lsched_mem_alloc(ctx, array[k], bytes[k] ? bytes[k] : 1);
	return st;
}

void collide_i_bvh_free(lsched_ctx *ctx, bvh_ctx *c)
{
	void **array[ARRAYS];
	size_t bytes[ARRAYS];

	list_arrays(c, array, bytes);
	for (int k = 0; k < ARRAYS; k++) {
		lsched_mem_free(ctx, *array[k]);
		*array[k] = NULL;
	}
}

void collide_i_bvh_run_options(lsched_run_options *o, uint32_t n, uint32_t workers)
{
	lsched_run_options_init(o);
	o->max_tasks = 1;
	o->queue_capacity = (1u << 16) + n / 32;
	o->max_joins = n / BVH_BLOCK + 64 * workers;
}
