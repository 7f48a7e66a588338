/* The CPU programs of all loads. */
#define LOAD_FIB_PROGRAM
#define LOAD_OPS_PROGRAM
#define LOAD_PRIORITY_PROGRAM
#define LOAD_TREE_PROGRAM
#define LOAD_TREE_ITEMS_PROGRAM
#define LOAD_WAVEFRONT_PROGRAM
#include "apps/gsched/load_fib.h"
#include "apps/gsched/load_ops.h"
#include "apps/gsched/load_priority.h"
#include "apps/gsched/load_tree.h"
#include "apps/gsched/load_tree_items.h"
#include "apps/gsched/load_wavefront.h"
