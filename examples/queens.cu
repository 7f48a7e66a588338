#include "queens.c"
