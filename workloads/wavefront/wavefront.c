/* The CPU programs. */
#define WL_WAVEFRONT_PROGRAM
#include "workloads/wavefront/wavefront.h"
