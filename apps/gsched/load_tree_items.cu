/* The CUDA program of the load. One file per load, because each queue makes a kernel. */
#define LOAD_TREE_ITEMS_PROGRAM
#include "apps/gsched/load_tree_items.h"
