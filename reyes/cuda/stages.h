/* The stages of a frame as kernels: dice and shade, hide, resolve and filter. They are regular, so
 * they need no scheduler; split is a program of libsched on the same stream. */
#ifndef REYES_CUDA_STAGES_H
#define REYES_CUDA_STAGES_H

#include "reyes/render/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct reyes_i_cuda reyes_i_cuda;

/* Times of a frame's stages on the device, nanoseconds. clear runs beside split. */
typedef struct reyes_i_cuda_times {
	uint64_t clear_ns, split_ns, dice_ns, hide_ns, image_ns;
} reyes_i_cuda_times;

/* All functions return NULL, or CUDA's message. */

const char *reyes_i_cuda_open(reyes_i_cuda **out, int device);
void reyes_i_cuda_close(reyes_i_cuda **c);
/* The stream of the frame, a cudaStream_t. */
void *reyes_i_cuda_stream(const reyes_i_cuda *c);

/* Clears samples and counters; waits for the counters if `wait` is not 0. */
const char *reyes_i_cuda_begin(reyes_i_cuda *c, const reyes_i_stage *s, int wait);
/* After split: all other stages. `moving`: a primitive moves or the lens blurs. */
const char *reyes_i_cuda_stages(reyes_i_cuda *c, const reyes_i_stage *s, int moving);
/* Waits for the stages; copies the counters and the number of grids. */
const char *reyes_i_cuda_end(reyes_i_cuda *c, const reyes_i_stage *s, uint32_t *counters,
	uint32_t *listed, reyes_i_cuda_times *times);
/* Whether the filter reads the samples' cells itself, so that resolved samples need no memory. It
 * does not for frames with fragments, either. */
int reyes_i_cuda_filters_cells(const reyes_i_cuda *c, const reyes_i_stage *s);

/* The host's copy of the picture: makes room for so many pixels. */
const char *reyes_i_cuda_reserve_picture(reyes_i_cuda *c, size_t pixels);
/* Begins to copy the picture to the host, after the stages; reyes_i_cuda_end waits for it. */
const char *reyes_i_cuda_copy(reyes_i_cuda *c, const reyes_i_stage *s);
void reyes_i_cuda_picture(const reyes_i_cuda *c, float **rgba, float **z);

#ifdef __cplusplus
}
#endif

#endif
