/* Device memory, events and streams of an encoder and of its groups. */
#ifndef H264INTRA_CUDA_MEMORY_CUH
#define H264INTRA_CUDA_MEMORY_CUH

#include "h264intra/bitstream/slice_hdr.h"
#include "h264intra/cuda/detail.cuh"
#include "h264intra/cuda/output.cuh"
#include "h264intra/cuda/partition.cuh"
#include "h264intra/cuda/scratch.cuh"
#include "h264intra/cuda/state.cuh"

#include <stdlib.h>
#include <string.h>

/* Writes the slice headers of pictures of a QP: [idr_pic_id][slice]. */
static void make_slice_heads(const h264i_encoder *enc, int qp, slice_head *head)
{
	for (uint32_t id = 0; id < 2; id++)
		for (uint32_t s = 0; s < enc->geom.slices; s++, head++) {
			h264i_bits b;

			memset(head, 0, sizeof(*head));
			h264i_bits_init(&b, head->word, 1, 3);
			h264i_slice_hdr_put(&b,
				h264i_slice_first_row(&enc->geom, s) * enc->geom.mb_width, id,
				qp - enc->params.qp, enc->params.filter);
			if (enc->params.cabac)
				h264i_slice_hdr_align(&b);
			h264i_bits_flush(&b);
			head->bits = (uint32_t)h264i_bits_position(&b);
		}
}

/* Allocates and fills what all groups share. */
static h264i_status open_rates(h264i_encoder *enc, gpu_state *s)
{
	size_t bytes = H264I_QPS * sizeof(h264i_rates);
	h264i_rates *rates = static_cast<h264i_rates *>(malloc(bytes));
	cudaError_t e;

	if (!rates)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	for (int qp = 0; qp < H264I_QPS; qp++)
		h264i_i_rates_init(
			&rates[qp], qp, h264i_i_weights_of(enc), enc->params.chroma_qp_offset);
	e = cudaMalloc(&s->d_rates, bytes);
	if (e == cudaSuccess)
		e = copy_now(s->d_rates, rates, bytes);
	free(rates);
	return e == cudaSuccess ? H264I_OK : cuda_fail(enc, "tables of rates to the device", e);
}

static h264i_status open_tables(h264i_encoder *enc, gpu_state *s)
{
	size_t heads = 2 * (size_t)enc->geom.slices;
	size_t head_bytes = (enc->qp_varies ? H264I_QPS : 1) * heads * sizeof(slice_head);
	slice_head *head = static_cast<slice_head *>(malloc(head_bytes));
	gpu_tables tables;
	cudaError_t e;

	if (!head)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	if (enc->qp_varies)
		for (int qp = 0; qp < H264I_QPS; qp++)
			make_slice_heads(enc, qp, head + (size_t)qp * heads);
	else
		make_slice_heads(enc, enc->o.qp, head);
	e = cudaMalloc(&s->d_head, head_bytes);
	if (e == cudaSuccess)
		e = copy_now(s->d_head, head, head_bytes);
	free(head);
	if (e != cudaSuccess)
		return cuda_fail(enc, "slice headers to the device", e);
	if (gpu_tables_init(&tables, enc->by_qp[0].disable) != 0)
		return h264i_i_fail(
			enc, H264I_ERR_DEVICE, "internal error: a mode's row needs a third word");
	TRY(cudaMalloc(&s->d_by_qp, sizeof(enc->by_qp)));
	TRY(copy_now(s->d_by_qp, enc->by_qp, sizeof(enc->by_qp)));
	tables.by_qp = s->d_by_qp;
	TRY(cudaMalloc(&s->d_tables, sizeof(tables)));
	TRY(copy_now(s->d_tables, &tables, sizeof(tables)));
	if (enc->o.rd || enc->o.trellis) {
		h264i_status st = open_rates(enc, s);

		if (st != H264I_OK)
			return st;
	}
	if (enc->params.cabac) {
		h264i_status st = open_cabac_tables(enc, s);

		if (st != H264I_OK)
			return st;
	}
	TRY(cudaMalloc(&s->d_neutral, s->src_pitch));
	TRY(clear_now(s->d_neutral, H264I_PX_MID, s->src_pitch));
	TRY(cudaMalloc(&s->d_counts, sizeof(*s->d_counts)));
	TRY(clear_now(s->d_counts, 0, sizeof(*s->d_counts)));
	TRY(cudaEventCreateWithFlags(&s->caller, cudaEventDisableTiming));
	return H264I_OK;
}

/* Fills the picture records of a group, except the source planes, which set_layout() writes. */
static void make_pictures(
	const h264i_encoder *enc, const gpu_state *s, gpu_group *gg, uint32_t frames)
{
	size_t mbs = (size_t)enc->geom.mb_width * enc->geom.mb_height;

	for (uint32_t i = 0; i < frames; i++) {
		h264i_picture *p = &gg->h_pic[i];

		memset(p, 0, sizeof(*p));
		p->mb = gg->d_mb + i * mbs;
		p->levels = gg->d_levels + i * mbs;
		p->edge = gg->d_edge + i * mbs;
		p->mb_qp = gg->d_mb_qp ? gg->d_mb_qp + i * mbs : NULL;
		if (gg->d_recon) {
			p->recon[0] = gg->d_recon + i * s->recon_bytes;
			p->recon[1] = p->recon[0] + mbs * H264I_LUMA_PX;
			p->recon[2] = p->recon[1] + mbs * H264I_CHROMA_PX;
			p->recon_pitch[0] = enc->geom.mb_width * 16;
			p->recon_pitch[1] = p->recon_pitch[2] = enc->geom.mb_width * H264I_CHROMA_W;
		}
	}
	gg->pic_changed = 1;
}

/* Allocates the memory, events and stream of a group of g->capacity frames, but not its run. */
static h264i_status open_group_memory(h264i_encoder *enc, gpu_state *s, const h264i_group *g)
{
	uint32_t number = (uint32_t)(g - enc->group) / enc->devices; /* on its device */
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	size_t mbs = (size_t)enc->geom.mb_width * enc->geom.mb_height, n = g->capacity;
	size_t slices = n * enc->geom.slices;
	h264i_status st;

	TRY(partition_stream(s, &gg->stream));
	gg->scratch = &s->scratch[number % SCRATCHES];
	gg->wave = s->wave[0] ? s->wave[number % WAVES] : gg->stream;
	TRY(cudaEventCreateWithFlags(&gg->ready, cudaEventDisableTiming));
	TRY(cudaEventCreateWithFlags(&gg->coded, cudaEventDisableTiming));
	TRY(cudaEventCreateWithFlags(&gg->done, cudaEventDisableTiming));
	gg->uploaded = static_cast<cudaEvent_t *>(calloc(n, sizeof(*gg->uploaded)));
	if (!gg->uploaded)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		TRY(cudaEventCreateWithFlags(&gg->uploaded[i], cudaEventDisableTiming));
	for (int i = 0; enc->o.stats && i < STAGES; i++)
		TRY(cudaEventCreate(&gg->stage[i]));
	TRY(cudaMalloc(&gg->d_src, n * s->src_bytes));
	TRY(cudaMalloc(&gg->d_mb, n * mbs * sizeof(h264i_mb)));
	TRY(cudaMalloc(&gg->d_levels, n * mbs * sizeof(h264i_levels)));
	TRY(cudaMalloc(&gg->d_edge, n * mbs * sizeof(h264i_edge)));
	if (enc->aq.mode)
		TRY(cudaMalloc(&gg->d_mb_qp, n * mbs));
	if (enc->aq.mode == 2) {
		TRY(cudaMalloc(&gg->d_aq_root, n * mbs * sizeof(*gg->d_aq_root)));
		TRY(cudaMalloc(&gg->d_aq_sums, n * sizeof(*gg->d_aq_sums)));
	}
	TRY(cudaMalloc(&gg->d_mb_bits, n * mbs * 4));
	TRY(cudaMalloc(&gg->d_mb_at, n * mbs * 4));
	TRY(cudaMalloc(&gg->d_rbsp, n * s->rbsp_words * 4));
	TRY(cudaMalloc(&gg->d_slice_bytes, slices * 4));
	TRY(cudaMalloc(&gg->d_slice_nal, slices * 4));
	TRY(cudaMalloc(&gg->d_pic, n * sizeof(h264i_picture)));
	TRY(cudaHostAlloc(&gg->h_pic, n * sizeof(h264i_picture), cudaHostAllocDefault));
	st = open_detail(enc, gg, n);
	if (st == H264I_OK)
		st = open_output(enc, s, gg, n);
	if (st == H264I_OK && enc->params.cabac)
		st = open_cabac(enc, gg, (uint32_t)n);
	if (st == H264I_OK)
		make_pictures(enc, s, gg, g->capacity);
	return st;
}

/* Waits for the group's stream and frees everything of the group, its run included. */
static void close_group(gpu_group *gg, uint32_t frames)
{
	if (gg->stream)
		cudaStreamSynchronize(gg->stream);
	lsched_run_destroy(&gg->run);
	close_detail(gg);
	close_output(gg);
	close_cabac(gg);
	cudaFree(gg->d_src);
	cudaFree(gg->d_mb);
	cudaFree(gg->d_levels);
	cudaFree(gg->d_edge);
	cudaFree(gg->d_mb_qp);
	cudaFree(gg->d_aq_root);
	cudaFree(gg->d_aq_sums);
	cudaFree(gg->d_mb_bits);
	cudaFree(gg->d_mb_at);
	cudaFree(gg->d_rbsp);
	cudaFree(gg->d_slice_bytes);
	cudaFree(gg->d_slice_nal);
	cudaFree(gg->d_pic);
	cudaFreeHost(gg->h_pic);
	cudaFreeHost(gg->h_staging);
	for (uint32_t i = 0; gg->uploaded && i < frames; i++)
		if (gg->uploaded[i])
			cudaEventDestroy(gg->uploaded[i]);
	free(gg->uploaded);
	for (int i = 0; i < STAGES; i++)
		if (gg->stage[i])
			cudaEventDestroy(gg->stage[i]);
	if (gg->ready)
		cudaEventDestroy(gg->ready);
	if (gg->coded)
		cudaEventDestroy(gg->coded);
	if (gg->done)
		cudaEventDestroy(gg->done);
	if (gg->stream)
		cudaStreamDestroy(gg->stream);
	free(gg);
}

#endif
