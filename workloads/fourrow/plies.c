/* The CPU program. */
#define WL_FOURROW_PROGRAM
#include "workloads/fourrow/plies.h"
