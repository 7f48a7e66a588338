/* A bounding volume hierarchy over boxes, by the surface area heuristic from the top (Lauterbach,
 * Mo, Manocha 2009, section 4.1; Wald 2007 for the bins). One item program without the host between
 * its phases. Compiled for CPU and GPU.
 *
 * Interface: bvh_ctx with `box`, the boxes of n primitives in the memory of the tasks, `leaf_most`
 * (1: one primitive a leaf) and the arrays below, which collide/bvh/arrays.h allocates; a run of a
 * program of collide/bvh/programs.h with one root; then node, leaf and order are the tree, in the
 * memory of the tasks. Nodes have the layout of col_node of collide/pairs/pairs.h; node 0 is a copy
 * of the root, so that a walk begins there.
 *
 * The tree does not depend on the schedule. An inner node is named by the position of its first
 * right primitive, 1 .. n - 1, a leaf by the position of its first primitive; in a leaf the numbers
 * of primitives ascend. The decisions, the same everywhere:
 *	more than BVH_ROOM primitives	16 bins an axis on the grid of the whole scene, in the range
 *					of places that is known of them
 *	up to BVH_ROOM			a grid of their own; bins in the bounds of their centres
 *	up to BVH_SMALL			a plane in each of 64 equal parts of the order of their
 *					centres: the first one between centres that differ
 *	up to BVH_SWEEP			all planes; of equal centres the lesser number comes first
 * The plane with the least area x primitives, left and right, is taken; below BVH_EVEN_DEPTH the
 * most even one. Where all centres are equal the numbers of the primitives divide. A range becomes
 * a leaf if it has at most leaf_most primitives, and a split costs more than their tests (a step
 * costs as much as a test). */
#ifndef COLLIDE_BVH_BVH_H
#define COLLIDE_BVH_BVH_H

#include "collide/bvh/boxes.h"

enum {
	BVH_ROOM = 3072,   /* primitives of a tile at most, and of the largest range in one block */
	BVH_SMALL = 512,   /* whose subtree a block makes in fast memory */
	BVH_SWEEP = 32,    /* split at any plane */
	BVH_PARTS = 64,    /* planes of an axis of larger subtrees in fast memory */
	BVH_BINS = 16,     /* of an axis */
	BVH_ALL_BINS = 48, /* of three axes */
	BVH_EVEN_DEPTH = 40, /* from this depth on splits are even */
	BVH_NUMBER = 3,      /* in place of an axis: numbers of primitives */
	BVH_MAX_LEAF = 16,
	BVH_SPREAD = 30,    /* parts of tiles that are emitted at once */
	BVH_MAX_DEPTH = 192 /* nodes above a leaf, at most */
};
/* Positions have 31 bits, and areas x primitives must fit into 64 bits. */
#define BVH_MAX_BOXES (UINT32_C(1) << 28)

#define BVH_NONE COLLIDE_NONE
#define BVH_LEAF COLLIDE_LEAF

typedef collide_node bvh_node;
typedef collide_leaf bvh_leaf; /* the first primitive; the others follow in bvh_ctx.order */

typedef struct bvh_bin {
	uint32_t word[3], count;
} BVH_ALIGN16 bvh_bin;

/* The same of an open range: the halves of the words apart, for atomic maxima. */
typedef struct bvh_sum {
	uint32_t half[6], count;
} bvh_sum;

/* What is known of the places of primitives: base .. base + size - 1 of each axis, and their
 * numbers. */
typedef struct bvh_places {
	uint32_t base[4], size[4];
} bvh_places;

/* Those with a place (of an axis, or number) below `at` go left. */
typedef struct bvh_split {
	uint32_t axis, at;
} bvh_split;

/* What tiles do. FRAME: bounds of the boxes; FIRST: records, and bins of all; BIN: bins of all
 * again, in narrower places; MOVE: to both sides, and bins of both. */
enum { BVH_PASS_FRAME, BVH_PASS_FIRST, BVH_PASS_BIN, BVH_PASS_MOVE };

/* A range that tiles work on. Two of them have more than BVH_ROOM primitives each and none in
 * common, so open[first / BVH_ROOM] belongs to one of them. */
typedef struct bvh_open {
	uint32_t first, count, info, link;
	uint32_t pass, left, right; /* MOVE: moved to both sides; by additions */
	uint32_t binned[2];         /* MOVE: whether a side needs bins, since it is large, too */
	bvh_split split;
	bvh_places places[2];         /* of both sides; [0]: of all, without MOVE */
	bvh_sum bin[2][BVH_ALL_BINS]; /* the same */
} bvh_open;

/* Of the whole tree. */
typedef struct bvh_top {
	bvh_bounds bounds; /* by atomic operations */
	bvh_frame frame;
	uint32_t root; /* its name, or BVH_LEAF; BVH_NONE: no primitives */
} bvh_top;

/* BVH_TOP	root: all primitives
 * BVH_TILES	tiles of open[info]
 * BVH_JOINED	the tiles of open[info] have returned
 * BVH_FRAMES	a range of at most BVH_ROOM primitives, which has no grid of its own
 * BVH_RANGE	the same with its grid; info: array and depth; join: its parent
 * BVH_REFIT	positions whose leaves are to be computed again */
enum { BVH_TOP, BVH_TILES, BVH_JOINED, BVH_FRAMES, BVH_RANGE, BVH_REFIT, BVH_PROCS };

/* Phases. */
enum { BVH_BUILD_ALL, BVH_REFIT_ALL };

typedef struct bvh_ctx {
	const bvh_box *box; /* [n] finite, lo <= hi: otherwise boxes have no meaning */
	uint32_t n, leaf_most, phase;
	bvh_node *node;        /* [n] */
	bvh_leaf *leaf;        /* [n] */
	uint32_t *order;       /* [n] numbers of primitives by position */
	uint32_t *up;          /* [n] parent of an inner node x 2 + side; BVH_NONE: root */
	uint32_t *leaf_up;     /* [n] the same of a leaf */
	uint32_t *arrived;     /* [n] children with their boxes, modulo 2; zero at first */
	bvh_record *record[2]; /* [n] */
	bvh_open *open;        /* [n / BVH_ROOM + 1] */
	bvh_top *top;
} bvh_ctx;

/* Primitives of a tile. On a GPU smaller trees have smaller ones, so that each multiprocessor has
 * some. */
LSCHED_FN uint32_t bvh_tile_room(const bvh_ctx *c)
{
	const uint32_t part = c->n / 256;

	if (LSCHED_LANES == 1 || part >= BVH_ROOM)
		return BVH_ROOM;
	return part < 1024 ? 1024 : part;
}

LSCHED_FN uint32_t bvh_tiles(const bvh_ctx *c, uint32_t count)
{
	const uint32_t room = bvh_tile_room(c);

	return count / room + (count % room != 0);
}

LSCHED_FN uint32_t bvh_info(uint32_t array, uint32_t depth)
{
	return array | depth << 2;
}

LSCHED_FN uint32_t bvh_array(uint32_t info)
{
	return info & 1u;
}

LSCHED_FN uint32_t bvh_depth(uint32_t info)
{
	return info >> 2;
}

LSCHED_FN uint32_t bvh_root(const bvh_ctx *c, uint32_t i, lsched_range *it)
{
	(void)i;
	it->first = 0;
	it->count = c->n;
	it->info = bvh_info(0, 0);
	it->join = BVH_NONE;
	return c->phase == BVH_REFIT_ALL ? BVH_REFIT : BVH_TOP;
}

#endif
