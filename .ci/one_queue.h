/* Before each .cu file in .ci/run on a machine without a GPU: the programs of libsched with all
 * queues have the kernels of one. Kernels of eleven queues are most of the build, and cannot run
 * there. The same device text is compiled for all queues by the tests with emulated warps, and by
 * nvcc for the files that .ci/run names. Programs that name other queues, such as the default ones
 * or that of LSCHED_JOBS, have kernels for them without the queue's code, which runs refuse. Do not
 * build with it what is to run on a device. */
#include <libsched/sched.h>
#undef LSCHED_QUEUES
#define LSCHED_QUEUES(Y, X) Y(X, RING, ring)
