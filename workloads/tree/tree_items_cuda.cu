/* The CUDA programs. A file of their own: the kernels, one for each queue, compile
 * in parallel. */
#define WL_TREE_ITEMS_PROGRAM
#include "workloads/tree/tree_items.h"
