/* Output of a group: packets, and with options.sse decoded pictures and their errors.
 *
 * The entropy kernels (slices.cu) write the packets to page-locked memory. Its size is estimated
 * from the QP. A group that needs more gets a quarter more than it needs, and its slices are
 * written again. */
#ifndef H264INTRA_CUDA_OUTPUT_CUH
#define H264INTRA_CUDA_OUTPUT_CUH

#include "h264intra/cuda/cabac_output.cuh"
#include "h264intra/cuda/deblock.cuh"
#include "h264intra/cuda/scratch.cuh"
#include "h264intra/cuda/slices.cuh"
#include "h264intra/cuda/sse.cuh"
#include "h264intra/cuda/state.cuh"
#include "h264intra/filter/deblock.h"

#include <string.h>

/* Replaces the output memory of a group, which is not in use. */
static h264i_status make_output(h264i_encoder *enc, gpu_group *gg, uint64_t bytes)
{
	cudaFreeHost(gg->h_out);
	gg->h_out = NULL;
	gg->out_bytes = 0;
	TRY(cudaHostAlloc(&gg->h_out, bytes, cudaHostAllocDefault));
	gg->out_bytes = bytes;
	return H264I_OK;
}

/* Allocates the output of a group of n frames. */
static h264i_status open_output(h264i_encoder *enc, const gpu_state *s, gpu_group *gg, size_t n)
{
	TRY(cudaMalloc(&gg->d_frame_at, n * sizeof(*gg->d_frame_at)));
	TRY(cudaMalloc(&gg->d_part_escapes, n * NAL_FRAME_PARTS(s->rbsp_words, enc->geom.slices) *
						    sizeof(*gg->d_part_escapes)));
	TRY(cudaHostAlloc(&gg->h_frame_bytes, n * 4, cudaHostAllocDefault));
	if (enc->o.sse) {
		TRY(cudaMalloc(&gg->d_recon, n * s->recon_bytes));
		TRY(cudaMalloc(&gg->d_sse, n * 3 * sizeof(*gg->d_sse)));
		TRY(cudaHostAlloc(&gg->h_sse, n * 3 * sizeof(*gg->h_sse), cudaHostAllocDefault));
	}
	if (enc->o.recon)
		TRY(cudaHostAlloc(&gg->h_recon, n * s->recon_bytes, cudaHostAllocDefault));
	return make_output(enc, gg, h264i_packet_estimate(&enc->geom, enc->o.qp, (uint32_t)n));
}

static void close_output(gpu_group *gg)
{
	cudaFree(gg->d_frame_at);
	cudaFree(gg->d_part_escapes);
	cudaFree(gg->d_recon);
	cudaFree(gg->d_sse);
	cudaFreeHost(gg->h_out);
	cudaFreeHost(gg->h_frame_bytes);
	cudaFreeHost(gg->h_recon);
	cudaFreeHost(gg->h_sse);
}

static h264i_status start_entropy(h264i_encoder *enc, const gpu_state *s, const h264i_group *g)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	entropy_ctx *e = &gg->entropy;
	cabac_ctx cabac = e->cabac;

	memset(e, 0, sizeof(*e));
	e->cabac = cabac;
	e->syntax = h264i_i_syntax(&enc->params);
	e->geom = enc->geom;
	e->frames = g->frames;
	for (uint32_t i = 0; i < g->frames; i++)
		e->idr_pic_id[i / 32] |= h264i_i_idr_pic_id(enc, &g->slot[i]) << i % 32;
	e->pic = gg->d_pic;
	e->tables = s->d_tables;
	e->head = s->d_head;
	e->head_stride = enc->qp_varies ? 2 * enc->geom.slices : 0;
	e->mb_bits = gg->d_mb_bits;
	e->mb_at = gg->d_mb_at;
	e->rbsp = gg->d_rbsp;
	e->rbsp_words = s->rbsp_words;
	e->slice_bytes = gg->d_slice_bytes;
	e->slice_nal = gg->d_slice_nal;
	e->part_escapes = gg->d_part_escapes;
	e->frame_at = gg->d_frame_at;
	e->frame_bytes = gg->h_frame_bytes;
	return h264i_i_slices_start(enc, gg, 1);
}

/* Deblocks the reconstruction of the group and measures its error. The stream does not depend on
 * this. */
static h264i_status start_decoded(
	h264i_encoder *enc, const gpu_state *s, gpu_group *gg, uint32_t frames)
{
	const h264i_geom *g = &enc->geom;

	h264i_strengths strengths =
		h264i_i_deblock_strengths(&enc->params.filter, enc->params.chroma_qp_offset);

	if (enc->params.filter.on &&
		(enc->qp_varies || h264i_i_deblock_changes(&strengths, enc->o.qp))) {
		TRY(deblock_launch(
			gg->d_pic, frames, g->mb_width, g->mb_height, &strengths, gg->stream));
	}
	TRY(sse_launch(gg->d_pic, frames, g->width, g->height, gg->d_sse, gg->stream));
	TRY(cudaMemcpyAsync(gg->h_sse, gg->d_sse, 3 * frames * sizeof(*gg->h_sse),
		cudaMemcpyDeviceToHost, gg->stream));
	if (enc->o.recon)
		TRY(cudaMemcpyAsync(gg->h_recon, gg->d_recon, frames * s->recon_bytes,
			cudaMemcpyDeviceToHost, gg->stream));
	return H264I_OK;
}

/* Sets the decoded picture of slot i in host memory, which has the layout of the device. */
static void set_decoded(const gpu_group *gg, h264i_slot *slot, uint32_t i)
{
	const h264i_picture *p = &gg->h_pic[i];

	for (int k = 0; k < 3; k++) {
		slot->recon[k] = gg->h_recon + (p->recon[k] - gg->d_recon);
		slot->recon_pitch[k] = p->recon_pitch[k];
	}
}

/* Fills in the slots after all work on the group's stream is done. */
static h264i_status finish_output(h264i_encoder *enc, h264i_group *g)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	uint64_t needed, at = H264I_PACKET_HEADERS;

	if (enc->params.cabac) {
		h264i_status st = grow_scratch(enc, gg);

		if (st == H264I_AGAIN)
			st = h264i_i_slices_start(enc, gg, 0);
		if (st != H264I_OK)
			return st;
		TRY(cudaStreamSynchronize(gg->stream));
		if (gg->h_needed[1])
			return h264i_i_fail(enc, H264I_ERR_LIMIT,
				"a slice has more than 3,200 bits a macroblock");
	}
	needed = h264i_packet_sum(gg->h_frame_bytes, g->frames);
	if (needed > gg->out_bytes) {
		h264i_status st = make_output(enc, gg, needed + needed / 4);

		if (st == H264I_OK)
			st = h264i_i_slices_emit(enc, gg);
		if (st != H264I_OK)
			return st;
		TRY(cudaStreamSynchronize(gg->stream));
	}
	for (uint32_t i = 0; i < g->frames; i++) {
		h264i_slot *slot = &g->slot[i];

		slot->packet = gg->h_out + at - enc->packet_headers.bytes;
		slot->packet_bytes = enc->packet_headers.bytes + gg->h_frame_bytes[i];
		memcpy(slot->packet, enc->packet_headers.data, enc->packet_headers.bytes);
		at = h264i_packet_next(at, gg->h_frame_bytes[i]);
		if (enc->o.sse)
			memcpy(slot->sse, gg->h_sse + 3 * i, sizeof(slot->sse));
		if (enc->o.recon)
			set_decoded(gg, slot, i);
	}
	return H264I_OK;
}

#endif
