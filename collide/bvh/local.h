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
	uint16_t depth, buffer; /* which of both has its records */
} bvh_part;

/* What a warp has of its own. */
typedef union bvh_warp_room {
	struct {
		bvh_bin bin[2][BVH_ALL_BINS];
		bvh_record stage[LSCHED_LANES]; /* with their bins instead of numbers */
		uint32_t point[2][3];           /* of both sides: bounds of the centres */
		uint32_t left;                  /* how many of its records go left */
	} split;
	struct {
		bvh_record key[BVH_SWEEP];    /* centres of three axes, number */
		uint32_t order[3][BVH_SWEEP]; /* primitives by position, for each axis */
		bvh_box box[BVH_SWEEP];       /* of primitives, by position in their leaves */
	} sweep;
} bvh_warp_room;

/* The subtree of at most BVH_SMALL primitives. */
typedef struct bvh_small {
	bvh_record record[2][BVH_SMALL];
	bvh_box box[BVH_SMALL][2]; /* of the children of the node at this position */
	uint32_t link[BVH_SMALL];  /* its parent */
	uint32_t arrived[BVH_SMALL];
	/* larger than BVH_SWEEP, of a round and the next; with the bounds of their centres */
	bvh_part part[2][BVH_SMALL / BVH_SWEEP];
	uint32_t point[2][BVH_SMALL / BVH_SWEEP][3];
	bvh_part end[BVH_SMALL]; /* the others */
	uint32_t parts[2], ends;
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
	uint32_t pad[3];      /* the layout that was measured */
	uint32_t key[6];      /* of bvh_bounds */
	uint32_t left, right; /* of a tile: moved to both sides before */
} bvh_local;

#endif
