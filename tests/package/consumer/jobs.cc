// A user's service of jobs, compiled as C++17.
#include "jobs.c"
