/* The CUDA program for keys of 4 bytes. */
#define WL_SORT_PROGRAM
#define SORT_BYTES 4
#include "workloads/sort/body.h"
