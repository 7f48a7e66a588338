/* Dicing of the form LIST as a kernel, and the device's times of split and dice. */
#ifndef REYES_ALONE_DICE_H
#define REYES_ALONE_DICE_H

#include "reyes/alone/programs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct reyes_i_alone_cuda reyes_i_alone_cuda;

/* All functions return NULL, or CUDA's message. */

const char *reyes_i_alone_cuda_open(reyes_i_alone_cuda **out, int device);
void reyes_i_alone_cuda_close(reyes_i_alone_cuda **c);
/* The stream of all work, a cudaStream_t. */
void *reyes_i_alone_cuda_stream(const reyes_i_alone_cuda *c);
/* Clears *used, and waits for that if `wait` is not 0. */
const char *reyes_i_alone_cuda_begin(reyes_i_alone_cuda *c, const reyes_i_alone_ctx *ctx, int wait);
/* Marks the end of split; dices the grids of the list if `dice` is not 0. Waits; copies *used and
 * returns the times. grids: expected number, which determines the blocks only. */
const char *reyes_i_alone_cuda_dice(reyes_i_alone_cuda *c, const reyes_i_alone_ctx *ctx,
	uint32_t grids, int dice, uint64_t *used, uint64_t *split_ns, uint64_t *dice_ns);

#ifdef __cplusplus
}
#endif

#endif
