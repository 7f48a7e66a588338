/* The CPU programs. */
#define WL_FIB_PROGRAM
#include "workloads/fib/fib.h"
