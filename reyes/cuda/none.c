/* The stages' kernels in a build without CUDA. */
#include "reyes/cuda/stages.h"
#include <stddef.h>

static const char missing[] = "not compiled in";

const char *reyes_i_cuda_open(reyes_i_cuda **out, int device)
{
	(void)device;
	*out = NULL;
	return missing;
}

void reyes_i_cuda_close(reyes_i_cuda **c)
{
	(void)c;
}

void *reyes_i_cuda_stream(const reyes_i_cuda *c)
{
	(void)c;
	return NULL;
}

const char *reyes_i_cuda_begin(reyes_i_cuda *c, const reyes_i_stage *s, int wait)
{
	(void)c, (void)s, (void)wait;
	return missing;
}

const char *reyes_i_cuda_stages(reyes_i_cuda *c, const reyes_i_stage *s, int moving)
{
	(void)c, (void)s, (void)moving;
	return missing;
}

const char *reyes_i_cuda_end(reyes_i_cuda *c, const reyes_i_stage *s, uint32_t *counters,
	uint32_t *listed, reyes_i_cuda_times *times)
{
	(void)c, (void)s, (void)counters, (void)listed, (void)times;
	return missing;
}

int reyes_i_cuda_filters_cells(const reyes_i_cuda *c, const reyes_i_stage *s)
{
	(void)c, (void)s;
	return 0;
}

const char *reyes_i_cuda_reserve_picture(reyes_i_cuda *c, size_t pixels)
{
	(void)c, (void)pixels;
	return missing;
}

const char *reyes_i_cuda_copy(reyes_i_cuda *c, const reyes_i_stage *s)
{
	(void)c, (void)s;
	return missing;
}

void reyes_i_cuda_picture(const reyes_i_cuda *c, float **rgba, float **z)
{
	(void)c;
	*rgba = *z = NULL;
}
