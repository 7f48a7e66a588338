/* Deblocking and sums of squared errors on the device, for pictures in host memory. */
#include "h264intra/cuda/deblock.cuh"
#include "h264intra/cuda/sse.cuh"
#include "tests/h264intra/recon_gpu.h"

#include <stdio.h>
#include <stdlib.h>

static void must(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

static void *upload(const void *from, size_t bytes)
{
	void *p = NULL;

	must(cudaMalloc(&p, bytes), "cudaMalloc");
	must(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
	return p;
}

/* The picture's record with its memory on the device. */
static h264i_picture upload_picture(const recon_gpu_job *job, const recon_gpu_picture *from)
{
	h264i_picture p = from->p;
	uint8_t *d_recon = static_cast<uint8_t *>(upload(from->recon, job->recon_bytes));
	const uint8_t *d_src = static_cast<uint8_t *>(upload(from->src, job->src_bytes));

	p.mb = static_cast<h264i_mb *>(
		upload(p.mb, sizeof(*p.mb) * job->mb_width * job->mb_height));
	for (int k = 0; k < 3; k++) {
		p.recon[k] = d_recon + (from->p.recon[k] - from->recon);
		p.src[k] = d_src + (from->p.src[k] - from->src);
	}
	return p;
}

extern "C" void recon_gpu_run(const recon_gpu_job *job, recon_gpu_picture *picture, uint32_t n)
{
	h264i_picture *pic = static_cast<h264i_picture *>(malloc(n * sizeof(*pic))), *d_pic;
	uint64_t *d_sse;

	if (!pic)
		abort();
	for (uint32_t i = 0; i < n; i++)
		pic[i] = upload_picture(job, &picture[i]);
	d_pic = static_cast<h264i_picture *>(upload(pic, n * sizeof(*pic)));
	must(cudaMalloc(&d_sse, n * sizeof(picture->sse)), "cudaMalloc");
	if (job->strengths)
		must(deblock_launch(d_pic, n, job->mb_width, job->mb_height, job->strengths, 0),
			"deblock_kernel");
	must(sse_launch(d_pic, n, job->width, job->height, d_sse, 0), "sse_kernel");
	for (uint32_t i = 0; i < n; i++) {
		must(cudaMemcpy(picture[i].sse, d_sse + 3 * i, sizeof(picture->sse),
			     cudaMemcpyDeviceToHost),
			"sums");
		must(cudaMemcpy(picture[i].recon, pic[i].recon[0], job->recon_bytes,
			     cudaMemcpyDeviceToHost),
			"picture");
		cudaFree(pic[i].recon[0]);
		cudaFree(const_cast<uint8_t *>(pic[i].src[0]));
		cudaFree(pic[i].mb);
	}
	cudaFree(d_pic);
	cudaFree(d_sse);
	free(pic);
}
