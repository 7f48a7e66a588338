/* Fast memory of a block. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_LOCAL_H
#define COLLIDE_BVH_LOCAL_H

#include <stddef.h>
#include "collide/bvh/bvh.h"

/* Warps of a block; a test sets its own number. */
#ifndef BVH_WARPS
#define BVH_WARPS (LSCHED_LANES > 1 ? 8 : 1)
#endif

/* A node of a subtree in fast memory that is to be split. Positions are relative to the subtree. */
typedef struct bvh_part {
	uint32_t link;
	uint16_t begin, count;
	uint16_t depth, buffer; /* which of both has its order */
} bvh_part;

/* What a warp has of its own for a part of at most BVH_SWEEP primitives. */
typedef struct bvh_warp_room {
	bvh_record record[BVH_SWEEP];
	uint32_t order[3][BVH_SWEEP]; /* records by position, for each axis */
	uint32_t left[BVH_SWEEP];     /* of a record: it goes left */
	bvh_box box[BVH_SWEEP];       /* of primitives, by position in their leaves */
} bvh_warp_room;

/* A plane of a subtree in fast memory, and how many primitives are left of it. */
typedef struct bvh_small_best {
	uint64_t key; /* bvh_plane_key(), or BVH_NO_COST */
	uint32_t left;
} bvh_small_best;

/* As long as a round has so few parts, a warp takes one axis of one of them. */
enum { BVH_FEW_PARTS = 5 };

/* The subtree of at most BVH_SMALL primitives. Its records stay where they are. */
typedef struct bvh_small {
	bvh_record record[BVH_SMALL];
	uint32_t order[2][3][BVH_SMALL]; /* bvh_order_entry by position, for each axis */
	uint16_t centre[3][BVH_SMALL];   /* of the records */
	bvh_box box[BVH_SMALL];          /* of nodes and leaves whose sibling is not complete */
	uint32_t link[BVH_SMALL];        /* parent of the node at this position */
	uint32_t arrived[BVH_SMALL];
	bvh_part part[2]
		     [BVH_SMALL / BVH_SWEEP]; /* larger than BVH_SWEEP, of a round and the next */
	bvh_part end[BVH_SMALL];              /* the others */
	uint32_t parts[3], ends, taken;       /* of three rounds */
	bvh_small_best best[BVH_FEW_PARTS][3];
	bvh_box root;
	bvh_warp_room warp[BVH_WARPS];
} bvh_small;

/* A box of cells, which is to be split or a part of the tree over cells: its first slabs and those
 * after its last ones, eight bits an axis; depth: in the upper bits of `low`. */
typedef struct bvh_brick {
	uint32_t first, count, link, low, high;
	uint32_t occupied; /* cells with primitives */
} bvh_brick;

/* The best plane of a brick. */
typedef struct bvh_brick_best {
	uint64_t cost;     /* BVH_NO_COST: none */
	uint32_t id, left; /* axis x 256 + slab behind it; primitives before it */
	uint32_t occupied; /* cells with primitives before it */
} bvh_brick_best;

/* A brick without a plane: what is in its cells. */
typedef struct bvh_brick_sum {
	uint32_t occupied, cell; /* cells with primitives; the last one of them */
	uint32_t box[3];         /* of all */
} bvh_brick_sum;

/* Slabs of an axis in a warp: their box, primitives, and cells with primitives. */
typedef struct bvh_slab_total {
	bvh_bin bin;
	uint32_t occupied;
} bvh_slab_total;

/* Lanes that find the plane of a brick with few slabs, and warps that find those of the first
 * ones. */
enum { BVH_FEW_LANES = 16, BVH_BRICK_WARPS = 8 };

/* The tree over cells. Bricks with few slabs are at the end of `brick`, from the last one down. */
typedef struct bvh_bricks {
	bvh_bin cell[BVH_CELLS]; /* at bvh_cell_place */
	bvh_brick brick[2][BVH_AT_ONCE];
	uint32_t bricks[3], narrow[3], widest[3]; /* of three rounds; most slabs */
	uint32_t cuts;                            /* of this block */
	uint32_t is_shared;                       /* other blocks have bricks of the same range */
	uint16_t part[BVH_CELLS]; /* numbers of the parts of this block in bvh_ctx.cut */
	/* of the warps of the first bricks: the sums of each axis, and the best planes */
	bvh_slab_total sum[BVH_BRICK_WARPS][3];
	bvh_brick_best best[BVH_BRICK_WARPS];
	uint32_t occupied[BVH_WARPS]; /* cells with primitives that a warp has loaded */
} bvh_bricks;

/* Cells of a range that a block divides alone, of which there are fewer: behind those of the tree
 * over cells, and behind bvh_moves. */
typedef struct bvh_near {
	uint32_t half[6][BVH_NEAR_CELLS]; /* as in bvh_cell */
	uint32_t count[BVH_NEAR_CELLS];   /* then the part */
} bvh_near;

/* A tile that moves. */
typedef struct bvh_moves {
	uint32_t begin[BVH_CELLS]; /* of a part: how many move there, then their first position */
	uint32_t tag[BVH_TILE];    /* of a record: part, rank in the tile */
	uint16_t count[BVH_CELLS]; /* of a part: how many move there; not beside bvh_near */
} bvh_moves;

/* Parts whose last primitives a tile moves, at most as many as an item emits beside another. */
enum { BVH_READY = 29 };

enum { BVH_LISTED = BVH_CELLS / BVH_SPREAD + 1 };

/* Parts of a range by their positions. */
typedef struct bvh_list {
	uint32_t first[BVH_CELLS];
	uint16_t part[BVH_CELLS], sorted[BVH_CELLS]; /* numbers in bvh_ctx.cut, in `part` */
	uint32_t parts;
	lsched_range range[BVH_LISTED];
} bvh_list;

typedef struct bvh_local {
	union {
		bvh_small small;
		bvh_bricks bricks;
		bvh_moves moves;
		bvh_list list;
	} u;
	bvh_bounds bounds[BVH_WARPS];
	lsched_range ready[BVH_READY];
	uint32_t readies;
} bvh_local;

LSCHED_I_STATIC_ASSERT(offsetof(bvh_moves, count) <= BVH_CELLS / 2 * sizeof(bvh_bin) &&
			       sizeof(bvh_near) <= BVH_CELLS / 2 * sizeof(bvh_bin),
	"fast memory of a block has parts that overlap");

/* The cells of a range in fast memory; NULL: it has tiles, and its cells are in c->cell. */
LSCHED_FN bvh_near *bvh_near_of(bvh_local *l, const bvh_open *o)
{
	return o->count <= BVH_BLOCK ? (bvh_near *)&l->u.bricks.cell[BVH_CELLS / 2] : NULL;
}

#endif
