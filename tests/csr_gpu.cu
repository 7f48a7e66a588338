/* The CUDA half of tests/csr_program.h. */
#define CSR_PROGRAM
#include "tests/csr_program.h"
