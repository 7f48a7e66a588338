#include "wavefront.c"
