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
 *	more than BVH_SMALL primitives	up to BVH_CELLS cells of a grid by their centres (up to
 *					BVH_BLOCK primitives: BVH_NEAR_CELLS), as bvh_grid_set()
 *					says; planes are those between cells, and parts are split
 *					until they are small or have one cell: then a part of more
 *					than BVH_SMALL primitives has a grid of its own: of the same
 *					places as its parent, or, if it has at most BVH_FRAMED
 *					primitives and their centres less than BVH_PLACES
 *					places in each axis, of 65,536 in its bounds
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
	BVH_BLOCK = 12288, /* primitives of the largest range that one block divides */
	BVH_ALONE = 16384, /* and one CPU thread alone */
	BVH_FRAMED =
		16384, /* of the largest range that gets a frame of its own, besides the whole */
	BVH_PLACES = 1024, /* of an axis, on which a range needs none */
	BVH_TILE = 4096,   /* of a tile at most */
	BVH_SMALL = 512,   /* whose subtree a block makes in fast memory */
	BVH_SWEEP = 32,    /* split at any plane */
	BVH_PARTS = 64,    /* planes of an axis of larger subtrees in fast memory */
	BVH_CELL_BITS = 12,
	BVH_CELLS = 1 << BVH_CELL_BITS, /* of a grid, at most */
	BVH_NEAR_BITS = 10,
	BVH_NEAR_CELLS = 1 << BVH_NEAR_BITS, /* of a range of at most BVH_BLOCK primitives */
	BVH_SLAB_BITS = 6,
	BVH_SLABS = 1 << BVH_SLAB_BITS, /* of an axis of a grid, at most */
	BVH_FEW = 1,                    /* cells of a part that is not split further in this grid */
	BVH_AT_ONCE = 192,              /* parts of a grid that are split at once, at most */
	BVH_CLOSE = 2048,               /* primitives of a range with smaller parts */
	BVH_CLOSE_PART = 320,           /* of those parts, at most */
	BVH_EVEN_DEPTH = 40,            /* from this depth on splits are even */
	BVH_NUMBER = 3,                 /* in place of an axis: numbers of primitives */
	BVH_MAX_LEAF = 16,
	BVH_MAX_DEPTH = 192 /* nodes above a leaf, at most */
};
/* Parts of tiles, or of a range, that are emitted at once; a test sets its own number. */
#ifndef BVH_SPREAD
#define BVH_SPREAD 30u
#endif
/* Bricks of a tree over cells from which on a block for each of them goes on; there are less than
 * twice as many. */
#ifndef BVH_HANDED
#define BVH_HANDED 8u
#endif
/* Items that wait in the queue, for each 8 workers: a range that a block has divided has others
 * behind it that take 60 us each, which workers begin that become idle meanwhile. */
#ifndef BVH_AHEAD
#define BVH_AHEAD 4u
#endif
/* Primitives from which on a block makes two subtrees at once, if the program lets it: fewer have
 * hardly a subtree for each block. */
#ifndef BVH_PAIRS_FROM
#define BVH_PAIRS_FROM (UINT32_C(1) << 19)
#endif
/* Positions have 31 bits, and areas x primitives must fit into 64 bits. */
#define BVH_MAX_BOXES (UINT32_C(1) << 28)

#define BVH_NONE COLLIDE_NONE
#define BVH_LEAF COLLIDE_LEAF

typedef collide_node bvh_node;
typedef collide_leaf bvh_leaf; /* the first primitive; the others follow in bvh_ctx.order */

typedef struct bvh_bin {
	uint32_t word[3], count;
} BVH_ALIGN16 bvh_bin;

/* A cell of a grid: the halves of the words apart, for atomic maxima. `part`: of the tree over the
 * cells. */
typedef struct bvh_cell {
	uint32_t half[6], count, part;
} BVH_ALIGN16 bvh_cell;

/* What is known of the places of primitives: base .. base + size - 1 of each axis, and their
 * numbers. */
typedef struct bvh_places {
	uint32_t base[4], size[4];
} bvh_places;

/* Those with a place (of an axis, or number) below `at` go left. */
typedef struct bvh_split {
	uint32_t axis, at;
} bvh_split;

/* Cells of a range, by the places of its centres; by_number: the first axis is that of numbers. */
typedef struct bvh_grid {
	uint32_t base[3], factor[3], bits[3];
	uint32_t by_number, shift;
} bvh_grid;

/* A part of a range that its tree over cells does not split further. */
typedef struct bvh_cut {
	lsched_range range; /* join: its parent */
	bvh_places places;
	uint32_t taken;     /* by tiles, of its positions */
	uint32_t low, high; /* its brick, where several threads make the tree over cells */
	uint32_t moved;     /* primitives, by tiles; BVH_NONE: all, and a tile emits the part */
} BVH_ALIGN16 bvh_cut;

/* Passes over the records of a range. FRAME: bounds of the boxes; FIRST: records, and cells; COUNT:
 * cells; BRICKS: none, its tiles are bricks of the tree over cells; MOVE: to the parts. */
enum { BVH_PASS_FRAME, BVH_PASS_FIRST, BVH_PASS_COUNT, BVH_PASS_BRICKS, BVH_PASS_MOVE };

/* A range of more than BVH_SMALL primitives that is divided by a grid. Two of them have none in
 * common, so open[first / BVH_SMALL] belongs to one of them. */
typedef struct bvh_open {
	uint32_t first, count, info, link;
	uint32_t pass;
	uint32_t cuts, handed; /* parts; bricks that other blocks split */
	bvh_bounds bounds;     /* by atomic operations */
	bvh_frame frame;
	bvh_places places;
	bvh_grid grid;
} bvh_open;

/* Of the whole tree. */
typedef struct bvh_top {
	bvh_bounds bounds; /* of more than BVH_SMALL primitives */
	uint32_t root;     /* its name, or BVH_LEAF; BVH_NONE: no primitives */
} bvh_top;

/* BVH_TOP	root: all primitives
 * BVH_TILES	tiles of open[info]
 * BVH_LIST	a list of `count` ranges, at `first` in the array of records that is not info's
 * BVH_RANGE	a range, or two; info: array, BVH_PAIRED, depth; join: its parent
 * BVH_REFIT	positions whose leaves are to be computed again
 * BVH_JOINED	the tiles of open[info] have returned. The last one: the worker of the last tile
 *		enqueues parts that are ready first, and runs this next */
enum { BVH_TOP, BVH_TILES, BVH_LIST, BVH_RANGE, BVH_REFIT, BVH_JOINED, BVH_PROCS };

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
	bvh_open *open;        /* [n / BVH_SMALL + 1] */
	bvh_cell *cell;        /* [n / 4 + 2] */
	bvh_cut *cut;          /* [n / 4 + 2] */
	bvh_top *top;
} bvh_ctx;

/* Primitives of a tile. On a GPU smaller ranges have more tiles than one emission reaches, since a
 * pass over 4,096 primitives takes longer than another emission; only bounds are faster. */
LSCHED_FN uint32_t bvh_tile_room(uint32_t count, uint32_t pass)
{
	const uint32_t most = pass == BVH_PASS_FRAME ? BVH_SPREAD : 4 * BVH_SPREAD;
	const uint32_t part = (count + most - 1) / most;

	if (LSCHED_LANES == 1 || part >= BVH_TILE)
		return BVH_TILE;
	return part < 1024 ? 1024 : part;
}

LSCHED_FN uint32_t bvh_tiles(uint32_t count, uint32_t pass)
{
	const uint32_t room = bvh_tile_room(count, pass);

	return count / room + (count % room != 0);
}

/* The cells and cuts of a range begin here: it has a fourth of its primitives of each at most. */
LSCHED_FN uint32_t bvh_cells_at(uint32_t first)
{
	return first / 4 + 1;
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

/* A small range with BVH_PAIRED has a second one behind it. */
#define BVH_PAIRED UINT32_C(2)

LSCHED_FN int bvh_is_pair(const lsched_range *it)
{
	return (it->info & BVH_PAIRED) != 0;
}

/* Where the second range of a pair is: the first one has no leaves yet, while other tiles may still
 * read the records that were at its positions. */
LSCHED_FN lsched_range *bvh_pair_at(const bvh_ctx *c, const lsched_range *it)
{
	return (lsched_range *)&c->leaf[it->first];
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
