/* Fast memory of a block. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_LOCAL_H
#define COLLIDE_BVH_LOCAL_H

#include <stddef.h>
#include "collide/bvh/bvh.h"

/* Warps of a block on a GPU; a program or test may set its own number. */
#ifndef BVH_BLOCK_WARPS
#define BVH_BLOCK_WARPS 8
#endif
#ifndef BVH_WARPS
#define BVH_WARPS (LSCHED_LANES > 1 ? BVH_BLOCK_WARPS : 1)
#endif

/* Subtrees that a block makes at once, at most: while warps wait for the first splits of one, they
 * work at the other. The program sets it. */
#ifndef BVH_TREES
#define BVH_TREES 1u
#endif
#define BVH_ROOM (BVH_TREES * BVH_SMALL)

/* A node of a subtree in fast memory that is to be split. */
typedef struct bvh_part {
	uint32_t link, begin, count, depth;
	uint32_t buffer, tree; /* which of both has its order; of which tree it is */
} bvh_part;

/* The same in fast memory. */
typedef struct bvh_part_words {
	uint32_t link;
	uint32_t span; /* begin, count */
	uint32_t kind; /* depth, buffer, tree */
} bvh_part_words;

/* A subtree of the block. */
typedef struct bvh_small_tree {
	uint32_t first; /* a position in fast memory + first is one of the whole tree */
	uint32_t top;   /* its parent */
	bvh_box box;    /* when it is complete */
} bvh_small_tree;

/* What a warp has of its own for a part of at most BVH_SWEEP primitives. */
typedef union bvh_warp_room {
	struct {
		bvh_record record[BVH_SWEEP];
		uint32_t order[3][BVH_SWEEP]; /* records by position, for each axis */
		uint8_t left[BVH_SWEEP];      /* of a record: it goes left */
	};
	bvh_box box[BVH_SWEEP]; /* then: of primitives, by position in their leaves */
} bvh_warp_room;

/* Words of a position. A part that waits has no complete nodes or leaves. */
typedef union bvh_small_place {
	bvh_part_words part; /* that waits, at its first position */
	bvh_box box;         /* of a node or leaf whose sibling is not complete */
} bvh_small_place;

/* A plane of a subtree in fast memory, and how many primitives are left of it. */
typedef struct bvh_small_best {
	uint64_t key; /* bvh_plane_key(), or BVH_NO_COST */
	uint32_t left;
} bvh_small_best;

/* Beside the link of a node: a child has its box. Links have 30 bits, but BVH_NONE, which is made
 * a word without this bit, too. */
#define BVH_ARRIVED UINT32_C(0x80000000)

/* As long as a round has so few parts, a warp takes one axis of one of them. */
enum { BVH_FEW_PARTS = 5 };

/* Subtrees of at most BVH_SMALL primitives, tree k from position k * BVH_SMALL on. Their records
 * stay where they are. */
typedef struct bvh_small {
	bvh_record record[BVH_ROOM];
	uint32_t order[2][3][BVH_ROOM]; /* bvh_order_entry by position, for each axis */
	uint16_t centre[3][BVH_ROOM];   /* of the records */
	bvh_small_place place[BVH_ROOM];
	uint32_t link[BVH_ROOM]; /* parent of the node at this position, and BVH_ARRIVED */
	bvh_part_words part[2][2 * BVH_FEW_PARTS]; /* of a round and the next; > BVH_SWEEP */
	/* positions + 1 of parts for any warp, less than there are primitives; each warp may wait
	 * for one more */
	uint32_t todo[BVH_ROOM + BVH_WARPS];
	uint32_t parts[3], todos, taken; /* of three rounds; of `todo`; of both */
	uint32_t rest;                   /* primitives without a leaf */
	bvh_small_best best[BVH_FEW_PARTS][3];
	bvh_small_tree tree[BVH_TREES];
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

/* With the stacks of libsched a block takes 99 KB at most, all that compute capability 8.6 and 8.9
 * have. */
LSCHED_I_STATIC_ASSERT(LSCHED_LANES == 1 || sizeof(bvh_local) <= 93 * 1024,
	"fast memory of a block is larger than that of some devices");
LSCHED_I_STATIC_ASSERT(BVH_TREES == 1 || (BVH_TREES == 2 && LSCHED_LANES > 1),
	"a block makes one subtree or two, warps of one lane make one");
LSCHED_I_STATIC_ASSERT(offsetof(bvh_moves, count) <= BVH_CELLS / 2 * sizeof(bvh_bin) &&
			       sizeof(bvh_near) <= BVH_CELLS / 2 * sizeof(bvh_bin),
	"fast memory of a block has parts that overlap");

/* The cells of a range in fast memory; NULL: it has tiles, and its cells are in c->cell. */
LSCHED_FN bvh_near *bvh_near_of(bvh_local *l, const bvh_open *o)
{
	return o->count <= BVH_BLOCK ? (bvh_near *)&l->u.bricks.cell[BVH_CELLS / 2] : NULL;
}

#endif
