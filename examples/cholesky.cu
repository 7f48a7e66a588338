#include "cholesky.c"
