/* A program with the default queues, compiled as .ci/run compiles kernels where none can run: only
 * with the code of the queue ring. bad_call_test.c runs it. */
#include ".ci/one_queue.h"
#include "tests/libsched/bad_program.h"

#define LSCHED_NAME stub
#define LSCHED_CTX  bad_ctx
#define LSCHED_BODY bad_body
#include <libsched/generate.h>
