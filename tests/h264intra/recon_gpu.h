/* Calls of CUDA for recon_gpu_test.c, in plain C. */
#ifndef TESTS_H264INTRA_RECON_GPU_H
#define TESTS_H264INTRA_RECON_GPU_H

#include "h264intra/core/work.h"
#include "h264intra/filter/deblock_line.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A picture in host memory and where its memory starts. */
typedef struct recon_gpu_picture {
	h264i_picture p;
	uint8_t *recon;
	const uint8_t *src;
	uint64_t sse[3]; /* out */
} recon_gpu_picture;

typedef struct recon_gpu_job {
	uint32_t width, height, mb_width, mb_height;
	size_t recon_bytes, src_bytes;
	const h264i_strengths *strengths; /* NULL: no deblocking */
} recon_gpu_job;

/* Runs the kernels on n pictures of one size; recon is replaced by the decoded picture. An error of
 * CUDA prints a line and ends the program. */
void recon_gpu_run(const recon_gpu_job *job, recon_gpu_picture *picture, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
