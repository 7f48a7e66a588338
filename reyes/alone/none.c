/* The kernel in a build without CUDA. */
#include "reyes/alone/dice.h"
#include <stddef.h>

static const char missing[] = "not compiled in";

const char *reyes_i_alone_cuda_open(reyes_i_alone_cuda **out, int device)
{
	(void)device;
	*out = NULL;
	return missing;
}

void reyes_i_alone_cuda_close(reyes_i_alone_cuda **c)
{
	(void)c;
}

void *reyes_i_alone_cuda_stream(const reyes_i_alone_cuda *c)
{
	(void)c;
	return NULL;
}

const char *reyes_i_alone_cuda_begin(reyes_i_alone_cuda *c, const reyes_i_alone_ctx *ctx, int wait)
{
	(void)c, (void)ctx, (void)wait;
	return missing;
}

const char *reyes_i_alone_cuda_dice(reyes_i_alone_cuda *c, const reyes_i_alone_ctx *ctx,
	uint32_t grids, int dice, uint64_t *used, uint64_t *split_ns, uint64_t *dice_ns)
{
	(void)c, (void)ctx, (void)grids, (void)dice, (void)used, (void)split_ns, (void)dice_ns;
	return missing;
}
