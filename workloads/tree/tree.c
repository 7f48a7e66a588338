/* The CPU programs. */
#define WL_TREE_PROGRAM
#include "workloads/tree/tree.h"
