/* The CUDA half of tests/libsched/bad_program.h. */
#define BAD_PROGRAM
#include "tests/libsched/bad_program.h"
