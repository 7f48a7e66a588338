/* The CUDA program of the load. One file per load: the kernels, one for each queue, compile
 * in parallel. */
#define LOAD_TREE_ITEMS_PROGRAM
#include "apps/gsched/load_tree_items.h"
