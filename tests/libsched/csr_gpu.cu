/* The CUDA half of tests/libsched/csr_program.h. */
#define CSR_PROGRAM
#include "tests/libsched/csr_program.h"
