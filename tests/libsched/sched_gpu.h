/* Calls of CUDA for sched_gpu_test.c, in plain C. An error prints a line and ends the program,
 * since a test without its memory has no result. */
#ifndef TESTS_LIBSCHED_SCHED_GPU_H
#define TESTS_LIBSCHED_SCHED_GPU_H

#include <stddef.h>
#include <stdint.h>
#include <libsched/sched.h>

#ifdef __cplusplus
extern "C" {
#endif
extern const lsched_program graph_cuda_program, tree_cuda_program, fan_cuda_program,
	grid_cuda_program, message_cuda_program;

void *gpu_alloc(size_t bytes); /* zeroed */
void gpu_free(void *p);
void gpu_zero(void *p, size_t bytes);
void gpu_read(void *to, const void *from, size_t bytes);
/* Enqueues a kernel on the stream that sums the values which the graph's tasks have written.
 * gpu_sum_get() waits for the stream and returns the sum. */
void gpu_sum_add(void *stream, const uint32_t *value, uint32_t count);
uint64_t gpu_sum_get(void *stream);
/* Begins a capture of the stream; ends it and drops the graph. */
void gpu_capture_begin(void *stream);
void gpu_capture_end(void *stream);
void *gpu_stream_legacy(void); /* the default stream, by its name */
void *gpu_stream(uint32_t i);  /* non-blocking; made at the first call, i < 3 */

#ifdef __cplusplus
}
#endif
#endif
