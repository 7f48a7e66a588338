// A user's program of items, compiled as C++17.
#include "queens.c"
