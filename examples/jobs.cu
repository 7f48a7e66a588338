#include "jobs.c"
