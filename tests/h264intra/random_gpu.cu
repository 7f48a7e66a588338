/* Random macroblocks through the entropy kernels of the CUDA backend. Its headers have functions of
 * the other stages, too. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "h264intra/cuda/output.cuh"
#include "tests/h264intra/random_gpu.h"

#include <stdio.h>

/* A picture's macroblocks, levels and samples in the memory of the group. */
static h264i_status put_picture(h264i_encoder *enc, gpu_group *gg, uint8_t *d_pixels,
	const h264i_mb *mb, const h264i_levels *levels, const uint8_t *pixels, uint32_t slice_qp)
{
	const size_t mbs = (size_t)enc->geom.mb_width * enc->geom.mb_height;
	const size_t luma = (size_t)enc->geom.width * enc->geom.height;
	h264i_picture p = gg->h_pic[0];

	for (int k = 0; k < 3; k++) {
		p.src[k] = d_pixels + (k == 0 ? 0 : k == 1 ? luma : luma * 5 / 4);
		p.src_pitch[k] = k == 0 ? enc->geom.width : enc->geom.width / 2;
	}
	p.chroma_step = 1;
	p.aligned = 0;
	p.qp = slice_qp;
	/* On the stream of the kernels, which does not wait for the default one, where a copy may
	 * be running when cudaMemcpy() returns. */
	TRY(cudaMemcpyAsync(d_pixels, pixels, luma * 3 / 2, cudaMemcpyHostToDevice, gg->stream));
	TRY(cudaMemcpyAsync(p.mb, mb, mbs * sizeof(*mb), cudaMemcpyHostToDevice, gg->stream));
	TRY(cudaMemcpyAsync(
		p.levels, levels, mbs * sizeof(*levels), cudaMemcpyHostToDevice, gg->stream));
	TRY(cudaMemcpyAsync(gg->d_pic, &p, sizeof(p), cudaMemcpyHostToDevice, gg->stream));
	return H264I_OK;
}

static h264i_status code(h264i_encoder *enc, gpu_state *s, uint8_t *d_pixels, const h264i_mb *mb,
	const h264i_levels *levels, const uint8_t *pixels, uint32_t slice_qp, uint32_t number)
{
	h264i_group *g = &enc->group[0];
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	h264i_status st = put_picture(enc, gg, d_pixels, mb, levels, pixels, slice_qp);

	g->frames = 1;
	g->slot[0].index = number;
	if (st == H264I_OK)
		st = start_entropy(enc, s, g);
	if (st != H264I_OK)
		return st;
	TRY(cudaStreamSynchronize(gg->stream));
	return finish_output(enc, g);
}

const uint8_t *random_gpu_code(h264i_encoder *enc, const h264i_mb *mb, const h264i_levels *levels,
	const uint8_t *pixels, uint32_t slice_qp, uint32_t number, size_t *bytes)
{
	gpu_state *s = state_of(enc, 0);
	const h264i_slot *slot = &enc->group[0].slot[0];
	uint8_t *d_pixels = NULL;
	device_guard before = device_enter(s);
	h264i_status st = H264I_ERR_NOMEM;

	if (cudaMalloc(&d_pixels, (size_t)enc->geom.width * enc->geom.height * 3 / 2) ==
		cudaSuccess)
		st = code(enc, s, d_pixels, mb, levels, pixels, slice_qp, number);
	cudaFree(d_pixels);
	device_leave(before);
	if (st != H264I_OK) {
		fprintf(stderr, "random_gpu_code: %s: %s\n", h264i_strstatus(st),
			h264i_last_error(enc));
		return NULL;
	}
	*bytes = slot->packet_bytes - enc->packet_headers.bytes;
	return slot->packet + enc->packet_headers.bytes;
}
