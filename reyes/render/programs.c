/* The stages' programs for CPU threads. */
#include "reyes/render/instances.h"
