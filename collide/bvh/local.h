/* Fast memory of a block. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_LOCAL_H
#define COLLIDE_BVH_LOCAL_H

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

/* What a warp has of its own. */
typedef union bvh_warp_room {
	struct {
		bvh_bin bin[2][BVH_ALL_BINS];
		bvh_record stage[LSCHED_LANES]; /* with their bins instead of numbers */
		uint32_t point[3];              /* bounds of the centres */
	} split;
	struct {
		bvh_record record[BVH_SWEEP];
		uint32_t order[3][BVH_SWEEP]; /* records by position, for each axis */
		uint32_t left[BVH_SWEEP];     /* of a record: it goes left */
		bvh_box box[BVH_SWEEP];       /* of primitives, by position in their leaves */
	} sweep;
	uint32_t key[6]; /* of bvh_bounds */
} bvh_warp_room;

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
	bvh_box root;
} bvh_small;

typedef struct bvh_local {
	union {
		bvh_record record[BVH_ROOM];
		bvh_small small;
	} u;
	bvh_warp_room warp[BVH_WARPS];
	bvh_bin bin[2][BVH_ALL_BINS];
	lsched_group_room group;
	bvh_places places[2];
	uint32_t left, right; /* of a tile: moved to both sides before */
} bvh_local;

#endif
