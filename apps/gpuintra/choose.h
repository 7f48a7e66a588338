/* Which backend pays, and looking for a GPU while other things start. */
#ifndef APPS_GPUINTRA_CHOOSE_H
#define APPS_GPUINTRA_CHOOSE_H

#include <pthread.h>
#include <stdint.h>
#include <h264intra/h264intra.h>

typedef struct gpu_probe {
	pthread_t thread;
	int running;
	int usable;
	char why[256]; /* not usable */
} gpu_probe;

/* Starts h264i_cuda_usable in a thread of its own: it takes 0.2 s. */
void probe_start(gpu_probe *p);

/* Waits; 1 when there is a GPU. Also without probe_start, as a plain call. */
int probe_result(gpu_probe *p);

/* Waits for a thread that still runs. */
void probe_end(gpu_probe *p);

/* 1 when it is certain enough that the GPU will be used to start looking before the input is open. */
int choose_probe_early(const char *input, h264i_backend wanted);

/* For --backend auto. `frames` to encode, -1 if unknown; `threads` as the option (0: all).
 *
 * Starting CUDA costs about 0.3 s, in which a CPU thread encodes some 20,000 macroblocks (2.4 pictures
 * of 1920x1080). So the CPU it is when the whole input has fewer than that for each CPU thread; and the
 * GPU for an unknown length. Only a guess about speed: the stream is the same. */
int choose_cpu(uint32_t width, uint32_t height, int64_t frames, uint32_t threads);
#endif
