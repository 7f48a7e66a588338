// A user's program of tasks with a rule, compiled as C++17.
#include "installed_sched.c"
