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

/* A position while a warp splits up to BVH_SWEEP primitives. */
typedef struct bvh_spot {
	uint32_t link;      /* of its node, at the first position of it */
	uint8_t begin, end; /* positions of its node, in the part */
	uint8_t depth;
	uint8_t is_final; /* its node is a leaf, which has been made */
} bvh_spot;

typedef struct bvh_sweep {
	bvh_spot spot[2][BVH_SWEEP];
	uint64_t cost[BVH_SWEEP];  /* of the best plane behind this primitive */
	uint32_t plane[BVH_SWEEP]; /* the plane's bvh_sweep_name */
} bvh_sweep;

/* The subtree of at most BVH_SMALL primitives. */
typedef struct bvh_small {
	bvh_record record[2][BVH_SMALL];
	bvh_box box[BVH_SMALL][2]; /* of the children of the node at this position */
	uint32_t link[BVH_SMALL];  /* its parent */
	uint32_t arrived[BVH_SMALL];
	bvh_part part[2]
		     [BVH_SMALL / BVH_SWEEP]; /* larger than BVH_SWEEP, of a round and the next */
	bvh_part end[BVH_SMALL];              /* the others */
	union {
		bvh_bin bin[BVH_ALL_BINS];
		bvh_sweep sweep;
	} warp[BVH_WARPS];
	uint32_t parts[2], ends;
	bvh_box root;
} bvh_small;

typedef struct bvh_local {
	union {
		bvh_record record[BVH_ROOM];
		bvh_small small;
	} u;
	bvh_bin bin[2][BVH_ALL_BINS];
	lsched_group_room group;
	bvh_places places[2];
	uint32_t word[3];
	uint32_t key[6];      /* of bvh_bounds */
	uint32_t left, right; /* of a tile: moved to both sides before */
} bvh_local;

#endif
