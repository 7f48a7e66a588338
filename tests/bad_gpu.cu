/* The CUDA half of tests/bad_program.h. */
#define BAD_PROGRAM
#include "tests/bad_program.h"
