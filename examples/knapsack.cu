#include "knapsack.c"
