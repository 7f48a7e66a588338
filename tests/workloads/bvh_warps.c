/* The tree of bvh by the device text with several warps of 32 emulated lanes, a thread each: a
 * block without a scheduler takes one range after the other. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int bvh_warps_left_out; /* sanitizers do not follow from lane to lane */
#else

#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* of lanes.h, and emissions */
#include "tests/libsched/lanes_block.h"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define BVH_TREES       2u
#define BVH_BLOCK_WARPS 12
#define BVH_PAIRS_FROM  1u
#include "collide/bvh/body.h"
#include "tests/workloads/bvh_warps.h"

uint32_t bvh_warps_ready, bvh_warps_pairs;

/* What the warps share. */
typedef struct block {
	const bvh_ctx *c;
	bvh_local local;
	lsched_range *stack;
	uint32_t ranges, warps, at_end;
	lsched_range it;
	uint64_t *ready_sum; /* of the records of parts that tiles emit, by their positions */
	pthread_barrier_t barrier;
} block;

typedef struct warp {
	block *b;
	uint32_t number;
	pthread_t thread;
} warp;

/* A number that differs if a part's records do. */
static uint64_t sum_of(const block *b, const lsched_range *part)
{
	const bvh_record *r = b->c->record[bvh_array(part->info)] + part->first;
	uint64_t sum = 1;

	for (uint32_t k = 0; k < part->count; k++)
		sum = sum * 31 + r[k].number;
	return sum;
}

/* Makes pairs of small parts, at most BVH_SPREAD, and stacks all. The first warp. */
static void stack_parts(block *b, lsched_range *part, uint32_t count)
{
	bvh_pair_up(b->c, part, count);
	for (uint32_t k = 0; k < count && lsched_lane() == 0; k++) {
		bvh_warps_pairs += (uint32_t)bvh_is_pair(&part[k]);
		if (part[k].count)
			b->stack[b->ranges++] = part[k];
	}
}

/* Stacks the parts that a tile emits before the other tiles have moved. */
static void emit_ready(lsched_range_items *x, block *b, uint32_t ready)
{
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		for (uint32_t k = 0; k < ready; k++) {
			const lsched_range part = b->local.ready[k];

			b->ready_sum[part.first] = sum_of(b, &part);
			bvh_warps_ready++;
		}
	lsched_sync_item(x);
	if (lsched_thread(x) < LSCHED_LANES)
		stack_parts(b, b->local.ready, ready);
	lsched_sync_item(x);
}

/* Makes the passes of a range that has tiles, and splits the bricks that are handed to other
 * blocks, the last one first. */
static void divide_tiled(lsched_range_items *x, block *b, lsched_range it)
{
	bvh_open *o = &b->c->open[it.first / BVH_SMALL];
	const lsched_range_crew crew = lsched_range_crew_of(x);
	uint32_t tiles;

	bvh_reopen(x, b->c, &b->local, it);
	do {
		const int is_pass = o->pass != BVH_PASS_BRICKS;

		for (uint32_t at = 0; is_pass && at < it.count; at += BVH_TILE)
			emit_ready(x, b,
				bvh_pass_call(crew, b->c, &b->local, o, it.first + at,
					it.count - at < BVH_TILE ? it.count - at : BVH_TILE));
		for (uint32_t k = o->handed; !is_pass && k-- > 0; lsched_sync_item(x))
			bvh_handed_call(crew, b->c, &b->local, o, k);
		lsched_sync_item(x);
		tiles = bvh_follow_call(crew, b->c, &b->local, o, 1);
		lsched_sync_item(x);
	} while (tiles);
}

/* Stacks the parts of a range whose records have moved. The first warp. */
static void stack_cuts(block *b, lsched_range it)
{
	const bvh_open *o = &b->c->open[it.first / BVH_SMALL];
	const bvh_cut *cut = &b->c->cut[bvh_cells_at(it.first)];
	lsched_range *part = b->local.u.list.range;
	const uint32_t cuts = o->cuts;

	for (uint32_t k = 0; k < cuts;) {
		uint32_t count = 0;

		for (; k < cuts && count < BVH_SPREAD; k++) {
			if (cut[k].moved != BVH_NONE) {
				part[count++] = cut[k].range; /* the same in all lanes */
				bvh_open_cut(b->c, &cut[k]);
			} else if (b->ready_sum[cut[k].range.first] != sum_of(b, &cut[k].range)) {
				abort(); /* it was not complete */
			}
		}
		lsched_sync_worker();
		stack_parts(b, part, count);
		lsched_sync_worker();
	}
}

/* Divides a range of more than BVH_SMALL primitives. */
static void divide(lsched_range_items *x, block *b, lsched_range it)
{
	if (it.count > BVH_BLOCK)
		divide_tiled(x, b, it);
	else
		bvh_divide(x, b->c, &b->local, it);
	lsched_sync_item(x);
	if (lsched_thread(x) < LSCHED_LANES)
		stack_cuts(b, it);
}

static void run_lane(void *arg)
{
	const warp *m = arg;
	block *b = m->b;
	lsched_worker worker;
	lsched_range_items x;

	worker.pair = 1;
	x.any.w = &worker;
	x.any.thread = m->number * LSCHED_LANES + lsched_lane();
	x.any.threads = b->warps * LSCHED_LANES;
	for (;;) {
		lsched_sync_item(&x);
		if (lsched_thread(&x) == 0) {
			b->at_end = b->ranges == 0;
			if (!b->at_end)
				b->it = b->stack[--b->ranges];
		}
		lsched_sync_item(&x);
		if (b->at_end)
			break;
		if (b->it.count > BVH_SMALL)
			divide(&x, b, b->it);
		else
			bvh_small_call(lsched_range_crew_of(&x), b->c, &b->local, b->it);
	}
}

static void *run_warp(void *arg)
{
	warp *m = arg;

	block_barrier = &m->b->barrier;
	lanes_run(run_lane, m);
	return NULL;
}

void bvh_warps_build(const bvh_ctx *c, uint32_t warps)
{
	static block b;
	static warp all[BVH_WARPS];
	const lsched_range whole = { 0, c->n, bvh_info(0, 0), BVH_NONE };

	b.c = c;
	b.warps = warps;
	b.stack = (lsched_range *)malloc(((size_t)c->n + 1) * sizeof(*b.stack));
	b.ready_sum = (uint64_t *)calloc((size_t)c->n + 1, sizeof(*b.ready_sum));
	if (warps > BVH_WARPS || !b.stack || !b.ready_sum ||
		pthread_barrier_init(&b.barrier, NULL, warps))
		abort();
	c->top->root = BVH_NONE;
	b.stack[0] = whole;
	b.ranges = c->n != 0;
	for (uint32_t k = 0; k < warps; k++) {
		all[k].b = &b;
		all[k].number = k;
		if (pthread_create(&all[k].thread, NULL, run_warp, &all[k]))
			abort();
	}
	for (uint32_t k = 0; k < warps; k++)
		pthread_join(all[k].thread, NULL);
	pthread_barrier_destroy(&b.barrier);
	free(b.stack);
	free(b.ready_sum);
}

#endif
