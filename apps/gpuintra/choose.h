/* Automatic choice of the backend, and a search for a GPU during start-up. */
#ifndef APPS_GPUINTRA_CHOOSE_H
#define APPS_GPUINTRA_CHOOSE_H

#include <pthread.h>
#include <stdint.h>
#include <h264intra/h264intra.h>

typedef struct gpu_probe {
	pthread_t thread;
	int running;
	int usable;
	char why[256]; /* why it is not usable */
} gpu_probe;

/* Starts h264i_cuda_usable, which takes 0.2 s, in a thread of its own. */
void probe_start(gpu_probe *p);

/* Waits for the probe, or runs it if it was not started. Returns 1 if a GPU is usable. */
int probe_result(gpu_probe *p);

/* Waits for the thread if it runs. */
void probe_end(gpu_probe *p);

/* Returns 1 if the GPU is so likely to be used that the probe starts before the input is open. */
int choose_probe_early(const char *input, h264i_backend requested);

/* For --backend auto: returns 1 for the CPU. `frames` to encode, -1: unknown; `threads` as the
 * option (0: all). CUDA takes about 0.3 s to start, in which a CPU thread encodes 20,000
 * macroblocks (2.4 pictures of 1920x1080): the CPU is faster for inputs with fewer macroblocks per
 * thread. An unknown length selects the GPU. The stream does not depend on the choice. */
int choose_cpu(uint32_t width, uint32_t height, int64_t frames, uint32_t threads);
#endif
