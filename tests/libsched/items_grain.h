/* Grain and warps of the block items of the tests. A test without groups of warps defines
 * ITEMS_NO_GROUPS. */
#ifndef TESTS_LIBSCHED_ITEMS_GRAIN_H
#define TESTS_LIBSCHED_ITEMS_GRAIN_H

#ifdef ITEMS_NO_GROUPS
#define ITEMS_BLOCK       warp
#define ITEMS_GROUP_WARPS 1
#else
#define ITEMS_BLOCK       block
#define ITEMS_GROUP_WARPS 3
#endif

#endif
