/* The CPU half of gsched's loads. */
#define LOAD_PROGRAM
#include "apps/gsched/load_ops.h"
#include "apps/gsched/load_tree.h"
#include "apps/gsched/load_wavefront.h"
