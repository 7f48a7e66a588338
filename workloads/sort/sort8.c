/* The CPU program for keys of 8 bytes. */
#define WL_SORT_PROGRAM
#define SORT_BYTES 8
#include "workloads/sort/body.h"
