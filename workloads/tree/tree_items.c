/* The CPU programs. */
#define WL_TREE_ITEMS_PROGRAM
#include "workloads/tree/tree_items.h"
