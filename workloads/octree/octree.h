/* An octree of particles by tasks (Cederman, Tsigas 2011, section 35.4.2). A cell with more than
 * OCT_ROOM particles is split by its tiles: they count the octants, their join adds up, they move
 * the particles, and their second join emits the children. A cell with more than eight times as
 * many is split by two levels at once. The subtree of a smaller cell is made by one block in fast
 * memory. Compiled for CPU and GPU. */
#ifndef WORKLOADS_OCTREE_OCTREE_H
#define WORKLOADS_OCTREE_OCTREE_H

#include <libsched/range.h>

/* Positions are 21 bits on each axis, interleaved to Morton codes of 63 bits: an octant is three
 * bits, the root's ones are the highest. */
enum { OCT_LEVELS = 21 };

/* Particles of a tile, and of the largest cell whose subtree a block makes. */
enum { OCT_ROOM = 4096 };

#define OCT_NONE UINT32_C(0xffffffff)

/* A cell of the tree; cell 0 is the root. The children of a cell follow each other, in the order of
 * their octants; octants without particles have none. Numbers of cells depend on the schedule, all
 * else does not. */
typedef struct oct_cell {
	uint64_t code;         /* of its lower corner */
	uint32_t first, count; /* its particles in the output */
	uint32_t child;        /* its first child; OCT_NONE: a leaf */
	uint32_t parent;       /* OCT_NONE: the root */
	uint32_t level;
	uint32_t octants; /* bit k: octant k has a child */
} oct_cell;

/* Particles are read from the input, and go to and fro between the output and a second array. */
enum { OCT_INPUT, OCT_OUTPUT, OCT_SECOND, OCT_ARRAYS };

/* OCT_CELL	particles first .. first + count-1 of a cell; info: array and level; join: the cell;
 *		with OCT_DIVIDED in info they are in the order of octants
 * OCT_COUNT	tiles of the cell that is open[info]; OCT_MOVE the same
 * OCT_COUNTED	the tiles of open[info] have counted; OCT_MOVED: they have moved their particles
 * OCT_COPY	particles of a large leaf; info: array */
enum { OCT_CELL, OCT_COUNT, OCT_COUNTED, OCT_MOVE, OCT_MOVED, OCT_COPY, OCT_PROCS };

/* A large cell is split by octants, a still larger one by octants of octants. */
enum { OCT_WAYS = 64 };

/* A cell that is being split. Two of them have more than OCT_ROOM particles each and none in
 * common, so open[first / OCT_ROOM] belongs to one of them. `octant` is apart from the others: of
 * the cell that begins there, has more than OCT_ROOM particles, and whose parent was split by
 * octants of octants. */
typedef struct oct_open {
	uint32_t way[OCT_WAYS];   /* particles; by additions */
	uint32_t place[OCT_WAYS]; /* where the next ones go; by additions */
	uint32_t octant[8];       /* particles */
	uint64_t code;            /* of the cell */
	uint32_t first, count, info, cell;
	uint32_t pad[2]; /* 576 bytes: a memory sector is 32 */
} oct_open;

typedef struct oct_ctx {
	uint64_t *code[OCT_ARRAYS];
	uint32_t *name[OCT_ARRAYS]; /* number of the particle; in the input its position */
	oct_open *open;
	oct_cell *cell;  /* [room]: those that do not fit are counted, but not stored */
	uint32_t *cells; /* 1 at the start: the root */
	uint32_t room;
	uint32_t n, bound; /* more particles are split, down to the last level */
} oct_ctx;

/* Spreads 21 bits to every third one. */
LSCHED_FN uint64_t oct_spread(uint32_t v)
{
	uint64_t x = v & 0x1fffffu;

	x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
	x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
	x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
	x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
	return (x | x << 2) & UINT64_C(0x1249249249249249);
}

/* The inverse: gathers every third bit. */
LSCHED_FN uint32_t oct_gather(uint64_t x)
{
	x &= UINT64_C(0x1249249249249249);
	x = (x | x >> 2) & UINT64_C(0x10c30c30c30c30c3);
	x = (x | x >> 4) & UINT64_C(0x100f00f00f00f00f);
	x = (x | x >> 8) & UINT64_C(0x1f0000ff0000ff);
	x = (x | x >> 16) & UINT64_C(0x1f00000000ffff);
	return (uint32_t)(x | x >> 32) & 0x1fffffu;
}

LSCHED_FN uint64_t oct_code(uint32_t x, uint32_t y, uint32_t z)
{
	return oct_spread(x) << 2 | oct_spread(y) << 1 | oct_spread(z);
}

/* The bits of a code below those of a cell of that level. */
LSCHED_FN uint64_t oct_below(uint32_t level)
{
	return (UINT64_C(1) << 3 * (OCT_LEVELS - level)) - 1;
}

/* The octant of a cell of that level, at most 20, that a code is in. */
LSCHED_FN uint32_t oct_octant(uint64_t code, uint32_t level)
{
	return (uint32_t)(code >> 3 * (OCT_LEVELS - 1 - level)) & 7u;
}

LSCHED_FN int oct_is_leaf(const oct_ctx *c, uint32_t count, uint32_t level)
{
	return count <= c->bound || level == OCT_LEVELS;
}

/* Bits of a way of a cell that is split. */
LSCHED_FN uint32_t oct_way_bits(uint32_t count, uint32_t level)
{
	return count > 8 * OCT_ROOM && level + 2 <= OCT_LEVELS ? 6 : 3;
}

#define OCT_DIVIDED (1u << 7) /* in info, beside array and level */

LSCHED_FN uint32_t oct_info(uint32_t array, uint32_t level)
{
	return array | level << 2;
}

LSCHED_FN uint32_t oct_array(uint32_t info)
{
	return info & 3u;
}

LSCHED_FN uint32_t oct_level(uint32_t info)
{
	return info >> 2 & 31u;
}

LSCHED_FN uint32_t oct_other(uint32_t array)
{
	return array == OCT_OUTPUT ? OCT_SECOND : OCT_OUTPUT;
}

LSCHED_FN uint32_t oct_root(const oct_ctx *c, uint32_t i, lsched_range *it)
{
	(void)i;
	it->first = 0;
	it->count = c->n;
	it->info = oct_info(OCT_INPUT, 0);
	it->join = 0;
	return OCT_CELL;
}

#endif
